-- People by name.

set check_function_bodies = off;

drop function app.company_people(uuid, text);

create or replace function app.announce_profiles() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  message jsonb;
  told text;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in
    select m.company_id as target, case when count(*) <= 50 then to_jsonb(array_agg(n.id)) else '[]' end as ids
    from new_rows n
    join old_rows o on o.id = n.id
    join public.user_roles m on m.user_id = n.id
    where (n.name, n.email) is distinct from (o.name, o.email)
    group by 1
  loop
    -- A page that reads names alone is not told of the table behind them.
    foreach told in array array['profiles', 'people'] loop
      message := jsonb_build_object('table', told, 'op', 'update', 'ids', r.ids);
      if r.target is not null then
        perform app.send_live('company:' || r.target, message);
      end if;
      perform app.send_live('platform', message);
    end loop;
  end loop;
  return null;
end $$;

-- The view reads profiles as its owner, because a policy can hide rows and not the e-mail of a row. Its own condition is the
-- policy: it asks for a permission line and for the company, and a barrier keeps conditions of callers behind it.
create view public.people with (security_barrier = true) as
select p.id, p.name, p.is_deactivated, p.name_key from public.profiles p
where p.id = (select app.current_user_id())
  or (select app.can('people', 'list'))
    and ((select app.sees_all()) or p.id in (select unnest((select app.visible_user_ids()))));
comment on view public.people is
  'Who the people of the caller''s company are, by name and without their addresses: what a field of type user shows and picks, with the '
  'permission people, list. Without it, the caller alone.';

create function public.search_people(q text) returns setof public.people
  language sql stable rows 500 as $$
  select t.* from public.people t where app.fold(t.name) operator(pg_catalog.~~) all (app.search_patterns(q))
$$;
comment on function public.search_people(text) is
  'The people whose name holds every word of q, whatever its case and accents; filter, order and page it like the view.';
grant execute on function public.search_people(text) to authenticated;

-- An assignee that was there before is asked only when it changes, or nobody could change the role beside it.
-- Security definer: it reads roles and people that the writer may not.
create or replace function app.check_monitor_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Row-level security asks after the triggers: this one must not tell of another company first.
  if app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  if new.notify_role is not null and not new.notify_role = any (app.roles_that_may('alerts', 'list')) then
    raise exception using errcode = '23514', hint = 'role_without_alerts', table = 'monitors', schema = 'public',
      column = 'notify_role', constraint = 'monitors_notify_role_check',
      message = 'new row for relation "monitors" violates check constraint "monitors_notify_role_check"';
  end if;
  if tg_op = 'INSERT' and new.ticket_assignee_id is not null
    or tg_op = 'UPDATE' and new.ticket_assignee_id is distinct from old.ticket_assignee_id then
    perform app.require('people', 'list');
    if new.ticket_assignee_id is not null and not new.ticket_assignee_id = any (app.desk_people(new.company_id)) then
      raise exception using errcode = '23503', table = 'monitors', schema = 'public', constraint = 'monitors_ticket_assignee_id_fkey',
        message = 'insert or update on table "monitors" violates foreign key constraint "monitors_ticket_assignee_id_fkey"';
    end if;
  end if;
  return new;
end $$;

-- Security definer: the caller may read no list of people. The public function asks each of them whether they see the record.
create function app.company_people(company uuid, q text, known uuid[]) returns table (id uuid, name text)
  language sql stable security definer set search_path = '' rows 60 as $$
  select p.id, coalesce(nullif(p.name, ''), p.email) from public.user_roles r join public.profiles p on p.id = r.user_id
  where r.company_id = company and r.deactivated_at is null
    and ((select app.can('people', 'list')) or p.id = any (known))
    and app.fold(coalesce(nullif(p.name, ''), p.email)) like all (app.search_patterns(q))
  order by app.fold(coalesce(nullif(p.name, ''), p.email)), p.id limit 60
$$;
comment on function app.company_people(uuid, text, uuid[]) is
  'The first 60 active people of a company whose name holds every word: all of them for whoever may list people, otherwise those that are '
  'known to the caller already. Definer, because the caller may read no list of people.';
grant execute on function app.company_people(uuid, text, uuid[]) to authenticated;

create or replace function public.comment_people(resource text, record_id uuid, kind text default 'reply', q text default '') returns table (id uuid, name text)
  language plpgsql volatile set search_path = '' rows 8 as $$
#variable_conflict use_column
declare
  max_people constant integer := 8;
  settings constant jsonb := app.comment_settings(comment_people.resource);
  company uuid;
  person record;
  known uuid[];
  found integer := 0;
