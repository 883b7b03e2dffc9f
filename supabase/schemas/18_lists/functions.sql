-- The palette lists up to five records per resource. Records whose title contains the words come before records that match
-- in another searched field.
-- Security invoker: it finds only what search_<resource>() and row-level security give the caller. The client sends the
-- names, so each is looked up in the catalog before it becomes part of a statement; unknown resources and those the caller
-- may not list are skipped.
create function public.find_records(q text, resources jsonb, max_rows integer default 5)
  returns table (resource text, id uuid, title jsonb)
  language plpgsql stable security invoker set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  -- A word that a whole table holds finds the best of this many, not the best of all.
  considered constant integer := 200;
  per_resource constant integer := least(greatest(coalesce(max_rows, 5), 1), 20);
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
  'The records that match every word of q, up to `max_rows` (5, never above 20) of each resource: first those whose title '
  'begins with q, then those whose title holds the words, then the others. resources: [{name, columns of the title, company_id '
  'in view or null}]. Security invoker over search_<name>(q): row-level security limits the results.';
grant execute on function public.find_records(text, jsonb, integer) to authenticated;

-- Security invoker: a text that the caller may not read is no reason either.
create function public.find_reasons(q text, wanted jsonb) returns table (resource text, id uuid, field text, snippet text)
  language plpgsql stable set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  patterns constant text[] := app.search_patterns(q);
  entry record;
  own regclass;
  thread jsonb;
  texts text;
  asked integer := 0;
begin
  if cardinality(patterns) = 0 then
    return;
  end if;
  if jsonb_typeof(wanted) is distinct from 'array' or jsonb_array_length(wanted) > 200 then
    raise exception using errcode = '22023', message = 'wanted is a list of at most 200 of {name, ids, fields}';
  end if;
  for entry in
    select distinct on (w.name) w.name, w.ids, w.fields from jsonb_to_recordset(wanted) as w (name text, ids uuid[], fields text[]) order by w.name
  loop
    asked := asked + cardinality(entry.ids);
    if asked > 200 then
      raise exception using errcode = '22023', message = 'at most 200 ids';
    end if;
    own := app.filter_table(entry.name);
    -- No more than find_records() gives: each text is folded again, and a body may have 50,000 letters.
    if cardinality(entry.ids) > 20 or cardinality(entry.fields) > 20 then
      raise exception using errcode = '22023', message = 'at most 20 ids and 20 fields of a resource';
    end if;
    select string_agg(format('select %s as place, t.id, %L as field, t.%I::text as value from %s t where t.id = any ($1)',
      array_position(entry.fields, a.attname::text), a.attname, a.attname, own), ' union all ')
    into texts from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    thread := app.comment_settings(entry.name);
    if (thread ->> 'search')::boolean then
      -- The stored text for searches spares folding each of the comments that do not match.
      texts := concat_ws(' union all ', texts, format(
        'select 1000 as place, c.%1$I as id, ''comments'' as field, c.body as value from public.%2$I c where c.%1$I = any ($1) and c.search operator(pg_catalog.~~) any ($2)',
        thread ->> 'record', thread ->> 'comments'));
    end if;
    continue when texts is null;
    begin
      return query execute format($query$
        select distinct on (f.id) %L::text, f.id, f.field,
          -- The folded text is about as long as the text itself, so that the match is within what is cut out.
          pg_catalog.regexp_replace(pg_catalog.substr(f.value, greatest(f.at - 40, 1), 160), '\s+', ' ', 'g')
        from (
          select x.place, x.id, x.field, x.value, x.folded,
            (select pg_catalog.min(nullif(pg_catalog.strpos(x.folded, w.word), 0)) from pg_catalog.unnest($3) as w (word)) as at
          from (select v.place, v.id, v.field, normalize(v.value, NFC) as value, app.fold(v.value) as folded from (%s) v) x) f
        where f.at is not null
        order by f.id, (f.folded operator(pg_catalog.~~) all ($2)) desc, f.place, f.at$query$, entry.name, texts)
      using entry.ids, patterns, string_to_array(app.fold(regexp_replace(btrim("left"(q, 200)), '\s+', ' ', 'g')), ' ');
    exception when insufficient_privilege then
      -- A table, or a field, that the caller may not read gives no reason.
      null;
    end;
  end loop;
end $$;
comment on function public.find_reasons(text, jsonb) is
  'Why records match the words of q: of each, the field that holds them and the text around the first. wanted: [{name, ids, fields in their '
  'order}]; the field of a comment is `comments`. Runs as the caller.';
