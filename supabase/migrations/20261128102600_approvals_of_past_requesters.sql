-- Approvals of past requesters.

set check_function_bodies = off;

drop function app.has_approval(uuid);
drop function app.survivor_of(uuid, uuid);

create function app.has_approval(ticket uuid, words_of timestamptz default null) returns boolean
  language plpgsql stable
  -- definer: a requester reads no approvals
  security definer set search_path = '' as $$
begin
  return exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket
    and (a.status in ('queued', 'asked') or a.status = 'approved' and coalesce(a.decided_at >= words_of, true)));
end $$;
comment on function app.has_approval(uuid, timestamptz) is
  'Whether a ticket waits for an approval or has one, of words that were there at this moment where one is given. For app.guard_ticket(), '
  'app.guard_ticket_files() and app.guard_approved_words(), which know the ticket; definer, because a requester reads no approvals.';
grant execute on function app.has_approval(uuid, timestamptz) to authenticated;

create or replace function app.guard_ticket_link() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated') and new.kind in ('split_from', 'split_into') then
      raise exception using errcode = '23514', hint = 'link_split', table = 'ticket_links', schema = 'public', column = 'kind',
        message = 'this kind of link is made by splitting a ticket';
    end if;
    perform app.lock_ticket_work(new.company_id);
    -- As the caller: a ticket of others and none at all get one answer, which the foreign key or the mirror gives.
    if current_user in ('anon', 'authenticated') and exists (select 1 from public.tickets t where t.company_id = new.company_id and t.id = new.other_id) then
      perform app.refuse_merged(new.company_id, new.other_id, 'ticket_links');
    end if;
    return new;
  end if;
  perform app.lock_ticket_work(old.company_id);
  return old;
end $$;
comment on function app.guard_ticket_link() is
  'Row trigger: people link no ticket that was merged, on either side, and links of a company are written one after the other, because each has two rows.';

-- Security definer: the row is locked, and the survivor may be one that the caller does not see.
create function app.survivor_of(company uuid, ticket uuid) returns table (id uuid, number integer, is_trashed boolean)
  language plpgsql volatile security definer set search_path = '' rows 1 as $$
declare
  survivor uuid;
begin
  -- A merge holds the row until it has ended; whoever writes meanwhile waits here.
  select t.merged_into_id into survivor from public.tickets t where t.company_id = company and t.id = ticket for key share;
  return query select t.id, t.number, t.deleted_at is not null from public.tickets t where t.company_id = company and t.id = survivor;
end $$;
comment on function app.survivor_of(uuid, uuid) is
  'The ticket into which this one was merged, or no row; waits for a merge under way. Definer, because it locks a row that the caller may not edit.';
grant execute on function app.survivor_of(uuid, uuid) to authenticated, service_role;

create or replace function app.refuse_merged_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  survivor record;
begin
  -- As the caller: a ticket of others and none at all get one answer, which a later trigger gives.
  if not exists (select 1 from public.tickets t where t.company_id = new.company_id and t.id = new.ticket_id) then
    return new;
  end if;
  if current_user in ('anon', 'authenticated') then
    perform app.refuse_merged(new.company_id, new.ticket_id, tg_table_name);
  end if;
  select s.id, s.is_trashed into survivor from app.survivor_of(new.company_id, new.ticket_id) s;
  -- A reply by mail, which the server writes, lands where the conversation goes on, and stays where it was sent to while that ticket is in the trash.
  new.ticket_id := case when survivor.is_trashed then new.ticket_id else coalesce(survivor.id, new.ticket_id) end;
  return new;
end $$;

create or replace function app.move_ticket_work(company uuid, ids uuid[], target_id uuid) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  update public.time_entries e set ticket_id = target_id where e.company_id = company and e.ticket_id = any (ids);
  update public.ticket_checklist_items i set ticket_id = target_id where i.company_id = company and i.ticket_id = any (ids);
  perform app.guard_own_approvals(array(select a.id from public.ticket_approvals a where a.company_id = company and a.ticket_id = any (ids)));
  -- Decisions stay where they were made; nobody is asked about a ticket that is closed.
  update public.ticket_approvals a set status = 'canceled', resumes = false
    where a.company_id = company and a.ticket_id = any (ids) and (a.status in ('queued', 'asked') or a.resumes);
  insert into app.past_requesters (company_id, ticket_id, user_id)
    select t.company_id, target_id, r.user_id from public.tickets t cross join lateral unnest(app.requesters_of(t)) r (user_id)
    where t.company_id = company and t.id = any (ids) and r.user_id is not null on conflict do nothing;
end $$;
comment on function app.move_ticket_work(uuid, uuid[], uuid) is
  'For public.merge_tickets(), which has asked for the permission: time and checklists of everybody move, and open approvals end. Whose requests were '
  'merged decides no approval of the survivor.';

-- Security definer: whoever changes the requester writes no other table.
create function app.keep_requester() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.past_requesters (company_id, ticket_id, user_id) values (new.company_id, new.id, old.requester_id) on conflict do nothing;
  return null;
end $$;
comment on function app.keep_requester() is
  'Row trigger: a ticket remembers whose request it was. Definer, because whoever changes the requester writes no other table.';

