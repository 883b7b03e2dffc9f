-- Enrollment: the queue of machines that wait for approval, and how a machine becomes a device.

create table public.enrollment_requests (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'expired')),
  token_id uuid,
  group_id uuid,
  device_id uuid,
  machine_id text not null check (length(machine_id) between 8 and 128),
  hostname text not null check (length(hostname) <= 255),
  platform text not null check (platform in ('linux', 'windows', 'macos')),
  agent_version text check (length(agent_version) <= 64),
  ip_address text check (length(ip_address) <= 64),
  decided_at timestamptz,
  decided_by uuid references public.profiles (id) on delete set null,
  last_asked_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(hostname)) stored,
  search text generated always as (app.fold(hostname || ' ' || coalesce(ip_address, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, token_id) references public.enrollment_tokens (company_id, id) on delete set null (token_id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete set null (group_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id),
  constraint enrollment_requests_decided_check check ((status in ('approved', 'rejected')) = (decided_at is not null))
);
comment on table public.enrollment_requests is
  'Machines that asked to join and wait for approval. Written by the agent functions and the decision functions only.';
comment on column public.enrollment_requests.device_id is
  'The known device whose place the machine asks for; null for a new one. After approval: the device.';

create index enrollment_requests_company_created_idx on public.enrollment_requests (company_id, created_at, id);
create index enrollment_requests_created_idx on public.enrollment_requests (created_at, id);
create index enrollment_requests_company_name_idx on public.enrollment_requests (company_id, name_key, id);
create index enrollment_requests_name_idx on public.enrollment_requests (name_key, id);
create index enrollment_requests_machine_idx on public.enrollment_requests (company_id, machine_id) where status = 'pending';
create index enrollment_requests_token_idx on public.enrollment_requests (company_id, token_id);
create index enrollment_requests_group_idx on public.enrollment_requests (company_id, group_id);
create index enrollment_requests_device_idx on public.enrollment_requests (company_id, device_id);
create index enrollment_requests_decided_by_idx on public.enrollment_requests (decided_by);

select app.keep_tenant('public.enrollment_requests', null, array['status', 'device_id']);
select app.keep_audit('public.enrollment_requests', 'id', array['last_asked_at']);
select app.keep_announced('public.enrollment_requests');
select app.keep_search('public.enrollment_requests');

revoke all on public.enrollment_requests from public, anon, authenticated;
grant select on public.enrollment_requests to authenticated;
grant select, insert, update, delete on public.enrollment_requests to service_role;
alter table public.enrollment_requests enable row level security;

create policy enrollment_requests_select_member on public.enrollment_requests for select to authenticated
  using ((select app.can('enrollment_requests', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.enrollment_request_secrets (
  request_id uuid primary key references public.enrollment_requests (id) on delete cascade,
  secret_hash bytea not null unique
);
comment on table app.enrollment_request_secrets is
  'Hash of the secret a waiting machine asks with. Approval moves it to app.device_secrets. Read by the agent functions only.';

revoke all on app.enrollment_request_secrets from public, anon, authenticated, service_role;
alter table app.enrollment_request_secrets enable row level security;

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
  language sql volatile set search_path = ''
  begin atomic
    insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, request.company_id, 'enrollment_waiting', jsonb_build_object('hostname', request.hostname),
      '/enrollment-requests', format('enrollment_waiting:%s:%s', request.token_id, current_date)
    from public.user_roles r
    where r.company_id = request.company_id and r.role = 'Admin' and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  end;
comment on function app.tell_of_request(public.enrollment_requests) is
  'Tells the admins of the company that a device waits for approval, once a token and day.';

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
revoke execute on function public.approve_enrollment(uuid, uuid) from public, anon;
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
revoke execute on function public.reject_enrollments(uuid[]) from public, anon;
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
