-- A request whose session ends while it waits for a lock must not pass as the server's own work: the server is who claims
-- nothing, not who has no live session.

create function app.acting_user_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.current_user_id();
begin
  if actor is null and auth.uid() is not null then
    raise exception using errcode = '42501', message = 'the session has ended', hint = 'session';
  end if;
  return actor;
end $$;
comment on function app.acting_user_id() is
  'The user a write is made by; null for the server and for devices. Raises 42501 (hint session) when the request claims a user '
  'whose session has ended or whose account is deactivated. Definer, because API roles may not read the auth schema.';
revoke execute on function app.acting_user_id() from public;
grant execute on function app.acting_user_id() to anon, authenticated, service_role;

create function app.is_server_work() returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
begin
  return app.acting_user_id() is null
    -- The setting keeps the role of the request also inside a security definer function, where current_user is the owner.
    and coalesce(current_setting('role', true), '') not in ('anon', 'authenticated')
    and coalesce(current_setting('request.jwt.claim.role', true), '') not in ('anon', 'authenticated')
    and coalesce(claims ->> 'role', '') not in ('anon', 'authenticated');
end $$;
comment on function app.is_server_work() is
  'Whether the server itself writes (seed, tick, cascades of a deleted account): no user is claimed and the role is not one of the '
  'API''s. Raises as app.acting_user_id() does. Definer, because API roles may not read the auth schema.';
revoke execute on function app.is_server_work() from public;
grant execute on function app.is_server_work() to anon, authenticated, service_role;

create or replace function app.quiet() returns boolean
  language plpgsql stable set search_path = '' as $$
begin
  return coalesce(current_setting('app.quiet', true), '') = 'on' and app.is_server_work();
end $$;

-- Roles and accounts. --------------------------------------------------------------------------------------------

-- Security definer: it looks at accounts the actor may not read.
create or replace function app.guard_user_role() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  actor_role text;
begin
  -- The server's own work (seed, first Super Admin, cascades of a deleted account) has no actor.
  if app.is_server_work() then
    return coalesce(new, old);
  end if;
  if not app.sees_all() then
    select r.role into actor_role from public.user_roles r where r.user_id = actor;
    -- An actor who has lost the role or the company meanwhile compares as null: refused, never let through.
    if actor_role is null
       or tg_op <> 'INSERT' and (app.role_rank(old.role) > app.role_rank(actor_role) or old.company_id is distinct from app.own_company())
       or tg_op <> 'DELETE' and (app.role_rank(new.role) > app.role_rank(actor_role) or new.company_id is distinct from app.own_company())
       -- One answer for an account that does not exist and one that belongs to another company.
       or tg_op = 'INSERT' and (not exists (select 1 from public.profiles p where p.id = new.user_id)
                                or exists (select 1 from public.user_roles r where r.user_id = new.user_id))
    then
      raise exception using errcode = '42501', message = 'this role cannot be given or taken by you', hint = 'role';
    end if;
  end if;
  if tg_op <> 'INSERT' and old.role in ('Admin', 'Super Admin')
     and (tg_op = 'DELETE' or new.role <> old.role or new.company_id is distinct from old.company_id
          or old.deactivated_at is null and new.deactivated_at is not null)
     -- A Super Admin may leave a company without an admin, but not the platform without a Super Admin.
     and (old.company_id is null or old.user_id = actor or not app.sees_all()) then
    perform app.keep_an_admin(old.company_id, array[old.user_id]);
  end if;
  return coalesce(new, old);
end $$;

