-- Software: titles, installations, licenses, packages.

create table public.software (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(name) between 1 and 200),
  publisher text not null default '' check (length(publisher) <= 200),
  created_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || publisher)) stored,
  devices integer not null default 0 check (devices >= 0),
  versions integer not null default 0 check (versions >= 0),
  newest_version text,
  outdated integer not null default 0 check (outdated >= 0),
  recent_changes integer not null default 0 check (recent_changes >= 0),
  gone_at timestamptz,
  unique (company_id, id),
  unique (company_id, name, publisher)
);
comment on table public.software is 'Software titles seen on the devices of a company.';
comment on column public.software.devices is 'Devices that have it. This and the following columns are kept by app.fold_software().';
comment on column public.software.versions is 'Different versions on the devices.';
comment on column public.software.newest_version is 'The newest version on any device of the company.';
comment on column public.software.outdated is 'Installations of an older version than newest_version.';
comment on column public.software.recent_changes is 'Rows of software_changes of the last 30 days.';
comment on column public.software.gone_at is 'When the last device that had it lost it; null while a device has it.';

create index software_company_name_idx on public.software (company_id, name_key, id);
create index software_name_idx on public.software (name_key, id);
create index software_company_created_idx on public.software (company_id, created_at, id);
create index software_created_idx on public.software (created_at, id);
create index software_company_devices_idx on public.software (company_id, devices, id);
create index software_devices_idx on public.software (devices, id);
create index software_company_versions_idx on public.software (company_id, versions, id);
create index software_versions_idx on public.software (versions, id);
create index software_company_outdated_idx on public.software (company_id, outdated, id);
create index software_outdated_idx on public.software (outdated, id);
create index software_company_recent_changes_idx on public.software (company_id, recent_changes, id);
create index software_recent_changes_idx on public.software (recent_changes, id);
create index software_company_gone_idx on public.software (company_id, gone_at, id);
create index software_gone_idx on public.software (gone_at, id);
create index software_company_search_text_idx on public.software (company_id, search collate "C");

create table public.device_software (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  software_id uuid not null,
  version text not null default '' check (length(version) <= 100),
  install_date date,
  size_mb numeric check (size_mb >= 0),
  created_at timestamptz not null default now(),
  title_key text,
  device_key text,
  version_key text generated always as (app.sort_key(version)) stored,
  publisher_key text,
  size_key bigint generated always as ((size_mb * 100)::bigint) stored,
  unique (company_id, id),
  constraint device_software_device_software_key unique (device_id, company_id, software_id, version),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table public.device_software is 'What is installed where. version is the software''s own text. Written by app.apply_inventory alone.';
comment on column public.device_software.title_key is 'Sort key of its title, which never changes. Kept by trigger.';
comment on column public.device_software.device_key is 'Sort key of its device. Kept by trigger.';
comment on column public.device_software.version_key is 'Sort key of the version: 9.2 before 10.1.';
comment on column public.device_software.publisher_key is 'Sort key of its title''s publisher, which never changes. Kept by trigger.';
comment on column public.device_software.size_key is
  'Size in hundredths of a megabyte. Row-level security keeps comparisons of numeric out of index conditions; those of bigint are leakproof.';

create index device_software_company_title_idx on public.device_software (company_id, title_key, id);
create index device_software_title_idx on public.device_software (title_key, id);
create index device_software_company_device_idx on public.device_software (company_id, device_key, id);
create index device_software_device_idx on public.device_software (device_key, id);
create index device_software_company_installed_idx on public.device_software (company_id, install_date, id);
create index device_software_installed_idx on public.device_software (install_date, id);
create index device_software_software_idx on public.device_software (software_id, company_id, device_id);
create index device_software_company_idx on public.device_software (company_id);
create index device_software_company_version_idx on public.device_software (company_id, version_key, id);
create index device_software_version_idx on public.device_software (version_key, id);
create index device_software_company_publisher_idx on public.device_software (company_id, publisher_key, id);
create index device_software_publisher_idx on public.device_software (publisher_key, id);
create index device_software_company_size_idx on public.device_software (company_id, size_key, id);
create index device_software_size_idx on public.device_software (size_key, id);

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
  'companies see enabled apps.';

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
  -- HTTPS only, so that no one can swap the file in transit.
  source_url text check (length(source_url) <= 2000 and source_url ~* '^https://[^\s/?#]+\S*$'),
  sha256 text check (sha256 ~ '^[0-9a-fA-F]{64}$'),
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
  unique (company_id, id),
  constraint corporate_apps_sha256_check1 check (source_url is null or sha256 is not null)
);
comment on table public.corporate_apps is
  'A company''s own packages: at which address the file is, unless it is uploaded (corporate_app_files), what it must hash to, how it '
  'installs silently and how one sees that it is there.';
