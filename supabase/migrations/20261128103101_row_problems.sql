-- Row problems.

set check_function_bodies = off;

create function app.row_problem(code text, said text, detailed text, hinted text) returns jsonb
  language sql immutable set search_path = '' as $$
  select jsonb_build_object('code', code, 'message', said,
    'details', case when detailed like 'Failing row contains%' then '' else detailed end, 'hint', hinted)
$$;
comment on function app.row_problem(text, text, text, text) is
  'The error of a row as it is answered. A check that failed has the whole row as its detail, with columns that the caller may not read: that is left out.';
grant execute on function app.row_problem(text, text, text, text) to authenticated;

create or replace function app.write_batch(statement text, ids uuid[], changes jsonb, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  one uuid;
  ids_written uuid[];
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for the whole batch.
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
        app.row_problem(code, said, detailed, hinted));
    end;
  end loop;
end $$;

create or replace function app.act_batch(statement text, ids uuid[], args jsonb, is_single boolean, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  reached bigint;
  middle integer := (cardinality(ids) + 1) / 2;
  first_half record;
  other_half record;
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  if cardinality(ids) = 0 then
    return;
  end if;
  if cardinality(ids) = 1 or not is_single then
    begin
      execute statement into reached using ids, args;
      if reached is null or reached >= cardinality(ids) then
        written := ids;
        return;
      end if;
      -- A row alone that was not reached is told by what holds of it; of several it is not known which.
      if cardinality(ids) = 1 then
        return;
      end if;
      raise exception using errcode = 'PT000', message = 'some rows were not reached';
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
    end;
    if cardinality(ids) = 1 then
      refused := jsonb_build_object(ids[1]::text,
        app.row_problem(code, said, detailed, hinted));
      return;
    end if;
  end if;
  first_half := app.act_batch(statement, ids[:middle], args, is_single);
  other_half := app.act_batch(statement, ids[middle + 1:], args, is_single);
  written := first_half.written || other_half.written;
  refused := first_half.refused || other_half.refused;
end $$;

create or replace function app.import_halve(
  statements text[], own regclass, company uuid, vals jsonb[], targets uuid[], places integer[], col text, room integer,
  until timestamptz
) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  whole integer := cardinality(places);
  middle integer := whole / 2;
  statement text;
  part integer;
  done integer := 0;
  problems jsonb;
  code text; said text; detailed text; hinted text; named text; bound text; bound_table text;
begin
  begin
    foreach statement in array statements loop
      execute statement using company, vals, targets;
      get diagnostics part = row_count;
      done := done + part;
    end loop;
    if done <> whole then
      -- Row-level security lets an update pass by what may be read and not written.
      raise exception using errcode = '42501', message = 'permission denied: the row was not written', hint = 'role';
    end if;
    return '[]';
  exception when others then
    get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
      hinted = pg_exception_hint, named = column_name, bound = constraint_name, bound_table = table_name;
    -- 54: a value that is too long for an index.
    if not app.concerns_row(code) and left(code, 2) <> '54' then
      raise;
    end if;
  end;
  if whole = 1 then
    if col is null and named = '' and bound <> '' then
      select min(a.attname) into named
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = k.conrelid and c.relname = bound_table
      join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname <> 'company_id'
      where k.conname = bound and k.conrelid = own
      having count(*) = 1;
    end if;
    return jsonb_build_array(jsonb_build_object('at', places[1], 'column', coalesce(col, nullif(named, '')), 'code', code,
      'message', said, 'details', nullif(app.row_problem(code, said, detailed, hinted) ->> 'details', ''), 'hint', case when col is null then nullif(hinted, '') else 'bad_value' end));
  end if;
  problems := app.import_halve(statements, own, company, vals[:middle], targets[:middle], places[:middle], col, room, until);
  if jsonb_array_length(problems) >= room or problems @> '[{"more": true}]' then
    return problems;
  elsif problems <> '[]' and clock_timestamp() >= until then
    return problems || '[{"more": true}]';
  end if;
  return problems || app.import_halve(statements, own, company, vals[middle + 1:], targets[middle + 1:], places[middle + 1:], col,
    room - jsonb_array_length(problems), until);
end $$;

create or replace function public.save_rows(resource text, rows jsonb)
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  locks boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  unknown text;
  writable text;
  one record;
  assigned text;
  differing text;
  differs boolean;
  held integer;
  written integer;
  code text; said text; detailed text; hinted text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_array_length(rows) > 1000 then
    raise exception using errcode = '22023', message = 'the rows are a list of at most 1,000';
  end if;
  if exists (select 1 from jsonb_array_elements(rows) as e (item)
    where jsonb_typeof(e.item -> 'id') is distinct from 'string' or jsonb_typeof(e.item -> 'changes') is distinct from 'object'
      or e.item -> 'changes' = '{}' or coalesce(jsonb_typeof(e.item -> 'version'), 'null') not in ('number', 'null')) then
    raise exception using errcode = '22023', message = 'a row is an id, the version it was read with, and changes of a field or more';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')),
    min(k.name) filter (where has_column_privilege(own, a.attnum, 'update'))
  into unknown, writable
  from jsonb_array_elements(rows) as e (item)
  cross join lateral jsonb_object_keys(e.item -> 'changes') as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  if writable is not null then
    -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for all rows.
    execute format('update %1$s t set %2$I = t.%2$I where false', own, writable);
  end if;
  for one in
    select (e.item ->> 'id')::uuid as key, e.item -> 'changes' as changes,
      case when locks then (e.item ->> 'version')::integer end as version
    from jsonb_array_elements(rows) with ordinality as e (item, n) order by e.n
  loop
    id := one.key;
    reason := null;
    begin
      select string_agg(format('%1$I = r.%1$I', k.name), ', '),
        string_agg(format('t.%1$I is distinct from r.%1$I', k.name), ' or ')
      into assigned, differing from jsonb_object_keys(one.changes) as k (name);
      execute format('select %s, %s from %s t, (select * from jsonb_populate_record(null::%3$s, $2) offset 0) r where t.id = $1',
        case when locks then 't.version' else 'null::integer' end, differing, own)
      into held, differs using one.key, one.changes;
      outcome := case when differs is null then 'gone' when not differs then 'same' when held <> one.version then 'stale' end;
      if outcome is null then
        execute format('update %1$s t set %2$s from (select * from jsonb_populate_record(null::%1$s, $2) offset 0) r where t.id = $1%3$s',
          own, assigned, case when one.version is null then '' else ' and t.version = $3' end)
        using one.key, one.changes, one.version;
        get diagnostics written = row_count;
        outcome := case when written > 0 then 'changed' else 'refused' end;
        if written = 0 and one.version is not null then
          -- Somebody may have been first between the reading and the writing.
          execute format('select t.version from %s t where t.id = $1', own) into held using one.key;
          outcome := case when held is null then 'gone' when held <> one.version then 'stale' else 'refused' end;
        end if;
        if outcome = 'refused' then
          reason := '{"code": "42501", "message": "the row was not changed", "hint": "role"}';
        end if;
      end if;
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      outcome := 'refused';
      reason := app.row_problem(code, said, detailed, hinted);
    end;
    return next;
  end loop;
end $$;

create or replace function public.save_children(resource text, by text, parent uuid, rows jsonb)
  returns table (place integer, id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  unknown text;
  one record;
  columns text;
  made uuid;
  results jsonb := '[]';
  result jsonb;
  code text; said text; detailed text; hinted text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_array_length(rows) > 200 then
    raise exception using errcode = '22023', message = 'the rows are a list of at most 200';
  end if;
  if exists (select 1 from jsonb_array_elements(rows) as e (item)
    where coalesce(jsonb_typeof(e.item -> 'id'), 'null') not in ('string', 'null')
      or coalesce(jsonb_typeof(e.item -> 'version'), 'null') not in ('number', 'null')
      or (coalesce((e.item ->> 'remove')::boolean, false) and e.item ->> 'id' is null)
      or (not coalesce((e.item ->> 'remove')::boolean, false) and jsonb_typeof(e.item -> 'changes') is distinct from 'object')) then
    raise exception using errcode = '22023', message = 'a row has changes, an id and version if it exists, or an id and remove';
  end if;
  select min(k.name) into unknown
  from (select by as name union select jsonb_object_keys(e.item -> 'changes')
    from jsonb_array_elements(rows) as e (item) where jsonb_typeof(e.item -> 'changes') = 'object') as k
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  where a.attname is null or k.name in ('id', 'version');
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  begin
    -- Removed rows first: a new one may take the name of one that goes.
    for one in
      select e.item, (e.n - 1)::integer as place
      from jsonb_array_elements(rows) with ordinality as e (item, n)
      order by not coalesce((e.item ->> 'remove')::boolean, false), e.item ->> 'id' is null, e.n
    loop
      begin
        if coalesce((one.item ->> 'remove')::boolean, false) then
          execute format('delete from %s t where t.id = $1 and t.%I = $2 returning t.id', own, by)
          into made using (one.item ->> 'id')::uuid, parent;
          -- A row that is not there is what was wanted, and the others are saved.
          result := jsonb_build_object('outcome', case when made is null then 'absent' else 'deleted' end);
        elsif one.item ->> 'id' is not null then
          execute format('select t.id from %s t where t.id = $1 and t.%I = $2', own, by)
          into made using (one.item ->> 'id')::uuid, parent;
          if made is null then
            result := jsonb_build_object('outcome', 'gone');
          else
            select jsonb_build_object('outcome', s.outcome, 'reason', s.reason) into result
            from public.save_rows(resource, jsonb_build_array(one.item)) s;
          end if;
        else
          select string_agg(format('%I', k.name), ', ') into columns
          from (select jsonb_object_keys(one.item -> 'changes') union select by) as k (name);
          execute format('insert into %1$s as t (%2$s) select %2$s from jsonb_populate_record(null::%1$s, $1) returning t.id',
            own, columns)
          into made using one.item -> 'changes' || jsonb_build_object(by, parent);
          result := jsonb_build_object('outcome', 'created', 'id', made);
        end if;
      exception when others then
        get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
          hinted = pg_exception_hint;
        if not app.concerns_row(code) then
          raise;
        end if;
        result := jsonb_build_object('outcome', 'refused',
          'reason', app.row_problem(code, said, detailed, hinted));
      end;
      results := results || (jsonb_build_object('place', one.place, 'id', one.item ->> 'id') || result);
    end loop;
    if exists (select 1 from jsonb_array_elements(results) as r (item) where r.item ->> 'outcome' in ('refused', 'stale', 'gone')) then
      raise exception using errcode = 'KUNDO';
    end if;
  exception when sqlstate 'KUNDO' then
    -- Nothing was written. Rows without a problem of their own are reported as kept, to be sent again.
    select coalesce(jsonb_agg(case when r.item ->> 'outcome' in ('refused', 'stale', 'gone') then r.item
      else (r.item || '{"outcome": "kept"}') - 'reason' end), '[]')
    into results from jsonb_array_elements(results) as r (item);
  end;
  return query select (r.item ->> 'place')::integer, (r.item ->> 'id')::uuid, r.item ->> 'outcome', nullif(r.item -> 'reason', 'null')
    from jsonb_array_elements(results) as r (item) order by 1;
end $$;
