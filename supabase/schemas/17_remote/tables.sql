-- Remote links: how a device is reached by another program.

create table public.remote_links (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 80),
  template text not null check (length(btrim(template)) between 1 and 500 and template ~ '^(https|rustdesk|rdp|ms-rd|anydesk|vnc|ssh)://\S+$'),
  platform text check (platform in ('windows', 'macos', 'linux')),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.remote_links is 'Addresses that open a remote session on a device with a program of the user''s own. {hostname}, {ip}, {name} and {id} are filled in by the console.';

create index remote_links_company_name_key_idx on public.remote_links (company_id, name_key, id);
create index remote_links_name_key_idx on public.remote_links (name_key, id);
create index remote_links_company_created_at_idx on public.remote_links (company_id, created_at, id);
create index remote_links_created_at_idx on public.remote_links (created_at, id);
create index remote_links_company_platform_idx on public.remote_links (company_id, platform);
create unique index remote_links_name_key on public.remote_links (company_id, app.unique_key(name));
