-- The load of demo devices: thirty days by the hour, the last day by five minutes.

create or replace function app.demo_load(seed integer, epoch bigint, kind integer) returns smallint
  language sql immutable
  -- 0 CPU, 1 its peak, 2 memory, 3 disk: busy by day, quiet at night and at weekends. 1970 began with a Thursday.
  return (case kind
    when 3 then 35 + seed % 50 + epoch / 86400 % 30 / 6
    when 2 then 30 + seed % 40 + (epoch / 300 % 1000 * (epoch / 300 % 1000 + seed) * 31) % 5
      + case when (epoch / 86400 + 3) % 7 > 4 then 0 else 9 - abs(epoch % 86400 - 39600) / 4800 end
    else 4 + seed % 9 + (epoch / 300 % 1000 * (epoch / 300 % 1000 + seed) * 7919) % 17 + 14 * kind
      + case when (epoch / 86400 + 3) % 7 > 4 then 0 else greatest(0, 26 - abs(epoch % 86400 - 39600) / 800) end
  end)::smallint;
comment on function app.demo_load(integer, bigint, integer) is 'Demo data only: the load of a device, by a number of its own, at so many seconds since 1970.';

-- Devices of the same kind that were last seen at the same time share their figures, which are computed once.
with demo_device as materialized (
  select d.company_id, d.id, abs(hashtext(d.machine_id)) % 12 * 83 as seed,
    extract(epoch from coalesce(d.offline_since, now()))::bigint as until
  from public.devices d where d.machine_id like 'demo-%'
), sample as materialized (
  select 3600 as step, day as starts_at, extract(epoch from day)::bigint + n * 3600 as at
  from generate_series(date_trunc('day', now() - interval '30 days', 'UTC'), date_trunc('day', now() - interval '1 day', 'UTC'), interval '1 day') day,
    generate_series(0, 23) n
  union all
  select 300, hour, extract(epoch from hour)::bigint + n * 300
  from generate_series(date_trunc('hour', now() - interval '25 hours', 'UTC'), date_trunc('hour', now(), 'UTC'), interval '1 hour') hour,
    generate_series(0, 11) n
), load as materialized (
  select k.seed, k.until, s.step, s.starts_at,
    array_agg(case when s.at < k.until then app.demo_load(k.seed, s.at, 0) end order by s.at) as cpu,
    array_agg(case when s.at < k.until then app.demo_load(k.seed, s.at, 1) end order by s.at) as cpu_peak,
    array_agg(case when s.at < k.until then app.demo_load(k.seed, s.at, 2) end order by s.at) as memory,
    array_agg(case when s.at < k.until then app.demo_load(k.seed, s.at, 3) end order by s.at) as disk
  from (select distinct d.seed, d.until from demo_device d) k
  join sample s on extract(epoch from s.starts_at) < k.until
  group by k.seed, k.until, s.step, s.starts_at
)
insert into app.device_metrics (company_id, device_id, step, starts_at, cpu, cpu_peak, memory, disk)
select d.company_id, d.id, l.step, l.starts_at, l.cpu, l.cpu_peak, l.memory, l.disk
from demo_device d join load l on l.seed = d.seed and l.until = d.until
on conflict do nothing;

create or replace function app.demo_metrics() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  slot bigint := extract(epoch from now())::bigint / 300 * 300 - 300;
  done integer;
begin
  select count(app.take_samples(d.company_id, d.id, jsonb_build_array(jsonb_build_object('at', slot,
      'cpu', app.demo_load(abs(hashtext(d.machine_id)) % 12 * 83, slot, 0), 'cpu_peak', app.demo_load(abs(hashtext(d.machine_id)) % 12 * 83, slot, 1), 'memory', app.demo_load(abs(hashtext(d.machine_id)) % 12 * 83, slot, 2),
      'disk', app.demo_load(abs(hashtext(d.machine_id)) % 12 * 83, slot, 3))))) into done
  from public.devices d
  where d.machine_id like 'demo-%' and d.status = 'online' and extract(minute from now())::integer % 5 = 0
    and not exists (select 1 from app.device_secrets s where s.device_id = d.id);
  return done;
end $$;
comment on function app.demo_metrics() is 'Demo data only: every five minutes, the load of the demo devices that are online.';
insert into app.tick_step (position, name, function) values (91, 'demo_metrics', 'demo_metrics') on conflict do nothing;
