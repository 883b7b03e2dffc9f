-- Files.

set check_function_bodies = off;

create table app.file_store (
  only_row boolean primary key default true check (only_row),
  max_file_mb integer not null check (max_file_mb between 1 and 5120),
  max_company_mb integer not null check (max_company_mb > 0)
);
comment on table app.file_store is
  'The limits of the server, which writes them at its start: the largest file, and the room of a company. Without a row they are 25 and 10,240 MB.';

create table app.file_fields (
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  -- '' stands for the attachments of a record.
  field text not null,
  max_mb integer check (max_mb > 0),
  accept text[],
  object text not null,
  verbs text[] not null,
  primary key (resource, field)
);
comment on table app.file_fields is
  'Which tables have files, in which fields, and what these take: app.keep_files() writes it. A draft needs one of verbs on object.';

create table app.file_use (
  company_id uuid primary key references public.companies (id) on delete cascade,
  bytes bigint not null default 0 check (bytes >= 0)
);
comment on table app.file_use is
  'The bytes of the files of a company, with those announced and not yet uploaded. Its row is the lock of the quota: two uploads at once cannot both take the last room.';

create table app.file_removals (
  path text primary key,
  remove_after timestamptz not null default now(),
  attempts integer not null default 0
);
comment on table app.file_removals is
  'Objects of the bucket files whose row is gone. The server removes their bytes and tries again where the storage does not answer.';

create index file_removals_due_idx on app.file_removals (remove_after);

create table app.storage_server (
  only_row boolean primary key default true check (only_row),
  url text not null,
  secret_key text not null
);
comment on table app.storage_server is 'The address and secret key of a hosted project, with which app.tick() removes objects. Empty elsewhere.';

create table public.files (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  record_id uuid,
  field text check (field ~ '^[a-z][a-z0-9_]{0,62}$'),
  name text not null check (length(name) between 1 and 200),
  type text not null default 'application/octet-stream' check (length(type) <= 120),
  size bigint not null check (size > 0),
  has_preview boolean not null default false,
  path text not null generated always as (company_id::text || '/' || id::text) stored,
  created_by uuid references public.profiles (id) on delete set null,
  created_by_name text check (length(created_by_name) <= 100),
  created_at timestamptz not null default now(),
  uploaded_at timestamptz,
  unique (company_id, id)
);
comment on table public.files is
  'Files of records. Whoever may read the record may read them, and nobody else; without a record a file is a draft of whoever uploads it, for a day. '
  'The bytes are in the bucket files under path, a preview under path.webp.';
comment on column public.files.resource is 'The table of the record.';
comment on column public.files.field is 'The field that holds the file; null for an attachment.';
comment on column public.files.type is 'By the content, where our own server took it; on hosted Supabase as the browser named it.';
comment on column public.files.uploaded_at is 'When public.finish_file() found all bytes; null for an upload under way.';

create index files_record_idx on public.files (resource, record_id, created_at, id);
create index files_company_idx on public.files (company_id, created_at, id);
create index files_author_idx on public.files (created_by, created_at);
create index files_drafts_idx on public.files (created_at) where record_id is null or uploaded_at is null;

create function app.sees_record(resource text, record_id uuid) returns boolean
  language plpgsql stable security invoker set search_path = '' as $$
declare
  is_seen boolean;
begin
  if resource is null or record_id is null or resource !~ '^[a-z][a-z0-9_]{0,62}$' then
    return false;
  end if;
  execute format('select exists (select 1 from public.%I t where t.id = $1)', resource) into is_seen using record_id;
  return is_seen;
exception
  when insufficient_privilege or undefined_table or undefined_column then
    return false;
end $$;
comment on function app.sees_record(text, uuid) is
  'Whether the caller may read a record, by the row-level security of its table. Invoker on purpose: within a security definer function it would see all rows.';
grant execute on function app.sees_record(text, uuid) to authenticated, service_role;

create function app.edits_record(resource text, record_id uuid) returns boolean
  language plpgsql volatile security invoker set search_path = '' as $$
declare
  is_editable boolean;
