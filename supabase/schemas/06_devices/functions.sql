create function app.spread_device_to_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.group_devices m set device_key = new.name_key where m.company_id = new.company_id and m.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_groups() is
  'Row trigger: groups sort a renamed device by its new name. Definer, because nobody may update group_devices.';

create function app.count_group_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same groups never wait for each other crosswise.
  perform 1 from public.groups g where g.id in (select distinct c.group_id from changed c)
    order by g.id for no key update;
  update public.groups g
    set device_count = g.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.group_id, count(*)::integer as devices from changed c group by c.group_id) c
    where g.id = c.group_id;
  return null;
end $$;
comment on function app.count_group_devices() is
  'Keeps groups.device_count, once a statement. Definer, because the column is nobody''s to write.';

create function app.copy_member_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_member_keys() is
  'Row trigger: a group''s device sorts as the device does. Definer, because it reads the device whatever the writer may read.';

-- Security definer: writes the hash, which no client may read.
create function public.create_enrollment_token(
  company_id uuid, name text, group_id uuid default null, expires_at timestamptz default null, max_uses integer default null,
  requires_approval boolean default false
) returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  secret text := 'kt_' || app.new_secret();
  token_id uuid;
begin
  perform app.require('enrollment_tokens', 'create');
  -- The same answer for another's company and for one that does not exist.
  if create_enrollment_token.company_id is null
     or not (create_enrollment_token.company_id = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'not your company', hint = 'role';
  end if;
  if create_enrollment_token.expires_at <= now() then
    raise exception using errcode = '22023', message = 'expires_at lies in the past';
  end if;
  insert into public.enrollment_tokens (company_id, name, group_id, hint, expires_at, max_uses, requires_approval, created_by)
  values (create_enrollment_token.company_id, btrim(create_enrollment_token.name), create_enrollment_token.group_id,
    right(secret, 4), create_enrollment_token.expires_at, create_enrollment_token.max_uses,
    coalesce(create_enrollment_token.requires_approval, false), app.current_user_id())
  returning id into token_id;
  insert into app.enrollment_secrets (token_id, token_hash) values (token_id, app.hash_secret(secret));
  return jsonb_build_object('id', token_id, 'token', secret);
end $$;
comment on function public.create_enrollment_token(uuid, text, uuid, timestamptz, integer, boolean) is
  'Makes an enrollment token and returns {id, token}: the only time the token is shown.';
grant execute on function public.create_enrollment_token(uuid, text, uuid, timestamp with time zone, integer, boolean) to authenticated;

create function public.revoke_enrollment_token(id uuid) returns void
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform app.require('enrollment_tokens', 'delete');
  update public.enrollment_tokens t set revoked_at = coalesce(t.revoked_at, now())
  where t.id = revoke_enrollment_token.id and t.company_id = any (app.visible_company_ids());
  if not found then
    raise exception using errcode = 'PT404', message = 'no such token', hint = 'token_gone';
  end if;
end $$;
comment on function public.revoke_enrollment_token(uuid) is
  'Ends an enrollment token for good; devices that enrolled with it stay. Definer, because tokens are written by functions only.';
grant execute on function public.revoke_enrollment_token(uuid) to authenticated;

create function public.search_devices(q text) returns setof public.devices
  language sql stable rows 500 as $$
  select t.* from public.devices t
  where case when app.search_ids('devices', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_devices(text) is
  'The devices that match every word of q, whatever its case and accents; filter, order and page it like the table.';
grant execute on function public.search_devices(text) to authenticated;

create function public.search_groups(q text) returns setof public.groups
  language sql stable rows 500 as $$
  select t.* from public.groups t
  where case when app.search_ids('groups', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('groups', q)) end
$$;
comment on function public.search_groups(text) is
  'The groups that match every word of q, whatever its case and accents; filter, order and page it like the table.';
grant execute on function public.search_groups(text) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_group_candidates(group_id uuid, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_group_candidates.q) d
  where d.company_id = (select g.company_id from public.groups g where g.id = search_group_candidates.group_id)
    and not exists (
      select 1 from public.group_devices m
      where m.company_id = d.company_id and m.group_id = search_group_candidates.group_id and m.device_id = d.id)
$$;
comment on function public.search_group_candidates(uuid, text) is
  'The devices of the group''s company that match q and are not in the group yet; filter, order and page it like the table.';
grant execute on function public.search_group_candidates(uuid, text) to authenticated;

create function public.add_group_candidates(group_id uuid, q text, max_devices integer default 1000) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  added integer;
begin
  insert into public.group_devices (company_id, group_id, device_id)
  select d.company_id, add_group_candidates.group_id, d.id
  from public.search_group_candidates(add_group_candidates.group_id, add_group_candidates.q) d
  order by d.id limit least(greatest(add_group_candidates.max_devices, 1), 5000)
  on conflict (company_id, group_id, device_id) do nothing;
  get diagnostics added = row_count;
  return added;
end $$;
comment on function public.add_group_candidates(uuid, text, integer) is
  'Adds devices that match q to the group, up to max_devices per call; returns how many. Call it until it returns 0. '
  'Runs as the caller: row-level security and the permission trigger of group_devices decide.';
grant execute on function public.add_group_candidates(uuid, text, integer) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_group_devices(q text) returns setof public.group_devices
  language sql stable rows 500 as $$
  select t.* from public.group_devices t
  where case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_group_devices(text) is
  'The devices in groups that match every word of q; filter by group, order and page it like the table.';
grant execute on function public.search_group_devices(text) to authenticated;

create function app.fleet_interval() returns integer
  language plpgsql set search_path = '' as $$
declare
  fleet record;
begin
  select f.devices, f.counted_at into fleet from app.fleet f;
  if fleet.counted_at < now() - interval '1 minute' then
    -- Whoever comes second while one counts goes by the old figure.
    perform 1 from app.fleet f where f.only_row and f.counted_at < now() - interval '1 minute' for update skip locked;
    if found then
      update app.fleet f set devices = (select count(*) from public.device_presence), counted_at = now()
        where f.only_row returning f.devices into fleet.devices;
    end if;
  end if;
  return least(600, greatest(5, fleet.devices / 300));
end $$;
comment on function app.fleet_interval() is 'Seconds between two check-ins of a device, so that the whole fleet makes about 300 a second at most.';

create function app.company_runs(company uuid) returns boolean
  language sql stable
  begin atomic
    select exists (
      select 1 from public.companies c
      where c.id = company and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    );
  end;
comment on function app.company_runs(uuid) is 'Whether the license of a company holds, seen from a device, where nobody is signed in.';

create function public.device_timeline(
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
    (select r.id, r.queued_at, case when j.by_policy then 'policy' else 'run' end, j.name, r.status, j.actor, r.id, null::text,
       case when j.by_policy then (
         select jsonb_build_object('count', count(*), 'titles', coalesce(jsonb_agg(u.title order by u.title) filter (where u.place <= 2), '[]'))
         from (select x.title, row_number() over (order by x.title) as place
           from public.device_patches dp join public.patches x on x.company_id = dp.company_id and x.id = dp.patch_id
           where dp.company_id = device.company and dp.run_id = r.id) u) end
     from public.job_runs r
     join lateral (
       select k.name, p.name as actor,
         k.kind = 'task' and k.created_by is null and k.script like '%"install_patches"%' and r.automation_run_id is null as by_policy
       from public.jobs k left join public.people p on p.id = k.created_by
       where k.company_id = r.company_id and k.id = r.job_id) j on true
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
    -- The device's own rows, and its tags, which are kept under its id.
    (select c.id, c.at, case c.table_name when 'devices' then 'change' else 'tag' end,
       case when c.table_name <> 'devices' then coalesce(g.name, c.row_name) end, null,
       coalesce(p.name, c.actor_name), g.id, c.action, c.changes
     from public.audit_log c
     left join public.people p on p.id = c.actor_id
     left join public.tags g on c.table_name = 'device_tags' and g.company_id = c.company_id
       and g.id = coalesce(c.changes -> 'tag_id' ->> 1, c.changes -> 'tag_id' ->> 0)::uuid
     where c.row_id = device.id and c.table_name in ('devices', 'device_tags') and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- Links to groups and exceptions for this device, which are kept under the other record's id.
    (select c.id, c.at, case c.table_name when 'group_devices' then 'group' else 'exception' end, coalesce(g.name, c.row_name), null,
       coalesce(p.name, c.actor_name), case when c.table_name = 'group_devices' then g.id when x.id is not null then c.row_id end, c.action, c.changes
     from public.audit_log c
     left join public.people p on p.id = c.actor_id
     left join public.groups g on c.table_name = 'group_devices' and g.company_id = c.company_id and g.id = c.row_id
     left join public.patch_exceptions x on c.table_name = 'patch_exceptions' and x.company_id = c.company_id and x.id = c.row_id
     where c.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- A changed exception: its row has only what changed.
    (select c.id, c.at, 'exception', c.row_name, null, coalesce(p.name, c.actor_name), c.row_id, c.action, c.changes
     from public.patch_exceptions x
     join public.audit_log c on c.row_id = x.id and c.table_name = 'patch_exceptions' and c.action = 'edit' and c.device_id is null
     left join public.people p on p.id = c.actor_id
     where x.company_id = device.company and x.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
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
  'The newest 50 events of a device, or the 50 before an instant (and id, among equal instants), of all kinds or some of run, alert, ticket, '
  'patch, software and change. The kind of a row is also policy (a run that installs updates for a patch policy; changes is {count, titles}), '
  'tag, group or exception; record_id: the record to open; action and changes are those of an audit row; actor is a name. Runs as the '
  'caller: row-level security of each table limits the rows.';
grant execute on function public.device_timeline(uuid, text[], timestamp with time zone, uuid) to authenticated;

create function app.merge_samples(known smallint[], fresh smallint[]) returns smallint[]
  language sql immutable set search_path = '' as $$
  select array_agg(coalesce(u.f, u.k) order by u.n) from unnest(known, fresh) with ordinality u(k, f, n)
$$;
comment on function app.merge_samples(smallint[], smallint[]) is 'The fresh samples, and the known ones where there is none.';

create function app.whole_percent(value jsonb) returns smallint
  language sql immutable set search_path = '' as $$
  select round(app.percent(value))::smallint
$$;
comment on function app.whole_percent(jsonb) is 'A percentage as a whole number; null when it is not a percentage.';

create function app.take_samples(company uuid, device uuid, samples jsonb) returns void
  language sql volatile set search_path = '' as $$
  with sample as (
    select to_timestamp(floor((s ->> 'at')::float8 / 300) * 300) as at, app.whole_percent(s -> 'cpu') as cpu,
      app.whole_percent(s -> 'cpu_peak') as cpu_peak, app.whole_percent(s -> 'memory') as memory, app.whole_percent(s -> 'disk') as disk
    from jsonb_array_elements(samples) s
    where jsonb_typeof(s -> 'at') = 'number'
      -- Before the roll-up; and a device that does not know the time cannot write the future.
      and (s ->> 'at')::numeric between extract(epoch from now()) - 90000 and extract(epoch from now()) + 300
  ), hours as (
    select distinct date_trunc('hour', s.at, 'UTC') as starts_at from sample s
  )
  insert into app.device_metrics as m (company_id, device_id, step, starts_at, cpu, cpu_peak, memory, disk)
  select company, device, 300, h.starts_at, array_agg(s.cpu order by n), array_agg(s.cpu_peak order by n), array_agg(s.memory order by n),
    array_agg(s.disk order by n)
  from hours h cross join generate_series(0, 11) n
    left join lateral (select x.* from sample x where x.at = h.starts_at + n * interval '5 minutes' limit 1) s on true
  group by h.starts_at
  order by h.starts_at
  on conflict (company_id, device_id, step, starts_at) do update
    set cpu = app.merge_samples(m.cpu, excluded.cpu), cpu_peak = app.merge_samples(m.cpu_peak, excluded.cpu_peak),
      memory = app.merge_samples(m.memory, excluded.memory), disk = app.merge_samples(m.disk, excluded.disk)
$$;
comment on function app.take_samples(uuid, uuid, jsonb) is
  'Keeps averages of a device: [{at, cpu, cpu_peak, memory, disk}], at in seconds since 1970, percentages or null. A sample that comes '
  'again replaces the earlier one; what is older than 25 hours or in the future is left out.';

create function app.roll_up_metrics() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  done integer;
begin
  -- Whole days of a device at once, so that a day's row is written once.
  with old as (
    delete from app.device_metrics m where m.ctid = any (array(
      select x.ctid from app.device_metrics x
      where x.step = 300 and x.starts_at < date_trunc('day', now() - interval '48 hours', 'UTC')
      order by x.starts_at limit 10000 for update skip locked))
    returning m.*
  ), hourly as (
    select o.company_id, o.device_id, o.starts_at,
      (select round(avg(v)) from unnest(o.cpu) v)::smallint as cpu, (select max(v) from unnest(o.cpu_peak) v) as cpu_peak,
      (select round(avg(v)) from unnest(o.memory) v)::smallint as memory, (select round(avg(v)) from unnest(o.disk) v)::smallint as disk
    from old o
  ), days as (
    select distinct h.company_id, h.device_id, date_trunc('day', h.starts_at, 'UTC') as starts_at from hourly h
  )
  insert into app.device_metrics as m (company_id, device_id, step, starts_at, cpu, cpu_peak, memory, disk)
  select d.company_id, d.device_id, 3600, d.starts_at, array_agg(h.cpu order by n), array_agg(h.cpu_peak order by n),
    array_agg(h.memory order by n), array_agg(h.disk order by n)
  from days d cross join generate_series(0, 23) n
    left join hourly h on h.company_id = d.company_id and h.device_id = d.device_id and h.starts_at = d.starts_at + n * interval '1 hour'
  group by d.company_id, d.device_id, d.starts_at
  order by d.company_id, d.device_id, d.starts_at
  on conflict (company_id, device_id, step, starts_at) do update
    set cpu = app.merge_samples(m.cpu, excluded.cpu), cpu_peak = app.merge_samples(m.cpu_peak, excluded.cpu_peak),
      memory = app.merge_samples(m.memory, excluded.memory), disk = app.merge_samples(m.disk, excluded.disk);
  get diagnostics done = row_count;
  delete from app.device_metrics m where m.ctid = any (array(
    select x.ctid from app.device_metrics x where x.step = 3600 and x.starts_at < now() - interval '91 days'
    order by x.starts_at limit 5000 for update skip locked));
  return done;
end $$;
comment on function app.roll_up_metrics() is
  'Step of app.tick(): turns five-minute averages of before two days ago into hourly ones, at most 10,000 hours a call, and removes hourly '
  'ones after 90 days.';

create function public.device_history(device_id uuid, hours integer default 24) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: the table is not exposed. The conditions are those of device_presence.
  with device as (
    select d.company_id, d.id from public.devices d
    where d.id = device_history.device_id and app.can('device_presence', 'list') and d.company_id = any (app.visible_company_ids())
  ), span as (
    select now() - make_interval(hours => least(greatest(hours, 1), 2160)) as since, case when hours <= 48 then 300 else 3600 end as step
  ), slots as (
    select m.starts_at + (i - 1) * make_interval(secs => m.step) as at, m.cpu[i] as cpu, m.cpu_peak[i] as cpu_peak, m.memory[i] as memory,
      m.disk[i] as disk
    from device d cross join span s
      join app.device_metrics m on m.company_id = d.company_id and m.device_id = d.id and m.starts_at > s.since - interval '1 day'
      cross join generate_series(1, cardinality(m.cpu)) i
    where m.step = 300 or s.step = 3600
  ), points as (
    select extract(epoch from date_bin(make_interval(secs => s.step), x.at, 'epoch'))::bigint as at, round(avg(x.cpu)) as cpu,
      max(x.cpu_peak) as cpu_peak, round(avg(x.memory)) as memory, round(avg(x.disk)) as disk
    from slots x cross join span s
    where x.at >= s.since and (x.cpu is not null or x.memory is not null or x.disk is not null)
    group by 1
  )
  select jsonb_build_object('step', (select s.step from span s),
    'points', coalesce((select jsonb_agg(jsonb_build_array(p.at, p.cpu, p.cpu_peak, p.memory, p.disk) order by p.at) from points p), '[]'))
$$;
comment on function public.device_history(uuid, integer) is
  'Load of a device over so many hours, at most 90 days: {step, points: [[at, cpu, cpu_peak, memory, disk]]}, at in seconds since 1970, '
  'percentages. Up to 48 hours in steps of 300 s, beyond of 3,600 s; a step without samples is left out.';
grant execute on function public.device_history(uuid, integer) to authenticated;

create function app.maintenance_of(company uuid, device uuid) returns text
  language sql stable set search_path = '' as $$
  select coalesce(
    (select coalesce(nullif(btrim(d.maintenance_note), ''), 'Maintenance') from public.devices d
      where d.company_id = company and d.id = device and d.maintenance_until > now()),
    (select p.name from app.policy_of(company, device, 'maintenance') p cross join lateral app.window_of(p, now()) w where w.starts is not null))
$$;
comment on function app.maintenance_of(uuid, uuid) is
  'What keeps a device from raising alerts now: the note of its own maintenance, or the name of its policy; null without either.';

-- Security definer: people may not write these columns of devices.
create function public.set_maintenance(device_ids uuid[], minutes integer, note text default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('devices', 'edit');
  if minutes is null or minutes not between 0 and 43200 then
    raise exception 'A maintenance takes at most 30 days.' using errcode = 'check_violation', hint = 'maintenance_minutes';
  end if;
  if cardinality(device_ids) > 1000 then
    raise exception 'At most 1,000 devices at once.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  update public.devices d
    set maintenance_until = case when minutes > 0 then now() + make_interval(mins => minutes) end,
      maintenance_note = case when minutes > 0 then left(nullif(btrim(set_maintenance.note), ''), 200) end
    where d.id in (select x.id from public.devices x
      where x.id = any (device_ids) and x.company_id = any (app.visible_company_ids()) order by x.id for no key update);
  get diagnostics changed = row_count;
  if changed < (select count(distinct x) from unnest(device_ids) x) then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  return changed;
end $$;
comment on function public.set_maintenance(uuid[], integer, text) is
  'Keeps devices from raising alerts for so many minutes, or ends that with 0; returns how many. `note` is shown with what is suppressed.';
grant execute on function public.set_maintenance(uuid[], integer, text) to authenticated;

-- Security definer: counted columns are not a client's to write.
create function app.count_open_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n where n.status in ('open', 'acknowledged');
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status in ('open', 'acknowledged');
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id where (n.status in ('open', 'acknowledged')) <> (o.status in ('open', 'acknowledged'));
  end if;
  if touched is null then
    return null;
  end if;
  -- All lock in one order.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set open_alerts = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.alerts x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status in ('open', 'acknowledged')
    group by t.id) c
    where d.id = c.id and d.open_alerts <> c.count;
  return null;
end $$;
comment on function app.count_open_alerts() is 'Statement trigger: keeps devices.open_alerts, how many alerts of a device are not resolved.';

-- Security definer: devices and people change devices, and nobody may write this table.
create function app.note_group_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.group_changes (company_id)
    select distinct c.company_id from changed c
    where exists (select 1 from app.group_rules r where r.company_id = c.company_id)
      and not exists (select 1 from app.group_changes g where g.company_id = c.company_id)
    order by c.company_id
    on conflict do nothing;
  return null;
end $$;
comment on function app.note_group_change() is
  'Statement trigger of devices, their tags and their software: the rules of the company are evaluated at the next tick.';

create function app.refresh_group(company uuid, group_id uuid, filter jsonb) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  execute format($query$
    with wanted as materialized (
      select t.id from public.devices t where t.company_id = %1$L and %3$s
    ), gone as (
      delete from public.group_devices m where m.company_id = %1$L and m.group_id = %2$L and not exists (select 1 from wanted w where w.id = m.device_id)
      returning 1
    ), added as (
      insert into public.group_devices (company_id, group_id, device_id)
      select %1$L, %2$L, w.id from wanted w
      where not exists (select 1 from public.group_devices m where m.company_id = %1$L and m.group_id = %2$L and m.device_id = w.id)
      on conflict do nothing returning 1
    )
    select (select count(*) from gone) + (select count(*) from added)
  $query$, company, group_id, app.filter_condition('devices', filter)) into changed;
  update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = company and r.group_id = refresh_group.group_id;
  return changed;
end $$;
comment on function app.refresh_group(uuid, uuid, jsonb) is 'Makes the devices of a group those that match its rule; returns how many came and went.';

create function app.refresh_groups() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  done integer := 0;
  began timestamptz := clock_timestamp();
  started timestamptz;
  took interval;
begin
  with due as (
    delete from app.group_changes c where c.company_id in (
      select x.company_id from app.group_changes x order by x.company_id limit 100 for update skip locked)
    returning c.company_id
  )
  update app.group_rules r set is_due = true from due where r.company_id = due.company_id and not r.is_due;
  for entry in
    select r.company_id, r.group_id, r.filter from app.group_rules r
    -- A difference that no change of a device tells, such as its load or a related record, is noticed after a quarter of an hour.
    where (r.is_due or r.evaluated_at < now() - interval '15 minutes') and (r.not_before is null or r.not_before <= now())
    order by r.is_due desc, r.evaluated_at nulls first limit 50 for update skip locked
  loop
    -- The embedded database does nothing else in the meantime. The next tick goes on with the rules that waited longest.
    exit when clock_timestamp() - began > interval '1 second';
    started := clock_timestamp();
    begin
      done := done + app.refresh_group(entry.company_id, entry.group_id, entry.filter);
    exception when others then
      -- A field that the rule names is gone: its devices stay as they are.
      insert into app.tick_log (step, error) values ('group_rules', left(entry.group_id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
      update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end;
    took := clock_timestamp() - started;
    -- It was quick when it was saved, and devices or their software have grown since: it may take a hundredth of the time.
    if took > interval '1 second' then
      update app.group_rules r set not_before = now() + took * 100 where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end if;
  end loop;
  return done;
end $$;
comment on function app.refresh_groups() is
  'Step of app.tick(): evaluates the rules of groups after a change of their company''s devices, and every 15 minutes; at most 50 a call, '
  'and no further one after a second. One that took more than a second waits for a hundred times as long. Returns how many devices '
  'came and went.';

-- Security definer: people may write neither rules nor app tables. It checks the permission and the company itself.
create function app.save_group_rule(group_id uuid, rule jsonb, filter jsonb) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  began timestamptz := clock_timestamp();
begin
  perform app.require('groups', 'edit');
  select g.company_id into company from public.groups g
    where g.id = save_group_rule.group_id and g.company_id = any (app.visible_company_ids()) for update;
  if company is null then
    raise exception 'The group was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  perform app.guard_group_devices(company, array[save_group_rule.group_id], rule is not null);
  update public.groups g set rule = save_group_rule.rule, chosen_by = case when save_group_rule.rule is null then 'people' else 'rule' end
    where g.id = save_group_rule.group_id;
  if rule is null then
    delete from app.group_rules r where r.company_id = company and r.group_id = save_group_rule.group_id;
    return 0;
  end if;
  if (select count(*) from app.group_rules r where r.company_id = company and r.group_id <> save_group_rule.group_id) >= 100 then
    raise exception 'A company has at most 100 groups by rule.' using errcode = 'check_violation', hint = 'rules_too_many';
  end if;
  insert into app.group_rules as r (company_id, group_id, filter) values (company, save_group_rule.group_id, save_group_rule.filter)
    on conflict on constraint group_rules_pkey do update set filter = excluded.filter;
  perform app.refresh_group(company, save_group_rule.group_id, filter);
  if clock_timestamp() - began > interval '2 seconds' then
    raise exception 'The rule takes too long.' using errcode = 'check_violation', hint = 'rule_too_slow';
  end if;
  return (select g.device_count from public.groups g where g.id = save_group_rule.group_id);
end $$;
comment on function app.save_group_rule(uuid, jsonb, jsonb) is 'Writes the rule of a group and evaluates it. Called by set_group_rule() alone, which has checked the filter.';
grant execute on function app.save_group_rule(uuid, jsonb, jsonb) to authenticated;

create function app.keep_rule_members() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.guard_group_devices(coalesce(new.company_id, old.company_id), array[coalesce(new.group_id, old.group_id)], tg_op = 'INSERT');
    if exists (
      select 1 from public.groups g where g.company_id = coalesce(new.company_id, old.company_id) and g.id = coalesce(new.group_id, old.group_id) and g.by_rule
    ) then
      raise exception 'The devices of this group follow from its rule.' using errcode = 'check_violation', hint = 'group_by_rule';
    end if;
  end if;
  return coalesce(new, old);
end $$;
comment on function app.keep_rule_members() is
  'Row trigger: nobody adds devices to a group by rule, or removes them; app.guard_group_devices() holds for the others.';

create function public.device_upcoming(device_id uuid) returns table (
  kind text, id uuid, name text, next_run_at timestamptz, target text
)
  language sql stable set search_path = '' rows 50 as $$
  with device as (
    select d.company_id, d.id, d.timezone from public.devices d where d.id = device_upcoming.device_id
  )
  select * from (
    (select 'scheduled_tasks', s.id, s.name, app.device_next(s, d.timezone), case s.target_kind
         when 'devices' then 'device' when 'groups' then 'group' else s.target_kind end
     from device d join public.scheduled_tasks s on s.company_id = d.company_id
     where s.enabled and s.next_run_at is not null and (s.device_id = d.id or s.target_kind = 'all'
       or s.target_kind = 'devices' and s.target -> 'device_ids' @> to_jsonb(d.id)
       or exists (select 1 from public.group_devices g where g.company_id = d.company_id and g.device_id = d.id
         and (g.group_id = s.group_id or s.target_kind = 'groups' and g.group_id = any (app.target_ids(s.target, 'group_ids')))))
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
    union all
    -- Filters are asked about this device alone, one by one; a company has few.
    (select 'scheduled_tasks', f.id, f.name, app.device_next(f.task, d.timezone), 'filter'
     from device d cross join lateral (
       select s.id, s.name, s.next_run_at, s as task from public.scheduled_tasks s
       where s.company_id = d.company_id and s.enabled and s.next_run_at is not null and s.target_kind = 'filter'
       order by s.next_run_at, s.id limit 20) f
     where app.target_has(app.schedule_target(f.task), d.id))
  ) u (kind, id, name, next_run_at, target)
  order by u.next_run_at, u.id limit 50
$$;
comment on function public.device_upcoming(uuid) is
  'The next 50 scheduled tasks and automations that run on a device, of tasks with a filter those that match it now, of the next 20 ones: kind is '
  'the resource, target how the device is meant (device, group, filter, all), next_run_at when this device starts. Conditions of an automation '
  'are checked when it runs. Runs as the caller: row-level security of each table limits the rows.';
grant execute on function public.device_upcoming(uuid) to authenticated;

-- Security definer: whoever changes a group need not see what names it.
create function app.guard_group_devices(company uuid, group_ids uuid[], adds boolean) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.can('policies', 'edit') and exists (
    select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
    where g.company_id = company and g.group_id = any (group_ids) and p.kind = 'permission'
  ) then
    raise exception 'A permission policy is for this group: only who may edit policies changes its devices.'
      using errcode = 'check_violation', hint = 'group_of_policy';
  end if;
  if adds and not app.can('automations', 'run') and exists (
    select 1 from public.automation_groups g join public.automations a on a.company_id = g.company_id and a.id = g.automation_id
    where g.company_id = company and g.group_id = any (group_ids) and a.trigger = 'enters_group' and a.enabled
  ) then
    raise exception 'An automation runs on devices that join this group: only who may run automations adds some.'
      using errcode = 'check_violation', hint = 'group_of_automation';
  end if;
  if not app.can('procedures', 'run') and (exists (
    select 1 from public.scheduled_tasks s where s.company_id = company and (
      s.group_id = any (group_ids) and s.target_kind = 'group'
      or s.target_kind = 'groups' and app.target_ids(s.target, 'group_ids') && group_ids
      -- A filter may ask for groups: by which, the database cannot tell.
      or s.target_kind = 'filter' and s.target::text like '%group_devices%')
  ) or exists (
    select 1 from public.monitor_groups g join public.monitors m on m.company_id = g.company_id and m.id = g.monitor_id
    where g.company_id = company and g.group_id = any (group_ids) and (m.procedure_id is not null or m.restart)
  )) then
    raise exception 'A script runs on the devices of this group: only who may run scripts changes them.'
      using errcode = 'check_violation', hint = 'group_of_script';
  end if;
end $$;
comment on function app.guard_group_devices(uuid, uuid[], boolean) is
  'Refuses (23514) to change the devices of a group that a permission policy names, to callers who may not edit policies; to add devices '
  'where that starts an automation, to callers who may not run automations; and to change those of a group that a schedule or a monitor '
  'with a script names, to callers who may not run scripts: they would decide what is run.';
grant execute on function app.guard_group_devices(uuid, uuid[], boolean) to authenticated;

-- Definer, because a permission of its own is asked beside that of the row.
create function app.guard_monitor() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_server_work() and (new.procedure_id is not null or new.restart) then
    perform app.require('procedures', 'run');
  end if;
  return new;
end $$;
comment on function app.guard_monitor() is
  'Row trigger: a monitor that runs a script or restarts a service is for who may run scripts.';

-- Definer, because whoever deletes a group need not see what names it.
create function app.keep_last_group() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Not where the company goes.
  if pg_trigger_depth() > 1 then
    return old;
  end if;
  if exists (
    select 1 from public.policy_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.policy_groups o where o.company_id = g.company_id and o.policy_id = g.policy_id and o.group_id <> old.id)
    union all
    select 1 from public.monitor_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.monitor_groups o where o.company_id = g.company_id and o.monitor_id = g.monitor_id and o.group_id <> old.id)
    union all
    select 1 from public.automation_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.automation_groups o
        where o.company_id = g.company_id and o.automation_id = g.automation_id and o.group_id <> old.id)
      and not exists (select 1 from public.automation_devices d where d.company_id = g.company_id and d.automation_id = g.automation_id)
  ) then
    raise exception 'It is the only group of a policy, a monitor or an automation.' using errcode = 'check_violation', hint = 'group_in_use';
  end if;
  -- The foreign key would delete the task with it.
  if exists (
    select 1 from public.scheduled_tasks s where s.company_id = old.company_id and s.group_id = old.id
    union all
    select 1 from public.scheduled_tasks s where s.company_id = old.company_id and s.target_kind = 'groups'
      and old.id = any (app.target_ids(s.target, 'group_ids'))
      and not exists (select 1 from public.groups o where o.company_id = s.company_id and o.id <> old.id
        and o.id = any (app.target_ids(s.target, 'group_ids')))
  ) then
    raise exception 'A scheduled task runs on this group.' using errcode = 'check_violation', hint = 'group_of_schedule';
  end if;
  return old;
end $$;
comment on function app.keep_last_group() is
  'Row trigger: a group is not deleted while a policy, monitor or automation names no other, which would then be for all devices, or a '
  'scheduled task runs on it alone, which would be deleted with it.';

-- Definer, because whoever deletes a device need not be one who may edit automations.
create function app.stop_without_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- The device was deleted, not the link.
  if not exists (select 1 from public.devices d where d.company_id = old.company_id and d.id = old.device_id) then
    update public.automations a set enabled = false
      where a.company_id = old.company_id and a.id = old.automation_id and a.enabled
        and not exists (select 1 from public.automation_devices d where d.company_id = a.company_id and d.automation_id = a.id)
        and not exists (select 1 from public.automation_groups g where g.company_id = a.company_id and g.automation_id = a.id);
  end if;
  return null;
end $$;
comment on function app.stop_without_devices() is
  'Row trigger: an automation whose last device was deleted is disabled; without devices and groups it would be for all.';

-- Security definer: the column is nobody's to write.
create function app.count_tag_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same tags never wait for each other crosswise.
  perform 1 from public.tags t where t.id in (select distinct c.tag_id from changed c)
    order by t.id for no key update;
  update public.tags t
    set device_count = t.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.company_id, c.tag_id, count(*)::integer as devices from changed c group by c.company_id, c.tag_id) c
    where t.company_id = c.company_id and t.id = c.tag_id;
  return null;
end $$;
comment on function app.count_tag_devices() is 'Statement trigger of device_tags: keeps tags.device_count.';

-- Security definer: which policy applies to a device is granted to nobody; checks the permission and the company itself.
create function public.device_windows(device_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  device public.devices%rowtype;
  policy public.policies%rowtype;
  installs timestamptz;
  restarts timestamptz;
  updates integer;
begin
  perform app.require('policies', 'list');
  select d.* into device from public.devices d
    where d.id = device_windows.device_id and d.company_id = any (app.visible_company_ids()) and app.can('devices', 'list');
  select p.* into policy from app.policy_of(device.company_id, device.id, 'patch') p;
  if policy.id is null then
    return '[]';
  end if;
  installs := app.next_span(policy.window_weekdays, policy.window_from, policy.window_to, policy.timezone, now());
  restarts := case policy.reboot
    when 'in_window' then app.next_span(policy.reboot_weekdays, policy.reboot_from, policy.reboot_to, policy.timezone, now())
    when 'never' then null else installs end;
  -- The policy's updates are counted as app.enforce_policy() installs them.
  select count(*) into updates from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = device.company_id and t.device_id = device.id and t.status in ('missing', 'failed')
      and (t.exception = 'approved' or (t.exception is null and p.approval = 'approved' and not app.is_held(policy, t.patch_id)));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('kind', w.kind, 'policy_id', policy.id, 'name', policy.name, 'starts_at', w.starts_at,
      'updates', w.updates) order by w.starts_at, w.kind), '[]')
    from (values ('install', installs, updates), ('restart', restarts, null)) w (kind, starts_at, updates)
    where w.starts_at is not null and (w.kind = 'install' or device.reboot_required or policy.reboot = 'in_window'));
end $$;
comment on function public.device_windows(uuid) is
  'When the patch policy of a device installs (kind install, with how many approved updates are due now) and restarts (kind restart) next: '
  '[{kind, policy_id, name, starts_at, updates}]. '
  'A window that is open began at starts_at. Needs policies list, and the device in a visible company.';
grant execute on function public.device_windows(uuid) to authenticated;

create function app.device_reason(value jsonb) returns text
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'string' and value #>> '{}' in
  ('interrupted', 'hash_mismatch', 'no_interpreter', 'start_failed', 'already_installed') then value #>> '{}' end;
comment on function app.device_reason(jsonb) is
  'Why a run ended, of the reasons that an agent gives (agent/protocol.ts); null for any other text. The server alone gives the rest.';

create function app.check_device_owner() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.owner_id is not distinct from old.owner_id then
    return new;
  end if;
  -- A stranger and nobody get the same answer: the one that a missing record gives.
  if not exists (select 1 from public.user_roles r where r.user_id = new.owner_id and r.company_id = new.company_id) then
    raise exception using errcode = '23503', constraint = 'devices_owner_id_fkey', table = 'devices', schema = 'public',
      message = 'insert or update on table "devices" violates foreign key constraint "devices_owner_id_fkey"',
      detail = format('Key (owner_id)=(%s) is not present in table "profiles".', new.owner_id);
  end if;
  return new;
end $$;
comment on function app.check_device_owner() is
  'Row trigger: whoever uses a device belongs to its company. Definer, because the writer may not read people.';
