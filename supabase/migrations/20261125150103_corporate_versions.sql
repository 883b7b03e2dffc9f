-- A corporate app can be installed over what is there, and removed; an uploaded version need not become the current one; uploads take
-- room for as long as their files stay.

create function app.is_package_rule(rule text) returns boolean
  language sql immutable parallel safe
  return coalesce(pg_catalog.btrim(rule) <> '' and pg_catalog.btrim(rule) !~* '^(HK[A-Z_]+:?\\|[a-z]:\\|\\\\|/|%\w+%|\$)', false);
comment on function app.is_package_rule(text) is
  'Whether a detection rule names a package, which the system can remove, and not a path or a registry key. As parseRule() of the agent.';
revoke execute on function app.is_package_rule(text) from public;

-- Security definer: reads the package of the app; checks permission and company itself.
drop function public.run_corporate_app(uuid, uuid[], text, integer);
-- Security definer, as before; it checks the permission and the company itself.
create function public.run_corporate_app(corporate_app_id uuid, device_ids uuid[], name text default null, max_running integer default null,
    act text default 'install') returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.corporate_apps%rowtype;
  file public.corporate_app_files%rowtype;
  wanted text := coalesce(act, 'install');
begin
  perform app.require('corporate_apps', 'run');
  if wanted not in ('install', 'reinstall', 'remove') then
    raise exception 'An app is installed, reinstalled or removed.' using errcode = 'check_violation', hint = 'app_act';
  end if;
  select a.* into found from public.corporate_apps a
    where a.id = run_corporate_app.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  if wanted = 'remove' then
    if not app.is_package_rule(found.detection_rule) then
      raise exception 'The detection rule of the app is no name of a package.' using errcode = 'check_violation', hint = 'app_not_removable';
    end if;
    -- A task of its own: an agent that does not know it refuses, where it would install a task that it half understands.
    return app.queue_task(found.company_id, coalesce(nullif(btrim(run_corporate_app.name), ''), 'Remove ' || found.name),
      jsonb_build_object('task', 'remove_corporate_app', 'app', jsonb_build_object('name', found.name, 'platform', found.platform,
        'package_version', found.package_version, 'detection_rule', found.detection_rule)),
      device_ids, 7200, now() + interval '24 hours', max_running);
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
    jsonb_build_object('task', 'corporate_app', 'is_forced', wanted = 'reinstall',
      'app', jsonb_strip_nulls(jsonb_build_object('name', found.name,
      'package_version', found.package_version, 'platform', found.platform, 'source_url', found.source_url, 'file_id', file.id,
      'file_name', file.file_name, 'sha256', coalesce(file.sha256, found.sha256),
      'install_arguments', found.install_arguments, 'detection_rule', found.detection_rule,
      'success_codes', found.success_codes, 'reboot_codes', found.reboot_codes))),
    device_ids, 7200, now() + interval '24 hours', max_running);
end $$;
comment on function public.run_corporate_app(uuid, uuid[], text, integer, text) is
  'Installs a corporate app on devices and returns the job. act: install leaves a device alone that has this version, reinstall does not, '
  'remove has the system remove the package that the detection rule names. check_violation with a hint: package_missing, app_act, app_not_removable.';
revoke execute on function public.run_corporate_app(uuid, uuid[], text, integer, text) from public, anon;
grant execute on function public.run_corporate_app(uuid, uuid[], text, integer, text) to authenticated;

create or replace function public.run_on_target(target jsonb, call text, args jsonb default '{}') returns uuid
  language plpgsql set search_path = '' set statement_timeout = '60s' as $$
declare
  query record := app.target_query(target);
  ids uuid[];
  cap integer := (args ->> 'max_running')::integer;
  until timestamptz := (args ->> 'expires_at')::timestamptz;
