-- Alerts and new tickets reach people: a bell at once, and a mail for a device and five minutes.

-- The language of a person is kept by their browser; mails need it on the server.
create table app.user_languages (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  language text not null check (language in ('en', 'tr'))
);
comment on table app.user_languages is 'The language in which a person reads the console, for mails. A person without a row gets mails in all languages.';
revoke all on app.user_languages from public, anon, authenticated;
alter table app.user_languages enable row level security;

-- Security definer: the table is private, and a person writes the row of their own account only.
create function public.remember_language(language text) returns void
  language plpgsql volatile security definer set search_path = '' as $$
declare
  person uuid := app.acting_user_id();
begin
  if person is null then
    raise exception using errcode = '42501', message = 'sign in first', hint = 'session';
  end if;
  if remember_language.language is null or remember_language.language not in ('en', 'tr') then
    raise exception using errcode = '22023', message = 'a language is en or tr';
  end if;
  insert into app.user_languages as l (user_id, language) values (person, remember_language.language)
    on conflict (user_id) do update set language = excluded.language where l.language <> excluded.language;
end $$;
comment on function public.remember_language(text) is
  'Keeps the language in which the caller reads the console. Definer, because the table is private; it writes the caller''s row only.';
revoke execute on function public.remember_language(text) from public, anon;
grant execute on function public.remember_language(text) to authenticated;

-- Notices -------------------------------------------------------------------------------------------------------------

create table app.notices (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('alerts', 'tickets')),
  user_id uuid not null references public.profiles (id) on delete cascade,
  company_id uuid not null references public.companies (id) on delete cascade,
  subject_id uuid not null,
  record_ids uuid[] not null check (cardinality(record_ids) <= 50),
  records integer not null check (records > 0),
  by_mail boolean not null,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  closes_at timestamptz not null default now() + interval '5 minutes',
  next_attempt_at timestamptz not null default now() + interval '5 minutes',
  error text check (length(error) <= 500),
  sent_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table app.notices is
  'What one person is told about one device (alerts) or by one person (tickets) within five minutes: one row, one bell, and one mail where '
  'by_mail says so. record_ids holds the first 50, records counts all. Holds no text: the mail is written when it is taken.';
create index notices_open_idx on app.notices (user_id, kind, subject_id, closes_at);
create index notices_due_idx on app.notices (next_attempt_at) where status = 'queued' and by_mail;
create index notices_sent_idx on app.notices (user_id, sent_at) where sent_at is not null;
create index notices_company_idx on app.notices (company_id);
create index notices_created_idx on app.notices (created_at);
revoke all on app.notices from public, anon, authenticated;
alter table app.notices enable row level security;

create function app.notice_for(person uuid, kind text, company uuid, subject uuid, ids uuid[], by_mail boolean) returns app.notices
  language plpgsql volatile set search_path = '' as $$
declare
  notice app.notices%rowtype;
  fresh uuid[];
begin
  select n.* into notice from app.notices n
    where n.user_id = person and n.kind = notice_for.kind and n.subject_id = subject and n.company_id = company
      and n.closes_at > now() and n.status = 'queued' and n.attempts = 0
    order by n.id desc limit 1 for update;
  if notice.id is null then
    insert into app.notices (kind, user_id, company_id, subject_id, record_ids, records, by_mail)
      values (notice_for.kind, person, company, subject, ids[1:50], cardinality(ids), notice_for.by_mail) returning * into notice;
    return notice;
  end if;
  fresh := array(select i from unnest(ids) i where i <> all (notice.record_ids));
  if fresh = '{}' then
    return null;
  end if;
  update app.notices n set record_ids = (n.record_ids || fresh)[1:50], records = n.records + cardinality(fresh),
      by_mail = n.by_mail or notice_for.by_mail
    where n.id = notice.id returning * into notice;
  return notice;
end $$;
comment on function app.notice_for(uuid, text, uuid, uuid, uuid[], boolean) is
  'The notice of a person that takes these records: the one of the last five minutes, else a new one; null when it holds them all.';
revoke execute on function app.notice_for(uuid, text, uuid, uuid, uuid[], boolean) from public;

