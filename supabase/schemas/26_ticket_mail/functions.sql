create function app.wake_mail_reader() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_notify('konsol_mail_in', '');
  return null;
end $$;
comment on function app.wake_mail_reader() is 'Row trigger: tells a listening server, at commit, that a mail waits to be read.';

-- Sending.

create function app.queue_ticket_mail(company uuid, ticket uuid, person uuid, address text, event text, comment_id uuid default null) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  recipient text := lower(btrim(coalesce((select p.email from public.profiles p where p.id = person), address)));
begin
  if recipient is null then
    return;
  end if;
  update app.ticket_mails m
  set events = case when m.events @> array[event] then m.events else m.events || event end,
    comment_ids = case when comment_id is null then m.comment_ids else (m.comment_ids || comment_id)[1:20] end
  where m.id = (
    select x.id from app.ticket_mails x
    where x.company_id = company and x.ticket_id = ticket and x.email = recipient and x.status = 'queued' and x.attempts = 0
      and not x.events @> array['refused'] and event <> 'refused'
    order by x.id desc limit 1 for update skip locked);
  if not found then
    insert into app.ticket_mails (company_id, ticket_id, user_id, email, events, comment_ids, next_attempt_at)
    values (company, ticket, person, recipient, array[event], case when comment_id is null then '{}' else array[comment_id] end,
      -- The first mail leaves at once; what follows within a minute comes as one.
      greatest(now(), (select max(x.sent_at) + interval '1 minute' from app.ticket_mails x
        where x.company_id = company and x.ticket_id = ticket and x.email = recipient)));
  end if;
end $$;
comment on function app.queue_ticket_mail(uuid, uuid, uuid, text, text, uuid) is
  'Adds an event of a ticket to the mail that waits for this person, or to a new one. Granted to nobody.';

create function app.mail_reply() returns trigger
  language plpgsql
  -- definer: nobody may write what others are mailed
  security definer set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
begin
  if app.quiet() then
    return null;
  end if;
  select t.* into ticket from public.tickets t where t.company_id = new.company_id and t.id = new.ticket_id;
  for person in
    select distinct p.id from (
      select ticket.requester_id as id union all select ticket.assignee_id union all select unnest(new.mentions)
      union all select w.user_id from public.ticket_watchers w where w.company_id = new.company_id and w.ticket_id = new.ticket_id) p
    where p.id is not null and p.id is distinct from new.author_id
  loop
    perform app.queue_ticket_mail(new.company_id, new.ticket_id, person, null,
      case when person = any (new.mentions) then 'mention' else 'reply' end, new.id);
  end loop;
  -- A requester without an account writes by mail alone, without an author.
  if ticket.requester_id is null and ticket.requester_email is not null and new.author_id is not null then
    perform app.queue_ticket_mail(new.company_id, new.ticket_id, null, ticket.requester_email, 'reply', new.id);
  end if;
  return null;
end $$;
comment on function app.mail_reply() is
  'Row trigger: a public reply goes by mail to requester, assignee, watchers and whom it mentions, except its author. Definer, because nobody may write what others are mailed.';

create function app.mail_ticket_change() returns trigger
  language plpgsql
  -- definer: nobody may write what others are mailed
  security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.quiet() then
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.status <> 'closed' and (new.requester_id is not null or new.requester_email is not null) then
      perform app.queue_ticket_mail(new.company_id, new.id, new.requester_id, new.requester_email, 'received');
    end if;
    return null;
  end if;
  if new.assignee_id is distinct from old.assignee_id and new.assignee_id is not null and new.assignee_id is distinct from actor then
    perform app.queue_ticket_mail(new.company_id, new.id, new.assignee_id, null, 'assigned');
  end if;
  if new.status = 'resolved' and old.status not in ('resolved', 'closed') and actor is distinct from new.requester_id
     and (new.requester_id is not null or new.requester_email is not null) then
    perform app.queue_ticket_mail(new.company_id, new.id, new.requester_id, new.requester_email, 'resolved');
  end if;
  return null;
end $$;
comment on function app.mail_ticket_change() is
  'Row trigger: a ticket was received, assigned or resolved. Definer, because nobody may write what others are mailed.';

