create function app.stamp_procedure() returns trigger
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
  if (new.type, new.script, new.parameters, new.timeout_seconds, new.platforms)
    is distinct from (old.type, old.script, old.parameters, old.timeout_seconds, old.platforms) then
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
comment on function app.stamp_procedure() is 'Keeps author and revision out of the writer''s hands.';

-- Security definer: nobody may write procedure_versions, so the history cannot be forged.
create function app.keep_procedure_version() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_versions
    (company_id, procedure_id, number, type, script, parameters, timeout_seconds, platforms, created_by)
  values (new.company_id, new.id, new.revision, new.type, new.script, new.parameters, new.timeout_seconds, new.platforms,
    coalesce((select p.id from public.profiles p where p.id = app.current_user_id()), new.created_by));
  return null;
end $$;
comment on function app.keep_procedure_version() is 'Writes a version of a new or changed procedure.';

create function app.refuse_version_change() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception 'A version of a procedure never changes.' using errcode = 'check_violation';
end $$;
comment on function app.refuse_version_change() is 'A version is history: what a job ran must stay readable as it ran.';

create function public.search_procedures(q text) returns setof public.procedures
  language sql stable rows 500 as $$
  select t.* from public.procedures t
  where case when app.search_ids('procedures', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('procedures', q)) end
$$;
comment on function public.search_procedures(text) is
  'The procedures that match every word of q, whatever its case and accents; filter, order and page it like the table.';
grant execute on function public.search_procedures(text) to authenticated;

create function app.is_approved(job public.jobs) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from public.procedure_versions v
    where v.company_id = job.company_id and v.id = job.procedure_version_id and v.approved_at is not null)
$$;
comment on function app.is_approved(public.jobs) is 'Whether the version of a script that a job runs was approved.';