grant execute on function public.find_reasons(text, jsonb) to authenticated;

create function app.require_share() returns trigger
  language plpgsql security invoker set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require('saved_views', 'share');
  end if;
  return new;
end $$;
comment on function app.require_share() is
  'Row trigger on shared views: answers 42501 with its reason, where the policy alone would give none.';

create function app.replace_default_view() returns trigger
  language plpgsql
  -- definer: the previous default may be a colleague's view for a role that the caller does not hold. If the
  -- caller may not write this row, its policy refuses the statement, and this change is rolled back with it.
  security definer set search_path = '' as $$
begin
  update public.saved_views v set is_default = false
  where v.is_default and v.id <> new.id and v.resource = new.resource and v.scope = new.scope
    and case new.scope
      when 'mine' then v.owner = new.owner
      when 'role' then v.company_id = new.company_id and v.role = new.role
      else v.company_id = new.company_id
    end;
  return new;
end $$;
comment on function app.replace_default_view() is 'Row trigger: a new default takes the place of the old one of the same circle.';

create function public.my_list_settings() returns jsonb
  language sql stable security invoker set search_path = '' as $$
  select jsonb_build_object(
    'preferences', (
      select coalesce(jsonb_agg(jsonb_build_object('resource', p.resource, 'columns', p.columns, 'density', p.density)), '[]')
      from public.list_preferences p
    ),
    'views', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', v.id, 'resource', v.resource, 'name', v.name, 'scope', v.scope, 'role', v.role, 'state', v.state,
        'is_default', v.is_default, 'version', v.version, 'is_mine', v.owner = (select app.current_user_id())
      ) order by v.name, v.id), '[]')
      from public.saved_views v
    )
  )
$$;
comment on function public.my_list_settings() is
  'Columns, density and saved views of every list of the caller, in one round trip: {preferences: [], views: []}.';
grant execute on function public.my_list_settings() to authenticated;

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
  'The table or view of schema public that holds a resource; 22023 for anything else, other schemas included.';
grant execute on function app.filter_table(text) to authenticated;

