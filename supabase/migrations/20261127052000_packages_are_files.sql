-- The packages of corporate apps move to the files of records: their rows here, their bytes when the server starts
-- (supabase/embedded/files/take-over.ts). The id of a version stays, so that runs which are queued find their file.

alter table app.file_store add column max_package_mb integer not null default 512 check (max_package_mb > 0);
alter table app.file_store add column max_packages_mb integer not null default 10240 check (max_packages_mb > 0);
alter table app.file_fields add column is_package boolean not null default false;
alter table app.file_use add column package_bytes bigint not null default 0 check (package_bytes >= 0);
alter table public.corporate_app_files add column file_id uuid;

do $$
begin
  -- Their limits and names were checked when they were uploaded, and nobody is told of them now.
  alter table public.files disable trigger user;
  insert into public.files (id, company_id, resource, record_id, field, name, type, size, created_by, created_by_name, created_at, uploaded_at)
  select v.id, v.company_id, 'corporate_app_files', v.id, 'file_id', v.file_name,
    case lower(substring(v.file_name from '\.([A-Za-z0-9]+)$'))
      when 'msi' then 'application/x-msi' when 'exe' then 'application/vnd.microsoft.portable-executable' when 'ps1' then 'text/x-powershell'
      when 'deb' then 'application/vnd.debian.binary-package' when 'rpm' then 'application/x-rpm' when 'pkg' then 'application/x-xar'
      when 'sh' then 'text/x-shellscript' else 'application/octet-stream' end,
    v.size_bytes, v.created_by, (select left(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = v.created_by),
    v.created_at, v.created_at
  from public.corporate_app_files v;
  alter table public.files enable trigger user;

  if to_regclass('storage.objects') is not null then
    insert into storage.objects (bucket_id, name, owner, owner_id, metadata, version)
    select 'files', f.path, f.created_by, f.created_by::text,
      jsonb_build_object('size', f.size, 'mimetype', f.type, 'contentLength', f.size, 'cacheControl', 'no-cache', 'sha256', v.sha256),
      gen_random_uuid()::text
    from public.corporate_app_files v join public.files f on f.company_id = v.company_id and f.id = v.id;
  end if;

  insert into app.file_use (company_id, package_bytes)
  select v.company_id, sum(v.size_bytes) from public.corporate_app_files v group by v.company_id
  on conflict (company_id) do update set package_bytes = excluded.package_bytes;

  alter table public.corporate_app_files disable trigger user;
  update public.corporate_app_files set file_id = id;
  alter table public.corporate_app_files enable trigger user;
end $$;

alter table public.corporate_app_files alter column file_id set not null;
create unique index corporate_app_files_file_idx on public.corporate_app_files (company_id, file_id);
alter table public.corporate_app_files add constraint corporate_app_files_company_id_file_id_fkey
  foreign key (company_id, file_id) references public.files (company_id, id);

delete from app.tick_step where name = 'package_uploads';
drop table app.package_uploads;
drop table app.package_file_removals;
drop table app.package_store;
