-- Attacked desk.

set check_function_bodies = off;

drop policy files_delete_editor on public.files;

alter table public.audit_log add column actor_name text;
comment on column public.audit_log.actor_name is 'The name of the actor when it was changed.';
comment on column public.audit_log.actor_email is
  'The address of the actor, which outlives the account. For the operator: whoever reads the log reads names, because addresses are for those who see users.';

alter table app.inbound_raw add column waits_for uuid;
comment on column app.inbound_raw.waits_for is 'The ticket in the trash that the mail answers: the mail is not approved before that ticket is restored or deleted for good.';

create or replace function app.audit() returns trigger
  language plpgsql security definer set search_path = ''
  -- Forces a hash join of old and new records: the planner cannot estimate how many there are.
  set enable_nestloop = off
  -- A join of two single rows looks so expensive that PostgreSQL compiles it: 48 ms for each run that is queued.
  set jit = off as $$
declare
  key_column text := coalesce(tg_argv[0], 'id');
  ignored text[] := array['version', 'created_at', 'updated_at', 'search', 'name_key', 'deleted_at', 'deleted_by', 'deleted_name'] || coalesce(tg_argv[1:], '{}');
  actor uuid := app.acting_user_id();
  email text;
  actor_name text;
begin
  if app.quiet() then
    return null;
  end if;
  if actor is not null then
    select p.email, p.name into email, actor_name from public.profiles p where p.id = actor;
  end if;
  if tg_op = 'INSERT' then
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, actor_name, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'create',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(null, app.audit_value(f.key, f.value)))
         from jsonb_each(r.after) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(n) as after from new_rows n offset 0) r;
  elsif tg_op = 'DELETE' then
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.before), actor, email, actor_name, tg_table_name, (r.before ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.before), 'delete',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, f.value), null))
         from jsonb_each(r.before) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(o) as before from old_rows o offset 0) r;
  else
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, actor_name, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), r.action, coalesce(r.changes, '{}')
    from (
      -- The mark of the trash is an act of its own and no change of a field.
      select n.doc as after, case when (n.doc ->> 'deleted_at') is not distinct from (o.doc ->> 'deleted_at') then 'edit'
        when n.doc ->> 'deleted_at' is null then 'restore' else 'trash' end as action, (
        select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, o.doc -> f.key), app.audit_value(f.key, f.value)))
        from jsonb_each(n.doc) f
        where f.key <> all (ignored) and f.value is distinct from o.doc -> f.key
      ) as changes
      -- offset 0: each record becomes JSON once, not once a comparison.
      from (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from new_rows x offset 0) n
      join (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from old_rows x offset 0) o on o.key = n.key
      where o.doc - ignored <> n.doc - ignored or (n.doc ->> 'deleted_at') is distinct from (o.doc ->> 'deleted_at')
    ) r
    where r.changes is not null or r.action <> 'edit';
  end if;
  return null;
end $$;

create or replace function app.keep_tenant(tbl regclass, resource text default null, counted text[] default '{}') returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  arguments text := (select coalesce(string_agg(quote_literal(c.name), ', '), '') from unnest(counted) as c (name));
begin
  if app.has_column(tbl, 'version', 'integer') and app.has_column(tbl, 'updated_at') then
    execute format('create trigger %I before update on %s for each row execute function app.touch(%s)',
      table_name || '_touch', tbl, arguments);
  elsif app.has_column(tbl, 'updated_at') then
    execute format('create trigger %I before update on %s for each row execute function app.touch_time()',
      table_name || '_touch', tbl);
  end if;
  if app.has_column(tbl, 'company_id') then
    execute format('create trigger %I before update on %s for each row when (old.company_id is distinct from new.company_id) '
      || 'execute function app.immutable_tenant()', table_name || '_immutable_tenant', tbl);
  end if;
  execute format('create trigger %I before insert or update or delete on %s for each statement execute function app.require_permission(%s)',
    table_name || '_permission', tbl, coalesce(quote_literal(resource), ''));
  perform app.keep_short_texts(tbl);
end $$;
comment on function app.keep_tenant(regclass, text, text[]) is
  'For migrations, once a table: version and updated_at, an unchangeable company_id, short texts on one line, and the statement '
  'trigger that answers a denied write with 42501. resource names the policy object where it is not the table.';

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A joiner stays between two pictures, where it makes one of them. Looking around is slow, and few texts hold one.
    case when pg_catalog.strpos(value, U&'\200D') = 0 then value else pg_catalog.regexp_replace(value,
      '(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])', '', 'g') end,
    '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g'), '[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g')), most);
grant execute on function app.clean_text(text, integer) to anon, authenticated, service_role;
grant execute on function app.hidden_character(text) to anon, authenticated, service_role;

create function app.unclean_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  select case when value !~ '[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F\u0391-\u03CE\u0400-\u045F]' then null else coalesce(
    app.hidden_character(' ' || regexp_replace(value, '([\u0600-\u06FF\u0750-\u077F\u08A0-\u08FF\u0900-\u0DFF])[\u200C\u200D]', '\1', 'g')),
    case substring(value from '[\t\n\r]') when E'\t' then 'U+0009' when E'\n' then 'U+000A' when E'\r' then 'U+000D' end) end
$$;
comment on function app.unclean_character(text) is
  'The first character of a short text that app.hidden_character() names, or its first tab or line break, as U+000A; null for none. Persian, Urdu and '
  'the scripts of India are written with joiners between letters, which are none.';
grant execute on function app.unclean_character(text) to anon, authenticated, service_role;

