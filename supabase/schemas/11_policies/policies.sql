revoke all on public.policies from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, kind, position, enabled, approve_severities, approve_after_days, window_weekdays, window_from, window_to, timezone, reboot, check_in_seconds, denied, agent_updates, agent_update_days, ring, promote_after_days, promote_success_percent, promote_min_devices, reboot_weekdays, reboot_from, reboot_to, needs_approval, denies_values),
  update (name, description, kind, position, enabled, approve_severities, approve_after_days, window_weekdays, window_from, window_to, timezone, reboot, check_in_seconds, denied, agent_updates, agent_update_days, ring, promote_after_days, promote_success_percent, promote_min_devices, reboot_weekdays, reboot_from, reboot_to, needs_approval, denies_values)
  on public.policies to authenticated;
grant select, insert, update, delete on public.policies to service_role;
alter table public.policies enable row level security;
create policy policies_select_member on public.policies for select to authenticated
  using ((select app.can('policies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_insert_member on public.policies for insert to authenticated
  with check ((select app.can('policies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_update_member on public.policies for update to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_delete_member on public.policies for delete to authenticated
  using ((select app.can('policies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.policy_groups from public, anon, authenticated;
grant select, delete, insert (company_id, policy_id, group_id) on public.policy_groups to authenticated;
grant select, insert, update, delete on public.policy_groups to service_role;
alter table public.policy_groups enable row level security;
create policy policy_groups_select_member on public.policy_groups for select to authenticated
  using ((select app.can('policy_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_insert_member on public.policy_groups for insert to authenticated
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_delete_member on public.policy_groups for delete to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.policy_changes from public, anon, authenticated;
alter table app.policy_changes enable row level security;
