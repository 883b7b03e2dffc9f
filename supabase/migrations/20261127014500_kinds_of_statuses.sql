-- The status of a ticket becomes its kind: pending is called waiting, and a ticket that nobody has taken up is new.
set app.quiet = 'on';

alter table public.tickets drop constraint tickets_status_check;
alter table public.tickets alter column status set default 'new';
update public.tickets t set status = 'waiting' where t.status = 'pending';
alter table public.tickets add constraint tickets_status_check check (status in ('new', 'open', 'waiting', 'resolved', 'closed'));
alter table public.tickets add column status_id uuid;

-- Filters that people saved, as the address of the list writes them.
update public.saved_views v
set state = jsonb_set(v.state, '{query}', to_jsonb(regexp_replace(regexp_replace(v.state ->> 'query',
  '(^|&)(status=(?:[^&]*(?:%2C|,|!))?)pending(?=$|&|%2C|,)', '\1\2waiting', 'g'), '%22pending%22', '%22waiting%22', 'g')))
where v.resource = 'tickets' and v.state ->> 'query' like '%pending%';

reset app.quiet;
