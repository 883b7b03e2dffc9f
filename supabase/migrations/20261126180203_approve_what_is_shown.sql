-- An approval covers what the approver saw, and comes from somebody whom no author made.
-- Values that are given at a run are in no version: a policy can forbid them. An account that an author invited, raised or sent a
-- password link to may be the same person's second one.

alter table public.policies add column denies_values boolean not null default false;
comment on column public.policies.denies_values is
  'Of kind permission: its devices run no script with a text, number or secret that was given at the run (app.free_values()).';
grant insert (denies_values), update (denies_values) on public.policies to authenticated;

create function app.free_values(job public.jobs) returns text[]
  language sql stable set search_path = '' as $$
  select case when job.parameters = '{}' and job.secret_names = '{}' then '{}'::text[] else array(
    select g.key from jsonb_each_text(job.parameters) g
      left join lateral (
        select p.value as definition
        from public.procedure_versions v, jsonb_array_elements(v.parameters) p
        where v.company_id = job.company_id and v.id = job.procedure_version_id and p.value ->> 'name' = g.key
      ) d on true
    -- A version fixes the choices, and of a boolean both values.
    where d.definition is null
      or d.definition ->> 'kind' not in ('choice', 'boolean') and g.value is distinct from d.definition ->> 'default'
    union
    select s from unnest(job.secret_names) s
    order by 1) end
$$;
comment on function app.free_values(public.jobs) is
  'The parameters of a job whose values no version has, and nobody approved: texts and numbers other than the default, and secrets.';
revoke execute on function app.free_values(public.jobs) from public;

comment on column public.job_runs.error is
  'Why a run did not succeed, as a code: interrupted, hash_mismatch, no_interpreter, start_failed, refused, timed_out, ''cancelled'', expired, '
  'lost, denied (a policy), values_denied (a policy, values given at the run), unapproved (no version of a script), replaced (edited before '
  'it was approved), declined. Null for a plain non-zero exit code.';

create table app.account_sponsors (
  user_id uuid not null references auth.users (id) on delete cascade,
  sponsor_id uuid not null,
  act text not null check (act in ('invited', 'raised', 'reset')),
  at timestamptz not null default now(),
  primary key (user_id, sponsor_id, act)
);
comment on table app.account_sponsors is
  'Who made an account, gave it a role with more permissions, or had a password link sent to it. Never read through the API: it decides who '
  'may approve whose scripts.';
create index account_sponsors_sponsor_idx on app.account_sponsors (sponsor_id, user_id);
revoke all on app.account_sponsors from public, anon, authenticated;
alter table app.account_sponsors enable row level security;

-- Security definer: nobody may write the table.
create function app.note_sponsor() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  sponsor uuid := app.current_user_id();
  account uuid;
begin
  if sponsor is null then
    return null;
  end if;
  if tg_table_name = 'mail_outbox' then
    select p.id into account from public.profiles p where lower(p.email) = new.email;
  else
    account := new.user_id;
    if tg_op = 'UPDATE' and not (old.deactivated_at is not null and new.deactivated_at is null)
      and exists (select 1 from app.role_include i where i.role = old.role and i.included = new.role) then
      return null;
    end if;
  end if;
  insert into app.account_sponsors (user_id, sponsor_id, act)
    select account, sponsor, case when tg_table_name = 'mail_outbox' then 'reset' when tg_op = 'INSERT' then 'invited' else 'raised' end
    where account <> sponsor and exists (select 1 from auth.users u where u.id = account)
  on conflict do nothing;
  return null;
end $$;
comment on function app.note_sponsor() is 'Row trigger: keeps app.account_sponsors.';
revoke execute on function app.note_sponsor() from public;

create trigger user_roles_sponsor_insert after insert on public.user_roles
  for each row execute function app.note_sponsor();
create trigger user_roles_sponsor_raise after update on public.user_roles
  for each row when ((old.role, old.deactivated_at) is distinct from (new.role, new.deactivated_at))
  execute function app.note_sponsor();
create trigger mail_outbox_sponsor after insert on app.mail_outbox
  for each row execute function app.note_sponsor();

-- What the log still knows of the time before.
insert into app.account_sponsors (user_id, sponsor_id, act, at)
  select p.id, l.actor_id, case l.event when 'account_created' then 'invited' else 'raised' end, min(l.at)
  from public.security_log l join public.profiles p on p.email = l.subject join auth.users u on u.id = p.id
  where l.actor_id <> p.id and (l.event = 'account_created' or l.event = 'account_reactivated'
    or l.event = 'role_changed' and not exists (
      select 1 from app.role_include i where i.role = l.details ->> 'from' and i.included = l.details ->> 'to'))
  group by 1, 2, 3
  on conflict do nothing;

