revoke all on app.past_requesters from public, anon, authenticated;
alter table app.past_requesters enable row level security;
revoke all on app.comment_splits from public, anon, authenticated;
alter table app.comment_splits enable row level security;

revoke all on public.ticket_links from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, kind, other_id) on public.ticket_links to authenticated;
grant select, insert, update, delete on public.ticket_links to service_role;
alter table public.ticket_links enable row level security;
create policy ticket_links_select_member on public.ticket_links for select to authenticated
  using ((select app.can('ticket_links', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.ticket_id)
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.other_id));
create policy ticket_links_insert_member on public.ticket_links for insert to authenticated
  with check ((select app.can('ticket_links', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.ticket_id)
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.other_id));
create policy ticket_links_delete_member on public.ticket_links for delete to authenticated
  using ((select app.can('ticket_links', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.ticket_id)
    and exists (select 1 from public.tickets r where r.company_id = ticket_links.company_id and r.id = ticket_links.other_id));

revoke all on public.time_entries from public, anon, authenticated;
grant select, delete,
  insert (company_id, ticket_id, user_id, started_at, ended_at, note, billable),
  update (started_at, ended_at, note, billable)
  on public.time_entries to authenticated;
grant select, insert, update, delete on public.time_entries to service_role;
alter table public.time_entries enable row level security;
create policy time_entries_select_member on public.time_entries for select to authenticated
  using ((select app.can('time_entries', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = time_entries.company_id and r.id = time_entries.ticket_id));
create policy time_entries_insert_member on public.time_entries for insert to authenticated
  with check ((select app.can('time_entries', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = time_entries.company_id and r.id = time_entries.ticket_id));
create policy time_entries_update_member on public.time_entries for update to authenticated
  using ((select app.can('time_entries', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = time_entries.company_id and r.id = time_entries.ticket_id))
  with check ((select app.can('time_entries', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = time_entries.company_id and r.id = time_entries.ticket_id));
create policy time_entries_delete_member on public.time_entries for delete to authenticated
  using ((select app.can('time_entries', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = time_entries.company_id and r.id = time_entries.ticket_id));
create policy time_entries_select_rules on public.time_entries as restrictive for select to authenticated
  using ((select app.sees_rows('time_entries', 'list'))
    or ((select app.has_rule('time_entries', 'list', 'own')) and (user_id = (select app.current_user_id()))));
create policy time_entries_insert_rules on public.time_entries as restrictive for insert to authenticated
  with check ((select app.sees_rows('time_entries', 'create'))
    or ((select app.has_rule('time_entries', 'create', 'own')) and (user_id = (select app.current_user_id()))));
create policy time_entries_update_rules on public.time_entries as restrictive for update to authenticated
  using ((select app.sees_rows('time_entries', 'edit'))
    or ((select app.has_rule('time_entries', 'edit', 'own')) and (user_id = (select app.current_user_id()))))
  with check ((select app.sees_rows('time_entries', 'edit'))
    or ((select app.has_rule('time_entries', 'edit', 'own')) and (user_id = (select app.current_user_id()))));
create policy time_entries_delete_rules on public.time_entries as restrictive for delete to authenticated
  using ((select app.sees_rows('time_entries', 'delete'))
    or ((select app.has_rule('time_entries', 'delete', 'own')) and (user_id = (select app.current_user_id()))));

revoke all on public.ticket_approvals from public, anon, authenticated;
grant select on public.ticket_approvals to authenticated;
grant select, insert, update, delete on public.ticket_approvals to service_role;
alter table public.ticket_approvals enable row level security;
create policy ticket_approvals_select_member on public.ticket_approvals for select to authenticated
  using ((select app.can('ticket_approvals', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_approvals.company_id and r.id = ticket_approvals.ticket_id));
create policy ticket_approvals_select_rules on public.ticket_approvals as restrictive for select to authenticated
  using ((select app.sees_rows('ticket_approvals', 'list'))
    or ((select app.has_rule('ticket_approvals', 'list', 'own')) and (person_id = (select app.current_user_id()))));
create policy ticket_approvals_insert_rules on public.ticket_approvals as restrictive for insert to authenticated
  with check ((select app.sees_rows('ticket_approvals', 'create'))
    or ((select app.has_rule('ticket_approvals', 'create', 'own')) and (person_id = (select app.current_user_id()))));
create policy ticket_approvals_update_rules on public.ticket_approvals as restrictive for update to authenticated
  using ((select app.sees_rows('ticket_approvals', 'edit'))
    or ((select app.has_rule('ticket_approvals', 'edit', 'own')) and (person_id = (select app.current_user_id()))))
  with check ((select app.sees_rows('ticket_approvals', 'edit'))
    or ((select app.has_rule('ticket_approvals', 'edit', 'own')) and (person_id = (select app.current_user_id()))));
create policy ticket_approvals_delete_rules on public.ticket_approvals as restrictive for delete to authenticated
  using ((select app.sees_rows('ticket_approvals', 'delete'))
    or ((select app.has_rule('ticket_approvals', 'delete', 'own')) and (person_id = (select app.current_user_id()))));

revoke all on public.ticket_approvers from public, anon, authenticated;
grant select on public.ticket_approvers to authenticated;
grant select, insert, update, delete on public.ticket_approvers to service_role;
alter table public.ticket_approvers enable row level security;
create policy ticket_approvers_select_member on public.ticket_approvers for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
-- A requester does not learn who decides: people see that they are asked themself.
create policy ticket_approvers_select_asked on public.ticket_approvers as restrictive for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.sees_rows('tickets', 'list')));
create policy ticket_approvers_select_rules on public.ticket_approvers as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id));
create policy ticket_approvers_insert_rules on public.ticket_approvers as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_approvers_delete_rules on public.ticket_approvers as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));

revoke all on public.ticket_checklist_items from public, anon, authenticated;
grant select, delete,
  insert (company_id, ticket_id, text, position, done),
  update (text, position, done)
  on public.ticket_checklist_items to authenticated;
grant select, insert, update, delete on public.ticket_checklist_items to service_role;
alter table public.ticket_checklist_items enable row level security;
create policy ticket_checklist_items_select_member on public.ticket_checklist_items for select to authenticated
  using ((select app.can('ticket_checklist_items', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_checklist_items.company_id and r.id = ticket_checklist_items.ticket_id));
create policy ticket_checklist_items_insert_member on public.ticket_checklist_items for insert to authenticated
  with check ((select app.can('ticket_checklist_items', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_checklist_items.company_id and r.id = ticket_checklist_items.ticket_id));
create policy ticket_checklist_items_update_member on public.ticket_checklist_items for update to authenticated
  using ((select app.can('ticket_checklist_items', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_checklist_items.company_id and r.id = ticket_checklist_items.ticket_id))
  with check ((select app.can('ticket_checklist_items', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_checklist_items.company_id and r.id = ticket_checklist_items.ticket_id));
create policy ticket_checklist_items_delete_member on public.ticket_checklist_items for delete to authenticated
  using ((select app.can('ticket_checklist_items', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets r where r.company_id = ticket_checklist_items.company_id and r.id = ticket_checklist_items.ticket_id));

revoke all on public.ticket_tags from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, tag_id) on public.ticket_tags to authenticated;
grant select, insert, update, delete on public.ticket_tags to service_role;
alter table public.ticket_tags enable row level security;
create policy ticket_tags_select_member on public.ticket_tags for select to authenticated
  using ((select app.can('tags', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_insert_member on public.ticket_tags for insert to authenticated
  with check ((select app.can('tickets', 'assign')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_delete_member on public.ticket_tags for delete to authenticated
  using ((select app.can('tickets', 'assign')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_select_rules on public.ticket_tags as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id));
create policy ticket_tags_insert_rules on public.ticket_tags as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_tags_delete_rules on public.ticket_tags as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
