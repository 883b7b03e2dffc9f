revoke all on public.ticket_statuses from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, kind, color, position, is_default),
  update (name, kind, color, position, is_default)
  on public.ticket_statuses to authenticated;
grant select, insert, update, delete on public.ticket_statuses to service_role;
alter table public.ticket_statuses enable row level security;
create policy ticket_statuses_select_member on public.ticket_statuses for select to authenticated
  using ((select app.can('ticket_statuses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_insert_member on public.ticket_statuses for insert to authenticated
  with check ((select app.can('ticket_statuses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_update_member on public.ticket_statuses for update to authenticated
  using ((select app.can('ticket_statuses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_statuses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_delete_member on public.ticket_statuses for delete to authenticated
  using ((select app.can('ticket_statuses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.business_calendars from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, timezone, hours, holidays, country, region, is_default),
  update (name, timezone, hours, holidays, country, region, is_default)
  on public.business_calendars to authenticated;
grant select, insert, update, delete on public.business_calendars to service_role;
alter table public.business_calendars enable row level security;
create policy business_calendars_select_member on public.business_calendars for select to authenticated
  using ((select app.can('business_calendars', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_insert_member on public.business_calendars for insert to authenticated
  with check ((select app.can('business_calendars', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_update_member on public.business_calendars for update to authenticated
  using ((select app.can('business_calendars', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('business_calendars', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_delete_member on public.business_calendars for delete to authenticated
  using ((select app.can('business_calendars', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.sla_policies from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, category_id, calendar_id, targets, enabled, position),
  update (name, category_id, calendar_id, targets, enabled, position)
  on public.sla_policies to authenticated;
grant select, insert, update, delete on public.sla_policies to service_role;
alter table public.sla_policies enable row level security;
create policy sla_policies_select_member on public.sla_policies for select to authenticated
  using ((select app.can('sla_policies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_insert_member on public.sla_policies for insert to authenticated
  with check ((select app.can('sla_policies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_update_member on public.sla_policies for update to authenticated
  using ((select app.can('sla_policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('sla_policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_delete_member on public.sla_policies for delete to authenticated
  using ((select app.can('sla_policies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.canned_replies from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, shortcut, body, category_id, language, scope),
  update (name, shortcut, body, category_id, language, scope)
  on public.canned_replies to authenticated;
grant select, insert, update, delete on public.canned_replies to service_role;
alter table public.canned_replies enable row level security;
create policy canned_replies_select_member on public.canned_replies for select to authenticated
  using ((select app.can('canned_replies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_insert_member on public.canned_replies for insert to authenticated
  with check ((select app.can('canned_replies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_update_member on public.canned_replies for update to authenticated
  using ((select app.can('canned_replies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())))
  with check ((select app.can('canned_replies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_delete_member on public.canned_replies for delete to authenticated
  using ((select app.can('canned_replies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));

revoke all on public.assignment_rules from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role),
  update (name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role)
  on public.assignment_rules to authenticated;
grant select, insert, update, delete on public.assignment_rules to service_role;
alter table public.assignment_rules enable row level security;
create policy assignment_rules_select_member on public.assignment_rules for select to authenticated
  using ((select app.can('assignment_rules', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_insert_member on public.assignment_rules for insert to authenticated
  with check ((select app.can('assignment_rules', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_update_member on public.assignment_rules for update to authenticated
  using ((select app.can('assignment_rules', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('assignment_rules', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_delete_member on public.assignment_rules for delete to authenticated
  using ((select app.can('assignment_rules', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.desk_settings from public, anon, authenticated;
grant select, update (close_after_days, reopen_on_reply, reopen_days, approve_own, on_denied, unknown_senders, trust_known_senders) on public.desk_settings to authenticated;
grant select, insert, update, delete on public.desk_settings to service_role;
alter table public.desk_settings enable row level security;
create policy desk_settings_select_member on public.desk_settings for select to authenticated
  using ((select app.can('desk_settings', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy desk_settings_update_member on public.desk_settings for update to authenticated
  using ((select app.can('desk_settings', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('desk_settings', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.calendar_clocks from public, anon, authenticated;
alter table app.calendar_clocks enable row level security;

revoke all on app.ticket_pauses from public, anon, authenticated;
alter table app.ticket_pauses enable row level security;

revoke all on app.sla_recounts from public, anon, authenticated;
alter table app.sla_recounts enable row level security;

revoke all on app.assignment_turns from public, anon, authenticated;
alter table app.assignment_turns enable row level security;
