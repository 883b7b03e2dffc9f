select app.keep_tenant('public.automations');
select app.keep_audit('public.automations', 'id', array['next_run_at', 'last_run_at', 'problem', 'set_by_operator', 'paused_for']);
select app.keep_announced('public.automations');
select app.keep_search('public.automations');
create trigger automations_author before insert on public.automations for each row execute function app.stamp_author();
create trigger automations_stamp before insert or update on public.automations
  for each row execute function app.stamp_automation();
create trigger automations_guard before insert or update on public.automations
  for each statement execute function app.guard_automation();
create or replace trigger automations_touch before update on public.automations for each row execute function app.touch('name', 'description',
  'trigger', 'enabled', 'platform', 'online_only', 'frequency', 'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day',
  'timezone', 'month_week', 'month_weekday');
create trigger automations_problem before insert or update of trigger, problem on public.automations
  for each row execute function app.stamp_automation_problem();
create trigger automations_z_holder before insert or update of trigger, enabled, platform, online_only, frequency, starts_at, every_minutes,
    time_of_day, weekdays, month_day, month_week, month_weekday, timezone, set_by
  on public.automations for each row execute function app.stamp_holder();
create trigger automations_0_company before insert on public.automations for each row execute function app.refuse_other_company();

select app.keep_audit('public.automation_monitors', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_monitors', 'company', 'company_id', 'automation_id');
create trigger automation_monitors_permission before insert or update or delete on public.automation_monitors
  for each statement execute function app.require_edit('automations');
create trigger automation_monitors_guard before insert on public.automation_monitors
  for each statement execute function app.guard_automation();
create trigger automation_monitors_holder after insert or delete on public.automation_monitors
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_monitors_problem_delete after delete on public.automation_monitors referencing old table as changed for each statement execute function app.follow_automation_parts();
create trigger automation_monitors_problem_insert after insert on public.automation_monitors referencing new table as changed for each statement execute function app.follow_automation_parts();

select app.keep_audit('public.automation_devices', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_devices', 'company', 'company_id', 'automation_id');
create trigger automation_devices_permission before insert or update or delete on public.automation_devices
  for each statement execute function app.require_edit('automations');
create trigger automation_devices_guard before insert on public.automation_devices
  for each statement execute function app.guard_automation();
create trigger automation_devices_last after delete on public.automation_devices for each row execute function app.stop_without_devices();
create trigger automation_devices_holder after insert or delete on public.automation_devices
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_devices_problem_delete after delete on public.automation_devices referencing old table as changed for each statement execute function app.follow_automation_parts();
create trigger automation_devices_problem_insert after insert on public.automation_devices referencing new table as changed for each statement execute function app.follow_automation_parts();

select app.keep_audit('public.automation_groups', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_groups', 'company', 'company_id', 'automation_id');
create trigger automation_groups_permission before insert or update or delete on public.automation_groups
  for each statement execute function app.require_edit('automations');
create trigger automation_groups_guard before insert on public.automation_groups
  for each statement execute function app.guard_automation();
create trigger automation_groups_holder after insert or delete on public.automation_groups
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_groups_problem_delete after delete on public.automation_groups referencing old table as changed for each statement execute function app.follow_automation_parts();
create trigger automation_groups_problem_insert after insert on public.automation_groups referencing new table as changed for each statement execute function app.follow_automation_parts();

select app.keep_tenant('public.automation_steps');
select app.keep_audit('public.automation_steps');
select app.keep_announced('public.automation_steps');
create trigger automation_steps_place before insert or update of position on public.automation_steps
  for each row when (new.position is null) execute function app.place_step();
create trigger automation_steps_guard before insert or update on public.automation_steps
  for each statement execute function app.guard_automation();
create trigger automation_steps_parameters before insert or update of procedure_id on public.automation_steps
  for each row execute function app.guard_unattended_script();
create trigger automation_steps_holder after insert or update or delete on public.automation_steps
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_steps_systems after update of procedure_id on public.automation_steps
  for each row when (old.procedure_id is distinct from new.procedure_id) execute function app.follow_automation_systems();
create trigger automation_steps_0_company before insert on public.automation_steps for each row execute function app.refuse_other_company();
create trigger automation_steps_problem_delete after delete on public.automation_steps referencing old table as changed for each statement execute function app.follow_automation_parts();
create trigger automation_steps_problem_insert after insert on public.automation_steps referencing new table as changed for each statement execute function app.follow_automation_parts();

select app.keep_tenant('public.automation_runs');
select app.keep_announced('public.automation_runs');
