/**
 * The service desk at DESK_TICKETS tickets with ten comments each, beside the list of as many devices: lists, board,
 * calendar, figures and searches as the console asks for them, for people of each role, and the page of a long ticket.
 *
 *   npm run bench:desk [postgres|pglite]
 *
 * DESK_DIR keeps the loaded databases for the next run.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Definition, Figure, Filter } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { plainClient } from '../support/backend'
import { startPostgres, whyNoPostgres } from '../support/postgres'
import { type Engine, loadEngine } from './engine'
import { PASSWORD } from './fleet'
import { type Place, startPlace } from './place'
import { setting } from './setting'
import { type Times, table, times } from './statistics'

const TICKETS = setting('DESK_TICKETS', 100_000, 200)
const EACH = 10
const LONG = setting('DESK_LONG', 500, 60)
const ROUNDS = setting('DESK_ROUNDS', 11, 1)
const REQUESTERS = Math.max(10, Math.round(TICKETS / 200))
const COMPANY = '00000000-0000-4000-8000-0000000000d5'
const ROLES = ['Admin', 'Teknik', 'Standard'] as const
type Role = (typeof ROLES)[number]
const email = (role: Role) => `${role.toLowerCase()}@desk.test`

async function open(kind: string): Promise<Place> {
  const kept = process.env.DESK_DIR
  const directory = kept ? join(kept, kind) : mkdtempSync(join(tmpdir(), 'konsol-desk-'))
  mkdirSync(directory, { recursive: true })
  // PostgreSQL runs as another user than root.
  chmodSync(directory, 0o755)
  const cluster =
    kind === 'postgres'
      ? await startPostgres({
          directory: join(directory, 'cluster'),
          settings: ['shared_buffers=512MB', 'max_wal_size=4GB', 'fsync=off'],
        })
      : null
  const place = await startPlace(cluster ? 'PostgreSQL' : 'PGlite', {
    // In memory, where no statement has a budget: the load takes longer than a request may.
    dataDir: cluster || kept ? join(directory, 'data') : 'memory://',
    ...(cluster ? { databaseUrl: cluster.url } : {}),
  })
  return {
    ...place,
    stop: async () => {
      await place.stop()
      await cluster?.stop()
      if (!kept && existsSync(directory)) rmSync(directory, { recursive: true, force: true })
    },
  }
}

const CHUNK = 10_000
/** In pieces: one statement of a million rows would hold too much of the embedded database's memory. */
const inPieces = (count: number, statement: (from: number, to: number) => string) =>
  Array.from({ length: Math.ceil(count / CHUNK) }, (_, piece) =>
    statement(piece * CHUNK + 1, Math.min(count, (piece + 1) * CHUNK)),
  )
const KIND = `(array['new','open','open','open','open','waiting','resolved','resolved','closed','closed','closed'])[1 + n % 11]`
const TABLES = ['devices', 'tickets', 'ticket_comments', 'ticket_watchers', 'audit_log']

