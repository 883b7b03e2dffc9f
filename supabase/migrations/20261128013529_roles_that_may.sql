-- Roles that may.

-- Security definer: reads app.role.
create function public.roles_that_may(object text, verb text) returns text[]
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require(object, verb);
  return app.roles_that_may(object, verb);
end $$;
comment on function public.roles_that_may(text, text) is
  'The roles whose lines allow this on every row, for a field that names a role. The caller needs the permission too. Definer, because app.role is private.';
grant execute on function public.roles_that_may(text, text) to authenticated;

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
      when request_approval.person_id in (ticket.requester_id, app.current_user_id())
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
