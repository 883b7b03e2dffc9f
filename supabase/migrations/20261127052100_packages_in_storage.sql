-- Packages in storage.

set check_function_bodies = off;

drop function app.give_up_package_upload(uuid, uuid);
drop function public.finish_package_upload(uuid, bool);
drop function app.forget_package_uploads();
drop function public.begin_package_upload(uuid, text, text, int8);
comment on table public.corporate_app_files is
  'The uploaded versions of a corporate app. Devices install the current one. The checksum was computed by the server that received the file; '
  'the file is in public.files.';
comment on table app.file_store is
  'The limits of the server, which writes them at its start: the largest file, and the room of a company, and both for packages of apps. Without '
  'a row, as on hosted Supabase, they are 25 and 10,240 MB, and no package can be uploaded.';
comment on table app.file_use is
  'The bytes of the files and of the packages of a company, with those announced and not yet uploaded. Its row is the lock of the quota: two uploads at once cannot both take the last room.';

-- Security definer: who deletes a version need not be allowed to edit its app.
create or replace function app.forget_package_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if old.is_current then
    update public.corporate_apps a set sha256 = null where a.company_id = old.company_id and a.id = old.corporate_app_id and a.source_url is null;
  end if;
  return null;
end $$;
comment on function app.forget_package_file() is 'Row trigger: an app whose current version was deleted has no checksum any more.';

-- Security definer: reads the limits, which no client may read in whole; checks the permission itself.
create or replace function public.package_limits(corporate_app_id uuid) returns jsonb
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
    select jsonb_build_object('max_file_mb', s.max_package_mb, 'max_company_mb', s.max_packages_mb,
      'used_mb', coalesce((select ceil(u.package_bytes / 1048576.0) from app.file_use u where u.company_id = company), 0))
    from app.file_store s);
end $$;

create function app.package_problem(platform text, name text, type text) returns text
  language sql immutable parallel safe
  return case
    when (lower(substring(name from '\.([A-Za-z0-9]+)$')), platform) in (('msi', 'windows'), ('exe', 'windows'), ('ps1', 'windows'),
      ('deb', 'linux'), ('rpm', 'linux'), ('sh', 'linux'), ('pkg', 'macos'), ('sh', 'macos')) then
      case when type = case lower(substring(name from '\.([A-Za-z0-9]+)$'))
        when 'msi' then 'application/x-msi' when 'exe' then 'application/vnd.microsoft.portable-executable'
        when 'ps1' then 'text/x-powershell' when 'deb' then 'application/vnd.debian.binary-package'
        when 'rpm' then 'application/x-rpm' when 'pkg' then 'application/x-xar' else 'text/x-shellscript' end
      then null else 'upload_content' end
    when platform = 'linux' and type in ('application/x-executable', 'text/x-shellscript')
      or platform = 'macos' and type in ('application/x-mach-binary', 'text/x-shellscript') then null
    else 'upload_type'
  end;
comment on function app.package_problem(text, text, text) is
  'The hint why a file cannot be installed on a platform, by its extension and by the type that the server read from its content; null when it '
  'can. An agent installs a package by the extension, as installCommands() of the agent does.';

-- Security definer: nobody may write versions, and the checksum is in the row of the object.
create function public.add_package_version(corporate_app_id uuid, package_version text, file_id uuid, make_current boolean default true) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  max_versions constant integer := 20;
  owner public.corporate_apps%rowtype;
  file public.files%rowtype;
  wanted text := btrim(add_package_version.package_version);
  checksum text;
  problem text;
begin
  perform app.require('corporate_apps', 'edit');
  -- The lock of the app: two versions at once are counted one after the other.
  select a.* into owner from public.corporate_apps a
    where a.id = add_package_version.corporate_app_id and a.company_id = any (app.visible_company_ids()) for update;
  if owner.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  select f.* into file from public.files f
    where f.id = add_package_version.file_id and f.company_id = owner.company_id and f.resource = 'corporate_app_files' and f.field = 'file_id'
      and f.record_id is null and f.uploaded_at is not null and f.created_by = app.current_user_id() for update;
  if file.id is null then
    raise exception 'The upload was not found.' using errcode = 'PT404', hint = 'file_gone';
  end if;
  if wanted is null or length(wanted) not between 1 and 60 then
    raise exception 'A version has 1 to 60 characters.' using errcode = 'check_violation', hint = 'upload_version';
  end if;
  if exists (select 1 from public.corporate_app_files f
      where f.company_id = owner.company_id and f.corporate_app_id = owner.id and f.package_version = wanted) then
    raise exception 'This version exists.' using errcode = 'check_violation', hint = 'upload_version_exists';
  end if;
  if (select count(*) from public.corporate_app_files f where f.company_id = owner.company_id and f.corporate_app_id = owner.id) >= max_versions then
    raise exception 'An app has at most 20 versions.' using errcode = 'check_violation', hint = 'upload_versions';
  end if;
  problem := app.package_problem(owner.platform, file.name, file.type);
  if problem is not null then
    raise exception 'The file cannot be installed on the platform of the app.' using errcode = 'check_violation', hint = problem;
  end if;
  select o.metadata ->> 'sha256' into checksum from storage.objects o where o.bucket_id = 'files' and o.name = file.path;
  if coalesce(checksum, '') !~ '^[0-9a-f]{64}$' then
    raise exception 'This backend takes no packages.' using errcode = 'check_violation', hint = 'upload_unavailable';
  end if;
  insert into public.corporate_app_files (id, company_id, corporate_app_id, package_version, file_id, file_name, size_bytes, sha256, created_by)
  values (file.id, owner.company_id, owner.id, wanted, file.id, file.name, file.size, checksum, app.own_profile_id());
  if coalesce(make_current, true) then
    perform public.use_package_file(file.id);
  end if;
  return file.id;
