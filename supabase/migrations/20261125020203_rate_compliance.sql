-- Patch compliance: since when each device lacks an update that it should have, and one count over all of them.

alter table public.device_patches add column missing_since timestamptz not null default now();
update public.device_patches t set missing_since = t.created_at where t.missing_since <> t.created_at;
comment on column public.device_patches.missing_since is 'Since when the update is missing; an update that was removed again is missing since then.';

alter table public.device_patches add column superseded boolean not null default false;
update public.device_patches t set superseded = true from public.patches p where p.company_id = t.company_id and p.id = t.patch_id and p.superseded;
comment on column public.device_patches.superseded is 'A copy of patches.superseded, which lists leave out. Kept by app.rate_patches().';

-- Security definer: it reads the update and the device whatever the writer may.
create or replace function app.copy_patch_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select p.title_key, p.severity, p.superseded into new.title_key, new.severity, new.superseded
  from public.patches p where p.company_id = new.company_id and p.id = new.patch_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  select x.approval, x.scope into new.exception, new.exception_scope
  from app.exception_of(new.company_id, new.patch_id, new.device_id) x;
  return new;
end $$;

create function app.note_missing_again() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.missing_since := now();
  return new;
end $$;
comment on function app.note_missing_again() is 'Row trigger: an installed update that is missing again is missing since now.';
revoke execute on function app.note_missing_again() from public;
create trigger device_patches_missing before update on public.device_patches for each row
  when (old.status = 'installed' and new.status <> 'installed') execute function app.note_missing_again();

alter table public.devices add column outdated_since timestamptz;
alter table public.devices add column outdated_severity text check (outdated_severity in ('critical', 'important', 'moderate', 'low', 'unspecified'));
alter table public.devices add column updates_known boolean not null default false;
comment on column public.devices.outdated_since is
  'Since when the device lacks an update that it should have: an approved one, or a security update that nobody denied or deferred. Null while it lacks none. Kept by trigger and by app.rate_patches().';
comment on column public.devices.outdated_severity is 'The highest severity of the updates that the device should have and lacks.';
comment on column public.devices.updates_known is 'Whether the device ever reported its updates.';
create index devices_company_outdated_since_idx on public.devices (company_id, outdated_since, id);
create index devices_outdated_since_idx on public.devices (outdated_since, id);
-- The counts of compliance read these two alone.
create index devices_outdated_idx on public.devices (company_id, outdated_severity, outdated_since) where outdated_since is not null;
create index devices_updates_unknown_idx on public.devices (company_id) where not updates_known;

drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts', 'outdated_since', 'outdated_severity', 'updates_known']);

create function app.should_have(decision text, category text, superseded boolean) returns boolean
  language sql immutable parallel safe set search_path = '' as $$
  select not superseded and (decision = 'approved' or (decision = 'pending' and category in ('security', 'critical')))
$$;
comment on function app.should_have(text, text, boolean) is
  'Whether a device that lacks an update is out of date: the update is approved there, or nobody has decided about a security or critical one.';
revoke execute on function app.should_have(text, text, boolean) from public;

create function app.rate_devices(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all.
  perform 1 from public.devices d where d.id = any (devices) order by d.id for no key update;
  update public.devices d
    set outdated_since = x.since, updates_known = true,
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
      is distinct from (x.since, (array['critical', 'important', 'moderate', 'low', 'unspecified'])[x.rank], true);
end $$;
comment on function app.rate_devices(uuid[]) is 'Brings outdated_since and outdated_severity of devices that have reported updates up to date.';
revoke execute on function app.rate_devices(uuid[]) from public;

-- Security definer: nobody may write what is counted.
create or replace function app.count_missing_updates() returns trigger
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
  -- One order for all.
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

alter function app.record_patches(uuid, uuid, jsonb) rename to match_patches;
create function app.record_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  perform app.match_patches(company, device, report);
  -- A device that lacks nothing has no row that would say so.
  update public.devices d set updates_known = true
    where d.company_id = company and d.id = device and not d.updates_known and jsonb_typeof(report -> 'missing') = 'array';
end $$;
comment on function app.record_patches(uuid, uuid, jsonb) is 'Takes what a device reports about its updates, as app.match_patches() does, and notes that it reports them.';
revoke execute on function app.record_patches(uuid, uuid, jsonb) from public;

-- A decision changes what many devices should have: they are rated by the tick, some at a time.

create table app.patch_changes (
  -- A queue without another key: a check-in that adds to it never waits for the tick that works on it.
  id bigint generated always as identity primary key,
  company_id uuid not null,
  patch_id uuid not null,
  -- The last device that was rated; null at the start.
  after_device uuid,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade
);
comment on table app.patch_changes is 'Updates that devices should have now, or should no longer have: app.rate_patches() goes through their devices.';
create index patch_changes_patch_idx on app.patch_changes (company_id, patch_id);
revoke all on app.patch_changes from public, anon, authenticated;
alter table app.patch_changes enable row level security;

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
revoke execute on function app.note_patch_change() from public;
create trigger patches_rate after update on public.patches for each row
  when ((old.approval, old.category, old.superseded) is distinct from (new.approval, new.category, new.superseded))
  execute function app.note_patch_change();

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
revoke execute on function app.rate_patches(integer) from public;
insert into app.tick_step (position, name, function) values (56, 'compliance', 'rate_patches');

-- What there is.
update public.devices d set updates_known = true where exists (select 1 from public.device_patches t where t.company_id = d.company_id and t.device_id = d.id);
select app.rate_devices(array_agg(d.id)) from public.devices d where d.updates_known;

-- Counts -------------------------------------------------------------------------------------------------------------------

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
revoke execute on function app.compliance(uuid, integer) from public;

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
    -- One answer for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  return app.compliance(scope, days);
end $$;
comment on function public.patch_compliance(uuid, integer) is 'app.compliance() of a company, or of all for callers who see all.';
revoke execute on function public.patch_compliance(uuid, integer) from public, anon;
grant execute on function public.patch_compliance(uuid, integer) to authenticated;

-- Security definer, as before: counts read indexes only, and it checks the permission and the company itself.
create or replace function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- One answer for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;
