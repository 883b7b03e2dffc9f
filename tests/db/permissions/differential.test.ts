import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Enforcer, FunctionMap, newEnforcerWithClass, newModelFromString, StringAdapter } from 'casbin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPolicy } from '@/access/policy'
import { resolvePolicy } from '@/access/resolve-policy'
import type { Definition } from '@/resource/language/definition.generated'
import { meetsRowRule } from '@/resource/request/filter/row-rules'
import { parseLines, readPolicies, rolesOf } from '../../../scripts/policies/lines'
import { readMigrations, readVocabulary } from '../../../scripts/policies/vocabulary'
import { createAccount, createCompany, type License } from '../../support/accounts'
import { policiesOf } from '../../support/added-roles'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { asUser } from '../support/as-user'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const words = readVocabulary(root)
// Names that no line mentions, and those that mean something in a line, must fare alike on all sides too.
const OBJECTS = [...words.objects, 'no_such_object', 'device', '*', '']
const VERBS = [...words.verbs, 'frobnicate', 'lis', 'write', '*', '']

const LICENSES: Record<string, License & { holds: string[] }> = {
  'without end': { holds: [] },
  'running long': { endsIn: '1 year', holds: [] },
  expiring: { endsIn: '12 days', holds: [] },
  'in its last minute': { endsIn: '1 minute', holds: [] },
  'expired by date': { endsIn: '-1 second', holds: ['read-only', 'without-pro'] },
  Expired: { status: 'Expired', endsIn: '1 year', holds: ['read-only', 'without-pro'] },
  Suspended: { status: 'Suspended', endsIn: '1 year', holds: ['read-only', 'without-pro'] },
  Basic: { licenseType: 'Basic', endsIn: '1 year', holds: ['without-pro'] },
  'Basic, expired by date': {
    licenseType: 'Basic',
    endsIn: '-1 second',
    holds: ['read-only', 'without-pro'],
  },
}

/**
 * Roles that policies/ does not have: one inherits two others and denies what one of them allows; one has row rules for some
 * verbs, and one inherits a rule and adds a line for all rows.
 */
const ADDED = `
g, Field Auditor, Teknik
g, Field Auditor, read-only
p, Field Auditor, security_log, list, allow
p, Field Auditor, tickets, list, deny
p, Field Auditor, groups, edit, allow`
const RULED = {
  'row-clerk.csv': `
p, Row Clerk, tickets, list, allow, own
p, Row Clerk, tickets, edit, allow
p, Row Clerk, tickets, delete, allow, own
p, Row Clerk, tickets, assign, allow, own`,
  'front-desk.csv': `
g, Front Desk, Standard
p, Front Desk, tickets, list, allow`,
}

const LINES = [
  ...readPolicies(root),
  ...parseLines('field-auditor.csv', ADDED),
  ...Object.entries(RULED).flatMap(([file, text]) => parseLines(file, text)),
]
/** The roles that belong to a company. */
const ROLES = rolesOf(LINES).filter((role) => role !== 'Super Admin')

/** Casbin copies its functions for every line it looks at; casbin-model.conf calls none of them. */
class PlainEnforcer extends Enforcer {
  override fm = new FunctionMap()
}

/** The lines of policies/, evaluated by Casbin itself: the reference for the other two. */
async function reference(): Promise<Enforcer> {
  const folder = join(root, 'policies')
  const files = readdirSync(folder).filter((file) => file.endsWith('.csv'))
  const text = [
    ...files.map((file) => readFileSync(join(folder, file), 'utf8')),
    ADDED,
    ...Object.values(RULED),
  ].join('\n')
  const model = newModelFromString(readFileSync(join(root, 'casbin-model.conf'), 'utf8'))
  return newEnforcerWithClass(PlainEnforcer, model, new StringAdapter(text))
}

type Question = readonly [object: string, verb: string]

const known = new Map<string, Map<string, string>>()

const answered = new Map<string, Map<string, boolean>>()