create function app.requesters_of(ticket public.tickets) returns uuid[]
  language sql stable set search_path = '' as $$
  select array(select p.user_id from app.past_requesters p where p.company_id = ticket.company_id and p.ticket_id = ticket.id) || ticket.requester_id
$$;
comment on function app.requesters_of(public.tickets) is
  'Whose request a ticket is, and was: nobody decides about their own by handing it to somebody else first. Granted to nobody.';

create or replace function app.guard_own_approvals(ids uuid[]) returns void
  language plpgsql stable set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
begin
  if exists (select 1 from public.ticket_approvals a join public.tickets t on t.company_id = a.company_id and t.id = a.ticket_id
      where a.id = any (ids) and (a.status in ('queued', 'asked') or a.resumes) and me = any (app.requesters_of(t)) and a.asked_by is distinct from me
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = a.company_id), false)) then
    raise exception using errcode = '42501', hint = 'approval_cancel_own', message = 'the requester of a ticket does not cancel what others have asked';
  end if;
end $$;

-- Security definer: whoever changes an account may not read approvals.
create function app.tell_left_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  approval public.ticket_approvals%rowtype;
begin
  for approval in
    select a.* from public.ticket_approvals a
    where a.company_id = old.company_id and a.status = 'asked' and (a.person_id = old.user_id or a.person_id is null and a.role = old.role)
    order by a.ticket_id, a.id
  loop
    if app.approvers_of(approval) = '{}' then
      perform app.tell_approval(approval, 'approval_asked');
    end if;
  end loop;
  return null;
end $$;
comment on function app.tell_left_approvals() is
  'Row trigger on user_roles: the desk hears of an approval that nobody can decide any more, so that no ticket waits for somebody who has left. Definer, '
  'because whoever changes an account may not read approvals.';

-- As the caller, whose rows row-level security has chosen.
create function app.guard_approved_words() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') and app.has_approval(old.ticket_id, old.created_at) and not coalesce((
      select app.tickets_covers(t, 'assign') from public.tickets t where t.company_id = old.company_id and t.id = old.ticket_id), false) then
    raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
comment on function app.guard_approved_words() is
  'Row trigger of the comments of tickets: what an approver has read is changed by the desk alone.';

create or replace function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  -- Each request that was canceled keeps its step, and counts no more.
  if (select count(*) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status <> 'canceled') >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  if exists (select 1 from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status in ('asked', 'queued')
      and (a.person_id, a.role) is not distinct from (person, approver_role)) then
    raise exception using errcode = '23514', hint = 'approval_again', message = 'this approval is asked for already (column "'
      || case when person is null then 'approver_role' else 'person_id' end || '")';
  end if;
  insert into public.ticket_approvals
      (company_id, ticket_id, step, person_id, person_name, role, question, asked_by, asked_by_name, status, asked_at)
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

-- Security definer: nobody writes approvals by hand, and whoever asks may not read roles.
create or replace function public.request_approval(ids uuid[], person_id uuid default null, approver_role text default null, question text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  refused text;
  asked integer := 0;
begin
  perform app.require_rows('tickets', 'assign', ids);
  for ticket in
    select t.* from public.tickets t where t.id = any (ids) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()) order by t.id for no key update
  loop
    refused := case
      when request_approval.person_id is null and approver_role is null then 'approval_nobody'
      when request_approval.person_id is not null and approver_role is not null then 'approval_whom'
      when ticket.status in ('resolved', 'closed') then 'approval_closed'
      when request_approval.person_id is not null and not exists (select 1 from public.user_roles r
        where r.user_id = request_approval.person_id and r.company_id = ticket.company_id and r.deactivated_at is null) then 'approval_person'
      when approver_role is not null and not (approver_role = any (app.roles_that_may('tickets', 'list'))
        and exists (select 1 from public.user_roles r
          where r.company_id = ticket.company_id and r.role = approver_role and r.deactivated_at is null)) then 'approval_role'
      when (request_approval.person_id = app.current_user_id() or request_approval.person_id = any (app.requesters_of(ticket)))
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = ticket.company_id), false) then 'approval_own'
      when ticket.merged_into_id is not null then 'approval_closed' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, message = 'the approval cannot be asked for: ' || refused
        || case when refused in ('approval_nobody', 'approval_whom') then ' (column "person_id" or column "approver_role")'
          when refused in ('approval_person', 'approval_own') then ' (column "person_id")'
          when refused = 'approval_role' then ' (column "approver_role")' else '' end;
    end if;
    perform app.add_approval(ticket, request_approval.person_id, approver_role, request_approval.question);
    update public.tickets t set status = 'waiting' where t.id = ticket.id and t.status in ('new', 'open');
    asked := asked + 1;
  end loop;
  if asked = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return asked;
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
      continue when me <> all (app.approvers_of(approval)) or not app.ticket_approvals_covers(approval, 'approve');
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      if (me = approval.asked_by or me = any (app.requesters_of(ticket))) and not coalesce(settings.approve_own, false) then
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

create trigger tickets_requester_kept after update of requester_id on public.tickets
  for each row when (old.requester_id is not null and old.requester_id is distinct from new.requester_id) execute function app.keep_requester();
create trigger user_roles_approvals_left after update of company_id, role, deactivated_at or delete on public.user_roles
  for each row execute function app.tell_left_approvals();
create trigger ticket_comments_1_approved before update of body or delete on public.ticket_comments
  for each row execute function app.guard_approved_words();