create or replace function app.version_to_decide(version_id uuid) returns public.procedure_versions
  language plpgsql set search_path = '' as $$
declare
  found public.procedure_versions%rowtype;
  script public.procedures%rowtype;
begin
  perform app.require('procedures', 'approve');
  select v.* into found from public.procedure_versions v
    where v.id = version_id and v.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  select p.* into script from public.procedures p where p.company_id = found.company_id and p.id = found.procedure_id for no key update;
  if found.number <> script.revision then
    raise exception 'The script was changed meanwhile.' using errcode = 'check_violation', hint = 'version_replaced';
  end if;
  if found.created_by is not null and found.created_by = app.current_user_id() then
    raise exception 'A script is approved by another person than its author.' using errcode = '42501', hint = 'own_version';
  end if;
  -- Nor by who wrote a part of it since the last approval: a colleague who changed the time limit has not read the text.
  if exists (
    select 1 from public.procedure_versions v
    where v.company_id = found.company_id and v.procedure_id = found.procedure_id and v.created_by = app.current_user_id()
      and v.number < found.number
      and v.number > coalesce((select max(a.number) from public.procedure_versions a
        where a.company_id = found.company_id and a.procedure_id = found.procedure_id and a.approved_at is not null), 0)
  ) then
    raise exception 'A script is approved by another person than its authors.' using errcode = '42501', hint = 'own_version';
  end if;
  -- A second account of the same person: whoever made an account, gave it its role or sent its password link may sign in with it.
  if exists (
    select 1 from public.procedure_versions v
      join app.account_sponsors s on s.sponsor_id = v.created_by and s.user_id = app.current_user_id()
    where v.company_id = found.company_id and v.procedure_id = found.procedure_id and v.number <= found.number
      and v.number > coalesce((select max(a.number) from public.procedure_versions a
        where a.company_id = found.company_id and a.procedure_id = found.procedure_id and a.approved_at is not null and a.id <> found.id), 0)
  ) then
    raise exception 'An author of the version invited this account, gave it its role or reset its password.'
      using errcode = 'check_violation', hint = 'approver_of_author';
  end if;
  -- Again: somebody may have decided before the lock.
  select v.* into found from public.procedure_versions v where v.company_id = found.company_id and v.id = found.id;
  return found;
end $$;

create or replace function app.begin_waiting(company uuid, device uuid) returns void
  language plpgsql set search_path = '' as $$
begin
  if not app.company_runs(company) then
    return;
  end if;
  with due as (
    select p.id from public.procedures p
    where p.company_id = company and p.waiting_since is null and not p.is_approved and p.id in (
      select r.procedure_id from public.job_runs r
      where r.company_id = company and r.device_id = device and r.status = 'queued' and r.waits_for = 'approval')
    -- As in app.settle_waiting(): the next check-in finds it.
    order by p.id limit 10 for no key update skip locked
  ), begun as (
    update public.procedures p set waiting_since = now() from due where p.company_id = company and p.id = due.id
    returning p.id, p.name, p.revision
  )
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'script_waiting', jsonb_build_object('script', b.name, 'number', b.revision), '/procedures/' || b.id,
    'script_waiting:' || v.id
  from begun b
    join public.procedure_versions v on v.company_id = company and v.procedure_id = b.id and v.number = b.revision
    join public.user_roles r on r.company_id = company and r.role = any (app.roles_that_may('procedures', 'approve'))
      and r.deactivated_at is null and r.user_id is distinct from v.created_by
      and not exists (select 1 from app.account_sponsors s where s.user_id = r.user_id and s.sponsor_id = v.created_by)
  -- A policy that is new may hold hundreds of scripts: the list and the dashboard have them all.
  where (select count(*) from (select 1 from public.notifications n
    where n.user_id = r.user_id and n.read_at is null and n.kind = 'script_waiting' limit 10) unread) < 10
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;

-- Security definer, as before: nobody may write this table.
create or replace function app.count_script_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_stats as s (procedure_id, company_id, runs, succeeded, last_run_at)
    select n.procedure_id, n.company_id, count(*), count(*) filter (where n.status = 'succeeded'), max(n.finished_at)
    from new_runs n join old_runs o on o.id = n.id
    where n.procedure_id is not null and n.status in ('succeeded', 'failed', 'timed_out')
      and o.status not in ('succeeded', 'failed', 'timed_out')
      -- Those never ran, so that they say nothing about the script.
      and coalesce(n.error, '') not in ('denied', 'unapproved', 'replaced', 'declined', 'values_denied')
    group by n.procedure_id, n.company_id
    -- One order for all, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
  rules record;
