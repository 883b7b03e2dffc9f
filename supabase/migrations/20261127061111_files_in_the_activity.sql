-- Files in the activity.

set check_function_bodies = off;

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
      insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
      select $1, $2, $3, %1$s, r.id, app.audit_name(%2$L, to_jsonb(r)), 'edit', jsonb_build_object('attachment', jsonb_build_array($4, $5))
      from %3$s$query$,
      case when source.comments is null then quote_literal(found.resource)
        else format('coalesce(%L::jsonb #>> array[''kinds'', c.kind, ''object''], %L)', source.settings, source.comments) end,
      coalesce(source.settings ->> 'table', found.resource),
      case when source.comments is null then format('public.%I r where r.id = %L', found.resource, found.record_id)
        else format('public.%I c join public.%I r on r.company_id = c.company_id and r.id = c.%I where c.id = %L',
          source.comments, source.settings ->> 'table', source.settings ->> 'record', found.record_id) end)
      using found.company_id, actor, email,
        case when tg_op = 'DELETE' then found.label when found.field is not null then replaced end,
        case when tg_op <> 'DELETE' then found.label end;
  end loop;
  return null;
end $$;
comment on function app.log_files() is
  'Statement trigger of public.files: the activity of a record says which file was attached, replaced or removed, with its size. Packages are in '
  'the entries of their versions.';

create or replace function app.use_file() returns trigger
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

create or replace function app.keep_files(tbl regclass, fields jsonb default '{}', attachments boolean default true, object text default null,
  verbs text[] default array['create', 'edit']) returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  named record;
  audit record;
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

create trigger files_logged_insert after insert on public.files
  referencing new table as new_rows for each statement execute function app.log_files();
create trigger files_logged_update after update on public.files
  referencing old table as old_rows new table as new_rows for each statement execute function app.log_files();
create trigger files_logged_delete after delete on public.files
  referencing old table as old_rows for each statement execute function app.log_files();

-- The audit log leaves the key of the file out from now on.
select app.keep_files('public.corporate_app_files', '{"file_id": {"package": true}}', false, 'corporate_apps', array['edit']);