-- A filter may name a column of a related table, such as the presence of a device, by the name of that table when no column
-- of the resource leads there.
create function app.filter_path(
  resource text, path text, out col text, out kind text, out is_text boolean, out via text, out joined text
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  steps text[] := string_to_array(path, '.');
  target regclass := own;
  hidden record;
begin
  if cardinality(steps) = 2 then
    -- The one of several references over the same column is taken that carries the company along.
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
    if target is null then
      -- A table beside this one: `table` or `table!constraint`, whichever of the two holds the reference.
      select c.oid::regclass, string_agg(format('j.%I = t.%I',
        case when k.conrelid = own then theirs.attname else ours.attname end,
        case when k.conrelid = own then ours.attname else theirs.attname end), ' and ')
      into target, joined
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = case when k.conrelid = own then k.confrelid else k.conrelid end
        and c.oid <> own and c.relnamespace = 'public'::regnamespace and c.relname = split_part(steps[1], '!', 1)
      cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
      join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
      join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
      where k.contype = 'f' and own in (k.conrelid, k.confrelid) and split_part(steps[1], '!', 2) in ('', k.conname)
      group by k.oid, c.oid
      order by count(*) desc, k.oid limit 1;
    end if;
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
    hidden := app.hidden_field(target, steps[cardinality(steps)]);
    if hidden.object is not null then
      -- Refused, not left out: a filter that holds for every row would choose rows for an edit that nobody meant.
      perform app.require(hidden.object, hidden.verb);
      col := app.shown_column(target, case when via is null then 't' else 'j' end, steps[cardinality(steps)]);
    end if;
  end if;
  if col is null then
    raise exception using errcode = '22023', message = format('%L has no field %L', resource, path);
  end if;
end $$;
comment on function app.filter_path(text, text) is
  'The path of a field to filter or count: `column` of the resource (t), `reference.column` of what it points at, '
  '`table.column` or `table!constraint.column` of a table beside it, `table.near.far` of the table between it and others (j, joined '
  'as told). 22023 for an unknown field, 42501 for a hidden one that the caller may not read.';
grant execute on function app.filter_path(text, text) to authenticated;

-- Each searched text is one more pass over every text of a row: 150 of them over a company's tickets took five seconds and
-- blocked everyone who shares the embedded database.
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
  searches integer := 0;
  searched integer;
  refused text := case when length(filter::text) > 100000 then 'the filter is too long' end;
begin
  -- Level by level: a filter nested too deep for recursion must not be read by one.
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
grant execute on function app.check_filter(jsonb) to authenticated;

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
  if op in ('_has_any', '_has_all', '_empty') then
    if kind like '%[]' and op = '_empty' and shape = 'boolean' then
      return format(case when operand = 'true' then '(%1$s is null or %1$s = ''{}'')' else '%1$s <> ''{}''' end, col);
    elsif kind like '%[]' and op <> '_empty' and shape = 'array' then
      return format('%s operator(pg_catalog.%s) %L::%s', col, case op when '_has_any' then '&&' else '@>' end,
        array(select e.item from jsonb_array_elements_text(operand) as e (item)), kind);
    end if;
    raise exception using errcode = '22023', message = format('%s takes a column of lists', op);
  end if;
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
      if length(given) > 200 then
        raise exception using errcode = '22023', message = 'a text to search for has at most 200 characters';
      end if;
      return format('%s::text ilike %L', col, '%' || app.like_escape(given) || '%');
    end if;
    -- Texts compare by code point, whatever the collation of the database, as the console compares in memory.
    return format('%s%s %s %L::%s', col,
      case when is_text and op not in ('_eq', '_neq') then ' collate pg_catalog."C"' else '' end, sign, given, kind);
  end if;
  raise exception using errcode = '22023', message = format('there is no condition %L with such a value', op);
end $$;
comment on function app.value_condition(text, text, boolean, text, jsonb) is
  'One operator of the filter language over a column that app.filter_path() named; every value is a quoted literal. _has_any, '
  '_has_all and _empty take columns of lists. 22023 for an unknown operator.';
grant execute on function app.value_condition(text, text, boolean, text, jsonb) to authenticated;

create function app.filter_condition(resource text, filter jsonb) returns text
  language plpgsql stable set search_path = '' as $$
begin
  perform app.check_filter(filter);
  return app.filter_part(resource, filter);
end $$;
comment on function app.filter_condition(text, jsonb) is
  'A filter of the console as a condition over the resource (as t): _eq _neq _lt _lte _gt _gte _in _nin _contains _has_any _has_all '
  '_empty _null _none _and _or. Over another table, a condition asks for a row there that meets it; _none, for paths `table.near.far` only, '
  'asks that no row there has one of the values, and with an empty list that there is no row. Names are checked against the catalog and '
  'quoted, values are literals; what the language does not have is refused by 22023.';
grant execute on function app.filter_condition(text, jsonb) to authenticated;

create function app.matching_source(resource text, filter jsonb, q text) returns text
  language plpgsql stable set search_path = '' as $$
begin
  perform app.filter_table(resource), app.require(resource, 'list');
  if length(filter::text) > 100000 then
    raise exception using errcode = '22023', message = 'the filter is too long';
  end if;
  -- Whoever lists some rows reads them by their ids, as the search does.
  if cardinality(app.search_patterns(q)) = 0
    and (to_regprocedure(format('public.%I(text)', 'search_' || resource)) is null or app.own_ids(resource) is null) then
    return format('public.%I t', resource);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || resource)) is null then
    raise exception using errcode = '22023', message = format('%L cannot be searched', resource);
  end if;
  return format('public.%I(%L) t', 'search_' || resource, q);
end $$;
comment on function app.matching_source(text, jsonb, text) is
  'What a list reads from, as t: the resource, or its search. 42501 where the caller may not list it.';
grant execute on function app.matching_source(text, jsonb, text) to authenticated;

create function public.matching_ids(
  resource text, filter jsonb, q text default '', after uuid default null, max_rows integer default 1000
) returns setof uuid
  language plpgsql stable set search_path = '' as $$
begin
  return query execute format('select t.id from %s where %s%s order by t.id limit %s',
    app.matching_source(resource, filter, q), app.filter_condition(resource, filter),
    case when after is null then '' else format(' and t.id > %L::uuid', after) end,
    least(greatest(coalesce(max_rows, 1000), 1), 1000));
end $$;
comment on function public.matching_ids(text, jsonb, text, uuid, integer) is
  'The ids of the rows that a list with this filter and search would show, in key order, up to 1,000 after a given key.';
grant execute on function public.matching_ids(text, jsonb, text, uuid, integer) to authenticated;

