create function app.guard_approval() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require('patches', 'approve');
  end if;
  return new;
end $$;
comment on function app.guard_approval() is 'Row trigger on a changed decision: editing a patch is not yet deciding about it.';

create function app.settle_deferral() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.approval <> 'deferred' then
    new.deferred_until := null;
  end if;
  return new;
end $$;
comment on function app.settle_deferral() is 'Row trigger: a patch that is no longer deferred has no date until when.';

create function app.spread_patch_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches x set title_key = new.title_key, severity = new.severity
  where x.company_id = new.company_id and x.patch_id = new.id;
  return null;
end $$;
comment on function app.spread_patch_keys() is 'Row trigger: a renamed or re-rated update takes its rows along. Definer, because nobody may write them.';

create function public.decide_patches(ids uuid[], approval text, until date default null) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patches', 'approve');
  if cardinality(decide_patches.ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 patches at a time';
  end if;
  if decide_patches.approval = 'deferred' and (decide_patches.until is null or decide_patches.until <= current_date) then
    raise exception using errcode = '23514', message = 'a patch is deferred until a day to come', constraint = 'patches_deferred_until_check';
  end if;
  update public.patches p set approval = decide_patches.approval,
    deferred_until = case when decide_patches.approval = 'deferred' then decide_patches.until end
  where p.id = any (decide_patches.ids);
  get diagnostics decided = row_count;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_patches(uuid[], text, date) is
  'Approves, denies or defers patches and returns how many. Row-level security says which; the permission is patches approve.';
grant execute on function public.decide_patches(uuid[], text, date) to authenticated;

-- Security definer: it reads the update and the device whatever the writer may.
create function app.copy_patch_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select p.title_key, p.severity, p.superseded into new.title_key, new.severity, new.superseded
  from public.patches p where p.company_id = new.company_id and p.id = new.patch_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  select x.approval, x.scope into new.exception, new.exception_scope
  from app.exception_of(new.company_id, new.patch_id, new.device_id) x;
  return new;
end $$;
comment on function app.copy_patch_keys() is
  'Row trigger: a device''s patch sorts and filters as its update and its device do. Definer, because it reads both whatever the writer may.';

create function app.spread_device_to_patches() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches x set device_key = new.name_key where x.company_id = new.company_id and x.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_patches() is
  'Row trigger: a renamed device takes its patches along. Definer, because who renames it may not write them.';

-- Matches the words of the update or of the device, without a search column on the largest table.
create function public.search_device_patches(q text) returns setof public.device_patches
  language sql stable rows 500 as $$
  select t.* from public.device_patches t
  where case when app.search_ids('patches', q) is null
      then exists (select 1 from public.patches p where p.company_id = t.company_id and p.id = t.patch_id
                   and p.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.patch_id = any (app.search_ids('patches', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_device_patches(text) is
  'The rows of device_patches whose update or whose device matches every word of q; filter, order and page it like the table.';
grant execute on function public.search_device_patches(text) to authenticated;

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
grant execute on function public.install_patches(uuid[], text) to authenticated;

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

-- Security definer: who decides may not write the rows.
create function app.recall_patch() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches t set status = 'missing', run_id = null
    where t.company_id = new.company_id and t.patch_id = new.id and t.status = 'queued' and t.exception is distinct from 'approved';
  return null;
end $$;
comment on function app.recall_patch() is
  'Row trigger: an update that is approved no longer is not installed where no device has begun. Definer, because who decides may not write the rows.';

create function app.match_patches(company uuid, device uuid, report jsonb) returns void
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
  -- The device's updates in the form of public.patches, each once.
  select coalesce(jsonb_agg(to_jsonb(m)), '[]') into missing
  from (
    select distinct on (title, kb_number) *
    from (
      -- A title is cleaned here as the table cleans it, so that one text is compared with the same one.
      select app.clean_line(btrim(app.short_text(e -> 'title', 300))) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number,
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
        -- The device's own row is gone after this statement: for any other device it is not superseded yet.
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

-- Security definer: nobody may write what is counted.
create function app.count_missing_updates() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status <> 'installed';
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id
      where (n.status <> 'installed') <> (o.status <> 'installed')
        or (n.status <> 'installed' and (n.exception, n.severity, n.missing_since) is distinct from (o.exception, o.severity, o.missing_since));
  end if;
  if touched is null then
    return null;
  end if;
  -- All lock in one order.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set missing_updates = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.device_patches x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status <> 'installed'
    group by t.id) c
    where d.id = c.id and d.missing_updates <> c.count;
  perform app.rate_devices(touched);
  return null;
end $$;
comment on function app.count_missing_updates() is 'Statement trigger: keeps how many updates a device lacks, and since when it lacks one that it should have.';

create function app.settle_exception() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.scope = 'group' then
    new.device_id := null;
  else
    new.group_id := null;
  end if;
  if new.approval <> 'deferred' then
    new.deferred_until := null;
  end if;
  return new;
end $$;
comment on function app.settle_exception() is 'Row trigger: an exception has the one target of its scope, and a date only while it is deferred.';

create function app.exception_of(company uuid, patch uuid, device uuid, out approval text, out scope text)
  language sql stable set search_path = '' as $$
  select e.approval, e.scope
  from public.patch_exceptions e
  where e.company_id = company and e.patch_id = patch
    and (e.device_id = device or e.group_id in (
      select m.group_id from public.group_devices m where m.company_id = company and m.device_id = device))
  order by e.scope = 'device' desc, array_position(array['denied', 'deferred', 'approved'], e.approval) limit 1
$$;
comment on function app.exception_of(uuid, uuid, uuid) is 'The exception that holds for an update on a device; null without one.';

create function app.renew_exceptions(rows uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- Devices first, as a check-in does, and one order for all.
  perform 1 from public.devices d where d.id in (select t.device_id from public.device_patches t where t.id = any (rows))
    order by d.id for no key update;
  perform 1 from public.device_patches t where t.id = any (rows) order by t.id for no key update;
  update public.device_patches t
    set exception = x.approval, exception_scope = x.scope,
      -- An update that is approved no longer is not installed where the device has not begun.
      status = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then 'missing' else t.status end,
      run_id = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then null else t.run_id end
    from public.device_patches s
      join public.patches p on p.company_id = s.company_id and p.id = s.patch_id
      cross join lateral app.exception_of(s.company_id, s.patch_id, s.device_id) x
    where s.id = any (rows) and t.id = s.id and t.company_id = s.company_id
      and (t.exception, t.exception_scope) is distinct from (x.approval, x.scope);
end $$;
comment on function app.renew_exceptions(uuid[]) is 'Brings the exception of rows of device_patches up to date, and takes back what is queued without an approval.';

-- Security definer: who decides may not write device_patches.
create function app.spread_exceptions() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(x.id) into touched from (
    select t.id from changed c
      join public.device_patches t on t.company_id = c.company_id and t.device_id = c.device_id and t.patch_id = c.patch_id
    union
    select t.id from changed c
      join public.group_devices m on m.company_id = c.company_id and m.group_id = c.group_id
      join public.device_patches t on t.company_id = m.company_id and t.device_id = m.device_id and t.patch_id = c.patch_id
    union
    -- A group that is deleted may have lost its devices before.
    select t.id from changed c
      join public.device_patches t on t.company_id = c.company_id and t.patch_id = c.patch_id and t.exception_scope = c.scope and t.exception is not null
    where tg_op = 'DELETE' and c.scope = 'group'
  ) x;
  if touched is not null then
    perform app.renew_exceptions(touched);
  end if;
  return null;
end $$;
comment on function app.spread_exceptions() is 'Statement trigger: the rows of device_patches that an exception is about follow it.';

-- Security definer: who changes a group may not write device_patches.
create function app.follow_group_exceptions() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct t.id) into touched from changed c
    join public.patch_exceptions e on e.company_id = c.company_id and e.group_id = c.group_id
    join public.device_patches t on t.company_id = c.company_id and t.device_id = c.device_id and t.patch_id = e.patch_id;
  if touched is not null then
    perform app.renew_exceptions(touched);
  end if;
  return null;
end $$;
comment on function app.follow_group_exceptions() is 'Statement trigger: a device takes on the exceptions of a group that it enters, and loses those of one that it leaves.';

create function public.decide_for(
  ids uuid[], scope text, approval text, group_id uuid default null, device_id uuid default null, until date default null, notes text default null
) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patch_exceptions', 'create');
  if cardinality(decide_for.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  if decide_for.approval = 'deferred' and (decide_for.until is null or decide_for.until <= current_date) then
    raise exception using errcode = '23514', message = 'an update is deferred until a day to come', constraint = 'patch_exceptions_deferred_until_check';
  end if;
  with chosen as (
    select p.company_id, p.id from public.patches p where p.id = any (decide_for.ids) order by p.id
  ), renewed as (
    update public.patch_exceptions e set approval = decide_for.approval, deferred_until = decide_for.until, notes = decide_for.notes
    from chosen c
    where e.company_id = c.company_id and e.patch_id = c.id and e.scope = decide_for.scope
      and (e.group_id = decide_for.group_id or e.device_id = decide_for.device_id)
    returning e.patch_id
  ), added as (
    insert into public.patch_exceptions (company_id, patch_id, scope, group_id, device_id, approval, deferred_until, notes)
    select c.company_id, c.id, decide_for.scope, decide_for.group_id, decide_for.device_id, decide_for.approval, decide_for.until, decide_for.notes
    from chosen c where not exists (select 1 from renewed r where r.patch_id = c.id)
    returning patch_id
  )
  select (select count(*) from renewed) + (select count(*) from added) into decided;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_for(uuid[], text, text, uuid, uuid, date, text) is
  'Decides about updates for one group or one device (scope: group or device) instead of the company; returns how many. Row-level security says which.';
grant execute on function public.decide_for(uuid[], text, text, uuid, uuid, date, text) to authenticated;

create function public.decide_on_devices(ids uuid[], approval text, until date default null) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patch_exceptions', 'create');
  if cardinality(decide_on_devices.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  if decide_on_devices.approval = 'deferred' and (decide_on_devices.until is null or decide_on_devices.until <= current_date) then
    raise exception using errcode = '23514', message = 'an update is deferred until a day to come', constraint = 'patch_exceptions_deferred_until_check';
  end if;
  insert into public.patch_exceptions (company_id, patch_id, scope, device_id, approval, deferred_until)
    select t.company_id, t.patch_id, 'device', t.device_id, decide_on_devices.approval, decide_on_devices.until
    from public.device_patches t where t.id = any (decide_on_devices.ids) order by t.id
    on conflict (company_id, patch_id, device_id) do update set approval = excluded.approval, deferred_until = excluded.deferred_until;
  get diagnostics decided = row_count;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_on_devices(uuid[], text, date) is
  'Decides about updates on single devices, by rows of device_patches; returns how many. Row-level security says which.';
grant execute on function public.decide_on_devices(uuid[], text, date) to authenticated;

create function public.end_exceptions(ids uuid[]) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  ended integer;
begin
  perform app.require('patch_exceptions', 'delete');
  if cardinality(end_exceptions.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  delete from public.patch_exceptions e using public.device_patches t
    where t.id = any (end_exceptions.ids) and e.company_id = t.company_id and e.patch_id = t.patch_id and e.device_id = t.device_id;
  get diagnostics ended = row_count;
  if ended = 0 then
    raise exception using errcode = 'PT404', message = 'no such exception', hint = 'exception_gone';
  end if;
  return ended;
end $$;
comment on function public.end_exceptions(uuid[]) is
  'Takes back the exceptions of single devices, by rows of device_patches; the decision of their groups or their company holds again. Returns how many.';
grant execute on function public.end_exceptions(uuid[]) to authenticated;

create function app.end_deferrals() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  part integer;
  done integer;
begin
  update public.patches p set approval = 'pending' where p.id in (
    select x.id from public.patches x where x.deferred_until <= current_date order by x.id limit 1000 for no key update skip locked);
  get diagnostics done = row_count;
  delete from public.patch_exceptions e where e.id in (
    select x.id from public.patch_exceptions x where x.deferred_until <= current_date order by x.id limit 1000 for update skip locked);
  get diagnostics part = row_count;
  return done + part;
end $$;
comment on function app.end_deferrals() is
  'Step of app.tick(): an update whose deferral is over waits for a decision again, an exception whose deferral is over ends; at most 1,000 of each.';

create function app.note_missing_again() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.missing_since := now();
  return new;
end $$;
comment on function app.note_missing_again() is 'Row trigger: an installed update that is missing again is missing since now.';

create function app.should_have(decision text, category text, superseded boolean) returns boolean
  language sql immutable parallel safe set search_path = '' as $$
  select not superseded and (decision = 'approved' or (decision = 'pending' and category in ('security', 'critical')))
$$;
comment on function app.should_have(text, text, boolean) is
  'Whether a device that lacks an update is out of date: the update is approved there, or nobody has decided about a security or critical one.';

create function app.rate_devices(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order.
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
comment on function app.rate_devices(uuid[]) is 'Brings outdated_since and outdated_severity of devices that have reported updates up to date.';

-- Whether a limit left out an update: the two lists are compared as a whole, not title by title. Updates of Linux have
-- no KB number, by which the index found them: 1,000 of them took a second.
create function app.record_patches(company uuid, device uuid, report jsonb) returns void
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
    select m.title, m.kb_number
    from (
      select btrim(app.short_text(e -> 'title', 300)) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number
      from jsonb_array_elements(report -> 'missing') e where jsonb_typeof(e) = 'object'
    ) m
    where m.title <> ''
    except
    select p.title, p.kb_number
    from public.device_patches t join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.device_id = device);
  update public.devices d set updates_cut = cut, updates_known = not cut
    where d.company_id = company and d.id = device and (d.updates_cut, d.updates_known) is distinct from (cut, not cut);
end $$;
comment on function app.record_patches(uuid, uuid, jsonb) is
  'Takes what a device reports about its updates, as app.match_patches() does, and notes whether all of them are known.';

-- Security definer: nobody may write the table.
create function app.note_patch_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if old.superseded <> new.superseded
    or app.should_have(old.approval, old.category, old.superseded) <> app.should_have(new.approval, new.category, new.superseded) then
    insert into app.patch_changes (company_id, patch_id) values (new.company_id, new.id);
  end if;
  return null;
end $$;
comment on function app.note_patch_change() is 'Row trigger of patches: the devices of the update are rated again.';

create function app.rate_patches(max_devices integer default 5000) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  room integer := max_devices;
  change app.patch_changes%rowtype;
  devices uuid[];
begin
  while room > 0 loop
    select c.* into change from app.patch_changes c order by c.id limit 1 for update skip locked;
    exit when not found;
    select array_agg(x.device_id order by x.device_id) into devices from (
      select t.device_id from public.device_patches t
      where t.patch_id = change.patch_id and t.company_id = change.company_id
        and (change.after_device is null or t.device_id > change.after_device)
      order by t.device_id limit room) x;
    if devices is not null then
      -- Devices first, as a check-in does.
      perform 1 from public.devices d where d.id = any (devices) order by d.id for no key update;
      update public.device_patches t set superseded = p.superseded from public.patches p
        where p.company_id = change.company_id and p.id = change.patch_id and t.company_id = p.company_id and t.patch_id = p.id
          and t.device_id = any (devices) and t.superseded <> p.superseded;
      perform app.rate_devices(devices);
    end if;
    if coalesce(cardinality(devices), 0) < room then
      delete from app.patch_changes c where c.id = change.id;
    else
      update app.patch_changes c set after_device = devices[cardinality(devices)] where c.id = change.id;
    end if;
    -- A patch of no device counts, too.
    room := room - greatest(coalesce(cardinality(devices), 0), 1);
  end loop;
  return max_devices - room;
end $$;
comment on function app.rate_patches(integer) is 'Step of app.tick(): after a decision about an update, or a newer one, brings its rows and its devices up to date, at most max_devices a call.';

create function app.compliance(company uuid, days integer) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant text := case when company is null then 'true' else format('d.company_id = %L', company) end;
  answer jsonb;
begin
  execute format($query$
    with late as materialized (
      select d.company_id, d.outdated_severity as severity,
        case when d.outdated_since > now() - make_interval(days => %2$s) then 'due'
          when d.outdated_since > now() - make_interval(days => 3 * %2$s) then 'overdue' else 'long' end as age,
        count(*) as count
      from public.devices d where %1$s and d.outdated_since is not null group by 1, 2, 3
    )
    select jsonb_build_object(
      'devices', (select count(*) from public.devices d where %1$s),
      'unknown', (select count(*) from public.devices d where %1$s and not d.updates_known),
      'late', (select coalesce(jsonb_agg(jsonb_build_object('severity', x.severity, 'age', x.age, 'count', x.count)), '[]')
        from (select l.severity, l.age, sum(l.count) as count from late l group by 1, 2) x),
      'companies', case when %3$L::boolean then (
        select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'name', x.name, 'count', x.count) order by x.count desc, x.name), '[]') from (
          select c.id, c.name, sum(l.count) as count from late l join public.companies c on c.id = l.company_id
          where l.age <> 'due' group by c.id, c.name order by 3 desc, 2 limit 5) x) else '[]' end)
  $query$, tenant, days, company is null) into answer;
  return answer;
end $$;
comment on function app.compliance(uuid, integer) is
  'Counts devices by how long they lack an update that they should have: {devices, unknown, late: [{severity, age, count}], companies: [{id, name, count}]}. '
  'age is due (at most so many days), overdue (up to three times that) or long; companies are the five with the most overdue devices. Null means all companies.';

-- Security definer: counts read indexes only; it checks the permission and the company itself.
create function public.patch_compliance(company uuid default null, days integer default 30) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  scope uuid := patch_compliance.company;
begin
  perform app.require('device_patches', 'list');
  if days is null or days not between 1 and 365 then
    raise exception 'Compliance is counted for 1 to 365 days.' using errcode = 'check_violation', hint = 'compliance_days';
  end if;
  if not app.sees_all() then
    -- The answer is the same for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  return app.compliance(scope, days);
end $$;
comment on function public.patch_compliance(uuid, integer) is 'app.compliance() of a company, or of all for callers who see all.';
grant execute on function public.patch_compliance(uuid, integer) to authenticated;

create function app.note_failure() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.failed_at := case when new.status = 'failed' then now() end;
  return new;
end $$;
comment on function app.note_failure() is 'Row trigger: keeps when an update last failed on a device.';

-- Security definer: who decides may not write the table.
create function app.forget_releases() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from app.patch_releases r where r.company_id = new.company_id and r.patch_id = new.id;
  return null;
end $$;
comment on function app.forget_releases() is 'Row trigger: an update whose approval was taken back starts at the first ring when it is approved again.';

-- Security definer: who edits policies may not write the table.
create function app.renew_releases() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Waiting updates are counted at the next tick; another ring decides anew.
  if new.ring is distinct from old.ring then
    delete from app.patch_releases r where r.company_id = new.company_id and r.policy_id = new.id;
  else
    update app.patch_releases r set evaluated_at = '-infinity' where r.company_id = new.company_id and r.policy_id = new.id and r.released_at is null;
  end if;
  return null;
end $$;
comment on function app.renew_releases() is 'Row trigger: what a policy holds back is judged by its new rules at the next tick.';

create function app.ring_devices(company uuid, ring integer) returns uuid[]
  language sql stable set search_path = '' as $$
  select array_agg(y.device_id) from (
    select distinct x.device_id from (
      select m.device_id, p.position, p.id
      from public.policies p
        join public.policy_groups g on g.company_id = p.company_id and g.policy_id = p.id
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where p.company_id = company and p.kind = 'patch' and p.enabled and p.ring = ring_devices.ring
      union all
      select d.id, p.position, p.id
      from public.policies p join public.devices d on d.company_id = p.company_id
      where p.company_id = company and p.kind = 'patch' and p.enabled and p.ring = ring_devices.ring
        and not exists (select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id)
    ) x
    where not exists (
      select 1 from public.policies e
      where e.company_id = company and e.kind = 'patch' and e.enabled and (e.position, e.id) < (x.position, x.id)
        and e.ring is distinct from ring_devices.ring and app.is_under(e, x.device_id))
    order by x.device_id limit 2000) y
$$;
comment on function app.ring_devices(uuid, integer) is
  'The devices of a ring: those whose first patch policy is of it; at most 2,000, which are enough to judge an update by.';

create function app.promote_updates(policy public.policies) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  waiting uuid[];
  released integer;
begin
  if coalesce(policy.ring, 1) = 1 then
    return 0;
  end if;
  select array_agg(x.id) into waiting from (
    select p.id from public.patches p
      left join app.patch_releases r on r.company_id = p.company_id and r.policy_id = policy.id and r.patch_id = p.id
    where p.company_id = policy.company_id and p.approval = 'approved' and not p.superseded and r.released_at is null
      and (r.evaluated_at is null or r.evaluated_at < now() - interval '5 minutes')
    order by r.evaluated_at nulls first, p.id limit 50) x;
  if waiting is null then
    return 0;
  end if;
  with counted as (
    select w.id,
      count(*) filter (where t.status = 'installed' or t.failed_at is not null) as tried,
      count(*) filter (where t.status = 'installed') as succeeded,
      min(t.installed_at) filter (where t.status = 'installed') as first_at
    from unnest(waiting) w (id)
      left join (select unnest(app.ring_devices(policy.company_id, policy.ring - 1)) as id) d on true
      left join public.device_patches t on t.device_id = d.id and t.company_id = policy.company_id and t.patch_id = w.id
    group by w.id
  ), judged as (
    insert into app.patch_releases as r (company_id, policy_id, patch_id, tried, succeeded, first_at, released_at)
    select policy.company_id, policy.id, c.id, c.tried, c.succeeded, c.first_at,
      case when c.tried >= policy.promote_min_devices and c.succeeded * 100 >= policy.promote_success_percent * c.tried
        and c.first_at <= now() - make_interval(days => policy.promote_after_days) then now() end
    from counted c order by c.id
    on conflict (company_id, policy_id, patch_id) do update
      set tried = excluded.tried, succeeded = excluded.succeeded, first_at = excluded.first_at, evaluated_at = now(),
        released_at = excluded.released_at
      where r.released_at is null
    returning r.released_at
  )
  select count(*) into released from judged j where j.released_at is not null;
  return released;
end $$;
comment on function app.promote_updates(public.policies) is
  'Judges approved updates by the ring before that of a policy and releases them to its devices; 50 updates a call, each every five minutes. Returns how many it released.';

create function app.is_held(policy public.policies, patch uuid) returns boolean
  language sql stable set search_path = '' as $$
  select coalesce(policy.ring, 1) > 1 and not exists (
    select 1 from app.patch_releases r
    where r.company_id = policy.company_id and r.policy_id = policy.id and r.patch_id = patch and r.released_at is not null)
$$;
comment on function app.is_held(public.policies, uuid) is 'Whether the ring of a policy still holds an approved update back.';

create function app.span_of(weekdays text[], opens text, closes text, timezone text, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  -- A window that begins on a day may end on the next one. The zone's own clock decides.
  select w.starts, w.ends
  from (
    select (d.day + opens::time) at time zone span_of.timezone as starts,
      (d.day + (closes::time <= opens::time)::integer + closes::time) at time zone span_of.timezone as ends,
      d.day
    from (select (moment at time zone span_of.timezone)::date - n as day from generate_series(0, 1) n) d
  ) w
  where moment >= w.starts and moment < w.ends
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (weekdays)
  order by w.starts desc limit 1
$$;
comment on function app.span_of(text[], text, text, text, timestamptz) is 'The weekly window around a moment; null outside of one.';

create function app.restart_devices(policy public.policies, opened timestamptz, closes timestamptz) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  due uuid[];
begin
  select array_agg(y.id) into due from (
    select d.id from public.devices d
    where d.company_id = policy.company_id and d.reboot_required and d.status = 'online' and app.is_under(policy, d.id)
      and not exists (select 1 from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
        where r.company_id = d.company_id and r.device_id = d.id
          -- Not in the middle of a run, and once a window.
          and (r.status in ('queued', 'claimed', 'running')
            or (r.queued_at >= opened and j.kind = 'task' and j.script::jsonb ->> 'task' = 'reboot')))
      and not exists (select 1 from public.policies e
        where e.company_id = policy.company_id and e.kind = 'patch' and e.enabled and (e.position, e.id) < (policy.position, policy.id)
          and app.is_under(e, d.id))
    order by d.id limit 1000) y;
  if due is null then
    return 0;
  end if;
  perform app.queue_task(policy.company_id, policy.name, '{"task": "reboot"}', due, 300, least(closes, now() + interval '15 minutes'));
  return cardinality(due);
end $$;
comment on function app.restart_devices(public.policies, timestamptz, timestamptz) is
  'Restarts the online devices of a policy that need it, once in the window that opened and closes then; at most 1,000 a call.';

create function public.patch_rings(patch_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.patch_releases is granted to nobody. The first two conditions are those of the rows themselves.
  select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'ring', p.ring, 'tried', coalesce(r.tried, 0), 'succeeded', coalesce(r.succeeded, 0),
      'first_at', r.first_at, 'released_at', r.released_at, 'after_days', p.promote_after_days, 'success_percent', p.promote_success_percent,
      'min_devices', p.promote_min_devices) order by p.ring, p.position, p.id), '[]')
  from public.patches u
    join public.policies p on p.company_id = u.company_id and p.kind = 'patch' and p.enabled and p.ring is not null
    left join app.patch_releases r on r.company_id = p.company_id and r.policy_id = p.id and r.patch_id = u.id
  where app.can('patches', 'list') and app.can('policies', 'list') and u.company_id = any (app.visible_company_ids()) and u.id = patch_rings.patch_id
$$;
comment on function public.patch_rings(uuid) is
  'The enabled policies with a ring, in the order in which they get an update: [{id, name, ring, tried, succeeded, first_at, released_at, after_days, success_percent, min_devices}].';
grant execute on function public.patch_rings(uuid) to authenticated;

create function public.device_holds(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: as patch_rings.
  select coalesce(jsonb_agg(to_jsonb(x) - 'title_key' order by x.title_key, x.id), '[]') from (
    select t.id, u.title, t.title_key, p.name as policy_name, p.ring, coalesce(r.tried, 0) as tried, coalesce(r.succeeded, 0) as succeeded, r.first_at,
      p.promote_after_days as after_days, p.promote_success_percent as success_percent, p.promote_min_devices as min_devices
    from public.devices d
      cross join lateral app.policy_of(d.company_id, d.id, 'patch') p
      join public.device_patches t on t.company_id = d.company_id and t.device_id = d.id and t.status in ('missing', 'failed') and t.exception is null
      join public.patches u on u.company_id = t.company_id and u.id = t.patch_id and u.approval = 'approved' and not u.superseded
      left join app.patch_releases r on r.company_id = d.company_id and r.policy_id = p.id and r.patch_id = u.id
    where app.can('device_patches', 'list') and app.can('policies', 'list') and d.company_id = any (app.visible_company_ids()) and d.id = device_holds.device_id
      and p.ring > 1 and r.released_at is null
    order by t.title_key, t.id limit 100) x
$$;
comment on function public.device_holds(uuid) is
  'The approved updates that the ring of a device''s policy holds back, with how they fared on the ring before; at most 100: '
  '[{id, title, policy_name, ring, tried, succeeded, first_at, after_days, success_percent, min_devices}].';
grant execute on function public.device_holds(uuid) to authenticated;

create function public.policy_impact(
  company uuid, kind text, at_position integer, group_ids uuid[] default '{}', policy_id uuid default null,
  ring integer default null
) returns jsonb
  language sql stable set search_path = '' as $$
  with scope as (
    select d.id from public.devices d
    where d.company_id = policy_impact.company
      and (cardinality(group_ids) = 0 or exists (
        select 1 from public.group_devices m where m.company_id = d.company_id and m.device_id = d.id and m.group_id = any (group_ids)))
  ), earlier as (
    select p.id, p.name, p.position, not exists (
        select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
    from public.policies p
    where p.company_id = policy_impact.company and p.kind = policy_impact.kind and p.enabled and p.id is distinct from policy_impact.policy_id
      and (p.position, p.id) < (at_position, coalesce(policy_impact.policy_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
  ), covered as (
    select e.id, e.name, e.position, s.id as device_id from earlier e cross join scope s where e.is_for_all
    union all
    select e.id, e.name, e.position, s.id
    from earlier e
      join public.policy_groups g on g.company_id = policy_impact.company and g.policy_id = e.id
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      join scope s on s.id = m.device_id
  ), winners as (
    select distinct on (c.device_id) c.device_id, c.id, c.name, c.position from covered c order by c.device_id, c.position, c.id
  ), lost as (
    select w.id, w.name, w.position, count(*) as devices from winners w group by 1, 2, 3
  ), before as (
    -- The devices of the ring before, by the other policies.
    select count(*) as devices from (
      select distinct on (c.device_id) c.ring from (
        select m.device_id, p.position, p.id, p.ring
        from public.policies p
          join public.policy_groups g on g.company_id = p.company_id and g.policy_id = p.id
          join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        where p.company_id = policy_impact.company and p.kind = 'patch' and p.enabled and p.id is distinct from policy_impact.policy_id
        union all
        select d.id, p.position, p.id, p.ring
        from public.policies p join public.devices d on d.company_id = p.company_id
        where p.company_id = policy_impact.company and p.kind = 'patch' and p.enabled and p.id is distinct from policy_impact.policy_id
          and not exists (select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id)
      ) c
      where policy_impact.kind = 'patch' and policy_impact.ring > 1
      order by c.device_id, c.position, c.id
    ) f where f.ring = policy_impact.ring - 1
  )
  select jsonb_build_object('devices', (select count(*) from scope),
    'before', case when policy_impact.kind = 'patch' and policy_impact.ring > 1 then (select b.devices from before b) end,
    'restarts', case when policy_impact.kind = 'patch' then (
      select count(*) from public.devices d where d.company_id = policy_impact.company and d.reboot_required and d.id in (select s.id from scope s)) end,
    'lost', coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'devices', l.devices) order by l.position, l.id) from lost l), '[]'))
$$;
comment on function public.policy_impact(uuid, text, integer, uuid[], uuid, integer) is
  'On how many devices a policy of this kind, position and these groups would be: {devices, lost: [{id, name, devices}], before, restarts}; lost are the '
  'policies that come first for some of them. Without groups, all devices. before is how many devices the ring before has, '
  'restarts how many of the devices need a restart now. Runs as the caller.';
grant execute on function public.policy_impact(uuid, text, integer, uuid[], uuid, integer) to authenticated;

create function app.queue_patches(company uuid, name text, patch_rows uuid[], until timestamptz, max_running integer default null)
  returns uuid
  language plpgsql set search_path = '' as $$
declare
  -- The list that a device gets in one environment variable stays under 128 kB.
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
    where t.company_id = company and t.id = any (patch_rows) and t.status in ('missing', 'failed') and coalesce(t.exception, p.approval) = 'approved'
  ) x
  where x.place <= max_per_device;
  if chosen is null then
    raise exception 'No approved update is missing there.' using errcode = 'check_violation', hint = 'patches_none';
  end if;
  job := app.queue_task(company, name, '{"task": "install_patches"}', devices, 7200, until, max_running);
  update public.device_patches t set status = 'queued', run_id = r.id, error = null
    from public.job_runs r
    where r.company_id = company and r.job_id = job and t.company_id = company and t.device_id = r.device_id and t.id = any (chosen);
  return job;
end $$;
comment on function app.queue_patches(uuid, text, uuid[], timestamptz, integer) is
  'Has devices install those of the given rows of device_patches that are approved and missing; check_violation, patches_none, without one.';

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