begin
  if resource is null or record_id is null or resource !~ '^[a-z][a-z0-9_]{0,62}$' then
    return false;
  end if;
  -- A row that is read for a lock passes the policies of an update as well.
  execute format('select true from public.%I t where t.id = $1 for key share', resource) into is_editable using record_id;
  return coalesce(is_editable, false);
exception
  when insufficient_privilege or undefined_table or undefined_column or wrong_object_type or feature_not_supported then
    return false;
end $$;
comment on function app.edits_record(text, uuid) is
  'Whether the caller may edit a record, by the update policies of its table. Invoker on purpose, as app.sees_record().';
grant execute on function app.edits_record(text, uuid) to authenticated, service_role;

-- Security definer: reads app.file_fields.
create function app.may_draft_file(resource text, field text) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (
    select 1 from app.file_fields f cross join unnest(f.verbs) as verb
    where f.resource = may_draft_file.resource and f.field = coalesce(may_draft_file.field, '') and app.can(f.object, verb));
end $$;
comment on function app.may_draft_file(text, text) is
  'Whether the caller may upload a file before its record is saved. Definer, because it reads which tables have files.';
grant execute on function app.may_draft_file(text, text) to authenticated, service_role;

create function app.is_program(name text) returns boolean
  language sql immutable parallel safe
  return pg_catalog.lower(name) ~ ('\.(lnk|exe|com|scr|pif|msi|msp|mst|msix|appx|dll|sys|cpl|bat|cmd|ps1|psm1|psd1|vbs|vbe|js|jse|wsf|wsh|hta'
    || '|jar|reg|url|scf|inf|gadget|application|appref-ms|chm|sh|bash|zsh|command|app|pkg|dmg|deb|rpm|apk|iso|img|vhd|vhdx|desktop)[. ]*$');
comment on function app.is_program(text) is
  'Whether a file of this name is started, mounted or installed when it is opened. Such files are refused; inside an archive they are not looked for. The server holds the same by the content.';

create function app.file_family(type text) returns text
  language sql immutable parallel safe
  return case
    when type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif', 'image/heic', 'image/tiff') then 'image'
    when type = 'application/pdf' then 'pdf'
    when type ~ '^application/(msword|rtf|vnd\.(openxmlformats-officedocument\.(wordprocessingml|presentationml)|oasis\.opendocument\.(text|presentation)|ms-powerpoint))' then 'document'
    when type ~ '^(text/csv|application/vnd\.(openxmlformats-officedocument\.spreadsheetml|oasis\.opendocument\.spreadsheet|ms-excel))' then 'spreadsheet'
    when type ~ '^application/(zip|gzip|x-7z-compressed|x-rar-compressed|x-xz|x-bzip2|zstd|x-tar)$' then 'archive'
    when type ~ '^(audio|video)/' then 'media'
    when type ~ '^text/(plain|markdown)$' or type = 'application/json' then 'text'
    else 'other'
  end;
comment on function app.file_family(text) is 'The family that the option accept of a file field names: image, pdf, document, spreadsheet, archive, media, text, or other.';

-- Security definer: the record may be one that the writer does not see, and the quota is nobody's to read.
create function app.admit_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rules app.file_fields%rowtype;
  store app.file_store%rowtype;
  company uuid;
  actor uuid := app.acting_user_id();
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
  if app.is_program(new.name) then
    raise exception using errcode = 'check_violation', message = 'Programs, scripts and shortcuts are not taken. Pack the file into an archive.', hint = 'file_program';
  end if;
  select s.* into store from app.file_store s;
  if new.size > least(coalesce(rules.max_mb, 5120), coalesce(store.max_file_mb, 25)) * 1048576::bigint then
    raise exception using errcode = 'check_violation', message = 'The file is larger than is allowed here.', hint = 'file_size';
  end if;
  if (select count(*) from public.files f where f.created_by = new.created_by and f.created_at > now() - interval '1 day'
      and (f.record_id is null or f.uploaded_at is null)) >= 200 then
    raise exception using errcode = 'check_violation', message = 'Too many uploads wait for their record.', hint = 'file_drafts';
  end if;
  insert into app.file_use (company_id) values (new.company_id) on conflict (company_id) do nothing;
  update app.file_use u set bytes = u.bytes + new.size
  where u.company_id = new.company_id and u.bytes + new.size <= coalesce(store.max_company_mb, 10240) * 1048576::bigint;
  if not found then
    raise exception using errcode = 'check_violation', message = 'The files of the company take all their room.', hint = 'file_room';
  end if;
  return new;
