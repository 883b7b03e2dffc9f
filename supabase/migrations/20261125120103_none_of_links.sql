-- Filters ask for rows that are linked to none of some others, such as devices without a tag or a software title.

create or replace function app.filter_part(resource text, filter jsonb) returns text
  language plpgsql stable set search_path = '' as $$
declare
  entry record;
  place record;
  part text;
  parts text[] := '{}';
begin
  if jsonb_typeof(filter) is distinct from 'object' then
    raise exception using errcode = '22023', message = 'a filter is an object';
  end if;
  for entry in select e.key, e.value from jsonb_each(filter) as e loop
    if entry.key in ('_and', '_or') then
      if jsonb_typeof(entry.value) <> 'array' then
        raise exception using errcode = '22023', message = format('%s takes a list of filters', entry.key);
      end if;
      select string_agg(app.filter_part(resource, e.item), case entry.key when '_and' then ' and ' else ' or ' end)
      into part from jsonb_array_elements(entry.value) as e (item);
      parts := parts || coalesce('(' || part || ')', case entry.key when '_and' then 'true' else 'false' end);
      continue;
    end if;
    if jsonb_typeof(entry.value) <> 'object' then
      raise exception using errcode = '22023', message = format('%L takes an object of conditions', entry.key);
    end if;
    place := app.filter_path(resource, entry.key);
    if entry.value ? '_none' then
      if cardinality(string_to_array(entry.key, '.')) <> 3 or jsonb_typeof(entry.value -> '_none') <> 'array' then
        raise exception using errcode = '22023', message = '_none takes the path of a table of links, and a list';
      end if;
      parts := parts || format('not exists (select 1 from %s j where %s%s)', place.via, place.joined,
        case when entry.value -> '_none' = '[]' then ''
          else ' and ' || app.value_condition(place.col, place.kind, place.is_text, '_in', entry.value -> '_none') end);
      -- Alone, it asks for no link.
      continue when entry.value - '_none' = '{}';
    end if;
    select string_agg(app.value_condition(place.col, place.kind, place.is_text, o.key, o.value), ' and ')
    into part from jsonb_each(entry.value - '_none') as o;
    part := coalesce(part, 'true');
    parts := parts || case when place.via is null then format('(%s)', part)
      else format('exists (select 1 from %s j where %s and (%s))', place.via, place.joined, part) end;
  end loop;
  return coalesce(nullif(format('(%s)', array_to_string(parts, ' and ')), '()'), 'true');
end $$;
comment on function app.filter_part(text, jsonb) is
  'Compiles a filter whose size app.check_filter() knows, group by group. Nobody calls it but app.filter_condition().';
comment on function app.filter_condition(text, jsonb) is
  'A filter of the console as a condition over the resource (as t): _eq _neq _lt _lte _gt _gte _in _nin _contains _has_any _has_all '
  '_empty _null _none _and _or. Over another table, a condition asks for a row there that meets it; _none, for paths `table.near.far` only, '
  'asks that no row there has one of the values, and with an empty list that there is no row. Names are checked against the catalog and '
  'quoted, values are literals; what the language does not have is refused by 22023.';
