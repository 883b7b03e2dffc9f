-- Agents: enrollment, check-ins, reports and versions of the agent.

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
create index enrollment_requests_pending_token_idx on public.enrollment_requests (company_id, token_id) where status = 'pending';

create table app.enrollment_request_secrets (
  request_id uuid primary key references public.enrollment_requests (id) on delete cascade,
  secret_hash bytea not null unique
);
comment on table app.enrollment_request_secrets is
  'Hash of the secret a waiting machine asks with. Approval moves it to app.device_secrets. Read by the agent functions only.';

create table app.agent_releases (
  version text primary key check (length(version) between 1 and 40),
  published_at timestamptz not null
);
comment on table app.agent_releases is 'The versions of the agent that servers have published. The one with the latest published_at is current.';

create index agent_releases_published_idx on app.agent_releases (published_at desc);

create table app.agent_rollouts (
  company_id uuid primary key references public.companies (id) on delete cascade,
  due_at timestamptz not null
);
comment on table app.agent_rollouts is
  'Companies with devices that are to get the current version of the agent by policy, and when the next of them are; app.roll_out_agents() works it off.';

create index agent_rollouts_due_idx on app.agent_rollouts (due_at);
