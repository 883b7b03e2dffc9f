-- Bulk edits lock in order.

create or replace function public.bulk_edit(
  resource text, ids uuid[], changes jsonb default '{}', lists jsonb default '[]', job uuid default null
) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  has_version constant boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  entry jsonb;
  part record;
  place integer := 0;
  unknown text;
  names text[];
  assigned text[];
  differing text[];
  writes text[] := '{}';
  changed text[] := '{}';
  settled text[] := '{}';
  kept text[] := '{}';
  kept_joins text[] := '{}';
  there uuid[];
  settled_ids uuid[];
  done record;
  given constant text := format('(select * from jsonb_populate_record(null::%s, $2) offset 0) r', own);
begin
  perform app.check_batch(ids);
  if jsonb_typeof(changes) is distinct from 'object' or jsonb_typeof(lists) is distinct from 'array'
    or (changes = '{}' and lists = '[]') or jsonb_array_length(lists) > 20 then
    raise exception using errcode = '22023', message = 'the changes are an object with a field or more, or a list of changed lists';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')), array_agg(k.name),
    array_agg(format('%1$I = r.%1$I', k.name)), array_agg(format('t.%1$I is distinct from r.%1$I', k.name))
  into unknown, names, assigned, differing
  from jsonb_object_keys(changes) as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  for entry in select e.item from jsonb_array_elements(lists) as e (item) loop
    perform app.check_list_change(entry);
    if entry ? 'field' then
      if changes ? (entry ->> 'field') then
        raise exception using errcode = '22023', message = format('%L is changed twice', entry ->> 'field');
      end if;
      part := app.words_change(resource, entry);
      names := names || (entry ->> 'field');
      assigned := assigned || part.assigned::text;
      differing := differing || part.differing::text;
    else
      place := place + 1;
      part := app.links_change(resource, entry, place);
      writes := writes || part.writes::text;
      changed := changed || part.changed::text;
      settled := settled || part.settled::text;
      part := app.links_kept(entry, place);
      kept := kept || part.kept::text;
      kept_joins := kept_joins || part.joined::text;
    end if;
  end loop;
  if cardinality(assigned) > 0 then
    -- Links follow the columns: of a row whose columns are not to be written, nothing is. The old values are read from locked rows,
    -- so that they are the very ones that are overwritten, and locked in one order, so that two people who edit the same rows wait for
    -- each other; rows of a view are written by its trigger and cannot be locked here.
    writes := array[format('o as (select x.* from %s x where x.id = any ($1)%s)', own,
        case (select c.relkind from pg_catalog.pg_class c where c.oid = own) when 'v' then '' else ' order by x.id for update' end),
      format('w as (update %s t set %s from o, %s where t.id = o.id and (%s) returning t.id, jsonb_build_object(%s) as before)',
        own, array_to_string(assigned, ', '), given, array_to_string(differing, ' or '),
        (select string_agg(format('%1$L, o.%1$I', n.name), ', ') from unnest(names) as n (name))),
      format('t as (select t.* from %s t, %s where t.id = any ($1) and (not (%s) or t.id in (select w.id from w)))',
        own, given, array_to_string(differing, ' or '))] || writes;
    changed := array['select w.id from w'] || changed;
    settled := settled || format('not (%s)', array_to_string(differing, ' or '));
  else
    writes := format('t as (select t.* from %s t where t.id = any ($1))', own) || writes;
  end if;
  writes := writes || format('c as (select distinct x.id from (%s) x)', array_to_string(changed, ' union all '));
  done := app.write_batch(format('with %s select %s from c%s', array_to_string(writes, ', '),
    case when job is null then 'array_agg(c.id)'
      else format('app.keep_bulk_change(%L::uuid, %L, array_agg(c.id), array_agg(%s), array_agg(jsonb_build_array(%s)))', job, resource,
        case when cardinality(assigned) > 0 then 'coalesce(w.before, ''{}'')' else '''{}''::jsonb' end, array_to_string(kept, ', ')) end,
    case when job is null then '' else concat(case when cardinality(assigned) > 0 then ' left join w on w.id = c.id' end,
      array_to_string(kept_joins, '')) end), ids, changes);
  if job is not null then
    -- As triggers left the rows, not as the statement wrote them.
    execute format('select app.settle_bulk_change($2, $3, array_agg(t.id), %s) from app.bulk_changes($2, $3, $1) b join %s t on t.id = b.row_id',
      case when has_version then 'array_agg(t.version), null'
        else 'null, array_agg((select coalesce(jsonb_object_agg(e.key, to_jsonb(t) -> e.key), ''{}'') from jsonb_each(b.before) e))' end, own)
    using done.written, job, resource;
  end if;
  execute format('select array_agg(t.id), array_agg(t.id) filter (where %s) from %s t, %s where t.id = any ($1)',
    array_to_string(settled, ' and '), own, given) into there, settled_ids using ids, changes;
  -- A batch whose answer was lost is sent again: what it wrote then is still this job's change.
  return query select * from app.row_outcomes(ids, 'changed', done.written || array(
      select b.row_id from app.bulk_changes(job, resource, settled_ids) b where b.undone_at is null),
    there, settled_ids, done.refused, 'the row was not changed');
end $$;

create or replace function public.bulk_undo(resource text, ids uuid[], job uuid) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  has_version constant boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  unchanged constant text := case when has_version then 't.version = b.version'
    else 'not exists (select 1 from jsonb_each(b.after) e where e.value is distinct from to_jsonb(t) -> e.key)' end;
  kept constant text := format('select * from app.bulk_changes(%L::uuid, %L, $1) b where b.undone_at is null', job, resource);
  assigned text;
  entry record;
  link record;
  place integer := 0;
  writes text[];
  known uuid[];
  there uuid[];
  overtaken uuid[];
  undone uuid[];
  done record;
begin
  perform app.check_batch(ids);
  select array_agg(b.row_id) into known from app.bulk_changes(job, resource, ids) b;
  -- Only columns that can be written: the job wrote no others.
  select string_agg(format('%1$I = case when b.before ? %1$L then r.%1$I else t.%1$I end', a.attname), ', ') into assigned
  from pg_catalog.pg_attribute a
  where a.attrelid = own and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname not in ('id', 'company_id', 'version')
    and a.attname in (select k.name from app.bulk_changes(job, resource, known) b cross join jsonb_object_keys(b.before) as k (name));
  writes := array[format('b as (%s)', kept)];
  if assigned is null then
    writes := writes || format('t as (select t.* from %s t join b on b.row_id = t.id where %s)', own, unchanged);
  else
    -- In one order, as bulk_edit() locks them.
    writes := writes || format('o as (select x.id from %s x where x.id = any ($1)%s)', own,
        case (select c.relkind from pg_catalog.pg_class c where c.oid = own) when 'v' then '' else ' order by x.id for update' end)
      || format('w as (update %1$s t set %2$s from o join b on b.row_id = o.id cross join lateral jsonb_populate_record(null::%1$s, b.before) r '
        'where t.id = o.id and %3$s returning t.id)', own, assigned, unchanged)
      || format('t as (select t.* from %s t where t.id in (select w.id from w))', own);
  end if;
  for entry in
    select distinct e.item ->> 'through' as through, e.item ->> 'near' as near, e.item ->> 'far' as far
    from app.bulk_changes(job, resource, known) b cross join jsonb_array_elements(b.links) as e (item)
  loop
    place := place + 1;
    link := app.link_table(resource, entry.through, entry.near, entry.far);
    writes := writes
      || format('l%s as (select b.row_id, e.item from b cross join lateral jsonb_array_elements(b.links) as e (item) '
        'where e.item ->> ''through'' = %L and e.item ->> ''near'' = %L and e.item ->> ''far'' = %L)',
        place, entry.through, entry.near, entry.far)
      || format('d%1$s as (delete from %2$s j using t, l%1$s l cross join lateral jsonb_array_elements_text(l.item -> ''added'') as x (far) '
        'where l.row_id = t.id and j.%3$I = t.id%5$s and j.%4$I = x.far::uuid)', place, link.tbl, entry.near, entry.far,
        case when link.has_company then ' and j.company_id = t.company_id' else '' end)
      || format('a%1$s as (insert into %2$s (%3$s%4$I, %5$I) select %6$s t.id, x.far::uuid from t join l%1$s l on l.row_id = t.id '
        'cross join lateral jsonb_array_elements_text(l.item -> ''removed'') as x (far) on conflict do nothing)', place, link.tbl,
        case when link.has_company then 'company_id, ' else '' end, entry.near, entry.far,
        case when link.has_company then 't.company_id,' else '' end);
  end loop;
  done := app.write_batch(format('with %s select app.mark_undone(%L::uuid, %L, array_agg(t.id)) from t',
    array_to_string(writes, ', '), job, resource), ids, '{}');
  execute format('select array_agg(t.id), array_agg(t.id) filter (where not (%s)) from %s t join (%s) b on b.row_id = t.id',
    unchanged, own, kept) into there, overtaken using ids;
  select coalesce(array_agg(b.row_id), '{}') into undone from app.bulk_changes(job, resource, known) b where b.undone_at is not null;
  return query
  select u.one, o.outcome, case when o.outcome = 'refused'
    then coalesce(done.refused -> u.one::text, '{"code": "42501", "message": "the row was not restored", "hint": "role"}') end
  from (select distinct x.one from unnest(known) as x (one)) u
  cross join lateral (select case
    -- Restored by this call, or by an earlier one whose answer was lost.
    when u.one = any (undone) then 'changed'
    when not u.one = any (coalesce(there, '{}')) then 'gone'
    when u.one = any (coalesce(overtaken, '{}')) then 'stale'
    else 'refused' end as outcome) o;
end $$;