create function app.tell_merged_ticket() returns trigger
  language plpgsql
  -- definer: nobody may write what others are told or mailed
  security definer set search_path = '' as $$
declare
  survivor public.tickets%rowtype;
begin
  if app.quiet() then
    return null;
  end if;
  select t.* into survivor from public.tickets t where t.company_id = new.company_id and t.id = new.merged_into_id;
  -- Words and files have moved, which alone does not say that the ticket has changed.
  update public.tickets t set updated_at = now() where t.id = survivor.id;
  if new.requester_id = any (app.desk_people(new.company_id) || survivor.requester_id
       || array(select w.user_id from public.ticket_watchers w where w.company_id = new.company_id and w.ticket_id = survivor.id))
     and new.requester_id is distinct from app.acting_user_id() then
    insert into public.notifications (user_id, company_id, kind, params, link, once_key)
      values (new.requester_id, new.company_id, 'ticket_merged',
        jsonb_build_object('number', new.number::text, 'into', survivor.number::text, 'subject', survivor.subject),
        '/tickets/' || survivor.id, 'merged:' || new.id)
      on conflict (user_id, once_key) do update set params = excluded.params, link = excluded.link, read_at = null, created_at = now();
  end if;
  -- The mail is in the thread of the old ticket, which the requester knows; a reply to it lands where the conversation goes on.
  if (new.requester_id is not null or new.requester_email is not null) and new.requester_id is distinct from app.acting_user_id() then
    perform app.queue_ticket_mail(new.company_id, new.id, new.requester_id, new.requester_email, 'merged');
  end if;
  return null;
end $$;
comment on function app.tell_merged_ticket() is
  'Row trigger: the requester of a merged ticket hears where it goes on, by bell and mail, and the survivor counts as changed. Definer, because nobody may '
  'write what others are told or mailed.';

create function app.person_may(person uuid, object text, verb text) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  answer boolean;
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', person, 'role', 'authenticated')::text, true),
    set_config('request.jwt.claim.sub', person::text, true);
  answer := app.can(object, verb);
  perform set_config('request.jwt.claims', claims, true), set_config('request.jwt.claim.sub', subject, true);
  return coalesce(answer, false);
end $$;
comment on function app.person_may(uuid, text, text) is 'Whether a person has a permission, asked as themself. Granted to nobody.';

create function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  survivor public.tickets%rowtype;
  comments jsonb;
  events text[] := mail.events;
  asked public.ticket_approvals%rowtype;
