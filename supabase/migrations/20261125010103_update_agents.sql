-- Agents update themselves: which version a device is to run, by policy or on demand, and how its update went ---------------------
-- The server publishes the version that it serves (supabase/embedded/agent-release.ts). What decides whether a device installs a
-- bundle is the signature of the server's key, which the device pinned; this decides only when it is asked to.

create table app.agent_releases (
  version text primary key check (length(version) between 1 and 40),
  published_at timestamptz not null
);
comment on table app.agent_releases is 'The versions of the agent that servers have published. The one with the latest published_at is current.';
create index agent_releases_published_idx on app.agent_releases (published_at desc);
revoke all on app.agent_releases from public, anon, authenticated;
alter table app.agent_releases enable row level security;

create function app.current_agent() returns app.agent_releases
  language sql stable set search_path = '' as $$
  select r from app.agent_releases r order by r.published_at desc limit 1
$$;
comment on function app.current_agent() is 'The version of the agent that the server serves; null before it has published one.';
revoke execute on function app.current_agent() from public;

-- Devices --------------------------------------------------------------------------------------------------------------------------

alter table public.devices
  add column agent_update_state text check (agent_update_state in ('updating', 'failed')),
  add column agent_update_version text check (length(agent_update_version) <= 40),
  add column agent_update_reason text
    check (agent_update_reason in ('no_check_in', 'ended', 'interrupted', 'signature', 'older', 'not_writable', 'other'));
comment on column public.devices.agent_update_state is
  'What the device says of its own update: updating, failed (refused, or put back, and not tried again), or null. Written by agent_check_in().';
comment on column public.devices.agent_update_version is 'The version that agent_update_state is about.';
create index devices_company_agent_update_idx on public.devices (company_id, agent_update_state, agent_update_version)
  where agent_update_state is not null;
create index devices_agent_update_idx on public.devices (agent_update_state, id) where agent_update_state is not null;

-- The row that a check-in reads anyway.
alter table public.device_presence
  add column agent_update_days integer,
  add column agent_target text,
  add column agent_target_asked boolean not null default false;
comment on column public.device_presence.agent_update_days is
  'By the agent policy that applies to the device: days after its publication until it gets a new version; null for never. Written by app.apply_policies().';
comment on column public.device_presence.agent_target is 'The version of the agent that the device is to run; null for whatever it has.';
comment on column public.device_presence.agent_target_asked is 'Somebody asked for it: no failure elsewhere holds it back.';
create index device_presence_agent_idx on public.device_presence (company_id, agent_update_days, agent_target) where agent_update_days is not null;

-- Policies -------------------------------------------------------------------------------------------------------------------------

alter table public.policies add column agent_updates text default 'off' check (agent_updates in ('off', 'automatic'));
alter table public.policies add column agent_update_days integer default 0 check (agent_update_days between 0 and 90);
alter table public.policies add constraint policies_agent_updates_check02 check (not (kind = 'agent') or agent_updates is not null);
alter table public.policies add constraint policies_agent_update_days_check02 check (not (kind = 'agent' and agent_updates = 'automatic') or agent_update_days is not null);
grant insert (agent_updates, agent_update_days), update (agent_updates, agent_update_days) on public.policies to authenticated;

create or replace function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.window_weekdays, p.window_from, p.window_to,
      p.timezone, p.reboot, p.check_in_seconds, p.agent_updates, p.agent_update_days, p.denied, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;

-- Roll-out -------------------------------------------------------------------------------------------------------------------------

create table app.agent_rollouts (
  company_id uuid primary key references public.companies (id) on delete cascade,
  due_at timestamptz not null
);
comment on table app.agent_rollouts is
  'Companies with devices that are to get the current version of the agent by policy, and when the next of them are; app.roll_out_agents() works it off.';
create index agent_rollouts_due_idx on app.agent_rollouts (due_at);
revoke all on app.agent_rollouts from public, anon, authenticated;
alter table app.agent_rollouts enable row level security;

create function app.publish_agent(release text) returns timestamptz
  language plpgsql volatile set search_path = '' as $$
declare
  published timestamptz;
begin
  -- Two servers that start at once.
  perform pg_advisory_xact_lock(hashtextextended('app.publish_agent', 0));
  select r.published_at into published from app.agent_releases r
    where r.version = release and r.published_at = (select max(x.published_at) from app.agent_releases x);
  if published is not null then
    return published;
  end if;
  -- One of before, when the operator went back, is the newest again. Whole milliseconds: the signature covers its text.
  insert into app.agent_releases as r (version, published_at) values (release, date_trunc('milliseconds', clock_timestamp()))
    on conflict (version) do update set published_at = excluded.published_at
    returning r.published_at into published;
  insert into app.agent_rollouts (company_id, due_at)
    select distinct p.company_id, now() from public.policies p
    where p.kind = 'agent' and p.enabled and p.agent_updates = 'automatic' order by p.company_id
    on conflict (company_id) do update set due_at = excluded.due_at;
  return published;
