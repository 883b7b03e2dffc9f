-- Security definer: A run also changes when a user deletes its device, and nobody may write jobs, job_secrets or
-- procedure_logs.
create function app.follow_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct n.job_id) into touched
    from new_runs n join old_runs o on o.id = n.id
    where n.status is distinct from o.status or n.reported_at is distinct from o.reported_at;
  if touched is null then
    return null;
  end if;

  -- All lock in one order, or two devices that finish runs of the same two jobs would wait for each other.
  perform 1 from public.jobs j where j.id = any (touched) order by j.id for update;
  update public.jobs j
    set succeeded = j.succeeded + moved.succeeded,
      failed = j.failed + moved.failed,
      canceled = j.canceled + moved.canceled,
      status = case
        when j.status = 'running'
          and j.succeeded + j.failed + j.canceled + moved.succeeded + moved.failed + moved.canceled >= j.total then 'finished'
        else j.status
      end
    from (
      select n.job_id,
        sum((n.status = 'succeeded')::int - (o.status = 'succeeded')::int)::int as succeeded,
        sum((n.status in ('failed', 'timed_out', 'expired'))::int
          - (o.status in ('failed', 'timed_out', 'expired'))::int)::int as failed,
        sum((n.status = 'cancelled')::int - (o.status = 'cancelled')::int)::int as canceled
      from new_runs n join old_runs o on o.id = n.id
      where n.status is distinct from o.status
      group by n.job_id
    ) moved
    where j.id = moved.job_id and j.id = any (touched)
      and (moved.succeeded <> 0 or moved.failed <> 0 or moved.canceled <> 0);
  delete from app.job_secrets s using public.jobs j
    where s.job_id = j.id and j.id = any (touched) and j.succeeded + j.failed + j.canceled >= j.total;

  insert into public.procedure_logs
    (company_id, procedure_id, procedure_name, device_id, device_name, job_run_id, executed_at, status, output)
  select n.company_id, n.procedure_id, j.name, n.device_id, d.name, n.id, coalesce(n.finished_at, now()),
    case n.status when 'succeeded' then 'success' else 'error' end, left(n.output, 8000)
  from new_runs n
    join old_runs o on o.id = n.id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
    join public.devices d on d.company_id = n.company_id and d.id = n.device_id
  where o.reported_at is null and n.reported_at is not null and j.kind = 'procedure'
  on conflict (company_id, job_run_id) do nothing;
  return null;
end $$;
comment on function app.follow_runs() is 'Keeps a job''s counters and procedure_logs in step with its runs, once a statement.';

-- Security definer: Nobody may write jobs.
create function app.forget_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, as in app.follow_runs().
  perform 1 from public.jobs j
    where j.id in (select o.job_id from old_runs o where o.status in ('queued', 'claimed', 'running'))
    order by j.id for update;
  update public.jobs j
    set total = j.total - gone.open,
      status = case
        when j.status = 'running' and j.succeeded + j.failed + j.canceled >= j.total - gone.open then 'finished'
        else j.status
      end
    from (
      select o.job_id, count(*)::int as open from old_runs o
      where o.status in ('queued', 'claimed', 'running') group by o.job_id
    ) gone
    where j.id = gone.job_id;
  return null;
end $$;
comment on function app.forget_runs() is 'A device removed in the middle of a job must not keep the job open for ever.';

create function app.copy_run_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_run_keys() is
  'Row trigger: a run sorts as its device does. Definer, because it reads the device whatever the writer may read.';

create function app.bind_parameters(definitions jsonb, given jsonb, out plain jsonb, out secret jsonb)
  language plpgsql immutable set search_path = '' as $$
declare
  item jsonb;
  value jsonb;
  unknown text;
  label text;