-- Security definer: it looks at accounts the caller may not read.
create or replace function app.require_reach(ids uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.is_server_work() or app.sees_all() and not exists (
    select 1 from unnest(ids) as i (id) where not exists (select 1 from public.user_roles r where r.user_id = i.id)) then
    return;
  end if;
  -- One answer for an account that does not exist and one that belongs to another company.
  if exists (
    select 1 from unnest(ids) as i (id) where not exists (
      select 1 from public.user_roles r
      join public.user_roles mine on mine.user_id = actor
      where r.user_id = i.id and r.company_id = mine.company_id and app.role_rank(r.role) <= app.role_rank(mine.role)))
  then
    raise exception using errcode = '42501', message = 'these accounts are not yours to change', hint = 'role';
  end if;
end $$;

-- Security definer: accounts are made by the server alone.
create or replace function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin stands outside every company.
  company uuid := case when new.role = 'Super Admin' then null else coalesce(new.company_id, app.own_company()) end;
  saved public.users%rowtype;
begin
  perform app.acting_user_id();
  if length(btrim(coalesce(new.name, ''))) not between 2 and 100 then
    raise exception using errcode = '23514', constraint = 'users_name_check',
      message = 'new row for view "users" violates check constraint "users_name_check": a name has 2 to 100 characters';
  end if;
  if tg_op = 'INSERT' then
    begin
      new.id := app.create_auth_user(new.email, app.new_secret(), new.name);
    exception
      when unique_violation then
        raise exception using errcode = '23505', constraint = 'profiles_email_idx',
          message = 'this address has an account', detail = format('Key (email)=(%s) already exists.', lower(btrim(new.email)));
      when invalid_parameter_value then
        raise exception using errcode = '23514', constraint = 'users_email_check',
          message = 'new row for view "users" violates check constraint "users_email_check": not an e-mail address';
    end;
    insert into public.user_roles (user_id, role, company_id, invited_at) values (new.id, new.role, company, now());
    perform app.queue_mail('invitation', new.email);
  else
    perform app.require_reach(array[old.id]);
    if old.role in ('Admin', 'Super Admin') and (new.role <> old.role or company is distinct from old.company_id) then
      perform app.lock_admins(old.company_id);
      -- The wait may have been long: the caller may have signed out or lost the role meanwhile.
      perform app.require('users', 'edit');
      perform app.require_reach(array[old.id]);
    end if;
    -- Behind a view no row is locked: the version says whether it is still the row that was read.
    update public.user_roles r set role = new.role, company_id = company where r.user_id = old.id and r.version = old.version;
    if not found then
      return null;
    end if;
    update public.profiles p set name = btrim(new.name) where p.id = old.id and p.name is distinct from btrim(new.name);
  end if;
  select u.* into saved from public.users u where u.id = new.id;
  if found then
    return saved;
  end if;
  -- Whoever gave up the own role sees nobody any more.
  return new;
end $$;

-- Security definer: accounts and sessions belong to the auth server.
create or replace function public.deactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  changed integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- Whoever may switch others off never leaves a company, or the platform, without anybody who can switch them on again.
  for company in
    select distinct r.company_id from public.user_roles r
    where r.user_id = any (ids) and r.role = case when r.company_id is null then 'Super Admin' else 'Admin' end
      and (r.company_id is null or not app.sees_all())
    order by r.company_id
  loop
    perform app.keep_an_admin(company, ids);
  end loop;
  -- Again after the wait for the lock.
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- The role first: its triggers need the session of a caller who deactivates the own account.
  update public.user_roles r set deactivated_at = now() where r.user_id = any (ids) and r.deactivated_at is null;
  get diagnostics changed = row_count;
  update auth.users u set banned_until = now() + interval '100 years' where u.id = any (ids);
  delete from auth.sessions s where s.user_id = any (ids);
  return changed;
end $$;

-- Security definer: accounts belong to the auth server.
create or replace function public.reactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  update public.user_roles r set deactivated_at = null where r.user_id = any (ids) and r.deactivated_at is not null;
  get diagnostics changed = row_count;
  update auth.users u set banned_until = null where u.id = any (ids);
  return changed;
end $$;

-- Logs. ----------------------------------------------------------------------------------------------------------

-- Security definer: nobody may write audit_log. Every audited write of an ended session fails here at the latest.
create or replace function app.audit() returns trigger
  language plpgsql security definer set search_path = ''
  -- Old and new records meet by hash: the planner knows nothing of how many there are.
  set enable_nestloop = off as $$
declare
  key_column text := coalesce(tg_argv[0], 'id');
  ignored text[] := array['version', 'created_at', 'updated_at', 'search', 'name_key'] || coalesce(tg_argv[1:], '{}');
  actor uuid := app.acting_user_id();
  email text;
begin
  if app.quiet() then
    return null;
  end if;
  if actor is not null then
    select p.email into email from public.profiles p where p.id = actor;
  end if;
  if tg_op = 'INSERT' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'create',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(null, app.audit_value(f.key, f.value)))
         from jsonb_each(r.after) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(n) as after from new_rows n offset 0) r;
  elsif tg_op = 'DELETE' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.before), actor, email, tg_table_name, (r.before ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.before), 'delete',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, f.value), null))
         from jsonb_each(r.before) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(o) as before from old_rows o offset 0) r;
  else
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'edit', r.changes
    from (
      select n.doc as after, (
        select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, o.doc -> f.key), app.audit_value(f.key, f.value)))
        from jsonb_each(n.doc) f
        where f.key <> all (ignored) and f.value is distinct from o.doc -> f.key
      ) as changes
      -- offset 0: each record becomes JSON once, not once a comparison.
      from (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from new_rows x offset 0) n
      join (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from old_rows x offset 0) o on o.key = n.key
      where o.doc - ignored <> n.doc - ignored
    ) r
    where r.changes is not null;
  end if;
  return null;
