-- What was installed, updated and removed on devices. Written by app.apply_inventory() alone, kept 90 days.

create table public.software_changes (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  software_id uuid not null,
  device_id uuid not null,
  change text not null check (change in ('installed', 'updated', 'removed')),
  new_version text check (length(new_version) <= 100),
  previous_version text check (length(previous_version) <= 100),
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.software_changes is 'What a device''s inventory showed to be installed, updated or removed since the one before. The first inventory of a device changes nothing.';
create index software_changes_company_changed_at_idx on public.software_changes (company_id, changed_at, id);
create index software_changes_changed_at_idx on public.software_changes (changed_at, id);
create index software_changes_company_software_id_idx on public.software_changes (company_id, software_id);
create index software_changes_company_device_id_idx on public.software_changes (company_id, device_id);
create index software_changes_company_change_idx on public.software_changes (company_id, change);

select app.keep_tenant('public.software_changes');
select app.keep_announced('public.software_changes');

revoke all on public.software_changes from public, anon, authenticated;
grant select on public.software_changes to authenticated;
grant select, insert, update, delete on public.software_changes to service_role;

alter table public.software_changes enable row level security;
create policy software_changes_select_member on public.software_changes for select to authenticated
  using ((select app.can('software_changes', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

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
  )
  select jsonb_build_object('added', (select count(*) from added), 'changed', (select count(*) from changed),
    'removed', (select count(*) from removed)) into outcome;
  return outcome;
end $$;

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
revoke execute on function app.forget_software_changes() from public;
insert into app.tick_step (position, name, function) values (102, 'software_changes', 'forget_software_changes');

create function public.software_spread(software_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with title as (
    select s.id, s.company_id from public.software s where s.id = software_spread.software_id
  ), installed as (
    select ds.version, ds.device_id from public.device_software ds join title t on t.company_id = ds.company_id and t.id = ds.software_id
  ), lacking as (
    select d.id, d.name, d.name_key, d.status from public.devices d join title t on t.company_id = d.company_id
    where not exists (select 1 from public.device_software ds
      where ds.company_id = d.company_id and ds.software_id = t.id and ds.device_id = d.id)
  )
  select jsonb_build_object(
    'devices', (select count(distinct i.device_id) from installed i),
    'versions', (select coalesce(jsonb_agg(jsonb_build_object('version', v.version, 'devices', v.devices) order by v.devices desc, v.version), '[]')
      from (select i.version, count(*) as devices from installed i group by i.version order by count(*) desc, i.version limit 20) v),
    'version_count', (select count(distinct i.version) from installed i),
    'without', (select count(*) from lacking),
    'without_devices', (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'status', l.status) order by l.name_key, l.id), '[]')
      from (select * from lacking order by name_key, id limit 50) l))
$$;
comment on function public.software_spread(uuid) is
  '{devices, versions: [{version, devices}], version_count, without, without_devices: [{id, name, status}]} of a title: its 20 most '
  'frequent versions, and the first 50 devices of its company that do not have it. Runs as the caller.';
revoke execute on function public.software_spread(uuid) from public, anon;
grant execute on function public.software_spread(uuid) to authenticated;
