-- A filter costs no more than a screen can ask for. Compiled as it came, 100 conditions over other tables took the planner
-- 90 seconds and all its memory; and one nested a thousand deep broke the embedded database, which is then broken for everybody.

create function app.check_filter(filter jsonb) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  level jsonb[] := array[filter];
  inner_level jsonb[];
  depth integer := 0;
  conditions integer := 0;
  elsewhere integer := 0;
  here integer;
  there integer;
  refused text := case when length(filter::text) > 100000 then 'the filter is too long' end;
begin
  -- Level by level: what is nested too deep for a recursion must not be looked at by one.
  while refused is null and cardinality(level) > 0 loop
    select count(*) filter (where not e.key in ('_and', '_or')), count(*) filter (where strpos(e.key, '.') > 0)
    into here, there
    from unnest(level) as l (item)
    cross join lateral jsonb_each(case jsonb_typeof(l.item) when 'object' then l.item else '{}' end) as e;
    select coalesce(array_agg(c.item), '{}') into inner_level
    from unnest(level) as l (item)
    cross join lateral jsonb_each(case jsonb_typeof(l.item) when 'object' then l.item else '{}' end) as e
    cross join lateral jsonb_array_elements(case jsonb_typeof(e.value) when 'array' then e.value else '[]' end) as c (item)
    where e.key in ('_and', '_or');
    depth := depth + 1;
    conditions := conditions + here;
    elsewhere := elsewhere + there;
    level := inner_level;
    refused := case when depth > 16 then 'the filter is nested too deep: at most 16 levels'
      when conditions > 500 then 'the filter has too many conditions: at most 500'
      when elsewhere > 20 then 'the filter has too many conditions over other tables: at most 20' end;
  end loop;
  if refused is not null then
    raise exception using errcode = '22023', message = refused;
  end if;
end $$;
comment on function app.check_filter(jsonb) is
  'Refuses (22023) a filter that is longer, deeper or has more conditions than app.filter_part() is to be asked for: 100,000 letters, '
  '16 levels, 500 conditions, 20 of them over other tables, each of which is one more table to plan.';

create function app.filter_part(resource text, filter jsonb) returns text
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
    select string_agg(app.value_condition(place.col, place.kind, place.is_text, o.key, o.value), ' and ')
    into part from jsonb_each(entry.value) as o;
    part := coalesce(part, 'true');
    parts := parts || case when place.via is null then format('(%s)', part)
      else format('exists (select 1 from %s j where %s and (%s))', place.via, place.joined, part) end;
  end loop;
  return coalesce(nullif(format('(%s)', array_to_string(parts, ' and ')), '()'), 'true');
end $$;
comment on function app.filter_part(text, jsonb) is
  'Compiles a filter whose size app.check_filter() knows, group by group. Nobody calls it but app.filter_condition().';

create or replace function app.filter_condition(resource text, filter jsonb) returns text
  language plpgsql stable set search_path = '' as $$
begin
  perform app.check_filter(filter);
  return app.filter_part(resource, filter);
end $$;

revoke execute on function app.check_filter(jsonb), app.filter_part(text, jsonb) from public, anon;
-- What they call runs as the API role itself; schema app is not exposed, so nothing in it can be called over HTTP.
grant execute on function app.check_filter(jsonb), app.filter_part(text, jsonb) to authenticated;
