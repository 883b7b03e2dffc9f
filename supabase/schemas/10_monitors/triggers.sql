select app.keep_tenant('public.monitors', null, array['name', 'description', 'type', 'severity', 'settings', 'threshold',
  'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled']);
select app.keep_audit('public.monitors', 'id', array['is_active', 'health', 'last_check_at', 'set_by_operator', 'paused_for']);
select app.keep_announced('public.monitors');
select app.keep_search('public.monitors');
create trigger monitors_stamp_insert after insert on public.monitors
  referencing new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitors_stamp_update after update on public.monitors
  referencing old table as old_rows new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitors_stamp_delete after delete on public.monitors
  referencing old table as old_rows for each statement execute function app.stamp_monitors();
create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes', 'notify_role', 'ticket_category_id', 'ticket_priority',
  'ticket_answers', 'ticket_assignee_id', 'platforms');
create trigger monitors_guard_insert before insert on public.monitors for each row execute function app.guard_monitor();
create trigger monitors_guard_update before update on public.monitors for each row
  when (new.procedure_id is not null or new.restart or old.procedure_id is not null or old.restart) execute function app.guard_monitor();
create trigger monitors_follow_switch after update of enabled on public.monitors
  for each row when (old.enabled is distinct from new.enabled) execute function app.follow_switch();
create trigger monitors_target_insert before insert on public.monitors
  for each row when (new.type = 'Network' and new.target is not null) execute function app.check_monitor_target();
create trigger monitors_target_update before update of type, probe, target on public.monitors
  for each row when (new.type = 'Network' and new.target is not null
    and (old.type, old.probe, old.target) is distinct from (new.type, new.probe, new.target)) execute function app.check_monitor_target();
create trigger monitors_parameters before insert or update of procedure_id on public.monitors
  for each row execute function app.guard_unattended_script();
create trigger monitors_people before insert or update of notify_role, ticket_assignee_id on public.monitors
  for each row execute function app.check_monitor_people();
create trigger monitors_platforms before insert or update of type, process_name, platforms on public.monitors
  for each row execute function app.fill_platforms();
create trigger monitors_narrowed after update of platforms on public.monitors
  for each row when (old.platforms is distinct from new.platforms) execute function app.leave_platforms();
create trigger monitors_z_holder before insert or update of type, enabled, service_name, target, process_name, event_id, log_name, metric,
    above_percent, restart, procedure_id, threshold, set_by
  on public.monitors for each row execute function app.stamp_holder();
create trigger monitors_active_people before insert or update of ticket_assignee_id on public.monitors
  for each row execute function app.refuse_deactivated_people('ticket_assignee_id');
create trigger monitors_hidden_names before insert or update of name, service_name, process_name, target, log_name on public.monitors
  for each row execute function app.guard_hidden_columns('name', 'service_name', 'process_name', 'target', 'log_name');
create trigger monitors_0_company before insert on public.monitors for each row execute function app.refuse_other_company();

select app.keep_tenant('public.alerts');
select app.keep_audit('public.alerts');
select app.keep_announced('public.alerts');
select app.keep_search('public.alerts');
create trigger alerts_follow_insert after insert on public.alerts
  referencing new table as new_rows for each statement execute function app.follow_alerts();
create trigger alerts_follow_delete after delete on public.alerts
  referencing old table as old_rows for each statement execute function app.follow_alerts();
create trigger alerts_resolution before update of status on public.alerts
  for each row when (old.status is distinct from new.status) execute function app.stamp_resolution();
create trigger alerts_automations after insert on public.alerts
  referencing new table as new_rows for each statement execute function app.start_on_alerts();
create trigger alerts_count_insert after insert on public.alerts
  referencing new table as new_rows for each statement execute function app.count_open_alerts();
create trigger alerts_count_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_open_alerts();
create trigger alerts_count_delete after delete on public.alerts
  referencing old table as old_rows for each statement execute function app.count_open_alerts();
create trigger alerts_ticket after insert on public.alerts
  for each row when (new.suppressed_by is null and not new.in_cooldown) execute function app.open_ticket();
create trigger alerts_ticket_later after update of in_cooldown on public.alerts
  for each row when (old.in_cooldown and not new.in_cooldown and new.suppressed_by is null) execute function app.open_ticket();
create or replace trigger alerts_announce_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce('company', 'company_id', 'id');
create trigger alerts_follow_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.follow_alerts();
create trigger alerts_ticket_note after update of status on public.alerts
  for each row when (old.resolved_at is distinct from new.resolved_at) execute function app.note_resolution();
create or replace trigger alerts_audit_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement
  when (app.acting_user_id() is not null) execute function app.audit('id');
create trigger alerts_start_reopened after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.start_on_reopened();

select app.keep_tenant('public.monitor_states');
select app.keep_announced('public.monitor_states');
select app.keep_search('public.monitor_states');
create trigger monitor_states_follow_insert after insert on public.monitor_states
  referencing new table as new_rows for each statement execute function app.follow_states();
create trigger monitor_states_follow_update after update on public.monitor_states
  referencing old table as old_rows new table as new_rows for each statement execute function app.follow_states();
create trigger monitor_states_follow_delete after delete on public.monitor_states
  referencing old table as old_rows for each statement execute function app.follow_states();

select app.keep_audit('public.monitor_groups', 'monitor_id', array['monitor_id', 'company_id']);
select app.keep_announced('public.monitor_groups', 'company', 'company_id', 'monitor_id');
create trigger monitor_groups_permission before insert or update or delete on public.monitor_groups
  for each statement execute function app.require_edit('monitors');
create trigger monitor_groups_stamp_insert after insert on public.monitor_groups
  referencing new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitor_groups_stamp_delete after delete on public.monitor_groups
  referencing old table as old_rows for each statement execute function app.stamp_monitors();
create trigger monitor_groups_guard before insert or update or delete on public.monitor_groups
  for each row execute function app.guard_monitor_groups();
create trigger monitor_groups_sweep_insert after insert on public.monitor_groups
  referencing new table as changed for each statement execute function app.note_sweep();
create trigger monitor_groups_sweep_delete after delete on public.monitor_groups
  referencing old table as changed for each statement execute function app.note_sweep();
create trigger monitor_groups_holder after insert or delete on public.monitor_groups
  for each row execute function app.stamp_holder_of('monitors', 'monitor_id');
create trigger monitor_groups_0_company before insert on public.monitor_groups for each row execute function app.refuse_other_company();
