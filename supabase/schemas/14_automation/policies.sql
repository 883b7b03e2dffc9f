revoke all on public.automations from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, trigger, enabled, platform, online_only, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone, month_week, month_weekday),
  update (name, description, trigger, enabled, platform, online_only, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone, month_week, month_weekday)
  on public.automations to authenticated;
grant select, insert, update, delete on public.automations to service_role;
alter table public.automations enable row level security;
create policy automations_select_member on public.automations for select to authenticated
  using ((select app.can('automations', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_insert_member on public.automations for insert to authenticated
  with check ((select app.can('automations', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_update_member on public.automations for update to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_delete_member on public.automations for delete to authenticated
  using ((select app.can('automations', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.automation_monitors from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, monitor_id) on public.automation_monitors to authenticated;
grant select, insert, update, delete on public.automation_monitors to service_role;
alter table public.automation_monitors enable row level security;
create policy automation_monitors_select_member on public.automation_monitors for select to authenticated
  using ((select app.can('automation_monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_insert_member on public.automation_monitors for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_delete_member on public.automation_monitors for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.automation_devices from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, device_id) on public.automation_devices to authenticated;
grant select, insert, update, delete on public.automation_devices to service_role;
alter table public.automation_devices enable row level security;
create policy automation_devices_select_member on public.automation_devices for select to authenticated
  using ((select app.can('automation_devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_insert_member on public.automation_devices for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_delete_member on public.automation_devices for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.automation_groups from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, group_id) on public.automation_groups to authenticated;
grant select, insert, update, delete on public.automation_groups to service_role;
alter table public.automation_groups enable row level security;
create policy automation_groups_select_member on public.automation_groups for select to authenticated
  using ((select app.can('automation_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_insert_member on public.automation_groups for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_delete_member on public.automation_groups for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.automation_steps from public, anon, authenticated;
grant select, delete,
  insert (company_id, automation_id, position, procedure_id, on_failure),
  update (position, procedure_id, on_failure)
  on public.automation_steps to authenticated;
grant select, insert, update, delete on public.automation_steps to service_role;
alter table public.automation_steps enable row level security;
create policy automation_steps_select_member on public.automation_steps for select to authenticated
  using ((select app.can('automation_steps', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_insert_member on public.automation_steps for insert to authenticated
  with check ((select app.can('automation_steps', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_update_member on public.automation_steps for update to authenticated
  using ((select app.can('automation_steps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('automation_steps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_delete_member on public.automation_steps for delete to authenticated
  using ((select app.can('automation_steps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.automation_runs from public, anon, authenticated;
grant select on public.automation_runs to authenticated;
grant select, insert, update, delete on public.automation_runs to service_role;
alter table public.automation_runs enable row level security;
create policy automation_runs_select_member on public.automation_runs for select to authenticated
  using ((select app.can('automation_runs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
