select app.keep_tenant('public.jobs');
select app.keep_audit('public.jobs', 'id', array['total', 'succeeded', 'failed', 'canceled', 'outcome', 'automation_id']);
select app.keep_announced('public.jobs');
select app.keep_search('public.jobs');
create trigger jobs_hidden_characters before insert on public.jobs
  for each row execute function app.guard_hidden_characters();

select app.keep_tenant('public.job_runs');
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until', 'started_at',
  'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds', 'device_key', 'automation_run_id', 'waits_for', 'start_after', 'is_capped']);
select app.keep_announced('public.job_runs');
-- The job says once who asked for what: a row a device took five sixths of the time that a job on 10,000 devices needs.
drop trigger job_runs_audit_insert on public.job_runs;
create trigger job_runs_follow after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.follow_runs();
create trigger job_runs_forget after delete on public.job_runs
  referencing old table as old_runs for each statement execute function app.forget_runs();
create trigger job_runs_keys before insert on public.job_runs
  for each row execute function app.copy_run_keys();
create trigger job_runs_patches after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.follow_patch_runs();
-- After job_runs_follow: the order of locks is run, job, automation run.
create trigger job_runs_steps after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.follow_automation_steps();
-- After job_runs_follow: the order of locks is run, job, count.
create trigger job_runs_stats after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.count_script_runs();
create trigger job_runs_wake_devices after insert on public.job_runs
  referencing new table as new_rows for each statement execute function app.wake_devices();
create trigger job_runs_platform after insert on public.job_runs
  referencing new table as new_rows for each statement execute function app.require_platform();

-- A run must not outdate an open form.
select app.keep_tenant('public.scheduled_tasks', null, array['name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'missed_run', 'enabled']);
select app.keep_audit('public.scheduled_tasks', 'id', array['next_run_at', 'last_run_at', 'last_error', 'set_at', 'state', 'set_by_operator', 'paused_for']);
select app.keep_announced('public.scheduled_tasks');
select app.keep_search('public.scheduled_tasks');
create trigger scheduled_tasks_stamp before insert or update on public.scheduled_tasks
  for each row execute function app.stamp_schedule();
create or replace trigger scheduled_tasks_touch before update on public.scheduled_tasks for each row execute function app.touch('name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'target', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'device_time', 'missed_run', 'enabled', 'month_week', 'month_weekday',
  'random_delay_minutes', 'max_running');
create trigger scheduled_tasks_a_target before insert or update on public.scheduled_tasks for each row execute function app.settle_schedule_target();
create trigger scheduled_tasks_b_filter before insert or update of target on public.scheduled_tasks
  for each row execute function app.check_schedule_filter();
create trigger scheduled_tasks_guard before insert or update of procedure_id, target_kind, device_id, group_id, target, frequency, starts_at,
    every_minutes, time_of_day, weekdays, month_day, month_week, month_weekday, timezone, missed_run, enabled on public.scheduled_tasks
  for each row execute function app.guard_schedule();
-- Before scheduled_tasks_guard, which knows more reasons and names none.
create trigger scheduled_tasks_ask before insert or update of procedure_id on public.scheduled_tasks
  for each row execute function app.guard_unattended_script();
-- After the triggers that settle created_by and set_by, by their names. Columns that devices, alerts and the tick write are left out.
create trigger scheduled_tasks_z_holder before insert or update of procedure_id, target, target_kind, device_id, group_id, set_by, enabled
  on public.scheduled_tasks for each row execute function app.stamp_holder();
create trigger scheduled_tasks_0_company before insert on public.scheduled_tasks for each row execute function app.refuse_other_company();
