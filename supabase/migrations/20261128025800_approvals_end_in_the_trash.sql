-- Approvals end in the trash.

-- Security definer: nobody writes approvals by hand, and whoever resolves a ticket may not see them.
create or replace function app.cancel_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.ticket_approvals a set status = 'canceled'
    where a.company_id = new.company_id and a.ticket_id = new.id and a.status in ('queued', 'asked');
  if new.deleted_at is not null then
    -- Nobody reads a ticket in the trash, so its bells lead nowhere.
    update public.notifications n set link = null from public.ticket_approvals a
      where a.company_id = new.company_id and a.ticket_id = new.id and n.once_key = 'approval:' || a.id and n.link is not null;
  end if;
  return null;
end $$;
comment on function app.cancel_approvals() is
  'Row trigger: nobody decides about a ticket that is resolved or in the trash. Definer, because nobody writes approvals by hand.';

create or replace trigger tickets_approvals_end after update of status, status_id, deleted_at on public.tickets
  for each row when (new.open_approvals > 0 and (new.status in ('resolved', 'closed') and old.status is distinct from new.status
    or old.deleted_at is null and new.deleted_at is not null))
  execute function app.cancel_approvals();