end $$;
comment on function public.add_package_version(uuid, text, uuid, boolean) is
  'Makes an upload of the caller (a draft of public.files for corporate_app_files.file_id) a version of an app, and the current one unless '
  'make_current is false. check_violation with a hint: upload_version, upload_version_exists, upload_versions, upload_type, upload_content, '
  'upload_unavailable.';
grant execute on function public.add_package_version(uuid, text, uuid, boolean) to authenticated;

create or replace function app.agent_package(device uuid, secret text, run uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := app.agent_company(device, secret);
  file record;
begin
  select o.path, o.size into file
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join public.corporate_app_files f on f.company_id = r.company_id
        and f.id = app.lenient_uuid(j.script::jsonb #>> '{app,file_id}')
      left join public.files o on o.company_id = f.company_id and o.id = f.file_id
    where r.company_id = company and r.device_id = device and r.id = run
      and r.status in ('claimed', 'running') and r.cancel_requested_at is null
      and j.kind = 'task' and j.script::jsonb #>> '{app,file_id}' is not null;
  if not found then
    -- As for a wrong secret: a device learns nothing about runs that are not its own.
    raise exception 'The device credentials are not valid.' using errcode = 'PT401';
  end if;
  if file.path is null then
    raise exception 'The package was deleted in the console.' using errcode = 'PT410';
  end if;
  return jsonb_build_object('path', file.path, 'size_bytes', file.size);
end $$;
comment on function app.agent_package(uuid, text, uuid) is
  'The file that a device may download for a run it has claimed: {path, size_bytes}. PT401, as for a wrong secret, unless the run is the '
  'device''s own and open; PT410 when the file was deleted. Definer, because a device has no privileges; granted to nobody, the server calls it.';

-- Security definer: the record may be one that the writer does not see, and the quota is nobody's to read.
create or replace function app.admit_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rules app.file_fields%rowtype;
  store app.file_store%rowtype;
  company uuid;
  actor uuid := app.acting_user_id();
  max_mb integer;
begin
  select f.* into rules from app.file_fields f where f.resource = new.resource and f.field = coalesce(new.field, '');
  if rules.resource is null then
    raise exception using errcode = '42501', message = 'this record has no such files', hint = 'role';
  end if;
  -- Answers with the reason; row-level security decides on the record.
  if tg_op = 'INSERT' and not app.is_server_work() and not app.may_draft_file(new.resource, new.field) then
    perform app.require(rules.object, rules.verbs[cardinality(rules.verbs)]);
  end if;
  -- Another company is answered before its quota is asked.
  if tg_op = 'INSERT' and not app.is_server_work() and not (new.company_id = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "files"';
  end if;
  if new.record_id is not null then
    execute format('select t.company_id from public.%I t where t.id = $1', new.resource) into company using new.record_id;
    if company is distinct from new.company_id then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "files"';
    end if;
  end if;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  if new.field is not null and new.record_id is not null then
    raise exception using errcode = '22023', message = 'a field takes a draft: the record names it';
  end if;
  new.created_by := coalesce(actor, new.created_by);
  new.created_by_name := (select left(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = new.created_by);
  new.created_at := now();
  new.name := app.clean_text(regexp_replace(new.name, '^.*[/\\]', ''), 200);
  if new.name is null or new.name in ('', '.', '..') then
    new.name := 'file';
  end if;
  select s.* into store from app.file_store s;
  if rules.is_package then
    if store.max_package_mb is null then
      raise exception using errcode = 'check_violation', message = 'This backend takes no packages.', hint = 'upload_unavailable';
    end if;
    if length(new.name) > 120 then
      raise exception using errcode = 'check_violation', message = 'The name of the file is too long.', hint = 'upload_name_long';
    end if;
    if new.name !~ '^[[:alnum:]][[:alnum:]._+~ ()-]*$' then
      raise exception using errcode = 'check_violation', message = 'The name of the file is not accepted.', hint = 'upload_name';
    end if;
  elsif app.is_program(new.name) then
    raise exception using errcode = 'check_violation', message = 'Programs, scripts and shortcuts are not taken. Pack the file into an archive.', hint = 'file_program';
  end if;
  max_mb := case when rules.is_package then store.max_package_mb else coalesce(store.max_file_mb, 25) end;
  if new.size > least(coalesce(rules.max_mb, max_mb), max_mb) * 1048576::bigint then
    raise exception using errcode = 'check_violation', message = 'The file is larger than is allowed here.', hint = 'file_size';
  end if;
  if (select count(*) from public.files f where f.created_by = new.created_by and f.created_at > now() - interval '1 day'
      and (f.record_id is null or f.uploaded_at is null)) >= 200 then
    raise exception using errcode = 'check_violation', message = 'Too many uploads wait for their record.', hint = 'file_drafts';
  end if;
  insert into app.file_use (company_id) values (new.company_id) on conflict (company_id) do nothing;
  if rules.is_package then
    update app.file_use u set package_bytes = u.package_bytes + new.size
    where u.company_id = new.company_id and u.package_bytes + new.size <= store.max_packages_mb * 1048576::bigint;
    if not found then
      raise exception using errcode = 'check_violation', message = 'The packages of the company take all their room.', hint = 'upload_room';
    end if;
    return new;
  end if;
  update app.file_use u set bytes = u.bytes + new.size
  where u.company_id = new.company_id and u.bytes + new.size <= coalesce(store.max_company_mb, 10240) * 1048576::bigint;
  if not found then
    raise exception using errcode = 'check_violation', message = 'The files of the company take all their room.', hint = 'file_room';
  end if;
  return new;
end $$;
comment on function app.admit_file() is
  'Row trigger of public.files: a field that exists, a record of the same company, a name that starts nothing unless the field holds packages, '
  'size, drafts and the quota, which it takes under the lock of its row.';

create or replace function app.release_files() returns trigger
  language plpgsql
  -- definer: nobody may write the quota and the removals
  security definer set search_path = '' as $$
begin
  update app.file_use u set bytes = greatest(0, u.bytes - o.bytes), package_bytes = greatest(0, u.package_bytes - o.package_bytes)
  from (
    select x.company_id, coalesce(sum(x.size) filter (where f.is_package is not true), 0) as bytes,
      coalesce(sum(x.size) filter (where f.is_package), 0) as package_bytes
    from old_rows x left join app.file_fields f on f.resource = x.resource and f.field = coalesce(x.field, '') group by x.company_id) o
  where u.company_id = o.company_id;
  insert into app.file_removals (path)
  select o.path || suffix from old_rows o cross join unnest(array['', '.webp']) as suffix
  on conflict (path) do nothing;
  return null;
end $$;

create or replace function app.keep_files(tbl regclass, fields jsonb default '{}', attachments boolean default true, object text default null,
  verbs text[] default array['create', 'edit']) returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  named record;
begin
  insert into app.file_fields (resource, field, max_mb, accept, object, verbs, is_package)
  select table_name, '', null, null, coalesce(object, table_name), verbs, false where attachments
  union all
  select table_name, f.key, (f.value ->> 'max_mb')::integer,
    (select array_agg(a.family) from jsonb_array_elements_text(f.value -> 'accept') as a (family)), coalesce(object, table_name), verbs,
    coalesce((f.value ->> 'package')::boolean, false)
  from jsonb_each(fields) as f
  on conflict (resource, field) do update set max_mb = excluded.max_mb, accept = excluded.accept, object = excluded.object, verbs = excluded.verbs,
    is_package = excluded.is_package;
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows for each statement execute function app.forget_files()',
    table_name || '_files_gone', tbl);
  for named in select f.key as field from jsonb_each(fields) as f loop
    execute format('create or replace trigger %I after insert or update of %I on %s for each row execute function app.use_file(%L)',
      table_name || '_file_' || named.field, named.field, tbl, named.field);
  end loop;
end $$;
comment on function app.keep_files(regclass, jsonb, boolean, text, text[]) is
  'For migrations: gives a table files. fields are its file fields with {"max_mb", "accept", "package"}, attachments whether a record has further ones; '
  'object and verbs say which permission an upload before the record is saved needs, the table''s create or edit by default. A second call adds fields.';

-- Security definer: reads app.file_fields, app.file_store and app.file_use.
create or replace function public.file_limits(resource text, field text default null, company_id uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := coalesce(file_limits.company_id, app.own_company());
begin
  if not coalesce(company = any (app.visible_company_ids()), false) or not app.may_draft_file(file_limits.resource, file_limits.field) then
    raise exception using errcode = '42501', message = 'no files are uploaded here', hint = 'role';
  end if;
  return (
    select jsonb_build_object(
      'max_bytes', least(coalesce(f.max_mb, 5120), coalesce(case when f.is_package then s.max_package_mb else s.max_file_mb end, 25))
        * 1048576::bigint,
      'free_bytes', greatest(0, coalesce(case when f.is_package then s.max_packages_mb else s.max_company_mb end, 10240) * 1048576::bigint
        - coalesce(case when f.is_package then u.package_bytes else u.bytes end, 0)),
      'accept', f.accept)
    from app.file_fields f
      left join app.file_store s on true
      left join app.file_use u on u.company_id = company
    where f.resource = file_limits.resource and f.field = coalesce(file_limits.field, ''));
end $$;

select app.keep_files('public.corporate_app_files', '{"file_id": {"package": true}}', false, 'corporate_apps', array['edit']);