create function public.facet_counts(
  resource text, field text, filter jsonb, q text default '', max_rows integer default 50
) returns table (value text, count bigint)
  language plpgsql stable set search_path = '' as $$
declare
  place record := app.filter_path(resource, field);
begin
  return query execute format(
    'select %s::text, pg_catalog.count(*) from %s%s where %s group by 1 order by 2 desc, 1 limit %s',
    place.col, app.matching_source(resource, filter, q),
    case when place.via is null then '' else format(' join %s j on %s', place.via, place.joined) end,
    app.filter_condition(resource, filter), least(greatest(coalesce(max_rows, 50), 1), 200));
end $$;
comment on function public.facet_counts(text, text, jsonb, text, integer) is
  'How many rows of the filter and search hold each value of a field (named as in app.filter_path), the most frequent first; null is empty.';
grant execute on function public.facet_counts(text, text, jsonb, text, integer) to authenticated;

create function app.refuse_figure(reason text) returns text
  language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = '22023', message = reason;
end $$;
comment on function app.refuse_figure(text) is 'Raises 22023 with this reason: a figure that cannot be computed.';
grant execute on function app.refuse_figure(text) to authenticated;

create function app.figure_measure(resource text, figure jsonb) returns text
  language plpgsql stable set search_path = '' as $$
declare
  measure text := coalesce(figure ->> 'measure', 'count');
  place record;
begin
  if measure = 'count' then
    return 'pg_catalog.count(*)';
  end if;
  place := app.filter_path(resource, figure ->> 'of');
  if place.via is not null or place.kind not in ('smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision') then
    raise exception using errcode = '22023', message = format('%L is not a number of %s', figure ->> 'of', resource);
  end if;
  return case measure
    when 'sum' then format('pg_catalog.sum(%s)', place.col)
    when 'average' then format('pg_catalog.avg(%s)', place.col)
    when 'median' then format('pg_catalog.percentile_cont(0.5) within group (order by %s)', place.col)
    else app.refuse_figure(format('unknown measure %L', measure)) end;
end $$;
comment on function app.figure_measure(text, jsonb) is
  'The aggregate of a figure over the rows t: count, or sum, average or median of a number of the resource. 22023 for anything else.';
grant execute on function app.figure_measure(text, jsonb) to authenticated;

create function app.figure_table(resource text, given jsonb, source text, whole text, zone text) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  down record := app.filter_path(resource, given ->> 'by');
  across record := app.filter_path(resource, given ->> 'across');
  period text := given ->> 'every';
  periods integer := least(greatest(coalesce((given ->> 'last')::integer, 12), 1), 100);
  max_rows integer := least(greatest(coalesce((given ->> 'max')::integer, 50), 1), 50);
  bucket text := across.col || '::text';
  within text := 'true';
  first timestamp;
  after timestamp;
  keys jsonb;
  answer jsonb;