async function fill({ query }: Place): Promise<void> {
  await query(
    `insert into public.companies (id, name, status, license_type) values ($1, 'Desk', 'Active', 'Pro')`,
    [COMPANY],
  )
  for (const role of ROLES) {
    const [person] = await query('select app.create_auth_user($1, $2, $1) as id', [email(role), PASSWORD])
    await query('insert into public.user_roles (user_id, role, company_id) values ($1, $2, $3)', [
      person?.id,
      role,
      COMPANY,
    ])
  }
  const person = (n: string, role = 'requester') =>
    `(select p.id from public.profiles p where p.email = '${role}' || ${n} || '@desk.test')`
  for (const statement of [
    `set app.quiet = 'on'`,
    `select count(app.create_auth_user('requester' || n || '@desk.test', null, 'Requester ' || n, 'none')) from generate_series(1, ${REQUESTERS}) n`,
    `insert into public.user_roles (user_id, role, company_id) select p.id, 'Standard', '${COMPANY}' from public.profiles p where p.email ~ '^requester'`,
    ...TABLES.map((name) => `alter table public.${name} disable trigger user`),
    ...inPieces(
      TICKETS,
      (from, to) => `insert into public.devices (company_id, name, os, status, offline_since)
        select '${COMPANY}', 'PC-' || lpad(n::text, 6, '0'), 'Windows 11', case when n % 4 = 0 then 'offline' else 'online' end,
          case when n % 4 = 0 then now() - make_interval(mins => n) end from generate_series(${from}, ${to}) n`,
    ),
    `insert into public.ticket_categories (company_id, name, position) select '${COMPANY}', 'Category ' || n, n from generate_series(1, 10) n`,
    ...inPieces(
      TICKETS,
      (
        from,
        to,
      ) => `insert into public.tickets (company_id, number, subject, description, priority, category_id, requester_id, requester_name, assignee_id,
          status, status_id, created_at, resolved_at, paused_at, first_response_due_at, solution_due_at, sla_state, search)
        select t.company_id, t.n, t.subject, t.description, t.priority, t.category_id, t.requester_id, t.requester_name, t.assignee_id, t.kind, t.status_id,
          t.created_at, case when t.kind in ('resolved', 'closed') then t.created_at + interval '3 hours' end,
          case when t.kind in ('waiting', 'resolved', 'closed') then t.created_at + interval '3 hours' end, t.created_at + interval '1 hour',
          now() + make_interval(mins => t.n % 90000 - 45000),
          case when t.kind in ('resolved', 'closed') then 'met' when t.n % 40 = 0 then 'breached' when t.n % 40 = 1 then 'warning' else 'ok' end,
          app.fold('#' || t.n || ' ' || t.subject || ' ' || t.requester_name || ' ' || t.description)
        from (select '${COMPANY}'::uuid as company_id, n, 'Ticket ' || lpad(n::text, 6, '0') || ' yazıcı' as subject,
            'The printer on floor ' || n % 9 || ' does not print since the update of this morning, and the queue of the room holds all pages.' as description,
            (array['low','normal','normal','high','urgent'])[1 + n % 5] as priority, c.id as category_id, p.id as requester_id, 'Requester ' || (1 + n % ${REQUESTERS}) as requester_name,
            case when n % 3 > 0 then ${person(`''`, 'teknik')} end as assignee_id, k.kind, s.id as status_id, now() - make_interval(mins => n) as created_at
          from generate_series(${from}, ${to}) n cross join lateral (select ${KIND} as kind) k
            join public.ticket_statuses s on s.company_id = '${COMPANY}' and s.kind = k.kind and s.is_default
            join public.ticket_categories c on c.company_id = '${COMPANY}' and c.position = 1 + n % 10
            join public.profiles p on p.email = 'requester' || (1 + n % ${REQUESTERS}) || '@desk.test') t`,
    ),
    // A Standard user has asked for some of them, and watches a few others.
    `update public.tickets set requester_id = ${person(`''`, 'standard')} where company_id = '${COMPANY}' and number % ${TICKETS / 40} = 1`,
    `insert into public.ticket_watchers (company_id, ticket_id, user_id) select company_id, id, ${person(`''`, 'standard')} from public.tickets
      where company_id = '${COMPANY}' and number % ${TICKETS / 10} = 2`,
    `insert into app.tickets_search (company_id, id, search) select company_id, id, search from public.tickets on conflict do nothing`,
    'drop index public.ticket_comments_search_idx',
    ...Array.from({ length: EACH }, (_, step) =>
      inPieces(
        TICKETS,
        (
          from,
          to,
        ) => `insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, created_at)
          select t.company_id, t.id, case when ${step} % 5 = 4 then 'note' else 'reply' end,
            'Answer ' || lpad((t.number * ${EACH} + ${step})::text, 7, '0') || ': the driver was installed again and the toner replaced.',
            t.assignee_id, 'Desk', t.created_at + interval '${step} minutes' from public.tickets t where t.company_id = '${COMPANY}' and t.number between ${from} and ${to}`,
      ),
    ).flat(),
    `insert into public.ticket_comments (company_id, ticket_id, body, author_id, author_name, created_at)
      select t.company_id, t.id, 'Long talk ' || n, t.assignee_id, 'Desk', t.created_at + make_interval(secs => n)
      from public.tickets t cross join generate_series(1, ${LONG}) n where t.company_id = '${COMPANY}' and t.number = 1`,
    'create index ticket_comments_search_idx on public.ticket_comments using gin (search extensions.gin_trgm_ops)',
    ...inPieces(
      TICKETS,
      (
        from,
        to,
      ) => `insert into public.audit_log (company_id, actor_email, table_name, row_id, action, changes, at)
        select t.company_id, 'admin@desk.test', 'tickets', t.id, 'edit', '{"priority": ["low", "high"]}', t.created_at
        from public.tickets t where t.company_id = '${COMPANY}' and t.number between ${from} and ${to}`,
    ),
    ...TABLES.map((name) => `alter table public.${name} enable trigger user`),
    `reset app.quiet`,
    'analyze',
  ])
    await query(statement)
}

