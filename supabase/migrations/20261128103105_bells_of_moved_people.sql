-- Bells of moved people.

drop policy notifications_update_self on public.notifications;
drop policy notifications_select_self on public.notifications;

create function app.move_approvers() returns trigger
  language plpgsql
  -- definer: nobody writes the link
  security definer set search_path = '' as $$
begin
  delete from public.ticket_approvers a where a.user_id = new.user_id and a.company_id <> new.company_id;
  insert into public.ticket_approvers (company_id, ticket_id, user_id)
    select a.company_id, a.ticket_id, a.person_id from public.ticket_approvals a
    where a.company_id = new.company_id and a.person_id = new.user_id and a.status = 'asked'
    on conflict do nothing;
  return null;
end $$;
comment on function app.move_approvers() is
  'Row trigger: whoever moves to another company sees no ticket of the first because they were asked there, and whoever comes back does again. '
  'Definer, because nobody writes the link.';

create trigger user_roles_approvers after update on public.user_roles
  for each row when (old.company_id is distinct from new.company_id) execute function app.move_approvers();

-- Whoever has left a company no longer reads the words of its records.
create policy notifications_select_self on public.notifications for select to authenticated
  using (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())));

create policy notifications_update_self on public.notifications for update to authenticated
  using (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())))
  with check (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())));
