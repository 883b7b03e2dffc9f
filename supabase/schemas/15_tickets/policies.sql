revoke all on public.ticket_categories from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, color, position, icon, audience, fields, checklist),
  update (name, description, color, position, icon, audience, fields, checklist)
  on public.ticket_categories to authenticated;
grant select, insert, update, delete on public.ticket_categories to service_role;
alter table public.ticket_categories enable row level security;
create policy ticket_categories_select_member on public.ticket_categories for select to authenticated
  using ((select app.can('ticket_categories', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (audience = 'everyone' or (select app.can('tickets', 'assign'))));
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
  using ((select app.can('ticket_issues', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    -- Row-level security leaves out the categories that are the desk's own.
    and exists (select 1 from public.ticket_categories c where c.company_id = ticket_issues.company_id and c.id = ticket_issues.category_id));
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
  insert (company_id, subject, description, category_id, issue_id, priority, status, status_id, answers, requester_id, assignee_id, device_id, due_at),
  update (subject, description, category_id, issue_id, priority, status, status_id, answers, requester_id, assignee_id, device_id, due_at)
  on public.tickets to authenticated;
grant select, insert, update, delete on public.tickets to service_role;
alter table public.tickets enable row level security;
create policy tickets_select_member on public.tickets for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tickets_insert_member on public.tickets for insert to authenticated
  with check ((select app.can('tickets', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tickets_update_member on public.tickets for update to authenticated
  using ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tickets_delete_member on public.tickets for delete to authenticated
  using ((select app.can('tickets', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tickets_select_rules on public.tickets as restrictive for select to authenticated
  using ((select app.sees_rows('tickets', 'list'))
    or ((select app.has_rule('tickets', 'list', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'list', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'list', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_insert_rules on public.tickets as restrictive for insert to authenticated
  with check ((select app.sees_rows('tickets', 'create'))
    or ((select app.has_rule('tickets', 'create', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'create', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'create', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_update_rules on public.tickets as restrictive for update to authenticated
  using ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))))
  with check ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_delete_rules on public.tickets as restrictive for delete to authenticated
  using ((select app.sees_rows('tickets', 'delete'))
    or ((select app.has_rule('tickets', 'delete', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'delete', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'delete', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_select_trash on public.tickets as restrictive for select to authenticated
  using (deleted_at is null);
create policy tickets_update_trash on public.tickets as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy tickets_delete_trash on public.tickets as restrictive for delete to authenticated
  using (deleted_at is null);

revoke all on public.ticket_watchers from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, user_id) on public.ticket_watchers to authenticated;
grant select, insert, update, delete on public.ticket_watchers to service_role;
alter table public.ticket_watchers enable row level security;
create policy ticket_watchers_select_member on public.ticket_watchers for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_watchers_insert_member on public.ticket_watchers for insert to authenticated
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_watchers_delete_member on public.ticket_watchers for delete to authenticated
  using ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_watchers_select_rules on public.ticket_watchers as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id));
create policy ticket_watchers_insert_rules on public.ticket_watchers as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_watchers_delete_rules on public.ticket_watchers as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));

revoke all on public.ticket_comments from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, kind, body, once_key), update (body) on public.ticket_comments to authenticated;
grant select, insert, update, delete on public.ticket_comments to service_role;
alter table public.ticket_comments enable row level security;
create policy ticket_comments_select_member on public.ticket_comments for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())) and (kind <> 'note' or (select app.can('tickets-notes', 'list')))
    and exists (select 1 from public.tickets r where r.company_id = ticket_comments.company_id and r.id = ticket_comments.ticket_id));
create policy ticket_comments_insert_member on public.ticket_comments for insert to authenticated
  with check ((select app.can('tickets', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id()) and (kind <> 'note' or (select app.can('tickets-notes', 'create')))
    and exists (select 1 from public.tickets r where r.company_id = ticket_comments.company_id and r.id = ticket_comments.ticket_id));
create policy ticket_comments_update_member on public.ticket_comments for update to authenticated
  using ((select app.can('tickets', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id()) and (kind <> 'note' or (select app.can('tickets-notes', 'create')))
    and exists (select 1 from public.tickets r where r.company_id = ticket_comments.company_id and r.id = ticket_comments.ticket_id))
  with check ((select app.can('tickets', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id()) and (kind <> 'note' or (select app.can('tickets-notes', 'create')))
    and exists (select 1 from public.tickets r where r.company_id = ticket_comments.company_id and r.id = ticket_comments.ticket_id));
create policy ticket_comments_delete_member on public.ticket_comments for delete to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())) and (kind <> 'note' or (select app.can('tickets-notes', 'list')))
    and exists (select 1 from public.tickets r where r.company_id = ticket_comments.company_id and r.id = ticket_comments.ticket_id)
    and (author_id = (select app.current_user_id()) or (select app.can('tickets', 'delete'))));
