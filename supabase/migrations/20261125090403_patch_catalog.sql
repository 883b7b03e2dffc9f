-- What one device reports of updates decides nothing for the others: it adds at most 2,000 updates a day to the company's list, those
-- that no device has are forgotten, and one that a device still lacks is never superseded.

alter table public.patches add column reported_by uuid;
alter table public.patches add constraint patches_reported_by_fkey
  foreign key (company_id, reported_by) references public.devices (company_id, id) on delete set null (reported_by);
comment on column public.patches.reported_by is 'The device that reported it first; null for updates that are older than this column.';
create index patches_reported_by_idx on public.patches (company_id, reported_by, created_at);

create or replace function app.match_patches(company uuid, device uuid, report jsonb) returns void
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
  insert into public.patches (company_id, title, kb_number, category, severity, size_mb, release_date, reported_by)
    select company, m.title, m.kb_number, m.category, m.severity, m.size_mb, m.release_date, device
    from jsonb_to_recordset(missing) m (title text, kb_number text, category text, severity text, size_mb numeric, release_date date)
    where not exists (
      select 1 from public.patches p where p.company_id = company and p.title = m.title and p.kb_number = m.kb_number)
      -- A device that invents updates fills neither the disk nor the list that all devices of the company share.
      and (select count(*) from public.patches p where p.company_id = company) < 20000
      and (select count(*) from public.patches p
        where p.company_id = company and p.reported_by = match_patches.device and p.created_at > now() - interval '1 day') < 2000
      and (select count(*) from public.device_patches t where t.company_id = company and t.device_id = device) < 3000
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
        -- Its own row is gone after this statement: for any other device it is not superseded yet.
        and not exists (select 1 from public.device_patches o
          where o.company_id = company and o.patch_id = p.id and o.device_id <> device and o.status <> 'installed')
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
    where (select count(*) from public.device_patches o where o.company_id = company and o.device_id = match_patches.device) < 3000
      or exists (select 1 from public.device_patches o where o.company_id = company and o.device_id = match_patches.device and o.patch_id = p.id)
    on conflict (device_id, company_id, patch_id) do update
      set status = 'missing', installed_at = null, run_id = null, error = null, reboot_required = excluded.reboot_required
      -- It was removed again.
      where t.status = 'installed';

  -- Whatever another device said before: an update that a device lacks is not superseded.
  with lacking as (
    select p.id from jsonb_to_recordset(missing) m (title text, kb_number text)
      join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
      where p.superseded order by p.id for no key update of p
  )
  update public.patches p set superseded = false from lacking where p.company_id = company and p.id = lacking.id;

  -- The run that should have installed it is over, and it is still missing.
  update public.device_patches t set status = 'failed', error = 'still_missing'
    from public.job_runs r
    where t.company_id = company and t.device_id = device and t.status in ('queued', 'installing')
      and r.company_id = company and r.id = t.run_id and r.finished_at < now() - interval '2 minutes';
end $$;
comment on function app.match_patches(uuid, uuid, jsonb) is
  'Takes {missing: [{title, kb_number, category, severity, size_mb, release_date, reboot_required}], installed: [{title, kb_number}] or null} '
  'from a device. An update that is missing no longer is installed, or forgotten where `installed` does not have it. A device has at most '
  '3,000 updates and is the first to report at most 2,000 a day; an update is superseded while no device lacks it and one reported a newer.';

alter table public.devices add column updates_cut boolean not null default false;
comment on column public.devices.updates_cut is 'Whether a limit left out an update that the device lacks: then nobody can say that it is up to date.';
drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'gpu', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts', 'outdated_since', 'outdated_severity', 'updates_known', 'updates_cut', 'timezone']);

create or replace function app.rate_devices(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all.
  perform 1 from public.devices d where d.id = any (devices) order by d.id for no key update;
  update public.devices d
    set outdated_since = x.since, updates_known = not d.updates_cut,
      outdated_severity = (array['critical', 'important', 'moderate', 'low', 'unspecified'])[x.rank]
    from (
      select o.id, min(t.missing_since) filter (where t.lacks) as since, min(t.rank) filter (where t.lacks) as rank
      from public.devices o
        left join lateral (
          select s.missing_since, array_position(array['critical', 'important', 'moderate', 'low', 'unspecified'], s.severity) as rank,
            s.status <> 'installed' and app.should_have(coalesce(s.exception, p.approval), p.category, p.superseded) as lacks
          from public.device_patches s join public.patches p on p.company_id = s.company_id and p.id = s.patch_id
          where s.company_id = o.company_id and s.device_id = o.id
        ) t on true
      where o.id = any (devices) group by o.id
    ) x
    where d.id = x.id and (d.outdated_since, d.outdated_severity, d.updates_known)
      is distinct from (x.since, (array['critical', 'important', 'moderate', 'low', 'unspecified'])[x.rank], not d.updates_cut);
end $$;

create or replace function app.record_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  cut boolean;
begin
  perform app.match_patches(company, device, report);
  if jsonb_typeof(report -> 'missing') is distinct from 'array' then
    return;
  end if;
  -- Where a limit left one out, nobody can say that the device lacks nothing. A device that lacks nothing has no row that would say so.
  cut := exists (
    select 1 from jsonb_array_elements(report -> 'missing') e
    where jsonb_typeof(e) = 'object' and btrim(app.short_text(e -> 'title', 300)) <> ''
      and not exists (
        select 1 from public.patches p join public.device_patches t on t.company_id = p.company_id and t.patch_id = p.id
        where p.company_id = company and p.title = btrim(app.short_text(e -> 'title', 300))
          and p.kb_number = coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') and t.device_id = device));
  update public.devices d set updates_cut = cut, updates_known = not cut
    where d.company_id = company and d.id = device and (d.updates_cut, d.updates_known) is distinct from (cut, not cut);
end $$;
comment on function app.record_patches(uuid, uuid, jsonb) is
  'Takes what a device reports about its updates, as app.match_patches() does, and notes whether all of them are known.';

create function app.forget_patches() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  done integer;
begin
  with nobodys as (
    select p.company_id, p.id from public.patches p
    where p.reported_by is not null and p.approval = 'pending' and p.notes is null and p.created_at < now() - interval '10 minutes'
      and not exists (select 1 from public.device_patches t where t.company_id = p.company_id and t.patch_id = p.id)
      and not exists (select 1 from public.patch_exceptions x where x.company_id = p.company_id and x.patch_id = p.id)
    order by p.created_at limit 2000
  )
  delete from public.patches p using nobodys n where p.company_id = n.company_id and p.id = n.id;
  get diagnostics done = row_count;
  return done;
end $$;
comment on function app.forget_patches() is
  'Step of app.tick(): forgets updates that no device has any more and nobody decided about; at most 2,000 a call.';
revoke execute on function app.forget_patches() from public;
insert into app.tick_step (position, name, function) values (112, 'patches', 'forget_patches');

create function app.forget_software() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  done integer;
begin
  with gone as (
    select s.company_id, s.id from public.software s
    where s.gone_at < now() - interval '90 days'
      and not exists (select 1 from public.device_software d where d.company_id = s.company_id and d.software_id = s.id)
    order by s.gone_at limit 500
  )
  delete from public.software s using gone g where s.company_id = g.company_id and s.id = g.id;
  get diagnostics done = row_count;
  return done;
end $$;
comment on function app.forget_software() is 'Step of app.tick(): forgets titles that no device has had for 90 days; at most 500 a call.';
revoke execute on function app.forget_software() from public;
insert into app.tick_step (position, name, function) values (113, 'software_titles', 'forget_software');
