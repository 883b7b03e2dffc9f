-- Mail of a gone ticket.

comment on column app.inbound_raw.waits_for is 'The ticket that a held mail answers: the mail is not approved while that ticket is in the trash.';

create or replace function app.judge_inbound(mail_id uuid, mail jsonb) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 20;
  sender constant text := lower(mail ->> 'from');
  arrived public.inbound_mails%rowtype;
  address public.mail_addresses%rowtype;
  answered app.ticket_mails%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  person uuid;
  company uuid;
  refused text;
begin
  select m.* into arrived from public.inbound_mails m where m.id = judge_inbound.mail_id;
  select a.* into address from public.mail_addresses a
    join jsonb_array_elements_text(mail -> 'to') with ordinality as r (address, place) on r.address = a.address order by r.place limit 1;
  answered := app.answered_mail(mail);
  -- The ticket that a held mail answered, and its token, may have been deleted for good since.
  company := coalesce(answered.company_id, address.company_id, arrived.company_id);
  if mail ->> 'machine' is not null then
    return jsonb_build_object('status', 'ignored', 'reason', mail ->> 'machine', 'company', company);
  end if;
  if exists (select 1 from app.ticket_mails m where m.message_id = mail ->> 'message_id') then
    return jsonb_build_object('status', 'ignored', 'reason', 'own', 'company', company);
  end if;
  if not arrived.is_approved and (select count(*) from public.inbound_mails m where m.from_address = sender
      and m.created_at > arrived.created_at - interval '1 minute' and m.created_at <= arrived.created_at and m.id <> arrived.id) >= max_mails_per_minute then
    return jsonb_build_object('status', 'held', 'reason', 'too_many', 'company', company, 'person', (
      select p.id from public.profiles p join public.user_roles r on r.user_id = p.id
      where lower(p.email) = sender and r.company_id = company and r.deactivated_at is null));
  end if;
  select s.* into settings from public.desk_settings s where s.company_id = company;
  if answered.id is not null then
    select t.* into ticket from public.tickets t where t.company_id = answered.company_id and t.id = app.mail_ticket(answered.company_id, answered.ticket_id);
    -- The mail waits for the ticket: once it is restored, approving the mail files it.
    if ticket.deleted_at is not null then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_in_trash', 'company', company, 'waits_for', ticket.id);
    end if;
    if answered.email <> sender then
      -- A forwarded mail holds the token of somebody else.
      if not arrived.is_approved then
        return jsonb_build_object('status', 'held', 'reason', 'other_sender', 'company', company, 'waits_for', ticket.id);
      end if;
      return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id);
    end if;
    if answered.user_id is null then
      refused := case when lower(ticket.requester_email) is distinct from sender then 'no_access' end;
    elsif not exists (select 1 from public.user_roles r where r.user_id = answered.user_id and r.deactivated_at is null) then
      refused := 'deactivated';
    elsif app.people_who_see(array[answered.user_id], company, 'tickets', ticket.id) = '{}' or not app.person_may(answered.user_id, 'tickets', 'comment') then
      refused := 'no_access';
    end if;
    if refused is not null then
      return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
    end if;
    if ticket.status = 'closed' and not arrived.is_approved and not (coalesce(settings.reopen_on_reply, true)
        and coalesce(settings.reopen_days, 0) > 0 and ticket.resolved_at > now() - make_interval(days => settings.reopen_days)
        and ticket.requester_id is not distinct from answered.user_id) then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_closed', 'company', company, 'ticket', ticket.id,
        'person', answered.user_id, 'waits_for', ticket.id);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
  end if;
  if address.id is null then
    return jsonb_build_object('status', 'held', 'reason', 'no_address', 'company', company);
  end if;
  select p.id, case when r.deactivated_at is not null then 'deactivated' end into person, refused
  from public.profiles p join public.user_roles r on r.user_id = p.id
  where lower(p.email) = sender and r.company_id = company;
  if refused is not null then
    return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company);
  end if;
  if person is not null and (arrived.is_approved or settings.trust_known_senders or (mail ->> 'is_authentic')::boolean) then
    if not app.person_may(person, 'tickets', 'create') then
      return jsonb_build_object('status', 'refused', 'reason', 'no_access', 'company', company);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'person', person, 'category', address.category_id);
  end if;
  -- The From line alone is no proof of an account, so this sender is a stranger.
  if arrived.is_approved or settings.unknown_senders = 'open' then
    return jsonb_build_object('status', 'filed', 'company', company, 'category', address.category_id);
  end if;
  return jsonb_build_object('status', case settings.unknown_senders when 'refuse' then 'refused' else 'held' end,
    'reason', 'unknown_sender', 'company', company, 'person', person);
end $$;

create or replace function app.file_inbound(mail_id uuid, mail jsonb, files uuid[] default '{}') returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  verdict jsonb := app.judge_inbound(mail_id, mail);
  sender constant text := lower(mail ->> 'from');
  person uuid := (verdict ->> 'person')::uuid;
  company uuid := (verdict ->> 'company')::uuid;
  ticket uuid := (verdict ->> 'ticket')::uuid;
  sender_name text := "left"(coalesce(nullif(app.clean_text(mail ->> 'from_name', 100), ''), sender), 100);
  words text := coalesce(nullif(btrim("left"(mail ->> 'body', 20000)), ''), '–');
  comment_id uuid;
