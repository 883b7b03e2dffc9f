create function app.spread_device_to_software() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_software x set device_key = new.name_key where x.company_id = new.company_id and x.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_software() is
  'Row trigger: a renamed device takes its software along. Definer, because who renames it may not write inventory.';

create function app.copy_software_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select s.name_key, app.sort_key(s.publisher) into new.title_key, new.publisher_key
  from public.software s where s.company_id = new.company_id and s.id = new.software_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_software_keys() is
  'Row trigger: an installation sorts as its title, publisher and device do. Definer, because it reads them whatever the writer may read.';

create function app.inventory_items(software jsonb)
  returns table (name text, publisher text, version text, install_date date, size_mb numeric)
  language sql immutable parallel safe
  begin atomic
    select distinct on (1, 2, 3) c.name, coalesce(c.publisher, ''), coalesce(c.version, ''),
      app.clean_date(e.item ->> 'install_date'),
      case when e.item ->> 'size_mb' ~ '^\d{1,9}(\.\d{1,6})?$' then round((e.item ->> 'size_mb')::numeric, 2) end
    from jsonb_array_elements(case when jsonb_typeof(software) = 'array' then software else '[]' end)
      with ordinality as e (item, position)
    cross join lateral (
      select app.clean_text(e.item ->> 'name', 200) as name, app.clean_text(e.item ->> 'publisher', 200) as publisher,
        app.clean_text(e.item ->> 'version', 100) as version
      where e.position <= 5000 and jsonb_typeof(e.item) = 'object'
      offset 0
    ) c
    where c.name <> ''
    order by 1, 2, 3, e.position;
  end;
comment on function app.inventory_items(jsonb) is
  'The software list of a check-in as rows: at most 5,000, one a name, publisher and version, every value cut and checked.';

-- Security definer: no client may write inventory.
create function app.apply_inventory(device_id uuid, company_id uuid, software jsonb) returns jsonb
  language plpgsql volatile security definer set search_path = ''
  -- The planner expects few rows in the list and would compare 5,000 with 5,000 in nested loops (25 s).
  set enable_nestloop = off as $$
#variable_conflict use_column
declare
  target constant uuid := apply_inventory.device_id;
  tenant constant uuid := apply_inventory.company_id;
  names text[];
  publishers text[];
  versions text[];
  dates date[];
  sizes numeric[];
  outcome jsonb;
begin
  -- A device checks in once at a time, and only under its own company.
  perform 1 from public.devices d where d.company_id = tenant and d.id = target for no key update;
  if not found or jsonb_typeof(apply_inventory.software) is distinct from 'array' then
    return jsonb_build_object('added', 0, 'changed', 0, 'removed', 0);
  end if;
  select coalesce(array_agg(i.name), '{}'), array_agg(i.publisher), array_agg(i.version), array_agg(i.install_date), array_agg(i.size_mb)
  into names, publishers, versions, dates, sizes
  from app.inventory_items(apply_inventory.software) i;
  -- A statement of its own, in key order: titles that another device adds meanwhile are seen by the next one, and no two wait crosswise.
  insert into public.software (company_id, name, publisher)
  select distinct tenant, i.name, i.publisher from unnest(names, publishers) as i (name, publisher)
  where not exists (select 1 from public.software s
                    where s.company_id = tenant and s.name = i.name and s.publisher = i.publisher)
  order by 2, 3
  on conflict do nothing;

  with found_now as materialized (
    select s.id as software_id, i.version, i.install_date, i.size_mb
    from unnest(names, publishers, versions, dates, sizes) as i (name, publisher, version, install_date, size_mb)
    join public.software s on s.company_id = tenant and s.name = i.name and s.publisher = i.publisher
  ), removed as (
    delete from public.device_software ds
    where ds.company_id = tenant and ds.device_id = target
      and not exists (select 1 from found_now f where f.software_id = ds.software_id and f.version = ds.version)
    returning ds.software_id, ds.version
  ), changed as (
    update public.device_software ds set install_date = f.install_date, size_mb = f.size_mb
    from found_now f
    where ds.company_id = tenant and ds.device_id = target and f.software_id = ds.software_id and f.version = ds.version
      and (ds.install_date, ds.size_mb) is distinct from (f.install_date, f.size_mb)
    returning 1
  ), added as (
    insert into public.device_software (company_id, device_id, software_id, version, install_date, size_mb)
    select tenant, target, f.software_id, f.version, f.install_date, f.size_mb from found_now f
    where not exists (select 1 from public.device_software ds where ds.company_id = tenant and ds.device_id = target
                      and ds.software_id = f.software_id and ds.version = f.version)
    on conflict do nothing
    returning software_id, version
  ), noticed as (
    -- Each title has one row: several versions of it may come and go at once.
    insert into public.software_changes (company_id, device_id, software_id, change, new_version, previous_version)
    select tenant, target, coalesce(a.software_id, r.software_id),
      case when r.software_id is null then 'installed' when a.software_id is null then 'removed' else 'updated' end, a.version, r.version
    from (select software_id, max(version) as version from added group by software_id) a
    full join (select software_id, max(version) as version from removed group by software_id) r on r.software_id = a.software_id
    -- Not for the first inventory: seen before this statement.
    where exists (select 1 from public.device_software ds where ds.company_id = tenant and ds.device_id = target)
    returning software_id
  ), had as (
    -- Before this statement.
    select distinct ds.software_id from public.device_software ds where ds.company_id = tenant and ds.device_id = target
  ), counted as (
    insert into app.software_deltas (company_id, software_id, kind, version, amount)
    select tenant, a.software_id, 'version', a.version, 1 from added a
    union all
    select tenant, r.software_id, 'version', r.version, -1 from removed r
    union all
    select tenant, coalesce(h.software_id, f.software_id), 'device', null, case when h.software_id is null then 1 else -1 end
      from had h full join (select distinct software_id from found_now) f on f.software_id = h.software_id
      where h.software_id is null or f.software_id is null
    union all
    select tenant, n.software_id, 'change', null, 1 from noticed n
  )
  select jsonb_build_object('added', (select count(*) from added), 'changed', (select count(*) from changed),
    'removed', (select count(*) from removed)) into outcome;
  return outcome;
