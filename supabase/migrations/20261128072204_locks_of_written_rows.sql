-- Locks of written rows.

drop trigger ticket_checklist_items_count on public.ticket_checklist_items;
drop trigger time_entries_timers on public.time_entries;

create or replace function app.follow_profile_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- In one order, as everybody locks them.
  perform 1 from public.tickets t where t.requester_id = new.id or t.assignee_id = new.id order by t.id for no key update;
  update public.tickets t set requester_name = new.name where t.requester_id = new.id;
  update public.tickets t set assignee_name = new.name where t.assignee_id = new.id;
  return null;
end $$;

create function app.lock_rows(own regclass, ids uuid[], to_delete boolean default false) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  -- Rows of a view are written by its trigger and cannot be locked; who may write no column may lock no row.
  if (select c.relkind from pg_catalog.pg_class c where c.oid = own) <> 'v' and has_any_column_privilege(own, 'update') then
    execute format('select from %s t where t.id = any ($1) order by t.id for %s', own,
      case when to_delete then 'update' else 'no key update' end) using ids;
  end if;
end $$;
comment on function app.lock_rows(regclass, uuid[], boolean) is
  'Locks the rows that the caller may write, in the one order in which everybody locks them: two people who write the same rows wait for each '
  'other, and neither ends in a deadlock. The next statement then reads them as it will write them. A deletion locks more than a change.';
