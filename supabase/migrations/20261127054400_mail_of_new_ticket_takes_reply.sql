-- Mail of new ticket takes reply.

alter table app.ticket_mails drop constraint ticket_mails_events_check;
alter table app.ticket_mails add constraint ticket_mails_events_check check (events <@ array['received', 'reply', 'mention', 'opened', 'assigned', 'resolved', 'approval', 'refused']);

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
  opened uuid;
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

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  comments jsonb;
begin
  select t.* into ticket from public.tickets t where t.company_id = mail.company_id and t.id = mail.ticket_id;
  if mail.events @> array['refused'] then
    return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', '[]'::jsonb);
  end if;
  -- The right to read it may have been taken since.
  if mail.user_id is not null then
    if not exists (select 1 from public.user_roles r where r.user_id = mail.user_id and r.deactivated_at is null)
       or app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', mail.ticket_id) = '{}' then
      return null;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'author', c.author_name, 'body', c.body, 'files', (
      select coalesce(jsonb_agg(f.name order by f.created_at, f.id), '[]') from public.files f
      where f.company_id = c.company_id and f.resource = 'ticket_comments' and f.record_id = c.id and f.uploaded_at is not null))
    order by c.created_at, c.id), '[]') into comments
  from public.ticket_comments c
  where c.company_id = mail.company_id and c.ticket_id = mail.ticket_id and c.id = any (mail.comment_ids)
    and c.kind = 'reply';
  if mail.events = array['approval'] and not exists (select 1 from public.ticket_approvals a
       where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked')
     or mail.events <@ array['reply', 'mention'] and comments = '[]' then
    return null;
  end if;
  return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', comments,
    'description', case when mail.events && array['opened', 'assigned', 'approval'] then "left"(ticket.description, 4000) end,
    'question', case when mail.events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || ticket.id,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;
