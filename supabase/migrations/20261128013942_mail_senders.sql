-- Mail senders.

alter table public.inbound_mails add column sender_check text check (sender_check in ('verified', 'unverified'));
alter table public.inbound_mails add column person_id uuid references public.profiles (id) on delete set null;
comment on column public.inbound_mails.sender_check is
  'Whether the mail server, or a reply token that was sent to this address, proves that the mail is of its sender: the From line alone does not.';
comment on column public.inbound_mails.person_id is 'The account in whose name the mail is filed, or would be if it were approved.';

create index inbound_mails_person_id_idx on public.inbound_mails (person_id);

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
  select m.* into answered from app.ticket_mails m join app.reply_tokens t on t.mail_id = m.id
    where t.hash in (select encode(sha256(convert_to(x.token, 'UTF8')), 'hex') from jsonb_array_elements_text(mail -> 'tokens') as x (token))
    order by (m.email = sender) desc, m.id desc limit 1;
  if answered.id is null then
    -- Only the recipient has seen the Message-ID, and it counts for their address alone.
    select m.* into answered from app.ticket_mails m
      where m.message_id in (select jsonb_array_elements_text(mail -> 'references')) and m.email = sender order by m.id desc limit 1;
  end if;
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
comment on function app.judge_inbound(uuid, jsonb) is
  'For the server: the result of a mail, {status, reason, company, ticket, person, category}; the person of a held one is who would be its author. A token or one of our Message-IDs leads to its ticket; '
  'the subject never does. Writes nothing. Granted to nobody.';

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
    from_address = "left"(sender, 255), from_name = sender_name, to_address = app.without_token("left"(mail #>> '{to,0}', 255)),
    subject = app.clean_text(mail ->> 'subject', 200), body = words, attachments = "left"(mail ->> 'attachments', 2000),
    message_id = "left"(mail ->> 'message_id', 500), error = null, updated_at = now(), person_id = person,
    sender_check = case when (mail ->> 'is_authentic')::boolean or verdict ? 'ticket' and person is not null then 'verified' else 'unverified' end
  where m.id = mail_id;
  if verdict ->> 'status' <> 'held' then
    delete from app.inbound_raw r where r.mail_id = file_inbound.mail_id;
  else
    update app.inbound_raw r set waits_for = (verdict ->> 'waits_for')::uuid where r.mail_id = file_inbound.mail_id;
  end if;
  return verdict || jsonb_build_object('ticket', ticket, 'comment', comment_id);
end $$;
