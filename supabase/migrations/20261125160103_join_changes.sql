-- What several changes of one day made of the same functions, and what a review found in them.

-- Security definer, as before: figures count for whoever may see the dashboard; it checks permission and company itself.
create or replace function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- One answer for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'unchecked', (select count(*) from public.monitors m where %1$s and m.health = 'unknown'),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where v.created_by is distinct from app.current_user_id()) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;

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
  -- Again: somebody may have decided before the lock.
  select v.* into found from public.procedure_versions v where v.company_id = found.company_id and v.id = found.id;
  return found;
end $$;
comment on function app.version_to_decide(uuid) is
  'The newest version of a script, which the caller may approve or decline; its script is locked. Checks the permission, the company and that '
  'the caller wrote nothing of it since the last approval.';

create or replace function app.retried_job(job_id uuid) returns public.jobs
  language plpgsql stable set search_path = '' as $$
declare
  old public.jobs%rowtype;
begin
  select j.* into old from public.jobs j where j.id = retried_job.job_id and j.company_id = any (app.visible_company_ids());
  perform app.require(case old.kind when 'command' then 'custom-commands' when 'task' then app.task_object(old.script)
    else 'procedures' end, 'run');
  if old.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  if old.status = 'running' then
    raise exception 'The job still runs.' using errcode = 'check_violation', hint = 'job_runs';
  end if;
  if old.kind = 'procedure' and old.procedure_version_id is null then
    raise exception 'The script was deleted.' using errcode = 'check_violation', hint = 'procedure_gone';
  end if;
  if old.kind = 'task' and (case old.script::jsonb ->> 'task'
    when 'corporate_app' then not exists (select 1 from public.corporate_apps a
      where a.company_id = old.company_id and a.name = old.script::jsonb #>> '{app,name}')
    when 'app' then old.script::jsonb ->> 'act' <> 'remove'
      and not exists (select 1 from public.apps a where a.enabled and a.name = old.script::jsonb ->> 'name')
    else false end) then
    raise exception 'The app was deleted or disabled.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return old;
end $$;
comment on function app.retried_job(uuid) is
  'A job that the caller may run again. PT404 with hint job_gone or app_gone, 23514 with hint job_runs or procedure_gone.';

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

create or replace function app.job_act(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case when job.kind <> 'task' then job.kind else case job.script::jsonb ->> 'task'
    when 'app' then 'app' when 'corporate_app' then 'app' when 'remove_corporate_app' then 'app'
    when 'scan_patches' then 'patch' when 'install_patches' then 'patch'
    when 'reboot' then 'power' when 'shut_down' then 'power' end end
$$;

create or replace function app.task_object(script text) returns text
  language sql immutable set search_path = '' as $$
  select case script::jsonb ->> 'task'
    when 'app' then 'apps' when 'corporate_app' then 'corporate_apps' when 'remove_corporate_app' then 'corporate_apps'
    when 'scan_patches' then 'device_patches' when 'install_patches' then 'device_patches'
    else 'devices' end
$$;