end $$;
comment on function app.admit_file() is
  'Row trigger of public.files: a field that exists, a record of the same company, a name that starts nothing, size, drafts and the quota, which it takes under the lock of its row.';

create function app.release_files() returns trigger
  language plpgsql
  -- definer: nobody may write the quota and the removals
  security definer set search_path = '' as $$
begin
  update app.file_use u set bytes = greatest(0, u.bytes - o.bytes)
  from (select x.company_id, sum(x.size) as bytes from old_rows x group by x.company_id) o
  where u.company_id = o.company_id;
  insert into app.file_removals (path)
  select o.path || suffix from old_rows o cross join unnest(array['', '.webp']) as suffix
  on conflict (path) do nothing;
  return null;
end $$;
comment on function app.release_files() is 'Statement trigger of public.files: a deleted file gives its room back, and its bytes go to the list of removals.';

create function app.forget_files() returns trigger
  language plpgsql
  -- definer: whoever deletes a record need not be the one who uploaded its files
  security definer set search_path = '' as $$
begin
  -- Rows that are moved to another place, such as a trash, keep their files.
  if coalesce(current_setting('app.moves_records', true), '') <> 'on' then
    delete from public.files f using old_rows o where f.resource = tg_table_name and f.record_id = o.id;
  end if;
  return null;
end $$;
comment on function app.forget_files() is
  'Statement trigger of a table with files: a deleted record takes its files along, unless the transaction moves records (`app.moves_records`).';

create function app.use_file() returns trigger
  language plpgsql
  -- definer: nobody may attach a file to a field, or take it away, by the table of files
  security definer set search_path = '' as $$
declare
  taken uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  given_up uuid;
  actor uuid := app.acting_user_id();
begin
  if tg_op = 'UPDATE' then
    given_up := (to_jsonb(old) ->> tg_argv[0])::uuid;
  end if;
  if taken is not distinct from given_up then
    return null;
  end if;
  if taken is not null then
    update public.files f set record_id = new.id
    where f.company_id = new.company_id and f.id = taken and f.resource = tg_table_name and f.field = tg_argv[0]
      and f.record_id is null and f.uploaded_at is not null and (f.created_by = actor or actor is null);
    if not found then
      raise exception using errcode = 'check_violation', message = 'The file is gone, or is not an upload of yours. Choose it again.', hint = 'file_gone';
    end if;
  end if;
  if given_up is not null then
    delete from public.files f where f.company_id = new.company_id and f.id = given_up and f.record_id = new.id;
  end if;
  return null;
end $$;
comment on function app.use_file() is
  'Row trigger of a field that holds a file: the draft becomes the record''s, and the file that it replaces goes.';

create function app.keep_files(tbl regclass, fields jsonb default '{}', attachments boolean default true, object text default null,
  verbs text[] default array['create', 'edit']) returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  named record;
begin
  insert into app.file_fields (resource, field, max_mb, accept, object, verbs)
  select table_name, '', null, null, coalesce(object, table_name), verbs where attachments
  union all
  select table_name, f.key, (f.value ->> 'max_mb')::integer,
    (select array_agg(a.family) from jsonb_array_elements_text(f.value -> 'accept') as a (family)), coalesce(object, table_name), verbs
  from jsonb_each(fields) as f
  on conflict (resource, field) do update set max_mb = excluded.max_mb, accept = excluded.accept, object = excluded.object, verbs = excluded.verbs;
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows for each statement execute function app.forget_files()',
    table_name || '_files_gone', tbl);
  for named in select f.key as field from jsonb_each(fields) as f loop
    execute format('create or replace trigger %I after insert or update of %I on %s for each row execute function app.use_file(%L)',
      table_name || '_file_' || named.field, named.field, tbl, named.field);
  end loop;
end $$;
comment on function app.keep_files(regclass, jsonb, boolean, text, text[]) is
  'For migrations: gives a table files. fields are its file fields with {"max_mb", "accept"}, attachments whether a record has further ones; '
  'object and verbs say which permission an upload before the record is saved needs, the table''s create or edit by default. A second call adds fields.';