begin
  perform app.require(comment_people.resource, 'comment');
  if settings is null or not settings -> 'kinds' ? comment_people.kind then
    return;
  end if;
  if settings #> array['kinds', comment_people.kind] ? 'object' then
    perform app.require(settings #>> array['kinds', comment_people.kind, 'object'], 'create');
  end if;
  execute format('select r.company_id from public.%I r where r.id = $1', settings ->> 'table') into company using comment_people.record_id;
  if company is null then
    return;
  end if;
  -- A caller without the directory knows those whom the record and its comments name.
  if not app.can('people', 'list') then
    execute format('select array(select (to_jsonb(r) ->> c.name)::uuid from jsonb_array_elements_text($2) as c (name))
        || array(select distinct x.author_id from public.%I x where x.%I = $1) from public.%I r where r.id = $1',
      settings ->> 'comments', settings ->> 'record', settings ->> 'table')
      into known using comment_people.record_id, coalesce(settings -> 'people', '[]');
  end if;
  for person in select p.id, p.name from app.company_people(company, "left"(coalesce(q, ''), 100), known) p loop
    continue when app.people_who_see(array[person.id], company, settings ->> 'table', comment_people.record_id,
      settings #>> array['kinds', comment_people.kind, 'object']) = '{}';
    id := person.id;
    name := person.name;
    return next;
    found := found + 1;
    exit when found = max_people;
  end loop;
end $$;
comment on function public.comment_people(text, uuid, text, text) is
  'Up to 8 people whom a comment of this kind on a record can mention: those who may read it and, without the permission to list people, are '
  'named by the record or have written on it. None where the caller does not see the record.';

create or replace function public.ticket_side(ticket_id uuid) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  max_rows constant integer := 5;
  unresolved constant text[] := array['new', 'open', 'waiting'];
  t public.tickets%rowtype;
begin
  select x.* into t from public.tickets x where x.id = ticket_side.ticket_id;
  if t.id is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return jsonb_build_object(
    'requester', (select jsonb_build_object('id', p.id, 'name', p.name,
        'email', (select x.email from public.profiles x where x.id = p.id))
      from public.people p where p.id = t.requester_id),
    'tickets', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select x.id, x.number, x.subject, x.status, x.created_at from public.tickets x
      where x.company_id = t.company_id and x.requester_id = t.requester_id and x.id <> t.id
      order by x.status = any (unresolved) desc, x.created_at desc, x.id limit max_rows) o), '[]'),
    'devices', coalesce((select jsonb_agg(o order by o.name, o.id) from (
      select d.id, d.name, d.status from public.devices d
      where d.company_id = t.company_id and d.id is distinct from t.device_id and d.id in (
        select x.device_id from public.tickets x where x.company_id = t.company_id and x.requester_id = t.requester_id and x.device_id is not null)
      order by d.name_key, d.id limit max_rows) o), '[]'),
    'device', (select jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status, 'platform', d.platform, 'os', d.os,
        'ip_address', d.ip_address, 'logged_in_user', d.logged_in_user, 'open_alerts', d.open_alerts,
        'last_seen', (select p.last_seen_at from public.device_presence p where p.company_id = d.company_id and p.device_id = d.id))
      from public.devices d where d.company_id = t.company_id and d.id = t.device_id),
    'alerts', coalesce((select jsonb_agg(o order by o.opened_at desc, o.id) from (
      select a.id, a.message, a.severity, a.opened_at from public.alerts a
      where a.company_id = t.company_id and a.device_id = t.device_id and a.status in ('open', 'acknowledged')
      order by a.opened_at desc, a.id limit max_rows) o), '[]'),
    'runs', coalesce((select jsonb_agg(o order by o.queued_at desc, o.id) from (
      select r.id, r.job_id, j.name, r.status, r.queued_at from public.job_runs r
        join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      where r.company_id = t.company_id and r.device_id = t.device_id
      order by r.queued_at desc, r.id limit max_rows) o), '[]'),
    'jobs', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select j.id, j.name, j.outcome, j.total, j.succeeded, j.failed, l.created_at from public.ticket_jobs l
        join public.jobs j on j.company_id = l.company_id and j.id = l.job_id
      where l.company_id = t.company_id and l.ticket_id = t.id
      order by l.created_at desc, j.id limit 20) o), '[]'));
end $$;

revoke all on public.people from public, anon, authenticated;
grant select on public.people to authenticated;