/** The browser's maps by all that they are made of: what was resolved from the same lines is not resolved again. */
const maps = new Map<string, ReturnType<typeof resolvePolicy>>()
function mapOf({ roles, lines }: ReturnType<typeof readPolicy>): ReturnType<typeof resolvePolicy> {
  const key = JSON.stringify([roles, lines])
  const map = maps.get(key) ?? resolvePolicy({ roles, lines })
  maps.set(key, map)
  return map
}

/** Casbin's answers to a user with just these roles, each question asked once. */
async function askerOf(enforcer: Enforcer, roles: string[]): Promise<(question: Question) => boolean> {
  const name = `holder of ${roles.join(', ')}`
  const answers = answered.get(name) ?? new Map<string, boolean>()
  if (!answered.has(name)) {
    answered.set(name, answers)
    for (const role of roles) await enforcer.addGroupingPolicy(name, role)
  }
  return ([object, verb]) => {
    const question = pair(object, verb)
    const answer = answers.get(question) ?? enforcer.enforceSync(name, object, verb)
    answers.set(question, answer)
    return answer
  }
}

/** `allow`, or the reason: the role's, else that of the first license role that takes it away. */
async function expectedOf(enforcer: Enforcer, role: string, holds: string[]): Promise<Map<string, string>> {
  const key = [role, ...holds].join('+')
  const seen = known.get(key)
  if (seen) return seen
  const askers = [{ reason: 'role', may: await askerOf(enforcer, [role]) }]
  for (const [index, reason] of holds.entries())
    askers.push({ reason, may: await askerOf(enforcer, [role, ...holds.slice(0, index + 1)]) })
  const verdicts = new Map<string, string>()
  for (const question of ALL) {
    const refused = askers.find(({ may }) => !may(question))
    verdicts.set(pair(...question), refused?.reason ?? 'allow')
  }
  known.set(key, verdicts)
  return verdicts
}

const EVERYTHING = OBJECTS.flatMap((object) => VERBS.map((verb): Question => [object, verb]))
/** Each object with a verb of either class, and each verb with objects of every kind of line. */
const SAMPLE = EVERYTHING.filter(
  ([object, verb]) =>
    ['list', 'edit'].includes(verb) || ['devices', 'patches', 'no_such_object'].includes(object),
)

