-- Software: the app store (one catalog for the platform), a company's own packages, and licenses.

-- App store and packages ----------------------------------------------------------------------------------------------

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

-- Not announced: a live message goes to a company, and the catalog has none.
select app.keep_tenant('public.apps');
select app.keep_audit('public.apps', 'id', array['publisher_key']);
select app.keep_search('public.apps');

revoke all on public.apps from public, anon, authenticated;
grant select, delete,
  insert (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled),
  update (name, publisher, category, description, homepage, winget_id, choco_id, apt_id, brew_id, enabled)
  on public.apps to authenticated;
grant select, insert, update, delete on public.apps to service_role;
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

create function app.stamp_corporate_app() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null or current_user in ('anon', 'authenticated') then
    -- A deleted profile takes its name off the row (as the owner of the tables); nothing else moves it.
    new.created_by := old.created_by;
  end if;
  return new;
end $$;
comment on function app.stamp_corporate_app() is 'Row trigger: created_by is whoever was signed in when the package was made, for ever.';

create table public.corporate_apps (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  package_version text not null check (length(btrim(package_version)) between 1 and 60),
  publisher text check (length(publisher) <= 120),
  description text check (length(description) <= 2000),
  platform text not null default 'windows' check (platform in ('windows', 'macos', 'linux')),
  -- HTTPS only, so that no one can swap the file in transit.
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

create trigger corporate_apps_author before insert or update on public.corporate_apps
  for each row execute function app.stamp_corporate_app();
select app.keep_tenant('public.corporate_apps');
select app.keep_audit('public.corporate_apps', 'id', array['publisher_key']);
select app.keep_announced('public.corporate_apps');
select app.keep_search('public.corporate_apps');

revoke all on public.corporate_apps from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, package_version, publisher, description, platform, source_url, sha256, install_arguments,
    detection_rule, success_codes, reboot_codes),
  update (name, package_version, publisher, description, platform, source_url, sha256, install_arguments,
    detection_rule, success_codes, reboot_codes)
  on public.corporate_apps to authenticated;
grant select, insert, update, delete on public.corporate_apps to service_role;
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

-- Licenses ------------------------------------------------------------------------------------------------------------

create function app.apply_match_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.detected := case when cardinality(app.search_patterns(new.match_rule)) > 0 then
    app.count_license(new.company_id, new.type, app.matching_titles(new.company_id, new.match_rule)) end;
  return new;
end $$;
comment on function app.apply_match_rule() is
  'Row trigger on a new rule or type: counts this one license at once. Definer, because detected is not a client''s to write.';

create function app.keep_license_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.software_license_titles t where t.company_id = new.company_id and t.license_id = new.id;
  insert into public.software_license_titles (company_id, license_id, software_id)
  select new.company_id, new.id, s.id from unnest(app.matching_titles(new.company_id, new.match_rule)) as s (id)
  on conflict do nothing;
  insert into app.license_counts (license_id, company_id) values (new.id, new.company_id)
  on conflict (license_id) do update set counted_at = excluded.counted_at;
  return null;
end $$;
comment on function app.keep_license_titles() is 'Row trigger: the titles a rule means. Definer, because nobody writes them by hand.';

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
  unique (company_id, id),
  constraint software_licenses_expires_on_check check (expires_on >= purchased_on)
);
comment on table public.software_licenses is
  'Licenses with their seats, cost and term. detected is counted from the inventory by match_rule, null without one; available is seats less detected.';

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

create trigger software_licenses_match_insert before insert on public.software_licenses
  for each row execute function app.apply_match_rule();
create trigger software_licenses_match_update before update on public.software_licenses for each row
  when ((old.match_rule, old.type) is distinct from (new.match_rule, new.type)) execute function app.apply_match_rule();
create trigger software_licenses_titles_insert after insert on public.software_licenses
  for each row execute function app.keep_license_titles();
create trigger software_licenses_titles_update after update on public.software_licenses for each row
  when (old.match_rule is distinct from new.match_rule) execute function app.keep_license_titles();
-- The counter is written by the machine: it neither outdates an open form nor fills the audit log.
select app.keep_tenant('public.software_licenses', null, array['name', 'publisher', 'type', 'seats', 'cost', 'currency',
  'purchased_on', 'expires_on', 'match_rule', 'notes']);
select app.keep_audit('public.software_licenses', 'id', array['detected', 'available']);
select app.keep_announced('public.software_licenses');
select app.keep_search('public.software_licenses');
create trigger software_licenses_author before insert on public.software_licenses
  for each row execute function app.stamp_author();

revoke all on public.software_licenses from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes),
  update (name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes)
  on public.software_licenses to authenticated;
grant select, insert, update, delete on public.software_licenses to service_role;
alter table public.software_licenses enable row level security;