interface Asked {
  what: string
  ask: () => Promise<unknown>
}

/** Requests of the console, by what somebody sees. */
async function questions(place: Place, engine: Engine, role: Role): Promise<Asked[]> {
  const client: SupabaseClient = plainClient(place.url, place.key)
  const { data: session, error } = await client.auth.signInWithPassword({
    email: email(role),
    password: PASSWORD,
  })
  if (error) throw error
  const user = { id: session.user.id, companyId: COMPANY, email: email(role) }
  // As the console knows from the permission lines.
  const isLimited = (resource: string) => role === 'Standard' && resource === 'tickets'
  const context = {
    companyId: COMPANY,
    scope: { user, now: new Date(), isLimited },
    find: engine.findDefinition,
  }
  const definition = (name: string): Definition => {
    const found = engine.findDefinition(name)
    if (!found) throw new Error(`There is no resource ${name}.`)
    return found
  }
  const request = (name: string, address: string) => {
    const of = definition(name)
    const columns = engine.listFields(of, engine.listColumns(of, COMPANY, engine.findDefinition))
    const state = engine.parseListState(new URLSearchParams(address), of, engine.findDefinition)
    const asked = engine.listRequest(of, columns, state, context)
    return { page: engine.rowPage(asked.page), count: engine.rowPage(asked.count) }
  }
  const list = (name: string, address: string) => () => engine.readPage(client, request(name, address).page)
  const count = (name: string, address: string) => () => {
    const { count: page } = request(name, address)
    return engine.countRows(client, page, page.select)
  }
  const call = (name: string, args: Record<string, unknown>) => async () => {
    const { data, error: failure } = await client.rpc(name, args)
    if (failure) throw new Error(`${name}: ${failure.message}`)
    return data
  }
  const tickets = definition('tickets')
  const filter = (given: Filter, company: string | null = COMPANY) =>
    engine.matchingFilter(tickets, given, company, context.scope)
  const figures = Object.fromEntries(
    Object.entries(listOf(tickets)?.dashboard ?? {}).map(
      ([name, { filter: where, part, every, ...rest }]: [string, Figure]) => [
        name,
        {
          ...rest,
          ...(rest.show === 'series' ? { every: every ?? 'week' } : {}),
          filter: filter(where ?? {}, null),
          ...(part ? { part: filter(part, null) } : {}),
        },
      ],
    ),
  )
  const facets = (resource: string, field: string, of = filter({})) =>
    call('facet_counts', { resource, field, filter: of, q: '' })
  const columns = ['new', 'open', 'waiting', 'resolved', 'closed']
  const long = await place.query('select id from public.tickets where company_id = $1 and number = 1', [
    COMPANY,
  ])
  const id = String(long[0]?.id)
  const rare = String(TICKETS / 2).padStart(6, '0')
  const comment = String((TICKETS / 2) * EACH + 3).padStart(7, '0')
  const thread = (range: number) => async () => {
    const { data, error: failure } = await client
      .from('ticket_comments')
      .select('id,kind,body,author_id,author_name,mentions,edited_at,version,created_at')
      .eq('company_id', COMPANY)
      .eq('ticket_id', id)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .range(0, range)
    if (failure) throw new Error(failure.message)
    return data
  }
  const month = new Date().toISOString().slice(0, 7)
  const asked: Asked[] = [
    { what: 'devices: first page', ask: list('devices', '') },
    { what: 'devices: count', ask: count('devices', '') },
    { what: 'devices: search of a rare word', ask: list('devices', `q=${rare}`) },
    { what: 'devices: search of a common word', ask: list('devices', 'q=pc') },
    {
      what: 'devices: counts of a choice',
      ask: facets('devices', 'status', { company_id: { _eq: COMPANY } } as never),
    },
    { what: 'tickets: first page', ask: list('tickets', '') },
    { what: 'tickets: by due time', ask: list('tickets', 'sort=solution_due_at') },
    { what: 'tickets: view breached', ask: list('tickets', 'view=breached') },
    { what: 'tickets: count', ask: count('tickets', '') },
    { what: 'tickets: counts of a choice', ask: facets('tickets', 'priority') },
    { what: 'board: counts of its columns', ask: facets('tickets', 'status') },
    {
      what: `board: ${columns.length} columns one after the other`,
      ask: async () => {
        for (const each of columns) await list('tickets', `status=${each}`)()
      },
    },
    {
      what: 'calendar: a month',
      ask: list('tickets', `solution_due_at=${month}-01..${month}-28&sort=solution_due_at`),
    },
    {
      what: `figures: ${Object.keys(figures).length} in one request`,
      ask: call('list_figures', {
        resource: 'tickets',
        figures,
        filter: filter({}),
        q: '',
        zone: 'Europe/Istanbul',
      }),
    },
    { what: 'tickets: search of a rare word', ask: list('tickets', `q=${rare}`) },
    { what: 'tickets: a word of one comment', ask: list('tickets', `q=${comment}`) },
    { what: 'tickets: a word of all tickets', ask: list('tickets', 'q=printer') },
    { what: 'tickets: a word of all comments', ask: list('tickets', 'q=toner') },
    { what: 'tickets: a word of nothing', ask: list('tickets', 'q=qqzzxxyy') },
    { what: `a ticket of ${LONG} comments: the newest 50`, ask: thread(50) },
    { what: `a ticket of ${LONG} comments: all`, ask: thread(LONG - 1) },
    {
      what: 'a ticket: people to mention',
      ask: call('comment_people', { resource: 'tickets', record_id: id, kind: 'reply', q: 'requester' }),
    },
    { what: 'a ticket: activity', ask: call('record_activity', { resource: 'tickets', record_id: id }) },
  ]
  return role === 'Standard'
    ? asked.filter(({ what }) => !what.startsWith('devices') && !what.includes('activity'))
    : asked
}

