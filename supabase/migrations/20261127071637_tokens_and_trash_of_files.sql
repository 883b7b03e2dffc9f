-- Tokens and trash of files.

create or replace function app.leave_tickets(ids uuid[]) returns integer
  language plpgsql volatile
  -- definer: a watcher reads a ticket without the right to edit it, and the links of a ticket are written by those who edit it
  security definer set search_path = '' as $$
declare
  changed integer;
begin
  delete from public.ticket_watchers w where w.ticket_id = any (ids) and w.user_id = app.current_user_id()
    and w.company_id = any (app.visible_company_ids())
    and exists (select 1 from public.tickets t where t.company_id = w.company_id and t.id = w.ticket_id and t.deleted_at is null);
  get diagnostics changed = row_count;
  return changed;
end $$;

-- Security definer: reads the object in the bucket, and writes what nobody may.
create or replace function public.finish_file(file_id uuid) returns public.files
  language plpgsql volatile security definer set search_path = '' as $$
declare
  file public.files%rowtype;
  object jsonb;
  preview jsonb;
  wanted text[];
begin
  select f.* into file from public.files f
  where f.id = file_id and f.created_by = app.current_user_id() and f.company_id = any (app.visible_company_ids()) and f.uploaded_at is null
  for update;
  -- The record may have gone to the trash while the bytes were on their way.
  if file.id is null or app.file_in_trash(file.resource, file.record_id) then
    raise exception using errcode = 'PT404', message = 'no such upload', hint = 'file_gone';
  end if;
  select o.metadata into object from storage.objects o where o.bucket_id = 'files' and o.name = file.path;
  if object is null then
    raise exception using errcode = 'check_violation', message = 'The upload has not arrived.', hint = 'file_unfinished';
  end if;
  if (object ->> 'size')::bigint is distinct from file.size then
    raise exception using errcode = 'check_violation', message = 'The file is not as large as was announced.', hint = 'file_size';
  end if;
  select f.accept into wanted from app.file_fields f where f.resource = file.resource and f.field = coalesce(file.field, '');
  if not coalesce(app.file_family(object ->> 'mimetype') = any (wanted), true) then
    raise exception using errcode = 'check_violation', message = 'The field does not take files of this type.', hint = 'file_type';
  end if;
  select o.metadata into preview from storage.objects o where o.bucket_id = 'files' and o.name = file.path || '.webp';
  update public.files f set uploaded_at = now(), type = left(coalesce(object ->> 'mimetype', f.type), 120),
    has_preview = coalesce(preview ->> 'mimetype' = 'image/webp' and (preview ->> 'size')::bigint <= 524288, false)
  where f.id = file.id returning f.* into file;
  return file;
end $$;

create or replace function app.take_ticket_mails(domain text, max_rows integer default 10)
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
    return jsonb_build_object('status', 'held', 'reason', 'too_many', 'company', company);
  end if;
  select s.* into settings from public.desk_settings s where s.company_id = company;
  if answered.id is not null then
    select t.* into ticket from public.tickets t where t.company_id = answered.company_id and t.id = app.mail_ticket(answered.company_id, answered.ticket_id);
    -- The mail waits for the ticket: once it is restored, approving the mail files it.
    if ticket.deleted_at is not null then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_in_trash', 'company', company);
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
      return jsonb_build_object('status', 'held', 'reason', 'ticket_closed', 'company', company, 'ticket', ticket.id);
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
    'reason', 'unknown_sender', 'company', company);
end $$;

-- Definer, as app.in_trash().
create function app.file_in_trash(resource text, record_id uuid) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  commented_id uuid;
begin
  select c.* into source from app.commented c where c.comments = file_in_trash.resource;
  if source.comments is null then
    return record_id is not null and app.in_trash(file_in_trash.resource, record_id);
  end if;
  execute format('select c.%I from public.%I c where c.id = $1', source.settings ->> 'record', source.comments) into commented_id using record_id;
  return commented_id is not null and app.in_trash(source.settings ->> 'table', commented_id);
end $$;
comment on function app.file_in_trash(text, uuid) is
  'Whether the record of a file, or the record that its comment is on, is in the trash. Definer, because nobody reads such rows. Granted to nobody.';

-- A requester does not learn who decides: people see that they are asked themself.
create policy ticket_approvers_select_asked on public.ticket_approvers as restrictive for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.sees_rows('tickets', 'list')));
