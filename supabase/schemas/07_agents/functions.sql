create function app.request_address(body jsonb) returns text
  language plpgsql stable set search_path = '' as $$
declare
  headers jsonb := nullif(current_setting('request.headers', true), '')::jsonb;
begin
  if headers is null then
    -- The embedded server writes the address it saw over whatever the agent sent.
    return app.short_text(body -> 'address', 64);
  end if;
  return app.short_text(to_jsonb(coalesce(headers ->> 'cf-connecting-ip', split_part(headers ->> 'x-forwarded-for', ',', 1))), 64);
end $$;
comment on function app.request_address(jsonb) is
  'The address an agent calls from, as a hint for people: from the request headers of PostgREST, else from the embedded server.';

create function app.join_device(request public.enrollment_requests, secret_hash bytea) returns uuid
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  device uuid := request.device_id;
  known record;
  is_clone boolean := false;
  seconds integer := app.fleet_interval();
begin
  if device is null then
    -- Two machines made from one image share the id: both are marked.
    update public.devices d set clone_suspected = true
      where d.company_id = request.company_id and d.machine_id = request.machine_id and not d.clone_suspected;
    is_clone := exists (
      select 1 from public.devices d where d.company_id = request.company_id and d.machine_id = request.machine_id);
    insert into public.devices (company_id, name, hostname, status, offline_since, platform, machine_id, clone_suspected,
      agent_version, enrolled_at, enrollment_token_id)
    values (request.company_id, left(request.hostname, 200), request.hostname, 'online', null, request.platform,
      request.machine_id, is_clone, request.agent_version, now(), request.token_id)
    returning id into device;
    -- Whoever else waits as this machine now asks for the place of a known device.
    update public.enrollment_requests r set device_id = device
      where r.company_id = request.company_id and r.machine_id = request.machine_id and r.status = 'pending'
        and r.device_id is null and r.hostname = request.hostname and r.id is distinct from request.id;
  else
    update public.devices d
      set name = case when d.name = left(d.hostname, 200) then left(request.hostname, 200) else d.name end,
        hostname = request.hostname, platform = request.platform, status = 'online', offline_since = null,
        agent_version = request.agent_version, enrolled_at = now(), enrollment_token_id = request.token_id
      where d.company_id = request.company_id and d.id = device;
  end if;

  insert into public.device_presence (company_id, device_id, last_seen_at, online, interval_seconds, inventory_hash)
    values (request.company_id, device, now(), true, seconds, null)
    on conflict (company_id, device_id) do update
      set last_seen_at = now(), online = true, interval_seconds = excluded.interval_seconds, inventory_hash = null,
        updated_at = now();
  -- The agent that took these runs can no longer answer for them, and the next one must not start them again.
  update public.job_runs r set status = 'failed', error = 'interrupted', finished_at = now(), lease_until = null
    from (
      select x.id from public.job_runs x
      where x.company_id = request.company_id and x.device_id = device and x.status in ('claimed', 'running')
      order by x.id for update
    ) taken
    where r.id = taken.id;
  insert into app.device_secrets (device_id, company_id, secret_hash)
    values (device, request.company_id, join_device.secret_hash)
    on conflict (device_id) do update set secret_hash = excluded.secret_hash;
  if request.group_id is not null then
    insert into public.group_devices (company_id, group_id, device_id)
      values (request.company_id, request.group_id, device)
      on conflict (company_id, group_id, device_id) do nothing;
  end if;
  return device;
end $$;
comment on function app.join_device(public.enrollment_requests, bytea) is
  'Makes the device of a request, or gives a known one (device_id) to the machine that asks: the secret it had ends. '
  'Returns the device. Granted to nobody: the agent functions and approve_enrollment call it.';

