-- Mentions and approvals by mail.

alter table app.ticket_mails drop constraint ticket_mails_events_check;
alter table app.ticket_mails add constraint ticket_mails_events_check check (events <@ array['received', 'reply', 'mention', 'assigned', 'resolved', 'approval', 'refused']);

create or replace function app.comment_notice(notice app.notices) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  source app.commented%rowtype;
  told record;
  lines jsonb := '[]';
begin
  for source in select c.* from app.commented c order by c.comments loop
    for told in execute format('select c.id, c.kind, c.author_name, c.%1$I as record_id, app.audit_name(%2$L, to_jsonb(r)) as title
      from public.%3$I c join public.%2$I r on r.company_id = c.company_id and r.id = c.%1$I
      where c.company_id = $1 and c.id = any ($2) order by c.created_at, c.id',
      source.settings ->> 'record', source.settings ->> 'table', source.comments) using notice.company_id, notice.record_ids
    loop
      -- The right to read it may have been taken since.
      continue when app.people_who_see(array[notice.user_id], notice.company_id, source.settings ->> 'table', told.record_id,
        source.settings #>> array['kinds', told.kind, 'object']) = '{}';
      -- The reply itself has gone to them by mail.
      continue when exists (select 1 from app.ticket_mails m where m.company_id = notice.company_id and m.ticket_id = told.record_id
        and m.user_id = notice.user_id and m.comment_ids @> array[told.id] and m.status in ('queued', 'sent'));
      lines := lines || jsonb_build_object('title', told.title, 'author', told.author_name,
        'link', (source.settings ->> 'path') || '/' || told.record_id || '?comment=' || told.id);
    end loop;
  end loop;
  if lines = '[]' then
    return null;
  end if;
  return jsonb_build_object('mentions', lines, 'records', notice.records, 'is_digest', notice.is_digest, 'link', lines -> 0 ->> 'link');
end $$;

create or replace function app.tell_approval(approval public.ticket_approvals, kind text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
  notice app.notices%rowtype;
  people uuid[];
begin
  select t.* into ticket from public.tickets t where t.company_id = approval.company_id and t.id = approval.ticket_id;
  people := case
    when kind <> 'approval_asked' then coalesce(nullif(array[ticket.assignee_id], array[null]::uuid[]), app.desk_people(approval.company_id))
    when approval.person_id is not null then array[approval.person_id]
    else array(select r.user_id from public.user_roles r
      where r.company_id = approval.company_id and r.role = approval.role and r.deactivated_at is null order by r.user_id) end;
  foreach person in array people loop
    continue when person = app.current_user_id();
    notice := app.notice_for(person, 'tickets', approval.company_id, approval.id, array[ticket.id], false);
    continue when notice.id is null;
    perform app.ring(notice, kind, jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject,
      'by', coalesce(approval.decided_by_name, '')), '/tickets/' || ticket.id);
    if kind = 'approval_asked' then
      perform app.queue_ticket_mail(ticket.company_id, ticket.id, person, null, 'approval');
    end if;
  end loop;
end $$;
comment on function app.tell_approval(public.ticket_approvals, text) is
  'The bell of an approval: whoever is asked, by mail too, or, once it is decided, the assignee or the desk.';

create or replace function app.mail_reply() returns trigger
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
    'description', case when mail.events && array['assigned', 'approval'] then "left"(ticket.description, 4000) end,
    'question', case when mail.events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || ticket.id,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;
