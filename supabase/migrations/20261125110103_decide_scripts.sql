-- Runs that wait for the approval of a script always end: when the version is approved, declined or replaced by an edit.
-- Whoever may approve is told when runs begin to wait; the author and whoever asked for the runs, when it was decided.

alter table public.procedure_versions add column declined_at timestamptz;
alter table public.procedure_versions add column declined_by uuid references public.profiles (id) on delete set null;
alter table public.procedure_versions add column declined_name text;
alter table public.procedure_versions add column decline_reason text check (length(btrim(decline_reason)) between 1 and 500);
comment on column public.procedure_versions.declined_at is 'When somebody declined it: its runs fail where a policy asks for approval. Null again once it was approved.';
comment on column public.procedure_versions.declined_name is 'Who declined it, by name, as approved_name.';
create index procedure_versions_decliner_idx on public.procedure_versions (declined_by);

alter table public.procedures add column approved_at timestamptz;
alter table public.procedures add column approved_name text;
alter table public.procedures add column declined_at timestamptz;
alter table public.procedures add column declined_name text;
alter table public.procedures add column decline_reason text;
alter table public.procedures add column waiting_since timestamptz;
comment on column public.procedures.approved_at is
  'When the newest version was approved. As approved_name, declined_at, declined_name and decline_reason a copy of its row in '
  'procedure_versions, for lists and records; null after an edit.';
comment on column public.procedures.waiting_since is
  'Since when runs have been waiting for the approval of the newest version; null while none is. Kept by app.begin_waiting() and app.settle_waiting().';
create index procedures_waiting_idx on public.procedures (company_id, name_key, id) where waiting_since is not null;
create index procedures_waiting_everywhere_idx on public.procedures (name_key, id) where waiting_since is not null;
create index job_runs_waiting_idx on public.job_runs (company_id, procedure_id) where status = 'queued' and waits_for = 'approval';

set app.quiet = 'on';
update public.procedures p set approved_at = v.approved_at, approved_name = v.approved_name
  from public.procedure_versions v
  where v.company_id = p.company_id and v.procedure_id = p.id and v.number = p.revision and v.approved_at is not null;
reset app.quiet;

-- A decision, or a run that waits, does not make an open form out of date.
create or replace trigger procedures_touch before update on public.procedures for each row
  when (old.revision is distinct from new.revision or (old.waiting_since, old.approved_at, old.declined_at)
    is not distinct from (new.waiting_since, new.approved_at, new.declined_at))
  execute function app.touch();
drop trigger procedures_audit_insert on public.procedures;
drop trigger procedures_audit_update on public.procedures;
drop trigger procedures_audit_delete on public.procedures;
select app.keep_audit('public.procedures', 'id', array['waiting_since']);

create or replace function app.stamp_procedure() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.revision := 1;
    -- Whoever is signed in is the author, whatever the request says; the seed has nobody signed in.
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
    return new;
  end if;
  new.revision := old.revision;
  -- A profile that is deleted takes its name off the procedure (as the owner of the tables); nothing else moves it.
  if new.created_by is not null or current_user in ('anon', 'authenticated') then
    new.created_by := old.created_by;
  end if;
  if (new.type, new.script, new.parameters, new.timeout_seconds)
    is distinct from (old.type, old.script, old.parameters, old.timeout_seconds) then
    new.revision := old.revision + 1;
    -- These are about the newest version.
    new.approved_at := null;
    new.approved_name := null;
    new.declined_at := null;
    new.declined_name := null;
    new.decline_reason := null;
    new.waiting_since := null;
  end if;
  return new;
end $$;

comment on column public.job_runs.error is
  'Why a run did not succeed, as a code: interrupted, hash_mismatch, no_interpreter, start_failed, refused, timed_out, ''cancelled'', expired, '
  'lost, denied (a policy), unapproved (no version of a script), replaced (edited before it was approved), declined. Null for a plain non-zero exit code.';

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
      and coalesce(n.error, '') not in ('denied', 'unapproved', 'replaced', 'declined')
    group by n.procedure_id, n.company_id
    -- One order for all, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;

-- Waiting -----------------------------------------------------------------------------------------------------------------

create function app.settle_waiting(company uuid default null, scripts uuid[] default null) returns integer
  language plpgsql set search_path = '' as $$
declare
  settled integer;
