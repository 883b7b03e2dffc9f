select app.keep_tenant('public.groups');
select app.keep_audit('public.groups', 'id', array['device_count']);
select app.keep_announced('public.groups');
create or replace trigger groups_touch before update of name, description on public.groups for each row execute function app.touch();
create trigger groups_in_use before delete on public.groups for each row execute function app.keep_last_group();

select app.keep_tenant('public.enrollment_tokens', null, array['name', 'revoked_at']);
select app.keep_audit('public.enrollment_tokens', 'id', array['used_count', 'used_up']);
select app.keep_announced('public.enrollment_tokens');
select app.keep_search('public.enrollment_tokens');
create trigger enrollment_tokens_security after insert or update of revoked_at on public.enrollment_tokens
  for each row execute function app.log_access_change();

-- Only the columns that people edit count for locking and audit; agents write the others.
select app.keep_tenant('public.devices', null, array['name', 'notes', 'owner_id']);
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'gpu', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts', 'outdated_since', 'outdated_severity', 'updates_known', 'updates_cut', 'timezone', 'inventory_refused', 'inventory_refused_at']);
select app.keep_announced('public.devices');
create trigger devices_0_company before insert on public.devices for each row execute function app.refuse_other_company();
create trigger devices_people before insert or update of owner_id on public.devices
  for each row when (new.owner_id is not null) execute function app.check_device_owner();
create trigger devices_spread_to_groups after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_groups();
create trigger devices_spread_to_software after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_software();
create trigger devices_spread_to_runs after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_runs();
create trigger devices_spread_to_patches after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_patches();
create trigger devices_automations_insert after insert on public.devices
  referencing new table as new_rows for each statement execute function app.start_on_devices();
create trigger devices_automations_update after update on public.devices
  referencing old table as old_rows new table as new_rows for each statement execute function app.start_on_devices();
create trigger devices_policies_insert after insert on public.devices
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger devices_groups_insert after insert on public.devices
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger devices_groups_update after update on public.devices
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger devices_uncount_software before delete on public.devices
  for each row execute function app.uncount_device_software();
create trigger devices_of_company_insert after insert on public.devices referencing new table as changed
  for each statement execute function app.count_company_devices();
create trigger devices_of_company_delete after delete on public.devices referencing old table as changed
  for each statement execute function app.count_company_devices();
create trigger devices_platform after update of platform on public.devices
  for each row when (old.platform is distinct from new.platform) execute function app.follow_platform();
create trigger devices_rule_fields before update of name, notes, maintenance_until, maintenance_note on public.devices
  for each row execute function app.guard_device_fields('name', 'notes', 'maintenance_until', 'maintenance_note');
create trigger devices_automation_systems after update of platform on public.devices
  for each row when (old.platform is distinct from new.platform) execute function app.follow_automation_systems();

select app.keep_audit('public.group_devices', 'group_id', array['group_id', 'company_id', 'added_at', 'device_key']);
select app.keep_announced('public.group_devices', 'company', 'company_id', 'group_id,device_id');
create trigger group_devices_permission before insert or update or delete on public.group_devices
  for each statement execute function app.require_edit('groups');
create trigger group_devices_count_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.count_group_devices();
create trigger group_devices_count_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.count_group_devices();
create trigger group_devices_keys before insert on public.group_devices
  for each row execute function app.copy_member_keys();
create trigger group_devices_automations after insert on public.group_devices
  referencing new table as new_rows for each statement execute function app.start_on_members();
create trigger group_devices_monitors_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.regroup_monitors();
create trigger group_devices_monitors_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.regroup_monitors();
create trigger group_devices_policies_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger group_devices_policies_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger group_devices_rule before insert or delete on public.group_devices for each row execute function app.keep_rule_members();
create trigger group_devices_exceptions_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.follow_group_exceptions();
create trigger group_devices_exceptions_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.follow_group_exceptions();
create trigger group_devices_sweep_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.note_sweep();
create trigger group_devices_automation_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.follow_automation_groups();
create trigger group_devices_automation_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.follow_automation_groups();
create trigger group_devices_0_company before insert on public.group_devices for each row execute function app.refuse_other_company();

create trigger group_rules_fields before insert or update of filter on app.group_rules
  for each row execute function app.stamp_rule_fields();

select app.keep_tenant('public.tags');
select app.keep_audit('public.tags', 'id', array['device_count']);
select app.keep_announced('public.tags');
select app.keep_search('public.tags');
create or replace trigger tags_touch before update of name on public.tags for each row execute function app.touch();

select app.keep_audit('public.device_tags', 'device_id', array['device_id', 'company_id']);
select app.keep_announced('public.device_tags', 'company', 'company_id', 'device_id');
create trigger device_tags_permission before insert or update or delete on public.device_tags
  for each statement execute function app.require_edit('devices');
-- A rule may ask for tags.
create trigger device_tags_groups_insert after insert on public.device_tags
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger device_tags_groups_delete after delete on public.device_tags
  referencing old table as changed for each statement execute function app.note_group_change();
create trigger device_tags_count_insert after insert on public.device_tags
  referencing new table as changed for each statement execute function app.count_tag_devices();
create trigger device_tags_count_delete after delete on public.device_tags
  referencing old table as changed for each statement execute function app.count_tag_devices();
create trigger device_tags_rule_fields before insert or delete on public.device_tags
  for each row execute function app.guard_device_tags();
-- A row for another company is refused before triggers look records up: tables whose first such trigger is new.
create trigger device_tags_0_company before insert on public.device_tags
  for each row execute function app.refuse_other_company();

select app.keep_comments('public.device_comments', '{"resource":"devices","table":"devices","record":"device_id","path":"/devices","kinds":{"reply":{}}}');
