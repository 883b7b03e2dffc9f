-- The palette lists at most five records of each resource. A record whose title holds the words now comes before one
-- that only its description or another searched field matched, however short that one's title is.

-- Security invoker: it finds nothing that search_<resource>() and row-level security would not give the caller. Names
-- come from the client, so each is looked up in the catalog before it becomes part of a statement; unknown resources,
-- and those the caller may not list, are skipped.
create or replace function public.find_records(q text, resources jsonb, most integer default 5)
  returns table (resource text, id uuid, title jsonb)
  language plpgsql stable security invoker set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  -- Of a word that a whole table holds, the best of these many are found, not the best of all.
  considered constant integer := 200;
  per_resource constant integer := least(greatest(coalesce(most, 5), 1), 20);
  start constant text := app.like_escape(app.fold(btrim("left"(coalesce(q, ''), 200)))) || '%';
  wanted record;
  relation oid;
  filter text;
begin
  if cardinality(app.search_patterns(q)) = 0 then
    return;
  end if;
  if jsonb_typeof(resources) is distinct from 'array' or jsonb_array_length(resources) > 200 then
    raise exception 'resources is a list of at most 200 of {name, columns, company_id}' using errcode = '22023';
  end if;
  for wanted in
    select distinct on (r.name) r.name, r.columns, r.company_id
    from jsonb_to_recordset(resources) as r (name text, columns text[], company_id uuid)
    where r.name is not null and cardinality(r.columns) between 1 and 8
    order by r.name
  loop
    relation := (
      select t.typrelid from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid = p.prorettype
      where p.oid = to_regprocedure(format('public.%I(text)', 'search_' || wanted.name)) and p.proretset and t.typrelid <> 0);
    continue when relation is null or not app.can(wanted.name, 'list');
    continue when exists (
      select 1 from unnest(wanted.columns || array['id']) as c (name)
      where not exists (select 1 from pg_catalog.pg_attribute a
        where a.attrelid = relation and a.attname = c.name and a.attnum > 0 and not a.attisdropped));
    -- A table without companies is the same whichever company is in view.
    filter := case when wanted.company_id is not null and exists (
      select 1 from pg_catalog.pg_attribute a
      where a.attrelid = relation and a.attname = 'company_id' and a.attnum > 0 and not a.attisdropped)
      then format('t.company_id = %L', wanted.company_id) else 'true' end;
    -- Literals, because the plan of a search depends on its words; see search_devices().
    return query execute format(
      'select %L::text, f.id, f.title
       from (select t.id, jsonb_build_object(%s) as title, app.fold(concat_ws('' '', %s)) as key
             from public.%I(%L) t where %s limit %s) f
       order by f.key like %L desc, f.key like all (%L::text[]) desc, length(f.key), f.key, f.id limit %s',
      wanted.name,
      (select string_agg(format('%L, t.%I', c.name, c.name), ', ') from unnest(wanted.columns) as c (name)),
      (select string_agg(format('t.%I', c.name), ', ' order by c.place) from unnest(wanted.columns) with ordinality as c (name, place)),
      'search_' || wanted.name, q, filter, considered, start, app.search_patterns(q), per_resource);
  end loop;
end $$;
comment on function public.find_records(text, jsonb, integer) is
  'The records that match every word of q, at most `most` (5, never above 20) of each of the resources: first those whose title '
  'begins with q, then those whose title holds the words, then the others. resources: [{name, columns of the title, company_id '
  'in view or null}]. Security invoker over search_<name>(q): row-level security decides what is found.';
revoke execute on function public.find_records(text, jsonb, integer) from public, anon;
grant execute on function public.find_records(text, jsonb, integer) to authenticated;
