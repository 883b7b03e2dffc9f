-- A run that did not happen is no last run: a schedule that runs once and whose holder lost the right is missed, never done, after
-- somebody took it over.

create or replace function app.run_schedules() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  following timestamptz;
  outcome text;
  made integer := 0;
begin
  for task in
    select s.* from public.scheduled_tasks s
    join public.companies c on c.id = s.company_id
    where s.enabled and s.next_run_at <= now()
      -- A read-only company runs nothing, and does not catch up later.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    order by s.next_run_at
    limit 100 for update of s skip locked
  loop
    begin
      following := app.next_run(task, case when task.device_time then greatest(task.next_run_at, now() - app.zone_span(task)) else now() end);
    exception when others then
      -- A time that cannot be computed pauses this task, and no other.
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
      update public.scheduled_tasks s set enabled = false, last_error = outcome where s.id = task.id;
      continue;
    end;
    if task.missed_run = 'skip' and task.next_run_at + app.zone_span(task) < now() - interval '15 minutes' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    begin
      outcome := app.queue_scheduled(task, task.next_run_at, following);
    exception when others then
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
    end;
    if outcome = 'person' then
      -- It is paused, and has no next time until somebody takes it over.
      update public.scheduled_tasks s set last_error = outcome where s.id = task.id;
      continue;
    end if;
    if outcome = 'passed' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    update public.scheduled_tasks s set next_run_at = following, last_error = outcome,
      last_run_at = case when outcome is null then now() else s.last_run_at end where s.id = task.id;
    if outcome is null then
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

create or replace function app.run_automations() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  automation public.automations%rowtype;
  started integer := 0;
  begun integer;
begin
  for automation in
    select a.* from public.automations a join public.companies c on c.id = a.company_id
    where a.enabled and a.trigger = 'schedule' and a.next_run_at <= now()
      -- A company without the license runs nothing, and does not catch up later.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now()) and c.license_type = 'Pro'
    order by a.next_run_at
    limit 100 for no key update of a skip locked
  loop
    if automation.next_run_at < now() - interval '15 minutes' then
      update public.automations a set next_run_at = app.next_run(app.schedule_of(automation), now()) where a.id = automation.id;
      continue;
    end if;
    begun := app.try_automation(automation, 'schedule', null);
    started := started + begun;
    update public.automations a set next_run_at = app.next_run(app.schedule_of(automation), now()),
        last_run_at = case when begun > 0 then now() else a.last_run_at end
      -- A missing right has just paused it.
      where a.id = automation.id and a.enabled;
  end loop;
  return started;
end $$;