create function app.tell_of_request(request public.enrollment_requests) returns void
  language sql volatile set search_path = '' as $$
    insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, request.company_id, 'enrollment_waiting', jsonb_build_object('hostname', request.hostname),
      '/enrollment-requests', format('enrollment_waiting:%s:%s', request.token_id, current_date)
    from public.user_roles r
    where r.company_id = request.company_id and r.role = any (app.roles_that_may('enrollment_requests', 'approve')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
$$;
comment on function app.tell_of_request(public.enrollment_requests) is
  'Tells whoever may approve it that a device waits for approval, once a token and day.';

create function app.repeated_enrollment(body jsonb, hash bytea) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  known uuid;
  request record;
begin
  select s.device_id into known from app.device_secrets s
    join public.devices d on d.company_id = s.company_id and d.id = s.device_id
    where s.secret_hash = hash and d.machine_id = body ->> 'machine_id';
  if found then
    return jsonb_build_object('device_id', known, 'interval', app.fleet_interval());
  end if;
  select r.id, r.status, r.created_at, r.last_asked_at into request
    from app.enrollment_request_secrets s join public.enrollment_requests r on r.id = s.request_id
    where s.secret_hash = hash and r.machine_id = body ->> 'machine_id';
  if not found then
    return null;
  elsif request.status = 'rejected' then
    raise exception 'The request to join was rejected.' using errcode = 'PT403';
  end if;
  if request.last_asked_at < now() - interval '1 minute' then
    update public.enrollment_requests r set last_asked_at = now() where r.id = request.id and r.status = 'pending';
  end if;
  return jsonb_build_object('status', 'pending',
    'interval', case when request.created_at > now() - interval '10 minutes' then 5 else 60 end);
end $$;
comment on function app.repeated_enrollment(jsonb, bytea) is
  'The answer to a machine that asks again with the secret it chose: enrolled, pending, PT403 when rejected, null when unknown. '
  'The secret is the credential, so no token is needed and none is used up.';

-- Security definer: only functions write requests and device secrets.
create function public.approve_enrollment(id uuid, device_id uuid default null) returns uuid
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
comment on function public.approve_enrollment(uuid, uuid) is
  'Lets a waiting machine join. device_id is the known device it replaces, as the caller saw it: PT409 when that has changed. '
  'The secret that device had ends. Returns the device.';
grant execute on function public.approve_enrollment(uuid, uuid) to authenticated;

-- Security definer: only functions write requests.
create function public.reject_enrollments(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  rejected integer;
begin
  perform app.require('enrollment_requests', 'approve');
  update public.enrollment_requests r
    set status = 'rejected', decided_at = now(), decided_by = app.current_user_id()
    where r.id = any (ids) and r.status = 'pending' and r.company_id = any (app.visible_company_ids());
  get diagnostics rejected = row_count;
  return rejected;
end $$;
comment on function public.reject_enrollments(uuid[]) is
  'Refuses waiting machines; returns how many. Their agents are told so and stop asking. Known devices keep their secret.';
grant execute on function public.reject_enrollments(uuid[]) to authenticated;

create function app.expire_enrollments() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  expired integer;
begin
  with due as (
    select r.id from public.enrollment_requests r
    where r.status = 'pending' and r.created_at < now() - interval '14 days'
    order by r.id limit 1000 for update skip locked
  )
  update public.enrollment_requests r set status = 'expired' from due where r.id = due.id;
  get diagnostics expired = row_count;
  -- A rejected machine is told so for two weeks.
  delete from app.enrollment_request_secrets s where s.request_id in (
    select r.id from public.enrollment_requests r join app.enrollment_request_secrets x on x.request_id = r.id
    where r.status = 'expired' or r.status = 'rejected' and r.decided_at < now() - interval '14 days' limit 1000);
  return expired;
end $$;
comment on function app.expire_enrollments() is 'Step of app.tick(): requests nobody decided on within 14 days expire.';

-- Security definer: an anonymous device has no privileges; the token or the secret in the body is the credential.
create function public.agent_enroll(payload jsonb) returns jsonb
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
    raise exception 'The enrollment token is not valid.' using errcode = 'PT401';
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

  -- A flood in the name of a machine displaces its own requests only, and shuts nobody out.
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
comment on function public.agent_enroll(jsonb) is
  '{token?, secret?, machine_id, hostname, platform, agent_version} → {device_id, secret, interval}, or {status: "pending", secret, interval} '
  'while the request waits for approval: the same call with the same secret asks again. The token alone decides company and group.';
grant execute on function public.agent_enroll(jsonb) to anon, service_role;

create function app.agent_company(device uuid, secret text) returns uuid
  language plpgsql stable set search_path = '' as $$
declare
  owner uuid;
begin
  if device is not null and length(secret) between 16 and 256 then
    select s.company_id into owner from app.device_secrets s
      where s.device_id = device and s.secret_hash = app.hash_secret(secret);
  end if;
  if owner is null then
    raise exception 'The device credentials are not valid.' using errcode = 'PT401';
  end if;
  return owner;
end $$;
comment on function app.agent_company(uuid, text) is
  'The company of the device these credentials belong to. PT401, with one message, when it is unknown, removed, or the secret is wrong.';

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create function public.agent_check_in(payload jsonb) returns jsonb
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
  refusal text;
  is_refused boolean := false;
  sender text := app.short_text(body -> 'instance', 40);
  senders text[];
  returns integer;
  has_terminal boolean := app.has_terminal(device);
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
  select d.status, d.machine_id, d.clone_suspected, d.agent_version, d.agent_update_state, d.agent_update_version, d.agent_update_reason,
    d.inventory_refused, d.inventory_refused_at
    into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(reported, known.agent_version)
    or known.agent_update_state is distinct from update_state or known.agent_update_version is distinct from update_version
    or known.agent_update_reason is distinct from update_reason
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if body ? 'inventory_refused' then
    is_refused := true;
    refusal := coalesce(app.short_text(body -> 'inventory_refused', 300), 'The inventory was refused.');
  end if;
  if changes_device or brings_inventory or is_refused then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds), p.agent_target, p.agent_target_asked,
      p.agent_instances, p.instance_returns
    into known_hash, known_stamp, list_hash, seconds, target, target_asked, senders, returns from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(reported, d.agent_version),
        agent_update_state = update_state, agent_update_version = update_version, agent_update_reason = update_reason,
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  -- A new process of the agent has a new id. An earlier id that comes back, twice, is that of a second machine that is awake.
  if sender is not null and sender is distinct from senders[1] then
    returns := case when sender = any (senders) then least(returns + 1, 2) else 0 end;
    senders := (array_prepend(sender, array_remove(senders, sender)))[1:8];
    if returns = 2 and not known.clone_suspected then
      update public.devices d set clone_suspected = true where d.company_id = company and d.id = device and not d.clone_suspected;
    end if;
  end if;
  if brings_inventory then
    begin
      perform app.record_inventory(company, device, body -> 'inventory');
    exception when others then
      -- A busy database is asked again; what it refuses must not keep the device from its jobs.
      if sqlstate ~ '^(08|40|53|55|57|58|XX)' then
        raise;
      end if;
      is_refused := true;
      refusal := left(sqlerrm, 300);
    end;
  end if;
  if is_refused then
    update public.devices d set inventory_refused = refusal, inventory_refused_at = now()
      where d.company_id = company and d.id = device;
    known_hash := new_hash;
  elsif brings_inventory then
    if known.inventory_refused is not null then
      update public.devices d set inventory_refused = null, inventory_refused_at = null where d.company_id = company and d.id = device;
    end if;
    known_hash := new_hash;
  elsif known.inventory_refused_at < now() - interval '1 day' then
    -- A newer database may take an inventory that was refused yesterday.
    known_hash := null;
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
      -- A run that is being reported at this moment needs no lease.
      order by r.id for update skip locked
    )
    update public.job_runs r set lease_until = now() + interval '5 minutes' from lapsing where r.id = lapsing.id;
    select count(*) filter (where r.status in ('claimed', 'running')) into kept from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held);
    -- A run that is not this device's, or no longer, is included: one that was deleted or canceled here must stop there.
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
  if has_terminal and runs <> '[]' then
    select jsonb_agg(e.run || jsonb_strip_nulls(jsonb_build_object('terminal', s.session)) order by e.position) into runs
      from jsonb_array_elements(runs) with ordinality e (run, position)
        join public.job_runs r on r.company_id = company and r.id = (e.run ->> 'run_id')::uuid
        left join app.terminal_jobs s on s.job_id = r.job_id;
  end if;
  -- A run that waits for its turn, its time or an approval is asked about at the usual interval: thousands may wait for hours.
  if has_open and exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
      and (r.status <> 'queued' or not (r.is_capped or r.waits_for is not null or r.start_after > now()))
  ) or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
      and not r.is_capped and r.start_after is null and r.waits_for is null
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
      inventory_hash = known_hash, agent_instances = senders, instance_returns = returns, monitors_stamp = known_stamp, monitors_hash = list_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', case when has_terminal then 1 else seconds end, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if body ? 'monitors_hash' then
    if list_hash is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', list_hash);
    elsif list_hash <> md5('[]') then
      perform app.note_list(company, device, list_hash);
    end if;
  end if;
  if has_terminal then
    answer := answer || '{"terminal": true}';
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
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, inventory_refused?, instance?, running, agent_version, '
  'monitors_hash?, monitor_states?, samples?, update?} → {interval, send_inventory?, runs, cancel, time, terminal?, monitors?, '
  'monitors_hash?, update?}. terminal: somebody waits for what the device answers.';
