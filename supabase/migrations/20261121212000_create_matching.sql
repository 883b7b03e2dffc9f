-- Many rows at once: which rows a filter finds, how many hold each value, and changing or deleting them in batches.
-- Everything here runs as the caller: grants and row-level security decide, as they do for one row.

-- Filters as conditions of SQL ------------------------------------------------------------------------------------

create function app.filter_table(resource text) returns regclass
  language plpgsql stable set search_path = '' as $$
declare
  found_table regclass;
begin
  select c.oid::regclass into found_table
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relname = resource and c.relkind in ('r', 'p', 'v')
    and exists (select 1 from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype and not a.attisdropped);
  if found_table is null then
    raise exception using errcode = '22023', message = format('there is no resource %L', resource);
  end if;
  return found_table;
end $$;
comment on function app.filter_table(text) is
  'The table or view of schema public that a resource stands in; 22023 for anything else, other schemas included.';

create function app.filter_path(
  resource text, path text, out col text, out kind text, out is_text boolean, out via text, out joined text
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  steps text[] := string_to_array(path, '.');
  target regclass := own;
begin
  if cardinality(steps) = 2 then
    -- Of references over the same column, the one that carries the company along.
    select k.confrelid::regclass, string_agg(format('j.%I = t.%I', theirs.attname, ours.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.confrelid and c.relnamespace = 'public'::regnamespace
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.conrelid = own
    group by k.oid, k.confrelid
    having bool_or(ours.attname = steps[1]) and bool_and(ours.attname in (steps[1], 'company_id'))
    order by count(*) desc, k.oid limit 1;
  elsif cardinality(steps) = 3 then
    select k.conrelid::regclass, string_agg(format('j.%I = t.%I', ours.attname, theirs.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid and c.relnamespace = 'public'::regnamespace and c.relname = steps[1]
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.confrelid = own
    group by k.oid, k.conrelid
    having bool_or(ours.attname = steps[2]) and bool_and(ours.attname in (steps[2], 'company_id'))
    order by count(*) desc, k.oid limit 1;
  elsif cardinality(steps) <> 1 then
    target := null;
  end if;
  if target is not null then
    via := case when cardinality(steps) > 1 then target::text end;
    select format('%s.%I', case when via is null then 't' else 'j' end, a.attname),
      pg_catalog.format_type(a.atttypid, null), y.typcategory = 'S'
    into col, kind, is_text
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type y on y.oid = a.atttypid
    where a.attrelid = target and a.attname = steps[cardinality(steps)] and a.attnum > 0 and not a.attisdropped;
  end if;
  if col is null then
    raise exception using errcode = '22023', message = format('%L has no field %L', resource, path);
  end if;
end $$;
comment on function app.filter_path(text, text) is
  'Where a field stands that is filtered or counted: `column` of the resource (t), `reference.column` of what it points at, '
  '`table.near.far` of the table between it and others (j, joined as told). 22023 for what is not there.';

create function app.value_condition(col text, kind text, is_text boolean, op text, operand jsonb) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  sign text := case op when '_eq' then '=' when '_neq' then '<>' when '_lt' then '<' when '_lte' then '<='
    when '_gt' then '>' when '_gte' then '>=' end;
  shape text := jsonb_typeof(operand);
  given text := operand #>> '{}';
  listed text;
  has_null boolean;
begin
  if op in ('_in', '_nin') and shape = 'array' then
    select string_agg(format('%L::%s', e.item #>> '{}', kind), ', ') filter (where jsonb_typeof(e.item) <> 'null'),
      coalesce(bool_or(jsonb_typeof(e.item) = 'null'), false)
    into listed, has_null
    from jsonb_array_elements(operand) as e (item);
    if op = '_in' then
      return format('(%s%s)', coalesce(col || ' in (' || listed || ')', 'false'),
        case when has_null then format(' or %s is null', col) else '' end);
    end if;
    return format('(%s%s)', coalesce(col || ' not in (' || listed || ')', 'true'),
      case when has_null then format(' and %s is not null', col) else '' end);
  elsif op = '_null' and shape = 'boolean' then
    return format('%s is %s', col, case when operand = 'true' then 'null' else 'not null' end);
  elsif (op = '_contains' or sign is not null) and shape in ('string', 'number', 'boolean', 'null') then
    if shape = 'null' then
      -- Written out, null asks for emptiness; an order relation with it has no answer.
      return case op when '_eq' then format('%s is null', col) when '_neq' then format('%s is not null', col)
        else 'false' end;
    end if;
    if op = '_contains' then
      return format('%s::text ilike %L', col, '%' || app.like_escape(given) || '%');
    end if;
    -- By code point wherever the database stands, as the console compares in memory.
    return format('%s%s %s %L::%s', col,
      case when is_text and op not in ('_eq', '_neq') then ' collate pg_catalog."C"' else '' end, sign, given, kind);
  end if;
  raise exception using errcode = '22023', message = format('there is no condition %L with such a value', op);
end $$;
comment on function app.value_condition(text, text, boolean, text, jsonb) is
  'One operator of the filter language over a column that app.filter_path() named; every value is a quoted literal. 22023 for an unknown one.';

create function app.filter_condition(resource text, filter jsonb) returns text
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
      select string_agg(app.filter_condition(resource, e.item), case entry.key when '_and' then ' and ' else ' or ' end)
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
comment on function app.filter_condition(text, jsonb) is
  'A filter of the console as a condition over the resource (as t): _eq _neq _lt _lte _gt _gte _in _nin _contains _null _and _or. '
  'Names are checked against the catalogue and quoted, values are literals; what the language does not have is refused by 22023.';

create function app.matching_source(resource text, filter jsonb, q text) returns text
  language plpgsql stable set search_path = '' as $$
begin
  perform app.filter_table(resource), app.require(resource, 'list');
  if length(filter::text) > 100000 then
    raise exception using errcode = '22023', message = 'the filter is too long';
  end if;
  if cardinality(app.search_patterns(q)) = 0 then
    return format('public.%I t', resource);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || resource)) is null then
    raise exception using errcode = '22023', message = format('%L cannot be searched', resource);
  end if;
  return format('public.%I(%L) t', 'search_' || resource, q);
end $$;
comment on function app.matching_source(text, jsonb, text) is
  'What a list reads from, as t: the resource, or its search. 42501 where the caller may not list it.';

create function public.matching_ids(
  resource text, filter jsonb, q text default '', after uuid default null, most integer default 1000
) returns setof uuid
  language plpgsql stable set search_path = '' as $$
begin
  return query execute format('select t.id from %s where %s%s order by t.id limit %s',
    app.matching_source(resource, filter, q), app.filter_condition(resource, filter),
    case when after is null then '' else format(' and t.id > %L::uuid', after) end,
    least(greatest(coalesce(most, 1000), 1), 1000));
end $$;
comment on function public.matching_ids(text, jsonb, text, uuid, integer) is
  'The ids of the rows that a list with this filter and search would show, in the order of the key, at most 1,000 after a given one.';

create function public.facet_counts(
  resource text, field text, filter jsonb, q text default '', most integer default 50
) returns table (value text, count bigint)
  language plpgsql stable set search_path = '' as $$
declare
  place record := app.filter_path(resource, field);
begin
  return query execute format(
    'select %s::text, pg_catalog.count(*) from %s%s where %s group by 1 order by 2 desc, 1 limit %s',
    place.col, app.matching_source(resource, filter, q),
    case when place.via is null then '' else format(' join %s j on %s', place.via, place.joined) end,
    app.filter_condition(resource, filter), least(greatest(coalesce(most, 50), 1), 200));
end $$;
comment on function public.facet_counts(text, text, jsonb, text, integer) is
  'How many rows of the filter and search hold each value of a field (named as in app.filter_path), the most frequent first; null is empty.';

-- Changing and deleting -------------------------------------------------------------------------------------------

create function app.concerns_row(code text) returns boolean
  language sql immutable set search_path = '' as $$
  select code = '42501' or left(code, 2) in ('22', '23', 'P0', 'PT')
$$;
comment on function app.concerns_row(text) is
  'Whether an error is about the row that was written, so that the rows beside it can still be; a deadlock or a lost connection is not.';

create function app.write_batch(statement text, ids uuid[], changes jsonb, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  one uuid;
  ids_written uuid[];
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  -- Without a row, it only asks whether the caller may at all: a refusal here is one for the whole batch.
  execute statement into ids_written using '{}'::uuid[], changes;
  begin
    execute statement into ids_written using ids, changes;
    written := coalesce(ids_written, '{}');
    return;
  exception when others then
    if not app.concerns_row(sqlstate) then
      raise;
    end if;
  end;
  foreach one in array ids loop
    begin
      execute statement into ids_written using array[one], changes;
      written := written || coalesce(ids_written, '{}');
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      refused := refused || jsonb_build_object(one::text,
        jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
    end;
  end loop;
end $$;
comment on function app.write_batch(text, uuid[], jsonb) is
  'Runs a statement over ids ($1) and changes ($2) that gives the ids it wrote: at once, or row by row when a row stands in the way. '
  'Nobody calls it but bulk_edit() and bulk_delete(): it runs as its caller, whose rights end where theirs do.';

create function app.check_batch(ids uuid[]) returns void
  language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(cardinality(ids), 0) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 rows a call';
  end if;
end $$;
comment on function app.check_batch(uuid[]) is 'Refuses a batch of more than 1,000 rows (22023).';

create function public.bulk_edit(resource text, ids uuid[], changes jsonb)
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  unknown text;
  assigned text;
  differing text;
  same uuid[];
  others uuid[];
  done record;
begin
  perform app.check_batch(ids);
  if jsonb_typeof(changes) is distinct from 'object' or changes = '{}' then
    raise exception using errcode = '22023', message = 'the changes are an object with a field or more';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')),
    string_agg(format('%1$I = r.%1$I', k.name), ', '), string_agg(format('t.%1$I is distinct from r.%1$I', k.name), ' or ')
  into unknown, assigned, differing
  from jsonb_object_keys(changes) as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  execute format(
    'select array_agg(t.id) filter (where not (%1$s)), array_agg(t.id) filter (where %1$s)
     from %2$s t, (select * from jsonb_populate_record(null::%2$s, $2) offset 0) r where t.id = any ($1)', differing, own)
  into same, others using ids, changes;
  done := app.write_batch(format(
    'with w as (update %1$s t set %2$s from (select * from jsonb_populate_record(null::%1$s, $2) offset 0) r
       where t.id = any ($1) and (%3$s) returning t.id) select array_agg(w.id) from w', own, assigned, differing),
    coalesce(others, '{}'), changes);
  return query
  select u.one, case when u.one = any (done.written) then 'changed' when u.one = any (coalesce(same, '{}')) then 'same'
      when u.one = any (coalesce(others, '{}')) then 'refused' else 'gone' end,
    case when u.one = any (coalesce(others, '{}')) and not u.one = any (done.written)
      then coalesce(done.refused -> u.one::text, '{"code": "42501", "message": "the row was not changed", "hint": "role"}') end
  from (select distinct x.one from unnest(ids) as x (one) where x.one is not null) u;
end $$;
comment on function public.bulk_edit(text, uuid[], jsonb) is
  'Sets fields of at most 1,000 rows: changed, same (it already was so), gone (not there, or not to be seen) or refused, with the '
  'error of the row as the reason. Runs as the caller: grants by column, row-level security and triggers decide as for one row.';

create function public.bulk_delete(resource text, ids uuid[])
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  seen uuid[];
  done record;
begin
  perform app.check_batch(ids);
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into seen using ids;
  done := app.write_batch(format(
    'with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own),
    coalesce(seen, '{}'), '{}');
  return query
  select u.one, case when u.one = any (done.written) then 'deleted' when u.one = any (coalesce(seen, '{}')) then 'refused'
      else 'gone' end,
    case when u.one = any (coalesce(seen, '{}')) and not u.one = any (done.written)
      then coalesce(done.refused -> u.one::text, '{"code": "42501", "message": "the row was not deleted", "hint": "role"}') end
  from (select distinct x.one from unnest(ids) as x (one) where x.one is not null) u;
end $$;
comment on function public.bulk_delete(text, uuid[]) is
  'Deletes at most 1,000 rows: deleted, gone (not there, or not to be seen) or refused, with the error of the row as the reason: '
  'one that others hold stays. Runs as the caller.';

revoke execute on function app.filter_table(text), app.filter_path(text, text),
  app.value_condition(text, text, boolean, text, jsonb), app.filter_condition(text, jsonb), app.matching_source(text, jsonb, text),
  app.concerns_row(text), app.write_batch(text, uuid[], jsonb), app.check_batch(uuid[]),
  public.matching_ids(text, jsonb, text, uuid, integer), public.facet_counts(text, text, jsonb, text, integer),
  public.bulk_edit(text, uuid[], jsonb), public.bulk_delete(text, uuid[]) from public, anon;
-- What they call runs as the API role itself; schema app is not exposed, so nothing in it can be called over HTTP.
grant execute on function app.filter_table(text), app.filter_path(text, text),
  app.value_condition(text, text, boolean, text, jsonb), app.filter_condition(text, jsonb), app.matching_source(text, jsonb, text),
  app.concerns_row(text), app.write_batch(text, uuid[], jsonb), app.check_batch(uuid[]),
  public.matching_ids(text, jsonb, text, uuid, integer), public.facet_counts(text, text, jsonb, text, integer),
  public.bulk_edit(text, uuid[], jsonb), public.bulk_delete(text, uuid[]) to authenticated;