end $$;

-- Security definer: nobody may write security_log.
create or replace function app.log_access_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  actor_address text := (select p.email from public.profiles p where p.id = actor);
begin
  if app.quiet() then
    return null;
  end if;
  if tg_table_name = 'user_roles' then
    insert into public.security_log (company_id, actor_id, actor_email, event, subject, details)
    select coalesce(new.company_id, old.company_id), actor, actor_address, c.event,
      (select p.email from public.profiles p where p.id = coalesce(new.user_id, old.user_id)), c.details
    from (values
      ('account_created', tg_op = 'INSERT', jsonb_build_object('role', new.role)),
      ('account_removed', tg_op = 'DELETE', jsonb_build_object('role', old.role)),
      ('role_changed', tg_op = 'UPDATE' and (new.role, new.company_id) is distinct from (old.role, old.company_id),
        jsonb_strip_nulls(jsonb_build_object('from', old.role, 'to', new.role,
          'from_company', nullif(old.company_id, new.company_id), 'to_company', nullif(new.company_id, old.company_id)))),
      ('account_deactivated', tg_op = 'UPDATE' and old.deactivated_at is null and new.deactivated_at is not null, '{}'::jsonb),
      ('account_reactivated', tg_op = 'UPDATE' and old.deactivated_at is not null and new.deactivated_at is null, '{}'::jsonb)
    ) as c (event, happened, details)
    where c.happened;
  elsif tg_op = 'INSERT' or old.revoked_at is null and new.revoked_at is not null then
    insert into public.security_log (company_id, actor_id, actor_email, event, subject)
    values (new.company_id, actor, actor_address,
      case when tg_op = 'INSERT' then 'enrollment_token_created' else 'enrollment_token_revoked' end, new.name);
  end if;
  return null;
end $$;

-- Authors and schedules. -----------------------------------------------------------------------------------------

-- Security definer: the policies of profiles ask far more than this.
create or replace function app.own_profile_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select p.id from public.profiles p where p.id = (select app.acting_user_id()));
end $$;

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
  end if;
  return new;
end $$;

-- Security definer: the counter is nobody's to write.
create or replace function app.stamp_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.ticket_numbers as n (company_id, last) values (new.company_id, 1)
      on conflict (company_id) do update set last = n.last + 1 returning n.last into new.number;
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
  end if;
  if new.priority is null then
    new.priority := coalesce((select i.priority from public.ticket_issues i
      where i.company_id = new.company_id and i.id = new.issue_id), 'normal');
  end if;
  new.resolved_at := case when new.status in ('resolved', 'closed') then coalesce(new.resolved_at, now()) end;
  return new;
end $$;

create or replace function app.stamp_corporate_app() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null or current_user in ('anon', 'authenticated') then
    -- A deleted profile takes its name off the row (as the owner of the tables); nothing else moves it.
    new.created_by := old.created_by;
  end if;
  return new;
end $$;

-- Security definer: app.next_run() is granted to nobody.
create or replace function app.stamp_schedule() returns trigger
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
  -- What another kind of target left behind.
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day,
      new.timezone, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day,
      old.timezone, old.enabled) then
    return new;
  end if;
  new.next_run_at := case
    when not new.enabled then null
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when new.frequency = 'once' then case when new.last_run_at is null or new.last_run_at < new.starts_at then new.starts_at end
    else app.next_run(new, now()) end;
  return new;
