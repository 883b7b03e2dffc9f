-- Patch policies approve updates and install them in their window.

alter table public.policies add column approve_severities text[] not null default '{}' check (approve_severities <@ array['critical', 'important', 'moderate', 'low', 'unspecified']::text[] and cardinality(approve_severities) <= 100);
alter table public.policies add column approve_after_days integer default 0 check (approve_after_days between 0 and 365);
alter table public.policies add column install_weekdays text[] not null default '{}' check (install_weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(install_weekdays) <= 100);
alter table public.policies add column install_from text default '22:00' check (install_from ~ '^([01]\d|2[0-3]):[0-5]\d$');
alter table public.policies add column install_to text default '05:00' check (install_to ~ '^([01]\d|2[0-3]):[0-5]\d$');
alter table public.policies add column timezone text default 'Europe/Istanbul' check (app.is_timezone(timezone));
alter table public.policies add column reboot text default 'never' check (reboot in ('never', 'if_needed'));
alter table public.policies add constraint policies_approve_after_days_check02 check (not (kind = 'patch') or approve_after_days is not null);
alter table public.policies add constraint policies_install_from_check02 check (not (kind = 'patch') or coalesce(length(btrim(install_from)), 0) > 0);
alter table public.policies add constraint policies_install_to_check02 check (not (kind = 'patch') or coalesce(length(btrim(install_to)), 0) > 0);
alter table public.policies add constraint policies_timezone_check02 check (not (kind = 'patch') or coalesce(length(btrim(timezone)), 0) > 0);
alter table public.policies add constraint policies_reboot_check02 check (not (kind = 'patch') or reboot is not null);
create index policies_company_kind_idx on public.policies (company_id, kind);
grant insert (approve_severities, approve_after_days, install_weekdays, install_from, install_to, timezone, reboot), update (approve_severities, approve_after_days, install_weekdays, install_from, install_to, timezone, reboot) on public.policies to authenticated;

create function app.window_of(policy public.policies, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  -- A window that begins on a day may end on the next one. The zone's own clock decides.
  select w.starts, w.ends
  from (
    select (d.day + policy.install_from::time) at time zone policy.timezone as starts,
      (d.day + (policy.install_to::time <= policy.install_from::time)::integer + policy.install_to::time) at time zone policy.timezone as ends,
      d.day
    from (select (moment at time zone policy.timezone)::date - n as day from generate_series(0, 1) n) d
  ) w
  where moment >= w.starts and moment < w.ends
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (policy.install_weekdays)
  order by w.starts desc limit 1
$$;
comment on function app.window_of(public.policies, timestamptz) is 'The installation window of a policy around a moment; null outside of one.';
revoke execute on function app.window_of(public.policies, timestamptz) from public;

create function app.is_under(policy public.policies, device uuid) returns boolean
  language sql stable set search_path = '' as $$
  select not exists (select 1 from public.policy_groups g where g.company_id = policy.company_id and g.policy_id = policy.id)
    or exists (select 1 from public.policy_groups g
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where g.company_id = policy.company_id and g.policy_id = policy.id and m.device_id = device)
$$;
comment on function app.is_under(public.policies, uuid) is 'Whether a policy applies to a device of its company: one without groups applies to all.';
revoke execute on function app.is_under(public.policies, uuid) from public;

create function app.enforce_policy(policy public.policies) returns integer
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
  select w.starts, w.ends into span from app.window_of(policy, now()) w;
  if span.starts is null then
    return done;
  end if;
  -- Once a window: what was tried in this one is not tried again. A device is under the first policy that applies.
  select array_agg(y.id) into due from (
    select t.id from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = policy.company_id and t.status in ('missing', 'failed') and p.approval = 'approved'
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
  if policy.reboot = 'if_needed' then
    select array_agg(y.id) into due from (
      select d.id from public.devices d
      where d.company_id = policy.company_id and d.reboot_required and d.status = 'online' and app.is_under(policy, d.id)
        and not exists (select 1 from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
          where r.company_id = d.company_id and r.device_id = d.id
            -- Not in the middle of a run, and once a window.
            and (r.status in ('queued', 'claimed', 'running')
              or (r.queued_at >= span.starts and j.kind = 'task' and j.script::jsonb ->> 'task' = 'reboot')))
        and not exists (select 1 from public.policies e
          where e.company_id = policy.company_id and e.kind = 'patch' and e.enabled and (e.position, e.id) < (policy.position, policy.id)
            and app.is_under(e, d.id))
      order by d.id limit 1000) y;
    if due is not null then
      perform app.queue_task(policy.company_id, policy.name, '{"task": "reboot"}', due, 300, least(span.ends, now() + interval '15 minutes'));
      done := done + cardinality(due);
    end if;
  end if;
  return done;
end $$;
comment on function app.enforce_policy(public.policies) is
  'Approves updates by severity and age, and in the policy''s window has its devices install approved ones and restart where needed, at most 1,000 of each.';
revoke execute on function app.enforce_policy(public.policies) from public;

create function app.enforce_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.policies%rowtype;
  done integer := 0;
begin
  for policy in
    select p.* from public.policies p join public.companies c on c.id = p.company_id
    where p.kind = 'patch' and p.enabled and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
      and c.license_type = 'Pro' and (p.approve_severities <> '{}' or p.install_weekdays <> '{}')
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
comment on function app.enforce_policies() is
  'Step of app.tick(): enforces the patch policies of companies with a Pro license; safe to run many times at once. Returns how much it did.';
revoke execute on function app.enforce_policies() from public;
insert into app.tick_step (position, name, function) values (53, 'policies', 'enforce_policies');
create index policies_enforced_idx on public.policies (company_id, position, id) where kind = 'patch' and enabled;

create function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.install_weekdays, p.install_from, p.install_to,
      p.timezone, p.reboot, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;
comment on function public.device_policies(uuid) is
  'The enabled policies of a device with their settings, by type and position; `applies` is true for the first of each type, whose name the others have as first_name.';
revoke execute on function public.device_policies(uuid) from public, anon;
grant execute on function public.device_policies(uuid) to authenticated;