create function app.ring(notice app.notices, kind text, params jsonb, link text) returns void
  language sql volatile set search_path = '' as $$
  insert into public.notifications as b (user_id, company_id, kind, params, link, once_key)
    values (notice.user_id, notice.company_id, ring.kind, ring.params, ring.link, 'notice:' || notice.id)
    on conflict (user_id, once_key) do update
    set kind = excluded.kind, params = excluded.params, link = excluded.link, read_at = null, created_at = now()
$$;
comment on function app.ring(app.notices, text, jsonb, text) is 'The bell of a notice: a further record rings it again instead of adding another one.';
revoke execute on function app.ring(app.notices, text, jsonb, text) from public;

-- Alerts --------------------------------------------------------------------------------------------------------------

alter table public.monitors
  add column notify_role text check (length(notify_role) between 1 and 60),
  add column ticket_category_id uuid,
  add column ticket_assignee_id uuid constraint monitors_ticket_assignee_id_fkey references public.profiles (id) on delete set null,
  add constraint monitors_ticket_category_id_fkey foreign key (company_id, ticket_category_id)
    references public.ticket_categories (company_id, id) on delete set null (ticket_category_id);
comment on column public.monitors.notify_role is 'The role whose people are told of alerts; null for everybody who may list alerts.';
create index monitors_ticket_category_idx on public.monitors (company_id, ticket_category_id);
create index monitors_ticket_assignee_idx on public.monitors (ticket_assignee_id);
grant insert (notify_role, ticket_category_id, ticket_assignee_id), update (notify_role, ticket_category_id, ticket_assignee_id)
  on public.monitors to authenticated;
create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes', 'notify_role', 'ticket_category_id', 'ticket_assignee_id');

-- Security definer: it reads roles and people that the writer may not.
create function app.check_monitor_people() returns trigger
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
    perform app.require('profiles', 'list');
  end if;
  if new.ticket_assignee_id is not null and not new.ticket_assignee_id = any (app.desk_people(new.company_id)) then
    raise exception using errcode = '23503', table = 'monitors', schema = 'public', constraint = 'monitors_ticket_assignee_id_fkey',
      message = 'insert or update on table "monitors" violates foreign key constraint "monitors_ticket_assignee_id_fkey"';
  end if;
  return new;
end $$;
comment on function app.check_monitor_people() is
  'Row trigger: alerts are told to a role that may list them, and tickets assigned to somebody who works the desk. Definer, because it '
  'reads roles and people that the writer may not.';
revoke execute on function app.check_monitor_people() from public;
create trigger monitors_people before insert or update of notify_role, ticket_assignee_id on public.monitors
  for each row execute function app.check_monitor_people();

create function app.desk_people(company uuid) returns uuid[]
  language sql stable set search_path = '' as $$
  select coalesce(array_agg(r.user_id order by r.user_id), '{}') from public.user_roles r
  where r.company_id = company and r.role = any (app.roles_that_may('tickets', 'assign')) and r.deactivated_at is null
$$;
comment on function app.desk_people(uuid) is 'The people of a company who work its tickets.';
revoke execute on function app.desk_people(uuid) from public;

create function app.alert_people(company uuid, wanted text) returns uuid[]
  language sql stable set search_path = '' as $$
  with readers as materialized (
    select r.user_id, r.role from public.user_roles r
    where r.company_id = company and r.role = any (app.roles_that_may('alerts', 'list')) and r.deactivated_at is null
  )
  select coalesce(array_agg(p.user_id order by p.user_id), '{}') from readers p
  -- An alert must not reach nobody because the last person of the role has left.
  where p.role = wanted or not exists (select 1 from readers x where x.role = wanted)
$$;
comment on function app.alert_people(uuid, text) is
  'Who is told of the alerts of a monitor: the people of the role it names who may list alerts, else everybody who may.';
revoke execute on function app.alert_people(uuid, text) from public;

