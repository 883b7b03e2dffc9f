-- Uploaded packages -----------------------------------------------------------------------------------------------------
-- The bytes are on the disk of the console's server, under the id of their row. The database says who may write and read them.

create table app.package_store (
  only_row boolean primary key default true check (only_row),
  max_file_mb integer not null check (max_file_mb > 0),
  max_company_mb integer not null check (max_company_mb > 0)
);
comment on table app.package_store is
  'The limits of uploads, written by the console''s own server at its start. Without the row, as on hosted Supabase, nothing can be uploaded.';
revoke all on app.package_store from public, anon, authenticated;
alter table app.package_store enable row level security;

create table app.package_file_removals (
  id uuid primary key,
  remove_after timestamptz not null default now()
);
comment on table app.package_file_removals is
  'Files that the server removes from its disk. An upload is here from its beginning until its row is written, so that one that breaks off leaves nothing.';
create index package_file_removals_due_idx on app.package_file_removals (remove_after);
revoke all on app.package_file_removals from public, anon, authenticated;
alter table app.package_file_removals enable row level security;

create table public.corporate_app_files (
  id uuid primary key,
  company_id uuid not null references public.companies (id),
  corporate_app_id uuid not null,
  package_version text not null check (length(btrim(package_version)) between 1 and 60),
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
  'The uploaded versions of a corporate app. Devices install the current one. The checksum was computed by the server that received the file.';
create unique index corporate_app_files_current_idx on public.corporate_app_files (company_id, corporate_app_id) where is_current;
create index corporate_app_files_author_idx on public.corporate_app_files (created_by);

select app.keep_tenant('public.corporate_app_files', 'corporate_apps');

revoke all on public.corporate_app_files from public, anon, authenticated;
grant select, delete on public.corporate_app_files to authenticated;
grant select, insert, update, delete on public.corporate_app_files to service_role;
alter table public.corporate_app_files enable row level security;
create policy corporate_app_files_select_member on public.corporate_app_files for select to authenticated
  using ((select app.can('corporate_apps', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy corporate_app_files_delete_member on public.corporate_app_files for delete to authenticated
  using ((select app.can('corporate_apps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.package_uploads (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null,
  corporate_app_id uuid not null,
  user_id uuid not null,
  package_version text not null,
  file_name text not null,
  size_bytes bigint not null,
  sha256 text,
  created_at timestamptz not null default now(),
  foreign key (company_id, corporate_app_id) references public.corporate_apps (company_id, id) on delete cascade
);
comment on table app.package_uploads is
  'Uploads under way, for a day. The server writes sha256 when it has the whole file; then public.finish_package_upload() makes it a version.';
create index package_uploads_app_idx on app.package_uploads (company_id, corporate_app_id);
create index package_uploads_user_idx on app.package_uploads (user_id);
create index package_uploads_age_idx on app.package_uploads (created_at);
revoke all on app.package_uploads from public, anon, authenticated;
alter table app.package_uploads enable row level security;

-- An app has an address, an uploaded file, or nothing yet.
alter table public.corporate_apps alter column source_url drop not null;
alter table public.corporate_apps alter column sha256 drop not null;
alter table public.corporate_apps add constraint corporate_apps_sha256_check1 check (source_url is null or sha256 is not null);
comment on table public.corporate_apps is
  'A company''s own packages: at which address the file is, unless it is uploaded (corporate_app_files), what it must hash to, how it '
  'installs silently and how one sees that it is there.';

-- Security definer: who edits an app may not write its files.
create function app.follow_package_source() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  file public.corporate_app_files%rowtype;
begin
  if new.source_url is not null then
    update public.corporate_app_files f set is_current = false
      where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
    return new;
  end if;
  select f.* into file from public.corporate_app_files f
    where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
  -- Without an address, the checksum is that of the uploaded file, whatever was sent.
  new.sha256 := file.sha256;
  if file.id is not null and file.package_version <> new.package_version then
    update public.corporate_app_files f set package_version = new.package_version where f.company_id = new.company_id and f.id = file.id;
  end if;
  return new;
end $$;
comment on function app.follow_package_source() is
  'Row trigger: an address replaces the uploaded file as the source of an app; without one, checksum and version are those of the file.';
revoke execute on function app.follow_package_source() from public;
create trigger corporate_apps_source before insert or update of source_url, sha256, package_version on public.corporate_apps
  for each row execute function app.follow_package_source();

-- Security definer: nobody may write the list of files to remove.
create function app.forget_package_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.package_file_removals (id) values (old.id) on conflict (id) do update set remove_after = now();
  if old.is_current then
    update public.corporate_apps a set sha256 = null where a.company_id = old.company_id and a.id = old.corporate_app_id and a.source_url is null;
  end if;
  return null;
end $$;
comment on function app.forget_package_file() is 'Row trigger: the server removes the file of a deleted row from its disk.';
revoke execute on function app.forget_package_file() from public;
create trigger corporate_app_files_removed after delete on public.corporate_app_files
  for each row execute function app.forget_package_file();

-- Security definer: reads the limits, which no client may read in whole; checks the permission itself.
create function public.package_limits(corporate_app_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('corporate_apps', 'list');
  select a.company_id into company from public.corporate_apps a
    where a.id = package_limits.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if company is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return (
    select jsonb_build_object('max_file_mb', s.max_file_mb, 'max_company_mb', s.max_company_mb,
      'used_mb', (select ceil(coalesce(sum(f.size_bytes), 0) / 1048576) from public.corporate_app_files f where f.company_id = company))
    from app.package_store s);
end $$;
comment on function public.package_limits(uuid) is
  '{max_file_mb, max_company_mb, used_mb} for the company of an app; null where the backend takes no uploads.';
revoke execute on function public.package_limits(uuid) from public, anon;
grant execute on function public.package_limits(uuid) to authenticated;

-- Security definer: nobody may write uploads; checks permission, company and limits.
create function public.begin_package_upload(corporate_app_id uuid, package_version text, file_name text, size_bytes bigint) returns uuid
  language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  max_versions constant integer := 20;
  max_an_hour constant integer := 30;
  owner public.corporate_apps%rowtype;
  store app.package_store%rowtype;
  name text := btrim(begin_package_upload.file_name);
  wanted text := btrim(begin_package_upload.package_version);
  upload uuid;
begin
  perform app.require('corporate_apps', 'edit');
  select a.* into owner from public.corporate_apps a
    where a.id = begin_package_upload.corporate_app_id and a.company_id = any (app.visible_company_ids()) for share;
  if owner.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  select s.* into store from app.package_store s;
  if store.max_file_mb is null then
    raise exception 'This backend takes no uploads.' using errcode = 'check_violation', hint = 'upload_unavailable';
  end if;
  if name is null or name !~ '^[[:alnum:]][[:alnum:]._+~ ()-]{0,119}$' then
    raise exception 'The name of the file is not accepted.' using errcode = 'check_violation', hint = 'upload_name';
  end if;
  if wanted is null or length(wanted) not between 1 and 60 then
    raise exception 'A version has 1 to 60 characters.' using errcode = 'check_violation', hint = 'upload_version';
  end if;
  if size_bytes is null or size_bytes < 1 or size_bytes > store.max_file_mb * 1048576::bigint then
    raise exception 'The file is empty or too large.' using errcode = 'check_violation', hint = 'upload_size';
  end if;
  -- Two at once must not both take the last room.
  perform pg_advisory_xact_lock(hashtextextended('packages ' || owner.company_id, 0));
  if (select coalesce(sum(f.size_bytes), 0) from public.corporate_app_files f where f.company_id = owner.company_id)
      + (select coalesce(sum(u.size_bytes), 0) from app.package_uploads u
        where u.company_id = owner.company_id and u.created_at > now() - interval '1 hour')
      + size_bytes > store.max_company_mb * 1048576::bigint then
    raise exception 'The packages of the company take all their room.' using errcode = 'check_violation', hint = 'upload_room';
  end if;
  if exists (select 1 from public.corporate_app_files f
      where f.company_id = owner.company_id and f.corporate_app_id = owner.id and f.package_version = wanted) then
    raise exception 'This version exists.' using errcode = 'check_violation', hint = 'upload_version_exists';
  end if;
  if (select count(*) from public.corporate_app_files f where f.company_id = owner.company_id and f.corporate_app_id = owner.id) >= max_versions then
    raise exception 'An app has at most 20 versions.' using errcode = 'check_violation', hint = 'upload_versions';
  end if;
  if (select count(*) from app.package_uploads u where u.user_id = app.current_user_id() and u.created_at > now() - interval '1 hour') >= max_an_hour then
    raise exception 'Too many uploads.' using errcode = 'PT429', hint = 'Wait an hour, then try again.';
  end if;
  insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes)
  values (owner.company_id, owner.id, app.current_user_id(), wanted, name, size_bytes) returning id into upload;
  insert into app.package_file_removals (id, remove_after) values (upload, now() + interval '1 day');
  return upload;
end $$;
comment on function public.begin_package_upload(uuid, text, text, bigint) is
  'Opens the upload of a version of an app and returns its id, under which the server takes the bytes (PUT /packages/v1/<id>). '
  'check_violation with a hint: upload_unavailable, upload_name, upload_version, upload_size, upload_room, upload_version_exists, upload_versions.';
revoke execute on function public.begin_package_upload(uuid, text, text, bigint) from public, anon;
grant execute on function public.begin_package_upload(uuid, text, text, bigint) to authenticated;

-- Security definer: nobody may write files; checks permission, company and that the upload is the caller's.
create function public.use_package_file(file_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  file public.corporate_app_files%rowtype;
begin
  perform app.require('corporate_apps', 'edit');
  select f.* into file from public.corporate_app_files f
    where f.id = use_package_file.file_id and f.company_id = any (app.visible_company_ids()) for update;
  if file.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'file_gone';
  end if;
  update public.corporate_app_files f set is_current = false
    where f.company_id = file.company_id and f.corporate_app_id = file.corporate_app_id and f.is_current and f.id <> file.id;
  update public.corporate_app_files f set is_current = true where f.company_id = file.company_id and f.id = file.id;
  update public.corporate_apps a set source_url = null, sha256 = file.sha256, package_version = file.package_version
    where a.company_id = file.company_id and a.id = file.corporate_app_id;
end $$;
comment on function public.use_package_file(uuid) is
  'Makes an uploaded version the one that devices install, in place of another version or of the download address.';
revoke execute on function public.use_package_file(uuid) from public, anon;
grant execute on function public.use_package_file(uuid) to authenticated;

-- Security definer: as use_package_file.
create function public.finish_package_upload(upload_id uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  upload app.package_uploads%rowtype;
begin
  perform app.require('corporate_apps', 'edit');
  delete from app.package_uploads u
    where u.id = finish_package_upload.upload_id and u.user_id = app.current_user_id() and u.sha256 is not null
      and u.company_id = any (app.visible_company_ids())
    returning u.* into upload;
  if upload.id is null then
    raise exception 'The upload was not found.' using errcode = 'PT404', hint = 'upload_gone';
  end if;
  insert into public.corporate_app_files (id, company_id, corporate_app_id, package_version, file_name, size_bytes, sha256, created_by)
  values (upload.id, upload.company_id, upload.corporate_app_id, upload.package_version, upload.file_name, upload.size_bytes,
    upload.sha256, app.own_profile_id());
  delete from app.package_file_removals r where r.id = upload.id;
  perform public.use_package_file(upload.id);
  return upload.id;
end $$;
comment on function public.finish_package_upload(uuid) is
  'Makes an upload of the caller, whose bytes the server has received and hashed, a version of its app, and the current one.';
revoke execute on function public.finish_package_upload(uuid) from public, anon;
grant execute on function public.finish_package_upload(uuid) to authenticated;

-- For the server alone ----------------------------------------------------------------------------------------------------

create function app.agent_package(device uuid, secret text, run uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := app.agent_company(device, secret);
  file record;
begin
  select f.id, f.size_bytes into file
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join public.corporate_app_files f on f.company_id = r.company_id
        and f.id = app.lenient_uuid(j.script::jsonb #>> '{app,file_id}')
    where r.company_id = company and r.device_id = device and r.id = run
      and r.status in ('claimed', 'running') and r.cancel_requested_at is null
      and j.kind = 'task' and j.script::jsonb #>> '{app,file_id}' is not null;
  if not found then
    -- As for a wrong secret: a device learns nothing about runs that are not its own.
    raise exception 'The device credentials are not valid.' using errcode = 'PT401';
  end if;
  if file.id is null then
    raise exception 'The package was deleted in the console.' using errcode = 'PT410';
  end if;
  return jsonb_build_object('id', file.id, 'size_bytes', file.size_bytes);
end $$;
comment on function app.agent_package(uuid, text, uuid) is
  'The file that a device may download for a run it has claimed: {id, size_bytes}. PT401, as for a wrong secret, unless the run is the '
  'device''s own and open; PT410 when the file was deleted. Definer, because a device has no privileges; granted to nobody, the server calls it.';
revoke execute on function app.agent_package(uuid, text, uuid) from public;

create function app.forget_package_uploads() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.package_uploads u where u.id in (
    select x.id from app.package_uploads x where x.created_at < now() - interval '1 day' limit 1000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_package_uploads() is 'Step of app.tick(): forgets uploads that were not finished within a day.';
revoke execute on function app.forget_package_uploads() from public;
insert into app.tick_step (position, name, function) values (103, 'package_uploads', 'forget_package_uploads');

-- Security definer, as before.
create or replace function public.run_corporate_app(corporate_app_id uuid, device_ids uuid[], name text default null, max_running integer default null)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.corporate_apps%rowtype;
  file public.corporate_app_files%rowtype;
begin
  perform app.require('corporate_apps', 'run');
  select a.* into found from public.corporate_apps a
    where a.id = run_corporate_app.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  if found.source_url is null then
    select f.* into file from public.corporate_app_files f
      where f.company_id = found.company_id and f.corporate_app_id = found.id and f.is_current;
    if file.id is null then
      raise exception 'The app has no package.' using errcode = 'check_violation', hint = 'package_missing';
    end if;
  end if;
  return app.queue_task(found.company_id,
    coalesce(nullif(btrim(run_corporate_app.name), ''), 'Install ' || found.name),
    jsonb_build_object('task', 'corporate_app', 'app', jsonb_strip_nulls(jsonb_build_object('name', found.name,
      'package_version', found.package_version, 'platform', found.platform, 'source_url', found.source_url, 'file_id', file.id,
      'file_name', file.file_name, 'sha256', coalesce(file.sha256, found.sha256),
      'install_arguments', found.install_arguments, 'detection_rule', found.detection_rule,
      'success_codes', found.success_codes, 'reboot_codes', found.reboot_codes))),
    device_ids, 7200, now() + interval '24 hours', max_running);
end $$;