begin
  with over as (
    select p.company_id, p.id from public.procedures p
    where p.waiting_since is not null and (scripts is null or p.company_id = company and p.id = any (scripts))
      and not exists (select 1 from public.job_runs r
        where r.company_id = p.company_id and r.procedure_id = p.id and r.status = 'queued' and r.waits_for = 'approval')
    -- Whoever holds it edits or decides it, and may wait for the jobs of this transaction.
    order by p.id limit 500 for no key update skip locked
  )
  update public.procedures p set waiting_since = null from over where p.company_id = over.company_id and p.id = over.id;
  get diagnostics settled = row_count;
  return settled;
end $$;
comment on function app.settle_waiting(uuid, uuid[]) is
  'Step of app.tick(), and after runs were canceled: scripts whose last waiting run has ended wait for no approval any more; at most 500 a call.';
revoke execute on function app.settle_waiting(uuid, uuid[]) from public;
insert into app.tick_step (position, name, function) values (61, 'waiting_scripts', 'settle_waiting');

create function app.begin_waiting(company uuid, device uuid) returns void
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
  -- A policy that is new may hold hundreds of scripts: the list and the dashboard have them all.
  where (select count(*) from (select 1 from public.notifications n
    where n.user_id = r.user_id and n.read_at is null and n.kind = 'script_waiting' limit 10) unread) < 10
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;
comment on function app.begin_waiting(uuid, uuid) is
  'Marks the scripts whose newest version the queued runs of a device wait for, and tells whoever else than the author may approve them: '
  'once a version, and nobody who has 10 of these unread.';
revoke execute on function app.begin_waiting(uuid, uuid) from public;

create function app.end_waiting(company uuid, script_id uuid) returns void
  language plpgsql set search_path = '' as $$
declare
  claims text := current_setting('request.jwt.claims', true);
  -- Older PostgREST sets it, and auth.uid() reads it first.
  claimed_user text := current_setting('request.jwt.claim.sub', true);
begin
  -- The next step of an automation is queued as after a device's report: whoever edits or declines did not ask for it.
  perform set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true);
  with waiting as (
    select r.id, case when v.declined_at is null then 'replaced' else 'declined' end as error
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      join public.procedure_versions v on v.company_id = j.company_id and v.id = j.procedure_version_id
    where r.company_id = company and r.procedure_id = script_id and r.status = 'queued' and r.waits_for = 'approval' and v.approved_at is null
    -- app.claim_runs() ends the others when their devices ask, and what a device holds at this moment.
    order by r.id limit 1000 for update of r skip locked
  )
  update public.job_runs r set status = 'failed', error = waiting.error, finished_at = now() from waiting where r.id = waiting.id;
  perform set_config('request.jwt.claims', coalesce(claims, ''), true), set_config('request.jwt.claim.sub', coalesce(claimed_user, ''), true);
end $$;
comment on function app.end_waiting(uuid, uuid) is
  'Ends the runs that wait for the approval of a version that cannot be approved any more, or was declined: at most 1,000, the others at '
  'the next check-in of their devices.';
revoke execute on function app.end_waiting(uuid, uuid) from public;

-- Security definer: nobody may write runs.
create function app.end_replaced() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.end_waiting(new.company_id, new.id);
  return null;
end $$;
comment on function app.end_replaced() is 'Row trigger: an edit of a script ends the runs that wait for the approval of an earlier version.';
revoke execute on function app.end_replaced() from public;
-- After procedures_next_version.
create trigger procedures_replaced after update on public.procedures
  for each row when (old.revision is distinct from new.revision) execute function app.end_replaced();