end $$;
comment on function app.apply_inventory(uuid, uuid, jsonb) is
  'The one way software rows change: makes a device''s rows equal to the list [{name, version, publisher, install_date, '
  'size_mb}] and returns {added, changed, removed}. A value that is not a list changes nothing. Definer, because no client '
  'may write inventory. Granted to nobody: the agent functions call it.';

-- Matches the words of the title or of the device, without a search column on the largest table.
create function public.search_device_software(q text) returns setof public.device_software
  language sql stable rows 500 as $$
  select t.* from public.device_software t
  where case when app.search_ids('software', q) is null
      then exists (select 1 from public.software s where s.company_id = t.company_id and s.id = t.software_id
                   and s.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.software_id = any (app.search_ids('software', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_device_software(text) is
  'The installations whose title or whose device matches every word of q; filter, order and page it like the table.';
grant execute on function public.search_device_software(text) to authenticated;

create function app.record_inventory(company uuid, device uuid, inventory jsonb) returns void
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
        app.short_text(inventory -> 'os_version', 120) as os_version, app.hardware_text(inventory -> 'make', 120) as make,
        app.hardware_text(inventory -> 'model', 120) as model, app.hardware_text(inventory -> 'serial', 120) as serial,
        app.short_text(inventory -> 'cpu', 200) as cpu, app.short_text(inventory -> 'gpu', 400) as gpu, app.whole_number(inventory -> 'cpu_cores') as cpu_cores,
        app.whole_number(inventory -> 'memory_mb') as memory_mb,
        app.clean_entries(inventory -> 'disks', 200) as disks,
        app.clean_entries(inventory -> 'network', 200) as network,
        app.short_text(inventory -> 'ip_address', 64) as ip_address,
        app.short_text(inventory -> 'logged_in_user', 120) as logged_in_user,
        app.past_instant(inventory ->> 'boot_time') as boot_time,
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
comment on function app.record_inventory(uuid, uuid, jsonb) is 'Writes a device''s inventory where it differs from what is known.';

create function app.stamp_corporate_app() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null or current_user in ('anon', 'authenticated') then
    -- A deleted profile takes its name off the row (as the owner of the tables); nothing else moves it.
    new.created_by := old.created_by;
  end if;
  return new;
end $$;
comment on function app.stamp_corporate_app() is 'Row trigger: created_by is whoever was signed in when the package was made, for ever.';

create function app.apply_match_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.detected := case when cardinality(app.search_patterns(new.match_rule)) > 0 then
    app.count_license(new.company_id, new.type, app.matching_titles(new.company_id, new.match_rule)) end;
  return new;
end $$;
comment on function app.apply_match_rule() is
  'Row trigger on a new rule or type: counts this one license at once. Definer, because detected is not a client''s to write.';

create function app.keep_license_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.software_license_titles t where t.company_id = new.company_id and t.license_id = new.id;
  insert into public.software_license_titles (company_id, license_id, software_id)
  select new.company_id, new.id, s.id from unnest(app.matching_titles(new.company_id, new.match_rule)) as s (id)
  on conflict do nothing;
  insert into app.license_counts (license_id, company_id) values (new.id, new.company_id)
  on conflict (license_id) do update set counted_at = excluded.counted_at;
  return null;
end $$;
comment on function app.keep_license_titles() is 'Row trigger: the titles a rule means. Definer, because nobody writes them by hand.';

create function app.matching_titles(company uuid, rule text) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  patterns text[] := app.search_patterns(rule);
begin
  if cardinality(patterns) = 0 then
    return '{}';
  end if;
  return array(select s.id from public.software s where s.company_id = matching_titles.company
               and s.search operator(pg_catalog.~~) all (patterns));
end $$;
comment on function app.matching_titles(uuid, text) is
  'The titles of a company whose name and publisher hold every word of a rule. Definer, because a trigger asks for whoever writes.';

create function app.count_license(company uuid, license_type text, titles uuid[]) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  if license_type = 'user' then
    -- A device at which nobody sits counts for itself.
    return (select count(distinct coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text))
            from public.devices d
            where d.company_id = count_license.company and d.id in (
              select i.device_id from public.device_software i
              where i.company_id = count_license.company and i.software_id = any (titles)));
  end if;
  return (select count(distinct i.device_id) from public.device_software i
          where i.company_id = count_license.company and i.software_id = any (titles));
end $$;
comment on function app.count_license(uuid, text, uuid[]) is
  'On how many devices (or for how many signed-in users) any of these titles is installed. Definer, because a trigger asks for whoever writes.';

create function app.match_new_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.software_license_titles (company_id, license_id, software_id)
  select l.company_id, l.id, s.id
  from new_rows n
  join public.software_licenses l on l.company_id = n.company_id and l.match_rule is not null
  join public.software s on s.company_id = n.company_id and s.id = n.id
  where cardinality(app.search_patterns(l.match_rule)) > 0
    and s.search operator(pg_catalog.~~) all (app.search_patterns(l.match_rule))
  on conflict do nothing;
  return null;
end $$;
comment on function app.match_new_titles() is
  'Statement trigger on software: a title nobody had before joins the licenses whose rule means it. Definer, because the agent functions write it.';

create function app.note_license_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from new_rows n
    join public.software_license_titles t on t.company_id = n.company_id and t.software_id = n.software_id;
  else
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from old_rows o
    join public.software_license_titles t on t.company_id = o.company_id and t.software_id = o.software_id;
  end if;
  return null;
end $$;
comment on function app.note_license_changes() is
  'Statement trigger on device_software: notes which licenses are to be counted again. Definer, because nobody may write the notes.';

create function app.count_licenses(most integer default 50) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
  titles uuid[];
  found_now integer;
  changed integer := 0;
begin
  for due in
    select l.id, l.company_id, l.type, l.match_rule
    from app.license_counts c
    join public.software_licenses l on l.company_id = c.company_id and l.id = c.license_id
    where c.counted_at < now() - interval '1 hour'
      or exists (select 1 from app.license_recounts r where r.license_id = c.license_id)
    order by c.counted_at limit most for update of c skip locked
  loop
    -- The notes go first: what is added while we count leaves a note that stays.
    delete from app.license_recounts r where r.license_id = due.id;
    -- A title that came in the moment in which the rule changed was seen by neither trigger.
    titles := app.matching_titles(due.company_id, due.match_rule);
    insert into public.software_license_titles (company_id, license_id, software_id)
    select due.company_id, due.id, s.id from unnest(titles) as s (id)
    on conflict do nothing;
    found_now := case when cardinality(app.search_patterns(due.match_rule)) > 0 then
      app.count_license(due.company_id, due.type, titles) end;
    update public.software_licenses l set detected = found_now
    where l.company_id = due.company_id and l.id = due.id and l.detected is distinct from found_now;
    if found then
      changed := changed + 1;
    end if;
    update app.license_counts c set counted_at = now() where c.license_id = due.id;
  end loop;
  -- Notes of licenses that are gone.
  delete from app.license_recounts r where r.id in (
    select x.id from app.license_recounts x
    where not exists (select 1 from app.license_counts c where c.license_id = x.license_id) limit 1000);
  return changed;
end $$;
comment on function app.count_licenses(integer) is
  'Counts again the licenses that have notes or were last counted an hour ago, at most 50 a call; safe to run many times at once. '
  'Definer, because nobody may write detected. Granted to nobody.';

create function app.forget_software_changes() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  perform set_config('app.quiet', 'on', true);
  delete from public.software_changes c where c.id in (
    select x.id from public.software_changes x where x.changed_at < now() - interval '90 days' order by x.changed_at limit 5000);
  get diagnostics removed = row_count;
  perform set_config('app.quiet', '', true);
  return removed;
end $$;
comment on function app.forget_software_changes() is 'Step of app.tick(): forgets changes of software after 90 days, at most 5,000 a call.';

create function public.software_spread(software_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with title as (
    select s.id, s.company_id from public.software s where s.id = software_spread.software_id
  ), installed as (
    select ds.version, ds.device_id from public.device_software ds join title t on t.company_id = ds.company_id and t.id = ds.software_id
  )
  select jsonb_build_object(
    'devices', (select count(distinct i.device_id) from installed i),
    'versions', (select coalesce(jsonb_agg(jsonb_build_object('version', v.version, 'devices', v.devices) order by v.devices desc, v.version), '[]')
      from (select i.version, count(*) as devices from installed i group by i.version order by count(*) desc, i.version limit 20) v),
    'version_count', (select count(distinct i.version) from installed i),
    'without', (select count(*) from public.devices d join title t on t.company_id = d.company_id
      where not exists (select 1 from public.device_software ds
        where ds.company_id = d.company_id and ds.software_id = t.id and ds.device_id = d.id)))
$$;
comment on function public.software_spread(uuid) is
  '{devices, versions: [{version, devices}], version_count, without} of a title: its 20 most frequent versions, and how many devices of its '
  'company have or lack it. Runs as the caller.';
grant execute on function public.software_spread(uuid) to authenticated;

-- Security definer: who edits an app may not write its files.
create function app.follow_package_source() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  file public.corporate_app_files%rowtype;
begin
  if new.source_url is not null then
    update public.corporate_app_files f set is_current = false
      where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
    return new;
  end if;
  select f.* into file from public.corporate_app_files f
    where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
  -- The checksum of an app that has no address is that of the uploaded file, whatever was sent.
  new.sha256 := file.sha256;
  if file.id is not null and file.package_version <> new.package_version then
    update public.corporate_app_files f set package_version = new.package_version where f.company_id = new.company_id and f.id = file.id;
  end if;
  return new;
end $$;
comment on function app.follow_package_source() is
  'Row trigger: an address replaces the uploaded file as the source of an app; without one, checksum and version are those of the file.';

-- Security definer: who deletes a version need not be allowed to edit its app.
create function app.forget_package_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if old.is_current then
    update public.corporate_apps a set sha256 = null where a.company_id = old.company_id and a.id = old.corporate_app_id and a.source_url is null;
  end if;
  return null;
end $$;
comment on function app.forget_package_file() is 'Row trigger: an app whose current version was deleted has no checksum any more.';

-- Security definer: reads the limits, which no client may read in whole; checks the permission itself.
create function public.package_limits(corporate_app_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('corporate_apps', 'list');
  select a.company_id into company from public.corporate_apps a
    where a.id = package_limits.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if company is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return (
    select jsonb_build_object('max_file_mb', s.max_package_mb, 'max_company_mb', s.max_packages_mb,
      'used_mb', coalesce((select ceil(u.package_bytes / 1048576.0) from app.file_use u where u.company_id = company), 0))
    from app.file_store s);
end $$;
comment on function public.package_limits(uuid) is
  '{max_file_mb, max_company_mb, used_mb} for the company of an app; null where the backend takes no uploads.';
grant execute on function public.package_limits(uuid) to authenticated;

create function app.package_problem(platform text, name text, type text) returns text
  language sql immutable parallel safe
  return case
    when (lower(substring(name from '\.([A-Za-z0-9]+)$')), platform) in (('msi', 'windows'), ('exe', 'windows'), ('ps1', 'windows'),
      ('deb', 'linux'), ('rpm', 'linux'), ('sh', 'linux'), ('pkg', 'macos'), ('sh', 'macos')) then
      case when type = case lower(substring(name from '\.([A-Za-z0-9]+)$'))
        when 'msi' then 'application/x-msi' when 'exe' then 'application/vnd.microsoft.portable-executable'
        when 'ps1' then 'text/x-powershell' when 'deb' then 'application/vnd.debian.binary-package'
        when 'rpm' then 'application/x-rpm' when 'pkg' then 'application/x-xar' else 'text/x-shellscript' end
      then null else 'upload_content' end
    when platform = 'linux' and type in ('application/x-executable', 'text/x-shellscript')
      or platform = 'macos' and type in ('application/x-mach-binary', 'text/x-shellscript') then null
    else 'upload_type'
  end;
comment on function app.package_problem(text, text, text) is
  'The hint why a file cannot be installed on a platform, by its extension and by the type that the server read from its content; null when it '
  'can. An agent installs a package by the extension, as installCommands() of the agent does.';

-- Security definer: nobody may write versions, and the checksum is in the row of the object.
create function public.add_package_version(corporate_app_id uuid, package_version text, file_id uuid, make_current boolean default true) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  max_versions constant integer := 20;
  owner public.corporate_apps%rowtype;
  file public.files%rowtype;
  wanted text := btrim(add_package_version.package_version);
  checksum text;
  problem text;
begin
  perform app.require('corporate_apps', 'edit');
  -- The lock of the app: two versions at once are counted one after the other.
  select a.* into owner from public.corporate_apps a
    where a.id = add_package_version.corporate_app_id and a.company_id = any (app.visible_company_ids()) for update;
  if owner.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  select f.* into file from public.files f
    where f.id = add_package_version.file_id and f.company_id = owner.company_id and f.resource = 'corporate_app_files' and f.field = 'file_id'
      and f.record_id is null and f.uploaded_at is not null and f.created_by = app.current_user_id() for update;
  if file.id is null then
    raise exception 'The upload was not found.' using errcode = 'PT404', hint = 'file_gone';
  end if;
  if wanted is null or length(wanted) not between 1 and 60 then
    raise exception 'A version has 1 to 60 characters.' using errcode = 'check_violation', hint = 'upload_version';
  end if;
  perform app.refuse_unclean_line('package_version', wanted);
  if exists (select 1 from public.corporate_app_files f
      where f.company_id = owner.company_id and f.corporate_app_id = owner.id and f.package_version = wanted) then
    raise exception 'This version exists.' using errcode = 'check_violation', hint = 'upload_version_exists';
  end if;
  if (select count(*) from public.corporate_app_files f where f.company_id = owner.company_id and f.corporate_app_id = owner.id) >= max_versions then
    raise exception 'An app has at most 20 versions.' using errcode = 'check_violation', hint = 'upload_versions';
  end if;
  problem := app.package_problem(owner.platform, file.name, file.type);
  if problem is not null then
    raise exception 'The file cannot be installed on the platform of the app.' using errcode = 'check_violation', hint = problem;
  end if;
  select o.metadata ->> 'sha256' into checksum from storage.objects o where o.bucket_id = 'files' and o.name = file.path;
  if coalesce(checksum, '') !~ '^[0-9a-f]{64}$' then
    raise exception 'This backend takes no packages.' using errcode = 'check_violation', hint = 'upload_unavailable';
  end if;
  insert into public.corporate_app_files (id, company_id, corporate_app_id, package_version, file_id, file_name, size_bytes, sha256, created_by)
  values (file.id, owner.company_id, owner.id, wanted, file.id, file.name, file.size, checksum, app.own_profile_id());
  if coalesce(make_current, true) then
    perform public.use_package_file(file.id);
  end if;
  return file.id;
end $$;
comment on function public.add_package_version(uuid, text, uuid, boolean) is
  'Makes an upload of the caller (a draft of public.files for corporate_app_files.file_id) a version of an app, and the current one unless '
  'make_current is false. check_violation with a hint: upload_version, upload_version_exists, upload_versions, upload_type, upload_content, '
  'upload_unavailable.';
grant execute on function public.add_package_version(uuid, text, uuid, boolean) to authenticated;

-- Security definer: nobody may write files; checks permission, company and that the upload is the caller's.
create function public.use_package_file(file_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  file public.corporate_app_files%rowtype;
begin
  perform app.require('corporate_apps', 'edit');
  select f.* into file from public.corporate_app_files f
    where f.id = use_package_file.file_id and f.company_id = any (app.visible_company_ids()) for update;
  if file.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'file_gone';
  end if;
  update public.corporate_app_files f set is_current = false
    where f.company_id = file.company_id and f.corporate_app_id = file.corporate_app_id and f.is_current and f.id <> file.id;
  update public.corporate_app_files f set is_current = true where f.company_id = file.company_id and f.id = file.id;
  update public.corporate_apps a set source_url = null, sha256 = file.sha256, package_version = file.package_version
    where a.company_id = file.company_id and a.id = file.corporate_app_id;
end $$;
comment on function public.use_package_file(uuid) is
  'Makes an uploaded version the one that devices install, in place of another version or of the download address.';
grant execute on function public.use_package_file(uuid) to authenticated;

create function app.agent_package(device uuid, secret text, run uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := app.agent_company(device, secret);
  file record;
begin
  select o.path, o.size into file
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join public.corporate_app_files f on f.company_id = r.company_id
        and f.id = app.lenient_uuid(j.script::jsonb #>> '{app,file_id}')
      left join public.files o on o.company_id = f.company_id and o.id = f.file_id
    where r.company_id = company and r.device_id = device and r.id = run
      and r.status in ('claimed', 'running') and r.cancel_requested_at is null
      and j.kind = 'task' and j.script::jsonb #>> '{app,file_id}' is not null;
  if not found then
    -- As for a wrong secret: a device learns nothing about runs that are not its own.
    raise exception 'The device credentials are not valid.' using errcode = 'PT401';
  end if;
  if file.path is null then
    raise exception 'The package was deleted in the console.' using errcode = 'PT410';
  end if;
  return jsonb_build_object('path', file.path, 'size_bytes', file.size);
end $$;
comment on function app.agent_package(uuid, text, uuid) is
  'The file that a device may download for a run it has claimed: {path, size_bytes}. PT401, as for a wrong secret, unless the run is the '
  'device''s own and open; PT410 when the file was deleted. Definer, because a device has no privileges; granted to nobody, the server calls it.';

create function app.fold_software() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  max_deltas constant integer := 50000;
  max_expiring constant integer := 20000;
  until timestamptz;
  horizon timestamptz;
  batch bigint[];
  folded integer;
begin
  select c.counted_until into until from app.software_change_count c where c.only_row for update skip locked;
  if not found then
    -- Another tick is at it.
    return 0;
  end if;
  -- All changes of one instant together.
  select max(x.changed_at) into horizon from (
    select c.changed_at from public.software_changes c
    where c.changed_at > until and c.changed_at <= now() - interval '30 days' order by c.changed_at, c.id limit max_expiring) x;
  if horizon is not null then
    insert into app.software_deltas (company_id, software_id, kind, amount)
    select c.company_id, c.software_id, 'change', -count(*) from public.software_changes c
      where c.changed_at > until and c.changed_at <= horizon group by 1, 2;
    update app.software_change_count c set counted_until = horizon where c.only_row;
  end if;
  select array_agg(x.id) into batch from (select d.id from app.software_deltas d order by d.id limit max_deltas) x;
  if batch is null then
    return 0;
  end if;
  insert into app.software_versions as v (company_id, software_id, version, installations)
  select d.company_id, d.software_id, d.version, sum(d.amount)
    from app.software_deltas d join public.software s on s.company_id = d.company_id and s.id = d.software_id
    where d.id = any (batch) and d.kind = 'version' group by 1, 2, 3 having sum(d.amount) <> 0
  on conflict (company_id, software_id, version) do update set installations = v.installations + excluded.installations;
  delete from app.software_versions v using (
      select distinct d.company_id, d.software_id from app.software_deltas d where d.id = any (batch) and d.kind = 'version') t
    where v.company_id = t.company_id and v.software_id = t.software_id and v.installations <= 0;
  update public.software w
    set devices = greatest(w.devices + t.devices, 0), recent_changes = greatest(w.recent_changes + t.changes, 0),
      gone_at = case when w.devices + t.devices > 0 then null else coalesce(w.gone_at, now()) end,
      versions = v.versions, newest_version = v.newest, outdated = v.outdated
    from (
      select d.company_id, d.software_id, coalesce(sum(d.amount) filter (where d.kind = 'device'), 0)::integer as devices,
        coalesce(sum(d.amount) filter (where d.kind = 'change'), 0)::integer as changes
      from app.software_deltas d where d.id = any (batch) group by 1, 2
    ) t
    cross join lateral app.version_figures(t.company_id, t.software_id) v
    where w.company_id = t.company_id and w.id = t.software_id;
  get diagnostics folded = row_count;
  delete from app.software_deltas d where d.id = any (batch);
  return folded;
end $$;
comment on function app.fold_software() is
  'Step of app.tick(): adds the rows of app.software_deltas, 50,000 a call, to the figures of software titles, and takes out changes that '
  'are 30 days old. Returns how many titles it wrote.';

create function app.version_figures(company uuid, title uuid, out versions integer, out newest text, out outdated integer)
  language sql stable set search_path = '' as $$
  with installed as (
    -- A version that is not known is neither new nor old.
    select v.version, v.version_key, v.installations, max(v.version_key) filter (where v.version <> '') over () as newest_key
    from app.software_versions v where v.company_id = company and v.software_id = title
  )
  select count(*)::integer, max(i.version) filter (where i.version <> '' and i.version_key = i.newest_key),
    coalesce(sum(i.installations) filter (where i.version <> '' and i.version_key < i.newest_key), 0)::integer
  from installed i
$$;
comment on function app.version_figures(uuid, uuid) is 'How many versions of a title are installed, the newest of them, and the installations of older ones.';

-- Security definer: who deletes a device may not write the figures.
create function app.uncount_device_software() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.software_deltas (company_id, software_id, kind, version, amount)
  select s.company_id, s.software_id, 'version', s.version, -1 from public.device_software s
    where s.company_id = old.company_id and s.device_id = old.id
  union all
  select s.company_id, s.software_id, 'device', null, -1 from public.device_software s
    where s.company_id = old.company_id and s.device_id = old.id group by 1, 2
  union all
  select c.company_id, c.software_id, 'change', null, -count(*)::integer from public.software_changes c
    where c.company_id = old.company_id and c.device_id = old.id
      and c.changed_at > (select x.counted_until from app.software_change_count x) group by 1, 2;
  return old;
end $$;
comment on function app.uncount_device_software() is 'Row trigger: the software of a deleted device no longer counts.';

create function app.recount_software() returns void
  language plpgsql volatile set search_path = '' as $$
begin
  delete from app.software_deltas d where d.id > 0;
  delete from app.software_versions v where v.installations is not null;
  update app.software_change_count c set counted_until = now() - interval '30 days' where c.only_row;
  insert into app.software_versions (company_id, software_id, version, installations)
  select s.company_id, s.software_id, s.version, count(*) from public.device_software s group by 1, 2, 3;
  update public.software w
    set devices = coalesce(d.devices, 0), versions = v.versions, newest_version = v.newest, outdated = v.outdated,
      recent_changes = coalesce(c.changes, 0), gone_at = case when d.devices > 0 then null else coalesce(w.gone_at, now()) end
    from public.software x
      left join (select s.company_id, s.software_id, count(distinct s.device_id) as devices from public.device_software s group by 1, 2) d
        on d.company_id = x.company_id and d.software_id = x.id
      left join (select c.company_id, c.software_id, count(*) as changes from public.software_changes c
        where c.changed_at > now() - interval '30 days' group by 1, 2) c on c.company_id = x.company_id and c.software_id = x.id
      cross join lateral app.version_figures(x.company_id, x.id) v
    where w.company_id = x.company_id and w.id = x.id;
end $$;
comment on function app.recount_software() is
  'Counts the figures of all titles anew: for the migration, and after rows were written past app.apply_inventory(), as the demo data is.';

create function app.stamp_unused_license() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- `available` is generated after this trigger.
  new.unused_since := case when new.type <> 'site' and new.seats > new.detected then coalesce(new.unused_since, now()) end;
  return new;
end $$;
comment on function app.stamp_unused_license() is 'Row trigger: since when a license has free seats.';

create function public.license_use(license_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with license as (
    select l.id, l.company_id, l.type from public.software_licenses l where l.id = license_use.license_id
  ), used as materialized (
    select distinct ds.company_id, ds.device_id
    from license l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
  ), seats as (
    -- Each seat has one row, as app.count_license() counts.
    select bool_and(coalesce(d.offline_since < now() - interval '30 days', false)) as idle
    from license l join used u on u.company_id = l.company_id
      join public.devices d on d.company_id = u.company_id and d.id = u.device_id
    group by case when l.type = 'user' then coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text) else d.id::text end
  )
  select jsonb_build_object('total', count(*), 'idle', count(*) filter (where s.idle)) from seats s
$$;
comment on function public.license_use(uuid) is
  '{total, idle}: how many seats of a license are taken, a seat of a license by user being a signed-in user, and of how many none of the devices '
  'was online for 30 days. search_license_devices() returns the devices. Runs as the caller.';
grant execute on function public.license_use(uuid) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_license_devices(license_id uuid, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_license_devices.q) d
  where d.id in (
    select ds.device_id from public.software_licenses l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
    where l.id = search_license_devices.license_id)
$$;
comment on function public.search_license_devices(uuid, text) is
  'The devices that take the seats of a license and match q; filter, order and page it like the table. Runs as the caller.';
grant execute on function public.search_license_devices(uuid, text) to authenticated;

create function app.remind_of_licenses() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  with due as (
    insert into app.license_reminders (company_id, license_id, expires_on, days)
    select l.company_id, l.id, l.expires_on, k.days
    from public.software_licenses l
    -- A license that is entered late gets the latest reminder alone.
    cross join lateral (select case when l.expires_on - current_date <= 1 then 1
      when l.expires_on - current_date <= 7 and l.remind_days >= 7 then 7 else l.remind_days end as days) k
    where l.expires_on between current_date and current_date + 365 and l.expires_on <= current_date + l.remind_days
      and not exists (select 1 from app.license_reminders r
        where r.company_id = l.company_id and r.license_id = l.id and r.expires_on = l.expires_on and r.days = k.days)
    order by l.expires_on, l.id limit 200
    on conflict do nothing
    returning company_id, license_id, expires_on, days
  )
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, d.company_id, 'software_license_expiring',
    jsonb_build_object('license', l.name, 'end_date', d.expires_on::timestamptz, 'days', greatest(d.expires_on - current_date, 0)),
    '/software-licenses/' || d.license_id, format('software_license:%s:%s:%s', d.license_id, d.expires_on, d.days)
  from due d
    join public.software_licenses l on l.company_id = d.company_id and l.id = d.license_id
    join public.user_roles r on r.company_id = d.company_id and r.deactivated_at is null
      and r.role = any (app.roles_that_may('software_licenses', 'edit'))
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.remind_of_licenses() is
  'Step of app.tick(): tells whoever may edit the software licenses of a company that one ends in remind_days, 7 and 1 days, each once; '
  'at most 200 licenses a call.';

create function app.titles_of_app(company uuid, app_name text, app_publisher text, apt_id text) returns uuid[]
  language plpgsql stable set search_path = '' as $$
declare
  -- The words that a device adds to a name, such as an edition, count only under the app's own publisher.
  brand text := split_part(app.fold(coalesce(app_publisher, '')), ' ', 1);
  plain text := app.fold(app_name);
  branded text := btrim(brand || ' ' || app.fold(app_name));
  package text := app.fold(coalesce(apt_id, app_name));
begin
  return array(
    select s.id from public.software s
    where s.company_id = company and s.search collate "C" >= plain || ' ' and s.search collate "C" < plain || '!'
      and (app.fold(s.name) = plain or (brand <> '' and app.fold(s.publisher) like app.like_escape(brand) || '%'))
    union
    select s.id from public.software s
    where s.company_id = company and brand <> '' and s.search collate "C" >= branded || ' ' and s.search collate "C" < branded || '!'
      and app.fold(s.publisher) like app.like_escape(brand) || '%'
    union
    -- A package of APT has the name that is in the catalog.
    select s.id from public.software s
    where s.company_id = company and s.search collate "C" >= package || ' ' and s.search collate "C" < package || '!' and app.fold(s.name) = package);
end $$;
comment on function app.titles_of_app(uuid, text, text, text) is
  'The software titles of a company that are an app of the store: of its name, of its name with an edition or the publisher''s name before it, '
  'by the same publisher, or its package of APT.';

-- Security definer: Reads titles and tasks through their indexes, past row-level security; checks permission and company itself.
create function public.app_store_state(app_ids uuid[], company uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('apps', 'list');
  if company is null or not (company = any (app.visible_company_ids())) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'devices', f.devices, 'outdated', f.outdated, 'job', j.job)), '[]')
    from (select x.* from public.apps x where x.id = any (app_ids[1:100])) a
    cross join lateral (
      select coalesce(sum(s.devices), 0) as devices, coalesce(sum(s.outdated), 0) as outdated
      from public.software s where s.company_id = company and s.id = any (app.titles_of_app(company, a.name, a.publisher, a.apt_id))
        and app.can('software', 'list')
    ) f
    left join lateral (
      -- The newest of its tasks under way.
      select jsonb_build_object('id', t.id, 'act', t.script::jsonb ->> 'act', 'done', t.succeeded + t.failed + t.canceled, 'total', t.total) as job
      from (select o.* from public.jobs o where o.company_id = company and o.status = 'running' and o.kind = 'task'
        order by o.created_at desc limit 200) t
      where t.script::jsonb ->> 'app_id' = a.id::text and app.can('jobs', 'list')
      order by t.created_at desc limit 1
    ) j on true);
end $$;
comment on function public.app_store_state(uuid[], uuid) is
  '[{id, devices, outdated, job: {id, act, done, total} | null}] of at most 100 apps in a company: devices that have it, installations older than the '
  'company''s newest, and the newest task under way. Titles on one device under two names count twice.';
grant execute on function public.app_store_state(uuid[], uuid) to authenticated;

-- Security definer: as app_store_state.
create function public.app_outdated_devices(app_id uuid, company uuid) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  wanted public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  select a.* into wanted from public.apps a where a.id = app_outdated_devices.app_id and a.enabled;
  if wanted.id is null or company is null or not (company = any (app.visible_company_ids())) then
    return '{}';
  end if;
  return array(
    select distinct i.device_id
    from unnest(app.titles_of_app(company, wanted.name, wanted.publisher, wanted.apt_id)) t (id)
      join public.software s on s.company_id = company and s.id = t.id and s.outdated > 0
      join public.device_software i on i.company_id = company and i.software_id = s.id and i.version <> ''
        and i.version_key < app.sort_key(s.newest_version)
    limit 1000);
end $$;
comment on function public.app_outdated_devices(uuid, uuid) is
  'At most 1,000 devices of a company that have an older version of an app than the company''s newest.';
grant execute on function public.app_outdated_devices(uuid, uuid) to authenticated;

create function app.lower_checksum() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.sha256 := lower(new.sha256);
  return new;
end $$;
comment on function app.lower_checksum() is 'Row trigger: a checksum is kept in lower case, as agents compute it.';

create function app.is_package_rule(rule text) returns boolean
  language sql immutable parallel safe
  return coalesce(pg_catalog.btrim(rule) <> '' and pg_catalog.btrim(rule) !~* '^(HK[A-Z_]+:?\\|[a-z]:\\|\\\\|/|%\w+%|\$)', false);
comment on function app.is_package_rule(text) is
  'Whether a detection rule names a package, which the system can remove, and not a path or a registry key. As parseRule() of the agent.';

-- Security definer; it checks the permission and the company itself.
create function public.run_corporate_app(corporate_app_id uuid, device_ids uuid[], name text default null, max_running integer default null,
    act text default 'install') returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.corporate_apps%rowtype;
  file public.corporate_app_files%rowtype;
  wanted text := coalesce(act, 'install');
begin
  perform app.require('corporate_apps', 'run');
  if wanted not in ('install', 'reinstall', 'remove') then
    raise exception 'An app is installed, reinstalled or removed.' using errcode = 'check_violation', hint = 'app_act';
  end if;
  select a.* into found from public.corporate_apps a
    where a.id = run_corporate_app.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  if wanted = 'remove' then
    if not app.is_package_rule(found.detection_rule) then
      raise exception 'The detection rule of the app is no name of a package.' using errcode = 'check_violation', hint = 'app_not_removable';
    end if;
    -- A task of its own: an agent that does not know it refuses, where it would install a task that it half understands.
    return app.queue_task(found.company_id, coalesce(nullif(btrim(run_corporate_app.name), ''), 'Remove ' || found.name),
      jsonb_build_object('task', 'remove_corporate_app', 'app', jsonb_build_object('name', found.name, 'platform', found.platform,
        'package_version', found.package_version, 'detection_rule', found.detection_rule)),
      device_ids, 7200, now() + interval '24 hours', max_running);
  end if;
  if found.source_url is null then
    select f.* into file from public.corporate_app_files f
      where f.company_id = found.company_id and f.corporate_app_id = found.id and f.is_current;
    if file.id is null then
      raise exception 'The app has no package.' using errcode = 'check_violation', hint = 'package_missing';
    end if;
  end if;
  return app.queue_task(found.company_id,
    coalesce(nullif(btrim(run_corporate_app.name), ''), 'Install ' || found.name),
    jsonb_build_object('task', 'corporate_app', 'is_forced', wanted = 'reinstall',
      'app', jsonb_strip_nulls(jsonb_build_object('name', found.name,
      'package_version', found.package_version, 'platform', found.platform, 'source_url', found.source_url, 'file_id', file.id,
      'file_name', file.file_name, 'sha256', coalesce(file.sha256, found.sha256),
      'install_arguments', found.install_arguments, 'detection_rule', found.detection_rule,
      'success_codes', found.success_codes, 'reboot_codes', found.reboot_codes))),
    device_ids, 7200, now() + interval '24 hours', max_running);
end $$;
comment on function public.run_corporate_app(uuid, uuid[], text, integer, text) is
  'Installs a corporate app on devices and returns the job. act: install leaves a device alone that has this version, reinstall does not, '
  'remove has the system remove the package that the detection rule names. check_violation with a hint: package_missing, app_act, app_not_removable.';
grant execute on function public.run_corporate_app(uuid, uuid[], text, integer, text) to authenticated;
