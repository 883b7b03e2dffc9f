-- Unread mails.

set check_function_bodies = off;

create or replace function app.take_inbound() returns table (id uuid, raw text, attempts integer)
  language plpgsql volatile set search_path = '' as $$
begin
  -- A mail that ends the server, or whose failure could not be written down, is not read for ever.
  update public.inbound_mails m set status = 'unreadable', reason = 'broken', error = coalesce(m.error, 'Reading the message did not end.'), updated_at = now()
  where m.status = 'received' and m.next_attempt_at <= now() and m.attempts >= 3;
  return query
  with taken as (
    update public.inbound_mails m set attempts = m.attempts + 1, next_attempt_at = now() + interval '2 minutes'
    where m.id = (
      select o.id from public.inbound_mails o where o.status = 'received' and o.next_attempt_at <= now()
      order by o.next_attempt_at, o.id limit 1 for update skip locked)
    returning m.id, m.attempts
  )
  select t.id, encode(r.raw, 'base64'), t.attempts from taken t join app.inbound_raw r on r.mail_id = t.id;
end $$;
comment on function app.take_inbound() is
  'For the server: the next mail to read. One that is not settled is due again after two minutes, three times in all. Granted to nobody.';

create function app.answered_mail(mail jsonb) returns app.ticket_mails
  language sql stable set search_path = '' as $$
  select m from (
    select m, 1 as rank from app.ticket_mails m join app.reply_tokens t on t.mail_id = m.id
    where t.hash in (select encode(sha256(convert_to(x.token, 'UTF8')), 'hex') from jsonb_array_elements_text(mail -> 'tokens') as x (token))
    union all
    -- Only the recipient has seen the Message-ID, and it counts for their address alone.
    select m, 2 from app.ticket_mails m
    where m.message_id in (select jsonb_array_elements_text(mail -> 'references')) and m.email = lower(mail ->> 'from')
  ) f order by f.rank, ((f.m).email = lower(mail ->> 'from')) desc, (f.m).id desc limit 1
$$;
comment on function app.answered_mail(jsonb) is 'The mail of ours that a mail answers, by a reply token or else by our Message-ID. Granted to nobody.';

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
  company := coalesce(answered.company_id, address.company_id);
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
        return jsonb_build_object('status', 'held', 'reason', 'other_sender', 'company', company);
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
        'person', answered.user_id);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
  end if;
  if address.id is null then
    return jsonb_build_object('status', 'held', 'reason', 'no_address', 'company', null);
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

create or replace function app.fail_inbound(mail_id uuid, error text, is_final boolean, mail jsonb default '{}') returns void
  language sql volatile set search_path = '' as $$
  update public.inbound_mails m set
    status = case when is_final or m.attempts >= 3 then 'unreadable' else 'received' end,
    reason = case when is_final or m.attempts >= 3 then 'broken' end,
    error = "left"(fail_inbound.error, 500), updated_at = now(),
    -- An earlier try may have read more of it than this one.
    from_address = coalesce(lower("left"(mail ->> 'from', 255)), m.from_address),
    subject = coalesce(app.clean_text(mail ->> 'subject', 200), m.subject),
    to_address = coalesce(app.without_token("left"(mail #>> '{to,0}', 255)), m.to_address),
    company_id = coalesce(m.company_id, (app.answered_mail(mail)).company_id,
      (select a.company_id from public.mail_addresses a where a.address in (select jsonb_array_elements_text(mail -> 'to')) limit 1))
  where m.id = mail_id
$$;
