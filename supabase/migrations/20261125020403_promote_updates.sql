-- Rings: an update reaches the devices of a patch policy when it succeeded on those of the ring before. Restarts in a window of
-- their own.

alter table public.policies add column ring integer check (ring between 1 and 3);
alter table public.policies add column promote_after_days integer default 3 check (promote_after_days between 0 and 90);
alter table public.policies add column promote_success_percent integer default 95 check (promote_success_percent between 1 and 100);
alter table public.policies add column promote_min_devices integer default 3 check (promote_min_devices between 1 and 1000);
alter table public.policies add constraint policies_promote_after_days_check02 check (not (kind = 'patch' and ring > 1) or promote_after_days is not null);
alter table public.policies add constraint policies_promote_success_percent_check02 check (not (kind = 'patch' and ring > 1) or promote_success_percent is not null);
alter table public.policies add constraint policies_promote_min_devices_check02 check (not (kind = 'patch' and ring > 1) or promote_min_devices is not null);
alter table public.policies add column reboot_weekdays text[] not null default '{}'
  check (reboot_weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(reboot_weekdays) <= 100);
alter table public.policies add column reboot_from text default '03:00' check (reboot_from ~ '^([01]\d|2[0-3]):[0-5]\d$');
alter table public.policies add column reboot_to text default '05:00' check (reboot_to ~ '^([01]\d|2[0-3]):[0-5]\d$');
alter table public.policies drop constraint policies_reboot_check;
alter table public.policies add constraint policies_reboot_check check (reboot in ('never', 'if_needed', 'in_window'));
alter table public.policies add constraint policies_reboot_weekdays_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(cardinality(reboot_weekdays), 0) > 0);
alter table public.policies add constraint policies_reboot_from_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(length(btrim(reboot_from)), 0) > 0);
alter table public.policies add constraint policies_reboot_to_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(length(btrim(reboot_to)), 0) > 0);
grant insert (ring, promote_after_days, promote_success_percent, promote_min_devices, reboot_weekdays, reboot_from, reboot_to),
  update (ring, promote_after_days, promote_success_percent, promote_min_devices, reboot_weekdays, reboot_from, reboot_to)
  on public.policies to authenticated;
create index policies_ring_idx on public.policies (company_id, ring) where kind = 'patch' and enabled and ring is not null;

alter table public.device_patches add column failed_at timestamptz;
update public.device_patches t set failed_at = t.updated_at where t.status = 'failed';
comment on column public.device_patches.failed_at is 'When the update last failed there; null once it is installed. A device that tries again counts as failed until it succeeds.';

create function app.note_failure() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.failed_at := case when new.status = 'failed' then now() end;
  return new;
end $$;
comment on function app.note_failure() is 'Row trigger: keeps when an update last failed on a device.';
revoke execute on function app.note_failure() from public;
create trigger device_patches_failure before insert or update of status on public.device_patches for each row
  when (new.status in ('failed', 'installed')) execute function app.note_failure();

create table app.patch_releases (
  company_id uuid not null,
  policy_id uuid not null,
  patch_id uuid not null,
  -- How the update fared on the devices of the ring before, when that was last counted.
  tried integer not null default 0,
  succeeded integer not null default 0,
  first_at timestamptz,
  evaluated_at timestamptz not null default now(),
  -- Once released, an update stays released: a device that fails later holds back nobody.
  released_at timestamptz,
  primary key (company_id, policy_id, patch_id),
  foreign key (company_id, policy_id) references public.policies (company_id, id) on delete cascade,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade
);
comment on table app.patch_releases is 'Which approved updates the devices of a policy of ring 2 or 3 get, and how these fared on the ring before. Written by app.promote_updates().';
create index patch_releases_patch_idx on app.patch_releases (company_id, patch_id);
revoke all on app.patch_releases from public, anon, authenticated;
alter table app.patch_releases enable row level security;

-- Security definer: who decides may not write the table.
create function app.forget_releases() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from app.patch_releases r where r.company_id = new.company_id and r.patch_id = new.id;
  return null;
end $$;
comment on function app.forget_releases() is 'Row trigger: an update whose approval was taken back starts at the first ring when it is approved again.';
revoke execute on function app.forget_releases() from public;
create trigger patches_forget_releases after update of approval on public.patches for each row
  when (old.approval = 'approved' and new.approval <> 'approved') execute function app.forget_releases();