begin
  select t.* into ticket from public.tickets t where t.company_id = mail.company_id and t.id = mail.ticket_id and t.deleted_at is null;
  if ticket.id is null then
    return null;
  end if;
  if events @> array['refused'] then
    return jsonb_build_object('events', events, 'number', ticket.number, 'subject', ticket.subject, 'comments', '[]'::jsonb);
  end if;
  -- A request that is canceled before it is mailed is not mailed, nor is its end.
  if events @> array['approval'] then
    events := array_remove(events, 'approval_canceled');
    -- Somebody else may be asked something else by now.
    select a.* into asked from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' and mail.user_id = any (app.approvers_of(a));
    if asked.id is null then
      events := array_remove(events, 'approval');
    end if;
  end if;
  -- The right to read it may have been taken since.
  if mail.user_id is not null then
    if not exists (select 1 from public.user_roles r where r.user_id = mail.user_id and r.deactivated_at is null) then
      return null;
    end if;
    if app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', mail.ticket_id) = '{}' then
      -- Whoever was asked by name saw the ticket only while they were asked.
      return case when events @> array['approval_canceled'] and exists (select 1 from public.user_roles r
          where r.user_id = mail.user_id and r.company_id = mail.company_id and r.deactivated_at is null) then jsonb_build_object('events', array['approval_canceled'], 'number', ticket.number,
        'subject', ticket.subject, 'comments', '[]'::jsonb, 'company', (select c.name from public.companies c where c.id = ticket.company_id)) end;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
  end if;
  if events @> array['merged'] then
    select t.* into survivor from public.tickets t where t.company_id = mail.company_id and t.id = ticket.merged_into_id and t.deleted_at is null;
    -- Where it goes on is said to those who may read on there.
    if survivor.id is null or mail.user_id is null and lower(survivor.requester_email) is distinct from mail.email
       or mail.user_id is not null and app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', survivor.id) = '{}' then
      events := array_remove(events, 'merged');
      survivor := null;
    end if;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'author', c.author_name, 'body', c.body, 'files', (
      select coalesce(jsonb_agg(f.name order by f.created_at, f.id), '[]') from public.files f
      where f.company_id = c.company_id and f.resource = 'ticket_comments' and f.record_id = c.id and f.uploaded_at is not null))
    order by c.created_at, c.id), '[]') into comments
  from public.ticket_comments c
  where c.company_id = mail.company_id and c.ticket_id = mail.ticket_id and c.id = any (mail.comment_ids)
    and c.kind = 'reply';
  if events <@ array['reply', 'mention'] and comments = '[]' then
    return null;
  end if;
  return jsonb_build_object('events', events, 'number', ticket.number, 'subject', ticket.subject, 'comments', comments,
    'description', case when events && array['opened', 'assigned', 'approval'] then "left"(ticket.description, 4000) end,
    'question', asked.question,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || coalesce(survivor.id, ticket.id),
    'into', case when survivor.id is not null then format('#%s: %s', survivor.number, survivor.subject) end,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;
comment on function app.ticket_mail_content(app.ticket_mails) is
  'What a mail about a ticket says now: public replies alone, never an internal note. Null for whoever may not read it any more.';

create function app.take_ticket_mails(domain text, max_rows integer default 10)
  returns table (id bigint, email text, language text, content jsonb, token text, message_id text, reply_to text, thread text)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 5;
  max_mails_per_hour constant integer := 60;
  mail app.ticket_mails%rowtype;
  sent record;
begin
  -- Whoever is over the limit waits with all that is due for them, and holds up nobody else.
  update app.ticket_mails m set next_attempt_at = now() + case when f.last_hour >= max_mails_per_hour then interval '10 minutes' else interval '1 minute' end
  from (
    select o.id, s.last_hour from app.ticket_mails o
    join (
      select x.email, count(*) as last_hour, count(*) filter (where x.sent_at > now() - interval '1 minute') as last_minute
      from app.ticket_mails x where x.sent_at > now() - interval '1 hour' group by x.email
    ) s on s.email = o.email and (s.last_minute >= max_mails_per_minute or s.last_hour >= max_mails_per_hour)
    where o.status = 'queued' and o.next_attempt_at <= now()
    for update of o skip locked
  ) f where m.id = f.id;
  -- Each row is updated once. A second update would ask for the keys of the ticket and the person again, and wait for somebody who deletes them and
  -- waits for this row.
  for mail in
    select o.* from app.ticket_mails o where o.status = 'queued' and o.next_attempt_at <= now()
    order by o.next_attempt_at, o.id limit max_rows for update skip locked
  loop
    select count(*) filter (where x.sent_at > now() - interval '1 minute') as last_minute, count(*) as last_hour into sent
    from app.ticket_mails x where x.email = mail.email and x.sent_at > now() - interval '1 hour' and x.id <> mail.id;
    if sent.last_minute >= max_mails_per_minute or sent.last_hour >= max_mails_per_hour then
      -- It stays open for what comes in the meantime.
      update app.ticket_mails m set next_attempt_at = now() + case when sent.last_hour >= max_mails_per_hour then interval '10 minutes' else interval '1 minute' end
      where m.id = mail.id;
      continue;
    end if;
    id := mail.id;
    email := mail.email;
    content := case when mail.created_at > now() - interval '1 day' then app.ticket_mail_content(mail) end;
    language := coalesce((select l.language from app.user_languages l where l.user_id = mail.user_id), app.company_language(mail.company_id));
    thread := '<ticket.' || mail.ticket_id || '@' || domain || '>';
    reply_to := coalesce((select i.message_id from public.inbound_mails i
      where i.company_id = mail.company_id and i.ticket_id = mail.ticket_id and i.from_address = mail.email and i.message_id is not null
      order by i.created_at desc limit 1), thread);
    message_id := coalesce(mail.message_id, '<ticket.' || mail.ticket_id || '.' || mail.id || '.' || "left"(app.new_secret(), 32) || '@' || domain || '>');
    token := null;
    if content is not null then
      token := app.new_secret();
      insert into app.reply_tokens (hash, mail_id) values (encode(sha256(convert_to(token, 'UTF8')), 'hex'), mail.id);
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.ticket_mails m set message_id = take_ticket_mails.message_id, sent_at = case when content is not null then now() end,
        attempts = m.attempts + 1,
        next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(m.attempts + 1, 6)]
      where m.id = mail.id;
    return next;
  end loop;