begin
  if verdict ->> 'status' = 'filed' and ticket is not null then
    insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, once_key)
    values (company, ticket, 'reply', words, person, case when person is null then sender_name end, mail_id)
    returning id into comment_id;
    if person is null then
      update public.tickets t set status = 'open'
      where t.company_id = company and t.id = ticket and lower(t.requester_email) = sender and t.status in ('waiting', 'resolved', 'closed')
        and coalesce((select s.reopen_on_reply from public.desk_settings s where s.company_id = company), true);
    end if;
    update public.files f set record_id = comment_id where f.company_id = company and f.id = any (files) and f.resource = 'ticket_comments' and f.record_id is null;
  elsif verdict ->> 'status' = 'filed' then
    insert into public.tickets (company_id, subject, description, category_id, requester_id, requester_email, requester_name, created_by)
    values (company, coalesce(nullif(app.clean_text(mail ->> 'subject', 200), ''), '–'), words, (verdict ->> 'category')::uuid, person,
      case when person is null then sender end, case when person is null then sender_name end, person)
    returning id into ticket;
    update public.files f set record_id = ticket where f.company_id = company and f.id = any (files) and f.resource = 'tickets' and f.record_id is null;
  elsif verdict ->> 'reason' = 'deactivated' and ticket is not null
    and not exists (select 1 from app.ticket_mails m where m.ticket_id = ticket and m.email = sender and m.events @> array['refused']) then
    perform app.queue_ticket_mail(company, ticket, person, sender, 'refused');
  end if;
  update public.inbound_mails m set company_id = company, ticket_id = ticket, status = verdict ->> 'status', reason = verdict ->> 'reason',
    from_address = "left"(sender, 255), from_name = sender_name,
    to_address = coalesce((select a.address from public.mail_addresses a where a.company_id = company and mail -> 'to' ? a.address order by a.id limit 1),
      app.without_token("left"(mail #>> '{to,0}', 255))),
    subject = app.clean_text(mail ->> 'subject', 200), body = words, attachments = "left"(mail ->> 'attachments', 2000),
    message_id = "left"(mail ->> 'message_id', 500), error = null, updated_at = now(), person_id = person,
    sender_check = case when (mail ->> 'is_authentic')::boolean or verdict ? 'ticket' and person is not null then 'verified' else 'unverified' end
  where m.id = mail_id;
  if verdict ->> 'status' <> 'held' then
    delete from app.inbound_raw r where r.mail_id = file_inbound.mail_id;
  else
    update app.inbound_raw r set waits_for = coalesce((verdict ->> 'waits_for')::uuid, r.waits_for) where r.mail_id = file_inbound.mail_id;
  end if;
  return verdict || jsonb_build_object('ticket', ticket, 'comment', comment_id);
end $$;

create or replace function app.decide_inbound(ids uuid[], approve boolean) returns integer
  language plpgsql volatile
  -- definer: people may write no mail, and decide on those of their company alone
  security definer set search_path = '' as $$
declare
  changed integer;
  waited_for text;
begin
  perform app.require('inbound_mails', 'approve');
  if approve then
    select string_agg(distinct '#' || t.number, ', ') into waited_for from public.inbound_mails m join app.inbound_raw r on r.mail_id = m.id
      join public.tickets t on t.id = r.waits_for and t.deleted_at is not null
      where m.id = any (ids) and m.status = 'held' and (app.sees_all() or m.company_id = app.own_company());
    if waited_for is not null then
      raise exception using errcode = '23514', hint = 'mail_ticket_in_trash', table = 'inbound_mails', schema = 'public',
        message = format('the mail answers a ticket that is in the trash: %s', waited_for), detail = jsonb_build_object('tickets', waited_for)::text;
    end if;
    -- It may still open a ticket by its address.
    if exists (select 1 from public.inbound_mails m join app.inbound_raw r on r.mail_id = m.id
      where m.id = any (ids) and m.status = 'held' and (app.sees_all() or m.company_id = app.own_company())
        and r.waits_for is not null and not exists (select 1 from public.tickets t where t.id = r.waits_for)
        and not exists (select 1 from public.mail_addresses a where a.company_id = m.company_id and a.address = m.to_address)) then
      raise exception using errcode = '23514', hint = 'mail_ticket_gone', table = 'inbound_mails', schema = 'public',
        message = 'the mail answers a ticket that was deleted for good';
    end if;
  end if;
  update public.inbound_mails m set status = case when approve then 'received' else 'rejected' end, is_approved = approve, attempts = 0,
    next_attempt_at = now(), decided_by = app.current_user_id(), decided_at = now(), updated_at = now()
  where m.id = any (ids) and m.status in ('held', 'unreadable') and (app.sees_all() or m.company_id = app.own_company());
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The mail was not found, or has been decided on.' using errcode = 'PT404', hint = 'mail_gone';
  end if;
  delete from app.inbound_raw r using public.inbound_mails m where m.id = r.mail_id and m.id = any (ids) and m.status = 'rejected';
  return changed;
end $$;
comment on function app.decide_inbound(uuid[], boolean) is
  'Approves or rejects mails that wait, of the caller''s company. A mail that answers a ticket in the trash is not approved before that ticket is '
  'restored; after it was deleted for good only one that went to an address of mail_addresses is, and opens a new ticket. Definer, because people may write no mail.';
