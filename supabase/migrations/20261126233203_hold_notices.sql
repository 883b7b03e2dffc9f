-- A mail that one sender's flood would hold back is late, and not lost: places are kept for critical alerts, a device and an enrollment
-- token have bounds of their own, and what is held back comes together in one mail.

alter table app.notices
  add column is_critical boolean not null default false,
  add column is_digest boolean not null default false;
comment on column app.notices.is_critical is 'Whether one of its alerts was critical: it leaves first, and has places of its own.';
comment on column app.notices.is_digest is 'Whether it gathers what was held back of many devices or senders: its subject is the company.';
drop index app.notices_due_idx;
create index notices_due_idx on app.notices (is_critical desc, next_attempt_at, id) where status = 'queued' and by_mail;
create index notices_digest_idx on app.notices (user_id, created_at) where is_digest;

create function app.hold_notice(held app.notices) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  digest app.notices%rowtype;
  ids uuid[];
begin
  select n.* into digest from app.notices n
    where n.user_id = held.user_id and n.is_digest and n.kind = held.kind and n.company_id = held.company_id
      and n.status = 'queued' and n.attempts = 0
    order by n.id desc limit 1 for update;
  ids := coalesce(digest.record_ids, '{}') || array(select i from unnest(held.record_ids) i where i <> all (coalesce(digest.record_ids, '{}')));
  if held.kind = 'alerts' and cardinality(ids) > 50 then
    -- The most severe ones; of these the first of each token, and of a token the devices that have been there longest, so that one sender
    -- does not push out the others.
    ids := array(
      select x.id from (
        select a.id, a.severity, a.opened_at, row_number() over (partition by a.severity, d.enrollment_token_id
          order by d.enrolled_at, a.opened_at, a.id) as place
        from public.alerts a join public.devices d on d.company_id = a.company_id and d.id = a.device_id
        where a.company_id = held.company_id and a.id = any (ids) and a.status = 'open'
      ) x order by array_position(array['critical', 'warning', 'info'], x.severity), x.place, x.opened_at, x.id limit 50);
  end if;
  if digest.id is null then
    insert into app.notices (kind, user_id, company_id, subject_id, record_ids, records, by_mail, is_critical, is_digest, closes_at, next_attempt_at)
      values (held.kind, held.user_id, held.company_id, held.company_id, ids[1:50], held.records, true, held.is_critical, true, now(),
        greatest(now() + interval '5 minutes', (select max(n.sent_at) + interval '30 minutes' from app.notices n
          where n.user_id = held.user_id and n.is_digest and n.kind = held.kind)));
  else
    update app.notices n set record_ids = ids[1:50], records = n.records + held.records, is_critical = n.is_critical or held.is_critical
      where n.id = digest.id;
  end if;
end $$;
comment on function app.hold_notice(app.notices) is
  'Adds a notice that a limit holds back to the digest of its person: one mail, after five minutes, at most every half hour.';
revoke execute on function app.hold_notice(app.notices) from public;

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
    if alert.severity = 'critical' then
      update app.notices n set is_critical = true where n.id = notice.id and not n.is_critical;
    end if;
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

create or replace function app.notice_content(notice app.notices) returns jsonb
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
          || case when notice.is_digest then jsonb_build_object('device', d.name) else '{}' end
        order by array_position(array['critical', 'warning', 'info'], a.severity), a.opened_at, a.id) into lines
      from public.alerts a join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id
        join public.devices d on d.company_id = a.company_id and d.id = a.device_id
      where a.company_id = notice.company_id and a.id = any (notice.record_ids) and a.status = 'open';
    return jsonb_build_object('alerts', lines, 'records', notice.records, 'is_digest', notice.is_digest,
      'device', (select d.name from public.devices d where d.company_id = notice.company_id and d.id = notice.subject_id),
      'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' when notice.is_digest then '/alerts?status=open'
        else '/alerts?device_id=' || notice.subject_id || '&status=open' end);
  end if;
  select jsonb_agg(jsonb_build_object('number', t.number, 'subject', t.subject, 'requester', t.requester_name, 'priority', t.priority,
      'link', '/tickets/' || t.id) order by t.number) into lines
    from public.tickets t
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.status in ('open', 'pending');
  return jsonb_build_object('tickets', lines, 'records', notice.records, 'is_digest', notice.is_digest,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;

create or replace function app.take_notices(max_rows integer default 10) returns table (id bigint, kind text, email text, language text, content jsonb)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_hour constant integer := 20;
  -- The rest of the places is kept for critical alerts.
  max_other_mails constant integer := 14;
  max_mails_per_sender constant integer := 6;
  max_mails_per_token constant integer := 10;
  notice app.notices%rowtype;
  token uuid;
  sent record;
  is_held boolean;
begin
  for notice in
    update app.notices n
    set attempts = n.attempts + 1,
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(n.attempts + 1, 6)]
    where n.id in (
      select o.id from app.notices o where o.status = 'queued' and o.by_mail and o.next_attempt_at <= now()
      order by o.is_critical desc, o.next_attempt_at, o.id limit max_rows for update skip locked)
    returning n.*
  loop
    token := (select d.enrollment_token_id from public.devices d
      where notice.kind = 'alerts' and d.company_id = notice.company_id and d.id = notice.subject_id);
    select count(*) as mails, count(*) filter (where not n.is_critical) as others,
        count(*) filter (where n.kind = notice.kind and n.subject_id = notice.subject_id) as of_sender,
        -- A person who starts many devices with one token is one sender.
        count(*) filter (where token is not null and n.kind = 'alerts' and d.enrollment_token_id = token) as of_token
      into sent
      from app.notices n left join public.devices d on d.company_id = n.company_id and d.id = n.subject_id
      where n.user_id = notice.user_id and n.sent_at > now() - interval '1 hour' and not n.is_digest;
    is_held := not notice.is_digest and (sent.mails >= max_mails_per_hour or sent.of_sender >= max_mails_per_sender
      or sent.of_token >= max_mails_per_token or not notice.is_critical and sent.others >= max_other_mails);
    id := notice.id;
    kind := notice.kind;
    select p.email into email from public.profiles p where p.id = notice.user_id;
    language := (select l.language from app.user_languages l where l.user_id = notice.user_id);
    content := case when notice.created_at > now() - interval '1 day' then app.notice_content(notice) end;
    if jsonb_typeof(coalesce(content -> 'alerts', content -> 'tickets')) <> 'array' then
      content := null;
    elsif is_held and content is not null then
      perform app.hold_notice(notice);
      content := null;
    else
      is_held := false;
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.notices n set sent_at = case when content is not null then now() end,
        error = case when is_held and content is null then 'held back: in a later mail together with others' end
      where n.id = notice.id;
    return next;
  end loop;
end $$;
comment on function app.take_notices(integer) is
  'For the server: notices whose mail is due, critical ones first, each with what it says; null where nothing is left to say, or a limit holds '
  'it back (app.hold_notice()): 20 mails an hour for a person, 14 without a critical alert, 6 of one device or sender, 10 of the devices of one '
  'enrollment token. A mail that is not finished is due again later. Granted to nobody.';