grant execute on function public.agent_check_in(jsonb) to anon, service_role;

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create function public.agent_report(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 8388608);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  sent jsonb := body -> 'results';
  accepted uuid[];
  -- How far the device's clock is behind that of the server; null for an agent that does not say.
  behind interval := now() - app.exact_instant(body ->> 'time');
  refused jsonb;
begin
  if jsonb_typeof(sent) is distinct from 'array' then
    raise exception 'results must be a list.' using errcode = 'PT400';
  end if;
  if jsonb_array_length(sent) > 64 then
    raise exception 'At most 64 results.' using errcode = 'PT413';
  end if;

  -- The log of a finished run refers to the device: its row comes first, as everywhere.
  perform 1 from public.devices d where d.company_id = company and d.id = device for key share;
  perform 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.id in (
      select app.lenient_uuid(e ->> 'run_id') from jsonb_array_elements(sent) e where jsonb_typeof(e) = 'object'
    )
    order by r.id for update;

  with listed as materialized (
    select app.short_text(e -> 'run_id', 64) as named, app.lenient_uuid(e ->> 'run_id') as id, e as result,
      e ->> 'state' as state, position
    from jsonb_array_elements(sent) with ordinality as l (e, position)
    where jsonb_typeof(e) = 'object'
  ), judged as materialized (
    select l.named, l.id, l.result, l.state, l.position,
      case
        when r.id is null then 'not_found'
        when coalesce(l.state, '') not in
          ('running', 'succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled', 'refused') then 'unknown_state'
        when r.attempt = 0 or app.whole_number(l.result -> 'attempt') is distinct from r.attempt then 'unknown_attempt'
        when r.reported_at is not null then 'result_exists'
        when l.state = 'running' and r.status not in ('claimed', 'running') then 'not_open'
      end as reason
    from listed l
      left join public.job_runs r on r.company_id = company and r.device_id = device and r.id = l.id
  ), taken as materialized (
    -- Twice in one report: what ended outranks what runs, and the first of its kind stands.
    -- The device's clock tells how long something took and how long ago it was; when it was, the server's clock says.
    select distinct on (j.id) j.id, j.state, j.result,
      least(now(), coalesce(app.exact_instant(j.result ->> 'finished_at') + behind, now())) as ended_at
    from judged j where j.reason is null order by j.id, (j.state = 'running'), j.position
  ), written as (
    update public.job_runs r
      set status = case
          when t.state in ('interrupted', 'refused') then 'failed'
          else t.state
        end,
        started_at = coalesce(r.started_at, case
          when t.state = 'running' then now()
          when t.state = 'refused' then null
          else greatest(r.claimed_at, t.ended_at - greatest(least(
            app.exact_instant(t.result ->> 'finished_at') - app.exact_instant(t.result ->> 'started_at'),
            interval '1 day'), interval '0'))
        end),
        finished_at = case when t.state <> 'running' then greatest(t.ended_at, r.started_at, r.claimed_at) end,
        reported_at = case when t.state <> 'running' then now() end,
        lease_until = case when t.state = 'running' then now() + interval '5 minutes' end,
        exit_code = case when t.state <> 'running' then app.exit_code(t.result -> 'exit_code') end,
        -- The result replaces the output of the running script.
        output = case when jsonb_typeof(t.result -> 'output') = 'string' then app.capped_output(t.result ->> 'output')
          when t.state = 'running' then r.output end,
        output_truncated = t.state <> 'running'
          and (coalesce(t.result -> 'truncated' = 'true', false)
            or coalesce(octet_length(t.result ->> 'output') > 1048576, false)),
        error = case
          when t.state = 'failed' then app.device_reason(t.result -> 'reason')
          when t.state in ('interrupted', 'refused') then coalesce(app.device_reason(t.result -> 'reason'), t.state)
          when t.state in ('timed_out', 'cancelled') then t.state
        end
      from taken t
      where r.company_id = company and r.device_id = device and r.id = t.id
      returning r.id
  )
  select (select coalesce(array_agg(w.id order by w.id), '{}') from written w),
    (select coalesce(jsonb_agg(jsonb_build_object('run_id', j.named, 'reason', j.reason) order by j.position), '[]')
      from judged j where j.reason is not null)
  into accepted, refused;
  return jsonb_build_object('accepted', to_jsonb(accepted), 'refused', refused);
