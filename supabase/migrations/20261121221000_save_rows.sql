-- Many rows at once, each with changes of its own: what was edited in the cells of a list and looked over before saving.
-- Runs as the caller: grants by column, row-level security and triggers decide, as they do for one row.

create function public.save_rows(resource text, rows jsonb)
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
    -- Without a row, it only asks whether the caller may at all: a refusal here is one for all rows.
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
      reason := jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted);
    end;
    return next;
  end loop;
end $$;
comment on function public.save_rows(text, jsonb) is
  'Writes at most 1,000 rows [{id, version, changes}], each by itself: changed, same (it already holds these values), stale '
  '(another version than the one it was read with), gone (not there, or not to be seen) or refused, with the error of the row as the '
  'reason. Without a version, and where the table has none, there is no lock. Runs as the caller.';

revoke execute on function public.save_rows(text, jsonb) from public, anon;
grant execute on function public.save_rows(text, jsonb) to authenticated;