end $$;
comment on function app.take_ticket_mails(text, integer) is
  'For the server: mails about tickets that are due, at most 5 a minute and 60 an hour to one address, each with its text, Message-ID and a new reply token. Granted to nobody.';

create function app.finish_ticket_mail(id bigint, outcome text, error text default null) returns void
  language sql volatile set search_path = '' as $$
  update app.ticket_mails m set
    status = case when outcome <> 'failed' then outcome when m.attempts >= 6 then 'failed' else 'queued' end,
    sent_at = case when outcome = 'sent' then coalesce(m.sent_at, now()) end,
    error = "left"(finish_ticket_mail.error, 500)
  where m.id = finish_ticket_mail.id
$$;
comment on function app.finish_ticket_mail(bigint, text, text) is
  'For the server: sent, dropped, or failed with its error; a failed mail is tried six times. Granted to nobody.';

-- Receiving.

create function app.queue_inbound(message_key text, source text, raw text) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  bytes constant bytea := decode(raw, 'base64');
  added uuid;
begin
  insert into public.inbound_mails (message_key, source, size) values (queue_inbound.message_key, queue_inbound.source, length(bytes))
  on conflict on constraint inbound_mails_message_key_key do nothing returning id into added;
  if added is not null then
    insert into app.inbound_raw (mail_id, raw) values (added, bytes);
  end if;
  return added;
end $$;
comment on function app.queue_inbound(text, text, text) is
  'For the server: keeps a mail before it is read, so that nothing is lost; null for one that has arrived before. Granted to nobody.';

create function app.take_inbound() returns table (id uuid, raw text, attempts integer)
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

create function app.judge_inbound(mail_id uuid, mail jsonb) returns jsonb
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
comment on function app.judge_inbound(uuid, jsonb) is
  'For the server: the result of a mail, {status, reason, company, ticket, person, category}; the person of a held one is who would be its author. A token or one of our Message-IDs leads to its ticket; '
  'the subject never does. Writes nothing. Granted to nobody.';

create function app.mail_ticket(company uuid, ticket uuid) returns uuid
  language sql stable set search_path = '' as $$
  select coalesce((select t.merged_into_id from public.tickets t where t.company_id = mail_ticket.company and t.id = mail_ticket.ticket), mail_ticket.ticket)
$$;
comment on function app.mail_ticket(uuid, uuid) is 'The ticket on which a reply to the mail of a ticket lands: a merged one''s is the one that took its conversation.';

create function app.without_token(address text) returns text
  language sql immutable set search_path = '' as $$ select regexp_replace(address, '\+[a-z2-7]{52}@', '@', 'i') $$;
comment on function app.without_token(text) is
  'An address as it is kept: whoever reads its token could write in the name of the person who got it.';

create function app.file_inbound(mail_id uuid, mail jsonb, files uuid[] default '{}') returns jsonb
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
comment on function app.file_inbound(uuid, jsonb, uuid[]) is
  'For the server: does with a mail what app.judge_inbound() says, with the files that were kept for it. Runs as the owner and not as a definer, because '
  'the triggers of comments take the role of clients. Granted to nobody.';

create function app.fail_inbound(mail_id uuid, error text, is_final boolean, mail jsonb default '{}') returns void
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
comment on function app.fail_inbound(uuid, text, boolean, jsonb) is
  'For the server: a mail could not be read. It is tried three times, or once when it will never be read, and then listed with its error. Granted to nobody.';

create function app.decide_inbound(ids uuid[], approve boolean) returns integer
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
grant execute on function app.decide_inbound(uuid[], boolean) to authenticated;

create function public.approve_mails(ids uuid[]) returns integer
  language sql volatile set search_path = '' as $$ select app.decide_inbound(ids, true) $$;