begin
  -- At the last moment: the policy may be younger than the job.
  select p.denied, p.needs_approval, p.denies_values into rules from app.policy_of(company, device, 'permission') p;
  if rules.denied <> '{}' then
    update public.job_runs r set status = 'failed', error = 'denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and app.job_act(j) = any (rules.denied);
  end if;
  if rules.denies_values then
    update public.job_runs r set status = 'failed', error = 'values_denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and app.free_values(j) <> '{}';
  end if;
  if rules.needs_approval then
    -- A text that is no version of a script: nobody can approve it.
    update public.job_runs r set status = 'failed', error = 'unapproved', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and j.procedure_version_id is null;
    -- Nobody can approve a version that was replaced, and somebody declined this one.
    update public.job_runs r set status = 'failed', error = case when v.declined_at is null then 'replaced' else 'declined' end, finished_at = now()
      from public.jobs j
        join public.procedure_versions v on v.company_id = j.company_id and v.id = j.procedure_version_id
        join public.procedures p on p.company_id = v.company_id and p.id = v.procedure_id
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and v.approved_at is null and (v.declined_at is not null or v.number <> p.revision);
    update public.job_runs r set waits_for = case when app.is_approved(j) then null else 'approval' end
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and (r.waits_for is null) <> app.is_approved(j);
    perform app.begin_waiting(company, device);
  else
    update public.job_runs r set waits_for = null
      where r.company_id = company and r.device_id = device and r.status = 'queued' and r.waits_for = 'approval';
  end if;
  if room <= 0 then
    return '[]';
  end if;
  -- Queued ones, and those whose lease lapsed: the same attempt again, which the device answers from its journal.
  select array_agg(picked.id order by picked.queued_at, picked.id) into offered from (
    select r.id, r.queued_at
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = company and r.device_id = device and r.cancel_requested_at is null
      -- Once more: a step of an automation may have been queued by the failure above, and a lease may have lapsed before the policy.
      and (r.status = 'running' or rules.denied is null or app.job_act(j) is null or app.job_act(j) <> all (rules.denied))
      and (r.status = 'running' or rules.denies_values is not true or j.kind <> 'procedure' or app.free_values(j) = '{}')
      and (r.status = 'running' or rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now() and (r.start_after is null or r.start_after <= now())
          and (rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          ))
          and (not r.is_capped or app.has_slot(company, j.id, j.max_running)))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
      waits_for = null,
      attempt = greatest(r.attempt, 1),
      claimed_at = coalesce(r.claimed_at, now()),
      lease_until = now() + interval '5 minutes'
    where r.company_id = company and r.id = any (offered);
  return (
    select jsonb_agg(jsonb_build_object(
        'run_id', r.id, 'attempt', r.attempt, 'type', j.script_type, 'script', j.script, 'sha256', j.script_sha256,
        'parameters', j.parameters || coalesce(s.parameters, '{}') || coalesce(p.parameters, '{}'),
        'timeout_seconds', j.timeout_seconds,
        -- Whose values the device takes out of the output before it reports.
        'secrets', coalesce((select jsonb_agg(k order by k) from jsonb_object_keys(s.parameters) k), '[]')
      ) order by r.queued_at, r.id)
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join app.job_secrets s on s.job_id = j.id
      -- The updates that this device is to install: each has its own.
      left join lateral (
        select jsonb_build_object('patches', jsonb_agg(jsonb_build_object('title', u.title, 'kb_number', u.kb_number) order by u.title)::text) as parameters
        from public.device_patches t
          join public.patches u on u.company_id = t.company_id and u.id = t.patch_id
        where j.kind = 'task' and t.company_id = company and t.run_id = r.id and t.status in ('queued', 'installing')
            -- Not the copy: an exception may be as young as the row.
            and coalesce((select x.approval from app.exception_of(company, u.id, device) x), u.approval) = 'approved'
        having count(*) > 0
      ) p on true
    where r.company_id = company and r.id = any (offered)
  );
end $$;

create or replace function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.window_weekdays, p.window_from, p.window_to,
      p.timezone, p.reboot,
      p.reboot_weekdays, p.reboot_from, p.reboot_to, p.ring, p.promote_after_days, p.promote_success_percent, p.promote_min_devices, p.check_in_seconds,
      p.agent_updates, p.agent_update_days, p.denied, p.needs_approval, p.denies_values, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;