end $$;

-- Security definer: it binds parameters as run_procedure does.
create or replace function app.guard_schedule() returns trigger
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

-- Enrollment. ----------------------------------------------------------------------------------------------------

-- Security definer: an anonymous device has no rights on any table; the token or secret in the body is the credential.
create or replace function public.agent_enroll(payload jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  max_pending_per_token constant integer := 5;
  max_pending_per_company constant integer := 1000;
  body jsonb := app.agent_payload(payload, 16384);
  token_text text := body ->> 'token';
  -- The agent chooses its secret, so that a request whose answer was lost can be repeated.
  secret text := coalesce(body ->> 'secret', app.new_secret());
  hash bytea;
  token public.enrollment_tokens%rowtype;
  request public.enrollment_requests%rowtype;
  known record;
  answer jsonb;
begin
  if secret !~ '^[0-9a-f]{64}$' then
    raise exception 'secret must be 64 hexadecimal digits.' using errcode = 'PT400';
  end if;
  hash := app.hash_secret(secret);
  if body ->> 'secret' is not null then
    answer := app.repeated_enrollment(body, hash);
    if answer is null then
      -- Asked twice at the same moment: the second waits for the first and gets its answer.
      perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 1));
      answer := app.repeated_enrollment(body, hash);
    end if;
    if answer is not null then
      return answer || jsonb_build_object('secret', secret);
    end if;
  end if;

  if length(token_text) between 16 and 256 then
    select t.* into token
      from app.enrollment_secrets s join public.enrollment_tokens t on t.id = s.token_id
      where s.token_hash = app.hash_secret(token_text)
      for update of t;
  end if;
  -- Joining adds a device, and a company whose license has ended is read-only.
  if token.id is null or token.revoked_at is not null or token.expires_at <= now()
    or token.used_count >= token.max_uses or not app.company_runs(token.company_id)
    -- A secret belongs to one machine. Same refusal, so that nobody learns which secrets are in use.
    or exists (select 1 from app.device_secrets s where s.secret_hash = hash)
    or exists (select 1 from app.enrollment_request_secrets s where s.secret_hash = hash) then
    raise exception 'The enrolment token is not valid.' using errcode = 'PT401';
  end if;

  request.company_id := token.company_id;
  request.token_id := token.id;
  request.group_id := token.group_id;
  request.machine_id := app.short_text(body -> 'machine_id', 129);
  request.hostname := app.short_text(body -> 'hostname', 253);
  request.platform := app.short_text(body -> 'platform', 20);
  request.agent_version := app.short_text(body -> 'agent_version', 40);
  request.ip_address := app.request_address(body);
  if request.machine_id is null or length(request.machine_id) not between 8 and 128 or request.hostname is null
    or request.platform is null or request.platform not in ('linux', 'windows', 'macos') then
    raise exception 'machine_id, hostname or platform is missing or malformed.' using errcode = 'PT400';
  end if;

  perform pg_advisory_xact_lock(hashtextextended(token.company_id::text || request.machine_id, 0));
  select d.id, d.hostname,
      coalesce(p.online and p.last_seen_at > now() - make_interval(secs => 3 * coalesce(p.interval_seconds, 60) + 60), false)
        as alive
    into known
    from public.devices d
      left join public.device_presence p on p.company_id = d.company_id and p.device_id = d.id
    where d.company_id = token.company_id and d.machine_id = request.machine_id
    order by (d.hostname = request.hostname) desc, d.enrolled_at limit 1;
  -- When the known machine is alive under another name, this one is a copy and gets a device of its own.
  if known.id is not null and not (known.alive and known.hostname is distinct from request.hostname) then
    request.device_id := known.id;
  end if;

  update public.enrollment_tokens t set used_count = t.used_count + 1 where t.id = token.id;
  if request.device_id is null and not token.requires_approval then
    return jsonb_build_object('device_id', app.join_device(request, hash), 'secret', secret, 'interval', app.fleet_interval());
  end if;

  -- Who floods the queue in the name of a machine displaces own requests only, and shuts nobody out.
  with displaced as (
    update public.enrollment_requests r set status = 'expired'
      where r.id in (
        select x.id from public.enrollment_requests x
          where x.company_id = token.company_id and x.token_id = token.id and x.machine_id = request.machine_id
            and x.status = 'pending'
          order by x.created_at desc, x.id desc offset max_pending_per_token - 1)
        and r.status = 'pending'
      returning r.id
  )
  delete from app.enrollment_request_secrets s using displaced where s.request_id = displaced.id;
  if (select count(*) from public.enrollment_requests r
      where r.company_id = token.company_id and r.status = 'pending') >= max_pending_per_company then
    raise exception 'Too many devices wait for approval.' using errcode = 'PT429';
  end if;
  insert into public.enrollment_requests (company_id, token_id, group_id, device_id, machine_id, hostname, platform,
    agent_version, ip_address)
  values (request.company_id, request.token_id, request.group_id, request.device_id, request.machine_id, request.hostname,
    request.platform, request.agent_version, request.ip_address)
  returning * into request;
  insert into app.enrollment_request_secrets (request_id, secret_hash) values (request.id, hash);
  perform app.tell_of_request(request);
  return jsonb_build_object('status', 'pending', 'secret', secret, 'interval', 5);