end $$;
comment on function app.publish_agent(text) is
  'Makes a version of the agent the current one, unless it is; returns when it became so. For the server, which serves and signs it.';
revoke execute on function app.publish_agent(text) from public;

create function app.is_agent_held(company uuid, release text) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from public.devices d
    where d.company_id = company and d.agent_update_state = 'failed' and d.agent_update_version = release)
$$;
comment on function app.is_agent_held(uuid, text) is
  'Whether a version failed on a device of the company, so that no other device of it gets it by policy.';
revoke execute on function app.is_agent_held(uuid, text) from public;

create or replace function app.apply_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  part integer;
  done integer := 0;
begin
  for company in
    delete from app.policy_changes c where c.company_id in (
      select x.company_id from app.policy_changes x order by x.company_id limit 10 for update skip locked)
    returning c.company_id
  loop
    update public.device_presence p set check_in_seconds = e.seconds, agent_update_days = e.days
      from (
        select d.id, x.check_in_seconds as seconds, case when x.agent_updates = 'automatic' then x.agent_update_days end as days
        from public.devices d left join lateral app.policy_of(d.company_id, d.id, 'agent') x on true
        where d.company_id = company
      ) e
      where p.company_id = company and p.device_id = e.id
        and (p.check_in_seconds, p.agent_update_days) is distinct from (e.seconds, e.days);
    get diagnostics part = row_count;
    done := done + part;
    insert into app.agent_rollouts (company_id, due_at) values (company, now())
      on conflict (company_id) do update set due_at = excluded.due_at;
  end loop;
  return done;
end $$;
comment on function app.apply_policies() is
  'Step of app.tick(): gives devices the check-in interval and the updates of their agent policy, after a change, for ten companies a call.';

-- Security definer: people change policies and groups, and nobody may write this table.
create or replace function app.note_policy_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.policy_changes (company_id)
    select distinct c.company_id from changed c
    where exists (select 1 from public.policies p where p.company_id = c.company_id and p.kind = 'agent')
      or exists (select 1 from public.device_presence p where p.company_id = c.company_id and p.check_in_seconds is not null)
      or exists (select 1 from public.device_presence p where p.company_id = c.company_id and p.agent_update_days is not null)
    order by c.company_id
    on conflict do nothing;
  return null;
end $$;

create function app.roll_out_agents() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  max_devices constant integer := 1000;
  release app.agent_releases := app.current_agent();
  company uuid;
  days integer;
  part integer;
  done integer := 0;
  due timestamptz;
begin
  for company in
    select r.company_id from app.agent_rollouts r where r.due_at <= now() order by r.due_at, r.company_id limit 10 for update skip locked
  loop
    due := null;
    if release.version is not null and app.company_runs(company) and not app.is_agent_held(company, release.version) then
      for days in
        select distinct p.agent_update_days from public.policies p
        where p.company_id = company and p.kind = 'agent' and p.enabled and p.agent_updates = 'automatic' order by 1
      loop
        if release.published_at + make_interval(days => days) > now() then
          due := release.published_at + make_interval(days => days);
          exit;
        end if;
        update public.device_presence p set agent_target = release.version, agent_target_asked = false
          where p.company_id = company and p.device_id in (
            -- Three ranges of the index rather than all that have the version already.
            select x.device_id from (
              (select y.device_id from public.device_presence y
                where y.company_id = company and y.agent_update_days = days and y.agent_target is null limit max_devices)
              union all
              (select y.device_id from public.device_presence y
                where y.company_id = company and y.agent_update_days = days and y.agent_target < release.version limit max_devices)
              union all
              (select y.device_id from public.device_presence y
                where y.company_id = company and y.agent_update_days = days and y.agent_target > release.version limit max_devices)
            ) x limit max_devices);
        get diagnostics part = row_count;
        done := done + part;
        if part = max_devices then
          due := now();
          exit;
        end if;
      end loop;
    end if;
    if due is null then
      delete from app.agent_rollouts r where r.company_id = company;
    else
      update app.agent_rollouts r set due_at = due where r.company_id = company;
    end if;
  end loop;
  return done;
end $$;
comment on function app.roll_out_agents() is
  'Step of app.tick(): tells devices whose policy says so to run the current version of the agent, so many days after it was published, unless it '
  'failed on a device of their company; ten companies a call, at most 1,000 devices of each.';
revoke execute on function app.roll_out_agents() from public;
insert into app.tick_step (position, name, function) values (54, 'agent_updates', 'roll_out_agents');

create function app.agent_offer(company uuid, target text, asked boolean) returns text
  language sql stable set search_path = '' as $$
  select target
  where target = (app.current_agent()).version and app.company_runs(company) and (asked or not app.is_agent_held(company, target))
$$;
comment on function app.agent_offer(uuid, text, boolean) is
  'The version that a device is to update to now: its target, while it is the one that the server serves and nothing holds it back; else null.';
revoke execute on function app.agent_offer(uuid, text, boolean) from public;

-- For the page of the agents ---------------------------------------------------------------------------------------------------------

