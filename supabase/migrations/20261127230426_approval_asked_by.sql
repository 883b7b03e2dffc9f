-- Approval asked by.

alter table public.ticket_approvals add column asked_by_name text check (length(asked_by_name) <= 100);

create or replace function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  if last_step >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  insert into public.ticket_approvals (company_id, ticket_id, step, person_id, person_name, role, question, asked_by_name, status, asked_at)
    values (ticket.company_id, ticket.id, last_step + 1, person,
      (select p.name from public.profiles p where p.id = person), approver_role, nullif(btrim(add_approval.question), ''),
      (select p.name from public.profiles p where p.id = app.current_user_id()),
      case when exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then 'queued' else 'asked' end,
      case when not exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then now() end)
    returning * into made;
  if made.status = 'asked' then
    perform app.tell_approval(made, 'approval_asked');
  end if;
end $$;