-- Security definer: who edits policies may not write the table.
create function app.renew_releases() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What waits is counted at the next tick; another ring decides anew.
  if new.ring is distinct from old.ring then
    delete from app.patch_releases r where r.company_id = new.company_id and r.policy_id = new.id;
  else
    update app.patch_releases r set evaluated_at = '-infinity' where r.company_id = new.company_id and r.policy_id = new.id and r.released_at is null;
  end if;
  return null;
end $$;
comment on function app.renew_releases() is 'Row trigger: what a policy holds back is judged by its new rules at the next tick.';
revoke execute on function app.renew_releases() from public;
create trigger policies_releases after update on public.policies for each row
  when ((old.ring, old.promote_after_days, old.promote_success_percent, old.promote_min_devices)
    is distinct from (new.ring, new.promote_after_days, new.promote_success_percent, new.promote_min_devices))
  execute function app.renew_releases();

create function app.ring_devices(company uuid, ring integer) returns uuid[]
  language sql stable set search_path = '' as $$
  select array_agg(y.device_id) from (
    select distinct x.device_id from (
      select m.device_id, p.position, p.id
      from public.policies p
        join public.policy_groups g on g.company_id = p.company_id and g.policy_id = p.id
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where p.company_id = company and p.kind = 'patch' and p.enabled and p.ring = ring_devices.ring
      union all
      select d.id, p.position, p.id
      from public.policies p join public.devices d on d.company_id = p.company_id
      where p.company_id = company and p.kind = 'patch' and p.enabled and p.ring = ring_devices.ring
        and not exists (select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id)
    ) x
    where not exists (
      select 1 from public.policies e
      where e.company_id = company and e.kind = 'patch' and e.enabled and (e.position, e.id) < (x.position, x.id)
        and e.ring is distinct from ring_devices.ring and app.is_under(e, x.device_id))
    order by x.device_id limit 2000) y
$$;
comment on function app.ring_devices(uuid, integer) is
  'The devices of a ring: those whose first patch policy is of it; at most 2,000, which are enough to judge an update by.';
revoke execute on function app.ring_devices(uuid, integer) from public;

create function app.promote_updates(policy public.policies) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  waiting uuid[];
  released integer;
begin
  if coalesce(policy.ring, 1) = 1 then
    return 0;
  end if;
  select array_agg(x.id) into waiting from (
    select p.id from public.patches p
      left join app.patch_releases r on r.company_id = p.company_id and r.policy_id = policy.id and r.patch_id = p.id
    where p.company_id = policy.company_id and p.approval = 'approved' and not p.superseded and r.released_at is null
      and (r.evaluated_at is null or r.evaluated_at < now() - interval '5 minutes')
    order by r.evaluated_at nulls first, p.id limit 50) x;
  if waiting is null then
    return 0;
  end if;
  with counted as (
    select w.id,
      count(*) filter (where t.status = 'installed' or t.failed_at is not null) as tried,
      count(*) filter (where t.status = 'installed') as succeeded,
      min(t.installed_at) filter (where t.status = 'installed') as first_at
    from unnest(waiting) w (id)
      left join (select unnest(app.ring_devices(policy.company_id, policy.ring - 1)) as id) d on true
      left join public.device_patches t on t.device_id = d.id and t.company_id = policy.company_id and t.patch_id = w.id
    group by w.id
  ), judged as (
    insert into app.patch_releases as r (company_id, policy_id, patch_id, tried, succeeded, first_at, released_at)
    select policy.company_id, policy.id, c.id, c.tried, c.succeeded, c.first_at,
      case when c.tried >= policy.promote_min_devices and c.succeeded * 100 >= policy.promote_success_percent * c.tried
        and c.first_at <= now() - make_interval(days => policy.promote_after_days) then now() end
    from counted c order by c.id
    on conflict (company_id, policy_id, patch_id) do update
      set tried = excluded.tried, succeeded = excluded.succeeded, first_at = excluded.first_at, evaluated_at = now(),
        released_at = excluded.released_at
      where r.released_at is null
    returning r.released_at
  )
  select count(*) into released from judged j where j.released_at is not null;
  return released;
