revoke all on public.software from public, anon, authenticated;
grant select on public.software to authenticated;
grant select, insert, update, delete on public.software to service_role;
alter table public.software enable row level security;
create policy software_select_member on public.software for select to authenticated
  using ((select app.can('software', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.device_software from public, anon, authenticated;
grant select on public.device_software to authenticated;
grant select, insert, update, delete on public.device_software to service_role;
alter table public.device_software enable row level security;
create policy device_software_select_member on public.device_software for select to authenticated
  using ((select app.can('device_software', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.apps from public, anon, authenticated;
grant select, delete,
  insert (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled),
  update (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled)
  on public.apps to authenticated;
grant select, insert, update, delete on public.apps to service_role;
alter table public.apps enable row level security;
create policy apps_select_everyone on public.apps for select to authenticated
  using ((select app.can('apps', 'list')) and (enabled or (select app.sees_all())));
create policy apps_insert_platform on public.apps for insert to authenticated
  with check ((select app.can('apps', 'create')) and (select app.sees_all()));
create policy apps_update_platform on public.apps for update to authenticated
  using ((select app.can('apps', 'edit')) and (select app.sees_all()))
  with check ((select app.can('apps', 'edit')) and (select app.sees_all()));
create policy apps_delete_platform on public.apps for delete to authenticated
  using ((select app.can('apps', 'delete')) and (select app.sees_all()));

revoke all on public.corporate_apps from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, package_version, publisher, description, platform, source_url, sha256, install_arguments, detection_rule, success_codes, reboot_codes),
  update (name, package_version, publisher, description, platform, source_url, sha256, install_arguments, detection_rule, success_codes, reboot_codes)
  on public.corporate_apps to authenticated;
grant select, insert, update, delete on public.corporate_apps to service_role;
alter table public.corporate_apps enable row level security;
create policy corporate_apps_select_member on public.corporate_apps for select to authenticated
  using ((select app.can('corporate_apps', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_insert_member on public.corporate_apps for insert to authenticated
  with check ((select app.can('corporate_apps', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_update_member on public.corporate_apps for update to authenticated
  using ((select app.can('corporate_apps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('corporate_apps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_delete_member on public.corporate_apps for delete to authenticated
  using ((select app.can('corporate_apps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.software_licenses from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes, remind_days),
  update (name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes, remind_days)
  on public.software_licenses to authenticated;
grant select, insert, update, delete on public.software_licenses to service_role;
alter table public.software_licenses enable row level security;
create policy software_licenses_select_member on public.software_licenses for select to authenticated
  using ((select app.can('software_licenses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_insert_member on public.software_licenses for insert to authenticated
  with check ((select app.can('software_licenses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_update_member on public.software_licenses for update to authenticated
  using ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_delete_member on public.software_licenses for delete to authenticated
  using ((select app.can('software_licenses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.software_license_titles from public, anon, authenticated;
grant select on public.software_license_titles to authenticated;
grant select, insert, update, delete on public.software_license_titles to service_role;
alter table public.software_license_titles enable row level security;
create policy software_license_titles_select_member on public.software_license_titles for select to authenticated
  using ((select app.can('software_license_titles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.license_counts from public, anon, authenticated;
alter table app.license_counts enable row level security;

revoke all on app.license_recounts from public, anon, authenticated;
alter table app.license_recounts enable row level security;

revoke all on public.software_changes from public, anon, authenticated;
grant select on public.software_changes to authenticated;
grant select, insert, update, delete on public.software_changes to service_role;
alter table public.software_changes enable row level security;
create policy software_changes_select_member on public.software_changes for select to authenticated
  using ((select app.can('software_changes', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.corporate_app_files from public, anon, authenticated;
grant select, delete on public.corporate_app_files to authenticated;
grant select, insert, update, delete on public.corporate_app_files to service_role;
alter table public.corporate_app_files enable row level security;
create policy corporate_app_files_select_member on public.corporate_app_files for select to authenticated
  using ((select app.can('corporate_app_files', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_app_files_delete_member on public.corporate_app_files for delete to authenticated
  using ((select app.can('corporate_apps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.software_versions from public, anon, authenticated;
alter table app.software_versions enable row level security;

revoke all on app.software_deltas from public, anon, authenticated;
alter table app.software_deltas enable row level security;

revoke all on app.software_change_count from public, anon, authenticated;
alter table app.software_change_count enable row level security;

revoke all on app.license_reminders from public, anon, authenticated;
alter table app.license_reminders enable row level security;
