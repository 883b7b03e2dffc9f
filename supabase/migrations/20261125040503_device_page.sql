-- The device page: graphics adapters, what is scheduled, and software in the timeline.

alter table public.devices add column gpu text check (length(gpu) <= 400);
comment on column public.devices.gpu is 'The graphics adapters, separated by commas, as the agent reports them.';

drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'gpu', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts']);

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
      boot_time = i.boot_time, reboot_required = i.reboot_required
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
        coalesce(inventory -> 'reboot_required' = 'true', false) as reboot_required
    ) i
    where d.company_id = company and d.id = device
      and (d.hostname, d.os, d.os_version, d.make, d.model, d.serial, d.cpu, d.gpu, d.cpu_cores, d.memory_mb, d.disks,
        d.network, d.ip_address, d.logged_in_user, d.boot_time, d.reboot_required)
      is distinct from (coalesce(i.hostname, d.hostname), i.os, i.os_version, i.make, i.model, i.serial, i.cpu, i.gpu,
        i.cpu_cores, i.memory_mb, i.disks, i.network, i.ip_address, i.logged_in_user, i.boot_time, i.reboot_required);
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

-- A page of a device's changes, newest first.
drop index public.software_changes_company_device_id_idx;
create index software_changes_company_device_id_idx on public.software_changes (company_id, device_id, changed_at, id);

create or replace function public.device_timeline(
  device_id uuid, kinds text[] default null, before timestamptz default null, before_id uuid default null
) returns table (
  id uuid, at timestamptz, kind text, title text, status text, actor text, record_id uuid, action text, changes jsonb
)
  language sql stable security invoker set search_path = '' rows 50 as $$
  with device as (
    -- Materialized: the company becomes a value, and each branch an index scan.
    select d.company_id as company, d.id from public.devices d where d.id = device_timeline.device_id
  ),
  edge as (
    select coalesce(device_timeline.before, 'infinity'::timestamptz) as at,
      coalesce(device_timeline.before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) as id
  )
  select e.* from device, edge, lateral (
    (select r.id, r.queued_at, 'run', j.name, r.status, p.email, r.id, null::text, null::jsonb
     from public.job_runs r
     join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
     left join public.profiles p on p.id = j.created_by
     where r.company_id = device.company and r.device_id = device.id and (r.queued_at, r.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'run' = any (device_timeline.kinds))
     order by r.queued_at desc, r.id desc limit 50)
    union all
    (select a.id, a.opened_at, 'alert', a.message, a.status, null, a.id, null, null
     from public.alerts a
     where a.company_id = device.company and a.device_id = device.id and (a.opened_at, a.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'alert' = any (device_timeline.kinds))
     order by a.opened_at desc, a.id desc limit 50)
    union all
    (select t.id, t.created_at, 'ticket', t.subject, t.status, t.requester_name, t.id, null, null
     from public.tickets t
     where t.company_id = device.company and t.device_id = device.id and (t.created_at, t.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'ticket' = any (device_timeline.kinds))
     order by t.created_at desc, t.id desc limit 50)
    union all
    (select dp.id, dp.installed_at, 'patch', u.title, dp.status, null, dp.id, null, null
     from public.device_patches dp
     join public.patches u on u.company_id = dp.company_id and u.id = dp.patch_id
     where dp.company_id = device.company and dp.device_id = device.id and dp.installed_at is not null
       and (dp.installed_at, dp.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'patch' = any (device_timeline.kinds))
     order by dp.installed_at desc, dp.id desc limit 50)
    union all
    (select c.id, c.at, 'change', null, null, c.actor_email, null, c.action, c.changes
     from public.audit_log c
     where c.row_id = device.id and c.table_name = 'devices' and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    (select c.id, c.changed_at, 'software', s.name || coalesce(' ' || nullif(coalesce(c.new_version, c.previous_version), ''), ''), c.change,
       null, c.software_id, null, null
     from public.software_changes c
     join public.software s on s.company_id = c.company_id and s.id = c.software_id
     where c.company_id = device.company and c.device_id = device.id and (c.changed_at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'software' = any (device_timeline.kinds))
     order by c.changed_at desc, c.id desc limit 50)
  ) e (id, at, kind, title, status, actor, record_id, action, changes)
  order by e.at desc, e.id desc
  limit 50
$$;
comment on function public.device_timeline(uuid, text[], timestamptz, uuid) is
  'The newest 50 events of a device, or the 50 before an instant (and id, among equal instants), of all kinds or some. '
  'kind: run, alert, ticket, patch, software or change; record_id: the record to open; action and changes are those '
  'of an audit row. Runs as the caller: row-level security of each table limits the rows.';

create function public.device_upcoming(device_id uuid) returns table (
  kind text, id uuid, name text, next_run_at timestamptz, target text
)
  language sql stable set search_path = '' rows 50 as $$
  with device as (
    select d.company_id, d.id from public.devices d where d.id = device_upcoming.device_id
  )
  select * from (
    (select 'scheduled_tasks', s.id, s.name, s.next_run_at, s.target_kind
     from device d join public.scheduled_tasks s on s.company_id = d.company_id
     where s.enabled and s.next_run_at is not null and (s.device_id = d.id or s.target_kind = 'all'
       or exists (select 1 from public.group_devices g where g.company_id = d.company_id and g.group_id = s.group_id and g.device_id = d.id))
     order by s.next_run_at, s.id limit 50)
    union all
    (select 'automations', a.id, a.name, a.next_run_at, case
         when exists (select 1 from public.automation_devices x where x.company_id = d.company_id and x.automation_id = a.id and x.device_id = d.id)
           then 'device' else 'group' end
     from device d join public.automations a on a.company_id = d.company_id
     where a.enabled and a.trigger = 'schedule' and a.next_run_at is not null
       and (exists (select 1 from public.automation_devices x where x.company_id = d.company_id and x.automation_id = a.id and x.device_id = d.id)
         or exists (select 1 from public.automation_groups x join public.group_devices g on g.company_id = x.company_id and g.group_id = x.group_id
           where x.company_id = d.company_id and x.automation_id = a.id and g.device_id = d.id))
     order by a.next_run_at, a.id limit 50)
  ) u (kind, id, name, next_run_at, target)
  order by u.next_run_at, u.id limit 50
$$;
comment on function public.device_upcoming(uuid) is
  'The next 50 scheduled tasks and automations that run on a device: kind is the resource, target how the device is meant (device, group, all). '
  'Conditions of an automation are checked when it runs. Runs as the caller: row-level security of each table limits the rows.';
revoke execute on function public.device_upcoming(uuid) from public, anon;
grant execute on function public.device_upcoming(uuid) to authenticated;