-- Security definer: reads the object in the bucket, and writes what nobody may.
create function public.finish_file(file_id uuid) returns public.files
  language plpgsql volatile security definer set search_path = '' as $$
declare
  file public.files%rowtype;
  object jsonb;
  preview jsonb;
  wanted text[];
begin
  select f.* into file from public.files f
  where f.id = file_id and f.created_by = app.current_user_id() and f.company_id = any (app.visible_company_ids()) and f.uploaded_at is null
  for update;
  if file.id is null then
    raise exception using errcode = 'PT404', message = 'no such upload', hint = 'file_gone';
  end if;
  select o.metadata into object from storage.objects o where o.bucket_id = 'files' and o.name = file.path;
  if object is null then
    raise exception using errcode = 'check_violation', message = 'The upload has not arrived.', hint = 'file_unfinished';
  end if;
  if (object ->> 'size')::bigint is distinct from file.size then
    raise exception using errcode = 'check_violation', message = 'The file is not as large as was announced.', hint = 'file_size';
  end if;
  select f.accept into wanted from app.file_fields f where f.resource = file.resource and f.field = coalesce(file.field, '');
  if not coalesce(app.file_family(object ->> 'mimetype') = any (wanted), true) then
    raise exception using errcode = 'check_violation', message = 'The field does not take files of this type.', hint = 'file_type';
  end if;
  select o.metadata into preview from storage.objects o where o.bucket_id = 'files' and o.name = file.path || '.webp';
  update public.files f set uploaded_at = now(), type = left(coalesce(object ->> 'mimetype', f.type), 120),
    has_preview = coalesce(preview ->> 'mimetype' = 'image/webp' and (preview ->> 'size')::bigint <= 524288, false)
  where f.id = file.id returning f.* into file;
  return file;
end $$;
comment on function public.finish_file(uuid) is
  'Ends an upload of the caller: the object in the bucket must have the announced size, and a type that the field takes. Nothing is written to its path afterwards.';
grant execute on function public.finish_file(uuid) to authenticated;

create function public.attach_files(ids uuid[], resource text, record_id uuid) returns integer
  language plpgsql volatile security invoker set search_path = '' as $$
declare
  attached integer;
begin
  if cardinality(ids) > 100 then
    raise exception using errcode = '22023', message = 'at most 100 files at a time';
  end if;
  update public.files f set record_id = attach_files.record_id
  where f.id = any (ids) and f.resource = attach_files.resource and f.record_id is null and f.field is null;
  get diagnostics attached = row_count;
  if attached <> cardinality(ids) then
    raise exception using errcode = 'check_violation', message = 'A file is gone, or is not an upload of yours. Choose it again.', hint = 'file_gone';
  end if;
  return attached;
end $$;
comment on function public.attach_files(uuid[], text, uuid) is
  'Attaches drafts of the caller to a record that they may edit, all or none. Row-level security decides.';
grant execute on function public.attach_files(uuid[], text, uuid) to authenticated;

