-- A bulk edit can be undone as long as its result is shown. The audit log cannot serve for that: it cuts values at 1,000
-- characters and hides secrets, so a restore from it would destroy what it restores. bulk_edit() therefore keeps what each row
-- held, for a day, and bulk_undo() puts it back into rows that nobody has changed since.

create table app.bulk_change (
  job_id uuid not null,
  actor_id uuid not null default app.current_user_id(),
  resource text not null,
  row_id uuid not null,
  -- The columns the job set, with the values they had.
  before jsonb not null default '{}',
  -- The links the job made and removed: [{through, near, far, added: ids, removed: ids}].
  links jsonb not null default '[]',
  -- How the job left the row: its version, or the columns it set where the table has no version.
  version integer,
  after jsonb,
  at timestamptz not null default now(),
  undone_at timestamptz,
  primary key (actor_id, job_id, resource, row_id)
);
comment on table app.bulk_change is
  'What a row held before a bulk edit, one row a record and job, kept for a day. The job''s id is chosen by the client, so it only means '
  'something together with the actor. Without foreign keys: it is never read but by the job that wrote it.';
create index bulk_change_at_idx on app.bulk_change (at);
revoke all on app.bulk_change from public, anon, authenticated, service_role;
alter table app.bulk_change enable row level security;

create function app.keep_bulk_change(job uuid, resource text, ids uuid[], before jsonb[], links jsonb[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.bulk_change (job_id, resource, row_id, before, links)
  select keep_bulk_change.job, keep_bulk_change.resource, u.id, u.before, u.links
  from unnest(ids, keep_bulk_change.before, keep_bulk_change.links) as u (id, before, links)
  on conflict do nothing;
  return ids;
end $$;
comment on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]) is
  'Keeps what rows held before the caller''s bulk edit, and gives their ids back. Definer, because no API role comes to app.bulk_change; '
  'what is kept is only ever written back as the caller. Nobody calls it but bulk_edit().';

create function app.settle_bulk_change(job uuid, resource text, ids uuid[], versions integer[], after jsonb[]) returns void
  language sql volatile security definer set search_path = '' as $$
  update app.bulk_change b set version = u.version, after = u.after
  from unnest(settle_bulk_change.ids, settle_bulk_change.versions, settle_bulk_change.after) as u (id, version, after)
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = settle_bulk_change.resource and b.row_id = u.id
$$;
comment on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) is
  'Notes how the caller''s bulk edit left rows. Definer, because no API role comes to app.bulk_change. Nobody calls it but bulk_edit().';

create function app.bulk_changes(job uuid, resource text, ids uuid[]) returns setof app.bulk_change
  language sql stable security definer set search_path = '' rows 200 as $$
  select b.* from app.bulk_change b
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = bulk_changes.resource and b.row_id = any (ids)
$$;
comment on function app.bulk_changes(uuid, text, uuid[]) is
  'What the caller''s own bulk edit changed in these rows. Definer, because no API role comes to app.bulk_change; never another''s.';

