import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patternProblem } from '@/resource/language/inspect/pattern'
import { tableOf } from '@/resource/language/naming'
import { renderTypes } from '../../../scripts/database-types/render'
import { openView } from '../../../scripts/resource/check-database'
import { definitionsOf, readDefinitions } from '../../../scripts/resource/tree'
import { readCatalog } from '../../../supabase/embedded/catalog'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Everything that nobody signed in may do. Anything else is a mistake. */
const ANONYMOUS = {
  columns: ['user_email', 'ip_address', 'user_agent', 'failure_reason'].map(
    (column) => `INSERT failed_login_attempts.${column}`,
  ),
  functions: ['agent_check_in', 'agent_enroll', 'agent_report'],
}

/** Resources of everybody, with the tables between that belong to them. */
const PLATFORM = definitionsOf(readDefinitions(root))
  .filter(({ tenant }) => tenant === false)
  .flatMap((definition) => [
    tableOf(definition),
    ...Object.values(definition.fields).flatMap((field) =>
      field.type === 'many-to-many' ? [field.through] : [],
    ),
  ])

/** Tables of everybody, of a user, or that outlive their company: the tenant rules do not fit them. */
const NOT_TENANT = [
  ...PLATFORM,
  'companies',
  'profiles',
  'user_roles',
  'failed_login_attempts',
  'audit_log',
  'security_log',
  'notifications',
  // Mail to an address of no company has no company.
  'inbound_mails',
  'apps',
  'saved_views',
  'list_preferences',
]

/** Writable without asking a policy line: a user's own data, and what the sign-in page reports. */
const WITHOUT_PERMISSION_TRIGGER = [
  'profiles',
  'notifications',
  'failed_login_attempts',
  'saved_views',
  'list_preferences',
  // The rights on the record decide.
  'files',
]

/** Plain SQL without SET, so that the planner can unfold them. Every name inside is qualified. */
const UNFOLDED = '^(search|hidden)_'

const names = <T extends Record<string, unknown>>(rows: T[]): string[] =>
  rows.map((row) => Object.values(row).join(' '))

const PUBLIC_TABLES = `pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`
const OUR_FUNCTIONS = `pg_proc p where p.pronamespace in ('public'::regnamespace, 'app'::regnamespace)
  and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`

