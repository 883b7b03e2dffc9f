-- Agent API: agent_enroll, agent_check_in and agent_report.
-- Each takes one jsonb `payload` and is callable by anyone, because the credential is in the body. The credential is looked up
-- by one key before the rest of the body is read; all failures share one message and write no row.
-- Errors: PT400 (malformed), PT401 (credential), PT413 (too large); PostgREST turns them into HTTP statuses.
-- jit is off: the planner cannot estimate the lists in a payload, and compiling took a second per call.
-- Locks are always taken in the order in which a device is deleted: device, presence, runs by id, jobs by id.

create table app.fleet (
  only_row boolean primary key default true check (only_row),
  devices integer not null,
  counted_at timestamptz not null
);
comment on table app.fleet is 'How many devices there are, counted once a minute: no check-in may cost what the fleet is big.';

revoke all on app.fleet from public, anon, authenticated;
alter table app.fleet enable row level security;

insert into app.fleet (devices, counted_at) values (0, '-infinity');

create function app.fleet_interval() returns integer
  language plpgsql set search_path = '' as $$
declare
  fleet record;
begin
  select f.devices, f.counted_at into fleet from app.fleet f;
  if fleet.counted_at < now() - interval '1 minute' then
    -- Whoever comes second while one counts goes by the old figure.
    perform 1 from app.fleet f where f.only_row and f.counted_at < now() - interval '1 minute' for update skip locked;
    if found then
      update app.fleet f set devices = (select count(*) from public.device_presence), counted_at = now()
        where f.only_row returning f.devices into fleet.devices;
    end if;
  end if;
  return least(600, greatest(5, fleet.devices / 300));
end $$;
comment on function app.fleet_interval() is 'Seconds between two check-ins of a device, so that the whole fleet makes about 300 a second at most.';

-- Reading a payload (nothing in it is trusted to have the right type) -------------------------------------------------

create function app.agent_payload(payload jsonb, most_bytes integer) returns jsonb
  language plpgsql immutable set search_path = '' as $$
