-- Split from.

alter table public.tickets add column split_from_id uuid;
alter table public.tickets add constraint tickets_split_from_id_fkey foreign key (split_from_id, company_id) references public.tickets (id, company_id) on delete set null (split_from_id);
comment on column public.tickets.split_from_id is 'The ticket of the reply that it was made from; it follows the link of both.';

create index tickets_split_from_idx on public.tickets (company_id, split_from_id) where split_from_id is not null;

-- Security definer: whoever removes a link may not write the ticket.
create function app.note_split() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  link public.ticket_links := case when tg_op = 'DELETE' then old else new end;
begin
  update public.tickets t set split_from_id = (select l.other_id from public.ticket_links l
      where l.company_id = t.company_id and l.ticket_id = t.id and l.kind = 'split_from' order by l.created_at, l.id limit 1)
    where t.company_id = link.company_id and t.id = link.ticket_id;
  return null;
end $$;
comment on function app.note_split() is
  'Row trigger: a ticket names the one that it was split from. Definer, because links are written by people who may not write the ticket.';

create trigger ticket_links_split after insert on public.ticket_links
  for each row when (new.kind = 'split_from') execute function app.note_split();
create trigger ticket_links_split_end after delete on public.ticket_links
  for each row when (old.kind = 'split_from') execute function app.note_split();

update public.tickets t set split_from_id = l.other_id
  from (select distinct on (s.company_id, s.ticket_id) s.company_id, s.ticket_id, s.other_id from public.ticket_links s
    where s.kind = 'split_from' order by s.company_id, s.ticket_id, s.created_at, s.id) l
  where t.company_id = l.company_id and t.id = l.ticket_id;