describe.each(drivers('roles'))('the catalog on %s', (driver) => {
  let backend: TestBackend
  const find = async (sql: string) => names(await backend.sql(sql))

  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())

  it('has row-level security on every table, private ones too', async () => {
    expect(
      await find(`select c.oid::regclass from pg_class c where not c.relrowsecurity and c.relkind in ('r', 'p')
                  and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)`),
    ).toEqual([])
  })

  it('has no view that reads its tables as its owner', async () => {
    const open = async () =>
      (await readCatalog(backend.sql)).tables.filter((table) => openView(table)).map(({ name }) => name)
    expect(await open()).toEqual([])
    await backend.sql('create view public.every_group as select * from public.groups')
    try {
      expect(await open()).toEqual(['every_group'])
      await backend.sql('alter view public.every_group set (security_invoker = on)')
      expect(await open()).toEqual([])
    } finally {
      await backend.sql('drop view public.every_group')
    }
  })

  it('has a comment on every table and function', async () => {
    expect(
      await find(`select c.oid::regclass from pg_class c where c.relkind in ('r', 'p', 'v')
                  and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace) and obj_description(c.oid, 'pg_class') is null`),
    ).toEqual([])
    expect(
      await find(
        `select p.oid::regprocedure from ${OUR_FUNCTIONS} and obj_description(p.oid, 'pg_proc') is null`,
      ),
    ).toEqual([])
  })

  it('has a policy for every command that is granted, and grants nothing that has none', async () => {
    const commands = `(values ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) as k (verb, command)`
    const roles = `(values ('anon'), ('authenticated')) as r (role)`
    const granted = `case when k.verb = 'DELETE' then has_table_privilege(r.role, c.oid, k.verb)
      else has_any_column_privilege(r.role, c.oid, k.verb) end`
    // A restrictive policy opens nothing.
    const policed = `exists (select 1 from pg_policy y where y.polrelid = c.oid and y.polcmd::text = k.command and y.polpermissive
      and r.role::regrole = any (y.polroles))`
    expect(
      await find(`select c.relname, r.role, k.verb from ${commands} cross join ${roles}, ${PUBLIC_TABLES}
                  and (${granted}) <> (${policed})`),
    ).toEqual([])
  })

  it('has no policy that is always true, and checks updates before and after', async () => {
    expect(
      await find(`select y.polname from pg_policy y
                  where 'true' in (pg_get_expr(y.polqual, y.polrelid), pg_get_expr(y.polwithcheck, y.polrelid))
                     or y.polcmd = '*' or (y.polcmd = 'w' and (y.polqual is null or y.polwithcheck is null))`),
    ).toEqual([])
  })

  it('names policies by table, command and who', async () => {
    expect(
      await find(`select y.polname from pg_policy y join pg_class c on c.oid = y.polrelid
                  where c.relnamespace = 'public'::regnamespace and y.polname !~ ('^' || c.relname || '_'
                    || case y.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' else 'delete' end || '_[a-z]+$')`),
    ).toEqual([])
  })

  it('asks the permission once a statement, never once a row', async () => {
    const calls = await backend.sql<{ name: string; text: string }>(
      `select y.polname as name, concat_ws(' ', pg_get_expr(y.polqual, y.polrelid), pg_get_expr(y.polwithcheck, y.polrelid)) as text
       from pg_policy y join pg_class c on c.oid = y.polrelid where c.relnamespace = 'public'::regnamespace`,
    )
    const bare = calls.filter(({ text }) => {
      const wrapped = text.match(/SELECT (\(?app|auth)\.\w+\(/g)?.length ?? 0
      // The audit log asks this of rows of tables that the caller may list in part, and of no others.
      const perRow = text.match(/AND app\.sees_audited\(/g)?.length ?? 0
      return (text.match(/\b(app|auth)\.\w+\(/g)?.length ?? 0) !== wrapped + perRow
    })
    expect(bare).toEqual([])
  })

  it('keeps every tenant table in its company: column, key, index', async () => {
    const tenant = `${PUBLIC_TABLES} and c.relname <> all (array['${NOT_TENANT.join("', '")}'])`
    const company = `(select a.attnum from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and a.attnotnull)`
    const id = `(select a.attnum from pg_attribute a where a.attrelid = c.oid and a.attname = 'id')`
    expect(await find(`select c.relname from ${tenant} and ${company} is null`)).toEqual([])
    expect(
      await find(`select c.relname from ${tenant} and not exists (
        select 1 from pg_index i where i.indrelid = c.oid and i.indkey[0] = ${company} and i.indpred is null)`),
    ).toEqual([])
    expect(
      await find(`select c.relname from ${tenant} and ${id} is not null and not exists (
        select 1 from pg_constraint k where k.conrelid = c.oid and k.contype in ('u', 'p') and k.conkey = array[${company}, ${id}])`),
    ).toEqual([])
  })

  it('never lets a reference cross companies', async () => {
    const hasCompany = (relation: string) =>
      `exists (select 1 from pg_attribute a where a.attrelid = ${relation} and a.attname = 'company_id' and a.attnotnull)`
    const carries = (relation: string, key: string) =>
      `exists (select 1 from pg_attribute a where a.attrelid = ${relation} and a.attname = 'company_id' and a.attnum = any (${key}))`
    expect(
      await find(`select k.conrelid::regclass, k.conname from pg_constraint k
                  where k.contype = 'f' and ${hasCompany('k.confrelid')} and ${hasCompany('k.conrelid')}
                    and not (${carries('k.conrelid', 'k.conkey')} and ${carries('k.confrelid', 'k.confkey')})`),
    ).toEqual([])
  })

  it('has an index for every reference, so that deleting one row reads no table', async () => {
    expect(
      await find(`select k.conrelid::regclass, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
                  where k.contype = 'f' and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
                    and not exists (select 1 from pg_index i where i.indrelid = k.conrelid
                      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)`),
    ).toEqual([])
  })

  it('answers a denied write itself on every table that can be written', async () => {
    expect(
      await find(`select c.relname from ${PUBLIC_TABLES}
                  and c.relname <> all (array['${WITHOUT_PERMISSION_TRIGGER.join("', '")}'])
                  and (has_any_column_privilege('authenticated', c.oid, 'INSERT') or has_any_column_privilege('authenticated', c.oid, 'UPDATE')
                    or has_table_privilege('authenticated', c.oid, 'DELETE'))
                  and not exists (select 1 from pg_trigger t join pg_proc p on p.oid = t.tgfoid
                    where t.tgrelid = c.oid and p.proname in ('require_permission', 'require_edit', 'require_comment'))`),
    ).toEqual([])
  })

  it('never moves a row to another company', async () => {
    expect(
      await find(`select c.relname from ${PUBLIC_TABLES} and c.relname <> all (array['${NOT_TENANT.join("', '")}'])
                  and has_any_column_privilege('authenticated', c.oid, 'UPDATE')
                  and not exists (select 1 from pg_trigger t join pg_proc p on p.oid = t.tgfoid
                    where t.tgrelid = c.oid and p.proname = 'immutable_tenant')`),
    ).toEqual([])
  })

  it('lets no client choose an id: a collision would tell that it exists in another company', async () => {
    expect(
      await find(`select c.relname from ${PUBLIC_TABLES} and exists (select 1 from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'id' and has_column_privilege('authenticated', c.oid, a.attnum, 'INSERT'))`),
    ).toEqual([])
  })

  it('opens to the anonymous what is listed and nothing else', async () => {
    const tables = await find(
      `select k.verb, c.relname from (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE'), ('REFERENCES'), ('TRIGGER')) as k (verb),
       pg_class c where c.relnamespace in ('public'::regnamespace, 'app'::regnamespace) and c.relkind in ('r', 'p', 'v', 'S')
       and case when c.relkind = 'S' then false else has_table_privilege('anon', c.oid, k.verb) end`,
    )
    const columns = await find(
      `select k.verb, c.relname || '.' || a.attname from (values ('SELECT'), ('INSERT'), ('UPDATE')) as k (verb),
       pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace in ('public'::regnamespace, 'app'::regnamespace) and c.relkind in ('r', 'p', 'v')
       and has_column_privilege('anon', c.oid, a.attnum, k.verb)`,
    )
    const functions = await find(
      `select p.proname from ${OUR_FUNCTIONS} and p.pronamespace = 'public'::regnamespace and has_function_privilege('anon', p.oid, 'EXECUTE')`,
    )
    expect(tables).toEqual([])
    expect(columns.sort()).toEqual([...ANONYMOUS.columns].sort())
    expect(functions.sort()).toEqual(ANONYMOUS.functions)
  })

  it('lets API roles into no private table', async () => {
    expect(
      await find(`select c.relname, r.role from (values ('anon'), ('authenticated')) as r (role), pg_class c
                  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p')
                  and has_table_privilege(r.role, c.oid, 'SELECT, INSERT, UPDATE, DELETE')`),
    ).toEqual([])
  })

  it('lets nobody execute a function unless it is granted by name', async () => {
    expect(
      await find(`select p.oid::regprocedure from ${OUR_FUNCTIONS}
                  and exists (select 1 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                    where x.grantee = 0 and x.privilege_type = 'EXECUTE')`),
    ).toEqual([])
  })

  it('has a function for every step of the tick, and lets its owner alone write them', async () => {
    expect(
      await find(`select s.name from app.tick_step s where not exists (select 1 from pg_proc p
        where p.pronamespace = 'app'::regnamespace and p.proname = s.function and p.pronargs = p.pronargdefaults
          and p.prorettype = 'integer'::regtype)`),
    ).toEqual([])
    expect(await find('select s.name from app.tick_step s order by s.position')).toContain('retention')
    expect(
      await find(`select r.role from (values ('anon'), ('authenticated'), ('service_role')) as r (role)
                  where has_table_privilege(r.role, 'app.tick_step', 'SELECT, INSERT, UPDATE, DELETE')`),
    ).toEqual([])
  })

  it('pins what names mean inside every function', async () => {
    expect(
      await find(`select p.oid::regprocedure from ${OUR_FUNCTIONS} and p.prosqlbody is null
                  and not (p.pronamespace = 'public'::regnamespace and p.proname ~ '${UNFOLDED}')
                  and not coalesce(p.proconfig, '{}') @> array['search_path=""']`),
    ).toEqual([])
  })

  it('has no body that PostgreSQL keeps parsed and that takes a row of a table, which could then get no new column', async () => {
    const takers = await backend.sql(
      `select distinct p.oid::regprocedure::text as function, t.oid::regtype::text as row
       from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.refclassid = 'pg_type'::regclass
       join pg_type t on t.oid = d.refobjid join pg_class c on c.oid = t.typrelid and c.relkind in ('r', 'p')
       where p.prosqlbody is not null and p.pronamespace::regnamespace::text in ('app', 'public')`,
    )
    expect(takers).toEqual([])
  })

  it('changes and deletes nothing without saying which rows', async () => {
    const sources = await backend.sql<{ name: string; source: string }>(
      `select p.proname as name, p.prosrc as source from ${OUR_FUNCTIONS}`,
    )
    const careless = sources.flatMap(({ name, source }) =>
      source
        .replace(/--.*$/gm, '')
        .split(';')
        .filter((statement) => /\b(update|delete from)\s+(public|app|auth)\./i.test(statement))
        .filter((statement) => !/\bwhere\b/i.test(statement) && !/on conflict/i.test(statement))
        .map(() => name),
    )
    expect(careless).toEqual([])
  })

  it('reads a pattern as the browser does, or the linter refuses it', async () => {
    const samples = ['ab', 'aB1', 'é', 'ş', 'PRN-12', '12', '123456', 'x PRN', 'Ab', '']
    const patterns = [
      '^[A-Z]{2,3}-\\d+$',
      '(?<=PRN-)\\d+',
      '^(?=.*\\d)[A-Za-z\\d]{3}$',
      '^\\d{2}$|^\\d{6}$',
      '^[^\\s]+$',
      '^(?:a|x).*$',
      '^\\p{L}+$',
      '^(?<year>\\d{4})$',
      '\\bPRN\\b',
      '^.{0,300}$',
      '^[[.]$',
      '^\\u{61}b$',
      '^\\x41b$',
    ]
    const differing: string[] = []
    for (const pattern of patterns) {
      const told = await backend
        .sql<{ fits: boolean }>('select sample ~ $1 as fits from unnest($2::text[]) sample', [
          pattern,
          samples,
        ])
        .catch(() => [])
      const expression = new RegExp(pattern, 'u')
      if (!samples.every((sample, index) => told[index]?.fits === expression.test(sample)))
        differing.push(pattern)
    }
    expect(differing).toEqual(patterns.filter((pattern) => patternProblem(pattern) !== null))
    expect(differing).toHaveLength(7)
  })

  it('counts every column that people edit for the lock of a record', async () => {
    const rows = await backend.sql<{ missed: string }>(
      `select c.relname || '.' || a.attname as missed
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where t.tgname = c.relname || '_touch' and t.tgnargs > 0
         and has_column_privilege('authenticated', c.oid, a.attnum, 'update')
         and strpos(pg_get_triggerdef(t.oid), quote_literal(a.attname)) = 0
       order by 1`,
    )
    expect(rows.map(({ missed }) => missed)).toEqual([])
  })

  it('logs of a row what people do: a column that a machine writes is left out', async () => {
    const rows = await backend.sql<{ name: string; columns: string[] }>(
      `with triggers as (
         select c.oid, c.relname::text as name, t.tgname = c.relname || '_touch' as counts,
           string_to_array(replace(encode(t.tgargs, 'escape'), '\\000', ','), ',') as columns
         from pg_trigger t join pg_class c on c.oid = t.tgrelid
         where t.tgname in (c.relname || '_touch', c.relname || '_audit_update'))
       select t.name, array_agg(a.attname::text order by a.attname) as columns
       from triggers t join triggers l on l.oid = t.oid and not l.counts
         join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       where t.counts and t.columns[1] <> '' and a.attname <> all (t.columns || l.columns)
         and a.attname not in ('company_id', 'created_by', 'created_at', 'updated_at', 'version', 'search')
       group by t.name order by t.name`,
    )
    // Neither counted nor left out: written once, or by what a person decides.
    expect(Object.fromEntries(rows.map(({ name, columns }) => [name, columns.join(' ')]))).toEqual({
      automations: 'set_by',
      devices:
        'agent_update_reason agent_update_state agent_update_version clone_suspected enrolled_at enrollment_token_id machine_id maintenance_note maintenance_until platform',
      enrollment_requests:
        'agent_version decided_at decided_by group_id hostname ip_address machine_id platform token_id',
      enrollment_tokens: 'expires_at group_id hint max_uses requires_approval',
      monitors: 'set_by',
      patches: 'reported_by',
      scheduled_tasks: 'set_by',
      tickets:
        'alert_id alert_message alert_note alert_resolved_at assignment_note deleted_at deleted_by deleted_name first_responded_at merged_into_id number parent_id rated_at rating rating_note repair_name repair_run_id requester_email resolved_at',
    })
  })

  it('is what the generated types say', async () => {
    const file = readFileSync(join(root, 'src/data/database.types.ts'), 'utf8')
    expect(await renderTypes(backend.sql), 'run npm run types').toBe(file)
  })
})
