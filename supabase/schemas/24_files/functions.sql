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

-- Security definer: reads app.file_fields.
create function app.may_remove_files(resource text) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (
    select 1 from app.file_fields f where f.resource = may_remove_files.resource and f.field = ''
      and (app.sees_rows(f.object, 'edit') or app.sees_rows(f.object, 'delete')));
end $$;
comment on function app.may_remove_files(text) is
  'Whether the caller may remove the files that others attached to records which the caller may edit: a line lets them edit or delete every record, and '
  'not only those of a row rule, such as the tickets that they asked for. Definer, because it reads which tables have files.';
grant execute on function app.may_remove_files(text) to authenticated, service_role;

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

-- Security definer: the settings of comments are private.
create function app.require_open_comment(resource text, record_id uuid) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  is_open boolean;
begin
  select c.* into source from app.commented c where c.comments = require_open_comment.resource;
  if source.comments is null then
    return;
  end if;
  execute format('select app.is_comment_open($1, c.kind, c.company_id, c.%I) from public.%I c where c.id = $2', source.settings ->> 'record', source.comments)
    into is_open using source.settings, record_id;
  if not is_open then
    raise exception using errcode = '23514', hint = 'comment_closed', message = 'the record takes no more comments of this kind';
  end if;
end $$;
comment on function app.require_open_comment(text, uuid) is
  'Raises 23514 for a comment whose record takes no more of its kind: it takes files only until then. Definer, because app.commented is private. Granted to nobody.';

-- Security definer: reads app.file_fields.
create function app.file_guard(resource text) returns text
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select f.guard from app.file_fields f where f.resource = file_guard.resource and f.field = '');
end $$;
comment on function app.file_guard(text) is
  'The function of the schema app that says whether the caller may change the attachments of a record now, or null. Definer, because app.file_fields is private.';
grant execute on function app.file_guard(text) to authenticated, service_role;

create function app.ask_file_guard(resource text, record_id uuid, adds boolean) returns void
  language plpgsql stable set search_path = '' as $$
declare
  guard constant text := app.file_guard(resource);
begin
  if guard is not null then
    execute format('select app.%I($1, $2)', guard) using record_id, adds;
  end if;
end $$;
comment on function app.ask_file_guard(text, uuid, boolean) is
  'Raises what the guard of a table''s attachments raises, as the caller: row-level security decides which record it sees.';
grant execute on function app.ask_file_guard(text, uuid, boolean) to authenticated, service_role;

create function app.guard_file() returns trigger
  language plpgsql set search_path = '' as $$
declare
  file constant public.files := coalesce(new, old);
begin
  -- An upload that was not finished is nobody's to read: its uploader may always drop it.
  if current_user in ('anon', 'authenticated') and file.record_id is not null and file.field is null
    and not (tg_op = 'DELETE' and file.uploaded_at is null) then
    perform app.ask_file_guard(file.resource, file.record_id, tg_op <> 'DELETE');
  end if;
  return file;
end $$;
comment on function app.guard_file() is
  'Row trigger of public.files: the attachments of a record are added and removed while the guard of its table lets the caller. '
  'Invoker on purpose: what the server and its cascades write is not asked.';

-- Security definer: the record may be one that the writer does not see, and the quota is nobody's to read.
create function app.admit_file() returns trigger
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
  if new.record_id is not null and not app.is_server_work() then
    perform app.require_open_comment(new.resource, new.record_id);
  end if;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  if new.field is not null and new.record_id is not null then
    raise exception using errcode = '22023', message = 'a field takes a draft: the record names it';
  end if;
  new.created_by := coalesce(actor, new.created_by);
  new.created_by_name := (select p.name from public.profiles p where p.id = new.created_by);
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
  max_mb := least(coalesce(rules.max_mb, max_mb), max_mb);
  if new.size > max_mb * 1048576::bigint then
    raise exception using errcode = 'check_violation', message = format('The file is larger than %s MB.', max_mb), hint = 'file_size',
      detail = jsonb_build_object('max_mb', max_mb::text)::text;
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

create function app.release_files() returns trigger
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

create function app.file_label(name text, size bigint) returns text
  language sql immutable parallel safe
  return name || ' (' || pg_catalog.pg_size_pretty(size) || ')';
comment on function app.file_label(text, bigint) is 'A file as the audit log names it: its name and its size.';

create function app.log_files() returns trigger
  language plpgsql
  -- definer: nobody may write the audit log, and the settings of comments are private
  security definer set search_path = '' as $$