comment on column public.corporate_apps.package_version is 'The version of the package; version is the lock of the row.';

create index corporate_apps_company_name_idx on public.corporate_apps (company_id, name_key, id);
create index corporate_apps_name_idx on public.corporate_apps (name_key, id);
create index corporate_apps_company_publisher_idx on public.corporate_apps (company_id, publisher_key, id);
create index corporate_apps_publisher_idx on public.corporate_apps (publisher_key, id);
create index corporate_apps_company_created_idx on public.corporate_apps (company_id, created_at, id);
create index corporate_apps_created_idx on public.corporate_apps (created_at, id);
create index corporate_apps_author_idx on public.corporate_apps (created_by);

-- `detected` is a counter. Counting while the list is read would scan hundreds of thousands of device_software rows per popular
-- product (50 licenses over 100,000 devices took seconds); counting on every inventory would make check-ins wait for each
-- other's license row. Instead:
--   * software_license_titles lists the titles a rule matches; it is kept when the rule changes and when a title is new;
--   * a change of the rule counts that license at once, so that the form answers with the figure;
--   * an inventory that adds or removes such a title only inserts a note, into a table no one waits for;
--   * app.tick() counts the licenses with notes, and each license once an hour, since signed-in users change without a note.
-- The figure is exact within a minute, and the list reads one column.
create table public.software_licenses (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 200),
  publisher text check (length(publisher) <= 200),
  type text not null default 'device' check (type in ('device', 'user', 'site')),
  seats integer not null default 1 check (seats between 1 and 10000000),
  cost numeric(14, 2) check (cost >= 0),
  currency text not null default 'TRY' check (currency in ('TRY', 'EUR', 'USD', 'GBP')),
  purchased_on date,
  expires_on date,
  match_rule text check (length(match_rule) <= 200),
  detected integer check (detected >= 0),
  -- A site license covers every device of its sites: it is never over-used and never idle.
  available integer generated always as (case when type = 'site' then null else seats - detected end) stored,
  notes text check (length(notes) <= 10000),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(publisher, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unused_since timestamptz,
  remind_days integer not null default 30 check (remind_days between 1 and 365),
  unique (company_id, id),
  constraint software_licenses_expires_on_check check (expires_on >= purchased_on)
);
comment on table public.software_licenses is
  'Licenses with their seats, cost and term. detected is counted from the inventory by match_rule, null without one; available is seats less detected.';
comment on column public.software_licenses.unused_since is
  'Since when seats have been free without interruption; null while none is, without a match rule, and for a site. Kept by trigger.';
comment on column public.software_licenses.remind_days is 'How many days before its end the first reminder is sent.';

create index software_licenses_company_name_idx on public.software_licenses (company_id, name_key, id);
create index software_licenses_name_idx on public.software_licenses (name_key, id);
create index software_licenses_company_expires_idx on public.software_licenses (company_id, expires_on, id);
create index software_licenses_expires_idx on public.software_licenses (expires_on, id);
create index software_licenses_company_seats_idx on public.software_licenses (company_id, seats, id);
create index software_licenses_seats_idx on public.software_licenses (seats, id);
create index software_licenses_company_detected_idx on public.software_licenses (company_id, detected, id);
create index software_licenses_detected_idx on public.software_licenses (detected, id);
create index software_licenses_company_available_idx on public.software_licenses (company_id, available, id);
create index software_licenses_available_idx on public.software_licenses (available, id);
create index software_licenses_author_idx on public.software_licenses (created_by);
create index software_licenses_company_unused_idx on public.software_licenses (company_id, unused_since, id);
create index software_licenses_unused_idx on public.software_licenses (unused_since, id);
create index software_licenses_ending_idx on public.software_licenses (expires_on, id) where expires_on is not null;

