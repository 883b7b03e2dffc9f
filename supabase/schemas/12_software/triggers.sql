select app.keep_search('public.software');
create trigger software_match_licenses after insert on public.software
  referencing new table as new_rows for each statement execute function app.match_new_titles();

create trigger device_software_keys before insert on public.device_software
  for each row execute function app.copy_software_keys();
create trigger device_software_licenses_insert after insert on public.device_software
  referencing new table as new_rows for each statement execute function app.note_license_changes();
create trigger device_software_licenses_delete after delete on public.device_software
  referencing old table as old_rows for each statement execute function app.note_license_changes();
-- An inventory can change what is installed without changing the device's own row.
create trigger device_software_groups_insert after insert on public.device_software
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger device_software_groups_delete after delete on public.device_software
  referencing old table as changed for each statement execute function app.note_group_change();

-- Not announced: a live message goes to a company, and the catalog has none.
select app.keep_tenant('public.apps');
select app.keep_audit('public.apps', 'id', array['publisher_key']);
select app.keep_search('public.apps');

select app.keep_tenant('public.corporate_apps');
select app.keep_audit('public.corporate_apps', 'id', array['publisher_key']);
select app.keep_announced('public.corporate_apps');
select app.keep_search('public.corporate_apps');
select app.keep_short_texts('public.corporate_apps', array['package_version']);
create trigger corporate_apps_author before insert or update on public.corporate_apps
  for each row execute function app.stamp_corporate_app();
create trigger corporate_apps_source before insert or update of source_url, sha256, package_version on public.corporate_apps
  for each row execute function app.follow_package_source();
create trigger corporate_apps_checksum before insert or update of sha256 on public.corporate_apps for each row execute function app.lower_checksum();
create trigger corporate_apps_hidden_characters before insert or update of source_url, install_arguments, detection_rule on public.corporate_apps
  for each row execute function app.guard_hidden_columns('source_url', 'install_arguments', 'detection_rule');
create trigger corporate_apps_hidden_names before insert or update of name on public.corporate_apps
  for each row execute function app.guard_hidden_columns('name');
create trigger corporate_apps_0_company before insert on public.corporate_apps for each row execute function app.refuse_other_company();

-- The counter is written by the machine: it neither outdates an open form nor fills the audit log.
select app.keep_tenant('public.software_licenses', null, array['name', 'publisher', 'type', 'seats', 'cost', 'currency',
  'purchased_on', 'expires_on', 'match_rule', 'notes']);
select app.keep_audit('public.software_licenses', 'id', array['detected', 'available', 'unused_since']);
select app.keep_announced('public.software_licenses');
select app.keep_search('public.software_licenses');
select app.keep_hidden('public.software_licenses', 'cost', 'license-costs', 'list');
create trigger software_licenses_match_insert before insert on public.software_licenses
  for each row execute function app.apply_match_rule();
create trigger software_licenses_match_update before update on public.software_licenses for each row
  when ((old.match_rule, old.type) is distinct from (new.match_rule, new.type)) execute function app.apply_match_rule();
create trigger software_licenses_titles_insert after insert on public.software_licenses
  for each row execute function app.keep_license_titles();
create trigger software_licenses_titles_update after update on public.software_licenses for each row
  when (old.match_rule is distinct from new.match_rule) execute function app.keep_license_titles();
create trigger software_licenses_author before insert on public.software_licenses
  for each row execute function app.stamp_author();
create trigger software_licenses_unused before insert or update on public.software_licenses
  for each row execute function app.stamp_unused_license();
create or replace trigger software_licenses_touch before update on public.software_licenses for each row
  execute function app.touch('name', 'publisher', 'type', 'seats', 'cost', 'currency', 'purchased_on', 'expires_on', 'match_rule', 'notes',
    'remind_days');
create trigger software_licenses_0_company before insert on public.software_licenses for each row execute function app.refuse_other_company();

select app.keep_tenant('public.software_changes');
select app.keep_announced('public.software_changes');

select app.keep_tenant('public.corporate_app_files', 'corporate_apps');
select app.keep_audit('public.corporate_app_files', 'id', array['is_current']);
select app.keep_short_texts('public.corporate_app_files', array['package_version']);
create trigger corporate_app_files_removed after delete on public.corporate_app_files
  for each row execute function app.forget_package_file();