create or replace function app.cancel_runs(company uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all who lock runs: by id.
  perform 1 from public.job_runs r
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running')
    order by r.id for update;
  update public.job_runs r
    set status = case when r.status = 'queued' then 'cancelled' else r.status end,
      finished_at = case when r.status = 'queued' then now() end,
      error = case when r.status = 'queued' then 'cancelled' end,
      cancel_requested_at = coalesce(r.cancel_requested_at, now())
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running');
  perform app.settle_waiting(company, array(
    select distinct r.procedure_id from public.job_runs r where r.company_id = company and r.id = any (run_ids) and r.waits_for = 'approval'));
end $$;

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
  rules record;
begin
  -- At the last moment: the policy may be younger than the job.
  select p.denied, p.needs_approval into rules from app.policy_of(company, device, 'permission') p;
  if rules.denied <> '{}' then
    update public.job_runs r set status = 'failed', error = 'denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and app.job_act(j) = any (rules.denied);
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

-- Decisions ---------------------------------------------------------------------------------------------------------------

create function app.version_to_decide(version_id uuid) returns public.procedure_versions
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
  -- Again: somebody may have decided before the lock.
  select v.* into found from public.procedure_versions v where v.company_id = found.company_id and v.id = found.id;
  return found;
end $$;
comment on function app.version_to_decide(uuid) is
  'The newest version of a script, which the caller may approve or decline; its script is locked. Checks the permission, the company and that '
  'the caller is not the author.';
revoke execute on function app.version_to_decide(uuid) from public;

create function app.tell_decision(version public.procedure_versions, kind text, params jsonb) returns void
  language sql volatile set search_path = '' as $$
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select u.id, version.company_id, tell_decision.kind,
    params || jsonb_build_object('script', p.name, 'number', version.number), '/procedures/' || p.id, tell_decision.kind || ':' || version.id
  from (
    select version.created_by as id
    union
    select j.created_by
    from (
      select r.company_id, r.job_id from public.job_runs r
      where r.company_id = version.company_id and r.procedure_id = version.procedure_id and r.status = 'queued' and r.waits_for = 'approval'
      limit 5000
    ) w join public.jobs j on j.company_id = w.company_id and j.id = w.job_id
    where j.procedure_version_id = version.id
  ) u
    join public.procedures p on p.company_id = version.company_id and p.id = version.procedure_id
    join public.user_roles r on r.user_id = u.id and r.deactivated_at is null and coalesce(r.company_id, version.company_id) = version.company_id
  where u.id is distinct from app.current_user_id()
  order by u.id limit 200
  on conflict (user_id, once_key) do nothing
$$;
comment on function app.tell_decision(public.procedure_versions, text, jsonb) is
  'Tells the author of a version, and whoever asked for runs that wait for it, that it was approved or declined. Once a person and version.';
revoke execute on function app.tell_decision(public.procedure_versions, text, jsonb) from public;

-- Security definer, as before: nobody may write versions.
create or replace function public.approve_procedure(version_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if version.approved_at is not null then
    return;
  end if;
  update public.procedure_versions v
    set approved_at = now(), approved_by = p.id, approved_name = coalesce(nullif(p.name, ''), p.email),
      declined_at = null, declined_by = null, declined_name = null, decline_reason = null
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set approved_revision = version.number, approved_at = version.approved_at, approved_name = version.approved_name,
      declined_at = null, declined_name = null, decline_reason = null, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_approved', jsonb_build_object('by', version.approved_name));
  -- What its page says until the device asks; it clears the others itself.
  with free as (
    select r.id from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = version.company_id and r.procedure_id = version.procedure_id and r.status = 'queued' and r.waits_for = 'approval'
      and j.procedure_version_id = version.id
    order by r.id limit 1000 for update of r skip locked
  )
  update public.job_runs r set waits_for = null from free where r.id = free.id;
end $$;
comment on function public.approve_procedure(uuid) is
  'Approves the newest version of a script, which somebody else wrote, also one that was declined. Devices under a policy with '
  'needs_approval run no other. 23514 version_replaced after an edit, 42501 own_version for the author.';

-- Security definer: nobody may write versions and runs. app.version_to_decide() checks the permission, the company and the person.
create function public.decline_procedure(version_id uuid, reason text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if coalesce(length(btrim(reason)), 0) not between 1 and 500 then
    raise exception 'A reason has 1 to 500 characters.' using errcode = 'check_violation', hint = 'reason_invalid';
  end if;
  if version.approved_at is not null or version.declined_at is not null then
    raise exception 'Somebody decided about this version already.' using errcode = 'check_violation', hint = 'version_decided';
  end if;
  update public.procedure_versions v
    set declined_at = now(), declined_by = p.id, declined_name = coalesce(nullif(p.name, ''), p.email), decline_reason = btrim(reason)
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set declined_at = version.declined_at, declined_name = version.declined_name, decline_reason = version.decline_reason, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_declined', jsonb_build_object('by', version.declined_name, 'reason', version.decline_reason));
  perform app.end_waiting(version.company_id, version.procedure_id);
end $$;
comment on function public.decline_procedure(uuid, text) is
  'Declines the newest version of a script, which somebody else wrote, with a reason of 1 to 500 characters: the runs that wait for it fail, '
  'and so do later ones where a policy asks for approval. 23514 version_replaced, version_decided or reason_invalid, 42501 own_version for the author.';
revoke execute on function public.decline_procedure(uuid, text) from public, anon;
grant execute on function public.decline_procedure(uuid, text) to authenticated;