end $$;
comment on function public.agent_report(jsonb) is
  '{device_id, secret, time?, results: [{run_id, attempt, state, exit_code, output, truncated, reason?, started_at?, finished_at?}]} → {accepted: [run_id], refused: [{run_id, reason}]}. The output of a running script may be sent as often as it grows. time is the clock of the device when it reports: finished_at is read against it. A device drops what was accepted and what was refused.';
grant execute on function public.agent_report(jsonb) to anon, service_role;

create function public.agent_versions(company uuid default null)
  returns table (agent_version text, devices bigint)
  language plpgsql stable set search_path = '' as $$
begin
  -- The company is part of the query text so that the planner sees it; row-level security limits the counted rows.
  return query execute format(
    'select d.agent_version, count(*) from public.devices d where %s group by d.agent_version order by count(*) desc, d.agent_version limit 50',
    case when company is null then 'true' else format('d.company_id = %L', company) end);
end $$;
comment on function public.agent_versions(uuid) is
  'Devices by agent version, most frequent first, of one company or of all that the caller sees. Null: enrolled without an agent.';
grant execute on function public.agent_versions(uuid) to authenticated, service_role;

create function app.current_agent() returns app.agent_releases
  language sql stable set search_path = '' as $$
  select r from app.agent_releases r order by r.published_at desc limit 1