create or replace function app.tell_alert(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
declare
  device text;
  person uuid;
  notice app.notices%rowtype;
  worst text;
begin
  -- The lock lets two alerts of one device find the same notice.
  select d.name into device from public.devices d where d.company_id = alert.company_id and d.id = alert.device_id for no key update;
  foreach person in array app.alert_people(alert.company_id, monitor.notify_role) loop
    notice := app.notice_for(person, 'alerts', alert.company_id, alert.device_id, array[alert.id], alert.severity <> 'info');
    continue when notice.id is null;
    if notice.records = 1 then
      perform app.ring(notice, 'alert_opened',
        jsonb_build_object('monitor', monitor.name || ' · ' || device, 'message', alert.message, 'severity', alert.severity), '/alerts/' || alert.id);
    else
      select a.severity into worst from public.alerts a where a.company_id = alert.company_id and a.id = any (notice.record_ids)
        order by array_position(array['critical', 'warning', 'info'], a.severity) limit 1;
      perform app.ring(notice, 'alerts_opened',
        jsonb_build_object('device', device, 'count', notice.records, 'message', alert.message, 'severity', worst),
        '/alerts?device_id=' || alert.device_id || '&status=open');
    end if;
  end loop;
  if monitor.procedure_id is not null then
    perform app.repair(alert, monitor);
  end if;
end $$;
comment on function app.tell_alert(public.alerts, public.monitors) is
  'Tells the people of the monitor of an alert, and runs the monitor''s script. Alerts of a device within five minutes are one message. An '
  'alert of severity info rings the bell and sends no mail.';

-- Tickets -------------------------------------------------------------------------------------------------------------

-- Security definer: whoever opens a ticket may not write what others are told.
create function app.tell_tickets() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  opened record;
  person uuid;
  notice app.notices%rowtype;
begin
  if app.quiet() then
    return null;
  end if;
  for opened in
    select n.company_id, n.sender, array_agg(n.id order by n.number) as ids,
      array_agg(n.assignee_id) as assignees, bool_or(n.assignee_id is null) as has_free, bool_and(n.alert_id is not null) as is_by_alert,
      (array_agg(n.number order by n.number desc))[1] as number, (array_agg(n.subject order by n.number desc))[1] as subject,
      (array_agg(coalesce(n.requester_name, '') order by n.number desc))[1] as requester,
      (array_agg(n.id order by n.number desc))[1] as last_id
    from (
      select x.*, coalesce(x.created_by, x.requester_id, x.device_id, x.company_id) as sender from new_rows x where x.status in ('open', 'pending')
    ) n
    group by n.company_id, n.sender order by n.company_id, n.sender
  loop
    foreach person in array app.desk_people(opened.company_id) loop
      continue when person = opened.sender;
      -- A ticket of an alert sends no mail of its own to those who get that of the alert.
      notice := app.notice_for(person, 'tickets', opened.company_id, opened.sender, opened.ids,
        (opened.has_free or person = any (opened.assignees))
        and not (opened.is_by_alert and person = any (app.alert_people(opened.company_id, null))));
      continue when notice.id is null;
      if notice.records = 1 then
        perform app.ring(notice, 'ticket_opened',
          jsonb_build_object('number', opened.number::text, 'subject', opened.subject, 'requester', opened.requester), '/tickets/' || opened.last_id);
      else
        perform app.ring(notice, 'tickets_opened', jsonb_build_object('count', notice.records, 'subject', opened.subject), '/tickets');
      end if;
    end loop;
  end loop;
  return null;
end $$;
comment on function app.tell_tickets() is
  'Statement trigger: new tickets are told to the desk, those of one sender within five minutes as one message. Definer, because whoever '
  'opens a ticket may not write what others are told.';
revoke execute on function app.tell_tickets() from public;
create trigger tickets_tell after insert on public.tickets
  referencing new table as new_rows for each statement execute function app.tell_tickets();

alter table public.tickets add column alert_note text check (length(alert_note) <= 200);
comment on column public.tickets.alert_note is 'Whether the ticket followed its alert when that was resolved.';
alter table app.alert_tickets add column touched_at timestamptz, add column is_closed boolean not null default false;
comment on column app.alert_tickets.touched_at is 'When a person first changed the ticket: it then no longer closes with its alert.';
comment on column app.alert_tickets.is_closed is 'The ticket closed with its alert, and opens with it again.';

-- Security definer: the table is private.
create function app.note_ticket_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if app.acting_user_id() is not null then
    update app.alert_tickets x set touched_at = coalesce(x.touched_at, now()), is_closed = false
      where x.company_id = new.company_id and x.ticket_id = new.id;
  end if;
  return null;
end $$;
comment on function app.note_ticket_change() is
  'Row trigger: a person has changed the ticket of an alert. Definer, because app.alert_tickets is private.';
revoke execute on function app.note_ticket_change() from public;
-- Changes that the alert itself makes come from within its own trigger.
create trigger tickets_touched after update on public.tickets
  for each row when (new.alert_id is not null and pg_trigger_depth() = 0) execute function app.note_ticket_change();

create or replace function app.note_resolution() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket record;
  follows boolean;
begin
  -- Within the cooldown nobody is told, and a ticket that opened and closed with each failure would tell everybody.
  if new.resolved_at is null and new.in_cooldown then
    return null;
  end if;
  select t.id, t.status, t.alert_resolved_at, x.touched_at, x.is_closed, x.ticket_id is not null as is_own into ticket
    from public.tickets t
    left join app.alert_tickets x on x.company_id = t.company_id and x.ticket_id = t.id
      and x.monitor_id = new.monitor_id and x.device_id = new.device_id
    where t.company_id = new.company_id and t.alert_id = new.id
    order by x.ticket_id is null limit 1 for no key update of t;
  if ticket.id is null then
    return null;
  end if;
  follows := ticket.is_own and case when new.resolved_at is null then ticket.is_closed and ticket.status = 'closed'
    else ticket.touched_at is null and ticket.status in ('open', 'pending') end;
  if follows or (ticket.alert_resolved_at is null) <> (new.resolved_at is null) then
    update public.tickets t set alert_resolved_at = new.resolved_at,
        status = case when not follows then t.status when new.resolved_at is null then 'open' else 'closed' end,
        alert_note = case when new.resolved_at is null then null when follows then 'Closed with its alert: nobody had changed the ticket.'
          when t.status in ('open', 'pending') then 'The alert is resolved. The ticket stays open because somebody has changed it.'
          else t.alert_note end
      where t.company_id = new.company_id and t.id = ticket.id;
  end if;
  if follows then
    update app.alert_tickets x set is_closed = new.resolved_at is not null
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id;
  end if;
  return null;
end $$;
comment on function app.note_resolution() is
  'Row trigger of alerts: the ticket of the alert closes with it, and opens with it again, unless a person has changed the ticket; it then '
  'says so. Definer, because those who decide alerts may not write tickets.';

create or replace function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
  category uuid;
  desk uuid[];
  assignee uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null,
      repair_name = null, alert_note = null, status = case t.status when 'pending' then 'pending' else 'open' end
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id
      -- One that closed with this very alert opens with it again.
      and (t.status in ('open', 'pending') or x.is_closed and t.status = 'closed' and t.alert_id = new.id);
  if found then
    update app.alert_tickets x set is_closed = false
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id and x.is_closed;
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  category := coalesce(monitor.ticket_category_id, (select c.id from public.ticket_categories c
    where c.company_id = new.company_id order by c.position, c.name_key, c.id limit 1));
  desk := app.desk_people(new.company_id);
  -- Whoever left the desk is assigned nothing more: the ticket goes to who has the fewest.
  assignee := case when monitor.ticket_assignee_id = any (desk) then monitor.ticket_assignee_id else (
    select p from unnest(desk) p order by (select count(*) from public.tickets t
      where t.assignee_id = p and t.company_id = new.company_id and t.status in ('open', 'pending')), p limit 1) end;
  insert into public.tickets (company_id, subject, description, priority, device_id, category_id, assignee_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end, new.device_id, category, assignee,
      new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id, touched_at = null, is_closed = false;
  return null;
end $$;
comment on function app.open_ticket() is
  'Row trigger: a new alert opens a ticket where its monitor says so, or is noted in the one of them that is open. The ticket has the '
  'category and the assignee that the monitor names, else the first category and the person of the desk with the fewest open tickets. '
  'Definer, because a device''s check-in may not write tickets.';

-- Mails ---------------------------------------------------------------------------------------------------------------

create function app.notice_content(notice app.notices) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  role text := (select r.role from public.user_roles r
    where r.user_id = notice.user_id and r.company_id = notice.company_id and r.deactivated_at is null);
  lines jsonb;
begin
  -- The permission may have been taken since.
  if not coalesce(role = any (case notice.kind when 'alerts' then app.roles_that_may('alerts', 'list') else app.roles_that_may('tickets', 'assign') end), false) then
    return null;
  end if;
  if notice.kind = 'alerts' then
    select jsonb_agg(jsonb_build_object('severity', a.severity, 'message', a.message, 'monitor', m.name, 'link', '/alerts/' || a.id)
        order by array_position(array['critical', 'warning', 'info'], a.severity), a.opened_at, a.id) into lines
      from public.alerts a join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id
      where a.company_id = notice.company_id and a.id = any (notice.record_ids) and a.status = 'open';
    return jsonb_build_object('alerts', lines, 'records', notice.records,
      'device', (select d.name from public.devices d where d.company_id = notice.company_id and d.id = notice.subject_id),
      'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/alerts?device_id=' || notice.subject_id || '&status=open' end);
  end if;
  select jsonb_agg(jsonb_build_object('number', t.number, 'subject', t.subject, 'requester', t.requester_name, 'priority', t.priority,
      'link', '/tickets/' || t.id) order by t.number) into lines
    from public.tickets t
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.status in ('open', 'pending');
  return jsonb_build_object('tickets', lines, 'records', notice.records,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;
comment on function app.notice_content(app.notices) is
  'What the mail of a notice says now: of the alerts that are still open, or the tickets that still wait. Null for a person who may not read it.';
revoke execute on function app.notice_content(app.notices) from public;

create function app.take_notices(max_rows integer default 10) returns table (id bigint, kind text, email text, language text, content jsonb)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_hour constant integer := 20;
  notice app.notices%rowtype;
  sent integer;
begin
  for notice in
    update app.notices n
    set attempts = n.attempts + 1,
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(n.attempts + 1, 6)]
    where n.id in (
      select o.id from app.notices o where o.status = 'queued' and o.by_mail and o.next_attempt_at <= now()
      order by o.next_attempt_at, o.id limit max_rows for update skip locked)
    returning n.*
  loop
    select count(*) into sent from app.notices n where n.user_id = notice.user_id and n.sent_at > now() - interval '1 hour';
    id := notice.id;
    kind := notice.kind;
    select p.email into email from public.profiles p where p.id = notice.user_id;
    language := (select l.language from app.user_languages l where l.user_id = notice.user_id);
    content := case when notice.created_at > now() - interval '1 day' and sent < max_mails_per_hour then app.notice_content(notice) end;
    if jsonb_typeof(coalesce(content -> 'alerts', content -> 'tickets')) <> 'array' then
      content := null;
    elsif sent = max_mails_per_hour - 1 then
      content := content || jsonb_build_object('is_last', true);
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.notices n set sent_at = case when content is not null then now() end,
        error = case when sent >= max_mails_per_hour then 'more than 20 mails an hour' end
      where n.id = notice.id;
    return next;
  end loop;
end $$;
comment on function app.take_notices(integer) is
  'For the server: notices whose mail is due, each with what it says; null where nothing is left to say, or the person has had 20 within '
  'the hour. A mail that is not finished is due again later. Granted to nobody.';
revoke execute on function app.take_notices(integer) from public, anon, authenticated;

create function app.finish_notice(id bigint, outcome text, error text default null) returns void
  language sql volatile set search_path = '' as $$
  update app.notices n set
    status = case when outcome <> 'failed' then outcome when n.attempts >= 6 then 'failed' else 'queued' end,
    sent_at = case when outcome = 'sent' then n.sent_at end,
    error = coalesce(left(finish_notice.error, 500), n.error)
  where n.id = finish_notice.id
$$;
comment on function app.finish_notice(bigint, text, text) is
  'For the server: sent, dropped, or failed with its error; a failed mail is tried six times over ten hours. Granted to nobody.';
revoke execute on function app.finish_notice(bigint, text, text) from public, anon, authenticated;

create function app.forget_notices() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.notices n where n.id in (
    select o.id from app.notices o
    where o.created_at < now() - interval '2 days' and (o.status <> 'failed' or o.created_at < now() - interval '30 days')
    order by o.created_at limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_notices() is 'Step of app.tick(): removes notices after two days, those whose mail failed after 30; at most 5,000 a call.';
revoke execute on function app.forget_notices() from public;
insert into app.tick_step (position, name, function) values (116, 'notices', 'forget_notices');
