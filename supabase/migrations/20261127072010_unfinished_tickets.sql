-- Unfinished tickets.

alter table public.tickets add column open_approvals integer not null default 0;
alter table public.tickets add column unfinished text generated always as (case when open_approvals > 0 then case when checklist_done < checklist_total then 'both' else 'approval' end
    when checklist_done < checklist_total then 'checklist' end) stored;
comment on column public.tickets.unfinished is 'What is not done yet and is asked about before the ticket is resolved: approval, checklist or both.';

-- Security definer: whoever asks or decides may not write the ticket.
create function app.count_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket uuid;
begin
  for ticket in
    select distinct i from unnest(array[case when tg_op <> 'INSERT' then old.ticket_id end, case when tg_op <> 'DELETE' then new.ticket_id end]) i
    where i is not null order by i
  loop
    perform 1 from public.tickets t where t.id = ticket for no key update;
    update public.tickets t set open_approvals = (select count(*) from public.ticket_approvals a where a.ticket_id = ticket and a.status in ('queued', 'asked'))
      where t.id = ticket;
  end loop;
  return null;
end $$;
comment on function app.count_approvals() is 'Row trigger: the ticket says how many approvals are undecided. Definer, because the writer may not write the ticket.';

-- Security definer: nobody writes approvals by hand, and whoever resolves a ticket may not see them.
create function app.cancel_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.ticket_approvals a set status = 'canceled'
    where a.company_id = new.company_id and a.ticket_id = new.id and a.status in ('queued', 'asked');
  return null;
end $$;
comment on function app.cancel_approvals() is
  'Row trigger: nobody decides about a ticket that is resolved. Definer, because nobody writes approvals by hand.';

create trigger ticket_approvals_count after insert or update of status, ticket_id or delete on public.ticket_approvals
  for each row execute function app.count_approvals();
create trigger tickets_approvals_end after update of status, status_id on public.tickets
  for each row when (new.status in ('resolved', 'closed') and old.status is distinct from new.status and new.open_approvals > 0)
  execute function app.cancel_approvals();

-- Nobody decides about tickets that were resolved before.
update public.ticket_approvals a set status = 'canceled'
  from public.tickets t where t.company_id = a.company_id and t.id = a.ticket_id and t.status in ('resolved', 'closed') and a.status in ('queued', 'asked');
update public.tickets t set open_approvals = a.count
  from (select x.ticket_id, count(*) as count from public.ticket_approvals x where x.status in ('queued', 'asked') group by x.ticket_id) a
  where a.ticket_id = t.id and t.open_approvals <> a.count;
