-- A check-in compares one value to learn whether the device's monitors changed ---------------------------------------------------
-- Before, it read all monitors of the company, which made a check-in a third more expensive with 50 of them.

create table app.monitor_stamps (
  company_id uuid primary key references public.companies (id) on delete cascade,
  stamp bigint not null default 1
);
comment on table app.monitor_stamps is
  'A number for each company that rises with every change of its monitors or of their groups. Written by triggers.';
revoke all on app.monitor_stamps from public, anon, authenticated;
alter table app.monitor_stamps enable row level security;

create table app.monitor_lists (
  company_id uuid not null references public.companies (id) on delete cascade,
  hash text not null,
  noted_at timestamptz not null default '-infinity',
  primary key (company_id, hash)
);
comment on table app.monitor_lists is
  'The different lists of monitors that devices of a company have, by hash, and when monitors.last_check_at was last written for each. '
  'Rows that no device uses any more are removed by app.forget_monitor_lists().';
revoke all on app.monitor_lists from public, anon, authenticated;
alter table app.monitor_lists enable row level security;

-- The row is rewritten by every check-in anyway.
alter table public.device_presence
  add column monitors_stamp bigint,
  add column monitors_hash text check (length(monitors_hash) <= 64);
comment on column public.device_presence.monitors_hash is
  'Hash of the device''s monitors as of monitors_stamp (app.monitor_stamps); null makes the next check-in compute it.';

-- Security definer: people change monitors, and nobody may write stamps.
create function app.stamp_monitors() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  -- Columns that a device never gets.
  ignored constant text[] := array['is_active', 'last_check_at', 'name', 'description', 'severity', 'threshold', 'auto_resolve', 'open_ticket',
    'procedure_id', 'name_key', 'search', 'version', 'updated_at'];
  companies uuid[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(distinct n.company_id order by n.company_id) into companies
      from new_rows n join old_rows o on o.id = n.id where to_jsonb(n) - ignored is distinct from to_jsonb(o) - ignored;
  elsif tg_op = 'INSERT' then
    select array_agg(distinct n.company_id order by n.company_id) into companies from new_rows n;
  else
    select array_agg(distinct o.company_id order by o.company_id) into companies from old_rows o;
  end if;
  if companies is not null then
    insert into app.monitor_stamps as s (company_id) select c.id from public.companies c where c.id = any (companies) order by c.id
      on conflict (company_id) do update set stamp = s.stamp + 1;
  end if;
  return null;
end $$;
comment on function app.stamp_monitors() is
  'Statement trigger of monitors and monitor_groups: devices of these companies compute their list at the next check-in.';
revoke execute on function app.stamp_monitors() from public;

create trigger monitors_stamp_insert after insert on public.monitors
  referencing new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitors_stamp_update after update on public.monitors
  referencing old table as old_rows new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitors_stamp_delete after delete on public.monitors
  referencing old table as old_rows for each statement execute function app.stamp_monitors();
create trigger monitor_groups_stamp_insert after insert on public.monitor_groups
  referencing new table as new_rows for each statement execute function app.stamp_monitors();
create trigger monitor_groups_stamp_delete after delete on public.monitor_groups
  referencing old table as old_rows for each statement execute function app.stamp_monitors();

create function app.recompute_monitors(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all, so that two statements over the same devices never wait for each other crosswise.
  perform 1 from public.device_presence p join public.devices d on d.company_id = p.company_id and d.id = p.device_id
    where d.id = any (devices) and p.monitors_hash is not null order by p.device_id for no key update of p;
  update public.device_presence p set monitors_hash = null
    from public.devices d
    where d.id = any (devices) and p.company_id = d.company_id and p.device_id = d.id and p.monitors_hash is not null;
end $$;
comment on function app.recompute_monitors(uuid[]) is 'Makes devices compute their list of monitors at the next check-in.';
revoke execute on function app.recompute_monitors(uuid[]) from public;

-- Security definer: nobody may write presence.
create function app.regroup_monitors() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  devices uuid[];
begin
  -- A stamp for the company would make all of its devices compute their list, and enrollments wait for each other.
  select array_agg(distinct c.device_id) into devices from changed c
    where exists (select 1 from public.monitor_groups g where g.company_id = c.company_id and g.group_id = c.group_id);
  if devices is not null then
    perform app.recompute_monitors(devices);
  end if;
  return null;
end $$;
comment on function app.regroup_monitors() is
  'Statement trigger of group_devices: a device that enters or leaves a group with monitors computes its list at the next check-in.';
revoke execute on function app.regroup_monitors() from public;

create trigger group_devices_monitors_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.regroup_monitors();
create trigger group_devices_monitors_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.regroup_monitors();

create function app.note_list(company uuid, device uuid, list_hash text) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One lookup for a check-in; the monitors are read once a minute for each list.
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at >= now() - interval '1 minute';
  if found then
    return;
  end if;
  insert into app.monitor_lists (company_id, hash) values (company, list_hash) on conflict do nothing;
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at < now() - interval '1 minute' for update skip locked;
  if not found then
    return;
  end if;
  update app.monitor_lists l set noted_at = now() where l.company_id = company and l.hash = list_hash;
  perform app.note_checks(company, array(
    select (m ->> 'id')::uuid from jsonb_array_elements(app.monitors_of(company, device)) m));
end $$;
comment on function app.note_list(uuid, uuid, text) is
  'Notes that devices check the monitors of a list, at most once a minute for all devices that have it.';
revoke execute on function app.note_list(uuid, uuid, text) from public;

create function app.forget_monitor_lists() returns integer
  language plpgsql set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.monitor_lists l where (l.company_id, l.hash) in (
    select x.company_id, x.hash from app.monitor_lists x where x.noted_at < now() - interval '1 day' limit 1000 for update skip locked);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_monitor_lists() is
  'Step of app.tick(): removes lists of monitors that no device has reported for a day, at most 1,000 a call.';
revoke execute on function app.forget_monitor_lists() from public;
insert into app.tick_step (position, name, function) values (98, 'monitor_lists', 'forget_monitor_lists');

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
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?} → '
  '{interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?}. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states().';
