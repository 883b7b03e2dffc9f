-- Import ------------------------------------------------------------------------------------------------------------------
-- A row of a file is matched with a record as the unique index compares them: "34 ist 01" is the record "34 İST 01", and not a
-- new one that the index refuses.

create function app.import_key(own regclass, alias text, col text) returns text
  language sql stable set search_path = '' as $$
  select format(case when exists (
      select 1 from pg_catalog.pg_index i
      cross join lateral generate_series(1, i.indnkeyatts) as n (place)
      where i.indrelid = own and i.indisunique
        and pg_catalog.pg_get_indexdef(i.indexrelid, n.place, false) = format('app.unique_key(%I)', col))
    then 'app.unique_key(%1$I.%2$I)' else '%1$I.%2$I' end, alias, col)
$$;
comment on function app.import_key(regclass, text, text) is
  'The expression by which a key column of a table is compared: what its unique index holds, or the column.';
revoke execute on function app.import_key(regclass, text, text) from public, anon;
grant execute on function app.import_key(regclass, text, text) to authenticated;

create or replace function app.import_find_keys(own regclass, vals jsonb[], keys text[], problems jsonb) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  found jsonb;
  given text := (select string_agg(format('%1$L, s.v -> %1$L', k.name), ', ') from unnest(keys) as k (name));
  compared text := (select string_agg(app.import_key(own, 'r', k.name), ', ' order by k.n)
                    from unnest(keys) with ordinality as k (name, n));
  listed text := (select string_agg(format('r.%I', k.name), ', ' order by k.n) from unnest(keys) with ordinality as k (name, n));
  emptiness text := (select string_agg(format('when r.%1$I is null or r.%1$I::text = '''' then %1$L', k.name), ' ' order by k.n)
                     from unnest(keys) with ordinality as k (name, n));
begin
  -- Compared as the database has them: 7 and 07 are the same number.
  execute format(
    'with known as (
       select s.at, jsonb_build_array(%6$s) as key, concat_ws('', '', %1$s) as shown, case %2$s end as empty
       from unnest($1) with ordinality as s (v, at) cross join lateral jsonb_populate_record(null::%3$s, jsonb_build_object(%4$s)) as r
       where s.at <> all ($2)
     ), counted as (
       select k.*, first_value(k.at) over (partition by k.key, k.empty order by k.at) as first from known k
     )
     select jsonb_agg(case when c.empty is not null
         then jsonb_build_object(''at'', c.at, ''column'', c.empty, ''code'', ''22023'', ''hint'', ''empty_key'',
           ''message'', ''the key is empty'')
         else jsonb_build_object(''at'', c.at, ''column'', %5$L::text, ''code'', ''22023'', ''hint'', ''duplicate_key_in_file'',
           ''message'', ''this key is in an earlier line'', ''details'', left(c.shown, 200), ''other'', c.first) end)
     from counted c where c.empty is not null or c.first <> c.at',
    listed, emptiness, own, given, case when cardinality(keys) = 1 then keys[1] end, compared)
  into found using vals, array(select (p.problem ->> 'at')::integer from jsonb_array_elements(problems) as p (problem)
                               where p.problem ->> 'column' = any (keys));
  return coalesce(found, '[]');
end $$;

create or replace function app.import_match(
  own regclass, company uuid, vals jsonb[], keys text[], insertable text[], updatable text[], used text[],
  mode text, out targets uuid[], out kinds text[], out columns text[], out shown text[]
)
  language plpgsql stable set search_path = '' as $$
declare
  matching text := (select string_agg(format('%s = %s', app.import_key(own, 't', k.name), app.import_key(own, 'r', k.name)), ' and ')
                    from unnest(keys) as k (name));
  differing text := (select string_agg(format('(s.v ? %1$L and t.%2$I is distinct from r.%2$I)', u.name, u.name), ' or ')
                     from unnest(updatable) as u (name));
  -- Written only when it changes: a file that was exported holds columns that cannot be edited.
  fixed text := (select string_agg(format('when t.%1$I is distinct from r.%1$I and s.v ? %1$L then %1$L', u.name), ' ' order by u.name)
                 from unnest(used) as u (name) where u.name <> all (updatable || keys));
  unborn text := (select string_agg(format('when r.%1$I is not null then %1$L', u.name), ' ' order by u.name)
                  from unnest(used) as u (name) where u.name <> all (insertable));
  read_as text := format('unnest($2) with ordinality as s (v, at) cross join lateral jsonb_populate_record(null::%s, s.v) as r', own);
begin
  execute format(
    'select array_agg(m.target order by m.at),
       array_agg(case when m.times > 1 then ''ambiguous_key''
         when m.times = 0 and $3 = ''update'' then ''unknown_key'' when m.times = 1 and $3 = ''insert'' then ''key_exists''
         when m.times = 0 and m.unborn is not null or m.times = 1 and m.fixed is not null then ''denied''
         when m.times = 0 then ''insert'' when m.differs then ''update'' else ''same'' end order by m.at),
       array_agg(case when m.times = 0 then m.unborn else m.fixed end order by m.at),
       array_agg(m.shown order by m.at)
     from (
       select s.at, %1$s as times, %2$s as target, %3$s as differs, %4$s as fixed, min(%5$s) as unborn, min(%6$s) as shown
       from %7$s group by s.at
     ) m',
    case when matching is null then '0' else 'count(t.id)' end,
    case when matching is null then 'null::uuid' else '(array_agg(t.id))[1]' end,
    case when matching is null then 'false' else format('coalesce(bool_or(%s), false)', coalesce(differing, 'false')) end,
    case when matching is null or fixed is null then 'null::text' else format('min(case %s end)', fixed) end,
    case when unborn is null then 'null::text' else format('case %s end', unborn) end,
    case when matching is null then 'null::text'
      else format('concat_ws('', '', %s)', (select string_agg(format('r.%I', k.name), ', ' order by k.n)
                                          from unnest(keys) with ordinality as k (name, n))) end,
    case when matching is null then read_as else format('%s left join %s t on %s%s', read_as, own, matching,
      case when company is null then '' else ' and t.company_id = $1' end) end)
  into targets, kinds, columns, shown using company, vals, mode;
end $$;
