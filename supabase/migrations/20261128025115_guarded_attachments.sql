-- Guarded attachments.

drop function app.keep_files(regclass, jsonb, bool, text, text[]);

alter table app.file_fields add column guard text check (guard ~ '^[a-z][a-z0-9_]{0,62}$');
comment on table app.file_fields is
  'Which tables have files, in which fields, and what these take: app.keep_files() writes it. A draft needs one of verbs on object; guard names the function of the schema app that holds the attachments of a record.';
comment on function app.has_approval(uuid) is
  'Whether a ticket waits for an approval or has one. For app.guard_ticket() and app.guard_ticket_files(), which know the ticket; definer, because a requester reads no approvals.';

-- Runs as the caller: row-level security answers for a ticket that they do not see.
create function app.guard_ticket_files(ticket uuid) returns void
  language plpgsql stable set search_path = '' as $$
declare
  found public.tickets%rowtype;
begin
  select t.* into found from public.tickets t where t.id = ticket;
  if found.id is null or app.tickets_covers(found, 'assign') then
    return;
  end if;
  if found.status = 'closed' then
    raise exception using errcode = '42501', hint = 'ticket_closed', message = 'a closed ticket takes and loses no files';
  end if;
  if app.has_approval(ticket) then
    raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
  end if;
end $$;
comment on function app.guard_ticket_files(uuid) is
  'For app.keep_files(): without the permission to assign tickets a person adds and removes attachments as app.guard_ticket() lets them write the ticket.';
grant execute on function app.guard_ticket_files(uuid) to authenticated;

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

create function app.ask_file_guard(resource text, record_id uuid) returns void
  language plpgsql stable set search_path = '' as $$
declare
  guard constant text := app.file_guard(resource);
begin
  if guard is not null then
    execute format('select app.%I($1)', guard) using record_id;
  end if;
end $$;
comment on function app.ask_file_guard(text, uuid) is
  'Raises what the guard of a table''s attachments raises, as the caller: row-level security decides which record it sees.';
grant execute on function app.ask_file_guard(text, uuid) to authenticated, service_role;

create function app.guard_file() returns trigger
  language plpgsql set search_path = '' as $$
declare
  file constant public.files := coalesce(new, old);
begin
  -- An upload that was not finished is nobody's to read: its uploader may always drop it.
  if current_user in ('anon', 'authenticated') and file.record_id is not null and file.field is null
    and not (tg_op = 'DELETE' and file.uploaded_at is null) then
    perform app.ask_file_guard(file.resource, file.record_id);
  end if;
  return file;
end $$;
comment on function app.guard_file() is
  'Row trigger of public.files: the attachments of a record are added and removed while the guard of its table lets the caller. '
  'Invoker on purpose: what the server and its cascades write is not asked.';

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
  'app.<guard>(record uuid) that raises where the caller may not change the attachments of a record now, as its own triggers refuse a change of the '
  'record. A second call adds fields and keeps the guard.';

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
create or replace function public.finish_file(file_id uuid) returns public.files
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
    perform app.ask_file_guard(file.resource, file.record_id);
  end if;
  return app.end_upload(file_id);
end $$;
comment on function public.finish_file(uuid) is
  'Ends an upload of the caller, who may still add it: PT404 where they no longer may, and otherwise what the announcement would be answered now.';

-- After files_admit, which refuses another company.
create trigger files_guard before insert or update of record_id or delete on public.files
  for each row execute function app.guard_file();
