-- An inventory that the database refuses ------------------------------------------------------------------------------
-- It stops neither check-ins nor jobs; the device says why. Two machines with one identity are told apart by their agents' ids.

alter table public.devices
  add column inventory_refused text check (length(inventory_refused) <= 300),
  add column inventory_refused_at timestamptz;
comment on column public.devices.inventory_refused is
  'Why the database did not take the latest inventory of the device; null when it did. What is stored is from an earlier one.';

drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'gpu', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts', 'outdated_since', 'outdated_severity', 'updates_known', 'updates_cut', 'timezone', 'inventory_refused', 'inventory_refused_at']);

alter table public.device_presence
  add column agent_instances text[] not null default '{}',
  add column instance_returns smallint not null default 0;
comment on column public.device_presence.agent_instances is
  'The ids of the latest processes of the agent, the one that checked in last first.';
comment on column public.device_presence.instance_returns is
  'How often in a row an earlier id came back: a process that ended never does, so that twice means that the device is two machines.';

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
  reported text := app.short_text(body -> 'agent_version', 40);
  update_state text;
  update_version text;
  update_reason text;
  target text;
  target_asked boolean;
  refusal text;
  is_refused boolean := false;
  sender text := app.short_text(body -> 'instance', 40);
  senders text[];
  returns integer;
  has_terminal boolean := app.has_terminal(device);
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

  if body -> 'update' ->> 'state' in ('updating', 'failed') then
    update_state := body -> 'update' ->> 'state';
    update_version := app.short_text(body -> 'update' -> 'version', 40);
    update_reason := case when update_state <> 'failed' then null
      when body -> 'update' ->> 'reason' in ('no_check_in', 'ended', 'interrupted', 'signature', 'older', 'not_writable')
        then body -> 'update' ->> 'reason'
      else 'other' end;
  end if;
  select d.status, d.machine_id, d.clone_suspected, d.agent_version, d.agent_update_state, d.agent_update_version, d.agent_update_reason,
    d.inventory_refused, d.inventory_refused_at
    into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(reported, known.agent_version)
    or known.agent_update_state is distinct from update_state or known.agent_update_version is distinct from update_version
    or known.agent_update_reason is distinct from update_reason
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if body ? 'inventory_refused' then
    is_refused := true;
    refusal := coalesce(app.short_text(body -> 'inventory_refused', 300), 'The inventory was refused.');
  end if;
  if changes_device or brings_inventory or is_refused then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds), p.agent_target, p.agent_target_asked,
      p.agent_instances, p.instance_returns
    into known_hash, known_stamp, list_hash, seconds, target, target_asked, senders, returns from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(reported, d.agent_version),
        agent_update_state = update_state, agent_update_version = update_version, agent_update_reason = update_reason,
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  -- A new process of the agent has a new id. An earlier id that comes back, twice, is that of a second machine that is awake.
  if sender is not null and sender is distinct from senders[1] then
    returns := case when sender = any (senders) then least(returns + 1, 2) else 0 end;
    senders := (array_prepend(sender, array_remove(senders, sender)))[1:8];
    if returns = 2 and not known.clone_suspected then
      update public.devices d set clone_suspected = true where d.company_id = company and d.id = device and not d.clone_suspected;
    end if;
  end if;
  if brings_inventory then
    begin
      perform app.record_inventory(company, device, body -> 'inventory');
    exception when others then
      -- A busy database is asked again; what it refuses must not keep the device from its jobs.
      if sqlstate ~ '^(08|40|53|55|57|58|XX)' then
        raise;
      end if;
      is_refused := true;
      refusal := left(sqlerrm, 300);
    end;
  end if;
  if is_refused then
    update public.devices d set inventory_refused = refusal, inventory_refused_at = now()
      where d.company_id = company and d.id = device;
    known_hash := new_hash;
  elsif brings_inventory then
    if known.inventory_refused is not null then
      update public.devices d set inventory_refused = null, inventory_refused_at = null where d.company_id = company and d.id = device;
    end if;
    known_hash := new_hash;
  elsif known.inventory_refused_at < now() - interval '1 day' then
    -- What the database refused yesterday, a newer one may take.
    known_hash := null;
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
  if has_terminal and runs <> '[]' then
    select jsonb_agg(e.run || jsonb_strip_nulls(jsonb_build_object('terminal', s.session)) order by e.position) into runs
      from jsonb_array_elements(runs) with ordinality e (run, position)
        join public.job_runs r on r.company_id = company and r.id = (e.run ->> 'run_id')::uuid
        left join app.terminal_jobs s on s.job_id = r.job_id;
  end if;
  -- A run that waits for its turn, its time or an approval is asked about at the usual interval: thousands may wait for hours.
  if has_open and exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
      and (r.status <> 'queued' or not (r.is_capped or r.waits_for is not null or r.start_after > now()))
  ) or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
      and not r.is_capped and r.start_after is null and r.waits_for is null
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
      inventory_hash = known_hash, agent_instances = senders, instance_returns = returns, monitors_stamp = known_stamp, monitors_hash = list_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', case when has_terminal then 1 else seconds end, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if body ? 'monitors_hash' then
    if list_hash is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', list_hash);
    elsif list_hash <> md5('[]') then
      perform app.note_list(company, device, list_hash);
    end if;
  end if;
  if has_terminal then
    answer := answer || '{"terminal": true}';
  end if;
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  -- Most devices run their target, or failed to: nothing more is read for them. A version without a hash of its content is that of
  -- an agent that cannot update itself.
  if target <> reported and strpos(reported, '+') > 0 and (update_state is distinct from 'failed' or update_version is distinct from target) then
    target := app.agent_offer(company, target, target_asked);
    if target is not null then
      answer := answer || jsonb_build_object('update', target);
    end if;
  end if;
  return answer;
end $$;
comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, inventory_refused?, instance?, running, agent_version, '
  'monitors_hash?, monitor_states?, samples?, update?} → {interval, send_inventory?, runs, cancel, time, terminal?, monitors?, '
  'monitors_hash?, update?}. terminal: somebody waits for what the device answers.';