-- Security definer: app.agent_releases is granted to nobody. It tells of devices what row-level security lets the caller read.
create function public.rollout_status(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  release app.agent_releases := app.current_agent();
  seen uuid[] := app.visible_company_ids();
  counts record;
begin
  if not app.can('agents', 'list') or not app.can('devices', 'list') then
    raise insufficient_privilege using message = 'agents: list is not allowed.', hint = 'agents';
  end if;
  if company is not null then
    if company <> all (seen) then
      raise exception 'The company was not found.' using errcode = 'PT404', hint = 'company_gone';
    end if;
    seen := array[company];
  end if;
  select count(*) filter (where d.agent_version is distinct from release.version) as outdated,
      count(*) filter (where d.agent_update_state = 'updating') as updating,
      count(*) filter (where d.agent_update_state = 'failed' and d.agent_update_version = release.version) as failed
    into counts from public.devices d where d.company_id = any (seen) and d.agent_version is not null;
  return jsonb_build_object('version', release.version, 'published_at', release.published_at,
    'outdated', case when release.version is null then 0 else counts.outdated end, 'updating', counts.updating, 'failed', counts.failed,
    'automatic', exists (select 1 from public.policies p
      where p.company_id = any (seen) and p.kind = 'agent' and p.enabled and p.agent_updates = 'automatic'));
end $$;
comment on function public.rollout_status(uuid) is
  '{version, published_at, outdated, updating, failed, automatic} of one company or of all that the caller sees: the version that the server '
  'serves, how many devices run another, are updating, or refused it or put their old one back, and whether a policy updates any.';
revoke execute on function public.rollout_status(uuid) from public, anon;
grant execute on function public.rollout_status(uuid) to authenticated;

-- Security definer: as install_patches.
create or replace function public.run_task(task text, device_ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  label text := nullif(btrim(run_task.name), '');
  release text;
begin
  if task is null or task not in ('reboot', 'shut_down', 'inventory', 'scan_patches', 'install_patches', 'update_agent') then
    raise exception 'There is no such task.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  perform app.require(app.task_object(jsonb_build_object('task', task)::text), 'run');
  if cardinality(device_ids) > 1000 then
    raise exception 'A job runs on at most 1,000 devices.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  company := app.device_company(device_ids);
  if task = 'install_patches' then
    if (select count(*) from public.devices d where d.company_id = company and d.id = any (device_ids))
      <> (select count(distinct d) from unnest(device_ids) d) then
      raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
    end if;
    return app.queue_patches(company, coalesce(label, 'Install updates'), array(
      select t.id from public.device_patches t where t.company_id = company and t.device_id = any (device_ids)
        and t.status in ('missing', 'failed')), now() + interval '24 hours');
  end if;
  if task = 'update_agent' then
    release := (app.current_agent()).version;
    if release is null then
      raise exception 'The server serves no agent.' using errcode = 'check_violation', hint = 'agent_none';
    end if;
    update public.device_presence p set agent_target = release, agent_target_asked = true
      where p.company_id = company and p.device_id in (
        select x.device_id from public.device_presence x
        where x.company_id = company and x.device_id = any (device_ids) order by x.device_id for no key update);
  end if;
  return app.queue_task(company,
    coalesce(label, case task when 'reboot' then 'Restart' when 'shut_down' then 'Shut down' when 'update_agent' then 'Update the agent'
      when 'inventory' then 'Refresh inventory' else 'Check for updates' end),
    jsonb_strip_nulls(jsonb_build_object('task', task, 'version', release)), device_ids,
    case task when 'scan_patches' then 1800 when 'update_agent' then 1200 else 300 end,
    -- Nobody expects a device to restart when it comes back tomorrow.
    now() + case when task in ('reboot', 'shut_down') then interval '15 minutes' else interval '24 hours' end);
end $$;
comment on function public.run_task(text, uuid[], text) is
  'Asks devices of one company to reboot, shut_down, send their inventory, scan_patches, install_patches (all that are approved and missing) or '
  'update_agent (to the version that the server serves); returns the job. `name` is what the job is called. A restart that no device took within '
  '15 minutes expires, other tasks after a day.';

-- Check-in -------------------------------------------------------------------------------------------------------------------------

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
  select d.status, d.machine_id, d.clone_suspected, d.agent_version, d.agent_update_state, d.agent_update_version, d.agent_update_reason
    into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(reported, known.agent_version)
    or known.agent_update_state is distinct from update_state or known.agent_update_version is distinct from update_version
    or known.agent_update_reason is distinct from update_reason
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if changes_device or brings_inventory then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds), p.agent_target, p.agent_target_asked
    into known_hash, known_stamp, list_hash, seconds, target, target_asked from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(reported, d.agent_version),
        agent_update_state = update_state, agent_update_version = update_version, agent_update_reason = update_reason,
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
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?, samples?, '
  'update?: {state, version, reason?}} → {interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?, update?}. `update` in the answer is '
  'the version of the agent to fetch from the server; in the request, how the update to one goes. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states(); samples: app.take_samples().';