begin
  if down.via is not null or across.via is not null then
    perform app.refuse_figure(format('a table counts by two columns of %s', resource));
  end if;
  if period is not null then
    if across.kind not in ('date', 'timestamp with time zone') or period not in ('day', 'week', 'month') then
      perform app.refuse_figure('the periods of a table are the days, weeks or months of a date of the resource');
    end if;
    first := date_trunc(period, now() at time zone zone) - (periods - 1) * ('1 ' || period)::interval;
    after := first + periods * ('1 ' || period)::interval;
    -- A day has no zone; a moment is of the day that the reader's clock shows.
    bucket := format('pg_catalog.to_char(pg_catalog.date_trunc(%L, %s), ''YYYY-MM-DD'')', period,
      case across.kind when 'date' then format('%s::timestamp', across.col) else format('(%s at time zone %L)', across.col, zone) end);
    within := case across.kind
      when 'date' then format('%1$s >= %2$L::date and %1$s < %3$L::date', across.col, first, after)
      else format('%1$s >= (%2$L::timestamp at time zone %4$L) and %1$s < (%3$L::timestamp at time zone %4$L)', across.col, first, after, zone) end;
    keys := (select jsonb_agg(to_char(p.start, 'YYYY-MM-DD') order by p.start)
      from generate_series(first, after - ('1 ' || period)::interval, ('1 ' || period)::interval) as p (start));
  end if;
  -- Sums per row, per column and of all come from the rows themselves: an average of averages would be wrong.
  execute format($query$
    with found as materialized (
      select %1$s::text as down, %2$s as across, grouping(%1$s::text, %2$s) as level, %3$s as value
      from %4$s where %5$s and %6$s
      group by grouping sets ((%1$s::text, %2$s), (%1$s::text), (%2$s), ())),
    downs as (select f.down, f.value from found f where f.level = 1 order by f.value desc nulls last, f.down limit %7$s),
    acrosses as (
      select k.key as across, f.value, k.place from jsonb_array_elements_text($1) with ordinality as k (key, place)
        left join found f on f.level = 2 and f.across = k.key
      union all
      (select f.across, f.value, row_number() over (order by f.value desc nulls last, f.across) from found f
        where f.level = 2 and $1 is null order by 3 limit %7$s))
    select jsonb_build_object(
      'rows', (select coalesce(jsonb_agg(jsonb_build_object('key', d.down, 'value', d.value) order by d.value desc nulls last, d.down), '[]') from downs d),
      'columns', (select coalesce(jsonb_agg(jsonb_build_object('key', a.across, 'value', a.value) order by a.place), '[]') from acrosses a),
      'cells', (select coalesce(jsonb_agg(jsonb_build_array(f.down, f.across, f.value)), '[]') from found f
        join downs d on d.down is not distinct from f.down join acrosses a on a.across is not distinct from f.across where f.level = 0),
      'value', (select f.value from found f where f.level = 3),
      'of', (select count(*) from found f where f.level = 1))$query$,
    down.col, bucket, app.figure_measure(resource, given), source, whole, within, max_rows)
  into answer using keys;
  return answer;
end $$;
comment on function app.figure_table(text, jsonb, text, text, text) is
  'A figure by two columns, with the figure of each row, of each column and of all: {rows: [{key, value}], columns: [{key, value}], cells: '
  '[[row, column, value]], value, of: how many rows there are}. With every, the columns are the last periods of a date; otherwise '
  'the values with the largest figures. Runs as the caller, for list_figures.';
grant execute on function app.figure_table(text, jsonb, text, text, text) to authenticated;

-- Runs as the caller: row-level security decides which rows are counted.
create function public.list_figures(
  resource text, figures jsonb, filter jsonb, q text default '', zone text default 'UTC'
) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '20s' as $$
declare
  figure record;
  source text;
  own text;
  part text;
  whole text;
  single text[] := '{}';
  place record;
  bucket text;
  period text;
  periods integer;
  answer jsonb;
  answers jsonb := '{}';
