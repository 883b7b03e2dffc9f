revoke all on public.ticket_categories from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, color, position),
  update (name, description, color, position)
  on public.ticket_categories to authenticated;
grant select, insert, update, delete on public.ticket_categories to service_role;
alter table public.ticket_categories enable row level security;
create policy ticket_categories_select_member on public.ticket_categories for select to authenticated
  using ((select app.can('ticket_categories', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_insert_member on public.ticket_categories for insert to authenticated
  with check ((select app.can('ticket_categories', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_update_member on public.ticket_categories for update to authenticated
  using ((select app.can('ticket_categories', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_categories', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_delete_member on public.ticket_categories for delete to authenticated
  using ((select app.can('ticket_categories', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.ticket_issues from public, anon, authenticated;
grant select, delete,
  insert (company_id, category_id, name, description, priority),
  update (category_id, name, description, priority)
  on public.ticket_issues to authenticated;
grant select, insert, update, delete on public.ticket_issues to service_role;
alter table public.ticket_issues enable row level security;
create policy ticket_issues_select_member on public.ticket_issues for select to authenticated
  using ((select app.can('ticket_issues', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_insert_member on public.ticket_issues for insert to authenticated
  with check ((select app.can('ticket_issues', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_update_member on public.ticket_issues for update to authenticated
  using ((select app.can('ticket_issues', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_issues', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_delete_member on public.ticket_issues for delete to authenticated
  using ((select app.can('ticket_issues', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.ticket_numbers from public, anon, authenticated;
alter table app.ticket_numbers enable row level security;

revoke all on public.tickets from public, anon, authenticated;
grant select, delete,
  insert (company_id, subject, description, category_id, issue_id, priority, status, requester_id, assignee_id, device_id, due_at),
  update (subject, description, category_id, issue_id, priority, status, requester_id, assignee_id, device_id, due_at)
  on public.tickets to authenticated;
grant select, insert, update, delete on public.tickets to service_role;
alter table public.tickets enable row level security;
create policy tickets_select_member on public.tickets for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_insert_member on public.tickets for insert to authenticated
  with check ((select app.can('tickets', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_update_member on public.tickets for update to authenticated
  using ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())))
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_delete_member on public.tickets for delete to authenticated
  using ((select app.can('tickets', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
