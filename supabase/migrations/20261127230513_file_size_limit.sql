-- File size limit.

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

-- Security definer: reads the object in the bucket, and writes what nobody may.
create or replace function public.finish_file(file_id uuid) returns public.files
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
