-- Tasks of the agent ----------------------------------------------------------------------------------------------------
-- Restarts, inventory, updates and apps are jobs like scripts: their script is JSON that the agent itself carries out
-- (agent/tasks/task.ts), with script_type Agent.

alter table public.jobs drop constraint jobs_kind_check;
alter table public.jobs add constraint jobs_kind_check check (kind in ('procedure', 'command', 'task'));
alter table public.jobs drop constraint jobs_script_type_check;
alter table public.jobs add constraint jobs_script_type_check
  check (script_type in ('PowerShell', 'Batch', 'Python', 'Bash', 'Agent'));

alter table public.device_patches drop constraint device_patches_status_check;
alter table public.device_patches add constraint device_patches_status_check
  check (status in ('missing', 'queued', 'installing', 'installed', 'failed'));
alter table public.device_patches add column run_id uuid;
comment on column public.device_patches.run_id is
  'The run of public.job_runs that installs it, or was the last to try. Without a foreign key: PostgREST would embed devices in runs through this table.';
create index device_patches_run_idx on public.device_patches (company_id, run_id) where run_id is not null;

create function app.task_object(script text) returns text
  language sql immutable set search_path = '' as $$
  select case script::jsonb ->> 'task'
    when 'app' then 'apps' when 'corporate_app' then 'corporate_apps'
    when 'scan_patches' then 'device_patches' when 'install_patches' then 'device_patches'
    else 'devices' end
$$;
comment on function app.task_object(text) is 'The permission object whose `run` a task needs.';
revoke execute on function app.task_object(text) from public;

create function app.device_company(device_ids uuid[]) returns uuid
  language plpgsql stable set search_path = '' as $$
declare
  company uuid;
begin
  -- A device of another company looks exactly like one that does not exist.
  select d.company_id into company from public.devices d
    where d.id = any (device_ids) and d.company_id = any (app.visible_company_ids()) order by d.id limit 1;
  if company is null and cardinality(array_remove(device_ids, null)) > 0 then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  return company;
end $$;
comment on function app.device_company(uuid[]) is
  'The company of the first of these devices, if the caller sees it. app.queue_job() refuses devices of several companies.';
revoke execute on function app.device_company(uuid[]) from public;

create function app.queue_task(company uuid, name text, task jsonb, device_ids uuid[], seconds integer, until timestamptz) returns uuid
  language plpgsql set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  job.company_id := company;
  job.kind := 'task';
  job.name := left(name, 120);
  job.script_type := 'Agent';
  job.script := task::text;
  job.timeout_seconds := seconds;
  job.expires_at := until;
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz) is
  'Writes the job of a task on devices of one company. Its callers have checked the permission.';
revoke execute on function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz) from public;

-- Updates ---------------------------------------------------------------------------------------------------------------

create function app.queue_patches(company uuid, name text, patch_rows uuid[], until timestamptz) returns uuid
  language plpgsql set search_path = '' as $$
declare
  -- What a device gets in one environment variable stays under 128 kB.
  max_per_device constant integer := 300;
  chosen uuid[];
  devices uuid[];
  job uuid;
begin
  select array_agg(x.id), array_agg(distinct x.device_id) into chosen, devices
  from (
    select t.id, t.device_id, row_number() over (partition by t.device_id order by t.title_key, t.id) as place
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.id = any (patch_rows) and t.status in ('missing', 'failed') and p.approval = 'approved'
  ) x
  where x.place <= max_per_device;
  if chosen is null then
    raise exception 'No approved update is missing there.' using errcode = 'check_violation', hint = 'patches_none';
  end if;
  job := app.queue_task(company, name, '{"task": "install_patches"}', devices, 7200, until);
  update public.device_patches t set status = 'queued', run_id = r.id, error = null
    from public.job_runs r
    where r.company_id = company and r.job_id = job and t.company_id = company and t.device_id = r.device_id and t.id = any (chosen);
  return job;
end $$;
comment on function app.queue_patches(uuid, text, uuid[], timestamptz) is
  'Has devices install those of the given rows of device_patches that are approved and missing; check_violation, patches_none, without one.';
revoke execute on function app.queue_patches(uuid, text, uuid[], timestamptz) from public;