grant execute on function app.lock_rows(regclass, uuid[], boolean) to authenticated;

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
    -- Links follow the columns: of a row whose columns are not to be written, nothing is. The rows are locked, so that the old values are
    -- the very ones that are overwritten.
    writes := array[format('o as (select x.* from %s x where x.id = any ($1))', own),
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
  -- In a statement of its own: the one that writes would compare rows as they stood before it waited.
  perform app.lock_rows(own, ids);
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

create or replace function public.bulk_delete(resource text, ids uuid[])
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  there uuid[];
  done record;
begin
  perform app.check_batch(ids);
  perform app.lock_rows(own, ids, true);
  -- A deletion that keeps the row returns nothing.
  done := app.write_batch(case when app.has_trash(own) then format('select app.trash_rows(%L::regclass, $1)', own)
    else format('with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own) end, ids, '{}');
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the row was not deleted');
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
    writes := writes || format('o as (select x.id from %s x where x.id = any ($1))', own)
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
  perform app.lock_rows(own, ids);
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

create or replace function app.note_comment_on_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Conversations that are loaded have had their effect. In the order in which tickets are locked.
  if not app.quiet() then
    perform app.note_ticket_reply(n.company_id, n.ticket_id, n.author_id, n.created_at)
      from (select r.* from new_rows r where r.kind = 'reply' and r.origin is null order by r.ticket_id, r.created_at) n;
  end if;
  return null;
end $$;
comment on function app.note_comment_on_ticket() is
  'Statement trigger: a reply stamps the first response, opens a new ticket, or reopens one that waits. Definer, because app.note_ticket_reply() is granted to nobody.';

-- Security definer: whoever stops a timer may not write the ticket.
create or replace function app.note_timers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  case tg_op
    when 'INSERT' then touched := array(select n.ticket_id from new_rows n where n.ended_at is null);
    when 'DELETE' then touched := array(select o.ticket_id from old_rows o where o.ended_at is null);
    else touched := array(select unnest(array[o.ticket_id, n.ticket_id]) from new_rows n join old_rows o on o.id = n.id
      where (o.ended_at is null or n.ended_at is null)
        and (o.ticket_id, o.started_at, o.ended_at) is distinct from (n.ticket_id, n.started_at, n.ended_at));
  end case;
  -- In one order, and before the timers are read: of two that start at once the second one sees the first.
  perform 1 from public.tickets t where t.id = any (touched) order by t.id for no key update;
  update public.tickets t set timer_started_at = x.started_at
    from (select s.id, (select min(e.started_at) from public.time_entries e
        where e.company_id = s.company_id and e.ticket_id = s.id and e.ended_at is null) as started_at
      from public.tickets s where s.id = any (touched)) x
    where t.id = x.id and t.timer_started_at is distinct from x.started_at;
  return null;
end $$;
comment on function app.note_timers() is 'Statement trigger: a ticket shows since when a timer runs on it. Definer, because time is written by people who may not write the ticket.';

-- Runs as the caller: row-level security decides whose time is written.
create or replace function public.start_timer(ticket_id uuid) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  company uuid;
  running uuid;
begin
  perform app.require_rows('tickets', 'assign', array[start_timer.ticket_id]);
  select t.company_id into company from public.tickets t where t.id = start_timer.ticket_id;
  if company is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  -- Two starts of one person wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('timer/' || me, 0));
  select e.id into running from public.time_entries e where e.user_id = me and e.ended_at is null and e.ticket_id = start_timer.ticket_id;
  if running is not null then
    return running;
  end if;
  -- The ticket whose timer ends is written before the one whose timer begins: both are locked in the order of all others.
  perform app.lock_rows('public.tickets', array(select e.ticket_id from public.time_entries e where e.user_id = me and e.ended_at is null)
    || start_timer.ticket_id);
  -- Another start may have begun after this one, and been first.
  update public.time_entries e set ended_at = greatest(now(), e.started_at) where e.user_id = me and e.ended_at is null and not e.is_long;
  -- A timer that was forgotten is asked about first, because its end is not known.
  if exists (select 1 from public.time_entries e where e.user_id = me and e.ended_at is null) then
    raise exception using errcode = '23514', hint = 'timer_long', message = 'a timer has run for more than 12 hours: say when it ended';
  end if;
  insert into public.time_entries (company_id, ticket_id) values (company, start_timer.ticket_id) returning id into running;
  return running;
end $$;

-- Security definer: whoever ticks an item need not be allowed to edit the ticket.
create or replace function app.count_checklist() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  case tg_op
    when 'INSERT' then touched := array(select n.ticket_id from new_rows n);
    when 'DELETE' then touched := array(select o.ticket_id from old_rows o);
    else touched := array(select unnest(array[o.ticket_id, n.ticket_id]) from new_rows n join old_rows o on o.id = n.id
      where (o.ticket_id, o.done) is distinct from (n.ticket_id, n.done));
  end case;
  -- In one order, and before the count: of two items that are ticked at once the second one counts the first.
  perform 1 from public.tickets t where t.id = any (touched) order by t.id for no key update;
  update public.tickets t set (checklist_total, checklist_done) = (
      select count(*), count(*) filter (where c.done) from public.ticket_checklist_items c
      where c.company_id = t.company_id and c.ticket_id = t.id)
    where t.id = any (touched);
  return null;
end $$;
comment on function app.count_checklist() is 'Statement trigger: the ticket says how many items of its checklist are done. Definer, because the writer may not write the ticket.';

create or replace function public.set_own_ticket_status(ids uuid[], status text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  action constant text := case set_own_ticket_status.status when 'closed' then 'close_own' when 'open' then 'reopen_own' end;
  changed integer;
begin
  if action is null then
    raise exception using errcode = '22023', message = 'a requester closes a ticket or opens it again';
  end if;
  perform app.require('tickets', action);
  -- In one order, as everybody locks them.
  perform 1 from public.tickets t where t.id = any (ids) and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    order by t.id for no key update;
  update public.tickets t set status = set_own_ticket_status.status
  where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company() and app.tickets_covers(t, action)
    and t.merged_into_id is null and case action when 'close_own' then t.status <> 'closed'
      else t.status = 'resolved' or t.status = 'closed' and t.resolved_at > now() - make_interval(days => coalesce(
        (select s.reopen_days from public.desk_settings s where s.company_id = t.company_id), 14)) end;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'The ticket is closed, or was closed too long ago.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create or replace trigger ticket_comments_answer after insert on public.ticket_comments
  referencing new table as new_rows for each statement execute function app.note_comment_on_ticket();
create trigger time_entries_timers_insert after insert on public.time_entries
  referencing new table as new_rows for each statement execute function app.note_timers();
create trigger time_entries_timers_update after update on public.time_entries
  referencing old table as old_rows new table as new_rows for each statement execute function app.note_timers();
create trigger time_entries_timers_delete after delete on public.time_entries
  referencing old table as old_rows for each statement execute function app.note_timers();
create trigger ticket_checklist_items_count_insert after insert on public.ticket_checklist_items
  referencing new table as new_rows for each statement execute function app.count_checklist();
create trigger ticket_checklist_items_count_update after update on public.ticket_checklist_items
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_checklist();
create trigger ticket_checklist_items_count_delete after delete on public.ticket_checklist_items
  referencing old table as old_rows for each statement execute function app.count_checklist();