create table public.software_license_titles (
  company_id uuid not null references public.companies (id),
  license_id uuid not null,
  software_id uuid not null,
  primary key (company_id, license_id, software_id),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade,
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table public.software_license_titles is 'Which software titles the rule of a license means. Kept by trigger from match_rule.';

create index software_license_titles_software_idx on public.software_license_titles (company_id, software_id);

create table app.license_counts (
  license_id uuid primary key,
  company_id uuid not null,
  counted_at timestamptz not null default now(),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade
);
comment on table app.license_counts is 'When the devices of a license were last counted; apart, so that counting without a change writes no license.';

create index license_counts_license_idx on app.license_counts (company_id, license_id);
create index license_counts_age_idx on app.license_counts (counted_at);

create table app.license_recounts (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  license_id uuid not null
);
comment on table app.license_recounts is
  'Notes that a license is to be counted again. Only ever added to, so that no check-in waits for another; app.tick() takes them.';

create index license_recounts_license_idx on app.license_recounts (license_id);

create table public.software_changes (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  software_id uuid not null,
  device_id uuid not null,
  change text not null check (change in ('installed', 'updated', 'removed')),
  new_version text check (length(new_version) <= 100),
  previous_version text check (length(previous_version) <= 100),
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.software_changes is 'What a device''s inventory showed to be installed, updated or removed since the one before. The first inventory of a device changes nothing.';

create index software_changes_company_changed_at_idx on public.software_changes (company_id, changed_at, id);
create index software_changes_changed_at_idx on public.software_changes (changed_at, id);
create index software_changes_company_software_id_idx on public.software_changes (company_id, software_id);
create index software_changes_company_change_idx on public.software_changes (company_id, change);
create index software_changes_company_device_id_idx on public.software_changes (company_id, device_id, changed_at, id);

create table public.corporate_app_files (
  id uuid primary key,
  company_id uuid not null references public.companies (id),
  corporate_app_id uuid not null,
  package_version text not null check (length(btrim(package_version)) between 1 and 60),
  file_id uuid not null,
  file_name text not null check (file_name ~ '^[[:alnum:]][[:alnum:]._+~ ()-]{0,119}$'),
  size_bytes bigint not null check (size_bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  is_current boolean not null default false,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, corporate_app_id, package_version),
  foreign key (company_id, corporate_app_id) references public.corporate_apps (company_id, id) on delete cascade
);
comment on table public.corporate_app_files is
  'The uploaded versions of a corporate app. Devices install the current one. The checksum was computed by the server that received the file; '
  'the file is in public.files.';

create unique index corporate_app_files_current_idx on public.corporate_app_files (company_id, corporate_app_id) where is_current;
create unique index corporate_app_files_file_idx on public.corporate_app_files (company_id, file_id);
create index corporate_app_files_author_idx on public.corporate_app_files (created_by);

create table app.software_versions (
  company_id uuid not null,
  software_id uuid not null,
  version text not null,
  version_key text generated always as (app.sort_key(version)) stored,
  installations integer not null,
  primary key (company_id, software_id, version),
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table app.software_versions is 'How many installations of a title have which version. Kept by app.fold_software().';

create table app.software_deltas (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  software_id uuid not null,
  kind text not null check (kind in ('device', 'version', 'change')),
  version text,
  amount integer not null
);
comment on table app.software_deltas is
  'What is to be added to the figures of a title: devices, installations of a version, or recent changes. Only ever added to; app.tick() takes the rows.';

create table app.software_change_count (
  only_row boolean primary key default true check (only_row),
  -- Changes up to here no longer count as recent.
  counted_until timestamptz not null default now() - interval '30 days'
);
comment on table app.software_change_count is 'Up to when the changes of software were taken out of software.recent_changes.';

create table app.license_reminders (
  company_id uuid not null,
  license_id uuid not null,
  expires_on date not null,
  days integer not null check (days between 1 and 365),
  reminded_at timestamptz not null default now(),
  primary key (company_id, license_id, expires_on, days),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade
);
comment on table app.license_reminders is 'Which reminders of the end of a software license were sent: each once, again after a renewal.';