-- Security definer: nobody may insert jobs and runs; this function checks the permission and the company.
create function public.install_patches(ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('device_patches', 'run');
  if cardinality(ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  select t.company_id into company from public.device_patches t
    where t.id = any (ids) and t.company_id = any (app.visible_company_ids()) order by t.id limit 1;
  if company is null then
    raise exception 'The update was not found.' using errcode = 'PT404', hint = 'patch_gone';
  end if;
  return app.queue_patches(company, coalesce(nullif(btrim(install_patches.name), ''), 'Install updates'), ids, now() + interval '24 hours');
end $$;
comment on function public.install_patches(uuid[], text) is
  'Has the devices of these rows of device_patches install them, as far as they are approved and missing; returns the job.';
revoke execute on function public.install_patches(uuid[], text) from public, anon;
grant execute on function public.install_patches(uuid[], text) to authenticated;

-- Security definer: as install_patches.
create function public.run_task(task text, device_ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  label text := nullif(btrim(run_task.name), '');
begin
  if task is null or task not in ('reboot', 'shut_down', 'inventory', 'scan_patches', 'install_patches') then
    raise exception 'There is no such task.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  perform app.require(app.task_object(jsonb_build_object('task', task)::text), 'run');
  if cardinality(device_ids) > 1000 then
    raise exception 'A job runs on at most 1,000 devices.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  company := app.device_company(device_ids);
  if task = 'install_patches' then
    if (select count(*) from public.devices d where d.company_id = company and d.id = any (device_ids))
      <> (select count(distinct d) from unnest(device_ids) d) then
      raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
    end if;
    return app.queue_patches(company, coalesce(label, 'Install updates'), array(
      select t.id from public.device_patches t where t.company_id = company and t.device_id = any (device_ids)
        and t.status in ('missing', 'failed')), now() + interval '24 hours');
  end if;
  return app.queue_task(company,
    coalesce(label, case task when 'reboot' then 'Restart' when 'shut_down' then 'Shut down'
      when 'inventory' then 'Refresh inventory' else 'Check for updates' end),
    jsonb_build_object('task', task), device_ids, case task when 'scan_patches' then 1800 else 300 end,
    -- Nobody expects a device to restart when it comes back tomorrow.
    now() + case when task in ('reboot', 'shut_down') then interval '15 minutes' else interval '24 hours' end);
end $$;
comment on function public.run_task(text, uuid[], text) is
  'Asks devices of one company to reboot, shut_down, send their inventory, scan_patches, or install_patches (all that are approved and missing); '
  'returns the job. `name` is what the job is called. A restart that no device took within 15 minutes expires, other tasks after a day.';
revoke execute on function public.run_task(text, uuid[], text) from public, anon;
grant execute on function public.run_task(text, uuid[], text) to authenticated;

create function app.follow_patch_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- A run that succeeded says nothing yet: the next inventory shows what is installed.
  update public.device_patches t
    set status = case when n.status in ('claimed', 'running') then 'installing' when n.status in ('failed', 'timed_out') then 'failed' else 'missing' end,
      error = case when n.status in ('failed', 'timed_out') then
        left(coalesce(substring(rtrim(n.output, E' \n\r\t') from '[^\n\r]*$'), n.error, n.status), 500) end
    from new_runs n join old_runs o on o.id = n.id
    where t.company_id = n.company_id and t.run_id = n.id and t.status in ('queued', 'installing')
      and n.status is distinct from o.status and n.status in ('running', 'failed', 'timed_out', 'cancelled', 'expired');
  return null;
end $$;
comment on function app.follow_patch_runs() is
  'Statement trigger: updates that a run installs follow it. Definer, because a device''s report may not write them.';
revoke execute on function app.follow_patch_runs() from public;

create trigger job_runs_patches after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.follow_patch_runs();

create function app.recall_patch() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches t set status = 'missing', run_id = null
    where t.company_id = new.company_id and t.patch_id = new.id and t.status = 'queued';
  return null;
end $$;
comment on function app.recall_patch() is
  'Row trigger: an update that is approved no longer is not installed where no device has begun. Definer, because who decides may not write the rows.';
revoke execute on function app.recall_patch() from public;
create trigger patches_recall after update of approval on public.patches for each row
  when (old.approval = 'approved' and new.approval <> 'approved') execute function app.recall_patch();

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
begin
  if room <= 0 then
    return '[]';
  end if;
  -- Queued ones, and those whose lease lapsed: the same attempt again, which the device answers from its journal.
  select array_agg(picked.id order by picked.queued_at, picked.id) into offered from (
    select r.id, r.queued_at
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = company and r.device_id = device and r.cancel_requested_at is null
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now()
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          )))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
      attempt = greatest(r.attempt, 1),
      claimed_at = coalesce(r.claimed_at, now()),
      lease_until = now() + interval '5 minutes'
    where r.company_id = company and r.id = any (offered);
  return (
    select jsonb_agg(jsonb_build_object(
        'run_id', r.id, 'attempt', r.attempt, 'type', j.script_type, 'script', j.script, 'sha256', j.script_sha256,
        'parameters', j.parameters || coalesce(s.parameters, '{}') || coalesce(p.parameters, '{}'),
        'timeout_seconds', j.timeout_seconds,
        -- Whose values the device takes out of the output before it reports.
        'secrets', coalesce((select jsonb_agg(k order by k) from jsonb_object_keys(s.parameters) k), '[]')
      ) order by r.queued_at, r.id)
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join app.job_secrets s on s.job_id = j.id
      -- The updates that this device is to install: each has its own.
      left join lateral (
        select jsonb_build_object('patches', jsonb_agg(jsonb_build_object('title', u.title, 'kb_number', u.kb_number) order by u.title)::text) as parameters
        from public.device_patches t
          join public.patches u on u.company_id = t.company_id and u.id = t.patch_id
        where j.kind = 'task' and t.company_id = company and t.run_id = r.id and t.status in ('queued', 'installing') and u.approval = 'approved'
        having count(*) > 0
      ) p on true
    where r.company_id = company and r.id = any (offered)
  );
end $$;

create function app.record_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  knows_installed boolean := jsonb_typeof(report -> 'installed') = 'array';
  missing jsonb;
begin
  if jsonb_typeof(report -> 'missing') is distinct from 'array' then
    return;
  end if;
  if jsonb_array_length(report -> 'missing') > 1000 or (knows_installed and jsonb_array_length(report -> 'installed') > 1000) then
    raise exception 'The list of updates is too long.' using errcode = 'PT413';
  end if;
  -- What the device says, in the form of public.patches, each update once.
  select coalesce(jsonb_agg(to_jsonb(m)), '[]') into missing
  from (
    select distinct on (title, kb_number) *
    from (
      select btrim(app.short_text(e -> 'title', 300)) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number,
        case when e ->> 'category' in ('security', 'critical', 'feature', 'driver', 'definition', 'application') then e ->> 'category'
          else 'other' end as category,
        case when e ->> 'severity' in ('critical', 'important', 'moderate', 'low') then e ->> 'severity' else 'unspecified' end as severity,
        case when jsonb_typeof(e -> 'size_mb') = 'number' and (e ->> 'size_mb')::numeric between 0 and 1000000
          then round((e ->> 'size_mb')::numeric, 2) end as size_mb,
        (app.lenient_instant(case when e ->> 'release_date' ~ '^\d{4}-\d\d-\d\d$' then e ->> 'release_date' || 'T00:00:00Z' end)
          at time zone 'UTC')::date as release_date,
        coalesce(e -> 'reboot_required' = 'true', false) as reboot_required
      from jsonb_array_elements(report -> 'missing') e where jsonb_typeof(e) = 'object'
    ) listed
    where listed.title <> ''
    order by title, kb_number
  ) m;

  -- Only what is new is written: all devices of a company report the same updates. One order for all of them.
  insert into public.patches (company_id, title, kb_number, category, severity, size_mb, release_date)
    select company, m.title, m.kb_number, m.category, m.severity, m.size_mb, m.release_date
    from jsonb_to_recordset(missing) m (title text, kb_number text, category text, severity text, size_mb numeric, release_date date)
    where not exists (
      select 1 from public.patches p where p.company_id = company and p.title = m.title and p.kb_number = m.kb_number)
      -- A device that invents updates does not fill the disk.
      and (select count(*) from public.patches p where p.company_id = company) < 20000
    order by m.title, m.kb_number
    on conflict (company_id, title, kb_number) do nothing;

  -- Replaced by a newer one of the same name: neither missing nor installed.
  with replaced as (
    delete from public.device_patches t using public.patches p
      where t.company_id = company and t.device_id = device and t.status <> 'installed'
        and p.company_id = company and p.id = t.patch_id
        and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
          where m.title = p.title and m.kb_number = p.kb_number)
        and exists (select 1 from jsonb_to_recordset(missing) m (title text) where m.title = p.title)
      returning t.patch_id
  ), due as (
    select p.id from public.patches p
      where p.company_id = company and p.id in (select r.patch_id from replaced r) and not p.superseded
      order by p.id for no key update
  )
  update public.patches p set superseded = true from due where p.company_id = company and p.id = due.id;

  -- Missing no longer: installed, unless the system knows better.
  with gone as (
    select t.id, not knows_installed or exists (
        select 1 from jsonb_array_elements(report -> 'installed') e
        where jsonb_typeof(e) = 'object' and e ->> 'title' = p.title and coalesce(e ->> 'kb_number', '') = p.kb_number
      ) as is_installed
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.device_id = device and t.status <> 'installed'
      and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
        where m.title = p.title and m.kb_number = p.kb_number)
  ), dropped as (
    delete from public.device_patches t using gone
      where t.company_id = company and t.id = gone.id and not gone.is_installed
  )
  update public.device_patches t set status = 'installed', installed_at = now(), error = null
    from gone where t.company_id = company and t.id = gone.id and gone.is_installed;

  insert into public.device_patches as t (company_id, device_id, patch_id, reboot_required)
    select company, device, p.id, m.reboot_required
    from jsonb_to_recordset(missing) m (title text, kb_number text, reboot_required boolean)
    join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
    on conflict (device_id, company_id, patch_id) do update
      set status = 'missing', installed_at = null, run_id = null, error = null, reboot_required = excluded.reboot_required
      -- It was removed again.
      where t.status = 'installed';

  -- The run that should have installed it is over, and it is still missing.
  update public.device_patches t set status = 'failed', error = 'still_missing'
    from public.job_runs r
    where t.company_id = company and t.device_id = device and t.status in ('queued', 'installing')
      and r.company_id = company and r.id = t.run_id and r.finished_at < now() - interval '2 minutes';