create function app.mark_undone(job uuid, resource text, ids uuid[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.bulk_change b set undone_at = now()
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = mark_undone.resource and b.row_id = any (ids);
  return ids;
end $$;
comment on function app.mark_undone(uuid, text, uuid[]) is
  'Notes that the caller''s bulk edit was undone in these rows, and gives their ids back. Definer, because no API role comes to '
  'app.bulk_change. Nobody calls it but bulk_undo().';

create function app.forget_bulk_changes() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.bulk_change b where b.ctid = any (array(
    select c.ctid from app.bulk_change c where c.at < now() - interval '1 day' limit 5000));
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_bulk_changes() is 'Step of app.tick(): removes what bulk edits of more than a day ago had kept, at most 5,000 rows.';
revoke execute on function app.forget_bulk_changes() from public, anon, authenticated;
insert into app.tick_step (position, name, function) values (97, 'bulk_changes', 'forget_bulk_changes');

-- Editing -----------------------------------------------------------------------------------------------------------

create function app.link_table(resource text, through text, near text, far text, out tbl regclass, out has_company boolean)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
begin
  -- In the API's schema, with one reference to these rows and one to the others.
  select c.oid::regclass, exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
  into tbl, has_company
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = through and near <> far
    and 2 = (
      select count(distinct pair.named) from pg_catalog.pg_constraint k
      cross join lateral (
        select bool_and(a.attname in (s.named, 'company_id')) and bool_or(a.attname = s.named) as fits, s.named
        from (values (near, own), (far, null)) as s (named, target)
        cross join unnest(k.conkey) as u (attnum)
        join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum
        where s.target is null or s.target = k.confrelid
        group by s.named) pair
      where k.conrelid = c.oid and k.contype = 'f' and pair.fits);
  if tbl is null then
    raise exception using errcode = '22023', message = format('%L is not linked through %L', resource, through);
  end if;
  perform app.require(through, 'list');
end $$;
comment on function app.link_table(text, text, text, text) is
  'The table between the rows of a resource and others, if the caller may list it: near and far are its two references. '
  '22023 for a table that does not link them.';

create or replace function app.links_change(resource text, entry jsonb, place integer, out writes text, out changed text, out settled text)
  language plpgsql stable set search_path = '' as $$
declare
  near text := entry ->> 'near';
  far text := entry ->> 'far';
  link record := app.link_table(resource, entry ->> 'through', near, far);
  joined text;
  items uuid[] := array(select distinct e.item::uuid from jsonb_array_elements_text(entry -> 'items') as e (item));
begin
  joined := format(case when link.has_company then 'j.%I = t.id and j.company_id = t.company_id' else 'j.%I = t.id' end, near);
  if entry ->> 'how' <> 'remove' then
    writes := format('a%s as (insert into %s (%s%I, %I) select %s t.id, o.item from t cross join unnest(%L::uuid[]) as o (item) '
      'on conflict do nothing returning %4$I as id, %5$I as item)', place, link.tbl,
      case when link.has_company then 'company_id, ' else '' end, near, far,
      case when link.has_company then 't.company_id,' else '' end, items);
    changed := format('select id from a%s', place);
    settled := format('not exists (select 1 from unnest(%L::uuid[]) as o (item) where not exists (select 1 from %s j where %s and j.%I = o.item))',
      items, link.tbl, joined, far);
  end if;
  if entry ->> 'how' <> 'add' then
    writes := concat_ws(', ', writes, format('d%s as (delete from %s j using t where %s and %s(j.%I = any (%L::uuid[])) returning t.id, j.%5$I as item)',
      place, link.tbl, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
    changed := concat_ws(' union all ', changed, format('select id from d%s', place));
    settled := concat_ws(' and ', settled, format('not exists (select 1 from %s j where %s and %s(j.%I = any (%L::uuid[])))',
      link.tbl, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
  end if;
end $$;
comment on function app.links_change(text, jsonb, integer) is
  'Writes in a table between the rows (t) and others, as parts of a statement: {through, near, far, how: add|remove|replace, items: ids}. '
  'a<place> gives the links it made and d<place> those it removed, each as (id, item). Who writes needs what the table between asks; its '
  'keys refuse an other of another company (23503). 22023 for a table that does not link.';

create function app.links_kept(entry jsonb, place integer, out kept text, out joined text)
  language sql immutable set search_path = '' as $$
  select format('jsonb_build_object(''through'', %L::text, ''near'', %L::text, ''far'', %L::text%s%s)',
      entry ->> 'through', entry ->> 'near', entry ->> 'far',
      case when entry ->> 'how' <> 'remove' then format(', ''added'', coalesce(ga%s.items, ''[]'')', place) else '' end,
      case when entry ->> 'how' <> 'add' then format(', ''removed'', coalesce(gd%s.items, ''[]'')', place) else '' end),
    concat(
      case when entry ->> 'how' <> 'remove' then format(
        ' left join (select a.id, jsonb_agg(a.item) as items from a%1$s a group by a.id) ga%1$s on ga%1$s.id = c.id', place) end,
      case when entry ->> 'how' <> 'add' then format(
        ' left join (select d.id, jsonb_agg(d.item) as items from d%1$s d group by d.id) gd%1$s on gd%1$s.id = c.id', place) end)
$$;
comment on function app.links_kept(jsonb, integer) is
  'What app.bulk_change keeps of a change of links (app.links_change at that place) for a changed row c: an expression, and its joins.';

drop function public.bulk_edit(text, uuid[], jsonb, jsonb);
create function public.bulk_edit(
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
    -- so that they are the very ones that are overwritten; rows of a view are written by its trigger and cannot be locked here.
    writes := array[format('o as (select x.* from %s x where x.id = any ($1)%s)', own,
        case (select c.relkind from pg_catalog.pg_class c where c.oid = own) when 'v' then '' else ' for update' end),
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
comment on function public.bulk_edit(text, uuid[], jsonb, jsonb, uuid) is
  'Sets fields of at most 1,000 rows and changes lists of theirs (app.words_change, app.links_change): changed, same (it is so already), '
  'gone (not there, or not to be seen) or refused, with the error of the row as the reason; of a refused row nothing is written. '
  'With a job, an id the caller chose, what stood there is kept for bulk_undo(). '
  'Runs as the caller: grants by column, row-level security and triggers decide as for one row.';

-- Undoing -----------------------------------------------------------------------------------------------------------

create function public.bulk_undo(resource text, ids uuid[], job uuid) returns table (id uuid, outcome text, reason jsonb)
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
    writes := writes || format('w as (update %1$s t set %2$s from b cross join lateral jsonb_populate_record(null::%1$s, b.before) r '
        'where t.id = b.row_id and %3$s returning t.id)', own, assigned, unchanged)
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
comment on function public.bulk_undo(text, uuid[], uuid) is
  'Puts back what at most 1,000 rows held before a bulk edit of the caller''s own, by its job: changed (restored), stale (somebody '
  'changed the row since, and it stays as it is), gone or refused, with the error of the row. Rows that the job did not change are not in '
  'the answer. Runs as the caller: grants by column, row-level security and triggers decide as for one row.';

revoke execute on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]),
  app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]), app.bulk_changes(uuid, text, uuid[]),
  app.mark_undone(uuid, text, uuid[]), app.link_table(text, text, text, text), app.links_kept(jsonb, integer),
  public.bulk_edit(text, uuid[], jsonb, jsonb, uuid), public.bulk_undo(text, uuid[], uuid) from public, anon;
-- What they call runs as the API role itself; schema app is not exposed, so nothing in it can be called over HTTP.
grant execute on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]),
  app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]), app.bulk_changes(uuid, text, uuid[]),
  app.mark_undone(uuid, text, uuid[]), app.link_table(text, text, text, text), app.links_kept(jsonb, integer),
  public.bulk_edit(text, uuid[], jsonb, jsonb, uuid), public.bulk_undo(text, uuid[], uuid) to authenticated;