comment on function public.approve_mails(uuid[]) is 'Approves held mails, and reads unreadable ones again; returns how many. The server then files them.';
grant execute on function public.approve_mails(uuid[]) to authenticated;

create function public.reject_mails(ids uuid[]) returns integer
  language sql volatile set search_path = '' as $$ select app.decide_inbound(ids, false) $$;
comment on function public.reject_mails(uuid[]) is 'Rejects held or unreadable mails and returns how many. Their raw messages are deleted.';
grant execute on function public.reject_mails(uuid[]) to authenticated;

create function app.read_mail_state() returns jsonb
  language plpgsql stable
  -- definer: the state of the server is private
  security definer set search_path = '' as $$
begin
  perform app.require('inbound_mails', 'list');
  return (select jsonb_build_object('can_send', s.can_send, 'reads', s.reads, 'polled_at', s.polled_at, 'poll_error', s.poll_error,
    'reply_address', s.reply_address, 'is_local', s.is_local) from app.mail_state s);
end $$;
comment on function app.read_mail_state() is 'How the server sends and reads mail, and its last poll. Definer, because the state of the server is private.';
grant execute on function app.read_mail_state() to authenticated;

create function public.mail_state() returns jsonb
  language sql stable set search_path = '' as $$
  -- Row-level security leaves the addresses that the caller may read.
  select app.read_mail_state() || jsonb_build_object('has_address', exists (select 1 from public.mail_addresses))
$$;
comment on function public.mail_state() is 'How the server sends and reads mail, its last poll, and whether an address opens tickets.';
grant execute on function public.mail_state() to authenticated;

create function app.require_mail() returns void
  language plpgsql stable set search_path = '' as $$
begin
  -- On hosted Supabase no server says how it sends, and the auth server mails.
  if exists (select 1 from app.mail_state s where not s.can_send) then
    raise exception using errcode = '23514', hint = 'mail_off', message = 'the server sends no mail';
  end if;
end $$;
comment on function app.require_mail() is 'Refuses (23514, mail_off) to ask for a mail that somebody waits for, on a server that sends none. Granted to nobody.';

create function app.queue_test_mail() returns text
  language plpgsql volatile
  -- definer: the queue of mails is private
  security definer set search_path = '' as $$
declare
  address text := (select lower(p.email) from public.profiles p where p.id = app.current_user_id());
begin
  perform app.require('inbound_mails', 'approve');
  perform app.require_mail();
  if exists (select 1 from app.test_mails m where m.email = address and m.created_at > now() - interval '1 minute') then
    raise exception using errcode = 'PT429', message = 'A test mail was sent less than a minute ago.', hint = 'mail_test_again';
  end if;
  delete from app.test_mails m where m.created_at < now() - interval '1 day' or m.email = address;
  insert into app.test_mails (email, language) values (address, (select l.language from app.user_languages l where l.user_id = app.current_user_id()));
  return address;
end $$;
comment on function app.queue_test_mail() is 'Queues a test mail to the caller, once a minute, and returns the address. Definer, because the queue of mails is private.';
grant execute on function app.queue_test_mail() to authenticated;

create function public.send_test_mail() returns text
  language sql volatile set search_path = '' as $$ select app.queue_test_mail() $$;
comment on function public.send_test_mail() is 'Sends the caller a test mail, once a minute, and returns the address.';
grant execute on function public.send_test_mail() to authenticated;

create function app.take_test_mails() returns table (email text, language text)
  language sql volatile set search_path = '' as $$
  update app.test_mails m set is_taken = true where not m.is_taken returning m.email, m.language
$$;
comment on function app.take_test_mails() is 'For the server: test mails to send; each is tried once. Granted to nobody.';

create function app.forget_inbound() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  update public.inbound_mails m set status = 'expired', updated_at = now() where m.id in (
    select x.id from public.inbound_mails x where x.status in ('held', 'unreadable') and x.created_at < now() - interval '30 days' limit 500);
  delete from app.inbound_raw r using public.inbound_mails m where m.id = r.mail_id and m.status = 'expired';
  delete from public.inbound_mails m where m.id in (
    select x.id from public.inbound_mails x where x.created_at < now() - interval '180 days' limit 1000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_inbound() is 'Step of app.tick(): mails that nobody decided on expire after 30 days, and all rows go after 180.';
