import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../support/backend'

/**
 * Every table × command × tenant × role × licence, straight as the API role: row-level security, grants and
 * the statement trigger together must do what app.can says, for the own company, another one, and no row.
 */
const PROBE = `
create function app.probe(claims jsonb, tbl text, rows jsonb) returns jsonb language plpgsql as $$
declare
  answers jsonb := '{}';
  keys text[] := (select array_agg(a.attname) from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = ('public.' || tbl)::regclass and i.indisprimary);
  columns text[] := (select array_agg(a.attname order by a.attnum) from pg_attribute a
    where a.attrelid = ('public.' || tbl)::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '');
  granted text[];
  target text;
  tenant record;
  command text;
  statement text;
  affected integer;
  state text;
  reason text;
begin
  perform set_config('request.jwt.claims', claims::text, true), set_config('request.jwt.claim.sub', claims ->> 'sub', true);
  for tenant in select key, value from jsonb_each(rows) loop
    select string_agg(format('t.%I = %L', k, tenant.value ->> k), ' and ') into target from unnest(keys) k;
    foreach command in array array['select', 'update', 'delete', 'insert'] loop
      select array_agg(c) into granted from unnest(columns) c
      where has_column_privilege('authenticated', 'public.' || tbl, c,
        case when command = 'delete' then 'select' else command end);
      -- Without a grant the statement names all columns, and must be refused for that.
      granted := coalesce(granted, columns);
      statement := case command
        when 'select' then format('select 1 from public.%I t where %s', tbl, target)
        when 'delete' then format('delete from public.%I t where %s', tbl, target)
        when 'update' then format('update public.%1$I t set %2$I = t.%2$I where %3$s', tbl, granted[1], target)
        else format('insert into public.%1$I (%2$s) select %2$s from jsonb_populate_record(null::public.%1$I, %3$L)', tbl,
          (select string_agg(quote_ident(g), ', ') from unnest(granted) g where tenant.value -> g <> 'null'), tenant.value)
      end;
      begin
        perform set_config('role', 'authenticated', true);
        execute statement;
        get diagnostics affected = row_count;
        raise exception using errcode = 'PT999', message = 'nothing of this stays';
      exception when others then
        get stacked diagnostics state = returned_sqlstate, reason = pg_exception_hint;
        answers := answers || jsonb_build_object(command || ' ' || tenant.key, case state
          when 'PT999' then jsonb_build_object('rows', affected)
          else jsonb_build_object('code', state, 'hint', reason) end);
      end;
    end loop;
  end loop;
  return answers;
end $$;

create function app.rights(claims jsonb, questions text[]) returns jsonb language plpgsql as $$
begin
  perform set_config('request.jwt.claims', claims::text, true), set_config('request.jwt.claim.sub', claims ->> 'sub', true);
  return jsonb_build_object('sees_all', app.sees_all(), 'why_not', (
    select jsonb_object_agg(q, app.why_not(split_part(q, ' ', 1), split_part(q, ' ', 2))) from unnest(questions) q));
end $$`

const VERB = { select: 'list', insert: 'create', update: 'edit', delete: 'delete' } as const
type Command = keyof typeof VERB
type Outcome = { rows: number } | { code: string; hint: string | null }

/** What a command asks where it is not its own table's verb. */
const ASKS: Record<string, string> = {
  'insert group_devices': 'groups edit',
  'delete group_devices': 'groups edit',
}

/** Rows that belong to a person or to everybody rather than to a company; each has a test of its own. */
const PERSONAL = ['profiles', 'user_roles', 'notifications', 'companies', 'failed_login_attempts']

