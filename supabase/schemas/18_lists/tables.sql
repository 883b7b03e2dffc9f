-- Lists: saved views, filters, counts, the search over all records.

-- Own views and preferences belong to a person: they need no permission line and stay writable when the license has ended.
-- A view shared with a role or a company belongs to the company, and sharing is a permission.
create table public.saved_views (
  id uuid default gen_random_uuid() primary key,
  -- Set for shared views only: own views follow their owner to another company, and a Super Admin has no company.
  company_id uuid references public.companies (id) on delete cascade,
  owner uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  name text not null check (length(btrim(name)) between 1 and 80 and length(name) <= 80),
  scope text not null default 'mine' check (scope in ('mine', 'role', 'company')),
  role text check (role <> 'Super Admin'),
  state jsonb not null default '{}' check (jsonb_typeof(state) = 'object' and octet_length(state::text) <= 8192),
  is_default boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint saved_views_shared check ((scope = 'mine') = (company_id is null) and (scope = 'role') = (role is not null)),
  constraint saved_views_role_fkey foreign key (role) references app.role (name)
);
comment on table public.saved_views is
  'Lists as somebody wants to find them again. state.query is the list''s own URL query with columns; the console checks it against the definition when it reads it.';
comment on column public.saved_views.is_default is 'What the list opens with: one a person, one a role of a company, one a company.';

create index saved_views_owner_idx on public.saved_views (owner, resource);
create index saved_views_company_idx on public.saved_views (company_id, resource);
create unique index saved_views_default_mine_idx on public.saved_views (owner, resource) where is_default and scope = 'mine';
create unique index saved_views_default_role_idx on public.saved_views (company_id, role, resource) where is_default and scope = 'role';
create unique index saved_views_default_company_idx on public.saved_views (company_id, resource) where is_default and scope = 'company';
create index saved_views_role_idx on public.saved_views (role) where role is not null;
create unique index saved_views_name_key on public.saved_views (owner, resource, app.unique_key(name));

create table public.list_preferences (
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  -- Null means the default of the definition.
  columns jsonb check (jsonb_typeof(columns) = 'array' and octet_length(columns::text) <= 8192),
  density text not null default 'comfortable' check (density in ('comfortable', 'compact')),
  updated_at timestamptz not null default now(),
  primary key (user_id, resource)
);
comment on table public.list_preferences is
  'How a person likes a list: columns is [{field, width?}] in their order, checked against the definition when read.';
