-- People: companies, profiles, the role of each account, and the view users over them.

create table public.companies (
  id uuid default gen_random_uuid() primary key,
  name text not null check (length(btrim(name)) between 2 and 120),
  status text not null default 'Active' check (status in ('Active', 'Expired', 'Suspended')),
  license_type text not null default 'Basic' check (license_type in ('Basic', 'Pro')),
  license_end_date timestamptz,
  seats integer check (seats between 1 and 1000000),
  -- An unknown time zone fails here (22023), not later in a schedule.
  timezone text not null default 'Europe/Istanbul' check ((timestamptz 'epoch' at time zone timezone) is not null),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  device_count integer not null default 0,
  seats_left integer generated always as (seats - device_count) stored
);
comment on table public.companies is
  'The tenants. license_end_date is the first instant no longer covered; null never ends. A company that still has data cannot be deleted.';
comment on column public.companies.device_count is 'Devices of the company. Kept by trigger.';
comment on column public.companies.seats_left is 'Below zero when the company has more devices than seats; null without a limit.';

create index companies_name_key_idx on public.companies (name_key, id);
create index companies_license_end_idx on public.companies (license_end_date, id);
create index companies_seats_idx on public.companies (seats, id);
create index companies_created_idx on public.companies (created_at, id);
create index companies_seats_left_idx on public.companies (seats_left, id);
create index companies_device_count_idx on public.companies (device_count, id);

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  name text not null check (length(btrim(name)) between 2 and 100),
  email text not null check (length(email) <= 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || email)) stored,
  is_deactivated boolean not null default false
);
comment on table public.profiles is 'Name and e-mail of an account. The e-mail follows the account; only the name is the user''s to change.';
comment on column public.profiles.is_deactivated is
  'Whether the account is deactivated, kept from user_roles by trigger: pickers of people filter by it.';

create unique index profiles_email_idx on public.profiles (lower(email));
create index profiles_name_key_idx on public.profiles (name_key, id);

create table public.user_roles (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  role text not null,
  company_id uuid references public.companies (id),
  mfa_enabled boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deactivated_at timestamptz,
  invited_at timestamptz,
  status text generated always as (
    case when deactivated_at is not null then 'deactivated' when invited_at is not null then 'invited' else 'active' end) stored,
  -- Only a Super Admin has no company.
  constraint user_roles_company_check check ((role = 'Super Admin') = (company_id is null)),
  constraint user_roles_role_fkey foreign key (role) references app.role (name)
);
comment on table public.user_roles is 'The one role and company of an account.';
comment on column public.user_roles.deactivated_at is
  'Since when the account may not sign in; set with auth.users.banned_until, and only by deactivate_users() and reactivate_users().';
comment on column public.user_roles.invited_at is
  'When the account was made, until its first sign-in; null from then on. Written by the view users and a trigger of auth.users alone.';

create index user_roles_company_id_idx on public.user_roles (company_id, role, user_id);
create index user_roles_company_status_idx on public.user_roles (company_id, status, user_id);
create index user_roles_status_idx on public.user_roles (status, user_id);
create index user_roles_role_idx on public.user_roles (role, user_id);

create table app.account_sponsors (
  user_id uuid not null,
  sponsor_id uuid not null,
  act text not null check (act in ('invited', 'raised', 'reset')),
  at timestamptz not null default now(),
  primary key (user_id, sponsor_id, act)
);
comment on table app.account_sponsors is
  'Who made an account, gave it a role with more permissions, or had a password link sent to it. Never read through the API: it decides who '
  'may approve whose scripts.';

create index account_sponsors_sponsor_idx on app.account_sponsors (sponsor_id, user_id);

create table app.password_changes (
  user_id uuid primary key references auth.users (id) on delete cascade,
  at timestamptz not null default now()
);
comment on table app.password_changes is 'When the password of an account was last set: after an invitation, by whoever has its mailbox.';