describe.each(drivers())('on %s', (driver) => {
  let backend: TestBackend
  let tables: string[]
  let grants: Set<string>
  const companies = new Map<string, string>()
  let checked = 0

  const question = (command: Command, table: string) =>
    ASKS[`${command} ${table}`] ?? `${table} ${VERB[command]}`

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: true })
    await backend.sql('drop function if exists app.probe')
    for (const statement of PROBE.split(/;\n\n/)) await backend.sql(statement)
    for (const row of await backend.sql<{ id: string; name: string }>(
      'select id, name from public.companies',
    ))
      companies.set(row.name, row.id)
    await backend.sql(`update public.groups set description = 'audited' where true`)
    const listed = await backend.sql<{ name: string; grants: string[] }>(
      `select c.relname as name, array_remove(array[
       case when has_any_column_privilege('authenticated', c.oid, 'select') then 'select' end,
       case when has_any_column_privilege('authenticated', c.oid, 'insert') then 'insert' end,
       case when has_any_column_privilege('authenticated', c.oid, 'update') then 'update' end,
       case when has_table_privilege('authenticated', c.oid, 'delete') then 'delete' end], null) as grants
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
    tables = listed.map(({ name }) => name).filter((name) => !PERSONAL.includes(name))
    grants = new Set(
      listed.flatMap(({ name, grants: commands }) => commands.map((command) => `${command} ${name}`)),
    )
  })
  afterAll(async () => {
    console.log(`tables on ${driver}: ${checked} outcomes of ${tables.length} tables checked`)
    await backend.stop()
  })

  async function sample(table: string, company: string): Promise<Record<string, unknown>> {
    const [row] = await backend.sql<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from public.${table} t where company_id = $1 and $2 limit 1`.replace(
        '$2',
        // An audit row is seen by those who may list what it speaks of: one that every reader may.
        table === 'audit_log' ? `table_name = 'groups'` : 'true',
      ),
      [company],
    )
    if (!row)
      throw new Error(`the demo data has no row of ${table} in ${company}: every table must be probed`)
    return row.row
  }

  async function userId(email: string): Promise<string> {
    const [row] = await backend.sql<{ id: string }>('select id from public.profiles where email = $1', [
      email,
    ])
    if (!row) throw new Error(`no account ${email}`)
    return row.id
  }

  /** The same row with another identity. */
  function unknownRow(row: Record<string, unknown>): Record<string, unknown> {
    const keys = ['id', 'device_id', 'group_id'].filter((key) => key in row)
    return { ...row, ...Object.fromEntries(keys.map((key) => [key, crypto.randomUUID()])) }
  }

  const isConstraint = (outcome: Outcome) => 'code' in outcome && outcome.code.startsWith('23')

  function expectation(
    command: Command,
    table: string,
    tenant: string,
    reason: string | null,
    seesAll: boolean,
  ): string {
    if (!grants.has(`${command} ${table}`)) return 'denied'
    if (command === 'select')
      return reason !== null || tenant === 'none'
        ? 'nothing'
        : tenant === 'own' || seesAll
          ? 'row'
          : 'nothing'
    if (reason !== null) return `denied: ${reason}`
    if (command === 'insert') return tenant === 'own' || seesAll ? 'row' : 'denied'
    return tenant === 'none' || (tenant === 'other' && !seesAll) ? 'nothing' : 'row'
  }

  function outcomeOf(outcome: Outcome, expected: string): string {
    // A constraint speaks only after the permission has let the row pass.
    if (isConstraint(outcome)) return expected === 'row' ? 'row' : `constraint ${JSON.stringify(outcome)}`
    if ('rows' in outcome) return outcome.rows > 0 ? 'row' : 'nothing'
    if (outcome.code !== '42501') return JSON.stringify(outcome)
    return expected.startsWith('denied: ') ? `denied: ${outcome.hint}` : 'denied'
  }

  const COMMANDS: Command[] = ['select', 'insert', 'update', 'delete']

  async function checkTables(email: string): Promise<void> {
    const claims = JSON.stringify({ sub: await userId(email), role: 'authenticated' })
    const acme = companies.get('Acme') ?? ''
    const globex = companies.get('Globex') ?? ''
    const questions = tables.flatMap((table) => COMMANDS.map((command) => question(command, table)))
    const [rights] = await backend.sql<{ r: { sees_all: boolean; why_not: Record<string, string | null> } }>(
      'select app.rights($1::text::jsonb, $2) as r',
      [claims, questions],
    )
    const wrong: string[] = []
    for (const table of tables) {
      const own = await sample(table, acme)
      const rows = { own, other: await sample(table, globex), none: unknownRow(own) }
      const [probed] = await backend.sql<{ answers: Record<string, Outcome> }>(
        'select app.probe($1::text::jsonb, $2, $3::text::jsonb) as answers',
        [claims, table, JSON.stringify(rows)],
      )
      for (const command of COMMANDS)
        for (const tenant of ['own', 'other', ...(command === 'insert' ? [] : ['none'])]) {
          const reason = rights?.r.why_not[question(command, table)] ?? null
          const expected = expectation(command, table, tenant, reason, rights?.r.sees_all ?? false)
          const outcome = probed?.answers[`${command} ${tenant}`] ?? { code: 'no answer', hint: null }
          checked += 1
          const seen = outcomeOf(outcome, expected)
          if (seen !== expected)
            wrong.push(`${command} ${table} ${tenant}: expected ${expected}, saw ${seen}`)
        }
    }
    expect(wrong).toEqual([])
  }

  describe('every table does what app.can says', () => {
    const people = ['super@demo.test', 'admin@acme.test', 'teknik@acme.test', 'standard@acme.test']

    it.each(people)('%s, licence running', (email) => checkTables(email))

    it.each(people)('%s, licence ended', async (email) => {
      await backend.sql(`update public.companies set license_end_date = now() where name = 'Acme'`)
      try {
        await checkTables(email)
      } finally {
        await backend.sql(`update public.companies set license_end_date = null where name = 'Acme'`)
      }
    })

    it('an account without a role', async () => {
      const id = await userId('standard@acme.test')
      const [row] = await backend.sql<{ row: unknown }>(
        'delete from public.user_roles r where user_id = $1 returning to_jsonb(r) as row',
        [id],
      )
      await checkTables('standard@acme.test')
      await backend.sql(
        'insert into public.user_roles select (jsonb_populate_record(null::public.user_roles, $1::text::jsonb)).*',
        [JSON.stringify(row?.row)],
      )
    })
  })
})
