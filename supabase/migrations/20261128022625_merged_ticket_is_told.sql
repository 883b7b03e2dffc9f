-- Merged ticket is told.

alter table app.ticket_mails drop constraint ticket_mails_events_check;
alter table app.ticket_mails add constraint ticket_mails_events_check check (events <@ array['received', 'reply', 'mention', 'opened', 'assigned', 'resolved', 'approval', 'approval_canceled', 'merged', 'refused']);

create or replace function app.tell_approval(approval public.ticket_approvals, kind text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
  key constant text := 'approval:' || approval.id;
  words jsonb;
  to_approver constant boolean := kind in ('approval_asked', 'approval_canceled');
  desk constant uuid[] := app.desk_people(approval.company_id);
begin
  select t.* into ticket from public.tickets t where t.company_id = approval.company_id and t.id = approval.ticket_id;
  words := jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject,
    'by', coalesce(case when kind = 'approval_asked' then approval.asked_by_name else approval.decided_by_name end, '–'),
    -- A bell is short: of a long question or note, its beginning.
    'about', "left"(coalesce(case when kind = 'approval_asked' then approval.question else approval.note end, ticket.subject), 300));
  -- Whoever is asked by name sees the ticket only while they are asked: outside the desk the bell then leads nowhere.
  update public.notifications n set kind = tell_approval.kind, params = words, link = case when n.user_id = any (desk) then n.link end,
      read_at = coalesce(n.read_at, now())
    where n.once_key = key and n.kind = 'approval_asked' and tell_approval.kind <> 'approval_asked';
  foreach person in array case
    when not to_approver then coalesce(nullif(array[ticket.assignee_id], array[null]::uuid[]), desk)
    when approval.person_id is not null then array[approval.person_id]
    else array(select r.user_id from public.user_roles r
      where r.company_id = approval.company_id and r.role = approval.role and r.deactivated_at is null order by r.user_id) end
  loop
    continue when person = app.current_user_id();
    insert into public.notifications as n (user_id, company_id, kind, params, link, once_key)
      values (person, approval.company_id, tell_approval.kind, words,
        case when kind <> 'approval_canceled' or person = any (desk) then '/tickets/' || ticket.id end, key)
      on conflict (user_id, once_key) do update
      set kind = excluded.kind, params = excluded.params, link = excluded.link, read_at = null, created_at = now();
    if to_approver then
      perform app.queue_ticket_mail(ticket.company_id, ticket.id, person, null,
        case kind when 'approval_asked' then 'approval' else 'approval_canceled' end);
    end if;
  end loop;
end $$;

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

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  survivor public.tickets%rowtype;
  comments jsonb;
  events text[] := mail.events;
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
    if not exists (select 1 from public.ticket_approvals a
        where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked') then
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
      return case when events @> array['approval_canceled'] then jsonb_build_object('events', array['approval_canceled'], 'number', ticket.number,
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
    'question', case when events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || coalesce(survivor.id, ticket.id),
    'into', case when survivor.id is not null then format('#%s: %s', survivor.number, survivor.subject) end,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;

create trigger tickets_tell_merged after update of merged_into_id on public.tickets
  for each row when (old.merged_into_id is null and new.merged_into_id is not null) execute function app.tell_merged_ticket();

-- Bells of approvals say who asks and what about; earlier ones have the subject alone.
update public.notifications n set params = n.params || jsonb_build_object('about', n.params ->> 'subject',
    'by', coalesce(nullif(n.params ->> 'by', ''), '–'))
  where n.kind in ('approval_asked', 'approval_given', 'approval_denied') and not n.params ? 'about';