create function app.clean_line(value text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  cleaned text := value;
  unclean text := app.unclean_character(value);
begin
  if unclean is not null then
    cleaned := app.clean_text(value, length(value));
    loop
      unclean := app.unclean_character(cleaned);
      exit when unclean is null;
      cleaned := btrim(replace(cleaned, chr(('x' || lpad(substr(unclean, 3), 8, '0'))::bit(32)::integer), ''));
    end loop;
  end if;
  return cleaned;
end $$;
comment on function app.clean_line(text) is
  'A short text of a file or a machine on one line, without what app.unclean_character() names; a clean text as it is.';
grant execute on function app.clean_line(text) to anon, authenticated, service_role;

create function app.refuse_unclean_line(field text, value text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  unclean constant text := app.unclean_character(value);
begin
  if unclean is not null then
    raise exception using errcode = '23514', hint = 'unclean_line', column = field,
      message = format('column "%s" takes one line of text without hidden characters (%s)', field, unclean),
      detail = jsonb_build_object('character', unclean)::text;
  end if;
end $$;
comment on function app.refuse_unclean_line(text, text) is
  'Raises 23514 (hint unclean_line; the detail has the character) for a short text with app.unclean_character().';
grant execute on function app.refuse_unclean_line(text, text) to anon, authenticated, service_role;

create function app.short_texts(tbl regclass) returns text[]
  language sql stable set search_path = '' as $$
  select array_agg(a.attname::text order by a.attnum) from pg_catalog.pg_attribute a
  join pg_catalog.pg_attribute k on k.attrelid = a.attrelid and k.attname = a.attname || '_key' and k.attgenerated = 's' and not k.attisdropped
  join pg_catalog.pg_attrdef d on d.adrelid = k.attrelid and d.adnum = k.attnum
  where a.attrelid = tbl and a.atttypid = 'text'::regtype and not a.attisdropped
    and pg_catalog.pg_get_expr(d.adbin, d.adrelid) = format('app.sort_key(%I)', a.attname)
$$;
comment on function app.short_texts(regclass) is
  'The texts of a table that its lists sort by, and that are therefore one line: <text>_key is app.sort_key() of the whole text. Null for none.';
grant execute on function app.short_texts(regclass) to authenticated, service_role;

-- Invoker: a definer would not know the role of the API.
create function app.guard_short_texts() returns trigger
  language plpgsql set search_path = '' as $$
declare
  is_person constant boolean := current_user in ('anon', 'authenticated');
  row_now jsonb;
  field text;
begin
  -- Counters and states, which the server writes, are no texts.
  if tg_op = 'UPDATE' and not is_person then
    return new;
  end if;
  row_now := to_jsonb(new);
  for field in select k from jsonb_object_keys(row_now) k where row_now ? (k || '_key') or k = any (tg_argv) loop
    continue when app.unclean_character(row_now ->> field) is null;
    continue when tg_op = 'UPDATE' and row_now -> field is not distinct from to_jsonb(old) -> field;
    continue when field <> all (tg_argv || coalesce(app.short_texts(tg_relid), '{}'));
    -- People are told. The server, and functions that write what a device or a mail has sent, clean it.
    if is_person then
      perform app.refuse_unclean_line(field, row_now ->> field);
    end if;
    new := jsonb_populate_record(new, jsonb_build_object(field, app.clean_line(row_now ->> field)));
  end loop;
  return new;
end $$;
comment on function app.guard_short_texts() is
  'Row trigger: the texts that lists sort by, and the columns that are its arguments, are one line without hidden characters. Text of people is '
  'refused, that of new rows of machines is cleaned.';

create function app.keep_short_texts(tbl regclass, also text[] default '{}') returns void
  language plpgsql set search_path = '' as $$
begin
  if app.short_texts(tbl) is not null or also <> '{}' then
    -- The trigger has no list of columns: a column on such a list could not be dropped.
    execute format('create or replace trigger %I before insert or update on %s for each row execute function app.guard_short_texts(%s)',
      (select c.relname from pg_catalog.pg_class c where c.oid = tbl) || '_short_texts', tbl,
      (select coalesce(string_agg(quote_literal(c.name), ', '), '') from unnest(also) as c (name)));
  end if;
end $$;
comment on function app.keep_short_texts(regclass, text[]) is
  'For migrations: the texts that lists of a table sort by, and these columns, hold one line without hidden characters. app.keep_tenant() calls it; '
  'call it again when a table without such a text is given one.';

create or replace function app.keep_hidden(tbl regclass, field text, object text, verb text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  kind regtype;
  shape text;
  mark text;
  rule record;
begin
  select a.atttypid, pg_catalog.format_type(a.atttypid, a.atttypmod) into kind, shape
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped and not a.attnotnull;
  mark := app.hidden_mark(kind);
  if mark is null or length(side) > 63 then
    raise exception using errcode = '22023', message = format('%I of %s cannot be hidden', field, tbl);
  end if;
  -- A field that was renamed has its values there already.
  if to_regclass(format('public.%I', side)) is null then
    execute format('create table public.%1$I (company_id uuid not null references public.companies (id), id uuid primary key, %2$I %3$s, '
      'unique (company_id, id), foreign key (company_id, id) references %4$s (company_id, id) on delete cascade deferrable initially deferred)',
      side, field, shape, tbl);
    execute format('comment on table public.%I is %L', side,
      format('The values of %s.%s, for who may %s %s. Written by the trigger of that column.', name, field, verb, object));
    -- The rules of the value go with it.
    for rule in
      select k.conname, pg_catalog.pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
      where k.conrelid = tbl and k.contype = 'c' and k.conkey = array[(select a.attnum from pg_catalog.pg_attribute a
        where a.attrelid = tbl and a.attname = field)]
    loop
      execute format('alter table %s drop constraint %I', tbl, rule.conname);
      execute format('alter table public.%I add constraint %I %s', side, rule.conname, rule.text);
    end loop;
    execute format('insert into public.%1$I (company_id, id, %2$I) select t.company_id, t.id, t.%2$I from %3$s t where t.%2$I is not null',
      side, field, tbl);
    -- The deferred key of the moved rows is checked now: a table with pending checks cannot be altered.
    set constraints all immediate;
    execute format('alter table %s alter column %I set default %L', tbl, field, mark);
    -- The log of the value moves too.
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, action, changes, at, row_name)
      select l.company_id, l.actor_id, l.actor_email, l.actor_name, side, l.row_id, l.action, jsonb_build_object(field, l.changes -> field), l.at, l.row_name
      from public.audit_log l where l.table_name = name and l.changes ? field;
    update public.audit_log l set changes = l.changes - field where l.table_name = name and l.changes ? field;
    -- Neither the version nor the time of a record changes because its value has moved.
    execute format('alter table %s disable trigger user', tbl);
    execute format('update %1$s t set %2$I = %3$L where t.%2$I is distinct from %3$L', tbl, field, mark);
    execute format('alter table %s enable trigger user', tbl);
  end if;
  for rule in
    select t.tgname, pg_catalog.pg_get_triggerdef(t.oid) as text from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgfoid = 'app.audit()'::regprocedure
      and field <> all (string_to_array(encode(t.tgargs, 'escape'), '\000'))
  loop
    execute format('drop trigger %I on %s', rule.tgname, tbl);
    execute left(rule.text, -1) || format(', %L)', field);
  end loop;
  -- The name sorts it behind the other triggers, which count the change and see what was written.
  execute format('create trigger %I before insert or update of %I on %s for each row execute function app.hide_value(%L, %L, %L, %L)',
    name || '_zz_hide_' || field, field, tbl, field, object, verb, mark);
  execute format('revoke all on public.%I from public, anon, authenticated', side);
  execute format('grant select on public.%I to authenticated', side);
  execute format('grant select, insert, update, delete on public.%I to service_role', side);
  execute format('alter table public.%I enable row level security', side);
  execute format('create policy %I on public.%I for select to authenticated using ((select app.reads_hidden(%L, %L)) '
    'and ((select app.sees_all()) or company_id = (select app.own_company())) '
    'and exists (select 1 from %s r where r.id = %I.id))', side || '_select_member', side, object, verb, tbl, side);
  perform app.keep_audit(format('public.%I', side)::regclass, 'id', array['id', 'company_id']);
  perform app.show_hidden(tbl, field);
end $$;

create or replace function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin belongs to no company.
  company uuid := case when new.role = 'Super Admin' then null else coalesce(new.company_id, app.own_company()) end;
  saved public.users%rowtype;
begin
  perform app.acting_user_id();
  if tg_op = 'INSERT' or new.name is distinct from old.name then
    perform app.refuse_unclean_line('name', new.name);
  end if;
  if length(btrim(coalesce(new.name, ''))) not between 2 and 100 then
    raise exception using errcode = '23514', constraint = 'users_name_check',
      message = 'new row for view "users" violates check constraint "users_name_check": a name has 2 to 100 characters';
  end if;
  if tg_op = 'INSERT' then
    begin
      new.id := app.create_auth_user(new.email, app.new_secret(), new.name);
    exception
      when unique_violation then
        raise exception using errcode = '23505', constraint = 'profiles_email_idx',
          message = 'this address has an account', detail = format('Key (email)=(%s) already exists.', lower(btrim(new.email)));
      when invalid_parameter_value then
        raise exception using errcode = '23514', constraint = 'users_email_check',
          message = 'new row for view "users" violates check constraint "users_email_check": not an e-mail address';
    end;
    insert into public.user_roles (user_id, role, company_id, invited_at) values (new.id, new.role, company, now());
    perform app.queue_mail('invitation', new.email);
  else
    perform app.require_reach(array[old.id]);
    if old.role = any (app.admin_roles()) and (new.role <> old.role or company is distinct from old.company_id) then
      perform app.lock_admins(old.company_id);
      -- The wait may have been long: the caller may have signed out or lost the role during it.
      perform app.require('users', 'edit');
      perform app.require_reach(array[old.id]);
    end if;
    -- Behind a view no row is locked: the version says whether it is still the row that was read.
    update public.user_roles r set role = new.role, company_id = company where r.user_id = old.id and r.version = old.version;
    if not found then
      return null;
    end if;
    update public.profiles p set name = btrim(new.name) where p.id = old.id and p.name is distinct from btrim(new.name);
  end if;
  select u.* into saved from public.users u where u.id = new.id;
  if found then
    return saved;
  end if;
  -- Whoever gave up the own role sees nobody any more.
  return new;
end $$;

create or replace function public.device_timeline(
  device_id uuid, kinds text[] default null, before timestamptz default null, before_id uuid default null
) returns table (
  id uuid, at timestamptz, kind text, title text, status text, actor text, record_id uuid, action text, changes jsonb
)
  language sql stable security invoker set search_path = '' rows 50 as $$
  with device as (
    -- Materialized: the company becomes a value, and each branch an index scan.
    select d.company_id as company, d.id from public.devices d where d.id = device_timeline.device_id
  ),
  edge as (
    select coalesce(device_timeline.before, 'infinity'::timestamptz) as at,
      coalesce(device_timeline.before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) as id
  )
  select e.* from device, edge, lateral (
    (select r.id, r.queued_at, case when j.by_policy then 'policy' else 'run' end, j.name, r.status, j.actor, r.id, null::text,
       case when j.by_policy then (
         select jsonb_build_object('count', count(*), 'titles', coalesce(jsonb_agg(u.title order by u.title) filter (where u.place <= 2), '[]'))
         from (select x.title, row_number() over (order by x.title) as place
           from public.device_patches dp join public.patches x on x.company_id = dp.company_id and x.id = dp.patch_id
           where dp.company_id = device.company and dp.run_id = r.id) u) end
     from public.job_runs r
     join lateral (
       select k.name, p.name as actor,
         k.kind = 'task' and k.created_by is null and k.script like '%"install_patches"%' and r.automation_run_id is null as by_policy
       from public.jobs k left join public.people p on p.id = k.created_by
       where k.company_id = r.company_id and k.id = r.job_id) j on true
     where r.company_id = device.company and r.device_id = device.id and (r.queued_at, r.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'run' = any (device_timeline.kinds))
     order by r.queued_at desc, r.id desc limit 50)
    union all
    (select a.id, a.opened_at, 'alert', a.message, a.status, null, a.id, null, null
     from public.alerts a
     where a.company_id = device.company and a.device_id = device.id and (a.opened_at, a.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'alert' = any (device_timeline.kinds))
     order by a.opened_at desc, a.id desc limit 50)
    union all
    (select t.id, t.created_at, 'ticket', t.subject, t.status, t.requester_name, t.id, null, null
     from public.tickets t
     where t.company_id = device.company and t.device_id = device.id and (t.created_at, t.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'ticket' = any (device_timeline.kinds))
     order by t.created_at desc, t.id desc limit 50)
    union all
    (select dp.id, dp.installed_at, 'patch', u.title, dp.status, null, dp.id, null, null
     from public.device_patches dp
     join public.patches u on u.company_id = dp.company_id and u.id = dp.patch_id
     where dp.company_id = device.company and dp.device_id = device.id and dp.installed_at is not null
       and (dp.installed_at, dp.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'patch' = any (device_timeline.kinds))
     order by dp.installed_at desc, dp.id desc limit 50)
    union all
    -- The device's own rows, and its tags, which are kept under its id.
    (select c.id, c.at, case c.table_name when 'devices' then 'change' else 'tag' end,
       case when c.table_name <> 'devices' then coalesce(g.name, c.row_name) end, null,
       coalesce(p.name, c.actor_name), g.id, c.action, c.changes
     from public.audit_log c
     left join public.people p on p.id = c.actor_id
     left join public.tags g on c.table_name = 'device_tags' and g.company_id = c.company_id
       and g.id = coalesce(c.changes -> 'tag_id' ->> 1, c.changes -> 'tag_id' ->> 0)::uuid
     where c.row_id = device.id and c.table_name in ('devices', 'device_tags') and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- Links to groups and exceptions for this device, which are kept under the other record's id.
    (select c.id, c.at, case c.table_name when 'group_devices' then 'group' else 'exception' end, coalesce(g.name, c.row_name), null,
       coalesce(p.name, c.actor_name), case when c.table_name = 'group_devices' then g.id when x.id is not null then c.row_id end, c.action, c.changes
     from public.audit_log c
     left join public.people p on p.id = c.actor_id
     left join public.groups g on c.table_name = 'group_devices' and g.company_id = c.company_id and g.id = c.row_id
     left join public.patch_exceptions x on c.table_name = 'patch_exceptions' and x.company_id = c.company_id and x.id = c.row_id
     where c.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- A changed exception: its row has only what changed.
    (select c.id, c.at, 'exception', c.row_name, null, coalesce(p.name, c.actor_name), c.row_id, c.action, c.changes
     from public.patch_exceptions x
     join public.audit_log c on c.row_id = x.id and c.table_name = 'patch_exceptions' and c.action = 'edit' and c.device_id is null
     left join public.people p on p.id = c.actor_id
     where x.company_id = device.company and x.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    (select c.id, c.changed_at, 'software', s.name || coalesce(' ' || nullif(coalesce(c.new_version, c.previous_version), ''), ''), c.change,
       null, c.software_id, null, null
     from public.software_changes c
     join public.software s on s.company_id = c.company_id and s.id = c.software_id
     where c.company_id = device.company and c.device_id = device.id and (c.changed_at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'software' = any (device_timeline.kinds))
     order by c.changed_at desc, c.id desc limit 50)
  ) e (id, at, kind, title, status, actor, record_id, action, changes)
  order by e.at desc, e.id desc
  limit 50
$$;

-- Security definer: nobody may write versions, and the checksum is in the row of the object.
create or replace function public.add_package_version(corporate_app_id uuid, package_version text, file_id uuid, make_current boolean default true) returns uuid
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
  perform app.refuse_unclean_line('package_version', wanted);
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

create function app.import_clean(vals jsonb[], short_texts text[]) returns jsonb[]
  language sql immutable set search_path = '' as $$
  select case when short_texts is null then vals else coalesce(array_agg(s.v || coalesce((
    select jsonb_object_agg(k.name, app.clean_line(s.v ->> k.name)) from unnest(short_texts) as k (name)
    where jsonb_typeof(s.v -> k.name) = 'string' and app.unclean_character(s.v ->> k.name) is not null), '{}') order by s.n), '{}') end
  from unnest(vals) with ordinality as s (v, n)
$$;
comment on function app.import_clean(jsonb[], text[]) is 'The values of imported rows, these short texts on one line without hidden characters.';
grant execute on function app.import_clean(jsonb[], text[]) to authenticated;

create or replace function public.import_rows(
  resource text, rows jsonb, company uuid default null, keys text[] default '{}', lookups jsonb default '{}',
  mode text default 'upsert', dry_run boolean default true
) returns jsonb
  language plpgsql set search_path = '' set statement_timeout = '60s' set jit = off as $$
declare
  own regclass := app.filter_table(resource);
  -- Time in which to look for errors: whoever is told of some can mend those first.
  until timestamptz := clock_timestamp() + interval '15 seconds';
  known_by text[] := coalesce(keys, '{}');
  named_by jsonb := coalesce(lookups, '{}');
  vals jsonb[];
  lines integer[];
  used text[];
  good integer[];
  good_vals jsonb[];
  may record;
  bad record;
  plan record;
  writing record;
  entry record;
  problems jsonb := '[]';
  statements text[];
  statement text;
  chosen record;
  inserted integer := 0;
  updated integer := 0;
  same integer := 0;
begin
  perform app.require(resource, 'import'), app.import_check(rows, known_by, named_by, mode);
  select coalesce(array_agg(e.item -> 'values' order by e.n), '{}'), coalesce(array_agg((e.item ->> 'line')::integer order by e.n), '{}')
  into vals, lines from jsonb_array_elements(rows) with ordinality as e (item, n);
  -- A file brings hidden characters that nobody has typed: they are left out, and the row is written.
  vals := app.import_clean(vals, app.short_texts(own));
  used := array(select k.name from unnest(vals) as s (v), jsonb_object_keys(s.v) as k (name)
                union select unnest(known_by) union select jsonb_object_keys(named_by));
  may := app.import_columns(resource, known_by, used);
  if may.is_tenant <> (company is not null) then
    raise exception using errcode = '22023', message = format(
      case when may.is_tenant then 'name the company whose %s these are' else '%s belong to no company' end, resource);
  end if;
  if not company = any (app.visible_company_ids()) then
    -- The answer is the same for a company that is another's and for one that is not there.
    raise exception using errcode = '42501', message = 'permission denied: not your company', hint = 'role';
  end if;
  -- Two imports at once would both find a key missing, and both add it.
  perform pg_advisory_xact_lock(hashtextextended(format('import %s %s', own, company), 0));

  for entry in select l.key as col, l.value #>> '{}' as by_col from jsonb_each(named_by) as l loop
    select x.vals, x.problems into vals, problems
    from app.import_look_up(own, company, entry.col, entry.by_col, vals, problems) as x;
  end loop;
  bad := app.import_find_bad(own, vals, used, until);
  problems := problems || bad.problems;
  if not bad.more and cardinality(known_by) > 0 then
    problems := problems || app.import_find_keys(own, vals, known_by, problems);
  end if;
  if bad.more or jsonb_array_length(problems) > 200 or cardinality(vals) = 0 then
    return app.import_report(problems, lines, 0, 0, 0, not dry_run and problems = '[]');
  end if;

  -- A row that has a problem already is not written, but the others are tried: a person mends a file once, not once a kind of fault.
  select coalesce(array_agg(s.v order by s.at), '{}'), coalesce(array_agg(s.at order by s.at), '{}') into good_vals, good
  from unnest(vals) with ordinality as s (v, at)
  where s.at <> all (array(select (p.problem ->> 'at')::integer from jsonb_array_elements(problems) as p (problem)));
  plan := app.import_match(own, company, good_vals, known_by, may.insertable, may.updatable, used, mode);
  problems := problems || coalesce((
    select jsonb_agg(jsonb_build_object('at', k.at, 'code', case when k.kind = 'denied' then '42501' else '22023' end,
      'column', case when k.kind = 'denied' then k.col when cardinality(known_by) = 1 then known_by[1] end,
      'hint', case when k.kind = 'denied' then 'role' else k.kind end, 'details', left(k.shown, 200),
      'message', case k.kind when 'denied' then 'permission denied: this field cannot be written'
        when 'ambiguous_key' then 'more than one row has this key' when 'key_exists' then 'a row has this key already'
        else 'no row has this key' end))
    from unnest(plan.kinds, plan.columns, plan.shown, good) as k (kind, col, shown, at)
    where k.kind not in ('insert', 'update', 'same')), '[]');
  select coalesce(array_agg(k.v order by k.at), '{}') as vals, coalesce(array_agg(k.target order by k.at), '{}') as targets,
    coalesce(array_agg(k.at order by k.at), '{}') as places, count(*) filter (where k.kind = 'insert') as inserts,
    count(*) filter (where k.kind = 'update') as updates
  into chosen from unnest(plan.kinds, plan.targets, good, good_vals) as k (kind, target, at, v) where k.kind in ('insert', 'update');
  same := (select count(*) from unnest(plan.kinds) as k (kind) where k.kind = 'same');
  writing := app.import_statements(own, company, may.writes_company, may.insertable, may.updatable);
  statements := case when chosen.inserts > 0 then array[writing.inserting] else '{}' end
    || case when chosen.updates > 0 then array[writing.updating] else '{}' end;
  begin
    -- The statements match no row and only ask whether the caller may at all: a refusal here is one for the whole file.
    foreach statement in array statements loop
      execute statement using company, '{}'::jsonb[], '{}'::uuid[];
    end loop;
    if cardinality(statements) > 0 then
      problems := problems || app.import_halve(statements, own, company, chosen.vals, chosen.targets, chosen.places, null,
        201 - jsonb_array_length(problems), until);
    end if;
    if coalesce(dry_run, true) or problems <> '[]' then
      raise exception using errcode = 'KUNDO';
    end if;
  exception when sqlstate 'KUNDO' then
    -- Rows, audit log and live messages: as if it had never been.
    null;
  end;
  select chosen.inserts - count(*) filter (where plan.kinds[array_position(good, f.at)] = 'insert'),
    chosen.updates - count(*) filter (where plan.kinds[array_position(good, f.at)] = 'update')
  into inserted, updated
  from (select distinct (p.problem ->> 'at')::integer as at from jsonb_array_elements(problems) as p (problem)) f;
  return app.import_report(problems, lines, inserted, updated, same, not coalesce(dry_run, true) and problems = '[]');
end $$;

create or replace function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  -- The address of the actor is nobody's to read.
  select a.id, a.company_id, a.actor_id, null::text, a.table_name, a.row_id, a.action, a.changes, a.at, a.row_name, a.device_id, a.actor_name
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- A record of the console may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles']
      else array[record_activity.resource]
        -- Hidden fields and comments are kept, and logged, under names of their own.
        || array(select c.relname::text from pg_catalog.pg_class c
          where c.relnamespace = 'public'::regnamespace and starts_with(c.relname::text, record_activity.resource || '_hidden_'))
        || (select case when c.settings is null then '{}'::text[] else c.settings ->> 'comments' || array(
            select k.value ->> 'object' from jsonb_each(c.settings -> 'kinds') k where k.value ? 'object') end
          from (select app.comment_settings(record_activity.resource) as settings) c) end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;

-- Comments are told on the topic of their record, which only those join who see it; a kind with lines of its own has a topic of its own.
-- Security definer: nobody may write the audit log or send on a topic.
create or replace function app.log_comments() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  record_column constant text := settings ->> 'record';
  actor uuid;
  told record;
  changed text := case tg_op when 'INSERT' then 'select * from new_rows' when 'DELETE' then 'select * from old_rows'
    else 'select n.* from new_rows n join old_rows o on o.id = n.id where n.body is distinct from o.body' end;
begin
  if app.quiet() then
    return null;
  end if;
  actor := app.acting_user_id();
  -- A record that is deleted takes its comments with it; its own entry says so.
  execute format($query$
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select c.company_id, $1, (select p.email from public.profiles p where p.id = $1),
      (select p.name from public.profiles p where p.id = $1), coalesce($2 #>> array['kinds', c.kind, 'object'], %1$L),
      r.id, app.audit_name(%2$L, to_jsonb(r)), %3$L,
      jsonb_build_object('kind', case %3$L when 'create' then jsonb_build_array(null, c.kind) when 'delete' then jsonb_build_array(c.kind, null)
        else jsonb_build_array(c.kind, c.kind) end)
    from (%4$s) c join public.%2$I r on r.company_id = c.company_id and r.id = c.%5$I$query$,
    tg_table_name, settings ->> 'table', case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'edit' else 'delete' end, changed, record_column)
    using actor, settings;
  for told in execute format(
    'select c.%1$I as record_id, c.kind, case when count(*) <= 50 then to_jsonb(array_agg(c.id)) else ''[]'' end as ids from (%2$s) c group by 1, 2',
    record_column, changed)
  loop
    perform app.send_live('record:' || (settings ->> 'resource') || ':' || told.record_id
        || case when settings #> array['kinds', told.kind] ? 'object' then ':' || told.kind else '' end,
      jsonb_build_object('table', tg_table_name, 'op', lower(tg_op), 'ids', told.ids));
  end loop;
  return null;
end $$;

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

create or replace function app.log_files() returns trigger
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

-- Security definer: nobody may write the audit log.
create or replace function app.log_ticket_jobs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.quiet() then
    return null;
  end if;
  -- The id alone: whoever may not list jobs reads no name of one. A job that is gone itself was not taken from the ticket.
  insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
  select n.company_id, actor, (select p.email from public.profiles p where p.id = actor),
    (select p.name from public.profiles p where p.id = actor), 'tickets', n.ticket_id,
    app.audit_name('tickets', to_jsonb(t)), 'edit', jsonb_build_object('jobs', case tg_op
      when 'INSERT' then jsonb_build_array('[]'::jsonb, jsonb_build_array(n.job_id))
      else jsonb_build_array(jsonb_build_array(n.job_id), '[]'::jsonb) end)
  from changed_rows n join public.tickets t on t.company_id = n.company_id and t.id = n.ticket_id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id;
  return null;
end $$;

-- Security definer: the row is locked, and the survivor may be one that the caller does not see.
create or replace function app.survivor_of(company uuid, ticket uuid) returns table (id uuid, number integer)
  language plpgsql volatile security definer set search_path = '' rows 1 as $$
declare
  survivor uuid;
begin
  -- A merge holds the row until it has ended; whoever writes meanwhile waits here.
  select t.merged_into_id into survivor from public.tickets t where t.company_id = company and t.id = ticket for key share;
  return query select t.id, t.number from public.tickets t where t.company_id = company and t.id = survivor and t.deleted_at is null;
end $$;
comment on function app.survivor_of(uuid, uuid) is
  'The ticket into which this one was merged, or no row, as while that one is in the trash; waits for a merge under way. Definer, because it locks a '
  'row that the caller may not edit.';

create or replace function app.judge_inbound(mail_id uuid, mail jsonb) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 20;
  sender constant text := lower(mail ->> 'from');
  arrived public.inbound_mails%rowtype;
  address public.mail_addresses%rowtype;
  answered app.ticket_mails%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  person uuid;
  company uuid;
  refused text;
begin
  select m.* into arrived from public.inbound_mails m where m.id = judge_inbound.mail_id;
  select a.* into address from public.mail_addresses a
    join jsonb_array_elements_text(mail -> 'to') with ordinality as r (address, place) on r.address = a.address order by r.place limit 1;
  select m.* into answered from app.ticket_mails m join app.reply_tokens t on t.mail_id = m.id
    where t.hash in (select encode(sha256(convert_to(x.token, 'UTF8')), 'hex') from jsonb_array_elements_text(mail -> 'tokens') as x (token))
    order by (m.email = sender) desc, m.id desc limit 1;
  if answered.id is null then
    -- Only the recipient has seen the Message-ID, and it counts for their address alone.
    select m.* into answered from app.ticket_mails m
      where m.message_id in (select jsonb_array_elements_text(mail -> 'references')) and m.email = sender order by m.id desc limit 1;
  end if;
  company := coalesce(answered.company_id, address.company_id);
  if mail ->> 'machine' is not null then
    return jsonb_build_object('status', 'ignored', 'reason', mail ->> 'machine', 'company', company);
  end if;
  if exists (select 1 from app.ticket_mails m where m.message_id = mail ->> 'message_id') then
    return jsonb_build_object('status', 'ignored', 'reason', 'own', 'company', company);
  end if;
  if not arrived.is_approved and (select count(*) from public.inbound_mails m where m.from_address = sender
      and m.created_at > arrived.created_at - interval '1 minute' and m.created_at <= arrived.created_at and m.id <> arrived.id) >= max_mails_per_minute then
    return jsonb_build_object('status', 'held', 'reason', 'too_many', 'company', company);
  end if;
  select s.* into settings from public.desk_settings s where s.company_id = company;
  if answered.id is not null then
    select t.* into ticket from public.tickets t where t.company_id = answered.company_id and t.id = app.mail_ticket(answered.company_id, answered.ticket_id);
    -- The mail waits for the ticket: once it is restored, approving the mail files it.
    if ticket.deleted_at is not null then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_in_trash', 'company', company, 'waits_for', ticket.id);
    end if;
    if answered.email <> sender then
      -- A forwarded mail holds the token of somebody else.
      if not arrived.is_approved then
        return jsonb_build_object('status', 'held', 'reason', 'other_sender', 'company', company);
      end if;
      return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id);
    end if;
    if answered.user_id is null then
      refused := case when lower(ticket.requester_email) is distinct from sender then 'no_access' end;
    elsif not exists (select 1 from public.user_roles r where r.user_id = answered.user_id and r.deactivated_at is null) then
      refused := 'deactivated';
    elsif app.people_who_see(array[answered.user_id], company, 'tickets', ticket.id) = '{}' or not app.person_may(answered.user_id, 'tickets', 'comment') then
      refused := 'no_access';
    end if;
    if refused is not null then
      return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
    end if;
    if ticket.status = 'closed' and not arrived.is_approved and not (coalesce(settings.reopen_on_reply, true)
        and coalesce(settings.reopen_days, 0) > 0 and ticket.resolved_at > now() - make_interval(days => settings.reopen_days)
        and ticket.requester_id is not distinct from answered.user_id) then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_closed', 'company', company, 'ticket', ticket.id);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
  end if;
  if address.id is null then
    return jsonb_build_object('status', 'held', 'reason', 'no_address', 'company', null);
  end if;
  select p.id, case when r.deactivated_at is not null then 'deactivated' end into person, refused
  from public.profiles p join public.user_roles r on r.user_id = p.id
  where lower(p.email) = sender and r.company_id = company;
  if refused is not null then
    return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company);
  end if;
  if person is not null and (arrived.is_approved or settings.trust_known_senders or (mail ->> 'is_authentic')::boolean) then
    if not app.person_may(person, 'tickets', 'create') then
      return jsonb_build_object('status', 'refused', 'reason', 'no_access', 'company', company);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'person', person, 'category', address.category_id);
  end if;
  -- The From line alone is no proof of an account, so this sender is a stranger.
  if arrived.is_approved or settings.unknown_senders = 'open' then
    return jsonb_build_object('status', 'filed', 'company', company, 'category', address.category_id);
  end if;
  return jsonb_build_object('status', case settings.unknown_senders when 'refuse' then 'refused' else 'held' end,
    'reason', 'unknown_sender', 'company', company);
end $$;

create or replace function app.file_inbound(mail_id uuid, mail jsonb, files uuid[] default '{}') returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  verdict jsonb := app.judge_inbound(mail_id, mail);
  sender constant text := lower(mail ->> 'from');
  person uuid := (verdict ->> 'person')::uuid;
  company uuid := (verdict ->> 'company')::uuid;
  ticket uuid := (verdict ->> 'ticket')::uuid;
  sender_name text := "left"(coalesce(nullif(app.clean_text(mail ->> 'from_name', 100), ''), sender), 100);
  words text := coalesce(nullif(btrim("left"(mail ->> 'body', 20000)), ''), '–');
  comment_id uuid;
begin
  if verdict ->> 'status' = 'filed' and ticket is not null then
    insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, once_key)
    values (company, ticket, 'reply', words, person, case when person is null then sender_name end, mail_id)
    returning id into comment_id;
    if person is null then
      update public.tickets t set status = 'open'
      where t.company_id = company and t.id = ticket and lower(t.requester_email) = sender and t.status in ('waiting', 'resolved', 'closed')
        and coalesce((select s.reopen_on_reply from public.desk_settings s where s.company_id = company), true);
    end if;
    update public.files f set record_id = comment_id where f.company_id = company and f.id = any (files) and f.resource = 'ticket_comments' and f.record_id is null;
  elsif verdict ->> 'status' = 'filed' then
    insert into public.tickets (company_id, subject, description, category_id, requester_id, requester_email, requester_name, created_by)
    values (company, coalesce(nullif(app.clean_text(mail ->> 'subject', 200), ''), '–'), words, (verdict ->> 'category')::uuid, person,
      case when person is null then sender end, case when person is null then sender_name end, person)
    returning id into ticket;
    update public.files f set record_id = ticket where f.company_id = company and f.id = any (files) and f.resource = 'tickets' and f.record_id is null;
  elsif verdict ->> 'reason' = 'deactivated' and ticket is not null
    and not exists (select 1 from app.ticket_mails m where m.ticket_id = ticket and m.email = sender and m.events @> array['refused']) then
    perform app.queue_ticket_mail(company, ticket, person, sender, 'refused');
  end if;
  update public.inbound_mails m set company_id = company, ticket_id = ticket, status = verdict ->> 'status', reason = verdict ->> 'reason',
    from_address = "left"(sender, 255), from_name = sender_name, to_address = "left"(mail #>> '{to,0}', 255),
    subject = app.clean_text(mail ->> 'subject', 200), body = words, attachments = "left"(mail ->> 'attachments', 2000),
    message_id = "left"(mail ->> 'message_id', 500), error = null, updated_at = now()
  where m.id = mail_id;
  if verdict ->> 'status' <> 'held' then
    delete from app.inbound_raw r where r.mail_id = file_inbound.mail_id;
  else
    update app.inbound_raw r set waits_for = (verdict ->> 'waits_for')::uuid where r.mail_id = file_inbound.mail_id;
  end if;
  return verdict || jsonb_build_object('ticket', ticket, 'comment', comment_id);
end $$;

create or replace function app.decide_inbound(ids uuid[], approve boolean) returns integer
  language plpgsql volatile
  -- definer: people may write no mail, and decide on those of their company alone
  security definer set search_path = '' as $$
declare
  changed integer;
  waited_for text;
begin
  perform app.require('inbound_mails', 'approve');
  if approve then
    select string_agg(distinct '#' || t.number, ', ') into waited_for from public.inbound_mails m join app.inbound_raw r on r.mail_id = m.id
      join public.tickets t on t.id = r.waits_for and t.deleted_at is not null
      where m.id = any (ids) and m.status = 'held' and (app.sees_all() or m.company_id = app.own_company());
    if waited_for is not null then
      raise exception using errcode = '23514', hint = 'mail_ticket_in_trash', table = 'inbound_mails', schema = 'public',
        message = format('the mail answers a ticket that is in the trash: %s', waited_for), detail = jsonb_build_object('tickets', waited_for)::text;
    end if;
  end if;
  update public.inbound_mails m set status = case when approve then 'received' else 'rejected' end, is_approved = approve, attempts = 0,
    next_attempt_at = now(), decided_by = app.current_user_id(), decided_at = now(), updated_at = now()
  where m.id = any (ids) and m.status in ('held', 'unreadable') and (app.sees_all() or m.company_id = app.own_company());
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The mail was not found, or has been decided on.' using errcode = 'PT404', hint = 'mail_gone';
  end if;
  delete from app.inbound_raw r using public.inbound_mails m where m.id = r.mail_id and m.id = any (ids) and m.status = 'rejected';
  return changed;
end $$;
comment on function app.decide_inbound(uuid[], boolean) is
  'Approves or rejects mails that wait, of the caller''s company. A mail that answers a ticket in the trash is not approved before that ticket is '
  'restored or deleted for good. Definer, because people may write no mail.';

-- Invoker: as definer, current_user would always be the owner. What the server writes by itself is held by the functions that write it.
create or replace function app.refuse_trashed() returns trigger
  language plpgsql set search_path = '' as $$
declare
  target constant uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  key name;
begin
  if current_user in ('anon', 'authenticated') and target is not null and app.in_trash(tg_argv[1], target) then
    select k.conname into key from pg_catalog.pg_constraint k
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname = tg_argv[0]
    where k.contype = 'f' and k.conrelid = tg_relid and k.confrelid = format('public.%I', tg_argv[1])::regclass order by k.conname limit 1;
    raise exception using errcode = '23503', schema = 'public', table = tg_table_name, constraint = key,
      message = format('insert or update on table "%s" violates foreign key constraint "%s"', tg_table_name, key),
      detail = format('Key is not present in table "%s".', tg_argv[1]);
  end if;
  return new;
end $$;
comment on function app.refuse_trashed() is
  'Row trigger, after the write, of a table with a foreign key: a record in the trash is refused as one that does not exist, in the words and at the '
  'time of the key itself, so that row-level security answers first and nobody learns what is in a trash. Arguments: column, table.';

-- Definer: a row in the trash is hidden from everybody.
create function app.refuse_held_by_trash() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  key record;
  has_living boolean;
  holders text;
begin
  -- They go with their company.
  if not exists (select 1 from public.companies c where c.id = (to_jsonb(old) ->> 'company_id')::uuid) then
    return old;
  end if;
  for key in
    select k.oid, k.conrelid::regclass as child, c.relname from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.confrelid = tg_relid and k.confdeltype in ('a', 'r') and app.has_trash(k.conrelid) order by k.conname
  loop
    execute format('select bool_or(c.deleted_at is null), case when app.can(%L, ''delete'') '
      || 'then string_agg(%s, '', '' order by c.deleted_at desc, c.id) filter (where c.place <= 5) || case when count(*) > 5 then '' …'' else '''' end '
      || 'else count(*)::text end from (select c.*, row_number() over (order by c.deleted_at desc, c.id) as place from %s c join %s p on %s where p.id = $1) c',
      key.relname, case when app.has_column(key.child, 'number') then '''#'' || c.number'
        else format('coalesce(app.audit_name(%L, to_jsonb(c)), c.id::text)', key.relname) end,
      key.child, tg_relid::regclass, app.key_condition(key.oid, 'c', 'p')) into has_living, holders using old.id;
    -- The key itself refuses what a living record holds.
    if has_living is false then
      raise exception using errcode = '23514', hint = 'held_by_trash', table = tg_table_name, schema = 'public',
        message = format('records of %s in the trash hold it: %s', key.relname, holders),
        detail = jsonb_build_object('records', holders)::text;
    end if;
  end loop;
  return old;
end $$;
comment on function app.refuse_held_by_trash() is
  'Row trigger before a deletion: says which records in the trash hold the row, by number or name, or how many, to those who may not read that trash. '
  'Definer, because row-level security hides rows in the trash.';

create or replace function app.keep_trash(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  told text;
  key record;
begin
  execute format('create or replace trigger %I before delete on %s for each row execute function app.move_to_trash()', name || '_trash', tbl);
  execute format('create index if not exists %I on %s (%sdeleted_at, id) where deleted_at is not null', name || '_trash_idx', tbl,
    case when app.has_column(tbl, 'company_id') then 'company_id, ' else '' end);
  select pg_catalog.pg_get_triggerdef(t.oid) into told from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgname = name || '_announce_update';
  if told is not null then
    execute replace(replace(told, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'app.announce(', 'app.announce_with_trash(');
  end if;
  -- Whoever writes the name of a record in the trash is told that there is none.
  for key in
    select c.relname as child, a.attname as col from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    cross join lateral unnest(k.conkey) as u (number)
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number and a.attname <> 'company_id'
    where k.contype = 'f' and k.confrelid = tbl and c.relnamespace = 'public'::regnamespace and cardinality(k.conkey) <= 2
  loop
    execute format('create or replace trigger %I after insert or update of %I on public.%I for each row execute function app.refuse_trashed(%L, %L)',
      "left"(key.child || '_trashed_' || key.col, 63), key.col, key.child, key.col, name);
  end loop;
  -- Whoever deletes a record that the trash holds is told so.
  for key in
    select distinct c.relname as parent from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.confrelid
    where k.contype = 'f' and k.conrelid = tbl and k.confdeltype in ('a', 'r') and c.relnamespace = 'public'::regnamespace
      and app.has_column(k.confrelid, 'company_id')
  loop
    execute format('create or replace trigger %I before delete on public.%I for each row execute function app.refuse_held_by_trash()',
      "left"(key.parent || '_trash_holds', 63), key.parent);
  end loop;
end $$;

-- Tables that are there already: a reference to a record in the trash is refused after the write, short texts hold one line, and a deletion is told
-- what the trash holds.
do $$
declare
  made record;
begin
  for made in
    select pg_catalog.pg_get_triggerdef(t.oid) as text from pg_catalog.pg_trigger t
    where t.tgfoid = 'app.refuse_trashed()'::regprocedure and t.tgtype & 2 = 2
  loop
    execute replace(replace(made.text, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), ' BEFORE ', ' AFTER ');
  end loop;
  for made in select distinct t.tgrelid from pg_catalog.pg_trigger t where t.tgfoid = 'app.require_permission()'::regprocedure loop
    if (select c.relkind from pg_catalog.pg_class c where c.oid = made.tgrelid) = 'r' then
      perform app.keep_short_texts(made.tgrelid);
    end if;
  end loop;
  for made in select distinct t.tgrelid from pg_catalog.pg_trigger t where t.tgfoid = 'app.move_to_trash()'::regprocedure loop
    perform app.keep_trash(made.tgrelid);
  end loop;
end $$;

-- Of an account that is gone, the part before the @ is left as its name.
update public.audit_log a set actor_name = coalesce((select p.name from public.profiles p where p.id = a.actor_id), split_part(a.actor_email, '@', 1))
where a.actor_name is null and (a.actor_id is not null or a.actor_email is not null);

-- Kept columns and views of the log name the field as it is called now.
update public.list_preferences p set columns = replace(p.columns::text, '"actor_email"', '"actor_name"')::jsonb
where p.resource = 'audit_log' and strpos(p.columns::text, '"actor_email"') > 0;
update public.saved_views v set state = replace(v.state::text, 'actor_email', 'actor_name')::jsonb
where v.resource = 'audit_log' and strpos(v.state::text, 'actor_email') > 0;

select app.keep_short_texts('public.profiles');

select app.keep_short_texts('public.corporate_apps', array['package_version']);

select app.keep_short_texts('public.corporate_app_files', array['package_version']);

select app.keep_short_texts('public.saved_views', array['name']);

revoke all on table public.audit_log from public, authenticated, service_role;
grant select (id, company_id, actor_id, table_name, row_id, action, changes, at, row_name, actor_name, device_id) on public.audit_log to authenticated;
grant select on public.audit_log to service_role;

-- A file of a field goes when the record names another one.
create policy files_delete_editor on public.files for delete to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company())) and (
    created_by = (select app.current_user_id()) and (record_id is null or uploaded_at is null)
    or field is null and record_id is not null and (
      created_by = (select app.current_user_id()) and (select app.may_draft_file(resource, field)) and (select app.sees_record(resource, record_id))
      or (select app.may_remove_files(resource)) and (select app.edits_record(resource, record_id)))));
