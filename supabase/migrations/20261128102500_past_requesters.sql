-- A ticket keeps whose request it was before.

create table app.past_requesters (
  company_id uuid not null,
  ticket_id uuid not null,
  user_id uuid not null references public.profiles (id) on delete cascade,
  primary key (company_id, ticket_id, user_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.past_requesters is
  'Whose request a ticket was before: whoever works the desk may hand a ticket to somebody else, and decides no approval of it all the same.';

create index past_requesters_user_idx on app.past_requesters (user_id);

insert into app.past_requesters (company_id, ticket_id, user_id)
  select a.company_id, a.ticket_id, a.requester_id from public.ticket_approvals a join public.tickets t on t.company_id = a.company_id and t.id = a.ticket_id
  where a.requester_id is not null and a.requester_id is distinct from t.requester_id
  on conflict do nothing;

alter table public.ticket_approvals drop column requester_id;
