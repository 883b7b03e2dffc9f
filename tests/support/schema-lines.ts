import type { Query } from '../../supabase/embedded/database/database'

const SCHEMAS = `('public'::regnamespace, 'app'::regnamespace)`
const RELATIONS = `pg_class c where c.relnamespace in ${SCHEMAS} and c.relkind in ('r', 'p', 'v', 'S')`
const NAME = `c.oid::regclass::text`

/** Privileges of an object, without those of its owner, whose name differs, and MAINTAIN, which is new in version 17. */
const privileges = (acl: string, owner: string) => `(
  select string_agg(coalesce(r.rolname, 'public') || '=' || x.privilege_type, ' ' order by r.rolname, x.privilege_type)
  from aclexplode(${acl}) x left join pg_roles r on r.oid = x.grantee where x.grantee <> ${owner} and x.privilege_type <> 'MAINTAIN')`

/** From version 16 on, a view over one table prints its columns without it. */
const VIEW = String.raw`regexp_replace(pg_get_viewdef(c.oid), '\m\w+\.(?=\w)', '', 'g')`

const QUESTIONS = [
  `select 'relation', ${NAME}, c.relkind::text, c.relrowsecurity, c.reloptions::text, obj_description(c.oid, 'pg_class'),
    case when c.relkind = 'v' then ${VIEW} end, ${privileges('c.relacl', 'c.relowner')} from ${RELATIONS}`,
  `select 'column', ${NAME}, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated::text, a.attidentity::text,
    pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum), ${privileges('a.attacl', 'c.relowner')}
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace in ${SCHEMAS} and c.relkind in ('r', 'p', 'v')`,
  // From version 18 on, NOT NULL is a constraint as well; the columns tell.
  // NOT VALID says when a constraint was added, not what it holds.
  `select 'constraint', ${NAME}, k.conname, regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', '')
  from pg_constraint k join pg_class c on c.oid = k.conrelid where k.connamespace in ${SCHEMAS} and k.contype <> 'n'`,
  `select 'index', ${NAME}, pg_get_indexdef(i.indexrelid), i.indisvalid
  from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace in ${SCHEMAS}`,
  `select 'policy', ${NAME}, p.polname, p.polcmd::text, p.polpermissive,
    array(select r.rolname::text from pg_roles r where r.oid = any (p.polroles) order by 1)::text,
    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
  from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace in ${SCHEMAS}`,
  // The embedded server adds zz_konsol_access itself.
  `select 'trigger', ${NAME}, pg_get_triggerdef(t.oid), t.tgenabled::text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and t.tgname <> 'zz_konsol_access' and (c.relnamespace in ${SCHEMAS} or t.tgname like 'konsol%')`,
  `select 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'),
    ${privileges("coalesce(p.proacl, acldefault('f', p.proowner))", 'p.proowner')}
  from pg_proc p where p.pronamespace in ${SCHEMAS}
    and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  `select 'default', coalesce(d.defaclnamespace::regnamespace::text, ''), d.defaclobjtype::text, ${privileges('d.defaclacl', 'd.defaclrole')}
  from pg_default_acl d`,
  `select 'permission line', r::text from app.policy_rule r`,
  `select 'step', s::text from app.tick_step s`,
]

/** All that makes up the schema, one line an object, so that two databases of different kinds can be compared. */
export async function schemaLines(query: Query): Promise<string[]> {
  const lines: string[] = []
  for (const question of QUESTIONS)
    for (const { line } of await query<{ line: string }>(`select q::text as line from (${question}) q`))
      lines.push(line)
  return lines.sort()
}

/** The lines that only one of two schemas has. */
export function schemaDifference(found: readonly string[], expected: readonly string[]): string[] {
  const [here, there] = [new Set(found), new Set(expected)]
  return [
    ...found.filter((line) => !there.has(line)).map((line) => `only found: ${line}`),
    ...expected.filter((line) => !here.has(line)).map((line) => `only expected: ${line}`),
  ]
}
