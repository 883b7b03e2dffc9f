revoke all on public.monitors from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_answers, ticket_assignee_id, platforms),
  update (name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_answers, ticket_assignee_id, platforms)
  on public.monitors to authenticated;
grant select, insert, update, delete on public.monitors to service_role;
alter table public.monitors enable row level security;
create policy monitors_select_member on public.monitors for select to authenticated
  using ((select app.can('monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_insert_member on public.monitors for insert to authenticated
  with check ((select app.can('monitors', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_update_member on public.monitors for update to authenticated
  using ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_delete_member on public.monitors for delete to authenticated
  using ((select app.can('monitors', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.alerts from public, anon, authenticated;
grant select, delete, update (status) on public.alerts to authenticated;
grant select, insert, update, delete on public.alerts to service_role;
alter table public.alerts enable row level security;
create policy alerts_select_member on public.alerts for select to authenticated
  using ((select app.can('alerts', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy alerts_update_member on public.alerts for update to authenticated
  using ((select app.can('alerts', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('alerts', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy alerts_delete_member on public.alerts for delete to authenticated
  using ((select app.can('alerts', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.monitor_states from public, anon, authenticated;
grant select on public.monitor_states to authenticated;
grant select, insert, update, delete on public.monitor_states to service_role;
alter table public.monitor_states enable row level security;
create policy monitor_states_select_member on public.monitor_states for select to authenticated
  using ((select app.can('monitor_states', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.monitor_groups from public, anon, authenticated;
grant select, delete, insert (company_id, monitor_id, group_id) on public.monitor_groups to authenticated;
grant select, insert, update, delete on public.monitor_groups to service_role;
alter table public.monitor_groups enable row level security;
create policy monitor_groups_select_member on public.monitor_groups for select to authenticated
  using ((select app.can('monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitor_groups_insert_member on public.monitor_groups for insert to authenticated
  with check ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitor_groups_delete_member on public.monitor_groups for delete to authenticated
  using ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.alert_tickets from public, anon, authenticated;
alter table app.alert_tickets enable row level security;

revoke all on app.monitor_stamps from public, anon, authenticated;
alter table app.monitor_stamps enable row level security;

revoke all on app.monitor_lists from public, anon, authenticated;
alter table app.monitor_lists enable row level security;

revoke all on app.monitor_sweeps from public, anon, authenticated;
alter table app.monitor_sweeps enable row level security;
