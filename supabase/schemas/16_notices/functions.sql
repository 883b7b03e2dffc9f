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
grant execute on function public.remember_language(text) to authenticated;

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

create function app.ring(notice app.notices, kind text, params jsonb, link text) returns void
  language sql volatile set search_path = '' as $$
  insert into public.notifications as b (user_id, company_id, kind, params, link, once_key)
    values (notice.user_id, notice.company_id, ring.kind, ring.params, ring.link, 'notice:' || notice.id)
    on conflict (user_id, once_key) do update
    set kind = excluded.kind, params = excluded.params, link = excluded.link, read_at = null, created_at = now()
$$;
comment on function app.ring(app.notices, text, jsonb, text) is 'The bell of a notice: a further record rings it again instead of adding another one.';

-- An assignee that was there before is asked only when it changes, or nobody could change the role beside it.
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
    perform app.require('people', 'list');
    if new.ticket_assignee_id is not null and not new.ticket_assignee_id = any (app.desk_people(new.company_id)) then
      raise exception using errcode = '23503', table = 'monitors', schema = 'public', constraint = 'monitors_ticket_assignee_id_fkey',
        message = 'insert or update on table "monitors" violates foreign key constraint "monitors_ticket_assignee_id_fkey"';
    end if;
  end if;
  return new;
end $$;
comment on function app.check_monitor_people() is
  'Row trigger: alerts are told to a role that may list them, and tickets assigned to somebody who works the desk. Definer, because it '
  'reads roles and people that the writer may not.';

create function app.desk_people(company uuid) returns uuid[]
  language sql stable set search_path = '' as $$
  select coalesce(array_agg(r.user_id order by r.user_id), '{}') from public.user_roles r
  where r.company_id = company and r.role = any (app.roles_that_may('tickets', 'assign')) and r.deactivated_at is null
$$;
comment on function app.desk_people(uuid) is 'The people of a company who work its tickets.';

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
      select x.*, coalesce(x.created_by, x.requester_id, x.device_id, x.company_id) as sender from new_rows x where x.status in ('new', 'open', 'waiting')
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

create function app.note_ticket_words() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if app.acting_user_id() is not null then
    update app.alert_tickets x set touched_at = coalesce(x.touched_at, now()), is_closed = false
      where x.company_id = new.company_id and x.ticket_id = new.ticket_id;
  end if;
  return null;
end $$;
comment on function app.note_ticket_words() is
  'Row trigger of what people add to a ticket, such as comments: the ticket of an alert then no longer closes with it. Definer, because '
  'app.alert_tickets is private.';

create function app.notice_content(notice app.notices) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  role text := (select r.role from public.user_roles r
    where r.user_id = notice.user_id and r.company_id = notice.company_id and r.deactivated_at is null);
  lines jsonb;
begin
  if notice.kind in ('comments', 'mentions') then
    return app.comment_notice(notice);
  end if;
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
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.deleted_at is null and t.status in ('new', 'open', 'waiting');
  return jsonb_build_object('tickets', lines, 'records', notice.records, 'is_digest', notice.is_digest,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;
comment on function app.notice_content(app.notices) is
  'What the mail of a notice says now: of the alerts that are still open, the tickets that still wait, or the comments that are still there. Null for a person who may not read it.';

create function app.take_notices(max_rows integer default 10) returns table (id bigint, kind text, email text, language text, content jsonb)
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
  opened uuid;
begin
  for notice in
    update app.notices n
    set attempts = n.attempts + 1,
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(n.attempts + 1, 6)]
    where n.id in (
      -- With the keys that writing a row twice, or a digest, asks for: whoever deletes an account or a company may wait for these rows.
      select o.id from app.notices o join public.profiles p on p.id = o.user_id join public.companies c on c.id = o.company_id
      where o.status = 'queued' and o.by_mail and o.next_attempt_at <= now()
      order by o.is_critical desc, o.next_attempt_at, o.id limit max_rows for update of o skip locked for key share of p, c skip locked)
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
    if notice.kind = 'tickets' and jsonb_array_length(content -> 'tickets') = 1 then
      -- A single ticket can be answered: its mail has the words of the requester and takes a reply.
      opened := split_part(content #>> '{tickets,0,link}', '/', 3)::uuid;
      perform app.queue_ticket_mail(notice.company_id, opened, notice.user_id, null, case when exists (
        select 1 from public.tickets t where t.company_id = notice.company_id and t.id = opened and t.assignee_id = notice.user_id)
        then 'assigned' else 'opened' end);
      update app.notices n set status = 'sent', sent_at = now() where n.id = notice.id;
      continue;
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
