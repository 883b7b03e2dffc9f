-- Tickets of a requester.

drop index public.tickets_company_requester_idx;

-- For the row rule own, whose policy also reads the requester.
create index tickets_company_requester_idx on public.tickets (company_id, requester_id, id);
