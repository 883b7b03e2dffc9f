-- Schedules by each device's own clock.

alter table public.devices add column timezone text check (length(timezone) <= 64);
comment on column public.devices.timezone is 'The IANA time zone that the device reports; null where it reports none.';
-- What machines write; all columns of the changes above.
drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'gpu', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts', 'outdated_since', 'outdated_severity', 'updates_known', 'timezone']);

alter table public.scheduled_tasks add column device_time boolean not null default false;
alter table public.scheduled_tasks add constraint scheduled_tasks_device_time_check
  check (not device_time or frequency in ('daily', 'weekly', 'monthly', 'monthly_weekday'));
comment on column public.scheduled_tasks.device_time is
  'Each device starts at time_of_day of its own time zone, or of `timezone` where it reports none. One job for all of them, due when the first zone has that time.';
grant insert (device_time), update (device_time) on public.scheduled_tasks to authenticated;
create or replace trigger scheduled_tasks_touch before update on public.scheduled_tasks for each row execute function app.touch('name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'device_time', 'missed_run', 'enabled', 'month_week', 'month_weekday',
  'random_delay_minutes', 'max_running');

create function app.known_zone(zone text) returns text
  language plpgsql stable set search_path = '' as $$
begin
  if zone !~ '^[A-Za-z]+(/[A-Za-z0-9_+-]+){0,2}$' then
    return null;
  end if;
  perform now() at time zone zone;
  return zone;
exception when invalid_parameter_value then
  return null;
end $$;
comment on function app.known_zone(text) is 'A time zone from a machine, or null where the database does not know it.';
revoke execute on function app.known_zone(text) from public;

create function app.device_start(task public.scheduled_tasks, zone text, due timestamptz) returns timestamptz
  language sql stable set search_path = '' as $$
  select case when task.device_time then (due at time zone 'Etc/GMT-14') at time zone coalesce(zone, task.timezone) end
$$;
comment on function app.device_start(public.scheduled_tasks, text, timestamptz) is
  'When a device starts a run that is due by its own clock: the time of day of `due`, in its zone. Null for a schedule in one zone.';
revoke execute on function app.device_start(public.scheduled_tasks, text, timestamptz) from public;

create or replace function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  base timestamptz := greatest(after, task.starts_at);
  -- Where the devices' own clocks decide, the day begins on the line of the date: no zone is earlier.
  zone constant text := case when task.device_time then 'Etc/GMT-14' else task.timezone end;
  -- A day early: the zone's day may have begun before the server's.
  today date := (base at time zone zone)::date - 1;
  step interval;
  found timestamptz;
begin
  if task.frequency = 'once' then
    return case when task.starts_at > after then task.starts_at end;
  elsif task.frequency = 'every' then
    if after < task.starts_at then
      return task.starts_at;
    end if;
    step := make_interval(mins => task.every_minutes);
    return task.starts_at + step * (floor(extract(epoch from after - task.starts_at) / (task.every_minutes * 60)) + 1);
  end if;
  -- The zone's own clock decides. A time that a day leaves out (spring) is the same time after the change, a time that a day
  -- has twice (autumn) is the second: never skipped, never run twice.
  select min(c.moment) into found
  from (
    select (d.day + task.time_of_day::time) at time zone zone as moment
    from (
      select today + n as day from generate_series(0, 9) n where task.frequency in ('daily', 'weekly')
      union all
      -- The 31st is the last day where a month is shorter.
      select least(m.first + task.month_day - 1, (m.first + interval '1 month')::date - 1)
      from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
            from generate_series(0, 3) n) m
      where task.frequency = 'monthly'
      union all
      select case when task.month_week = 'last'
        then m.last - (extract(isodow from m.last)::integer - m.wanted + 7) % 7
        else m.first + (m.wanted - extract(isodow from m.first)::integer + 7) % 7
          + 7 * (array_position(array['first', 'second', 'third', 'fourth'], task.month_week) - 1) end
      from (
        select x.first, (x.first + interval '1 month')::date - 1 as last,
          array_position(array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], task.month_weekday) as wanted
        from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
              from generate_series(0, 3) n) x
      ) m
      where task.frequency = 'monthly_weekday'
    ) d
    where task.frequency <> 'weekly'
      or (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from d.day)::integer] = any (task.weekdays)
  ) c
  where c.moment > after and c.moment >= task.starts_at;
  return found;
end $$;

-- Security definer, as before: app.next_run() is granted to nobody.
create or replace function app.stamp_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null then
    -- Null comes from a deleted profile alone: the column is nobody's to write.
    new.created_by := old.created_by;
  end if;
  -- What another frequency or kind of target left behind.
  new.device_time := new.device_time and new.frequency not in ('once', 'every');
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day, new.month_week, new.month_weekday,
      new.timezone, new.device_time, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day, old.month_week, old.month_weekday,
      old.timezone, old.device_time, old.enabled) then
    return new;
  end if;
  new.next_run_at := case
    when not new.enabled then null
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when new.frequency = 'once' then case when new.last_run_at is null or new.last_run_at < new.starts_at then new.starts_at end
    else app.next_run(new, now()) end;
  return new;
