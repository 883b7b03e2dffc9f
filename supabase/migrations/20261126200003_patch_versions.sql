-- The list of updates says which version a device has now beside the one that it lacks.

alter table public.device_patches add column installed_version text
  constraint device_patches_installed_version_check check (length(installed_version) <= 40);
comment on column public.device_patches.installed_version is
  'The version that the device had when it last reported the update as missing; null where its system does not say.';

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
        coalesce(e -> 'reboot_required' = 'true', false) as reboot_required,
        nullif(btrim(app.short_text(e -> 'installed_version', 40)), '') as installed_version
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

  insert into public.device_patches as t (company_id, device_id, patch_id, reboot_required, installed_version)
    select company, device, p.id, m.reboot_required, m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, reboot_required boolean, installed_version text)
    join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
    where (select count(*) from public.device_patches o where o.company_id = company and o.device_id = match_patches.device) < 3000
      or exists (select 1 from public.device_patches o where o.company_id = company and o.device_id = match_patches.device and o.patch_id = p.id)
    on conflict (device_id, company_id, patch_id) do update
      set status = 'missing', installed_at = null, run_id = null, error = null, reboot_required = excluded.reboot_required,
        installed_version = excluded.installed_version
      -- It was removed again.
      where t.status = 'installed';

  -- The version that an update would replace changes while the update waits.
  update public.device_patches t set installed_version = m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, installed_version text)
    join public.patches p on p.company_id = match_patches.company and p.title = m.title and p.kb_number = m.kb_number
    where t.company_id = company and t.device_id = device and t.patch_id = p.id and t.status <> 'installed'
      and t.installed_version is distinct from m.installed_version;

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
  'Takes {missing: [{title, kb_number, category, severity, size_mb, release_date, reboot_required, installed_version}], installed: [{title, '
  'kb_number}] or null} from a device. An update that is missing no longer is installed, or forgotten where `installed` does not have it. A '
  'device has at most 3,000 updates and is the first to report at most 2,000 a day; an update is superseded while no device lacks it and one '
  'reported a newer.';
