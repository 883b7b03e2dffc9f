-- Automations: conditions, and a schedule of their own with the fields of scheduled_tasks.

alter table public.automations add column platform text check (platform in ('linux', 'windows', 'macos'));
alter table public.automations add column online_only boolean not null default false;
alter table public.automations add column frequency text default 'daily' check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly'));
alter table public.automations add column starts_at timestamptz default now();
alter table public.automations add column every_minutes integer check (every_minutes between 5 and 525600);
alter table public.automations add column time_of_day text default '09:00' check (time_of_day ~ '^([01]\d|2[0-3]):[0-5]\d$');
alter table public.automations add column weekdays text[] not null default '{}' check (weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(weekdays) <= 100);
alter table public.automations add column month_day integer check (month_day between 1 and 31);
alter table public.automations add column timezone text default 'Europe/Istanbul' check (app.is_timezone(timezone));
alter table public.automations add column next_run_at timestamptz;
alter table public.automations add column last_run_at timestamptz;
alter table public.automations drop constraint automations_trigger_check;
alter table public.automations add constraint automations_trigger_check check (trigger in ('manual', 'schedule', 'new_device', 'alert', 'enters_group'));
alter table public.automations add constraint automations_frequency_check02 check (not (trigger = 'schedule') or frequency is not null);
alter table public.automations add constraint automations_starts_at_check02 check (not (trigger = 'schedule') or starts_at is not null);
alter table public.automations add constraint automations_every_minutes_check02 check (not (trigger = 'schedule' and frequency = 'every') or every_minutes is not null);
alter table public.automations add constraint automations_time_of_day_check02 check (not (trigger = 'schedule' and frequency in ('daily', 'weekly', 'monthly')) or coalesce(length(btrim(time_of_day)), 0) > 0);
alter table public.automations add constraint automations_weekdays_check02 check (not (trigger = 'schedule' and frequency = 'weekly') or coalesce(cardinality(weekdays), 0) > 0);
alter table public.automations add constraint automations_month_day_check02 check (not (trigger = 'schedule' and frequency = 'monthly') or month_day is not null);
alter table public.automations add constraint automations_timezone_check02 check (not (trigger = 'schedule') or coalesce(length(btrim(timezone)), 0) > 0);
create index automations_company_trigger_idx on public.automations (company_id, trigger);
create index automations_company_platform_idx on public.automations (company_id, platform);
grant insert (platform, online_only, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone), update (platform, online_only, frequency, starts_at, every_minutes, time_of_day, weekdays, month_day, timezone) on public.automations to authenticated;

comment on table public.automations is
  'Steps that run on devices: its devices and those of its groups, narrowed by platform and online_only. '
  'With a trigger that concerns one device and without devices and groups, any device of the company.';
-- Nobody has chosen a time for these yet: enabling one again does.
update public.automations set enabled = false where trigger = 'schedule';

create function app.schedule_of(automation public.automations) returns public.scheduled_tasks
  language sql stable set search_path = '' as $$
  select jsonb_populate_record(null::public.scheduled_tasks, to_jsonb(automation))
$$;
comment on function app.schedule_of(public.automations) is 'The schedule of an automation as app.next_run() takes it.';
revoke execute on function app.schedule_of(public.automations) from public;

create function app.stamp_automation() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (new.trigger, new.enabled, new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays,
      new.month_day, new.timezone)
    is not distinct from (old.trigger, old.enabled, old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays,
      old.month_day, old.timezone) then
    return new;
  end if;
  new.next_run_at := case
    when not new.enabled or new.trigger <> 'schedule' then null
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when new.frequency = 'once' then case when new.last_run_at is null or new.last_run_at < new.starts_at then new.starts_at end
    else app.next_run(app.schedule_of(new), now()) end;
  return new;
end $$;
comment on function app.stamp_automation() is
  'Row trigger: next_run_at follows the schedule, and the tick keeps what it wrote. Definer, because app.next_run() is granted to nobody.';
revoke execute on function app.stamp_automation() from public;

create function app.guard_automation() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if not app.is_server_work() then
    perform app.require('automations', 'run');
  end if;
  return null;
end $$;
comment on function app.guard_automation() is
  'Statement trigger: an automation runs scripts, so whoever may not run it may not decide what it runs, when and where.';
revoke execute on function app.guard_automation() from public;

create trigger automations_stamp before insert or update on public.automations
  for each row execute function app.stamp_automation();
create trigger automations_guard before insert or update on public.automations
  for each statement execute function app.guard_automation();
create trigger automation_steps_guard before insert or update on public.automation_steps
  for each statement execute function app.guard_automation();
create trigger automation_monitors_guard before insert on public.automation_monitors
  for each statement execute function app.guard_automation();
create trigger automation_devices_guard before insert on public.automation_devices
  for each statement execute function app.guard_automation();
create trigger automation_groups_guard before insert on public.automation_groups
  for each statement execute function app.guard_automation();

create index automations_due_idx on public.automations (next_run_at) where enabled;
-- A run must not outdate an open form, and is not a change to log.
drop trigger automations_touch on public.automations;
create trigger automations_touch before update on public.automations for each row execute function app.touch('name', 'description',
  'trigger', 'enabled', 'platform', 'online_only', 'frequency', 'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day',
  'timezone');
drop trigger automations_audit_insert on public.automations;
drop trigger automations_audit_update on public.automations;
drop trigger automations_audit_delete on public.automations;
select app.keep_audit('public.automations', 'id', array['next_run_at', 'last_run_at']);
