-- Cancel approval requests.

create function app.ask_next_approval(ticket uuid) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  next_step public.ticket_approvals%rowtype;
begin
  if exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket and a.status = 'asked') then
    return true;
  end if;
  update public.ticket_approvals a set status = 'asked', asked_at = now() where a.id = (select x.id from public.ticket_approvals x
    where x.ticket_id = ticket and x.status = 'queued' order by x.step limit 1) returning * into next_step;
  if next_step.id is not null then
    perform app.tell_approval(next_step, 'approval_asked');
    return true;
  end if;
  update public.tickets t set status = 'open' where t.id = ticket and t.status = 'waiting';
  return false;
end $$;
comment on function app.ask_next_approval(uuid) is
  'Asks the next step of a ticket when no step is asked, or lets the ticket go on after the last one. Returns whether an approval is open. '
  'For the functions of approvals, which hold the lock of the ticket.';

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

-- Security definer: nobody writes approvals by hand.
create function public.cancel_approval_requests(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  tickets constant uuid[] := array(select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1);
  ticket public.tickets%rowtype;
  ended integer;
  canceled integer := 0;
begin
  perform app.require_rows('tickets', 'assign', tickets), app.require_rows('ticket_approvals', 'list', ids);
  for ticket in
    select t.* from public.tickets t where t.id = any (tickets) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company())
    order by t.id for no key update
  loop
    if exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket.id and a.id = any (ids) and a.status not in ('queued', 'asked')) then
      raise exception using errcode = '23514', hint = 'approval_decided', message = 'the approval is decided or canceled';
    end if;
    -- Nobody goes on with a request of their own by taking away the question that somebody else has asked about it.
    if ticket.requester_id = me and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = ticket.company_id), false)
       and exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket.id and a.id = any (ids) and a.asked_by is distinct from me) then
      raise exception using errcode = '42501', hint = 'approval_cancel_own', message = 'the requester of a ticket does not cancel what others have asked';
    end if;
    update public.ticket_approvals a set status = 'canceled' where a.ticket_id = ticket.id and a.id = any (ids);
    get diagnostics ended = row_count;
    canceled := canceled + ended;
    perform app.ask_next_approval(ticket.id);
  end loop;
  if canceled = 0 then
    raise exception 'The approval was not found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return canceled;
end $$;
comment on function public.cancel_approval_requests(uuid[]) is
  'Cancels approvals that are not decided, and returns how many; then the next step is asked, or the ticket goes on. For those who may ask for approvals. '
  '23514 for one that is decided, 42501 for what others have asked about a ticket of the caller''s own. Definer, because nobody writes approvals by hand.';
grant execute on function public.cancel_approval_requests(uuid[]) to authenticated;