end $$;
comment on function app.promote_updates(public.policies) is
  'Judges approved updates by the ring before that of a policy and releases them to its devices; 50 updates a call, each every five minutes. Returns how many it released.';
revoke execute on function app.promote_updates(public.policies) from public;

create function app.is_held(policy public.policies, patch uuid) returns boolean
  language sql stable set search_path = '' as $$
  select coalesce(policy.ring, 1) > 1 and not exists (
    select 1 from app.patch_releases r
    where r.company_id = policy.company_id and r.policy_id = policy.id and r.patch_id = patch and r.released_at is not null)
$$;
comment on function app.is_held(public.policies, uuid) is 'Whether the ring of a policy still holds an approved update back.';
revoke execute on function app.is_held(public.policies, uuid) from public;

-- Windows ------------------------------------------------------------------------------------------------------------------

create function app.span_of(weekdays text[], opens text, closes text, timezone text, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  -- A window that begins on a day may end on the next one. The zone's own clock decides.
  select w.starts, w.ends
  from (
    select (d.day + opens::time) at time zone span_of.timezone as starts,
      (d.day + (closes::time <= opens::time)::integer + closes::time) at time zone span_of.timezone as ends,
      d.day
    from (select (moment at time zone span_of.timezone)::date - n as day from generate_series(0, 1) n) d
  ) w
  where moment >= w.starts and moment < w.ends
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (weekdays)
  order by w.starts desc limit 1
$$;
comment on function app.span_of(text[], text, text, text, timestamptz) is 'The weekly window around a moment; null outside of one.';
revoke execute on function app.span_of(text[], text, text, text, timestamptz) from public;

create or replace function app.window_of(policy public.policies, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  select s.starts, s.ends from app.span_of(policy.window_weekdays, policy.window_from, policy.window_to, policy.timezone, moment) s
$$;

create function app.restart_devices(policy public.policies, opened timestamptz, closes timestamptz) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  due uuid[];
begin
  select array_agg(y.id) into due from (
    select d.id from public.devices d
    where d.company_id = policy.company_id and d.reboot_required and d.status = 'online' and app.is_under(policy, d.id)
      and not exists (select 1 from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
        where r.company_id = d.company_id and r.device_id = d.id
          -- Not in the middle of a run, and once a window.
          and (r.status in ('queued', 'claimed', 'running')
            or (r.queued_at >= opened and j.kind = 'task' and j.script::jsonb ->> 'task' = 'reboot')))
      and not exists (select 1 from public.policies e
        where e.company_id = policy.company_id and e.kind = 'patch' and e.enabled and (e.position, e.id) < (policy.position, policy.id)
          and app.is_under(e, d.id))
    order by d.id limit 1000) y;
  if due is null then
    return 0;
  end if;
  perform app.queue_task(policy.company_id, policy.name, '{"task": "reboot"}', due, 300, least(closes, now() + interval '15 minutes'));
  return cardinality(due);
end $$;
comment on function app.restart_devices(public.policies, timestamptz, timestamptz) is
  'Restarts the online devices of a policy that need it, once in the window that opened and closes then; at most 1,000 a call.';
revoke execute on function app.restart_devices(public.policies, timestamptz, timestamptz) from public;

create or replace function app.enforce_policy(policy public.policies) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  span record;
  due uuid[];
  done integer := 0;
begin
  update public.patches p set approval = 'approved'
    where p.company_id = policy.company_id and p.id in (
      select x.id from public.patches x
      where x.company_id = policy.company_id and x.approval = 'pending' and not x.superseded
        and x.severity = any (policy.approve_severities)
        and x.created_at <= now() - make_interval(days => policy.approve_after_days)
      order by x.id limit 1000 for no key update skip locked);
  get diagnostics done = row_count;
  done := done + app.promote_updates(policy);
  select w.starts, w.ends into span from app.window_of(policy, now()) w;
  if span.starts is not null then
    -- Once a window: what was tried in this one is not tried again. A device is under the first policy that applies.
    select array_agg(y.id) into due from (
      select t.id from public.device_patches t
      join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
      where t.company_id = policy.company_id and t.status in ('missing', 'failed')
        -- An exception is a decision for this device: no ring holds it back.
        and (t.exception = 'approved' or (t.exception is null and p.approval = 'approved' and not app.is_held(policy, t.patch_id)))
        and app.is_under(policy, t.device_id)
        and not exists (select 1 from public.job_runs r
          where r.company_id = t.company_id and r.id = t.run_id and r.queued_at >= span.starts)
        and not exists (select 1 from public.policies e
          where e.company_id = policy.company_id and e.kind = 'patch' and e.enabled and (e.position, e.id) < (policy.position, policy.id)
            and app.is_under(e, t.device_id))
      order by t.device_id, t.id limit 1000) y;
    if due is not null then
      perform app.queue_patches(policy.company_id, policy.name, due, span.ends);
      done := done + cardinality(due);
    end if;
  end if;
  if policy.reboot = 'in_window' then
    select w.starts, w.ends into span
      from app.span_of(policy.reboot_weekdays, policy.reboot_from, policy.reboot_to, policy.timezone, now()) w;
  end if;
  if policy.reboot <> 'never' and span.starts is not null then
    done := done + app.restart_devices(policy, span.starts, span.ends);
  end if;
  return done;
end $$;
comment on function app.enforce_policy(public.policies) is
  'Approves updates by severity and age, releases them to the policy''s ring, has its devices install them in its window, and restarts those that need it, '
  'in the same window or in one of its own; at most 1,000 of each.';

create or replace function app.enforce_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.policies%rowtype;
  done integer := 0;
begin
  for policy in
    select p.* from public.policies p join public.companies c on c.id = p.company_id
    where p.kind = 'patch' and p.enabled and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
      and c.license_type = 'Pro' and (p.approve_severities <> '{}' or p.window_weekdays <> '{}' or p.ring > 1 or p.reboot = 'in_window')
    order by p.company_id, p.position, p.id
    for no key update of p skip locked
  loop
    begin
      done := done + app.enforce_policy(policy);
    exception when others then
      insert into app.tick_log (step, error) values ('policies', left(policy.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
    end;
  end loop;
  return done;
end $$;

-- What is asked for by hand -------------------------------------------------------------------------------------------------


-- What holds an update back ------------------------------------------------------------------------------------------------

create function public.patch_rings(patch_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.patch_releases is granted to nobody. The first two conditions are those of the rows themselves.
  select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'ring', p.ring, 'tried', coalesce(r.tried, 0), 'succeeded', coalesce(r.succeeded, 0),
      'first_at', r.first_at, 'released_at', r.released_at, 'after_days', p.promote_after_days, 'success_percent', p.promote_success_percent,
      'min_devices', p.promote_min_devices) order by p.ring, p.position, p.id), '[]')
  from public.patches u
    join public.policies p on p.company_id = u.company_id and p.kind = 'patch' and p.enabled and p.ring is not null
    left join app.patch_releases r on r.company_id = p.company_id and r.policy_id = p.id and r.patch_id = u.id
  where app.can('patches', 'list') and app.can('policies', 'list') and u.company_id = any (app.visible_company_ids()) and u.id = patch_rings.patch_id
$$;
comment on function public.patch_rings(uuid) is
  'The enabled policies with a ring, in the order in which they get an update: [{id, name, ring, tried, succeeded, first_at, released_at, after_days, success_percent, min_devices}].';
revoke execute on function public.patch_rings(uuid) from public, anon;
grant execute on function public.patch_rings(uuid) to authenticated;

create function public.device_holds(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: as patch_rings.
  select coalesce(jsonb_agg(to_jsonb(x) - 'title_key' order by x.title_key, x.id), '[]') from (
    select t.id, u.title, t.title_key, p.name as policy_name, p.ring, coalesce(r.tried, 0) as tried, coalesce(r.succeeded, 0) as succeeded, r.first_at,
      p.promote_after_days as after_days, p.promote_success_percent as success_percent, p.promote_min_devices as min_devices
    from public.devices d
      cross join lateral app.policy_of(d.company_id, d.id, 'patch') p
      join public.device_patches t on t.company_id = d.company_id and t.device_id = d.id and t.status in ('missing', 'failed') and t.exception is null
      join public.patches u on u.company_id = t.company_id and u.id = t.patch_id and u.approval = 'approved' and not u.superseded
      left join app.patch_releases r on r.company_id = d.company_id and r.policy_id = p.id and r.patch_id = u.id
    where app.can('device_patches', 'list') and app.can('policies', 'list') and d.company_id = any (app.visible_company_ids()) and d.id = device_holds.device_id
      and p.ring > 1 and r.released_at is null
    order by t.title_key, t.id limit 100) x
$$;
comment on function public.device_holds(uuid) is
  'The approved updates that the ring of a device''s policy holds back, with how they fared on the ring before; at most 100: '
  '[{id, title, policy_name, ring, tried, succeeded, first_at, after_days, success_percent, min_devices}].';
revoke execute on function public.device_holds(uuid) from public, anon;
grant execute on function public.device_holds(uuid) to authenticated;

drop function public.policy_impact(uuid, text, integer, uuid[], uuid);
create function public.policy_impact(
  company uuid, kind text, at_position integer, group_ids uuid[] default '{}', policy_id uuid default null,
  ring integer default null
) returns jsonb
  language sql stable set search_path = '' as $$
  with scope as (
    select d.id from public.devices d
    where d.company_id = policy_impact.company
      and (cardinality(group_ids) = 0 or exists (
        select 1 from public.group_devices m where m.company_id = d.company_id and m.device_id = d.id and m.group_id = any (group_ids)))
  ), earlier as (
    select p.id, p.name, p.position, not exists (
        select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
    from public.policies p
    where p.company_id = policy_impact.company and p.kind = policy_impact.kind and p.enabled and p.id is distinct from policy_impact.policy_id
      and (p.position, p.id) < (at_position, coalesce(policy_impact.policy_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
  ), covered as (
    select e.id, e.name, e.position, s.id as device_id from earlier e cross join scope s where e.is_for_all
    union all
    select e.id, e.name, e.position, s.id
    from earlier e
      join public.policy_groups g on g.company_id = policy_impact.company and g.policy_id = e.id
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      join scope s on s.id = m.device_id
  ), winners as (
    select distinct on (c.device_id) c.device_id, c.id, c.name, c.position from covered c order by c.device_id, c.position, c.id
  ), lost as (
    select w.id, w.name, w.position, count(*) as devices from winners w group by 1, 2, 3
  ), before as (
    -- The devices of the ring before, by the other policies.
    select count(*) as devices from (
      select distinct on (c.device_id) c.ring from (
        select m.device_id, p.position, p.id, p.ring
        from public.policies p
          join public.policy_groups g on g.company_id = p.company_id and g.policy_id = p.id
          join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        where p.company_id = policy_impact.company and p.kind = 'patch' and p.enabled and p.id is distinct from policy_impact.policy_id
        union all
        select d.id, p.position, p.id, p.ring
        from public.policies p join public.devices d on d.company_id = p.company_id
        where p.company_id = policy_impact.company and p.kind = 'patch' and p.enabled and p.id is distinct from policy_impact.policy_id
          and not exists (select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id)
      ) c
      where policy_impact.kind = 'patch' and policy_impact.ring > 1
      order by c.device_id, c.position, c.id
    ) f where f.ring = policy_impact.ring - 1
  )
  select jsonb_build_object('devices', (select count(*) from scope),
    'before', case when policy_impact.kind = 'patch' and policy_impact.ring > 1 then (select b.devices from before b) end,
    'restarts', case when policy_impact.kind = 'patch' then (
      select count(*) from public.devices d where d.company_id = policy_impact.company and d.reboot_required and d.id in (select s.id from scope s)) end,
    'lost', coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'devices', l.devices) order by l.position, l.id) from lost l), '[]'))
$$;
comment on function public.policy_impact(uuid, text, integer, uuid[], uuid, integer) is
  'On how many devices a policy of this kind, position and these groups would be: {devices, lost: [{id, name, devices}], before, restarts}; lost are the '
  'policies that come first for some of them. Without groups, all devices. before is how many devices the ring before has, '
  'restarts how many of the devices need a restart now. Runs as the caller.';
revoke execute on function public.policy_impact(uuid, text, integer, uuid[], uuid, integer) from public, anon;
grant execute on function public.policy_impact(uuid, text, integer, uuid[], uuid, integer) to authenticated;