$$;
comment on function app.current_agent() is 'The version of the agent that the server serves; null before it has published one.';

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
  -- An older release is the newest again when the operator went back. Whole milliseconds: the signature covers its text.
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

create function app.is_agent_held(company uuid, release text) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from public.devices d
    where d.company_id = company and d.agent_update_state = 'failed' and d.agent_update_version = release)
$$;
comment on function app.is_agent_held(uuid, text) is
  'Whether a version failed on a device of the company, so that no other device of it gets it by policy.';

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

create function app.agent_offer(company uuid, target text, asked boolean) returns text
  language sql stable set search_path = '' as $$
  select target
  where target = (app.current_agent()).version and app.company_runs(company) and (asked or not app.is_agent_held(company, target))
$$;
comment on function app.agent_offer(uuid, text, boolean) is
  'The version that a device is to update to now: its target, while it is the one that the server serves and nothing holds it back; else null.';

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
grant execute on function public.rollout_status(uuid) to authenticated;

create function app.hardware_text(value jsonb, max_length integer) returns text
  language sql immutable parallel safe
return (
  select case when t !~* '^(to be filled( by o\.?e\.?m\.?.*)?|default( string)?|not (specified|applicable|available|set|settable|present|defined)|(system|chassis|base ?board|board|product) (manufacturer|product ?name|name|serial( number)?|version|model)|\(?(none|null|empty|invalid|undefined|unknown)\)?|n/?a|tbd|o\.?e\.?m\.?|serial( number)?|s/?n|0?123456789?0?|[0-]+|f{4,}|x+|\.+|\*+)$'
    then t end
  from app.short_text(value, max_length) as t
);
comment on function app.hardware_text(jsonb, integer) is
  'A text of a machine''s firmware; null for what makers leave where they fill in nothing. agent/inventory/shared.ts has the same words.';

create function app.clean_entries(list jsonb, max_entries integer) returns jsonb
  language sql immutable parallel safe
return case when jsonb_typeof(list) <> 'array' then '[]' else (
  select coalesce(jsonb_agg(bounded.entry order by bounded.position), '[]')
  from (
    select cleaned.entry, cleaned.position, sum(octet_length(cleaned.entry::text)) over (order by cleaned.position) as bytes
    from (
      select e.position, (
        select coalesce(jsonb_object_agg(k.key, case jsonb_typeof(k.value)
            when 'string' then to_jsonb(app.clean_text(left(k.value #>> '{}', 600), 300))
            when 'array' then (
              select coalesce(jsonb_agg(app.clean_text(left(a.item #>> '{}', 200), 100) order by a.position), '[]')
              from jsonb_array_elements(k.value) with ordinality as a (item, position)
              where a.position <= 50 and jsonb_typeof(a.item) = 'string')
            else k.value end), '{}')
        from jsonb_each(e.item) k
        where k.key ~ '^[a-z_]{1,40}$' and jsonb_typeof(k.value) <> 'object'
      ) as entry
      from jsonb_array_elements(list) with ordinality as e (item, position)
      where e.position <= max_entries and jsonb_typeof(e.item) = 'object'
    ) cleaned
  ) bounded
  where bounded.bytes <= 65536
) end;
comment on function app.clean_entries(jsonb, integer) is
  'The first entries of a list of disks or network adapters, 64 kB at most, with every text cleaned. A list that is too long loses its end, '
  'not all of it.';