declare
  replaced constant text := nullif(current_setting('app.replaced_file', true), '');
  actor constant uuid := app.acting_user_id();
  email constant text := (select p.email from public.profiles p where p.id = actor);
  actor_name constant text := (select p.name from public.profiles p where p.id = actor);
  found record;
  source app.commented%rowtype;
begin
  if app.quiet() then
    return null;
  end if;
  for found in execute format(
    'select c.company_id, c.resource, c.record_id, c.field, app.file_label(c.name, c.size) as label from %s
     where c.record_id is not null and c.uploaded_at is not null and not exists (
       select 1 from app.file_fields f where f.resource = c.resource and f.field = c.field and f.is_package)
     order by c.created_at, c.id limit 1000',
    case tg_op when 'INSERT' then 'new_rows c' when 'DELETE' then 'old_rows c'
      else 'new_rows c join old_rows o on o.id = c.id and (o.record_id is null or o.uploaded_at is null)' end)
  loop
    -- A file that was replaced is in the entry of the one that took its place.
    continue when tg_op = 'DELETE' and found.field is not null and replaced is not null;
    select c.* into source from app.commented c where c.comments = found.resource;
    -- A record that is gone took its files along; its own entry says so. A file of a comment is told with the record, to those
    -- who may read the comment.
    execute format($query$
      insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
      select $1, $2, $3, $6, %1$s, r.id, app.audit_name(%2$L, to_jsonb(r)), 'edit', jsonb_build_object('attachment', jsonb_build_array($4, $5))
      from %3$s$query$,
      case when source.comments is null then quote_literal(found.resource)
        else format('coalesce(%L::jsonb #>> array[''kinds'', c.kind, ''object''], %L)', source.settings, source.comments) end,
      coalesce(source.settings ->> 'table', found.resource),
      case when source.comments is null then format('public.%I r where r.id = %L', found.resource, found.record_id)
        else format('public.%I c join public.%I r on r.company_id = c.company_id and r.id = c.%I where c.id = %L',
          source.comments, source.settings ->> 'table', source.settings ->> 'record', found.record_id) end)
      using found.company_id, actor, email,
        case when tg_op = 'DELETE' then found.label when found.field is not null then replaced end,
        case when tg_op <> 'DELETE' then found.label end, actor_name;
  end loop;
  return null;
end $$;
comment on function app.log_files() is
  'Statement trigger of public.files: the activity of a record says which file was attached, replaced or removed, with its size. Packages are in '
  'the entries of their versions.';

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
  -- The activity of the record says in one entry which file took the place of which.
  perform set_config('app.replaced_file', coalesce((select app.file_label(f.name, f.size) from public.files f
    where taken is not null and f.company_id = new.company_id and f.id = given_up and f.record_id = new.id), ''), true);
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
  perform set_config('app.replaced_file', '', true);
  return null;
end $$;
comment on function app.use_file() is
  'Row trigger of a field that holds a file: the draft becomes the record''s, and the file that it replaces goes.';

create function app.keep_files(tbl regclass, fields jsonb default '{}', attachments boolean default true, object text default null,
  verbs text[] default array['create', 'edit'], guard text default null) returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  named record;
  audit record;