begin
  if call is null or call not in ('run_procedure', 'run_command', 'run_task', 'run_app', 'run_corporate_app', 'test_monitor') then
    raise exception 'There is no such call.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  -- As the caller, whom row-level security shows what a list would; the function that queues checks the permission.
  execute format('select array_agg(x.id) from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets() + 1)
    into ids;
  return case call
    when 'run_procedure' then public.run_procedure((args ->> 'procedure_id')::uuid, ids, coalesce(args -> 'parameters', '{}'), until, cap)
    when 'run_command' then public.run_command(args ->> 'type', args ->> 'command', ids, args ->> 'name',
      coalesce((args ->> 'timeout_seconds')::integer, 300), until, cap)
    when 'run_task' then public.run_task(args ->> 'task', ids, args ->> 'name', cap)
    when 'run_app' then public.run_app((args ->> 'app_id')::uuid, args ->> 'act', ids, args ->> 'name', cap)
    when 'run_corporate_app' then public.run_corporate_app((args ->> 'corporate_app_id')::uuid, ids, args ->> 'name', cap, args ->> 'act')
    when 'test_monitor' then public.test_monitor((args ->> 'monitor_id')::uuid, ids, args ->> 'name')
  end;
end $$;
-- Security definer: nobody may write uploads; checks permission, company and limits.
create or replace function public.begin_package_upload(corporate_app_id uuid, package_version text, file_name text, size_bytes bigint) returns uuid
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
  if length(name) > 120 then
    raise exception 'The name of the file is too long.' using errcode = 'check_violation', hint = 'upload_name_long';
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
        -- One that was received takes room until it is a version, or its file is removed.
        where u.company_id = owner.company_id and (u.sha256 is not null or u.created_at > now() - interval '1 hour'))
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
  'check_violation with a hint: upload_unavailable, upload_name, upload_name_long, upload_version, upload_size, upload_room, '
  'upload_version_exists, upload_versions.';

-- Security definer: as use_package_file.
drop function public.finish_package_upload(uuid);
-- Security definer, as before; it checks the permission and the company itself.
create function public.finish_package_upload(upload_id uuid, make_current boolean default true) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  max_versions constant integer := 20;
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
  -- As when it began: many uploads may have begun before the first one ended.
  perform pg_advisory_xact_lock(hashtextextended('packages ' || upload.company_id, 0));
  if (select coalesce(sum(f.size_bytes), 0) from public.corporate_app_files f where f.company_id = upload.company_id) + upload.size_bytes
      > (select s.max_company_mb * 1048576::bigint from app.package_store s) then
    raise exception 'The packages of the company take all their room.' using errcode = 'check_violation', hint = 'upload_room';
  end if;
  if exists (select 1 from public.corporate_app_files f where f.company_id = upload.company_id
      and f.corporate_app_id = upload.corporate_app_id and f.package_version = upload.package_version) then
    raise exception 'This version exists.' using errcode = 'check_violation', hint = 'upload_version_exists';
  end if;
  if (select count(*) from public.corporate_app_files f
      where f.company_id = upload.company_id and f.corporate_app_id = upload.corporate_app_id) >= max_versions then
    raise exception 'An app has at most 20 versions.' using errcode = 'check_violation', hint = 'upload_versions';
  end if;
  insert into public.corporate_app_files (id, company_id, corporate_app_id, package_version, file_name, size_bytes, sha256, created_by)
  values (upload.id, upload.company_id, upload.corporate_app_id, upload.package_version, upload.file_name, upload.size_bytes,
    upload.sha256, app.own_profile_id());
  delete from app.package_file_removals r where r.id = upload.id;
  if coalesce(make_current, true) then
    perform public.use_package_file(upload.id);
  end if;
  return upload.id;
end $$;
comment on function public.finish_package_upload(uuid, boolean) is
  'Makes an upload of the caller, whose bytes the server has received and hashed, a version of its app, and the current one unless '
  'make_current is false. check_violation with a hint: upload_room, upload_version_exists, upload_versions.';
revoke execute on function public.finish_package_upload(uuid, boolean) from public, anon;
grant execute on function public.finish_package_upload(uuid, boolean) to authenticated;

create function app.give_up_package_upload(upload uuid, account uuid) returns void
  language sql volatile set search_path = '' as $$
  with given_up as (
    -- It counts as one of the hour, and takes no room.
    update app.package_uploads u set size_bytes = 0, sha256 = null where u.id = upload and u.user_id = account returning u.id)
  update app.package_file_removals r set remove_after = now() from given_up g where r.id = g.id
$$;
comment on function app.give_up_package_upload(uuid, uuid) is
  'Gives up an upload of an account, also one whose bytes were all received: its file is removed at the next round. Called by the server.';
revoke execute on function app.give_up_package_upload(uuid, uuid) from public;
