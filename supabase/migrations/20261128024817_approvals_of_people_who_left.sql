-- Approvals of people who left.

-- Security definer: comments, files and watchers of others move.
create or replace function public.merge_tickets(ids uuid[], target_id uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  target public.tickets%rowtype;
  wanted uuid[] := array(select distinct i from unnest(ids) i where i is not null order by 1);
  refused text;
  answered timestamptz;
  told uuid;
  hidden uuid[];
  merged public.tickets%rowtype;
  first_words uuid;
begin
  perform app.require_rows('tickets', 'assign', wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company());
  if target.id is null or wanted = '{}' or exists (
      select 1 from unnest(wanted) w where not exists (
        select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if cardinality(wanted) > 100 then
    raise exception using errcode = '22023', message = 'at most 100 tickets at a time';
  end if;
  perform app.lock_ticket_work(target.company_id);
  perform 1 from public.tickets t where t.id = any (wanted || target_id) order by t.id for update;
  select t.* into target from public.tickets t where t.id = target_id;
  refused := case
    when target_id = any (wanted) then 'merge_self'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.company_id <> target.company_id) then 'merge_company'
    when target.merged_into_id is not null then 'merge_into_merged'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.merged_into_id is not null) then 'merge_merged' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, message = case refused
      when 'merge_self' then 'a ticket is not merged into itself'
      when 'merge_company' then 'tickets of one company are merged'
      when 'merge_into_merged' then format('ticket #%s was merged itself', target.number)
      else 'one of these tickets was merged already' end,
      detail = jsonb_build_object('number', target.number::text)::text;
  end if;
  -- Nobody outside the desk reads the words of a ticket without a requester in the console: the requester of the survivor must not read them by a merge.
  -- An account that became the requester later has another address than the mail that opened the ticket.
  hidden := array(select t.id from public.tickets t where t.id = any (wanted) and t.requester_id is null
    and lower(t.requester_email) is distinct from coalesce(lower(case when target.requester_id is null then target.requester_email
      else (select p.email from public.profiles p where p.id = target.requester_id) end), ''));
  update public.ticket_comments c set ticket_id = target_id, kind = case when c.ticket_id = any (hidden) then 'note' else c.kind end
    where c.company_id = target.company_id and c.ticket_id = any (wanted);
  -- A merged ticket asked for something: its words are the first ones of its part of the thread.
  for merged in select t.* from public.tickets t where t.id = any (wanted) order by t.id loop
    insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, created_at, origin)
      values (merged.company_id, target_id, case when merged.id = any (hidden) then 'note' else 'reply' end,
        case when merged.description ~ '\S' then merged.description else merged.subject end, merged.requester_id, merged.requester_name, merged.created_at,
        "left"(format('#%s: %s', merged.number, merged.subject), 300))
      returning id into first_words;
    -- The attachments of a ticket whose words become notes are files of its first note, which are read by whoever reads notes.
    update public.files f set resource = case when merged.id = any (hidden) then 'ticket_comments' else f.resource end,
        record_id = case when merged.id = any (hidden) then first_words else target_id end
      where f.company_id = target.company_id and f.resource = 'tickets' and f.record_id = merged.id and f.field is null;
  end loop;
  -- People who have left are not added again.
  insert into public.ticket_watchers (company_id, ticket_id, user_id)
    select target.company_id, target_id, p.id
    from (select w.user_id as id from public.ticket_watchers w where w.company_id = target.company_id and w.ticket_id = any (wanted)
      union select t.requester_id from public.tickets t where t.id = any (wanted)) p
    where p.id is distinct from target.requester_id and exists (select 1 from public.user_roles r
      where r.user_id = p.id and r.deactivated_at is null and (r.company_id = target.company_id or r.role = 'Super Admin'))
    on conflict do nothing;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id)
    select distinct target.company_id, target_id, l.kind, l.other_id from public.ticket_links l
    where l.company_id = target.company_id and l.ticket_id = any (wanted) and l.other_id <> target_id and l.other_id <> all (wanted)
    on conflict do nothing;
  delete from public.ticket_links l where l.company_id = target.company_id and l.ticket_id = any (wanted);
  perform app.move_ticket_work(target.company_id, wanted, target_id);
  update app.alert_tickets x set ticket_id = target_id where x.company_id = target.company_id and x.ticket_id = any (wanted);
  -- Subtickets are one level deep: those of a merged ticket go to the survivor, or to its parent.
  update public.tickets t set parent_id = null where t.id = any (wanted || target_id) and t.parent_id = any (wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id;
  update public.tickets t set parent_id = coalesce(target.parent_id, target_id)
    where t.company_id = target.company_id and t.parent_id = any (wanted);
  -- The older ones lead on to the ticket that is open.
  update public.tickets t set merged_into_id = target_id where t.company_id = target.company_id and t.merged_into_id = any (wanted);
  -- The thread of the survivor now shows the desk's answer: its requester had it when it was theirs, and reads one to somebody else from now on.
  answered := (select min(case when t.requester_id = target.requester_id then greatest(t.first_responded_at, target.created_at) else now() end)
    from public.tickets t where t.id = any (wanted) and t.id <> all (hidden) and t.first_responded_at is not null);
  if answered is not null then
    update public.tickets t set first_responded_at = least(t.first_responded_at, answered), status = case t.status when 'new' then 'open' else t.status end
      where t.id = target_id;
  end if;
  update public.tickets t set status = 'closed', merged_into_id = target_id, parent_id = null where t.id = any (wanted);
  foreach told in array wanted || target_id loop
    perform app.tell_thread(told);
  end loop;
  return cardinality(wanted);
end $$;

create or replace function app.tell_approval(approval public.ticket_approvals, kind text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
  key constant text := 'approval:' || approval.id;
  words jsonb;
  to_approver boolean := kind in ('approval_asked', 'approval_canceled');
  told text := kind;
  desk constant uuid[] := app.desk_people(approval.company_id);
  -- People leave, move to another company and lose a role: whoever is not asked any more reads nothing of the ticket.
  approvers constant uuid[] := array(select r.user_id from public.user_roles r
    where r.company_id = approval.company_id and r.deactivated_at is null
      and (r.user_id = approval.person_id or approval.person_id is null and r.role = approval.role) order by r.user_id);
begin
  select t.* into ticket from public.tickets t where t.company_id = approval.company_id and t.id = approval.ticket_id;
  if kind = 'approval_asked' and approvers = '{}' then
    told := 'approval_left';
    to_approver := false;
  end if;
  words := jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject,
    'by', coalesce(case told when 'approval_asked' then approval.asked_by_name when 'approval_left' then coalesce(approval.person_name, approval.role)
      else approval.decided_by_name end, '–'),
    -- A bell is short: of a long question or note, its beginning.
    'about', "left"(coalesce(case when kind = 'approval_asked' then approval.question else approval.note end, ticket.subject), 300));
  -- Whoever is asked by name sees the ticket only while they are asked: outside the desk the bell then leads nowhere.
  update public.notifications n set kind = tell_approval.kind, params = case when n.user_id = any (approvers || desk) then words else n.params end,
      link = case when n.user_id = any (desk) then n.link end, read_at = coalesce(n.read_at, now())
    where n.once_key = key and n.kind = 'approval_asked' and tell_approval.kind <> 'approval_asked';
  foreach person in array case when to_approver then approvers
    when ticket.assignee_id = any (desk) and told <> 'approval_left' then array[ticket.assignee_id] else desk end
  loop
    continue when person = app.current_user_id() and told <> 'approval_left';
    insert into public.notifications as n (user_id, company_id, kind, params, link, once_key)
      values (person, approval.company_id, told, words,
        case when told <> 'approval_canceled' or person = any (desk) then '/tickets/' || ticket.id end, key)
      on conflict (user_id, once_key) do update
      set kind = excluded.kind, params = excluded.params, link = excluded.link, read_at = null, created_at = now();
    if to_approver then
      perform app.queue_ticket_mail(ticket.company_id, ticket.id, person, null,
        case kind when 'approval_asked' then 'approval' else 'approval_canceled' end);
    end if;
  end loop;
end $$;
comment on function app.tell_approval(public.ticket_approvals, text) is
  'The bell of an approval, one for each person: whoever is asked, and told when it is canceled, by mail too, or, once it is decided, the assignee or the '
  'desk. The bell that asked says how it ended, and is read. The desk hears of a step whose person or role has left.';

create or replace function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  if last_step >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  if exists (select 1 from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status in ('asked', 'queued')
      and (a.person_id, a.role) is not distinct from (person, approver_role)) then
    raise exception using errcode = '23514', hint = 'approval_again', message = 'this approval is asked for already (column "'
      || case when person is null then 'approver_role' else 'person_id' end || '")';
  end if;
  insert into public.ticket_approvals (company_id, ticket_id, step, person_id, person_name, role, question, asked_by, asked_by_name, status, asked_at)
    values (ticket.company_id, ticket.id, last_step + 1, person,
      (select p.name from public.profiles p where p.id = person), approver_role, nullif(btrim(add_approval.question), ''),
      app.current_user_id(), (select p.name from public.profiles p where p.id = app.current_user_id()),
      case when exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then 'queued' else 'asked' end,
      case when not exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then now() end)
    returning * into made;
  if made.status = 'asked' then
    perform app.tell_approval(made, 'approval_asked');
  end if;
end $$;

-- Security definer: whoever decides may not write the ticket.
create or replace function public.decide_approvals(ids uuid[], approved boolean, note text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  wanted uuid;
  approval public.ticket_approvals%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  decided integer := 0;
begin
  perform app.require('ticket_approvals', 'approve');
  if approved is null then
    raise exception using errcode = '22023', message = 'approved is true or false';
  end if;
  for wanted in select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1 loop
    -- Two people of a role who decide at once: the second one finds it decided.
    select t.* into ticket from public.tickets t where t.id = wanted and t.deleted_at is null for no key update;
    continue when ticket.id is null or not app.tickets_covers(ticket, 'list');
    for approval in select a.* from public.ticket_approvals a where a.ticket_id = wanted and a.id = any (ids) order by a.step loop
      continue when not exists (select 1 from public.user_roles r where r.user_id = me and r.company_id = approval.company_id and r.deactivated_at is null
        and (approval.person_id = me or approval.person_id is null and r.role = approval.role) and app.ticket_approvals_covers(approval, 'approve'));
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      if (ticket.requester_id = me or approval.asked_by = me) and not coalesce(settings.approve_own, false) then
        raise exception using errcode = '42501', hint = 'approval_own', message = 'nobody approves their own request';
      end if;
      update public.ticket_approvals a set status = case when approved then 'approved' else 'denied' end, note = nullif(btrim(decide_approvals.note), ''),
          decided_at = now(), decided_by = me, decided_by_name = (select p.name from public.profiles p where p.id = me)
        where a.id = approval.id returning * into approval;
      decided := decided + 1;
      if not approved then
        update public.ticket_approvals a set status = 'canceled' where a.ticket_id = wanted and a.status = 'queued';
        update public.tickets t set status = coalesce(settings.on_denied, 'open') where t.id = wanted and t.status in ('new', 'open', 'waiting');
        perform app.tell_approval(approval, 'approval_denied');
      elsif not app.ask_next_approval(wanted) then
        perform app.tell_approval(approval, 'approval_given');
      end if;
    end loop;
  end loop;
  if decided = 0 then
    -- An approval of others and none at all get one answer.
    raise exception 'No approval of yours was found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return decided;
end $$;

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
    'question', case when events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || coalesce(survivor.id, ticket.id),
    'into', case when survivor.id is not null then format('#%s: %s', survivor.number, survivor.subject) end,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;
