revoke all on public.jobs from public, anon, authenticated;
grant select on public.jobs to authenticated;
grant all on public.jobs to service_role;
alter table public.jobs enable row level security;
create policy jobs_select_member on public.jobs for select to authenticated
  using ((select app.can('jobs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.job_secrets from public, anon, authenticated;
alter table app.job_secrets enable row level security;

revoke all on public.job_runs from public, anon, authenticated;
grant select on public.job_runs to authenticated;
grant all on public.job_runs to service_role;
alter table public.job_runs enable row level security;
create policy job_runs_select_member on public.job_runs for select to authenticated
  using ((select app.can('job_runs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.scheduled_tasks from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, procedure_id, target_kind, device_id, group_id, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone, missed_run, enabled, month_week, month_weekday, random_delay_minutes, max_running, device_time, target),
  update (name, procedure_id, target_kind, device_id, group_id, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone, missed_run, enabled, month_week, month_weekday, random_delay_minutes, max_running, device_time, target)
  on public.scheduled_tasks to authenticated;
grant select, insert, update, delete on public.scheduled_tasks to service_role;
alter table public.scheduled_tasks enable row level security;
create policy scheduled_tasks_select_member on public.scheduled_tasks for select to authenticated
  using ((select app.can('scheduled_tasks', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_insert_member on public.scheduled_tasks for insert to authenticated
  with check ((select app.can('scheduled_tasks', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_update_member on public.scheduled_tasks for update to authenticated
  using ((select app.can('scheduled_tasks', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('scheduled_tasks', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_delete_member on public.scheduled_tasks for delete to authenticated
  using ((select app.can('scheduled_tasks', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.terminals from public, anon, authenticated;
alter table app.terminals enable row level security;

revoke all on app.terminal_jobs from public, anon, authenticated;
alter table app.terminal_jobs enable row level security;