end $$;
comment on function app.record_patches(uuid, uuid, jsonb) is
  'Takes {missing: [{title, kb_number, category, severity, size_mb, release_date, reboot_required}], installed: [{title, kb_number}] or null} '
  'from a device. An update that is missing no longer is installed, or forgotten where `installed` does not have it.';
revoke execute on function app.record_patches(uuid, uuid, jsonb) from public;

-- After what a device reports about itself, its updates.
create or replace function app.record_inventory(company uuid, device uuid, inventory jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  if jsonb_typeof(inventory) is distinct from 'object' then
    raise exception 'The inventory must be an object.' using errcode = 'PT400';
  end if;
  update public.devices d
    set name = case when d.name = left(d.hostname, 200) then coalesce(left(i.hostname, 200), d.name) else d.name end,
      hostname = coalesce(i.hostname, d.hostname), os = i.os, os_version = i.os_version, make = i.make,
      model = i.model, serial = i.serial, cpu = i.cpu, cpu_cores = i.cpu_cores, memory_mb = i.memory_mb,
      disks = i.disks, network = i.network, ip_address = i.ip_address, logged_in_user = i.logged_in_user,
      boot_time = i.boot_time, reboot_required = i.reboot_required
    from (
      select app.short_text(inventory -> 'hostname', 253) as hostname, app.short_text(inventory -> 'os', 120) as os,
        app.short_text(inventory -> 'os_version', 120) as os_version, app.short_text(inventory -> 'make', 120) as make,
        app.short_text(inventory -> 'model', 120) as model, app.short_text(inventory -> 'serial', 120) as serial,
        app.short_text(inventory -> 'cpu', 200) as cpu, app.whole_number(inventory -> 'cpu_cores') as cpu_cores,
        app.whole_number(inventory -> 'memory_mb') as memory_mb,
        coalesce(app.capped_list(inventory -> 'disks', 200), '[]') as disks,
        coalesce(app.capped_list(inventory -> 'network', 200), '[]') as network,
        app.short_text(inventory -> 'ip_address', 64) as ip_address,
        app.short_text(inventory -> 'logged_in_user', 120) as logged_in_user,
        app.lenient_instant(inventory ->> 'boot_time') as boot_time,
        coalesce(inventory -> 'reboot_required' = 'true', false) as reboot_required
    ) i
    where d.company_id = company and d.id = device
      and (d.hostname, d.os, d.os_version, d.make, d.model, d.serial, d.cpu, d.cpu_cores, d.memory_mb, d.disks,
        d.network, d.ip_address, d.logged_in_user, d.boot_time, d.reboot_required)
      is distinct from (coalesce(i.hostname, d.hostname), i.os, i.os_version, i.make, i.model, i.serial, i.cpu,
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

-- Apps ------------------------------------------------------------------------------------------------------------------

-- Security definer: as install_patches.
create function public.run_app(app_id uuid, act text, device_ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  if run_app.act is null or run_app.act not in ('install', 'update', 'remove') then
    raise exception 'An app is installed, updated or removed.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  select a.* into found from public.apps a where a.id = run_app.app_id and (a.enabled or run_app.act = 'remove');
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(app.device_company(device_ids),
    coalesce(nullif(btrim(run_app.name), ''), initcap(run_app.act) || ' ' || found.name),
    jsonb_build_object('task', 'app', 'act', run_app.act, 'name', found.name, 'ids', jsonb_strip_nulls(jsonb_build_object(
      'apt', found.apt_id, 'winget', found.winget_id, 'choco', found.choco_id, 'brew', found.brew_id))),
    device_ids, 3600, now() + interval '24 hours');
end $$;
comment on function public.run_app(uuid, text, uuid[], text) is
  'Installs, updates or removes an app of the store on devices of one company with their package manager; returns the job.';
revoke execute on function public.run_app(uuid, text, uuid[], text) from public, anon;
grant execute on function public.run_app(uuid, text, uuid[], text) to authenticated;

-- Security definer: as install_patches.
create function public.run_corporate_app(corporate_app_id uuid, device_ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.corporate_apps%rowtype;
begin
  perform app.require('corporate_apps', 'run');
  select a.* into found from public.corporate_apps a
    where a.id = run_corporate_app.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(found.company_id,
    coalesce(nullif(btrim(run_corporate_app.name), ''), 'Install ' || found.name),
    jsonb_build_object('task', 'corporate_app', 'app', jsonb_strip_nulls(jsonb_build_object('name', found.name,
      'package_version', found.package_version, 'platform', found.platform, 'source_url', found.source_url, 'sha256', found.sha256,
      'install_arguments', found.install_arguments, 'detection_rule', found.detection_rule,
      'success_codes', found.success_codes, 'reboot_codes', found.reboot_codes))),
    device_ids, 7200, now() + interval '24 hours');
end $$;
comment on function public.run_corporate_app(uuid, uuid[], text) is
  'Has devices of its company download, check and install a package; returns the job. Where its detection rule finds it, nothing is done.';
revoke execute on function public.run_corporate_app(uuid, uuid[], text) from public, anon;
grant execute on function public.run_corporate_app(uuid, uuid[], text) to authenticated;

-- Retry -----------------------------------------------------------------------------------------------------------------

-- Security definer, as run_procedure.
create or replace function public.retry_job(job_id uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype;
  devices uuid[];
begin
  select j.* into old from public.jobs j where j.id = retry_job.job_id and j.company_id = any (app.visible_company_ids());
  perform app.require(case old.kind when 'command' then 'custom-commands' when 'task' then app.task_object(old.script)
    else 'procedures' end, 'run');
  if old.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  if old.status = 'running' then
    raise exception 'The job still runs.' using errcode = 'check_violation', hint = 'job_runs';
  end if;
  -- The values of secrets are deleted with the last open run.
  if exists (
    select 1 from public.procedure_versions v
    where v.company_id = old.company_id and v.id = old.procedure_version_id and v.parameters @> '[{"kind": "secret"}]'
  ) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  devices := array(
    select r.device_id from public.job_runs r
    where r.company_id = old.company_id and r.job_id = old.id and r.status in ('failed', 'timed_out', 'cancelled', 'expired')
  );
  old.expires_at := now() + (old.expires_at - old.created_at);
  if old.kind = 'task' and old.script::jsonb ->> 'task' = 'install_patches' then
    -- What each device is to install is with its updates, not in the script.
    return app.queue_patches(old.company_id, old.name, array(
      select t.id from public.device_patches t
      join public.job_runs r on r.company_id = t.company_id and r.id = t.run_id
      where t.company_id = old.company_id and r.job_id = old.id and t.status in ('missing', 'failed')
    ), old.expires_at);
  end if;
  return app.queue_job(old, '{}', devices);
end $$;