const pair = (object = '', verb = '') => `${object} ${verb}`
/** The pairs that a line or a function of the database names. */
const NAMED = new Set([
  ...LINES.map(({ cells: [, , object, verb] }) => pair(object, verb)),
  ...readMigrations(root).flatMap(({ sql }) =>
    [...sql.matchAll(/app\.(?:can|require|why_not)\('([^']+)',\s*'([^']+)'/g)].map(([, object, verb]) =>
      pair(object, verb),
    ),
  ),
])
/** Each line's pairs, and each object with every verb that means something by itself. */
const NARROW = EVERYTHING.filter(
  (question) =>
    SAMPLE.includes(question) ||
    NAMED.has(pair(...question)) ||
    ['show', 'export', 'create', 'delete', 'frobnicate', 'lis', 'write', '*', ''].includes(question[1]),
)
/** The questions to an account whose roles another one had: each object with a verb of either class. */
const REPEATED = SAMPLE.filter(([, verb]) => ['list', 'edit'].includes(verb))
const isThorough = process.env.THOROUGH === '1'
const ALL = isThorough ? EVERYTHING : NARROW

interface Answer {
  policy: unknown
  /** `object verb` → what app.can and app.why_not say. */
  verdicts: Record<string, { can: boolean; why_not: string | null }>
}

describe.each(drivers())('on %s', (driver) => {
  let backend: TestBackend
  let enforcer: Enforcer
  let compared = 0
  const askedInFull = new Set<string>()

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    await policiesOf(backend)({ 'field-auditor.csv': ADDED, ...RULED })
    enforcer = await reference()
    // All questions of a user in one statement; the claims are as local as the API sets them.
    await backend.sql(`
    create function app.ask_as(claims jsonb, questions jsonb) returns jsonb language plpgsql as $$
    begin
      perform set_config('request.jwt.claims', claims::text, true),
        set_config('request.jwt.claim.sub', claims ->> 'sub', true);
      return jsonb_build_object('policy', public.my_policy(), 'verdicts', (
        select jsonb_object_agg(o || ' ' || v, jsonb_build_object('can', app.can(o, v), 'why_not', app.why_not(o, v)))
        from (select q ->> 0, q ->> 1 from jsonb_array_elements(questions) q) asked(o, v)));
    end $$`)
    // Whether each verb covers each row, asked with the claims of the user and past row-level security.
    await backend.sql(`
    create function app.ask_rows(claims jsonb, ids uuid[], verbs text[]) returns jsonb language plpgsql as $$
    begin
      perform set_config('request.jwt.claims', claims::text, true),
        set_config('request.jwt.claim.sub', claims ->> 'sub', true);
      return jsonb_build_object('policy', public.my_policy(), 'rows', (
        select jsonb_object_agg(t.id || ' ' || v, app.tickets_covers(t, v))
        from public.tickets t cross join unnest(verbs) v where t.id = any (ids)));
    end $$`)
  })
  afterAll(async () => {
    console.log(`differential on ${driver}: ${compared} verdicts compared, each on three sides`)
    await backend.stop()
  })

  /**
   * Both functions read nothing of an account but the roles it holds, which is asked of every account: of several
   * with the same roles, only the first is asked everything.
   */
  function questionsOf(held: readonly string[]): readonly Question[] {
    const key = held.join('+')
    if (askedInFull.has(key) && !isThorough) return REPEATED
    askedInFull.add(key)
    return ALL
  }

  async function ask(claims: Record<string, unknown>, questions: readonly Question[]): Promise<Answer> {
    const [row] = await backend.sql<{ answer: Answer }>(
      'select app.ask_as($1::text::jsonb, $2::text::jsonb) as answer',
      [JSON.stringify(claims), JSON.stringify(questions)],
    )
    if (!row) throw new Error('no answer')
    return row.answer
  }

  async function compare(
    claims: Record<string, unknown>,
    held: readonly string[],
    expected: Map<string, string>,
  ): Promise<Answer> {
    const questions = questionsOf(held)
    const answer = await ask(claims, questions)
    const policy = readPolicy(answer.policy)
    expect(policy.roles).toEqual(held)
    const map = await mapOf(policy)
    const wrong: Record<string, unknown>[] = []
    for (const [object, verb] of questions) {
      const question = pair(object, verb)
      const database = answer.verdicts[question]
      const seen = map.can(object, verb)
      const sides = {
        casbin: expected.get(question),
        can: database?.can ? 'allow' : 'refuse',
        whyNot: database?.why_not ?? 'allow',
        browser: seen.allowed ? 'allow' : seen.reason,
      }
      compared += 1
      const agrees =
        sides.whyNot === sides.casbin &&
        sides.browser === sides.casbin &&
        (sides.can === 'allow') === (sides.casbin === 'allow')
      if (!agrees) wrong.push({ question, ...sides })
    }
    expect(wrong).toEqual([])
    return answer
  }

  describe('database and browser cover the same rows', () => {
    const tickets = JSON.parse(readFileSync(join(root, 'resources/tickets.json'), 'utf8')) as Definition
    const verbs = ['list', 'show', 'create', 'edit', 'delete', 'export', 'assign']

    it.each([...ROLES, 'Super Admin'])('%s', async (role) => {
      const company = await createCompany(backend)
      const other = await createAccount(backend, 'Standard', company)
      const me = await createAccount(backend, role, role === 'Super Admin' ? null : company)
      const add = async (requester: string | null) => {
        const [row] = await backend.sql<{ id: string }>(
          `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Row', $2) returning id`,
          [company, requester],
        )
        return row?.id ?? ''
      }
      const sample = [
        { id: await add(me.id), requester_id: me.id, watchers: [] as string[] },
        { id: await add(other.id), requester_id: other.id, watchers: [] },
        { id: await add(null), requester_id: null, watchers: [other.id] },
        { id: await add(other.id), requester_id: other.id, watchers: [other.id, me.id] },
      ]
      for (const { id, watchers } of sample)
        for (const watcher of watchers)
          await backend.sql(
            'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
            [company, id, watcher],
          )
      const [row] = await backend.sql<{ answer: { policy: unknown; rows: Record<string, boolean> } }>(
        'select app.ask_rows($1::text::jsonb, $2::uuid[], $3::text[]) as answer',
        [JSON.stringify({ sub: me.id }), sample.map(({ id }) => id), verbs],
      )
      const map = await mapOf(readPolicy(row?.answer.policy))
      const as = await asUser(backend)
      const listed = await as(me.id, `select id from public.tickets where company_id = '${company}'`)
      const wrong: unknown[] = []
      for (const { id, requester_id, watchers } of sample) {
        const record = { requester_id, watchers_row: watchers.map((user_id) => ({ user_id })) }
        for (const verb of verbs) {
          const rules = map.rules('tickets', verb)
          const isCovered =
            rules === null || rules.some((rule) => meetsRowRule(tickets, rule, record, me.id) === true)
          const browser = map.can('tickets', verb).allowed && isCovered
          const database = row?.answer.rows[`${id} ${verb}`]
          compared += 1
          if (browser !== database) wrong.push({ verb, record, browser, database })
          const isListed = (listed.data ?? []).some((each) => Reflect.get(Object(each), 'id') === id)
          if (verb === 'list' && isListed !== browser) wrong.push({ verb, record, browser, isListed })
        }
      }
      expect(wrong).toEqual([])
    })

    it.each([...ROLES, 'Super Admin'])('in the trash: %s', async (role) => {
      const company = await createCompany(backend)
      const other = await createAccount(backend, 'Standard', company)
      const stranger = await createAccount(backend, 'Admin', await createCompany(backend))
      const me = await createAccount(backend, role, role === 'Super Admin' ? null : company)
      const sample: { id: string; requester_id: string | null; watchers: string[] }[] = []
      for (const [requester_id, watchers] of [
        [me.id, []],
        [other.id, []],
        [null, [other.id]],
        [other.id, [other.id, me.id]],
      ] as const) {
        const [row] = await backend.sql<{ id: string }>(
          `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Trashed', $2) returning id`,
          [company, requester_id],
        )
        const id = row?.id ?? ''
        sample.push({ id, requester_id, watchers: [...watchers] })
        for (const watcher of watchers)
          await backend.sql(
            'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
            [company, id, watcher],
          )
      }
      // As a deletion does: it marks the row.
      await backend.sql('delete from public.tickets where company_id = $1', [company])
      expect(
        await backend.sql('select 1 from public.tickets where company_id = $1 and deleted_at is not null', [
          company,
        ]),
      ).toHaveLength(sample.length)
      const ids = `array['${sample.map(({ id }) => id).join("','")}']::uuid[]`
      const [row] = await backend.sql<{ answer: { policy: unknown } }>(
        'select app.ask_rows($1::text::jsonb, $2::uuid[], $3::text[]) as answer',
        [JSON.stringify({ sub: me.id }), [], []],
      )
      const map = await mapOf(readPolicy(row?.answer.policy))
      const as = await asUser(backend)
      const idsOf = async (who: string, statement: string) => {
        const { data, code } = await as(who, statement)
        // Whoever may delete nothing is told so; everybody else is told of the rows of others as of none.
        expect([undefined, '42501']).toContain(code)
        return new Set((data ?? []).map((each) => String(Reflect.get(Object(each), 'id'))))
      }
      const statements = {
        seen: `select id from public.trash('tickets', null, '{}', ${ids})`,
        restored: `select id from public.restore_records('tickets', ${ids}) where outcome = 'changed'`,
        purged: `select id from public.purge_records('tickets', ${ids}) where outcome = 'deleted'`,
        listed: `select id from public.tickets where id = any (${ids})`,
        edited: `update public.tickets set subject = 'Changed' where id = any (${ids}) returning id`,
        deleted: `select id from public.bulk_delete('tickets', ${ids}) where outcome = 'deleted'`,
      }
      const found = new Map<string, Set<string>>()
      for (const [name, statement] of Object.entries(statements)) {
        found.set(name, await idsOf(me.id, statement))
        expect([name, [...(await idsOf(stranger.id, statement))]]).toEqual([name, []])
      }
      const covers = (verb: string, record: Record<string, unknown>) => {
        const rules = map.rules('tickets', verb)
        return (
          map.can('tickets', verb).allowed &&
          (rules === null || rules.some((rule) => meetsRowRule(tickets, rule, record, me.id) === true))
        )
      }
      const wrong: unknown[] = []
      for (const { id, requester_id, watchers } of sample) {
        const record = { requester_id, watchers_row: watchers.map((user_id) => ({ user_id })) }
        // A record in the trash is that of whoever might read and delete it if it were alive, and of nobody else.
        const isTheirs = covers('list', record) && covers('delete', record)
        for (const name of ['seen', 'restored', 'purged', 'listed', 'edited', 'deleted']) {
          const browser = ['seen', 'restored', 'purged'].includes(name) && isTheirs
          const database = found.get(name)?.has(id)
          compared += 1
          if (browser !== database) wrong.push({ name, record, browser, database })
        }
      }
      expect(wrong).toEqual([])
    })
  })

  describe('database, Casbin and browser give the same verdict and reason', () => {
    it('Super Admin, who holds no license role', async () => {
      const { id } = await createAccount(backend, 'Super Admin', null)
      await compare({ sub: id }, ['Super Admin'], await expectedOf(enforcer, 'Super Admin', []))
    })

    describe.each(ROLES)('%s', (role) => {
      it.each(Object.entries(LICENSES))('license %s', async (_state, { holds, ...license }) => {
        const { id } = await createAccount(backend, role, await createCompany(backend, license))
        await compare({ sub: id }, [role, ...holds], await expectedOf(enforcer, role, holds))
      })
    })

    it('asked about every outcome there is', () => {
      const outcomes = new Set([...known.values()].flatMap((verdicts) => [...verdicts.values()]))
      expect([...outcomes].sort()).toEqual(['allow', 'read-only', 'role', 'without-pro'])
    })

    it.each([
      ['without a role row', async () => ({ sub: (await createAccount(backend, null, null)).id })],
      ['with an unknown account', async () => ({ sub: '00000000-0000-4000-8000-000000000000' })],
      ['anonymous', async () => ({ role: 'anon' })],
      [
        'banned',
        async () => {
          const { id } = await createAccount(backend, 'Super Admin', null)
          await backend.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [
            id,
          ])
          return { sub: id }
        },
      ],
      [
        'deleted',
        async () => {
          const { id } = await createAccount(backend, 'Super Admin', null)
          await backend.sql('update auth.users set deleted_at = now() where id = $1', [id])
          return { sub: id }
        },
      ],
      [
        'whose session was ended',
        async () => {
          const { id } = await createAccount(backend, 'Super Admin', null)
          return { sub: id, session_id: '00000000-0000-4000-8000-000000000000' }
        },
      ],
    ])('nobody may anything: %s', async (_who, claims) => {
      const nothing = new Map(ALL.map((question) => [pair(...question), 'role']))
      const answer = await compare(await claims(), [], nothing)
      expect(answer.policy).toMatchObject({ role: null, companyId: null, roles: [], lines: [] })
    })
  })
})
