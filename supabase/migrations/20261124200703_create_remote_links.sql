-- Remote links: how people connect to a device.

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

select app.keep_tenant('public.remote_links');
select app.keep_audit('public.remote_links');
select app.keep_announced('public.remote_links');
select app.keep_search('public.remote_links');

revoke all on public.remote_links from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, template, platform),
  update (name, template, platform)
  on public.remote_links to authenticated;
grant select, insert, update, delete on public.remote_links to service_role;

alter table public.remote_links enable row level security;
create policy remote_links_select_member on public.remote_links for select to authenticated
  using ((select app.can('remote_links', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_insert_member on public.remote_links for insert to authenticated
  with check ((select app.can('remote_links', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_update_member on public.remote_links for update to authenticated
  using ((select app.can('remote_links', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('remote_links', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_delete_member on public.remote_links for delete to authenticated
  using ((select app.can('remote_links', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