-- Security definer: reads app.file_fields, app.file_store and app.file_use.
create function public.file_limits(resource text, field text default null, company_id uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := coalesce(file_limits.company_id, app.own_company());
begin
  if not coalesce(company = any (app.visible_company_ids()), false) or not app.may_draft_file(file_limits.resource, file_limits.field) then
    raise exception using errcode = '42501', message = 'no files are uploaded here', hint = 'role';
  end if;
  return (
    select jsonb_build_object(
      'max_bytes', least(coalesce(f.max_mb, 5120), coalesce((select s.max_file_mb from app.file_store s), 25)) * 1048576::bigint,
      'free_bytes', greatest(0, coalesce((select s.max_company_mb from app.file_store s), 10240) * 1048576::bigint
        - coalesce((select u.bytes from app.file_use u where u.company_id = company), 0)),
      'accept', f.accept)
    from app.file_fields f
    where f.resource = file_limits.resource and f.field = coalesce(file_limits.field, ''));
end $$;
comment on function public.file_limits(text, text, uuid) is
  'What an upload may be: the largest file, the room that is left to the company, and the families that the field takes. 42501 for another company, and for whoever may upload nothing there. Definer, because the quota is nobody''s to read whole.';
grant execute on function public.file_limits(text, text, uuid) to authenticated;

create function app.forget_drafts() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from public.files f where f.id in (
    select x.id from public.files x
    where (x.record_id is null or x.uploaded_at is null) and x.created_at < now() - interval '1 day' limit 1000 for update skip locked);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_drafts() is 'Step of app.tick(): removes uploads that were not finished, or whose record was not saved, within a day.';

create function app.use_storage_server(url text, secret_key text) returns void
  language sql volatile set search_path = '' as $$
  insert into app.storage_server (url, secret_key) values (rtrim(url, '/'), secret_key)
  on conflict (only_row) do update set url = excluded.url, secret_key = excluded.secret_key
$$;
comment on function app.use_storage_server(text, text) is
  'For the operator of a hosted project, once: the project''s URL and secret key, with which app.tick() removes the bytes of deleted files. Granted to nobody.';

create function app.hand_over_removals() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  server record;
  removed record;
  handed integer := 0;
begin
  select s.url, s.secret_key into server from app.storage_server s;
  if server.url is null or to_regprocedure('net.http_delete(text,jsonb,jsonb,integer,jsonb)') is null then
    return 0;
  end if;
  for removed in
    delete from app.file_removals r where r.path in (
      select x.path from app.file_removals x where x.remove_after < now() order by x.remove_after limit 100 for update skip locked)
    returning r.path
  loop
    execute 'select net.http_delete($1, $2, $3, 5000, null)'
      using server.url || '/storage/v1/object/files/' || removed.path, '{}'::jsonb,
        jsonb_build_object('apikey', server.secret_key, 'authorization', 'Bearer ' || server.secret_key);
    handed := handed + 1;
  end loop;
  return handed;
end $$;
comment on function app.hand_over_removals() is
  'Step of app.tick(): on hosted Supabase asks Storage to remove the bytes of deleted files; elsewhere does nothing, the server removes them.';

create trigger files_admit before insert or update of record_id on public.files
  for each row execute function app.admit_file();
create trigger files_immutable_tenant before update on public.files
  for each row when (old.company_id is distinct from new.company_id) execute function app.immutable_tenant();
create trigger files_released after delete on public.files
  referencing old table as old_rows for each statement execute function app.release_files();

select app.keep_files('public.devices');

select app.keep_files('public.tickets');

revoke all on app.file_store from public, anon, authenticated;
alter table app.file_store enable row level security;

revoke all on app.file_fields from public, anon, authenticated;
alter table app.file_fields enable row level security;

revoke all on app.file_use from public, anon, authenticated;
alter table app.file_use enable row level security;

revoke all on app.file_removals from public, anon, authenticated;
alter table app.file_removals enable row level security;

revoke all on app.storage_server from public, anon, authenticated;
alter table app.storage_server enable row level security;

revoke all on public.files from public, anon, authenticated;
grant select, delete,
  insert (company_id, resource, record_id, field, name, size),
  update (record_id)
  on public.files to authenticated;
grant select, insert, update, delete on public.files to service_role;
alter table public.files enable row level security;
create policy files_select_reader on public.files for select to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company())) and (
    created_by = (select app.current_user_id()) and (record_id is null or uploaded_at is null)
    or record_id is not null and uploaded_at is not null and (select app.sees_record(resource, record_id))));
create policy files_insert_uploader on public.files for insert to authenticated
  with check (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id())
    and case when record_id is null then (select app.may_draft_file(resource, field)) else (select app.edits_record(resource, record_id)) end);
create policy files_update_uploader on public.files for update to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id()) and record_id is null and field is null and uploaded_at is not null)
  with check (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id()) and record_id is not null and (select app.edits_record(resource, record_id)));

-- A file of a field goes when the record names another one.
create policy files_delete_editor on public.files for delete to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company())) and (
    created_by = (select app.current_user_id()) and (record_id is null or uploaded_at is null)
    or field is null and record_id is not null and (
      created_by = (select app.current_user_id()) and (select app.may_draft_file(resource, field)) and (select app.sees_record(resource, record_id))
      or (select app.edits_record(resource, record_id)))));