create policy software_licenses_select_member on public.software_licenses for select to authenticated
  using ((select app.can('software_licenses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_insert_member on public.software_licenses for insert to authenticated
  with check ((select app.can('software_licenses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_update_member on public.software_licenses for update to authenticated
  using ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_delete_member on public.software_licenses for delete to authenticated
  using ((select app.can('software_licenses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

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

revoke all on public.software_license_titles from public, anon, authenticated;
grant select on public.software_license_titles to authenticated;
grant select, insert, update, delete on public.software_license_titles to service_role;
alter table public.software_license_titles enable row level security;

create policy software_license_titles_select_member on public.software_license_titles for select to authenticated
  using ((select app.can('software_license_titles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.license_counts (
  license_id uuid primary key,
  company_id uuid not null,
  counted_at timestamptz not null default now(),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade
);
comment on table app.license_counts is 'When the devices of a license were last counted; apart, so that counting without a change writes no license.';

create index license_counts_license_idx on app.license_counts (company_id, license_id);
create index license_counts_age_idx on app.license_counts (counted_at);

revoke all on app.license_counts from public, anon, authenticated;
alter table app.license_counts enable row level security;

create table app.license_recounts (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  license_id uuid not null
);
comment on table app.license_recounts is
  'Notes that a license is to be counted again. Only ever added to, so that no check-in waits for another; app.tick() takes them.';

create index license_recounts_license_idx on app.license_recounts (license_id);

revoke all on app.license_recounts from public, anon, authenticated;
alter table app.license_recounts enable row level security;

create function app.matching_titles(company uuid, rule text) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  patterns text[] := app.search_patterns(rule);
begin
  if cardinality(patterns) = 0 then
    return '{}';
  end if;
  return array(select s.id from public.software s where s.company_id = matching_titles.company
               and s.search operator(pg_catalog.~~) all (patterns));
end $$;
comment on function app.matching_titles(uuid, text) is
  'The titles of a company whose name and publisher hold every word of a rule. Definer, because a trigger asks for whoever writes.';

create function app.count_license(company uuid, license_type text, titles uuid[]) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  if license_type = 'user' then
    -- A device at which nobody sits counts for itself.
    return (select count(distinct coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text))
            from public.devices d
            where d.company_id = count_license.company and d.id in (
              select i.device_id from public.device_software i
              where i.company_id = count_license.company and i.software_id = any (titles)));
  end if;
  return (select count(distinct i.device_id) from public.device_software i
          where i.company_id = count_license.company and i.software_id = any (titles));
end $$;
comment on function app.count_license(uuid, text, uuid[]) is
  'On how many devices (or for how many signed-in users) any of these titles is installed. Definer, because a trigger asks for whoever writes.';

create function app.match_new_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.software_license_titles (company_id, license_id, software_id)
  select l.company_id, l.id, s.id
  from new_rows n
  join public.software_licenses l on l.company_id = n.company_id and l.match_rule is not null
  join public.software s on s.company_id = n.company_id and s.id = n.id
  where cardinality(app.search_patterns(l.match_rule)) > 0
    and s.search operator(pg_catalog.~~) all (app.search_patterns(l.match_rule))
  on conflict do nothing;
  return null;
end $$;
comment on function app.match_new_titles() is
  'Statement trigger on software: a title nobody had before joins the licenses whose rule means it. Definer, because the agent functions write it.';

create trigger software_match_licenses after insert on public.software
  referencing new table as new_rows for each statement execute function app.match_new_titles();

create function app.note_license_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from new_rows n
    join public.software_license_titles t on t.company_id = n.company_id and t.software_id = n.software_id;
  else
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from old_rows o
    join public.software_license_titles t on t.company_id = o.company_id and t.software_id = o.software_id;
  end if;
  return null;
end $$;
comment on function app.note_license_changes() is
  'Statement trigger on device_software: notes which licenses are to be counted again. Definer, because nobody may write the notes.';

create trigger device_software_licenses_insert after insert on public.device_software
  referencing new table as new_rows for each statement execute function app.note_license_changes();
create trigger device_software_licenses_delete after delete on public.device_software
  referencing old table as old_rows for each statement execute function app.note_license_changes();

create function app.count_licenses(most integer default 50) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
  titles uuid[];
  found_now integer;
  changed integer := 0;
begin
  for due in
    select l.id, l.company_id, l.type, l.match_rule
    from app.license_counts c
    join public.software_licenses l on l.company_id = c.company_id and l.id = c.license_id
    where c.counted_at < now() - interval '1 hour'
      or exists (select 1 from app.license_recounts r where r.license_id = c.license_id)
    order by c.counted_at limit most for update of c skip locked
  loop
    -- The notes go first: what is added while we count leaves a note that stays.
    delete from app.license_recounts r where r.license_id = due.id;
    -- A title that came in the moment in which the rule changed was seen by neither trigger.
    titles := app.matching_titles(due.company_id, due.match_rule);
    insert into public.software_license_titles (company_id, license_id, software_id)
    select due.company_id, due.id, s.id from unnest(titles) as s (id)
    on conflict do nothing;
    found_now := case when cardinality(app.search_patterns(due.match_rule)) > 0 then
      app.count_license(due.company_id, due.type, titles) end;
    update public.software_licenses l set detected = found_now
    where l.company_id = due.company_id and l.id = due.id and l.detected is distinct from found_now;
    if found then
      changed := changed + 1;
    end if;
    update app.license_counts c set counted_at = now() where c.license_id = due.id;
  end loop;
  -- Notes of licenses that are gone.
  delete from app.license_recounts r where r.id in (
    select x.id from app.license_recounts x
    where not exists (select 1 from app.license_counts c where c.license_id = x.license_id) limit 1000);
  return changed;
end $$;
comment on function app.count_licenses(integer) is
  'Counts again the licenses that have notes or were last counted an hour ago, at most 50 a call; safe to run many times at once. '
  'Definer, because nobody may write detected. Granted to nobody.';
