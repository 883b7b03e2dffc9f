-- The app store, one catalogue for the whole platform, and the packages a company keeps for itself.

create table public.apps (
  id uuid default gen_random_uuid() primary key,
  name text not null check (length(btrim(name)) between 1 and 120),
  publisher text check (length(publisher) <= 120),
  category text not null default 'utilities' check (category in
    ('browsers', 'communication', 'development', 'media', 'productivity', 'security', 'utilities')),
  description text check (length(description) <= 2000),
  homepage text check (length(homepage) <= 2000 and homepage ~* '^https?://[^\s/?#]+\S*$'),
  winget_id text check (length(winget_id) <= 200 and winget_id ~ '^[A-Za-z0-9._+-]+$'),
  choco_id text check (length(choco_id) <= 200 and choco_id ~ '^[A-Za-z0-9._+-]+$'),
  apt_id text check (length(apt_id) <= 200 and apt_id ~ '^[a-z0-9][a-z0-9.+-]+$'),
  brew_id text check (length(brew_id) <= 200 and brew_id ~ '^[A-Za-z0-9@._+/-]+$'),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  publisher_key text generated always as (app.sort_key(publisher)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(publisher, '') || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.apps is
  'The app store: one entry names the same application for winget, Chocolatey, APT and Homebrew. Belongs to the platform, not to a company; '
  'companies see what is enabled.';
create index apps_name_idx on public.apps (name_key, id);
create index apps_publisher_idx on public.apps (publisher_key, id);
create index apps_category_idx on public.apps (category, name_key, id);
create index apps_created_idx on public.apps (created_at, id);

create table public.corporate_apps (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  package_version text not null check (length(btrim(package_version)) between 1 and 60),
  publisher text check (length(publisher) <= 120),
  description text check (length(description) <= 2000),
  platform text not null default 'windows' check (platform in ('windows', 'macos', 'linux')),
  -- Only over HTTPS: an agent must not be given another file on the way.
  source_url text not null check (length(source_url) <= 2000 and source_url ~* '^https://[^\s/?#]+\S*$'),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  install_arguments text check (length(install_arguments) <= 1000),
  detection_rule text check (length(detection_rule) <= 1000),
  success_codes text not null default '0' check (length(success_codes) <= 200 and success_codes ~ '^-?\d{1,10}(, ?-?\d{1,10})*$'),
  reboot_codes text check (length(reboot_codes) <= 200 and reboot_codes ~ '^-?\d{1,10}(, ?-?\d{1,10})*$'),
  created_by uuid references public.profiles (id) on delete set null,
  name_key text generated always as (app.sort_key(name)) stored,
  publisher_key text generated always as (app.sort_key(publisher)) stored,
  search text generated always as (app.fold(name || ' ' || package_version || ' ' || coalesce(publisher, '') || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.corporate_apps is
  'A company''s own packages: where the file is, what it must hash to, how it installs silently and how one sees that it is there.';
comment on column public.corporate_apps.package_version is 'The version of the package; version is the lock of the row.';
create index corporate_apps_company_name_idx on public.corporate_apps (company_id, name_key, id);
create index corporate_apps_name_idx on public.corporate_apps (name_key, id);
create index corporate_apps_company_publisher_idx on public.corporate_apps (company_id, publisher_key, id);
create index corporate_apps_publisher_idx on public.corporate_apps (publisher_key, id);
create index corporate_apps_company_created_idx on public.corporate_apps (company_id, created_at, id);
create index corporate_apps_created_idx on public.corporate_apps (created_at, id);
create index corporate_apps_author_idx on public.corporate_apps (created_by);

create function app.stamp_corporate_app() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.current_user_id() is not null then
      new.created_by := app.current_user_id();
    end if;
  elsif new.created_by is not null or current_user in ('anon', 'authenticated') then
    -- A deleted profile takes its name off the row (as the owner of the tables); nothing else moves it.
    new.created_by := old.created_by;
  end if;
  return new;
end $$;
comment on function app.stamp_corporate_app() is 'Row trigger: created_by is whoever was signed in when the package was made, for ever.';
create trigger corporate_apps_author before insert or update on public.corporate_apps
  for each row execute function app.stamp_corporate_app();

-- Not announced: a live message goes to a company, and the catalogue is nobody's.
select app.keep_tenant('public.apps');
select app.keep_audit('public.apps', 'id', array['publisher_key']);
select app.keep_search('public.apps');
select app.keep_tenant('public.corporate_apps');
select app.keep_audit('public.corporate_apps', 'id', array['publisher_key']);
select app.keep_announced('public.corporate_apps');
select app.keep_search('public.corporate_apps');

revoke all on public.apps, public.corporate_apps from public, anon, authenticated;
grant select, delete,
  insert (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled),
  update (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled)
  on public.apps to authenticated;
grant select, delete,
  insert (company_id, name, package_version, publisher, description, platform, source_url, sha256, install_arguments,
    detection_rule, success_codes, reboot_codes),
  update (name, package_version, publisher, description, platform, source_url, sha256, install_arguments,
    detection_rule, success_codes, reboot_codes)
  on public.corporate_apps to authenticated;
grant select, insert, update, delete on public.apps, public.corporate_apps to service_role;

alter table public.apps enable row level security;
create policy apps_select_everyone on public.apps for select to authenticated
  using ((select app.can('apps', 'list')) and (enabled or (select app.sees_all())));
create policy apps_insert_platform on public.apps for insert to authenticated
  with check ((select app.can('apps', 'create')) and (select app.sees_all()));
create policy apps_update_platform on public.apps for update to authenticated
  using ((select app.can('apps', 'edit')) and (select app.sees_all()))
  with check ((select app.can('apps', 'edit')) and (select app.sees_all()));
create policy apps_delete_platform on public.apps for delete to authenticated
  using ((select app.can('apps', 'delete')) and (select app.sees_all()));

alter table public.corporate_apps enable row level security;
create policy corporate_apps_select_member on public.corporate_apps for select to authenticated
  using ((select app.can('corporate_apps', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_insert_member on public.corporate_apps for insert to authenticated
  with check ((select app.can('corporate_apps', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_update_member on public.corporate_apps for update to authenticated
  using ((select app.can('corporate_apps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('corporate_apps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_apps_delete_member on public.corporate_apps for delete to authenticated
  using ((select app.can('corporate_apps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