begin
  -- A driver may hand an object over as its text.
  if jsonb_typeof(payload) = 'string' then
    payload := (payload #>> '{}')::jsonb;
  end if;
  if jsonb_typeof(payload) is distinct from 'object' then
    raise exception 'The payload must be an object.' using errcode = 'PT400';
  end if;
  if pg_column_size(payload) > most_bytes then
    raise exception 'The payload is too large.' using errcode = 'PT413';
  end if;
  return payload;
end $$;
comment on function app.agent_payload(jsonb, integer) is 'The object a device sent; PT400 for anything else, PT413 when it is too large.';

create function app.short_text(value jsonb, most integer) returns text
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'string' then nullif(app.clean_text(left(value #>> '{}', most * 2), most), '') end;
comment on function app.short_text(jsonb, integer) is 'A string without control characters, cut to so many, else null.';

create function app.whole_number(value jsonb) returns integer
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number'
  then greatest(least(round((value #>> '{}')::numeric), 2147483647), -2147483648)::integer end;
comment on function app.whole_number(jsonb) is 'A number as an integer within its range, else null.';

create function app.percent(value jsonb) returns real
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number'
  then greatest(least((value #>> '{}')::numeric, 100), 0)::real end;
comment on function app.percent(jsonb) is 'A number between 0 and 100, else null.';

create function app.lenient_uuid(value text) returns uuid
  language sql immutable parallel safe
return case when value ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then value::uuid end;
comment on function app.lenient_uuid(text) is 'The uuid a text spells, else null.';

create function app.lenient_instant(value text) returns timestamptz
  language sql immutable parallel safe
return case when value ~ '^(19[7-9][0-9]|20[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z$'
  then make_timestamptz(left(value, 4)::int, substr(value, 6, 2)::int, 1, substr(value, 12, 2)::int,
    substr(value, 15, 2)::int, substr(value, 18, 2)::int, 'UTC') + make_interval(days => substr(value, 9, 2)::int - 1) end;
comment on function app.lenient_instant(text) is 'An ISO 8601 instant in UTC, to the second, else null.';

create function app.capped_list(value jsonb, most_items integer) returns jsonb
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'array' and jsonb_array_length(value) <= most_items
  and octet_length(value::text) <= 65536 then value end;
comment on function app.capped_list(jsonb, integer) is 'A list of at most so many entries and 64 kB, else null.';

create function app.capped_output(output text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  -- As in agent/run/output.ts.
  max_bytes constant integer := 1048576;
  note_bytes constant integer := 128;
  raw bytea;
  head integer := max_bytes / 2;
  tail integer;
  cut text;
  lines integer;
begin
  if output is null or octet_length(output) <= max_bytes then
    return output;
  end if;
  raw := convert_to(output, 'UTF8');
  tail := octet_length(raw) - (max_bytes - head - note_bytes);
  -- Never cut inside a character: its continuation bytes (10xxxxxx) stay with its first byte.
  while head > 0 and get_byte(raw, head) & 192 = 128 loop
    head := head - 1;
  end loop;
  while tail < octet_length(raw) and get_byte(raw, tail) & 192 = 128 loop
    tail := tail + 1;
  end loop;
  cut := convert_from(substring(raw from head + 1 for tail - head), 'UTF8');
  lines := length(cut) - length(replace(cut, E'\n', ''));
  return convert_from(substring(raw from 1 for head), 'UTF8')
    || case when get_byte(raw, head - 1) = 10 then '' else E'\n' end
    || format(E'… %s bytes (%s %s) cut here …\n', to_char(tail - head, 'FM999,999,999'), to_char(lines, 'FM999,999,999'),
      case lines when 1 then 'line' else 'lines' end)
    || convert_from(substring(raw from tail + 1), 'UTF8');
end $$;
comment on function app.capped_output(text) is
  'Limits a text to 1 MB. A longer text keeps its beginning and end, cut between characters, with a line between them that states how much is missing.';

-- Enrollment ----------------------------------------------------------------------------------------------------------

create function app.company_runs(company uuid) returns boolean
  language sql stable
  begin atomic
    select exists (
      select 1 from public.companies c
      where c.id = company and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    );
  end;
comment on function app.company_runs(uuid) is 'Whether the license of a company holds, seen from a device, where nobody is signed in.';

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
comment on function public.agent_enroll(jsonb) is
  '{token?, secret?, machine_id, hostname, platform, agent_version} → {device_id, secret, interval}, or {status: "pending", secret, interval} '
  'while the request waits for approval: the same call with the same secret asks again. The token alone decides company and group.';
revoke execute on function public.agent_enroll(jsonb) from public, authenticated;
grant execute on function public.agent_enroll(jsonb) to anon, service_role;
grant execute on function public.agent_enroll(jsonb) to anon;

-- Inventory -----------------------------------------------------------------------------------------------------------

create function app.record_inventory(company uuid, device uuid, inventory jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  if jsonb_typeof(inventory) is distinct from 'object' then
    raise exception 'The inventory must be an object.' using errcode = 'PT400';
  end if;
  update public.devices d
    set name = case when d.name = left(d.hostname, 200) then coalesce(left(i.hostname, 200), d.name) else d.name end,
      hostname = coalesce(i.hostname, d.hostname), os = i.os, os_version = i.os_version, make = i.make,
      model = i.model, serial = i.serial, cpu = i.cpu, cpu_cores = i.cpu_cores, memory_mb = i.memory_mb,
      disks = i.disks, network = i.network, ip_address = i.ip_address, logged_in_user = i.logged_in_user,
      boot_time = i.boot_time, reboot_required = i.reboot_required
    from (
      select app.short_text(inventory -> 'hostname', 253) as hostname, app.short_text(inventory -> 'os', 120) as os,
        app.short_text(inventory -> 'os_version', 120) as os_version, app.short_text(inventory -> 'make', 120) as make,
        app.short_text(inventory -> 'model', 120) as model, app.short_text(inventory -> 'serial', 120) as serial,
        app.short_text(inventory -> 'cpu', 200) as cpu, app.whole_number(inventory -> 'cpu_cores') as cpu_cores,
        app.whole_number(inventory -> 'memory_mb') as memory_mb,
        coalesce(app.capped_list(inventory -> 'disks', 200), '[]') as disks,
        coalesce(app.capped_list(inventory -> 'network', 200), '[]') as network,
        app.short_text(inventory -> 'ip_address', 64) as ip_address,
        app.short_text(inventory -> 'logged_in_user', 120) as logged_in_user,
        app.lenient_instant(inventory ->> 'boot_time') as boot_time,
        coalesce(inventory -> 'reboot_required' = 'true', false) as reboot_required
    ) i
    where d.company_id = company and d.id = device
      and (d.hostname, d.os, d.os_version, d.make, d.model, d.serial, d.cpu, d.cpu_cores, d.memory_mb, d.disks,
        d.network, d.ip_address, d.logged_in_user, d.boot_time, d.reboot_required)
      is distinct from (coalesce(i.hostname, d.hostname), i.os, i.os_version, i.make, i.model, i.serial, i.cpu,
        i.cpu_cores, i.memory_mb, i.disks, i.network, i.ip_address, i.logged_in_user, i.boot_time, i.reboot_required);
  if jsonb_typeof(inventory -> 'software') = 'array' then
    if jsonb_array_length(inventory -> 'software') > 5000 then
      raise exception 'The software list is too long.' using errcode = 'PT413';
    end if;
    perform app.apply_inventory(device, company, inventory -> 'software');
  end if;
end $$;
comment on function app.record_inventory(uuid, uuid, jsonb) is 'Writes a device''s inventory where it differs from what is known.';

-- Check-in and report -------------------------------------------------------------------------------------------------

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

create function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
begin
  if room <= 0 then
    return '[]';
  end if;
  -- Queued ones, and those whose lease lapsed: the same attempt again, which the device answers from its journal.
  select array_agg(picked.id order by picked.queued_at, picked.id) into offered from (
    select r.id, r.queued_at
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = company and r.device_id = device and r.cancel_requested_at is null
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now()
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          )))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
      attempt = greatest(r.attempt, 1),
      claimed_at = coalesce(r.claimed_at, now()),
      lease_until = now() + interval '5 minutes'
    where r.company_id = company and r.id = any (offered);
  return (
    select jsonb_agg(jsonb_build_object(
        'run_id', r.id, 'attempt', r.attempt, 'type', j.script_type, 'script', j.script, 'sha256', j.script_sha256,
        'parameters', j.parameters || coalesce(s.parameters, '{}'), 'timeout_seconds', j.timeout_seconds,
        -- Whose values the device takes out of the output before it reports.
        'secrets', coalesce((select jsonb_agg(k order by k) from jsonb_object_keys(s.parameters) k), '[]')
      ) order by r.queued_at, r.id)
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join app.job_secrets s on s.job_id = j.id
    where r.company_id = company and r.id = any (offered)
  );
end $$;
comment on function app.claim_runs(uuid, uuid, uuid[], integer) is
  'Claims at most `room` runs of a device for five minutes and returns what it needs to start them.';

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

  select d.status, d.machine_id, d.clone_suspected, d.agent_version into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(app.short_text(body -> 'agent_version', 40), known.agent_version)
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if changes_device or brings_inventory then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash into known_hash from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(app.short_text(body -> 'agent_version', 40), d.agent_version),
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  if brings_inventory then
    perform app.record_inventory(company, device, body -> 'inventory');
    known_hash := new_hash;
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
      -- One that is being reported at this moment needs no lease.
      order by r.id for update skip locked
    )
    update public.job_runs r set lease_until = now() + interval '5 minutes' from lapsing where r.id = lapsing.id;
    select count(*) filter (where r.status in ('claimed', 'running')) into kept from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held);
    -- Also what is not this device's, or no longer: a run that was deleted or canceled here must stop there.
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
  if has_open or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
  ) then
    seconds := 5;
  end if;

  update public.device_presence p
    set last_seen_at = now(), online = true, interval_seconds = seconds, updated_at = now(),
      inventory_hash = known_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', seconds, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  return answer;
end $$;
comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version} → {interval, send_inventory?, runs, cancel, time}.';
revoke execute on function public.agent_check_in(jsonb) from public, authenticated;
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
    select distinct on (j.id) j.id, j.state, j.result
    from judged j where j.reason is null order by j.id, (j.state = 'running'), j.position
  ), written as (
    update public.job_runs r
      set status = case
          when t.state in ('interrupted', 'refused') then 'failed'
          else t.state
        end,
        -- The device's clock only tells how long it took; when it was, the server's clock says.
        started_at = coalesce(r.started_at, case
          when t.state = 'running' then now()
          when t.state = 'refused' then null
          else greatest(r.claimed_at, now() - greatest(least(
            app.lenient_instant(t.result ->> 'finished_at') - app.lenient_instant(t.result ->> 'started_at'),
            interval '1 day'), interval '0'))
        end),
        finished_at = case when t.state <> 'running' then now() end,
        reported_at = case when t.state <> 'running' then now() end,
        lease_until = case when t.state = 'running' then now() + interval '5 minutes' end,
        exit_code = case when t.state <> 'running' then app.whole_number(t.result -> 'exit_code') end,
        output = case when t.state <> 'running' and jsonb_typeof(t.result -> 'output') = 'string'
          then app.capped_output(t.result ->> 'output') end,
        output_truncated = t.state <> 'running'
          and (coalesce(t.result -> 'truncated' = 'true', false)
            or coalesce(octet_length(t.result ->> 'output') > 1048576, false)),
        error = case
          when t.state = 'failed' then left(app.short_text(t.result -> 'reason', 60), 60)
          when t.state in ('interrupted', 'refused') then coalesce(app.short_text(t.result -> 'reason', 60), t.state)
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
  '{device_id, secret, results: [{run_id, attempt, state, exit_code, output, truncated, reason?, started_at?, finished_at?}]} → {accepted: [run_id], refused: [{run_id, reason}]}. A device drops what was accepted and what was refused.';
revoke execute on function public.agent_report(jsonb) from public, authenticated;
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
revoke execute on function public.agent_versions(uuid) from public, anon;
grant execute on function public.agent_versions(uuid) to authenticated, service_role;