begin
  if jsonb_typeof(figures) is distinct from 'object' or (select count(*) from jsonb_object_keys(figures)) > 24 then
    perform app.refuse_figure('figures must be an object with 24 entries or fewer');
  end if;
  -- The limits of a filter hold for all figures of a request together.
  perform app.check_filter(jsonb_build_object('_and', jsonb_build_array(filter) || coalesce((
    select jsonb_agg(w.condition) from jsonb_each(figures) as e
      cross join lateral (values (e.value -> 'filter'), (e.value -> 'part')) as w (condition)
    where jsonb_typeof(w.condition) = 'object'), '[]')));
  source := app.matching_source(resource, filter, q);
  own := app.filter_condition(resource, filter);
  for figure in select e.key as name, e.value as given from jsonb_each(figures) as e loop
    part := app.filter_condition(resource, coalesce(figure.given -> 'filter', '{}'));
    whole := own || ' and ' || part;
    answer := null;
    case figure.given ->> 'show'
      when 'number' then
        single := single || format('%L, jsonb_build_object(''value'', %s filter (where %s))',
          figure.name, app.figure_measure(resource, figure.given), part);
      when 'share' then
        single := single || format('%L, jsonb_build_object(''value'', pg_catalog.count(*) filter (where %s and %s), ''of'', pg_catalog.count(*) filter (where %s))',
          figure.name, part, app.filter_condition(resource, coalesce(figure.given -> 'part', '{}')), part);
      when 'top' then
        place := app.filter_path(resource, figure.given ->> 'by');
        if place.via is not null then
          perform app.refuse_figure(format('%L is not a column of %s', figure.given ->> 'by', resource));
        end if;
        execute format('select coalesce(jsonb_agg(jsonb_build_object(''key'', r.key, ''value'', r.value) order by r.value desc nulls last, r.key), ''[]'')
          from (select %s::text as key, %s as value from %s where %s group by 1 order by 2 desc nulls last, 1 limit %s) r',
          place.col, app.figure_measure(resource, figure.given), source, whole,
          least(greatest(coalesce((figure.given ->> 'max')::integer, 5), 1), 50)) into answer;
      when 'series' then
        place := app.filter_path(resource, figure.given ->> 'by');
        period := figure.given ->> 'every';
        periods := least(greatest(coalesce((figure.given ->> 'last')::integer, 12), 1), 100);
        if place.via is not null or place.kind not in ('date', 'timestamp with time zone') or coalesce(period, '') not in ('day', 'week', 'month') then
          perform app.refuse_figure('a series counts the days, weeks or months of a date of the resource');
        end if;
        -- A day has no zone; a moment is of the day that the reader's clock shows.
        bucket := case place.kind when 'date' then format('%s::timestamp', place.col)
          else format('%s at time zone %L', place.col, zone) end;
        execute format($query$
          with edge as (select date_trunc(%1$L, now() at time zone %2$L) - (%3$s - 1) * interval %4$L as first),
          found as (
            select date_trunc(%1$L, %5$s) as start, %6$s as value from %7$s cross join edge
            where %8$s and %9$s >= %10$s group by 1)
          select jsonb_agg(jsonb_build_object('key', to_char(p.start, 'YYYY-MM-DD'), 'value', f.value) order by p.start)
          from edge cross join lateral generate_series(edge.first, edge.first + (%3$s - 1) * interval %4$L, interval %4$L) as p (start)
          left join found f on f.start = p.start $query$,
          period, zone, periods, '1 ' || period, bucket, app.figure_measure(resource, figure.given), source, whole, place.col,
          case place.kind when 'date' then 'edge.first::date' else format('(edge.first at time zone %L)', zone) end) into answer;
      when 'table' then
        answer := app.figure_table(resource, figure.given, source, whole, zone);
      else perform app.refuse_figure(format('unknown figure %L', figure.given ->> 'show'));
    end case;
    answers := answers || jsonb_build_object(figure.name, answer);
  end loop;
  -- Single values in one pass over the rows.
  if cardinality(single) > 0 then
    execute format('select jsonb_build_object(%s) from %s where %s', array_to_string(single, ', '), source, own) into answer;
    answers := answers || answer;
  end if;
  return answers;
end $$;
comment on function public.list_figures(text, jsonb, jsonb, text, text) is
  'The figures of a list under its filter and search, in one request: {name: {show, measure, of, by, across, filter, part, every, last, max}}. '
  'number answers {value}, share {value, of}, top [{key, value}] with the largest first, series [{key: first day of the period, value}] up to '
  'the current one, table as app.figure_table. Paths as in app.filter_path, periods by the clock of zone. Runs as the caller; 22023 for what it does not know.';
grant execute on function public.list_figures(text, jsonb, jsonb, text, text) to authenticated;

create function public.record_titles(wanted jsonb) returns table (resource text, id uuid, fields jsonb)
  language plpgsql stable set search_path = '' as $$
declare
  entry record;
  own regclass;
  columns text;
begin
  if jsonb_typeof(wanted) is distinct from 'object' or (select count(*) from jsonb_object_keys(wanted)) > 50 then
    raise exception using errcode = '22023', message = 'wanted must be an object with 50 resources or fewer';
  end if;
  for entry in select e.key, array(select x.item::uuid from jsonb_array_elements_text(e.value -> 'ids') as x (item)) as ids,
      array(select x.item from jsonb_array_elements_text(e.value -> 'fields') as x (item)) as fields
    from jsonb_each(wanted) as e loop
    own := app.filter_table(entry.key);
    perform app.check_batch(entry.ids);
    select string_agg(format('%L, t.%I', a.attname, a.attname), ', ') into columns from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    begin
      return query execute format('select %L, t.id, jsonb_build_object(%s) from %s t where t.id = any ($1)',
        entry.key, coalesce(columns, ''), own) using entry.ids;
    exception when insufficient_privilege then
      -- A record that the caller may not read has no title for them.
      null;
    end;
  end loop;
end $$;
comment on function public.record_titles(jsonb) is
  'How records of several resources are called, in one request: {resource: {ids, fields}}, up to 1,000 ids each. Records that do not exist, '
  'or not to be seen, is not in the answer. Runs as the caller.';
grant execute on function public.record_titles(jsonb) to authenticated;

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
grant execute on function app.filter_part(text, jsonb) to authenticated;
