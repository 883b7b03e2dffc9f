-- Limits that were asked only at the beginning of an upload, marks of other scripts that pile up, time zones that are none, and
-- deferrals without an end.

-- Security definer: nobody may write files; checks permission, company and that the upload is the caller's.
create or replace function public.finish_package_upload(upload_id uuid) returns uuid
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
  perform public.use_package_file(upload.id);
  return upload.id;
end $$;
comment on function public.finish_package_upload(uuid) is
  'Makes an upload of the caller, whose bytes the server has received and hashed, a version of its app, and the current one. '
  'check_violation with a hint: upload_room, upload_version_exists, upload_versions.';

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(value,
    '[\u0001-\u001f\u007f-\u009f]+', ' ', 'g'), '[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g')), most);
comment on function app.clean_text(text, integer) is
  'Text from a machine: control characters, invisible characters and marks that turn the direction of text out, two combining marks on a '
  'letter at most, trimmed, cut to length.';

create or replace function app.known_zone(zone text) returns text
  language plpgsql stable set search_path = '' as $$
begin
  -- PostgreSQL also takes rules such as "Foo/bar+99", which are no zones. Names have digits only as hours of Etc.
  if zone !~ '^(Etc/GMT[+-]?\d{1,2}|[A-Za-z]+(/[A-Za-z_-]+){0,2})$' then
    return null;
  end if;
  perform now() at time zone zone;
  return zone;
exception when invalid_parameter_value then
  return null;
end $$;

alter table public.patches add constraint patches_deferred_until_bounds check (deferred_until between '2000-01-01' and '2100-12-31') not valid;
alter table public.patch_exceptions add constraint patch_exceptions_deferred_until_bounds
  check (deferred_until between '2000-01-01' and '2100-12-31') not valid;