begin
  insert into app.file_fields as kept (resource, field, max_mb, accept, object, verbs, is_package, guard)
  select table_name, '', null, null, coalesce(object, table_name), verbs, false, guard where attachments
  union all
  select table_name, f.key, (f.value ->> 'max_mb')::integer,
    (select array_agg(a.family) from jsonb_array_elements_text(f.value -> 'accept') as a (family)), coalesce(object, table_name), verbs,
    coalesce((f.value ->> 'package')::boolean, false), null
  from jsonb_each(fields) as f
  on conflict (resource, field) do update set max_mb = excluded.max_mb, accept = excluded.accept, object = excluded.object, verbs = excluded.verbs,
    is_package = excluded.is_package, guard = coalesce(excluded.guard, kept.guard);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows for each statement execute function app.forget_files()',
    table_name || '_files_gone', tbl);
  for named in select f.key as field from jsonb_each(fields) as f loop
    execute format('create or replace trigger %I after insert or update of %I on %s for each row execute function app.use_file(%L)',
      table_name || '_file_' || named.field, named.field, tbl, named.field);
    -- app.log_files() says it by name: the key of a file that is gone tells a reader nothing.
    for audit in
      select t.tgname, pg_catalog.pg_get_triggerdef(t.oid) as text, t.tgnargs from pg_catalog.pg_trigger t
      where t.tgrelid = tbl and t.tgfoid = 'app.audit()'::regprocedure
        and named.field <> all (string_to_array(encode(t.tgargs, 'escape'), '\000'))
    loop
      execute format('drop trigger %I on %s', audit.tgname, tbl);
      execute left(audit.text, -1) || format(case when audit.tgnargs = 0 then '''id'', %L)' else ', %L)' end, named.field);
    end loop;
  end loop;
end $$;
comment on function app.keep_files(regclass, jsonb, boolean, text, text[], text) is
  'For migrations: gives a table files. fields are its file fields with {"max_mb", "accept", "package"}, attachments whether a record has further ones; '
  'object and verbs say which permission an upload before the record is saved needs, the table''s create or edit by default; guard names a function '
  'app.<guard>(record uuid, adds boolean) that raises where the caller may not add or remove attachments of a record now, as its own triggers refuse a change '
  'of the record. A second call adds fields and keeps the guard.';

-- Security definer: reads the object in the bucket, and writes what nobody may.
create function app.end_upload(file_id uuid) returns public.files
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
  -- The record may have gone to the trash while the bytes were on their way.
  if file.id is null or app.file_in_trash(file.resource, file.record_id) then
    raise exception using errcode = 'PT404', message = 'no such upload', hint = 'file_gone';
  end if;
  if file.record_id is not null then
    perform app.require_open_comment(file.resource, file.record_id);
  end if;
  select o.metadata into object from storage.objects o where o.bucket_id = 'files' and o.name = file.path;
  if object is null then
    raise exception using errcode = 'check_violation', message = 'The upload has not arrived.', hint = 'file_unfinished';
  end if;
  if (object ->> 'size')::bigint is distinct from file.size then
    raise exception using errcode = 'check_violation', message = 'The file is not as large as was announced.', hint = 'file_changed';
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
comment on function app.end_upload(uuid) is
  'Ends an upload of the caller: the object in the bucket must have the announced size, and a type that the field takes. Nothing is written to its path '
  'afterwards. Called by public.finish_file(), which has asked for the record.';
grant execute on function app.end_upload(uuid) to authenticated;

-- Runs as the caller: the record may have been closed, or given to somebody else, while the bytes were on their way.
create function public.finish_file(file_id uuid) returns public.files
  language plpgsql volatile set search_path = '' as $$
declare
  file public.files%rowtype;
begin
  select f.* into file from public.files f where f.id = file_id and f.created_by = app.current_user_id() and f.uploaded_at is null;
  if file.id is null or not (case when file.record_id is null then app.may_draft_file(file.resource, file.field)
      else app.edits_record(file.resource, file.record_id) end) then
    raise exception using errcode = 'PT404', message = 'no such upload', hint = 'file_gone';
  end if;
  if file.record_id is not null and file.field is null then
    perform app.ask_file_guard(file.resource, file.record_id, true);
  end if;
  return app.end_upload(file_id);
end $$;
comment on function public.finish_file(uuid) is
  'Ends an upload of the caller, who may still add it: PT404 where they no longer may, and otherwise what the announcement would be answered now.';
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

create function public.comment_files(resource text, record_id uuid) returns setof public.files
  language plpgsql stable set search_path = '' rows 20 as $$
declare
  settings constant jsonb := app.comment_settings(comment_files.resource);
begin
  if settings is null then
    return;
  end if;
  -- As the caller: a comment that they may not read brings no file.
  return query execute format('select f.* from public.%1$I c join public.files f on f.resource = %1$L and f.record_id = c.id '
    || 'where c.%2$I = $1 and f.field is null and f.uploaded_at is not null order by f.created_at, f.id limit 2000',
    settings ->> 'comments', settings ->> 'record') using comment_files.record_id;
end $$;
comment on function public.comment_files(text, uuid) is
  'The files of the comments of one record, those that the caller may read, the oldest first. Runs as the caller.';
grant execute on function public.comment_files(text, uuid) to authenticated;

-- Security definer: nobody may send on a topic.
create function app.tell_comment_files() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  told record;
begin
  for source in select c.* from app.commented c where c.comments in (select n.resource from new_rows n) loop
    for told in execute format('select distinct c.id, c.%1$I as record_id, c.kind from new_rows n join public.%2$I c on c.id = n.record_id '
      || 'where n.resource = %2$L and n.record_id is not null', source.settings ->> 'record', source.comments)
    loop
      perform app.send_live('record:' || (source.settings ->> 'resource') || ':' || told.record_id
          || case when source.settings #> array['kinds', told.kind] ? 'object' then ':' || told.kind else '' end,
        jsonb_build_object('table', source.comments, 'op', 'update', 'ids', jsonb_build_array(told.id)));
    end loop;
  end loop;
  return null;
end $$;
comment on function app.tell_comment_files() is
  'Statement trigger of public.files: those who read a comment hear that files were attached to it. Definer, because nobody may send on a topic.';

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
