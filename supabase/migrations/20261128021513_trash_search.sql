-- Trash search.

drop function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, int4);

create function public.trash(resource text, company uuid default null, fields text[] default '{}', ids uuid[] default null,
    after_at timestamptz default null, after_id uuid default null, max_rows integer default 50, q text default null)
  returns table (id uuid, company_id uuid, deleted_at timestamptz, ends_at timestamptz, deleted_by uuid, deleted_name text, record jsonb, total bigint)
  language plpgsql stable
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(trash.resource);
  columns text;
  words text;
  has_company constant boolean := app.has_column(own, 'company_id');
begin
  select string_agg(format('%L, t.%I', a.attname, a.attname), ', '), string_agg(format('t.%I', a.attname), ', ') into columns, words from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (trash.fields) and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege('authenticated', own, a.attnum, 'select');
  return query execute format(
    'select x.id, x.company_id, x.deleted_at, app.trash_ends(x.deleted_at), x.deleted_by, x.deleted_name, x.own, x.total from ('
    || 'select t.id, %1$s as company_id, t.deleted_at, t.deleted_by, t.deleted_name, jsonb_build_object(%2$s) as own, count(*) over () as total '
    || 'from (select %4$I.* from %3$s as %4$I where %4$I.deleted_at is not null and (%5$s)) t where ($1 is null or %6$s) and ($5 is null or t.id = any ($5)) '
    || 'and app.fold(concat_ws('' '', %7$s)) like all ($6)) x '
    || 'where $2 is null or (x.deleted_at, x.id) < ($2, $3) order by x.deleted_at desc, x.id desc limit $4',
    case when has_company then 't.company_id' else 'null::uuid' end, coalesce(columns, ''), own,
    (select c.relname from pg_catalog.pg_class c where c.oid = own), app.deletable_condition(own),
    case when has_company then 't.company_id = $1' else 'true' end, coalesce(words, 'null'))
    using trash.company, trash.after_at, coalesce(trash.after_id, '00000000-0000-0000-0000-000000000000'::uuid), least(greatest(max_rows, 0), 1000), trash.ids,
      app.search_patterns(trash.q);
end $$;
comment on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer, text) is
  'The records of a resource that are in the trash, the last deleted one first, with these of their columns, or those of these ids; with q those whose columns have every word of it: those that the caller might '
  'delete if they were alive. ends_at is when they go for good, total how many there are. Definer, because row-level security hides them.';
grant execute on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer, text) to authenticated;