-- Security definer: nobody may write versions.
create function public.approve_procedure(version_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if version.approved_at is not null then
    return;
  end if;
  update public.procedure_versions v
    set approved_at = now(), approved_by = p.id, approved_name = p.name,
      declined_at = null, declined_by = null, declined_name = null, decline_reason = null
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set approved_revision = version.number, approved_at = version.approved_at, approved_name = version.approved_name,
      declined_at = null, declined_name = null, decline_reason = null, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_approved', jsonb_build_object('by', version.approved_name));
  -- The run's page says so until the device asks; it clears the others itself.
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
grant execute on function public.approve_procedure(uuid) to authenticated;

-- Security definer: nobody may insert jobs and runs; this function checks the permissions, the company and the device.
create function public.test_script(
  device_id uuid, type text, script text, timeout_seconds integer default 300, definitions jsonb default '[]',
  parameters jsonb default '{}', name text default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  bound record;
  job public.jobs%rowtype;
begin
  perform app.require('procedures', 'run');
  if not (app.can('procedures', 'create') or app.can('procedures', 'edit')) then
    perform app.require('procedures', 'create');
  end if;
  if test_script.type is null or test_script.type not in ('PowerShell', 'Batch', 'Python', 'Bash') then
    raise exception 'A script is of type PowerShell, Batch, Python or Bash.' using errcode = 'check_violation', hint = 'type_invalid';
  end if;
  if coalesce(octet_length(script), 0) not between 1 and 262144 then
    raise exception 'A script has 1 to 262,144 bytes.' using errcode = 'check_violation', hint = 'script_size';
  end if;
  if coalesce(test_script.timeout_seconds, 0) not between 1 and 86400 then
    raise exception 'The timeout is between 1 second and 1 day.' using errcode = 'check_violation', hint = 'timeout_invalid';
  end if;
  if not app.valid_parameters(definitions) then
    raise exception 'The parameters are not well formed.' using errcode = 'check_violation', hint = 'parameters_invalid';
  end if;
  job.company_id := app.device_company(array[test_script.device_id]);
  select * into bound from app.bind_parameters(definitions, coalesce(test_script.parameters, '{}'));
  job.kind := 'procedure';
  job.name := left(coalesce(nullif(btrim(test_script.name), ''), 'Test'), 120);
  job.script_type := test_script.type;
  job.script := script;
  job.timeout_seconds := test_script.timeout_seconds;
  job.parameters := bound.plain;
  -- Somebody looks at it now.
  job.expires_at := now() + interval '15 minutes';
  return app.queue_job(job, bound.secret, array[test_script.device_id]);
end $$;
comment on function public.test_script(uuid, text, text, integer, jsonb, jsonb, text) is
  'Runs a script that is not saved on one device, with values for the parameters that `definitions` has; returns the job. Nothing else is kept.';
grant execute on function public.test_script(uuid, text, text, integer, jsonb, jsonb, text) to authenticated;

-- Security definer: nobody may write this table.
create function app.count_script_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_stats as s (procedure_id, company_id, runs, succeeded, last_run_at)
    select n.procedure_id, n.company_id, count(*), count(*) filter (where n.status = 'succeeded'), max(n.finished_at)
    from new_runs n join old_runs o on o.id = n.id
    where n.procedure_id is not null and n.status in ('succeeded', 'failed', 'timed_out')
      and o.status not in ('succeeded', 'failed', 'timed_out')
      -- These runs never began, so that they say nothing about the script.
      and coalesce(n.error, '') not in ('denied', 'unapproved', 'replaced', 'declined', 'values_denied', 'no_right')
    group by n.procedure_id, n.company_id
    -- All lock in one order, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;
comment on function app.count_script_runs() is 'Statement trigger: the runs of scripts that ended are counted in procedure_stats.';

-- Security definer: nobody may write favorites; this function writes the caller's own, of scripts that they may list.
create function public.mark_favorite(procedure_id uuid, is_favorite boolean default true) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('procedures', 'list');
  select p.company_id into company from public.procedures p
    where p.id = mark_favorite.procedure_id and p.company_id = any (app.visible_company_ids());
  if company is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if is_favorite then
    insert into public.procedure_favorites (user_id, procedure_id, company_id)
      values (app.current_user_id(), mark_favorite.procedure_id, company) on conflict do nothing;
  else
    delete from public.procedure_favorites f where f.user_id = app.current_user_id() and f.procedure_id = mark_favorite.procedure_id;
  end if;
end $$;
comment on function public.mark_favorite(uuid, boolean) is
  'Marks a script with the caller''s star, or takes it off. A person''s own, so that it works in a read-only company.';
grant execute on function public.mark_favorite(uuid, boolean) to authenticated;

-- Security definer: nobody may write runs.
create function app.end_replaced() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.end_waiting(new.company_id, new.id);
  return null;
end $$;
comment on function app.end_replaced() is 'Row trigger: an edit of a script ends the runs that wait for the approval of an earlier version.';

create function app.version_to_decide(version_id uuid) returns public.procedure_versions
  language plpgsql set search_path = '' as $$
declare
  found public.procedure_versions%rowtype;
  script public.procedures%rowtype;
  authors uuid[];
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
  -- Nor by who wrote a part of it since the last approval: a colleague who changed the time limit has not read the text.
  authors := app.authors_to_approve(found);
  if app.current_user_id() = any (authors) then
    raise exception 'A script is approved by another person than its authors.' using errcode = '42501', hint = 'own_version';
  end if;
  -- A second account of the same person: whoever made an account, gave it its role or sent its password link may sign in with it.
  if app.current_user_id() = any (app.barred_approvers(authors)) then
    raise exception 'The account is connected with that of an author of the version.'
      using errcode = 'check_violation', hint = 'approver_of_author';
  end if;
  -- Again: somebody may have decided before the lock.
  select v.* into found from public.procedure_versions v where v.company_id = found.company_id and v.id = found.id;
  return found;
end $$;
comment on function app.version_to_decide(uuid) is
  'The newest version of a script, which the caller may approve or decline; its script is locked. Checks the permission, the company and that '
  'the caller wrote nothing of it since the last approval.';

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
    set declined_at = now(), declined_by = p.id, declined_name = p.name, decline_reason = btrim(reason)
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
grant execute on function public.decline_procedure(uuid, text) to authenticated;

-- Security definer: whoever runs scripts may not read policies. It tells a number alone, of devices and a script of the caller's companies.
create function app.count_unapproved(procedure_id uuid, device_ids uuid[]) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  script public.procedures%rowtype;
  waiting integer := 0;
begin
  perform app.require('procedures', 'run');
  select p.* into script from public.procedures p
    where p.id = count_unapproved.procedure_id and p.company_id = any (app.visible_company_ids());
  if script.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if cardinality(device_ids) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if not script.is_approved and exists (
    select 1 from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled and p.needs_approval
  ) then
    with wanted as materialized (
      select d.id from unnest(device_ids) w (id) join public.devices d on d.company_id = script.company_id and d.id = w.id
    ), rules as materialized (
      select p.id, p.position, p.needs_approval, not exists (
          select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
      from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled
    ), covered as (
      select w.id as device_id, r.id, r.position, r.needs_approval from wanted w cross join (
        -- Only the first of the rules for all devices can be a device's own.
        select x.* from rules x where x.is_for_all order by x.position, x.id limit 1) r
      union all
      select w.id, r.id, r.position, r.needs_approval
      from rules r
        join public.policy_groups g on g.company_id = script.company_id and g.policy_id = r.id
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        join wanted w on w.id = m.device_id
    ), own as (
      -- As app.policy_of().
      select distinct on (c.device_id) c.needs_approval from covered c order by c.device_id, c.position, c.id
    )
    select count(*) filter (where o.needs_approval) into waiting from own o;
  end if;
  return jsonb_build_object('devices', waiting, 'number', script.revision, 'declined_by', script.declined_name);
end $$;
comment on function app.count_unapproved(uuid, uuid[]) is 'See preview_approval().';
grant execute on function app.count_unapproved(uuid, uuid[]) to authenticated;

create function public.preview_approval(procedure_id uuid, device_ids uuid[] default null, target jsonb default null) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '30s' as $$
declare
  query record;
  ids uuid[] := device_ids;
begin
  if jsonb_typeof(target) = 'object' then
    query := app.target_query(target);
    execute format('select array_agg(x.id) from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets())
      into ids;
  end if;
  return app.count_unapproved(procedure_id, coalesce(ids, '{}'));
end $$;
comment on function public.preview_approval(uuid, uuid[], jsonb) is
  'On how many of these devices, or of a target''s (app.target_query()), a script would wait for approval now: {devices, number, declined_by}; '
  'number is its newest version, declined_by who declined it: then its runs fail there. A target is read as the caller.';
grant execute on function public.preview_approval(uuid, uuid[], jsonb) to authenticated;

-- Security definer: whoever edits policies may not read every person's role. It tells a number alone.
create function public.count_approvers(company uuid) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('policies', 'list');
  if company is null or company <> all (app.visible_company_ids()) then
    raise exception 'The company was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- Accounts that go back to one sponsor count as one person.
  return (select count(distinct (
      with recursive above (id) as (
        select r.user_id
        union
        select s.sponsor_id from above x join app.account_sponsors s on s.user_id = x.id where app.is_connected(s)
      )
      select coalesce(min(a.id::text) filter (where not exists (
        select 1 from app.account_sponsors s where s.user_id = a.id and app.is_connected(s))), min(a.id::text)) from above a))
    from public.user_roles r
    where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may('procedures', 'approve')));
end $$;
comment on function public.count_approvers(uuid) is
  'How many people of a company may approve scripts and sign in; accounts that go back to one sponsor (app.is_connected()) count as one. With '
  'one alone, nobody approves what that person writes.';
grant execute on function public.count_approvers(uuid) to authenticated;

create function app.script_platforms(type text) returns text[]
  language sql immutable set search_path = '' as $$
  select case
    when type in ('Batch', 'CMD', 'PowerShell') then array['windows']
    when type = 'Bash' then array['linux', 'macos']
    else array['linux', 'macos', 'windows'] end
$$;
comment on function app.script_platforms(text) is 'The systems on which scripts of this type run unless somebody says otherwise.';

-- Security definer: the functions that name the usual systems are granted to nobody.
create function app.fill_platforms() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  usual text[];
  before text[];
begin
  if tg_table_name = 'monitors' then
    usual := app.monitor_platforms(new);
    before := case when tg_op = 'UPDATE' then app.monitor_platforms(old) end;
  else
    usual := app.script_platforms(new.type);
    before := case when tg_op = 'UPDATE' then app.script_platforms(old.type) end;
  end if;
  -- Platforms that nobody narrowed follow the type.
  if coalesce(new.platforms, '{}') = '{}' or tg_op = 'UPDATE' and usual <> before and new.platforms = old.platforms and old.platforms = before then
    new.platforms := usual;
    return new;
  end if;
  new.platforms := array(select distinct p from unnest(new.platforms) p order by p);
  -- PowerShell is also made for other systems.
  if not new.platforms <@ usual and (to_jsonb(new) ->> 'type') not in ('PowerShell', 'Process') then
    raise exception using errcode = 'check_violation', hint = 'platform_of_type', table = tg_table_name, column = 'platforms',
      constraint = tg_table_name || '_platforms_check',
      message = format('new row for relation "%1$s" violates check constraint "%1$s_platforms_check"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.fill_platforms() is
  'Row trigger: the systems of a script, saved command or monitor, from its type where none are named. Each is one on which the type '
  'runs; PowerShell may be widened. Definer, because the functions it calls are granted to nobody; it reads no table.';

-- Security definer: the list of a device is the server's.
create function app.follow_platform() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.recompute_monitors(array[new.id]);
  return null;
end $$;
comment on function app.follow_platform() is
  'Row trigger of devices: another system has other monitors. Definer, because nobody may write presence.';

-- Security definer: whoever writes a script may not call the function that judges it.
create function app.guard_hidden_characters() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'procedures' then
    if tg_op = 'INSERT' or new.script is distinct from old.script then
      perform app.refuse_hidden_characters(new.script);
    end if;
    if tg_op = 'INSERT' or new.parameters is distinct from old.parameters then
      perform app.refuse_hidden_characters(p #>> '{}')
      from jsonb_path_query(new.parameters, 'strict $.**') p where jsonb_typeof(p) = 'string';
      perform app.refuse_hidden_characters(k)
      from jsonb_path_query(new.parameters, 'strict $.**') p,
        jsonb_object_keys(case when jsonb_typeof(p) = 'object' then p else '{}' end) k;
    end if;
  elsif tg_table_name = 'saved_commands' then
    if tg_op = 'INSERT' or new.command is distinct from old.command then
      perform app.refuse_hidden_characters(new.command);
    end if;
  -- A command, or a test of what is not saved. A version of a script was judged when it was written.
  elsif new.kind in ('procedure', 'command') and new.procedure_version_id is null then
    perform app.refuse_hidden_characters(new.script);
  end if;
  return new;
end $$;
comment on function app.guard_hidden_characters() is 'Row trigger: scripts, their parameters and commands without hidden characters.';

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
  -- The last act counts.
  on conflict (user_id, sponsor_id, act) do update set at = now();
  return null;
end $$;
comment on function app.note_sponsor() is 'Row trigger: keeps app.account_sponsors.';

-- Security definer: the auth server may not write the table.
create function app.note_password() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.password_changes (user_id) values (new.id) on conflict (user_id) do update set at = now();
  return null;
end $$;
comment on function app.note_password() is 'Row trigger: keeps app.password_changes.';

create function app.sponsor_days() returns integer
  language sql immutable set search_path = '' as $$ select 14 $$;
comment on function app.sponsor_days() is 'For how many days after the last act of its sponsor an account counts as the sponsor''s.';

create function app.is_connected(link app.account_sponsors) returns boolean
  language sql stable set search_path = '' as $$
  select (link.at > now() - make_interval(days => app.sponsor_days())
      -- The link in the mail was not used since: whoever asked for it may still be the only one who could.
      or link.act in ('invited', 'reset')
        and not exists (select 1 from app.password_changes p where p.user_id = link.user_id and p.at > link.at))
    -- A Super Admin invites the first people of every company, and can change its policies anyway.
    and not exists (select 1 from public.user_roles r where r.user_id = link.sponsor_id and r.role = 'Super Admin')
$$;
comment on function app.is_connected(app.account_sponsors) is
  'Whether an account may still be its sponsor''s: until its password was set after the last invitation or link, and 14 days after the last act.';

create function app.connected_accounts(accounts uuid[]) returns uuid[]
  language sql stable set search_path = '' as $$
  -- Each account is reached once, so that both ways end, in a circle too.
  with recursive above (id) as (
    select a from unnest(accounts) a where a is not null
    union
    select s.sponsor_id from above x join app.account_sponsors s on s.user_id = x.id where app.is_connected(s)
  ), below (id) as (
    select a.id from above a
    union
    select s.user_id from below x join app.account_sponsors s on s.sponsor_id = x.id where app.is_connected(s)
  )
  select array_agg(b.id order by b.id) from below b
$$;
comment on function app.connected_accounts(uuid[]) is
  'These accounts, their sponsors, the sponsors of those, and every account that goes back to one of them, over links with app.is_connected(). '
  'Two sponsors of one account are not connected by it. Null for no accounts.';

-- Security definer: nobody may write the table.
create function app.note_author() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.version_authors (version_id, author_id) values (new.id, new.created_by);
  return null;
end $$;
comment on function app.note_author() is 'Row trigger: keeps app.version_authors.';

create function app.authors_to_approve(version public.procedure_versions) returns uuid[]
  language sql stable set search_path = '' as $$
  select array_agg(distinct w.author_id) from public.procedure_versions v join app.version_authors w on w.version_id = v.id
  where v.company_id = version.company_id and v.procedure_id = version.procedure_id and v.number <= version.number
    and v.number > coalesce((select max(a.number) from public.procedure_versions a
      where a.company_id = version.company_id and a.procedure_id = version.procedure_id and a.approved_at is not null and a.id <> version.id), 0)
$$;
comment on function app.authors_to_approve(public.procedure_versions) is 'Who wrote a version, and those before it since the last approval.';

create function app.barred_approvers(authors uuid[]) returns uuid[]
  language sql stable set search_path = '' as $$
  select coalesce(app.connected_accounts(authors), '{}')
    -- This has no end: an author never has a version approved by an account of their own making.
    || array(select s.user_id from app.account_sponsors s where s.sponsor_id = any (authors))
$$;
comment on function app.barred_approvers(uuid[]) is
  'The accounts that approve and decline nothing that these wrote: themselves, connected ones, and all that one of them sponsored, however long ago.';

-- Security definer: nobody may read who sponsored whom. It tells a code about the caller's own account alone.
create function public.approval_conflict(version_id uuid) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype;
  authors uuid[];
begin
  perform app.require('procedures', 'approve');
  select v.* into version from public.procedure_versions v
    where v.id = approval_conflict.version_id and v.company_id = any (app.visible_company_ids());
  if version.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  authors := app.authors_to_approve(version);
  return case
    when app.current_user_id() = any (authors) then 'own_version'
    when app.current_user_id() = any (app.barred_approvers(authors)) then 'approver_of_author' end;
end $$;
comment on function public.approval_conflict(uuid) is
  'Why the caller may not approve or decline a version, before they try: own_version, approver_of_author (app.barred_approvers()), or null. '
  'Definer, because nobody may read who sponsored whom.';
grant execute on function public.approval_conflict(uuid) to authenticated;

create function app.forget_sponsors() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.account_sponsors s where (s.user_id, s.sponsor_id, s.act) in (
    select o.user_id, o.sponsor_id, o.act from app.account_sponsors o
    where o.at < now() - make_interval(days => app.sponsor_days()) and not exists (select 1 from auth.users u where u.id = o.user_id)
    limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_sponsors() is
  'Step of app.tick(): removes the sponsors of accounts that were deleted, once they connect nothing any more; at most 5,000 a call.';

create function public.suggest_procedures(q text, company uuid default null) returns table (id uuid, title text)
  language sql stable set search_path = '' as $$
  with words as (
    -- The beginning of a word: Turkish adds to its end what English says by words of their own.
    select distinct left(w.word, 5) as stem from regexp_split_to_table(app.fold(left(q, 200)), '[^[:alnum:]]+') as w (word)
    where length(w.word) >= 3 limit 12
  ), scored as (
    select p.id, p.name, p.name_key,
      (select count(*) from words s where strpos(app.fold(p.name), s.stem) > 0) as hits, (select count(*) from words) as asked
    from public.procedures p
    where suggest_procedures.company is null or p.company_id = suggest_procedures.company
  )
  select s.id, s.name from scored s where s.hits > 0 and s.hits * 2 >= s.asked
  order by s.hits desc, s.name_key, s.id limit 4
$$;
comment on function public.suggest_procedures(text, uuid) is
  'Scripts whose names share at least half of the words of a text: what is offered while a script is named, so that nobody writes it again. '
  'Runs as the caller.';
grant execute on function public.suggest_procedures(text, uuid) to authenticated;
