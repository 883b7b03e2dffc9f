-- History of a device's load: five-minute averages for two days, hourly averages for 90.

-- A row holds an hour of 12 samples, or a day of 24: one row for each sample would be six times as large.
create table app.device_metrics (
  company_id uuid not null,
  device_id uuid not null,
  step integer not null check (step in (300, 3600)),
  starts_at timestamptz not null,
  cpu smallint[] not null,
  cpu_peak smallint[] not null,
  memory smallint[] not null,
  disk smallint[] not null,
  primary key (company_id, device_id, step, starts_at),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
) with (fillfactor = 80);
comment on table app.device_metrics is
  'Load of devices in percent: an hour of 12 averages over 300 s, or a day (UTC) of 24 averages over 3,600 s, from starts_at; null where '
  'nothing is known. Written by app.take_samples() and app.roll_up_metrics().';
create index device_metrics_step_idx on app.device_metrics (step, starts_at);
revoke all on app.device_metrics from public, anon, authenticated;
alter table app.device_metrics enable row level security;

create function app.merge_samples(known smallint[], fresh smallint[]) returns smallint[]
  language sql immutable set search_path = '' as $$
  select array_agg(coalesce(u.f, u.k) order by u.n) from unnest(known, fresh) with ordinality u(k, f, n)
$$;
comment on function app.merge_samples(smallint[], smallint[]) is 'The fresh samples, and the known ones where there is none.';
revoke execute on function app.merge_samples(smallint[], smallint[]) from public;

create function app.whole_percent(value jsonb) returns smallint
  language sql immutable set search_path = '' as $$
  select round(app.percent(value))::smallint
$$;
comment on function app.whole_percent(jsonb) is 'A percentage as a whole number; null when it is not a percentage.';
revoke execute on function app.whole_percent(jsonb) from public;

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
revoke execute on function app.take_samples(uuid, uuid, jsonb) from public;

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
revoke execute on function app.roll_up_metrics() from public;
insert into app.tick_step (position, name, function) values (99, 'metrics', 'roll_up_metrics');

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
revoke execute on function public.device_history(uuid, integer) from public, anon;
grant execute on function public.device_history(uuid, integer) to authenticated;

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create or replace function public.agent_check_in(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 4194304);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  known record;
  changes_device boolean;
  brings_inventory boolean;
  known_hash text;
  new_hash text := app.short_text(body -> 'inventory_hash', 128);
  metrics jsonb := body -> 'metrics';
  held uuid[] := '{}';
  kept integer := 0;
  has_open boolean;
  seconds integer := app.fleet_interval();
  runs jsonb := '[]';
  stop uuid[] := '{}';
  answer jsonb;
  list_stamp bigint;
  list_hash text;
  known_stamp bigint;
  monitors jsonb;
begin
  if body ? 'running' and jsonb_typeof(body -> 'running') not in ('array', 'null') then
    raise exception 'running must be a list of run ids.' using errcode = 'PT400';
  end if;
  if jsonb_typeof(body -> 'running') = 'array' then
    if jsonb_array_length(body -> 'running') > 64 then
      raise exception 'At most 64 running entries.' using errcode = 'PT413';
    end if;
    select coalesce(array_agg(distinct u.id), '{}') into held
      from jsonb_array_elements_text(body -> 'running') e, lateral (select app.lenient_uuid(e) as id) u
      where u.id is not null;
  end if;

  select d.status, d.machine_id, d.clone_suspected, d.agent_version into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(app.short_text(body -> 'agent_version', 40), known.agent_version)
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if changes_device or brings_inventory then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash into known_hash, known_stamp, list_hash from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(app.short_text(body -> 'agent_version', 40), d.agent_version),
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  if brings_inventory then
    perform app.record_inventory(company, device, body -> 'inventory');
    known_hash := new_hash;
  end if;

  has_open := exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
  );
  if cardinality(held) > 0 then
    -- A lease is renewed in its last four minutes: every check-in of a long run would else rewrite the row.
    with lapsing as (
      select r.id from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held)
        and r.status in ('claimed', 'running') and r.lease_until < now() + interval '4 minutes'
      -- One that is being reported at this moment needs no lease.
      order by r.id for update skip locked
    )
    update public.job_runs r set lease_until = now() + interval '5 minutes' from lapsing where r.id = lapsing.id;
    select count(*) filter (where r.status in ('claimed', 'running')) into kept from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held);
    -- Also what is not this device's, or no longer: a run that was deleted or canceled here must stop there.
    select coalesce(array_agg(h), '{}') into stop from unnest(held) h
      where not exists (
        select 1 from public.job_runs r
        where r.company_id = company and r.device_id = device and r.id = h
          and r.cancel_requested_at is null and r.status in ('claimed', 'running', 'expired')
      );
  end if;
  if has_open then
    runs := app.claim_runs(company, device, held, 4 - kept);
  end if;
  if has_open or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
  ) then
    seconds := 5;
  end if;

  if jsonb_typeof(body -> 'samples') = 'array' then
    if jsonb_array_length(body -> 'samples') > 300 then
      raise exception 'At most 300 samples.' using errcode = 'PT413';
    end if;
    if jsonb_array_length(body -> 'samples') > 0 then
      perform app.take_samples(company, device, body -> 'samples');
    end if;
  end if;

  -- Agents of earlier versions make no checks.
  if body ? 'monitors_hash' then
    -- First what waits for locks, in one order; app.note_checks() waits for none.
    if jsonb_typeof(body -> 'monitor_states') = 'array' then
      if jsonb_array_length(body -> 'monitor_states') > 200 then
        raise exception 'At most 200 monitor states.' using errcode = 'PT413';
      end if;
      perform app.take_monitor_states(company, device, body -> 'monitor_states');
    end if;
    -- Before the list is read: a change in between makes the next check-in read it again.
    select coalesce((select s.stamp from app.monitor_stamps s where s.company_id = company), 0) into list_stamp
      where app.company_runs(company);
    if list_stamp is null then
      monitors := '[]';
    elsif list_stamp is distinct from known_stamp or list_hash is null or list_hash <> coalesce(body ->> 'monitors_hash', '') then
      monitors := app.monitors_of(company, device);
    end if;
    if monitors is not null then
      list_hash := md5(monitors::text);
    end if;
    known_stamp := list_stamp;
  end if;

  update public.device_presence p
    set last_seen_at = now(), online = true, interval_seconds = seconds, updated_at = now(),
      inventory_hash = known_hash, monitors_stamp = known_stamp, monitors_hash = list_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', seconds, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if body ? 'monitors_hash' then
    if list_hash is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', list_hash);
    elsif list_hash <> md5('[]') then
      perform app.note_list(company, device, list_hash);
    end if;
  end if;
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  return answer;
end $$;
comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?, samples?} → '
  '{interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?}. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states(); samples: app.take_samples().';
