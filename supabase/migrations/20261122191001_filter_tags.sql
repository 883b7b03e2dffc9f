-- Lists are filtered by tags, too: any of some words, all of them, or none at all.

create or replace function app.value_condition(col text, kind text, is_text boolean, op text, operand jsonb) returns text
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
    -- By code point wherever the database stands, as the console compares in memory.
    return format('%s%s %s %L::%s', col,
      case when is_text and op not in ('_eq', '_neq') then ' collate pg_catalog."C"' else '' end, sign, given, kind);
  end if;
  raise exception using errcode = '22023', message = format('there is no condition %L with such a value', op);
end $$;
comment on function app.value_condition(text, text, boolean, text, jsonb) is
  'One operator of the filter language over a column that app.filter_path() named; every value is a quoted literal. _has_any, '
  '_has_all and _empty take columns of lists. 22023 for an unknown operator.';
comment on function app.filter_condition(text, jsonb) is
  'A filter of the console as a condition over the resource (as t): _eq _neq _lt _lte _gt _gte _in _nin _contains _has_any _has_all '
  '_empty _null _and _or. Names are checked against the catalogue and quoted, values are literals; what the language does not have is '
  'refused by 22023.';
