-- Each text that is searched for is one more pass over every text of a row: 150 of them over the tickets of a company took
-- five seconds, within the limits of each, and held up everybody who shares the embedded database.

create or replace function app.check_filter(filter jsonb) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  level jsonb[] := array[filter];
  inner_level jsonb[];
  depth integer := 0;
  conditions integer := 0;
  elsewhere integer := 0;
  here integer;
  there integer;
  searches integer := 0;
  searched integer;
  refused text := case when length(filter::text) > 100000 then 'the filter is too long' end;
begin
  -- Level by level: what is nested too deep for a recursion must not be looked at by one.
  while refused is null and cardinality(level) > 0 loop
    select count(*) filter (where not e.key in ('_and', '_or')), count(*) filter (where strpos(e.key, '.') > 0),
      count(*) filter (where jsonb_typeof(e.value) = 'object' and e.value ? '_contains')
    into here, there, searched
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
    searches := searches + searched;
    level := inner_level;
    refused := case when depth > 16 then 'the filter is nested too deep: at most 16 levels'
      when conditions > 500 then 'the filter has too many conditions: at most 500'
      when elsewhere > 20 then 'the filter has too many conditions over other tables: at most 20'
      when searches > 60 then 'the filter searches for too many texts: at most 60' end;
  end loop;
  if refused is not null then
    raise exception using errcode = '22023', message = refused;
  end if;
end $$;
comment on function app.check_filter(jsonb) is
  'Refuses (22023) a filter that is longer, deeper or has more conditions than app.filter_part() is to be asked for: 100,000 letters, '
  '16 levels, 500 conditions, 20 of them over other tables, each of which is one more table to plan, and 60 that search inside texts.';