begin
  plain := '{}';
  secret := '{}';
  if jsonb_typeof(given) is distinct from 'object' then
    raise exception 'The parameters must be an object of names and values.'
      using errcode = 'check_violation', hint = 'parameters_invalid';
  end if;
  select k into unknown from jsonb_object_keys(given) k
    where not exists (select 1 from jsonb_array_elements(definitions) d where d ->> 'name' = k) limit 1;
  if unknown is not null then
    raise exception 'The procedure has no parameter "%".', left(unknown, 60)
      using errcode = 'check_violation', hint = 'parameter_unknown';
  end if;
  for item in select * from jsonb_array_elements(definitions) loop
    label := coalesce(nullif(item ->> 'label', ''), item ->> 'name');
    value := given -> (item ->> 'name');
    if value is null or value in ('null', '""') then
      value := coalesce(item -> 'default', 'null');
    end if;
    if value in ('null', '""') then
      if coalesce((item ->> 'required')::boolean, false) then
        raise exception 'The parameter "%" is required.', label
          using errcode = 'check_violation', hint = 'parameter_required';
      end if;
      continue;
    end if;
    if jsonb_typeof(value) not in ('string', 'number', 'boolean') or length(value #>> '{}') > 4000
      or (item ->> 'kind' = 'number' and (value #>> '{}') !~ '^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$')
      or (item ->> 'kind' = 'boolean' and (value #>> '{}') not in ('true', 'false'))
      or (item ->> 'kind' = 'choice' and not (item -> 'choices') @> jsonb_build_array(value #>> '{}')) then
      raise exception 'The value of the parameter "%" does not fit.', label
        using errcode = 'check_violation', hint = 'parameter_invalid';
    end if;
    if item ->> 'kind' = 'secret' then
      -- Shorter values are parts of ordinary words: masking them would garble the output and give them away.
      if length(value #>> '{}') < 4 then
        raise exception 'The secret "%" must have at least 4 characters.', label
          using errcode = 'check_violation', hint = 'parameter_secret_short';
      end if;
      secret := secret || jsonb_build_object(item ->> 'name', value #>> '{}');
    else
      plain := plain || jsonb_build_object(item ->> 'name', value);
    end if;
  end loop;
end $$;
comment on function app.bind_parameters(jsonb, jsonb) is
  'Checks given values against the definitions, fills in defaults, and parts secret values from the others. Raises check_violation with a hint.';

create function app.cancel_runs(company uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All who lock runs do so by id.
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
comment on function app.cancel_runs(uuid, uuid[]) is
  'Cancels what no device has claimed, and asks the devices to stop the rest at their next check-in.';

-- Security definer: nobody may update runs; this function checks the permission and the company.
create function public.cancel_run(run_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  perform app.require('job_runs', 'cancel');
  select r.id, r.company_id into found from public.job_runs r
    where r.id = run_id and r.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The run was not found.' using errcode = 'PT404', hint = 'run_gone';
  end if;
  perform app.cancel_runs(found.company_id, array[found.id]);
  return (select r.status from public.job_runs r where r.company_id = found.company_id and r.id = found.id);
end $$;
comment on function public.cancel_run(uuid) is
  'Cancels a run and returns its status: a queued one is canceled at once, one on its device when the device has stopped it; a finished one stays as it is.';
grant execute on function public.cancel_run(uuid) to authenticated;

-- Security definer: nobody may update jobs and runs; this function checks the permission and the company.
create function public.cancel_job(job_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  perform app.require('jobs', 'cancel');
  select j.id, j.company_id, j.status into found from public.jobs j
    where j.id = cancel_job.job_id and j.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  -- Runs first, then the job: the order in which a device's report takes its locks.
  perform app.cancel_runs(found.company_id, array(
    select r.id from public.job_runs r
    where r.company_id = found.company_id and r.job_id = found.id and r.status in ('queued', 'claimed', 'running')
  ));
  -- A job that was over before stays finished.
  if found.status = 'running' then
    update public.jobs j set status = 'cancelled' where j.company_id = found.company_id and j.id = found.id;
  end if;
  return (select j.status from public.jobs j where j.company_id = found.company_id and j.id = found.id);
end $$;
comment on function public.cancel_job(uuid) is 'Cancels every open run of a job and returns the job''s status.';
grant execute on function public.cancel_job(uuid) to authenticated;

create function app.expire_runs() returns integer
  language plpgsql set search_path = '' as $$
declare
  moved integer;
begin
  -- A single statement locks the jobs of both kinds in one order.
  with unclaimed as (
    -- Never claimed until the job expired.
    select r.id from public.jobs j
      join public.job_runs r on r.company_id = j.company_id and r.job_id = j.id and r.status = 'queued'
    where j.status = 'running' and j.expires_at <= now()
    order by r.id limit 1000 for update of r skip locked
  ), silent as (
    -- Claimed, and the device fell silent: canceled if that was requested, given up when the script can no
    -- longer be running and the job has expired. A result that still comes is taken (reported_at is null).
    select r.id, r.cancel_requested_at is not null as is_cancelled from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.status in ('claimed', 'running') and r.lease_until < now()
      and (r.cancel_requested_at is not null or (
        j.expires_at < now()
        and coalesce(r.started_at, r.claimed_at) + make_interval(secs => j.timeout_seconds) < now() - interval '1 hour'
      ))
    order by r.id limit 1000 for update of r skip locked
  ), due as (
    select u.id, 'expired' as status, 'expired' as error from unclaimed u
    union all
    select s.id, case when s.is_cancelled then 'cancelled' else 'expired' end,
      case when s.is_cancelled then 'cancelled' else 'lost' end from silent s
  )
  update public.job_runs r set status = due.status, error = due.error, finished_at = now(), lease_until = null
    from due where r.id = due.id;
  get diagnostics moved = row_count;
  return moved;
end $$;
comment on function app.expire_runs() is
  'Ends runs nobody will answer for any more, at most 1,000 of a kind a call; safe to run many times at once. Returns how many ended.';

create function app.spread_device_to_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.job_runs r set device_key = new.name_key where r.company_id = new.company_id and r.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_runs() is
  'Row trigger: the runs of a renamed device sort by its new name. Definer, because nobody may write runs.';

create function public.search_job_runs(q text) returns setof public.job_runs
  language sql stable rows 500 as $$
  select t.* from public.job_runs t
  where case when app.search_ids('jobs', q) is null
      then exists (select 1 from public.jobs j where j.company_id = t.company_id and j.id = t.job_id
                   and j.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.job_id = any (app.search_ids('jobs', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_job_runs(text) is
  'The runs whose task, named as its script, or whose device matches every word of q; filter, order and page it like the table.';
grant execute on function public.search_job_runs(text) to authenticated;

create function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
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
  -- Whoever asked may have lost the right while the device was away.
  update public.job_runs r set status = 'failed', error = 'no_right', finished_at = now()
    from public.jobs j
    where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
      and j.created_by is not null and not app.may_as(j.created_by, company, app.job_object(j), 'run');
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
        -- The device takes the values of these out of the output before it reports.
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
comment on function app.claim_runs(uuid, uuid, uuid[], integer) is
  'Claims at most `room` runs of a device for five minutes and returns what it needs to start them.';

-- Security definer: app.next_run() is granted to nobody.
create function app.stamp_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null then
    -- Null comes from a deleted profile alone: the column is nobody's to write.
    new.created_by := old.created_by;
  end if;
  -- Another frequency or kind of target may have left values behind.
  new.device_time := new.device_time and new.frequency not in ('once', 'every');
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if new.frequency = 'once' and not app.is_server_work() and new.starts_at < now() - interval '5 minutes'
    and (tg_op = 'INSERT' or (new.frequency, new.starts_at) is distinct from (old.frequency, old.starts_at)) then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'starts_in_past', constraint = 'scheduled_tasks_starts_at_check',
      table = 'scheduled_tasks', schema = 'public', message = 'A task that runs once starts in the future.';
  end if;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day, new.month_week, new.month_weekday,
      new.timezone, new.device_time, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day, old.month_week, old.month_weekday,
      old.timezone, old.device_time, old.enabled) then
    return new;
  end if;
  new.set_at := now();
  new.next_run_at := case when new.enabled then app.first_run(new) end;
  return new;
end $$;
comment on function app.stamp_schedule() is
  'Row trigger: author and next_run_at are not the writer''s, and a target of another kind is left out. The tick, which changes neither the rule nor the switch, keeps what it wrote. '
  'Definer, because app.next_run() is granted to nobody.';

create function app.guard_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  bound record;
begin
  if not app.is_server_work() then
    -- A schedule runs scripts: whoever may not run them shall not let the clock do it.
    perform app.require('procedures', 'run');
    -- Row-level security asks after the triggers: this one must not tell of another company's scripts first.
    if not app.sees_all() and new.company_id is distinct from app.own_company() then
      raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
    end if;
  end if;
  begin
    select app.bind_parameters(p.parameters, '{}') as ok into bound
      from public.procedures p where p.company_id = new.company_id and p.id = new.procedure_id;
  exception when check_violation then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'parameter_required', detail = sqlerrm,
      constraint = 'scheduled_tasks_procedure_id_check', table = 'scheduled_tasks', schema = 'public',
      message = 'new row for relation "scheduled_tasks" violates check constraint "scheduled_tasks_procedure_id_check"';
  end;
  return new;
end $$;
comment on function app.guard_schedule() is
  'Row trigger: only who may run procedures schedules them, and a procedure that asks for values (check_violation, parameter_required) cannot be scheduled. '
  'Definer, because it binds parameters as run_procedure does.';

create function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  -- A day by the devices' clocks counts while it lies ahead of one zone; the device itself asks for its own start.
  starts constant timestamptz := task.starts_at - app.zone_span(task);
  base timestamptz := greatest(after, starts);
  -- Where the devices' own clocks decide, the day begins on the line of the date: no zone is earlier.
  zone constant text := case when task.device_time then 'Etc/GMT-14' else task.timezone end;
  -- A day early: the zone's day may have begun before the server's.
  today date := (base at time zone zone)::date - 1;
  step interval;
  found timestamptz;
begin
  if task.frequency = 'once' then
    return case when task.starts_at > after then task.starts_at end;
  elsif task.frequency = 'every' then
    if after < task.starts_at then
      return task.starts_at;
    end if;
    step := make_interval(mins => task.every_minutes);
    return task.starts_at + step * (floor(extract(epoch from after - task.starts_at) / (task.every_minutes * 60)) + 1);
  end if;
  -- The zone's own clock decides. A time that a day leaves out (spring) is the same time after the change, a time that a day
  -- has twice (autumn) is the second: never skipped, never run twice.
  select min(c.moment) into found
  from (
    select (d.day + task.time_of_day::time) at time zone zone as moment
    from (
      select today + n as day from generate_series(0, 9) n where task.frequency in ('daily', 'weekly')
      union all
      -- The 31st is the last day where a month is shorter.
      select least(m.first + task.month_day - 1, (m.first + interval '1 month')::date - 1)
      from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
            from generate_series(0, 3) n) m
      where task.frequency = 'monthly'
      union all
      select case when task.month_week = 'last'
        then m.last - (extract(isodow from m.last)::integer - m.wanted + 7) % 7
        else m.first + (m.wanted - extract(isodow from m.first)::integer + 7) % 7
          + 7 * (array_position(array['first', 'second', 'third', 'fourth'], task.month_week) - 1) end
      from (
        select x.first, (x.first + interval '1 month')::date - 1 as last,
          array_position(array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], task.month_weekday) as wanted
        from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
              from generate_series(0, 3) n) x
      ) m
      where task.frequency = 'monthly_weekday'
    ) d
    where task.frequency <> 'weekly'
      or (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from d.day)::integer] = any (task.weekdays)
  ) c
  where c.moment > after and c.moment >= starts;
  return found;
end $$;
comment on function app.next_run(public.scheduled_tasks, timestamptz) is
  'The first time after `after` at which a task runs, by the clock of its time zone; null without a next time.';

create function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  fitting record;
  job uuid;
  capped boolean;
begin
  if not app.holds(task.set_by, task.set_by_operator, task.company_id, 'procedures', 'run') then
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  end if;
  if task.target_kind in ('devices', 'groups', 'filter') and not task.set_by_operator then
    begin
      wanted := app.devices_as(task.set_by, task.company_id, app.schedule_target(task));
    exception when insufficient_privilege then
      perform app.pause_for('scheduled_tasks', task.id);
      return 'person';
    end;
  elsif task.target_kind = 'filter' then
    -- A filter is asked with somebody's permissions.
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  else
    select array_agg(d.id order by d.id) into wanted from public.devices d
    where d.company_id = task.company_id and case task.target_kind
      when 'all' then true
      when 'device' then d.id = task.device_id
      when 'devices' then d.id = any (app.target_ids(task.target, 'device_ids'))
      else exists (select 1 from public.group_devices g where g.company_id = task.company_id and g.device_id = d.id
        and g.group_id = any (case task.target_kind when 'group' then array[task.group_id] else app.target_ids(task.target, 'group_ids') end)) end;
  end if;
  if wanted is null then
    return 'no_devices';
  end if;
  if cardinality(wanted) > app.max_targets() then
    return 'devices_too_many';
  end if;
  if task.device_time then
    -- Devices whose time had passed when the schedule was set, or passed while nothing ticked, wait for the next one.
    select array_agg(d.id order by d.id) into wanted
    from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id
    where app.device_start(task, d.timezone, due) >= greatest(task.set_at, task.starts_at,
      case when task.missed_run = 'skip' then now() - interval '15 minutes' end);
    if wanted is null then
      return 'passed';
    end if;
  end if;
  select p.* into script from public.procedures p where p.company_id = task.company_id and p.id = task.procedure_id;
  fitting := app.runnable_devices(task.company_id, wanted, script.platforms, coalesce(task.set_by, task.created_by));
  wanted := fitting.devices;
  if wanted is null then
    return case when fitting.full > 0 then 'Each device has as many open runs as a device may have'
      else 'The script runs on no system of the target' end;
  end if;
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running,
     platforms, left_out, left_full)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, coalesce(task.set_by, task.created_by),
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes)
      -- The last zone's day begins 26 hours after the first one's.
      + app.zone_span(task),
    cardinality(wanted), task.id, due, case when task.max_running < cardinality(wanted) then task.max_running end,
    script.platforms, fitting.other, fitting.full
  from public.procedure_versions v
  where v.company_id = script.company_id and v.procedure_id = script.id and v.number = script.revision
  on conflict (schedule_id, due_at) do nothing
  returning id, max_running is not null into job, capped;
  if job is not null then
    if bound.secret <> '{}' then
      insert into app.job_secrets (job_id, company_id, parameters) values (job, task.company_id, bound.secret);
    end if;
    insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped, start_after)
      select task.company_id, job, d.id, script.id, capped, coalesce(
        app.spread_start(task.id, d.id, coalesce(app.device_start(task, d.timezone, due), due), task.random_delay_minutes),
        app.device_start(task, d.timezone, due))
      from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id;
  end if;
  return null;
end $$;
comment on function app.queue_scheduled(public.scheduled_tasks, timestamptz, timestamptz) is
  'Makes the job of a task for one of its times, once however often it is asked; returns the reason when no job was made (passed: no '
  'device has the time still ahead; person: who set it may no longer run scripts there), otherwise null.';

create function app.run_schedules() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  following timestamptz;
  outcome text;
  made integer := 0;
begin
  for task in
    select s.* from public.scheduled_tasks s
    join public.companies c on c.id = s.company_id
    where s.enabled and s.next_run_at <= now()
      -- A read-only company runs nothing, and does not catch up later.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    order by s.next_run_at
    limit 100 for update of s skip locked
  loop
    begin
      following := app.next_run(task, case when task.device_time then greatest(task.next_run_at, now() - app.zone_span(task)) else now() end);
    exception when others then
      -- A time that cannot be computed pauses this task, and no other.
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
      update public.scheduled_tasks s set enabled = false, last_error = outcome where s.id = task.id;
      continue;
    end;
    if task.missed_run = 'skip' and task.next_run_at + app.zone_span(task) < now() - interval '15 minutes' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    begin
      outcome := app.queue_scheduled(task, task.next_run_at, following);
    exception when others then
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
    end;
    if outcome = 'person' then
      -- It is paused, and has no next time until somebody takes it over.
      update public.scheduled_tasks s set last_error = outcome where s.id = task.id;
      continue;
    end if;
    if outcome = 'passed' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    update public.scheduled_tasks s set next_run_at = following, last_error = outcome,
      last_run_at = case when outcome is null then now() else s.last_run_at end where s.id = task.id;
    if outcome is null then
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;
comment on function app.run_schedules() is
  'Queues due tasks, up to 100 per call; safe to run many times at once. A run more than 15 minutes late counts as missed. Returns how many were queued.';

create function app.queue_job(asked public.jobs, secret jsonb, device_ids uuid[]) returns uuid
  language plpgsql set search_path = '' as $$
declare
  wanted uuid[];
  fitting record;
begin
  select array_agg(distinct d) into wanted from unnest(device_ids) d where d is not null;
  if wanted is null then
    raise exception 'Choose at least one device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  if cardinality(wanted) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if asked.max_running not between 1 and 1000 then
    raise exception 'A job runs on 1 to 1,000 devices at once.' using errcode = 'check_violation', hint = 'max_running_invalid';
  end if;
  if asked.expires_at <= now() or asked.expires_at > now() + interval '31 days' then
    raise exception 'A job must expire in the future, within 31 days.' using errcode = 'check_violation', hint = 'expiry_invalid';
  end if;
  -- Joined: = any () would compare each device with each of thousands of entries.
  if (select count(*) from unnest(wanted) w (id) join public.devices d on d.company_id = asked.company_id and d.id = w.id)
    <> cardinality(wanted) then
    raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  fitting := app.runnable_devices(asked.company_id, wanted, asked.platforms);
  wanted := fitting.devices;
  if wanted is null then
    raise exception 'None of the chosen devices can take the run.' using errcode = 'check_violation',
      hint = case when fitting.full > 0 then 'runs_too_many' else 'platform_none' end;
  end if;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, secret_names, created_by, expires_at, total, max_running,
     platforms, left_out, left_full)
  values (asked.company_id, asked.kind, asked.name, asked.procedure_id, asked.procedure_version_id, asked.script_type, asked.script,
    encode(sha256(convert_to(asked.script, 'UTF8')), 'hex'), asked.timeout_seconds, coalesce(asked.parameters, '{}'),
    array(select k from jsonb_object_keys(secret) k order by k),
    (select p.id from public.profiles p where p.id = app.current_user_id()), asked.expires_at, cardinality(wanted),
    -- A cap that no run could ever meet costs nothing at the check-ins.
    case when asked.max_running < cardinality(wanted) then asked.max_running end, asked.platforms, fitting.other, fitting.full)
  returning id, max_running into asked.id, asked.max_running;
  if secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (asked.id, asked.company_id, secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped)
    select asked.company_id, asked.id, d, asked.procedure_id, asked.max_running is not null from unnest(wanted) d;
  return asked.id;
end $$;
comment on function app.queue_job(public.jobs, jsonb, uuid[]) is
  'Writes a job and its runs on devices of its company, and returns its id. Its callers have checked the permission and the company.';

create function app.task_object(script text) returns text
  language sql immutable set search_path = '' as $$
  select case script::jsonb ->> 'task'
    when 'app' then 'apps' when 'corporate_app' then 'corporate_apps' when 'remove_corporate_app' then 'corporate_apps'
    when 'scan_patches' then 'device_patches' when 'install_patches' then 'device_patches'
    else 'devices' end
$$;
comment on function app.task_object(text) is 'The permission object whose `run` a task needs.';

create function app.device_company(device_ids uuid[]) returns uuid
  language plpgsql stable set search_path = '' as $$
declare
  company uuid;
begin
  -- A device of another company looks exactly like one that does not exist.
  select d.company_id into company from unnest(device_ids) w (id) join public.devices d on d.id = w.id
    where d.company_id = any (app.visible_company_ids()) order by d.id limit 1;
  if company is null and cardinality(array_remove(device_ids, null)) > 0 then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  return company;
end $$;
comment on function app.device_company(uuid[]) is
  'The company of the first of these devices, if the caller sees it. app.queue_job() refuses devices of several companies.';

create function app.schedule_of(automation public.automations) returns public.scheduled_tasks
  language sql stable set search_path = '' as $$
  select jsonb_populate_record(null::public.scheduled_tasks, to_jsonb(automation))
$$;
comment on function app.schedule_of(public.automations) is 'The schedule of an automation as app.next_run() takes it.';
grant execute on function app.schedule_of(automations) to authenticated;

create function app.window_of(policy public.policies, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  select s.starts, s.ends from app.span_of(policy.window_weekdays, policy.window_from, policy.window_to, policy.timezone, moment) s
$$;
comment on function app.window_of(public.policies, timestamptz) is 'The installation window of a policy around a moment; null outside of one.';

create function app.job_act(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case when job.kind <> 'task' then job.kind else case job.script::jsonb ->> 'task'
    when 'app' then 'app' when 'corporate_app' then 'app' when 'remove_corporate_app' then 'app'
    when 'scan_patches' then 'patch' when 'install_patches' then 'patch'
    when 'reboot' then 'power' when 'shut_down' then 'power'
    -- The test of a monitor starts the service as the monitor does.
    when 'check_monitor' then case when job.script::jsonb #>> '{monitor,restart}' = 'true' then 'service' end end end
$$;
comment on function app.job_act(public.jobs) is 'What a job does, in the words of policies.denied; null for what no policy denies.';

-- Security definer: app.next_run() is granted to nobody. The conditions are those of the rows themselves.
create function public.next_runs(resource text, record_id uuid, max_runs integer default 5) returns jsonb
  language plpgsql stable security invoker set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  automation public.automations%rowtype;
begin
  perform app.require(case resource when 'automations' then 'automations' else 'scheduled_tasks' end, 'list');
  if resource = 'automations' then
    select a.* into automation from public.automations a where a.id = record_id and a.enabled and a.trigger = 'schedule';
    task := app.schedule_of(automation);
  else
    select t.* into task from public.scheduled_tasks t where t.id = record_id and t.enabled;
  end if;
  if task.id is null then
    return '[]';
  end if;
  return app.schedule_times(task,
    case when task.device_time and app.can('devices', 'list') then app.target_zones(app.schedule_target(task)) else '[]' end, max_runs);
end $$;
comment on function public.next_runs(text, uuid, integer) is
  'The next times at which a scheduled task, or an automation with a schedule, runs, at most 20, as app.schedule_times() tells them; empty '
  'while it is paused. Runs as the caller: row-level security of each table limits the rows.';
grant execute on function public.next_runs(text, uuid, integer) to authenticated;

create function app.max_targets() returns integer
  language sql immutable set search_path = '' as $$ select 20000 $$;
comment on function app.max_targets() is 'On how many devices one job runs at most.';
grant execute on function app.max_targets() to authenticated;

create function app.queue_task(company uuid, name text, task jsonb, device_ids uuid[], seconds integer, until timestamptz,
  max_running integer default null
) returns uuid
  language plpgsql set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  job.company_id := company;
  job.kind := 'task';
  job.name := left(name, 120);
  job.script_type := 'Agent';
  job.script := task::text;
  job.timeout_seconds := seconds;
  job.expires_at := until;
  job.max_running := queue_task.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz, integer) is
  'Writes the job of a task on devices of one company. Its callers have checked the permission.';

-- Security definer: nobody may insert jobs and runs; this function checks the permission, the company and every device.
create function public.run_procedure(
  procedure_id uuid, device_ids uuid[], parameters jsonb default '{}', expires_at timestamptz default null,
  max_running integer default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.procedures%rowtype;
  made record;
  job public.jobs%rowtype;
  -- A driver may hand an object over as its text.
  given jsonb := case jsonb_typeof(run_procedure.parameters)
    when 'string' then (run_procedure.parameters #>> '{}')::jsonb else coalesce(run_procedure.parameters, '{}') end;
begin
  perform app.require('procedures', 'run');
  -- A procedure of another company looks exactly like one that does not exist.
  select p.* into found from public.procedures p
    where p.id = run_procedure.procedure_id and p.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  made := app.procedure_job(found, given);
  job := made.job;
  job.expires_at := coalesce(run_procedure.expires_at, job.expires_at);
  job.max_running := run_procedure.max_running;
  return app.queue_job(job, made.secret, device_ids);
end $$;
comment on function public.run_procedure(uuid, uuid[], jsonb, timestamptz, integer) is
  'Asks for a procedure to be run on devices of its company; returns the job. A device that is offline runs it when it comes back, until '
  'expires_at (24 hours unless given). max_running: on how many at the same time.';
grant execute on function public.run_procedure(uuid, uuid[], jsonb, timestamp with time zone, integer) to authenticated;

-- Security definer: nobody may write jobs and runs.
create function public.run_command(
  type text, command text, device_ids uuid[], name text default null, timeout_seconds integer default 300,
  expires_at timestamptz default null, max_running integer default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  perform app.require('custom-commands', 'run');
  if run_command.type is null or run_command.type not in ('CMD', 'PowerShell', 'Python', 'Bash') then
    raise exception 'A command is of type CMD, PowerShell, Python or Bash.' using errcode = 'check_violation', hint = 'type_invalid';
  end if;
  if coalesce(btrim(command, E' \t\n\r'), '') = '' then
    raise exception 'Enter a command.' using errcode = 'check_violation', hint = 'command_empty';
  end if;
  if octet_length(command) > 20000 then
    raise exception 'A command has at most 20,000 bytes. Save a longer one as a script.'
      using errcode = 'check_violation', hint = 'command_too_long';
  end if;
  if coalesce(run_command.timeout_seconds, 0) not between 1 and 86400 then
    raise exception 'The timeout is between 1 second and 1 day.' using errcode = 'check_violation', hint = 'timeout_invalid';
  end if;
  job.company_id := app.device_company(device_ids);
  job.kind := 'command';
  job.name := left(coalesce(nullif(btrim(run_command.name), ''), split_part(btrim(command, E' \t\n\r'), E'\n', 1)), 120);
  job.script_type := case run_command.type when 'CMD' then 'Batch' else run_command.type end;
  job.script := command;
  -- A saved command says where it runs; any other runs where its type does.
  job.platforms := coalesce((
    select array_agg(distinct x.platform order by x.platform) from public.saved_commands s cross join lateral unnest(s.platforms) x (platform)
    where s.company_id = job.company_id and s.deleted_at is null and s.type = run_command.type and s.command = run_command.command), app.script_platforms(run_command.type));
  job.timeout_seconds := run_command.timeout_seconds;
  job.expires_at := coalesce(run_command.expires_at, now() + interval '24 hours');
  job.max_running := run_command.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function public.run_command(text, text, uuid[], text, integer, timestamptz, integer) is
  'Asks for a single command to be run on devices of one company; returns the job. `name` is what the job is called: the command''s '
  'first line unless given. A device that is offline runs it when it comes back, until expires_at (24 hours unless given). '
  'max_running: on how many at the same time.';
grant execute on function public.run_command(text, text, uuid[], text, integer, timestamp with time zone, integer) to authenticated;

-- Security definer, as run_procedure.
create function public.run_task(task text, device_ids uuid[], name text default null, max_running integer default null) returns uuid
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
  company := app.device_company(device_ids);
  if task = 'install_patches' then
    if (select count(distinct d.id) from unnest(device_ids) w (id) join public.devices d on d.company_id = company and d.id = w.id)
      <> (select count(distinct d) from unnest(device_ids) d) then
      raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
    end if;
    return app.queue_patches(company, coalesce(label, 'Install updates'), array(
      select t.id from public.device_patches t
        left join lateral app.policy_of(company, t.device_id, 'patch') p on true
      where t.company_id = company and t.device_id = any (device_ids) and t.status in ('missing', 'failed')
        -- "All" is what the policies would install; a single update is installed by install_patches(), whatever its ring.
        and (t.exception = 'approved' or p.id is null or not app.is_held(p, t.patch_id))), now() + interval '24 hours', max_running);
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
    now() + case when task in ('reboot', 'shut_down') then interval '15 minutes' else interval '24 hours' end, max_running);
end $$;
comment on function public.run_task(text, uuid[], text, integer) is
  'Asks devices of one company to reboot, shut_down, send their inventory, scan_patches, or install_patches (all that are approved and missing); '
  'returns the job. `name` is what the job is called. A restart that no device took within 15 minutes expires, other tasks after a day.';
grant execute on function public.run_task(text, uuid[], text, integer) to authenticated;

-- Security definer: The task names the app, so that the store finds it.
create function public.run_app(app_id uuid, act text, device_ids uuid[], name text default null, max_running integer default null)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  if run_app.act is null or run_app.act not in ('install', 'update', 'remove') then
    raise exception 'An app is installed, updated or removed.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  select a.* into found from public.apps a where a.id = run_app.app_id and (a.enabled or run_app.act = 'remove');
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(app.device_company(device_ids),
    coalesce(nullif(btrim(run_app.name), ''), initcap(run_app.act) || ' ' || found.name),
    jsonb_build_object('task', 'app', 'act', run_app.act, 'app_id', found.id, 'name', found.name, 'ids', jsonb_strip_nulls(jsonb_build_object(
      'apt', found.apt_id, 'winget', found.winget_id, 'choco', found.choco_id, 'brew', found.brew_id))),
    device_ids, 3600, now() + interval '24 hours', max_running);
end $$;
comment on function public.run_app(uuid, text, uuid[], text, integer) is
  'Installs, updates or removes an app of the store on devices of one company with their package manager; returns the job.';
grant execute on function public.run_app(uuid, text, uuid[], text, integer) to authenticated;

create function app.target_query(target jsonb, out source text, out condition text)
  language plpgsql stable set search_path = '' as $$
declare
  company uuid := (target ->> 'company_id')::uuid;
  kind text := target ->> 'kind';
  filter jsonb := coalesce(target -> 'filter', '{}');
  other text;
begin
  if jsonb_typeof(target) is distinct from 'object' or octet_length(target::text) > 200000
    or kind is null or kind not in ('all', 'groups', 'filter')
    or (kind = 'groups' and jsonb_typeof(target -> 'group_ids') is distinct from 'array')
    or (target ? 'platforms' and jsonb_typeof(target -> 'platforms') not in ('array', 'null')) then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid';
  end if;
  -- The filter may ask what a list of devices asks, and nothing with long texts in it: the outputs of a few runs kept the database busy for a minute.
  if kind = 'filter' then
    select min(p.via) into other
    from jsonb_path_query(filter, 'strict $.**') as part (item)
      cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
      cross join lateral app.filter_path('devices', k.key) p
    where strpos(k.key, '.') > 0
      and p.via::regclass not in ('public.device_presence'::regclass, 'public.device_software'::regclass, 'public.device_tags'::regclass,
        'public.group_devices'::regclass, 'public.companies'::regclass);
  end if;
  if other is not null then
    raise exception 'A target cannot ask for this.' using errcode = 'check_violation', hint = 'target_of_tables';
  end if;
  source := app.matching_source('devices', filter, case kind when 'filter' then coalesce(target ->> 'q', '') else '' end);
  condition := case kind
    when 'groups' then format('t.id in (select m.device_id from public.group_devices m where m.group_id = any (%L::uuid[]))',
      array(select e::uuid from jsonb_array_elements_text(target -> 'group_ids') e limit 100))
    when 'filter' then app.filter_condition('devices', filter)
    else 'true' end;
  if company is not null then
    condition := format('t.company_id = %L::uuid and (%s)', company, condition);
  end if;
  if jsonb_typeof(target -> 'platforms') = 'array' then
    condition := format('(%s) and (t.platform is null or t.platform = any (%L::text[]))', condition,
      array(select e from jsonb_array_elements_text(target -> 'platforms') e limit 20));
  end if;
end $$;
comment on function app.target_query(jsonb) is
  'What a target reads devices (t) from, and by which condition. {kind: all, company_id}, {kind: groups, group_ids} or {kind: filter, '
  'filter, q?} in the filter language; platforms keeps devices of these and of unknown ones. Runs as the caller, who finds what a list shows.';
grant execute on function app.target_query(jsonb) to authenticated;

create function public.preview_target(target jsonb, max_names integer default 12) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  query record := app.target_query(target);
  answer jsonb;
begin
  execute format($query$
    with found as materialized (select t.company_id, t.platform, t.status, t.name, t.name_key, t.id from %s where %s),
    platforms as (
      select f.platform, count(*) as devices, count(*) filter (where f.status <> 'online') as offline from found f group by f.platform
    )
    select jsonb_build_object(
      'companies', (select coalesce(jsonb_agg(c.company_id), '[]') from (select distinct f.company_id from found f limit 2) c),
      'platforms', (select coalesce(jsonb_agg(jsonb_build_object('platform', p.platform, 'devices', p.devices, 'offline', p.offline,
        'names', (select jsonb_agg(n.name order by n.name_key, n.id) from (select f.name, f.name_key, f.id from found f
          where f.platform is not distinct from p.platform order by f.name_key, f.id limit %s) n)) order by p.platform), '[]') from platforms p))
  $query$, query.source, query.condition, least(greatest(coalesce(max_names, 12), 0), 100)) into answer;
  return answer;
end $$;
comment on function public.preview_target(jsonb, integer) is
  'The devices of a target (app.target_query()) by platform: {companies: up to two, platforms: [{platform, devices, offline, names}]}, '
  'names being the first few. Runs as the caller.';
grant execute on function public.preview_target(jsonb, integer) to authenticated;

create function public.run_on_target(target jsonb, call text, args jsonb default '{}') returns uuid
  language plpgsql set search_path = '' set statement_timeout = '60s' as $$
declare
  query record := app.target_query(target);
  ids uuid[];
  cap integer := (args ->> 'max_running')::integer;
  until timestamptz := (args ->> 'expires_at')::timestamptz;
begin
  if call is null or call not in ('run_procedure', 'run_command', 'run_task', 'run_app', 'run_corporate_app', 'test_monitor') then
    raise exception 'There is no such call.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  -- As the caller, whom row-level security shows what a list would; the function that queues checks the permission.
  execute format('select array_agg(x.id) from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets() + 1)
    into ids;
  return case call
    when 'run_procedure' then public.run_procedure((args ->> 'procedure_id')::uuid, ids, coalesce(args -> 'parameters', '{}'), until, cap)
    when 'run_command' then public.run_command(args ->> 'type', args ->> 'command', ids, args ->> 'name',
      coalesce((args ->> 'timeout_seconds')::integer, 300), until, cap)
    when 'run_task' then public.run_task(args ->> 'task', ids, args ->> 'name', cap)
    when 'run_app' then public.run_app((args ->> 'app_id')::uuid, args ->> 'act', ids, args ->> 'name', cap)
    when 'run_corporate_app' then public.run_corporate_app((args ->> 'corporate_app_id')::uuid, ids, args ->> 'name', cap, args ->> 'act')
    when 'test_monitor' then public.test_monitor((args ->> 'monitor_id')::uuid, ids, args ->> 'name')
  end;
end $$;
comment on function public.run_on_target(jsonb, text, jsonb) is
  'Calls run_procedure, run_command, run_task, run_app, run_corporate_app or test_monitor with the arguments `args` on the devices that a '
  'target (app.target_query()) has at this moment; returns the job. Runs as the caller.';
grant execute on function public.run_on_target(jsonb, text, jsonb) to authenticated;

create function app.spread_start(task uuid, device uuid, due timestamptz, minutes integer) returns timestamptz
  language sql stable set search_path = '' as $$
  select case when minutes > 0 then greatest(due, now()) + make_interval(secs =>
    ('x' || left(md5(task::text || device::text || extract(epoch from due)::text), 7))::bit(28)::integer % (minutes * 60 + 1)) end
$$;
comment on function app.spread_start(uuid, uuid, timestamptz, integer) is
  'When a device starts a run of a schedule with a random delay: a moment within so many minutes that follows from schedule, device and '
  'due time. Null without a delay.';

create function app.has_slot(company uuid, job uuid, max_running integer) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  busy integer;
begin
  for attempt in 1..2 loop
    -- A device that fell silent in the middle of its run does not keep the others waiting for good.
    select count(*) into busy from (
      select 1 from public.job_runs r
      where r.company_id = company and r.job_id = job and r.is_capped and r.status in ('claimed', 'running')
        and r.lease_until > now() - interval '10 minutes' limit max_running) x;
    if busy >= max_running then
      return false;
    end if;
    -- Devices pass one at a time: they are counted again under the lock, with the last one's claim. A device that finds it taken asks at its next check-in.
    if attempt = 1 and not pg_try_advisory_xact_lock(hashtextextended(job::text, 0)) then
      return false;
    end if;
  end loop;
  return true;
end $$;
comment on function app.has_slot(uuid, uuid, integer) is
  'Whether one more device may run a job that runs on max_running at once. Until its transaction ends, no other device gets a place.';

create function public.pause_schedules(ids uuid[], paused boolean) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('scheduled_tasks', 'edit');
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 schedules at a time';
  end if;
  update public.scheduled_tasks t set enabled = not paused where t.id = any (ids) and t.enabled = paused;
  get diagnostics changed = row_count;
  -- A schedule that is so already is unchanged.
  if changed = 0 and not exists (select 1 from public.scheduled_tasks t where t.id = any (ids)) then
    raise exception using errcode = 'PT404', message = 'no such schedule to change', hint = 'record_gone';
  end if;
  return changed;
end $$;
comment on function public.pause_schedules(uuid[], boolean) is
  'Pauses schedules, or resumes them, and returns how many. Row-level security says which; the permission is scheduled_tasks edit.';
grant execute on function public.pause_schedules(uuid[], boolean) to authenticated;

create function app.device_start(task public.scheduled_tasks, zone text, due timestamptz) returns timestamptz
  language sql stable set search_path = '' as $$
  select case when task.device_time then (due at time zone 'Etc/GMT-14') at time zone coalesce(zone, task.timezone) end
$$;
comment on function app.device_start(public.scheduled_tasks, text, timestamptz) is
  'When a device starts a run that is due by its own clock: the time of day of `due`, in its zone. Null for a schedule in one zone.';

create function app.retried_job(job_id uuid) returns public.jobs
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

create function app.takes_secret(job public.jobs) returns boolean
  language sql stable set search_path = '' as $$
  select exists (
    select 1 from public.procedure_versions v
    where v.company_id = job.company_id and v.id = job.procedure_version_id and v.parameters @> '[{"kind": "secret"}]')
$$;
comment on function app.takes_secret(public.jobs) is
  'Whether the script of a job has a parameter whose value is deleted with the last open run.';

create function app.retry_devices(job public.jobs) returns table (device_id uuid, is_canceled boolean)
  language sql stable set search_path = '' as $$
  select r.device_id, r.status = 'cancelled'
  from public.job_runs r
  where r.company_id = job.company_id and r.job_id = job.id and r.status in ('failed', 'timed_out', 'expired', 'cancelled')
    and not exists (
      select 1 from public.jobs j join public.job_runs t on t.company_id = j.company_id and t.job_id = j.id
      where j.company_id = job.company_id and j.retry_of = coalesce(job.retry_of, job.id) and j.id <> job.id
        and t.device_id = r.device_id and t.status in ('queued', 'claimed', 'running', 'succeeded'))
$$;
comment on function app.retry_devices(public.jobs) is
  'The devices where a job did not succeed, unless a retry of it is open or has succeeded there.';

-- Security definer: retries count for everybody, also for those who may not list runs; app.retried_job() checks permission and company.
create function public.preview_retry(job_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  max_names constant integer := 100;
  -- As many as a form takes one by one.
  max_ids constant integer := 1000;
  old public.jobs%rowtype := app.retried_job(job_id);
  takes_secret boolean := app.takes_secret(old);
  is_named boolean := app.can('devices', 'list');
begin
  return (
    with ready as materialized (
      select d.id, d.name, d.status, t.is_canceled,
        row_number() over (partition by t.is_canceled order by d.name_key, d.id) as place
      from app.retry_devices(old) t join public.devices d on d.company_id = old.company_id and d.id = t.device_id
    ), groups as (
      select k.is_canceled, jsonb_build_object('devices', count(f.id), 'offline', count(f.id) filter (where f.status <> 'online'),
        'names', coalesce(jsonb_agg(f.name order by f.place) filter (where is_named and f.place <= max_names), '[]'),
        'ids', coalesce(jsonb_agg(f.id order by f.place) filter (where takes_secret and f.place <= max_ids), '[]')) as preview
      from (values (false), (true)) k (is_canceled) left join ready f on f.is_canceled = k.is_canceled
      group by k.is_canceled
    )
    select jsonb_build_object('takes_secret', takes_secret,
      'left_out', old.failed + old.canceled - (select count(*) from ready),
      'failed', (select g.preview from groups g where not g.is_canceled),
      'canceled', (select g.preview from groups g where g.is_canceled)));
end $$;
comment on function public.preview_retry(uuid) is
  'Where retry_job() would run a job again: {takes_secret, left_out, failed, canceled}, the last two being {devices, offline, names, ids}: '
  'names of the first 100 devices, and ids of the first 1,000 where the script takes a secret, which the caller has to ask for. left_out: '
  'devices that a retry is open on or has succeeded on, or that are gone. Refuses as retry_job().';
grant execute on function public.preview_retry(uuid) to authenticated;

-- Security definer: nobody may insert jobs; app.retried_job() checks the permission and the company.
create function public.retry_job(job_id uuid, failed boolean default true, canceled boolean default false) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype := app.retried_job(job_id);
  first_job uuid := coalesce(old.retry_of, old.id);
  devices uuid[];
  retry uuid;
begin
  -- The second of two people who ask at the same time sees the first one's job.
  perform 1 from public.jobs j where j.company_id = old.company_id and j.id = first_job for update;
  if app.takes_secret(old) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  devices := array(
    select t.device_id from app.retry_devices(old) t
    where case when t.is_canceled then retry_job.canceled else retry_job.failed end
  );
  if cardinality(devices) = 0 then
    raise exception 'Each device where it failed runs it again already, or has done so since.'
      using errcode = 'check_violation', hint = 'retry_none';
  end if;
  old.expires_at := now() + (old.expires_at - old.created_at);
  if old.kind = 'task' and old.script::jsonb ->> 'task' = 'install_patches' then
    -- The updates to install are with each device, not in the script.
    retry := app.queue_patches(old.company_id, old.name, array(
      select t.id from public.device_patches t
      join public.job_runs r on r.company_id = t.company_id and r.id = t.run_id
      where t.company_id = old.company_id and r.job_id = old.id and r.device_id = any (devices) and t.status in ('missing', 'failed')
    ), old.expires_at, old.max_running);
  else
    retry := app.queue_job(old, '{}', devices);
  end if;
  update public.jobs j set retry_of = first_job where j.company_id = old.company_id and j.id = retry;
  return retry;
end $$;
comment on function public.retry_job(uuid, boolean, boolean) is
  'Runs a job that has ended once more on the devices where it failed, timed out or expired (failed) or was canceled (canceled), unless '
  'a retry of it is open or has succeeded there; returns the new job. 23514 with hint job_runs, procedure_gone, secrets_needed or retry_none.';
grant execute on function public.retry_job(uuid, boolean, boolean) to authenticated;

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
  ), versions as materialized (
    select b.name, b.revision, v.procedure_id, v.id, app.barred_approvers(app.authors_to_approve(v)) as barred
    from begun b join public.procedure_versions v on v.company_id = company and v.procedure_id = b.id and v.number = b.revision
  )
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'script_waiting', jsonb_build_object('script', v.name, 'number', v.revision), '/procedures/' || v.procedure_id,
    'script_waiting:' || v.id
  from versions v
    join public.user_roles r on r.company_id = company and r.role = any (app.roles_that_may('procedures', 'approve'))
      and r.deactivated_at is null and r.user_id <> all (v.barred)
  -- A policy that is new may hold hundreds of scripts: the list and the dashboard have them all.
  where (select count(*) from (select 1 from public.notifications n
    where n.user_id = r.user_id and n.read_at is null and n.kind = 'script_waiting' limit 10) unread) < 10
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;
comment on function app.begin_waiting(uuid, uuid) is
  'Marks the scripts whose newest version the queued runs of a device wait for, and tells whoever else than the author may approve them: '
  'once a version, and nobody who has 10 of these unread.';

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

create function public.target_devices(target jsonb, skip integer default 0, max_rows integer default 10) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '30s' as $$
declare
  query record := app.target_query(target);
  answer jsonb;
begin
  execute format($query$
    select jsonb_build_object(
      'count', (select count(*) from %1$s where %2$s),
      'devices', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status) order by d.name_key, d.id), '[]')
        from (select t.id, t.name, t.name_key, t.status from %1$s where %2$s order by t.name_key, t.id offset %3$s limit %4$s) d))
  $query$, query.source, query.condition, least(greatest(coalesce(skip, 0), 0), 100000), least(greatest(coalesce(max_rows, 10), 1), 100))
    into answer;
  return answer;
end $$;
comment on function public.target_devices(jsonb, integer, integer) is
  '{count, devices: [{id, name, status}]} of a target (app.target_query()): how many devices it has, and a page of at most 100 of them by '
  'name. Runs as the caller.';
grant execute on function public.target_devices(jsonb, integer, integer) to authenticated;

create function app.zone_span(task public.scheduled_tasks) returns interval
  language sql immutable set search_path = '' as $$
  select case when task.device_time then interval '26 hours' else interval '0' end
$$;
comment on function app.zone_span(public.scheduled_tasks) is
  'How long after the first zone of the earth the last one has the same time of day, for a schedule by each device''s clock.';

create function app.first_run(task public.scheduled_tasks) returns timestamptz
  language sql stable set search_path = '' as $$
  select case
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when task.frequency = 'once' then case when task.last_run_at is null or task.last_run_at < task.starts_at then task.starts_at end
    -- A day by the devices' clocks that began counts while a zone has its time still ahead.
    else app.next_run(task, now() - app.zone_span(task)) end
$$;
comment on function app.first_run(public.scheduled_tasks) is 'next_run_at of a schedule that is set now; null for one that ran for the last time.';

-- Security definer: app.next_run() is granted to nobody. It reads no table: the schedule and the zones are the caller's.
create function app.schedule_times(task public.scheduled_tasks, zones jsonb, max_runs integer) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- A day whose job is made counts while a device has its time still ahead.
  moment timestamptz := least(task.next_run_at, case when task.device_time then app.next_run(task, now() - app.zone_span(task)) end);
  times jsonb := '[]';
  span record;
  left_over integer := 40;
begin
  while moment is not null and left_over > 0 and jsonb_array_length(times) < least(greatest(max_runs, 1), 20) loop
    left_over := left_over - 1;
    select min(s.at) filter (where s.is_ahead) as first, max(s.at) filter (where s.is_ahead) as last,
      coalesce(sum(s.devices) filter (where s.is_ahead), 0) as ahead, coalesce(sum(s.devices), 0) as devices
    into span
    from (
      select app.device_start(task, z.zone, moment) as at, z.devices,
        app.device_start(task, z.zone, moment) >= greatest(task.set_at, task.starts_at, now()) as is_ahead
      from jsonb_to_recordset(case when task.device_time then zones else '[]' end) z (zone text, devices integer)
    ) s;
    if not task.device_time or span.ahead > 0 or (span.devices = 0 and moment + app.zone_span(task) > now()) then
      times := times || jsonb_build_object('at', moment,
        'local', case when task.device_time then to_char(moment at time zone 'Etc/GMT-14', 'YYYY-MM-DD"T"HH24:MI') end,
        'first', span.first, 'last', span.last, 'ahead', span.ahead, 'devices', span.devices);
    end if;
    moment := app.next_run(task, case when task.device_time then moment else greatest(moment, now()) end);
  end loop;
  return times;
end $$;
comment on function app.schedule_times(public.scheduled_tasks, jsonb, integer) is
  'The next times of a schedule from next_run_at on: [{at, local, first, last, ahead, devices}]. By each device''s clock, `local` is the time '
  'that all of them start at, `first` and `last` when the first and last device of [{zone, devices}] do, `ahead` how many have it still ahead.';
grant execute on function app.schedule_times(scheduled_tasks, jsonb, integer) to authenticated;

create function app.target_zones(target jsonb) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  query record := app.target_query(target);
  zones jsonb;
begin
  execute format($query$
    select coalesce(jsonb_agg(z), '[]') from (
      select t.timezone as zone, count(*) as devices from (select t.timezone from %s where %s limit %s) t group by t.timezone) z
  $query$, query.source, query.condition, app.max_targets()) into zones;
  return zones;
end $$;
comment on function app.target_zones(jsonb) is
  'The time zones of the devices of a target (app.target_query()): [{zone, devices}]; a null zone is that of devices that report none. Runs as the caller.';
grant execute on function app.target_zones(jsonb) to authenticated;

create function app.schedule_target(task public.scheduled_tasks) returns jsonb
  language sql immutable set search_path = '' as $$
  select case coalesce(task.target ->> 'kind', task.target_kind)
    when 'device' then jsonb_build_object('kind', 'filter', 'filter', jsonb_build_object('id', jsonb_build_object('_eq', task.device_id)))
    when 'devices' then jsonb_build_object('kind', 'filter', 'filter', jsonb_build_object('id', jsonb_build_object('_in', task.target -> 'device_ids')))
    when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(task.group_id))
    when 'groups' then jsonb_build_object('kind', 'groups', 'group_ids', task.target -> 'group_ids')
    when 'filter' then jsonb_strip_nulls(jsonb_build_object('kind', 'filter', 'filter', coalesce(task.target -> 'filter', '{}'), 'q', task.target ->> 'q'))
    else '{"kind": "all"}'::jsonb end || jsonb_build_object('company_id', task.company_id)
$$;
comment on function app.schedule_target(public.scheduled_tasks) is 'What a schedule runs on, as app.target_query() takes it.';
grant execute on function app.schedule_target(scheduled_tasks) to authenticated;

-- Security definer: app.first_run() is granted to nobody. It reads no table.
create function app.draft_schedule(draft jsonb) returns public.scheduled_tasks
  language plpgsql stable security definer set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype := jsonb_populate_record(null::public.scheduled_tasks, draft);
begin
  task.set_at := now();
  task.starts_at := coalesce(task.starts_at, now());
  task.device_time := coalesce(task.device_time, false) and task.frequency not in ('once', 'every');
  task.last_run_at := null;
  if task.starts_at not between '2000-01-01 00:00+00' and '2100-01-01 00:00+00' or task.every_minutes < 5
    or (task.frequency = 'once' and task.starts_at < now() - interval '5 minutes') then
    return null;
  end if;
  task.next_run_at := app.first_run(task);
  return task;
end $$;
comment on function app.draft_schedule(jsonb) is 'A schedule as it would be if it were saved now; null where it would be refused.';
grant execute on function app.draft_schedule(jsonb) to authenticated;

create function public.preview_schedule(draft jsonb, max_runs integer default 5) returns jsonb
  language plpgsql stable security invoker set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
begin
  perform app.require('scheduled_tasks', 'list');
  task := app.draft_schedule(draft);
  if task.next_run_at is null then
    return '[]';
  end if;
  return app.schedule_times(task, case when task.device_time and task.company_id is not null and app.can('devices', 'list')
    then app.target_zones(app.schedule_target(task)) else '[]' end, max_runs);
end $$;
comment on function public.preview_schedule(jsonb, integer) is
  'The next times of a schedule that is not saved yet, as next_runs() tells them; the draft has the columns of scheduled_tasks. Runs as the caller.';
grant execute on function public.preview_schedule(jsonb, integer) to authenticated;

-- Security definer: app.next_run() is granted to nobody. It reads no table.
create function app.device_next(task public.scheduled_tasks, zone text) returns timestamptz
  language plpgsql stable security definer set search_path = '' as $$
declare
  moment timestamptz := task.next_run_at;
  start timestamptz := task.next_run_at;
begin
  for _ in 1..5 loop
    exit when not task.device_time or moment is null;
    start := app.device_start(task, zone, moment);
    exit when start >= greatest(task.set_at, task.starts_at, now());
    moment := app.next_run(task, moment);
  end loop;
  return start;
end $$;
comment on function app.device_next(public.scheduled_tasks, text) is
  'When a device in this zone starts a schedule next: next_run_at, or the time of its own clock.';
grant execute on function app.device_next(scheduled_tasks, text) to authenticated;

create function app.target_ids(target jsonb, key text) returns uuid[]
  language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct e::uuid), '{}') from jsonb_array_elements_text(
    case jsonb_typeof(target -> key) when 'array' then target -> key else '[]' end) e where e ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
$$;
comment on function app.target_ids(jsonb, text) is 'The ids of a list of a target, each once.';
grant execute on function app.target_ids(jsonb, text) to authenticated;

-- Before the other triggers, by its name. Security definer: it asks whether devices and groups are of the company, whoever may list them.
create function app.settle_schedule_target() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[];
  kind text;
begin
  -- Row-level security asks after the triggers: this one must not tell of another company's devices first.
  if not app.is_server_work() and not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  if tg_op = 'UPDATE' then
    if not app.is_server_work() and (new.procedure_id, new.target, new.target_kind, new.device_id, new.group_id)
      is distinct from (old.procedure_id, old.target, old.target_kind, old.device_id, old.group_id) then
      new.set_by := app.acting_user_id();
    end if;
    if new.target is not distinct from old.target then
      if (new.target_kind, new.device_id, new.group_id) is not distinct from (old.target_kind, old.device_id, old.group_id) then
        return new;
      end if;
      new.target := null;
    end if;
  else
    new.set_by := coalesce(app.acting_user_id(), new.created_by);
  end if;
  if new.target is null then
    new.target := case new.target_kind
      when 'device' then jsonb_build_object('kind', 'devices', 'device_ids', jsonb_build_array(new.device_id))
      when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(new.group_id))
      when 'all' then '{"kind": "all"}'::jsonb end;
    if new.target is null then
      raise exception 'Choose what it runs on.' using errcode = 'check_violation', hint = 'target_invalid', constraint = 'scheduled_tasks_target_check';
    end if;
    return new;
  end if;
  kind := new.target ->> 'kind';
  if jsonb_typeof(new.target) <> 'object' or kind is null or kind not in ('devices', 'groups', 'filter', 'all')
    or length(new.target::text) > 100000 then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid', constraint = 'scheduled_tasks_target_check';
  end if;
  new.device_id := null;
  new.group_id := null;
  new.target_kind := kind;
  if kind in ('devices', 'groups') then
    ids := app.target_ids(new.target, case kind when 'devices' then 'device_ids' else 'group_ids' end);
    if cardinality(ids) = 0 or cardinality(ids) > (case kind when 'devices' then 1000 else 100 end) then
      raise exception 'A task runs on 1 to 1,000 chosen devices, or 1 to 100 groups.'
        using errcode = 'check_violation', hint = 'schedule_target_count', constraint = 'scheduled_tasks_target_check';
    end if;
    -- A device of another company looks exactly like one that does not exist. Those that were deleted since are left out.
    if kind = 'devices' then
      select array_agg(d.id order by d.id) into ids from public.devices d where d.company_id = new.company_id and d.id = any (ids);
    else
      select array_agg(g.id order by g.id) into ids from public.groups g where g.company_id = new.company_id and g.id = any (ids);
    end if;
    if ids is null then
      raise exception 'The chosen devices were not found.' using errcode = 'check_violation', hint = 'device_gone', constraint = 'scheduled_tasks_target_check';
    end if;
    new.target := jsonb_build_object('kind', kind, case kind when 'devices' then 'device_ids' else 'group_ids' end, to_jsonb(ids));
    if cardinality(ids) = 1 then
      new.target_kind := left(kind, -1);
      new.device_id := case kind when 'devices' then ids[1] end;
      new.group_id := case kind when 'groups' then ids[1] end;
    end if;
  elsif kind = 'filter' then
    new.target := jsonb_strip_nulls(jsonb_build_object('kind', kind, 'filter', coalesce(new.target -> 'filter', '{}'),
      'q', nullif(btrim(new.target ->> 'q'), ''), 'name', left(nullif(btrim(new.target ->> 'name'), ''), 120)));
  else
    new.target := '{"kind": "all"}';
  end if;
  return new;
end $$;
comment on function app.settle_schedule_target() is
  'Row trigger: target_kind, device_id and group_id follow from the target, which has only what exists in the company; and who set it is kept.';

create function app.check_schedule_filter() returns trigger
  language plpgsql set search_path = '' as $$
declare
  query record;
  began timestamptz := clock_timestamp();
begin
  if current_user in ('anon', 'authenticated') and new.target ->> 'kind' = 'filter' then
    -- As the caller, who may ask for nothing here that a list would not show.
    perform app.require_filter(app.schedule_target(new));
    query := app.target_query(app.schedule_target(new));
    execute format('select 1 from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets());
    if clock_timestamp() - began > interval '2 seconds' then
      raise exception 'The filter takes too long.' using errcode = 'check_violation', hint = 'rule_too_slow', constraint = 'scheduled_tasks_target_check';
    end if;
  end if;
  return new;
end $$;
comment on function app.check_schedule_filter() is 'Row trigger: the filter of a schedule is one that its writer may ask, and is fast.';

create function app.require_filter(target jsonb) returns void
  language plpgsql stable set search_path = '' as $$
declare
  place record;
begin
  for place in
    select distinct substr(p.via, length('public.') + 1) as resource
    from jsonb_path_query(coalesce(target -> 'filter', '{}'), 'strict $.**') as part (item)
      cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
      cross join lateral app.filter_path('devices', k.key) p
    where strpos(k.key, '.') > 0
  loop
    perform app.require(place.resource, 'list');
  end loop;
end $$;
comment on function app.require_filter(jsonb) is
  'Raises 42501 unless the caller may list each table that the filter of a target asks. For evaluating it where row-level security does not.';
grant execute on function app.require_filter(jsonb) to authenticated;

create function app.devices_as(person uuid, company uuid, target jsonb) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  query record;
  ids uuid[];
begin
  -- An error takes the settings back with its transaction.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', person, 'role', 'authenticated')::text, true),
    set_config('request.jwt.claim.sub', coalesce(person::text, ''), true);
  -- The tick reads without row-level security: what it would say is asked here.
  if person is null or not app.can('procedures', 'run') or not company = any (app.visible_company_ids()) then
    raise exception 'The person may not run scripts there.' using errcode = '42501';
  end if;
  perform app.require_filter(target);
  query := app.target_query(target);
  execute format('select array_agg(x.id order by x.id) from (select t.id from %s where %s limit %s) x',
    query.source, query.condition, app.max_targets() + 1) into ids;
  perform set_config('request.jwt.claims', claims, true), set_config('request.jwt.claim.sub', subject, true);
  return ids;
end $$;
comment on function app.devices_as(uuid, uuid, jsonb) is
  'The devices of a company that a target (app.target_query()) has for a person now; 42501 where the person may not run scripts on them.';

create function app.target_has(target jsonb, device uuid) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  query record := app.target_query(target);
  answer boolean;
begin
  execute format('select exists (select 1 from %s where t.id = $1 and (%s))', query.source, query.condition) into answer using device;
  return answer;
exception when insufficient_privilege or check_violation or invalid_parameter_value then
  -- A filter that the caller may not ask tells nothing.
  return false;
end $$;
comment on function app.target_has(jsonb, uuid) is 'Whether a target has this device now. Runs as the caller.';
grant execute on function app.target_has(jsonb, uuid) to authenticated;

create function app.next_span(weekdays text[], opens text, closes text, timezone text, moment timestamptz) returns timestamptz
  language sql stable set search_path = '' as $$
  select w.starts
  from (
    select (d.day + opens::time) at time zone next_span.timezone as starts,
      (d.day + (closes::time <= opens::time)::integer + closes::time) at time zone next_span.timezone as ends, d.day
    from (select (moment at time zone next_span.timezone)::date + n as day from generate_series(-1, 8) n) d
  ) w
  where w.ends > moment
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (weekdays)
  order by w.starts limit 1
$$;
comment on function app.next_span(text[], text, text, text, timestamptz) is
  'When a weekly window opens next, or opened where the moment is in it; null without weekdays.';

create function app.has_terminal(device uuid) returns boolean
  language sql stable
  begin atomic
    select exists (select 1 from app.terminals t where t.device_id = device and t.open_until > now());
  end;
comment on function app.has_terminal(uuid) is 'Whether somebody has the terminal of a device open.';

-- Security definer: app.terminals is out of the API's reach; the permission and the company are checked here.
create function public.keep_terminal(device_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  company uuid;
begin
  perform app.require('custom-commands', 'run');
  company := app.device_company(array[keep_terminal.device_id]);
  if company is null then
    raise exception 'Choose a device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  delete from app.terminals t where t.open_until < now() - interval '1 minute';
  insert into app.terminals as t (company_id, device_id, user_id, open_until)
    values (company, keep_terminal.device_id, app.current_user_id(), now() + interval '30 seconds')
    on conflict (device_id, user_id) do update set open_until = excluded.open_until;
end $$;
comment on function public.keep_terminal(uuid) is
  'Says that the caller has the terminal of a device open, for half a minute: the device then asks for commands without a pause.';
grant execute on function public.keep_terminal(uuid) to authenticated;

-- Security definer, as run_command, which checks the permission and the company.
create function public.run_in_terminal(device_id uuid, session uuid, type text, command text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  job uuid;
begin
  if run_in_terminal.session is null then
    raise exception 'A terminal has a session.' using errcode = 'check_violation', hint = 'session_missing';
  end if;
  job := public.run_command(type => run_in_terminal.type, command => run_in_terminal.command,
    device_ids => array[run_in_terminal.device_id]);
  insert into app.terminal_jobs (job_id, session) values (job, run_in_terminal.session);
  return job;
end $$;
comment on function public.run_in_terminal(uuid, uuid, text, text) is
  'Runs a command as run_command does, in the working directory in which the last command of this terminal session ended; returns the job.';
grant execute on function public.run_in_terminal(uuid, uuid, text, text) to authenticated;

-- Security definer: whoever queues a run may not read who has a terminal open.
create function app.wake_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('konsol_device', t.device_id::text)
    from (select distinct t.device_id from app.terminals t where t.open_until > now()) t
    where exists (select 1 from new_rows n where n.device_id = t.device_id);
  return null;
end $$;
comment on function app.wake_devices() is
  'Tells the embedded server which devices with an open terminal got a run: it answers their waiting check-in.';

create function app.exit_code(value jsonb) returns bigint
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number' then (
  select n::bigint from round((value #>> '{}')::numeric) as n where n between -2147483648 and 4294967295
) end;
comment on function app.exit_code(jsonb) is 'An exit code, signed or unsigned, of 32 bits; null for anything else.';

-- Security definer: people narrow monitors, and nobody may write states.
create function app.leave_platforms() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.monitor_states s using public.devices d
    where s.company_id = new.company_id and s.monitor_id = new.id and d.company_id = s.company_id and d.id = s.device_id
      and d.platform <> all (new.platforms);
  update public.alerts a set status = 'resolved' from public.devices d
    where a.company_id = new.company_id and a.monitor_id = new.id and a.status in ('open', 'acknowledged')
      and d.company_id = a.company_id and d.id = a.device_id and d.platform <> all (new.platforms);
  return null;
end $$;
comment on function app.leave_platforms() is
  'Row trigger: a monitor that was narrowed forgets the devices it no longer checks, and their alerts are resolved. Definer, because '
  'nobody may write states.';

create function app.max_open_runs() returns integer
  language sql immutable set search_path = '' as $$ select 200 $$;
comment on function app.max_open_runs() is 'How many runs of a device may wait or run at once.';

-- Whatever queued it: a run for a device of another system does not exist.
create function app.require_platform() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if exists (
    select 1 from new_rows n join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
      join public.devices d on d.company_id = n.company_id and d.id = n.device_id
    where j.platforms is not null and d.platform <> all (j.platforms)
  ) then
    raise exception 'The script does not run on the system of a device.' using errcode = 'check_violation', hint = 'platform_none';
  end if;
  return null;
end $$;
comment on function app.require_platform() is 'Statement trigger of job_runs: the device of a run has a system on which the script of its job runs.';

create function app.job_object(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case job.kind when 'command' then 'custom-commands' when 'task' then app.task_object(job.script) else 'procedures' end
$$;
comment on function app.job_object(public.jobs) is 'The permission object whose verb run a job needs.';

create function app.max_open_runs_of_person() returns integer
  language sql immutable set search_path = '' as $$ select 100 $$;
comment on function app.max_open_runs_of_person() is 'How many of the open runs of a device one person may have, and automations and repairs together.';

create function app.runnable_devices(company uuid, wanted uuid[], platforms text[], person uuid default app.current_user_id(),
  out devices uuid[], out other integer, out "full" integer)
  language plpgsql volatile set search_path = '' as $$
begin
  -- Whoever queues runs in a company waits here for the others, and then counts theirs.
  perform pg_advisory_xact_lock(hashtext('app.runnable_devices'), hashtext(company::text));
  with chosen as (
    select d.id, platforms is not null and d.platform is not null and d.platform <> all (platforms) as is_other,
      o.runs >= app.max_open_runs() or o.own >= app.max_open_runs_of_person() as is_full
    from unnest(wanted) w (id) join public.devices d on d.company_id = company and d.id = w.id
      cross join lateral (
        select count(*) as runs, count(*) filter (where x.created_by is not distinct from person) as own from (
          select j.created_by from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
          where r.company_id = company and r.device_id = d.id and r.status in ('queued', 'claimed', 'running')
          limit app.max_open_runs()) x
      ) o
  )
  select array_agg(c.id order by c.id) filter (where not c.is_other and not c.is_full),
      (count(*) filter (where c.is_other))::integer, (count(*) filter (where c.is_full and not c.is_other))::integer
    into devices, other, "full"
  from chosen c;
end $$;
comment on function app.runnable_devices(uuid, uuid[], text[], uuid) is
  'Of these devices those that can take a run of a script for these systems (null for all), how many are of another system, and how many '
  'have as many open runs as a device may have, or as the person may have there (null: automations and repairs). A device whose system is '
  'unknown is taken. Until the end of the transaction nobody else queues runs in the company.';
