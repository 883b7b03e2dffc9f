-- Closed past requesters.

-- Security definer: whoever changes the requester writes no other table.
create or replace function app.keep_requester() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- An account that is deleted leaves its tickets without a requester.
  insert into app.past_requesters (company_id, ticket_id, user_id)
    select new.company_id, new.id, p.id from public.profiles p where p.id = old.requester_id on conflict do nothing;
  return null;
end $$;

revoke all on app.past_requesters from public, anon, authenticated;
alter table app.past_requesters enable row level security;
