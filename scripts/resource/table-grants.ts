import type { Query } from '../../supabase/embedded/database/database'

const TABLES = `c.relnamespace = 'public'::regnamespace and c.relname = any ($1::text[])`
const CLIENTS = `r.rolname in ('anon', 'authenticated')`
/** With an empty path, PostgreSQL prints every name with its schema. */
const QUALIFIED = `(select set_config('search_path', '', true) offset 0) path`

/** The statements that open tables and their searches to the API, each with the statement that closes it. */
const ACCESS = `
select format('grant %s on public.%I to %I;', string_agg(lower(x.privilege_type), ', ' order by x.privilege_type), c.relname, r.rolname) as open,
  format('revoke all on public.%I from %I;', c.relname, r.rolname) as close
from pg_class c, aclexplode(c.relacl) x join pg_roles r on r.oid = x.grantee
where ${TABLES} and ${CLIENTS} group by c.relname, r.rolname
union all
select format('grant %s (%s) on public.%I to %I;', lower(x.privilege_type), string_agg(quote_ident(a.attname), ', ' order by a.attnum), c.relname, r.rolname),
  format('revoke all on public.%I from %I;', c.relname, r.rolname)
from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) x join pg_roles r on r.oid = x.grantee
where ${TABLES} and ${CLIENTS} group by c.relname, r.rolname, x.privilege_type
union all
select format('grant execute on function %s to %I;', p.oid::regprocedure, r.rolname),
  format('revoke execute on function %s from %I;', p.oid::regprocedure, r.rolname)
from ${QUALIFIED}, pg_proc p, aclexplode(p.proacl) x join pg_roles r on r.oid = x.grantee
where p.pronamespace = 'public'::regnamespace and p.proname = any (select 'search_' || t from unnest($1::text[]) t) and ${CLIENTS}
union all
select format('create policy %I on public.%I for %s to %s', y.policyname, y.tablename, lower(y.cmd), array_to_string(y.roles, ', '))
    || coalesce(E'\\n  using (' || y.qual || ')', '') || coalesce(E'\\n  with check (' || y.with_check || ')', '') || ';',
  format('drop policy %I on public.%I;', y.policyname, y.tablename)
from ${QUALIFIED}, pg_policies y where y.schemaname = 'public' and y.tablename = any ($1::text[])
order by 1`

export interface TableAccess {
  open: string[]
  close: string[]
}

/** Row-level security stays on, so that a table without policies is closed even where a grant comes back. */
export async function accessOf(query: Query, tables: readonly string[]): Promise<TableAccess> {
  const rows = await query<{ open: string; close: string }>(ACCESS, [tables])
  return { open: rows.map(({ open }) => open), close: [...new Set(rows.map(({ close }) => close))] }
}