async function timed({ what, ask }: Asked): Promise<Times & { rows: string }> {
  const samples: number[] = []
  let found: unknown
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const started = performance.now()
      found = await ask()
      if (round > 0 || ROUNDS === 1) samples.push(performance.now() - started)
    }
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`)
  }
  const rows = Array.isArray(found) ? found : (found as { rows?: unknown[] } | undefined)?.rows
  return {
    ...times(samples),
    rows: rows ? String(rows.length) : typeof found === 'number' ? String(found) : '',
  }
}

async function run(kind: string, engine: Engine): Promise<void> {
  const place = await open(kind)
  try {
    const [loaded] = await place.query('select 1 from public.companies where id = $1', [COMPANY])
    const begun = performance.now()
    if (!loaded) await fill(place)
    console.log(
      `${place.name}: ${TICKETS} tickets, ${TICKETS * EACH + LONG} comments in ${Math.round((performance.now() - begun) / 1000)} s`,
    )
    const rows = new Map<string, string[]>()
    let base = Number.NaN
    for (const [place_of_role, role] of ROLES.entries())
      for (const asked of await questions(place, engine, role)) {
        const measured = await timed(asked)
        if (asked.what === 'devices: first page') base = measured.p50
        const cells = rows.get(asked.what) ?? [asked.what, ...ROLES.map(() => '·')]
        cells[place_of_role + 1] =
          `${measured.p50.toFixed(1)} / ${measured.p95.toFixed(1)} ×${(measured.p50 / base).toFixed(1)}${measured.rows ? ` (${measured.rows})` : ''}`
        rows.set(asked.what, cells)
      }
    console.log(
      table(
        [`${place.name}: p50 / p95 in ms, × the first page of devices (rows)`, ...ROLES],
        [...rows.values()],
      ),
    )
  } finally {
    await place.stop()
  }
}

const engine = await loadEngine()
try {
  const wanted = process.argv[2]
  for (const kind of wanted ? [wanted] : ['postgres', 'pglite']) {
    const why = kind === 'postgres' ? whyNoPostgres() : null
    if (why) console.log(`Left out: ${why}.`)
    else await run(kind, engine)
  }
} finally {
  await engine.stop()
}