end $$;

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  job uuid;
  capped boolean;
begin
  select array_agg(d.id order by d.id) into wanted from public.devices d
  where d.company_id = task.company_id and case task.target_kind
    when 'device' then d.id = task.device_id
    when 'group' then exists (select 1 from public.group_devices g
      where g.company_id = task.company_id and g.group_id = task.group_id and g.device_id = d.id)
    else true end;
  if wanted is null then
    return 'no_devices';
  end if;
  select p.* into script from public.procedures p where p.company_id = task.company_id and p.id = task.procedure_id;
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, task.created_by,
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes)
      -- The last zone's day begins 26 hours after the first one's.
      + case when task.device_time then interval '26 hours' else interval '0' end,
    cardinality(wanted), task.id, due, case when task.max_running < cardinality(wanted) then task.max_running end
  from public.procedure_versions v
  where v.company_id = script.company_id and v.procedure_id = script.id and v.number = script.revision
  on conflict (schedule_id, due_at) do nothing
  returning id, max_running is not null into job, capped;
  if job is not null then
    if bound.secret <> '{}' then
      insert into app.job_secrets (job_id, company_id, parameters) values (job, task.company_id, bound.secret);
    end if;
    insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped, start_after)
      select task.company_id, job, d.id, script.id, capped, coalesce(
        app.spread_start(task.id, d.id, coalesce(app.device_start(task, d.timezone, due), due), task.random_delay_minutes),
        app.device_start(task, d.timezone, due))
      from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id;
  end if;
  return null;
end $$;

create or replace function app.record_inventory(company uuid, device uuid, inventory jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  if jsonb_typeof(inventory) is distinct from 'object' then
    raise exception 'The inventory must be an object.' using errcode = 'PT400';
  end if;
  update public.devices d
    set name = case when d.name = left(d.hostname, 200) then coalesce(left(i.hostname, 200), d.name) else d.name end,
      hostname = coalesce(i.hostname, d.hostname), os = i.os, os_version = i.os_version, make = i.make,
      model = i.model, serial = i.serial, cpu = i.cpu, gpu = i.gpu, cpu_cores = i.cpu_cores, memory_mb = i.memory_mb,
      disks = i.disks, network = i.network, ip_address = i.ip_address, logged_in_user = i.logged_in_user,
      boot_time = i.boot_time, reboot_required = i.reboot_required, timezone = i.timezone
    from (
      select app.short_text(inventory -> 'hostname', 253) as hostname, app.short_text(inventory -> 'os', 120) as os,
        app.short_text(inventory -> 'os_version', 120) as os_version, app.short_text(inventory -> 'make', 120) as make,
        app.short_text(inventory -> 'model', 120) as model, app.short_text(inventory -> 'serial', 120) as serial,
        app.short_text(inventory -> 'cpu', 200) as cpu, app.short_text(inventory -> 'gpu', 400) as gpu, app.whole_number(inventory -> 'cpu_cores') as cpu_cores,
        app.whole_number(inventory -> 'memory_mb') as memory_mb,
        coalesce(app.capped_list(inventory -> 'disks', 200), '[]') as disks,
        coalesce(app.capped_list(inventory -> 'network', 200), '[]') as network,
        app.short_text(inventory -> 'ip_address', 64) as ip_address,
        app.short_text(inventory -> 'logged_in_user', 120) as logged_in_user,
        app.lenient_instant(inventory ->> 'boot_time') as boot_time,
        coalesce(inventory -> 'reboot_required' = 'true', false) as reboot_required,
        app.known_zone(app.short_text(inventory -> 'timezone', 64)) as timezone
    ) i
    where d.company_id = company and d.id = device
      and (d.hostname, d.os, d.os_version, d.make, d.model, d.serial, d.cpu, d.gpu, d.cpu_cores, d.memory_mb, d.disks,
        d.network, d.ip_address, d.logged_in_user, d.boot_time, d.reboot_required, d.timezone)
      is distinct from (coalesce(i.hostname, d.hostname), i.os, i.os_version, i.make, i.model, i.serial, i.cpu, i.gpu,
        i.cpu_cores, i.memory_mb, i.disks, i.network, i.ip_address, i.logged_in_user, i.boot_time, i.reboot_required, i.timezone);
  if jsonb_typeof(inventory -> 'software') = 'array' then
    if jsonb_array_length(inventory -> 'software') > 5000 then
      raise exception 'The software list is too long.' using errcode = 'PT413';
    end if;
    perform app.apply_inventory(device, company, inventory -> 'software');
  end if;
  if jsonb_typeof(inventory -> 'patches') = 'object' then
    perform app.record_patches(company, device, inventory -> 'patches');
  end if;
end $$;
