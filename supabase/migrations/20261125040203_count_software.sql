-- Figures of software titles --------------------------------------------------------------------------------------------
-- A check-in that changes the software of a device adds rows to app.software_deltas, which no one waits for; app.tick() folds them into
-- the title. So the cost follows the changes, never the size of a table, and check-ins do not wait for each other's titles.

alter table public.software
  add column devices integer not null default 0 check (devices >= 0),
  add column versions integer not null default 0 check (versions >= 0),
  add column newest_version text,
  add column outdated integer not null default 0 check (outdated >= 0),
  add column recent_changes integer not null default 0 check (recent_changes >= 0),
  add column gone_at timestamptz;
comment on column public.software.devices is 'Devices that have it. This and the following columns are kept by app.fold_software().';
comment on column public.software.versions is 'Different versions on the devices.';
comment on column public.software.newest_version is 'The newest version on any device of the company.';
comment on column public.software.outdated is 'Installations of an older version than newest_version.';
comment on column public.software.recent_changes is 'Rows of software_changes of the last 30 days.';
comment on column public.software.gone_at is 'When the last device that had it lost it; null while a device has it.';

create index software_company_devices_idx on public.software (company_id, devices, id);
create index software_devices_idx on public.software (devices, id);
create index software_company_versions_idx on public.software (company_id, versions, id);
create index software_versions_idx on public.software (versions, id);
create index software_company_outdated_idx on public.software (company_id, outdated, id);
create index software_outdated_idx on public.software (outdated, id);
create index software_company_recent_changes_idx on public.software (company_id, recent_changes, id);
create index software_recent_changes_idx on public.software (recent_changes, id);
create index software_company_gone_idx on public.software (company_id, gone_at, id);
create index software_gone_idx on public.software (gone_at, id);

create table app.software_versions (
  company_id uuid not null,
  software_id uuid not null,
  version text not null,
  version_key text generated always as (app.sort_key(version)) stored,
  installations integer not null,
  primary key (company_id, software_id, version),
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table app.software_versions is 'How many installations of a title have which version. Kept by app.fold_software().';
revoke all on app.software_versions from public, anon, authenticated;
alter table app.software_versions enable row level security;

create table app.software_deltas (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  software_id uuid not null,
  kind text not null check (kind in ('device', 'version', 'change')),
  version text,
  amount integer not null
);
comment on table app.software_deltas is
  'What is to be added to the figures of a title: devices, installations of a version, or recent changes. Only ever added to; app.tick() takes the rows.';
revoke all on app.software_deltas from public, anon, authenticated;
alter table app.software_deltas enable row level security;

create table app.software_change_count (
  only_row boolean primary key default true check (only_row),
  -- Changes up to here no longer count as recent.
  counted_until timestamptz not null default now() - interval '30 days'
);
comment on table app.software_change_count is 'Up to when the changes of software were taken out of software.recent_changes.';
revoke all on app.software_change_count from public, anon, authenticated;
alter table app.software_change_count enable row level security;
insert into app.software_change_count (only_row) values (true);

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
revoke execute on function app.version_figures(uuid, uuid) from public;
comment on function app.fold_software() is
  'Step of app.tick(): adds the rows of app.software_deltas, 50,000 a call, to the figures of software titles, and takes out changes that '
  'are 30 days old. Returns how many titles it wrote.';
revoke execute on function app.fold_software() from public;
insert into app.tick_step (position, name, function) values (72, 'software', 'fold_software');

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
revoke execute on function app.uncount_device_software() from public;
create trigger devices_uncount_software before delete on public.devices
  for each row execute function app.uncount_device_software();

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
revoke execute on function app.recount_software() from public;
select app.recount_software();

-- Security definer, as before: no client may write inventory.
create or replace function app.apply_inventory(device_id uuid, company_id uuid, software jsonb) returns jsonb
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
  -- One check-in of a device at a time, and only under its own company.
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
    -- One row a title: several versions of it may come and go at once.
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
