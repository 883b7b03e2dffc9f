-- Children in the parent's form -----------------------------------------------------------------------------------------
-- A form may edit the records that refer to its own, such as the lines of a contract. They are written together: a list
-- of which half is saved would be neither the old one nor the new one.

create function public.save_children(resource text, by text, parent uuid, rows jsonb)
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
          -- A row that is gone already is what was wanted.
          result := jsonb_build_object('outcome', 'deleted');
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
          'reason', jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
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
comment on function public.save_children(text, text, uuid, jsonb) is
  'Writes up to 200 rows that refer to a parent by a column, all or none: [{changes}] is created, [{id, version, changes}] is changed '
  '(save_rows), [{id, remove: true}] is deleted. Per row, by its place in the list from 0: created, changed, same or deleted. If one is '
  'refused, stale (another version than the one it was read with) or gone, nothing is written and the others are kept. '
  'Runs as the caller.';
revoke execute on function public.save_children(text, text, uuid, jsonb) from public, anon;
grant execute on function public.save_children(text, text, uuid, jsonb) to authenticated;