end $$;

-- Security definer: requests and device secrets are written by functions only.
create or replace function public.approve_enrollment(id uuid, device_id uuid default null) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  request public.enrollment_requests%rowtype;
  hash bytea;
  machine text;
begin
  perform app.require('enrollment_requests', 'approve');
  select r.machine_id into machine from public.enrollment_requests r
    where r.id = approve_enrollment.id and r.company_id = any (app.visible_company_ids());
  if not found then
    raise exception using errcode = 'PT404', message = 'no such request', hint = 'request_gone';
  end if;
  -- In the order agent_enroll takes its locks: the machine, then the request.
  perform pg_advisory_xact_lock(hashtextextended(
    (select r.company_id::text from public.enrollment_requests r where r.id = approve_enrollment.id) || machine, 0));
  -- Again after the wait for the lock.
  perform app.require('enrollment_requests', 'approve');
  select r.* into request from public.enrollment_requests r where r.id = approve_enrollment.id for update;
  if request.id is null or request.status <> 'pending' then
    raise exception using errcode = 'PT404', message = 'the request is no longer open', hint = 'request_gone';
  end if;
  -- The caller saw which device this replaces; it must not be another one by now.
  if request.device_id is distinct from approve_enrollment.device_id then
    raise exception using errcode = 'PT409', message = 'the request has changed';
  end if;
  if request.device_id is not null then
    perform 1 from public.devices d where d.company_id = request.company_id and d.id = request.device_id for no key update;
  end if;
  delete from app.enrollment_request_secrets s where s.request_id = request.id returning s.secret_hash into hash;
  if hash is null or exists (
    select 1 from app.device_secrets s where s.secret_hash = hash and s.device_id is distinct from request.device_id)
  then
    raise exception using errcode = 'PT409', message = 'the machine must ask to join again';
  end if;
  request.device_id := app.join_device(request, hash);
  update public.enrollment_requests r
    set status = 'approved', decided_at = now(), decided_by = app.current_user_id(), device_id = request.device_id
    where r.id = request.id;
  return request.device_id;
end $$;

-- Security definer: tokens are written by functions only.
create or replace function public.revoke_enrollment_token(id uuid) returns void
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform app.require('enrollment_tokens', 'delete');
  update public.enrollment_tokens t set revoked_at = coalesce(t.revoked_at, now())
  where t.id = revoke_enrollment_token.id and t.company_id = any (app.visible_company_ids());
  if not found then
    raise exception using errcode = 'PT404', message = 'no such token', hint = 'token_gone';
  end if;
end $$;

-- Refusals instead of server errors. -----------------------------------------------------------------------------

-- Without a trigger PostgreSQL cannot delete from this view at all, and says so (55000) before it looks at the rights.
create function app.refuse_user_delete() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'accounts are deactivated, not deleted', hint = 'role';
end $$;
comment on function app.refuse_user_delete() is 'Instead of deleting from the view users: nobody may.';
revoke execute on function app.refuse_user_delete() from public, anon, authenticated;
create trigger users_refuse_delete instead of delete on public.users
  for each row execute function app.refuse_user_delete();
