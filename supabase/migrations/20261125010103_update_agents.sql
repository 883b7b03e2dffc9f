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

comment on function public.run_task(text, uuid[], text) is
  'Asks devices of one company to reboot, shut_down, send their inventory, scan_patches, install_patches (all that are approved and missing) or '
  'update_agent (to the version that the server serves); returns the job. `name` is what the job is called. A restart that no device took within '
  '15 minutes expires, other tasks after a day.';

-- Check-in -------------------------------------------------------------------------------------------------------------------------

comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?, samples?, '
  'update?: {state, version, reason?}} → {interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?, update?}. `update` in the answer is '
  'the version of the agent to fetch from the server; in the request, how the update to one goes. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states(); samples: app.take_samples().';
