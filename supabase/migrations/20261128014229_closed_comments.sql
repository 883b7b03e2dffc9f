-- Closed comments.

create function app.is_comment_open(settings jsonb, kind text, company uuid, record_id uuid) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  is_open boolean;
begin
  execute format('select coalesce((%s), false) from public.%I r where r.company_id = $1 and r.id = $2',
    coalesce(settings #>> array['kinds', is_comment_open.kind, 'when'], 'true'), settings ->> 'table') into is_open using company, record_id;
  return is_open;
end $$;
comment on function app.is_comment_open(jsonb, text, uuid, uuid) is
  'Whether a record takes comments of this kind, by the settings of app.commented; null for a record that the caller does not see.';
grant execute on function app.is_comment_open(jsonb, text, uuid, uuid) to authenticated, service_role;

create or replace function app.guard_comment() returns trigger
  language plpgsql set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  is_client constant boolean := current_user in ('anon', 'authenticated');
  kind jsonb;
  record_id uuid;
  is_open boolean;
  wanted uuid[];
begin
  if tg_op = 'DELETE' then
    if is_client and old.created_at <= now() - interval '15 minutes' and not app.can(settings ->> 'resource', 'delete') then
      raise exception using errcode = '42501', hint = 'comment_settled', message = 'a comment is deleted by its author within 15 minutes';
    end if;
    return old;
  end if;
  kind := coalesce(settings #> array['kinds', new.kind], '{}');
  record_id := (to_jsonb(new) ->> (settings ->> 'record'))::uuid;
  if is_client then
    if kind ? 'object' then
      perform app.require(kind ->> 'object', 'create');
    end if;
    if tg_op = 'UPDATE' and old.created_at <= now() - interval '15 minutes' then
      raise exception using errcode = '42501', hint = 'comment_settled', message = 'a comment is edited by its author within 15 minutes';
    end if;
    -- As the caller: a record of others and none at all get one answer.
    is_open := app.is_comment_open(settings, new.kind, new.company_id, record_id);
    if is_open is null then
      raise exception using errcode = 'PT404', hint = 'comment_gone', message = 'the record of the comment was not found';
    elsif not is_open then
      raise exception using errcode = '23514', hint = 'comment_closed', table = tg_table_name, schema = 'public',
        message = 'the record takes no more comments of this kind';
    end if;
  end if;
  if tg_op = 'INSERT' or new.body is distinct from old.body then
    wanted := app.mentioned_in(new.body);
    -- A stranger's name stays a word of the text.
    new.mentions := app.people_who_see(wanted, new.company_id, settings ->> 'table', record_id, kind ->> 'object');
  end if;
  return new;
end $$;
comment on function app.guard_comment() is
  'Row trigger of a table of comments: a kind with lines of its own, a record that the caller sees and that still takes comments and edits, 15 minutes '
  'to edit or delete, and mentions of those alone who may read the comment.';

-- Security definer: the record may be one that the writer does not see, and the quota is nobody's to read.
create or replace function app.admit_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rules app.file_fields%rowtype;
  store app.file_store%rowtype;
  company uuid;
  actor uuid := app.acting_user_id();
  max_mb integer;
  source app.commented%rowtype;
  is_open boolean;
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
  -- A comment takes files while its record takes comments.
  select c.* into source from app.commented c where c.comments = new.resource;
  if source.comments is not null and new.record_id is not null and not app.is_server_work() then
    execute format('select app.is_comment_open($1, c.kind, c.company_id, c.%I) from public.%I c where c.id = $2', source.settings ->> 'record', new.resource)
      into is_open using source.settings, new.record_id;
    if not is_open then
      raise exception using errcode = '23514', hint = 'comment_closed', message = 'the record takes no more comments of this kind';
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
