-- Platform: schemas, default privileges, text keys, row triggers, the audit log, live messages and search.
-- Later migrations use these functions. Everything is closed by default: nothing is callable or readable unless it is granted.

alter default privileges revoke execute on functions from public;

-- Hosted projects created before November 2026 grant the API roles everything in public by default.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;

alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;

alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

create schema if not exists extensions;

create extension if not exists pg_trgm with schema extensions;

create schema if not exists app;

comment on schema app is 'Private helpers and secrets. Never exposed by the API; row-level security calls into it.';

revoke all on schema app from public;

grant usage on schema app to anon, authenticated, service_role;

grant usage on schema public to anon, authenticated, service_role;

-- pgcrypto hashes passwords where accounts are created from SQL. It is optional: the console runs without it.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pgcrypto')
     and not exists (select 1 from pg_catalog.pg_extension where extname = 'pgcrypto') then
    create extension pgcrypto with schema extensions;
  end if;
exception when insufficient_privilege then
  raise notice 'pgcrypto could not be installed: %', sqlerrm;
end $$;

-- Text keys -----------------------------------------------------------------------------------------------------------

-- Standard SQL bodies bind their names when the function is created, so no search_path can change what they mean.
create function app.fold(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.lower(pg_catalog.translate(
    pg_catalog.regexp_replace(normalize(t, NFKD), '[\u0300-\u036f]+', '', 'g'), 'ıI', 'ii'));
comment on function app.fold(text) is
  'Search key: case and accents fall away and ı, I, İ, i all meet, so that isik finds ışık and IŞIK.';
grant execute on function app.fold(text) to anon, authenticated, service_role;

create function app.like_escape(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.regexp_replace(t, '([\\%_])', '\\\1', 'g');
comment on function app.like_escape(text) is 'Makes user text literal inside a LIKE pattern.';
grant execute on function app.like_escape(text) to anon, authenticated, service_role;

create function app.sort_key(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A letter that Turkish sorts separately becomes the letter before it plus "~", which sorts after every letter and digit.
    pg_catalog.regexp_replace(normalize(
      pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(
        pg_catalog.lower(pg_catalog.translate(normalize(pg_catalog."left"(t, 200), NFC), 'IİÇĞÖŞÜ', 'ıiçğöşü')),
        'ç', 'c~'), 'ğ', 'g~'), 'ı', 'h~'), 'ö', 'o~'), 'ş', 's~'), 'ü', 'u~'),
      NFKD), '[\u0300-\u036f]+', '', 'g'),
    '(?<!\d)(\d{1,7})(?!\d)', '0000000\1', 'g'), '(?<!\d)0+(\d{8})(?!\d)', '\1', 'g');
comment on function app.sort_key(text) is
  'Sort key in Turkish order whatever the database''s collation (the embedded one has C), and PC-2 before PC-10.';
grant execute on function app.sort_key(text) to anon, authenticated, service_role;

create function app.hash_secret(secret text) returns bytea
  language sql immutable strict parallel safe
  return pg_catalog.sha256(pg_catalog.convert_to(secret, 'UTF8'));
comment on function app.hash_secret(text) is
  'How tokens and device secrets are stored. They are 256 random bits, so a fast hash without salt is enough.';

create function app.new_secret() returns text
  language sql volatile parallel safe
  return pg_catalog.encode(pg_catalog.sha256(pg_catalog.uuid_send(pg_catalog.gen_random_uuid())
    || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid())), 'hex');
comment on function app.new_secret() is '256 bits from the server''s strong generator, as 64 hexadecimal digits.';

-- Row triggers --------------------------------------------------------------------------------------------------------

create function app.touch() returns trigger
  language plpgsql set search_path = '' as $$
declare
  counted text[] := coalesce(tg_argv, '{}');
  before jsonb;
  after jsonb;
begin
  new.updated_at := now();
  new.version := old.version;
  if cardinality(counted) > 0 then
    before := to_jsonb(old);
    after := to_jsonb(new);
    if not exists (select 1 from unnest(counted) as c (name) where before -> c.name is distinct from after -> c.name) then
      return new;
    end if;
  end if;
  new.version := old.version + 1;
  return new;
end $$;
comment on function app.touch() is
  'Row trigger: sets updated_at and counts the version that optimistic locking compares. Arguments name the columns '
  'that count, where a machine also writes the row: a check-in must not make an open form out of date.';

create function app.touch_time() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;
comment on function app.touch_time() is 'Row trigger for tables without a version: sets updated_at.';

create function app.immutable_tenant() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'a row never moves to another company', hint = 'role';
end $$;
comment on function app.immutable_tenant() is
  'Row trigger on a changed company_id. Refuses alike whether the other company exists or not.';

-- Audit log -----------------------------------------------------------------------------------------------------------

create table public.audit_log (
  id uuid default gen_random_uuid() primary key,
  company_id uuid,
  actor_id uuid,
  actor_email text,
  table_name text not null,
  row_id uuid not null,
  action text not null check (action in ('create', 'edit', 'delete')),
  changes jsonb not null default '{}',
  at timestamptz not null default now(),
  row_name text check (length(row_name) <= 200)
);
comment on table public.audit_log is
  'Who changed what: one row a changed record, written by triggers, never edited. Without foreign keys, because it '
  'outlives what it speaks of.';
comment on column public.audit_log.row_name is 'The record''s name when it was changed; null where it has none.';

create index audit_log_company_id_at_idx on public.audit_log (company_id, at desc, id desc);
create index audit_log_at_idx on public.audit_log (at desc, id desc);
create index audit_log_row_idx on public.audit_log (company_id, table_name, row_id, at desc);
-- The history of one record, for its page.
create index audit_log_record_idx on public.audit_log (row_id, at desc, id desc);
create index audit_log_action_idx on public.audit_log (action, at, id);
create index audit_log_company_action_idx on public.audit_log (company_id, action, at, id);

revoke all on public.audit_log from public, anon, authenticated;
grant select on public.audit_log to authenticated, service_role;
alter table public.audit_log enable row level security;

create function app.quiet() returns boolean
  language plpgsql stable set search_path = '' as $$
begin
  return coalesce(current_setting('app.quiet', true), '') = 'on' and app.is_server_work();
end $$;
comment on function app.quiet() is
  'True while the seed loads: `set app.quiet = on` stops audit rows and live messages, but never for a signed-in user.';

create function app.audit_value(field text, value jsonb) returns jsonb
  language sql immutable parallel safe
  return case
    when value is null or value = 'null'::jsonb then 'null'::jsonb
    when field ~ '(secret|token|password|hash)' and field !~ '_id$' then '"***"'::jsonb
    when pg_catalog.length(value::text) <= 1000 then value
    else pg_catalog.to_jsonb(pg_catalog."left"(value #>> '{}', 1000) || '…')
  end;
comment on function app.audit_value(text, jsonb) is 'What the audit log keeps of a field: never a secret, at most 1,000 characters.';

-- Every audited write of an ended session fails here at the latest.
create function app.audit() returns trigger
  language plpgsql security definer set search_path = ''
  -- Forces a hash join of old and new records: the planner cannot estimate how many there are.
  set enable_nestloop = off as $$
declare
  key_column text := coalesce(tg_argv[0], 'id');
  ignored text[] := array['version', 'created_at', 'updated_at', 'search', 'name_key'] || coalesce(tg_argv[1:], '{}');
  actor uuid := app.acting_user_id();
  email text;
begin
  if app.quiet() then
    return null;
  end if;
  if actor is not null then
    select p.email into email from public.profiles p where p.id = actor;
  end if;
  if tg_op = 'INSERT' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'create',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(null, app.audit_value(f.key, f.value)))
         from jsonb_each(r.after) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(n) as after from new_rows n offset 0) r;
  elsif tg_op = 'DELETE' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.before), actor, email, tg_table_name, (r.before ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.before), 'delete',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, f.value), null))
         from jsonb_each(r.before) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(o) as before from old_rows o offset 0) r;
  else
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'edit', r.changes
    from (
      select n.doc as after, (
        select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, o.doc -> f.key), app.audit_value(f.key, f.value)))
        from jsonb_each(n.doc) f
        where f.key <> all (ignored) and f.value is distinct from o.doc -> f.key
      ) as changes
      -- offset 0: each record becomes JSON once, not once a comparison.
      from (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from new_rows x offset 0) n
      join (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from old_rows x offset 0) o on o.key = n.key
      where o.doc - ignored <> n.doc - ignored
    ) r
    where r.changes is not null;
  end if;
  return null;
end $$;
comment on function app.audit() is
  'Statement trigger: one audit row a changed record with its field diff. Definer, because nobody may write audit_log. '
  'First argument the key column, the others columns that are not audited (machine-written ones).';

create function app.audit_company(table_name text, doc jsonb) returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  if table_name = 'companies' then
    return (doc ->> 'id')::uuid;
  elsif table_name = 'profiles' then
    return (select r.company_id from public.user_roles r where r.user_id = (doc ->> 'id')::uuid);
  end if;
  return (doc ->> 'company_id')::uuid;
end $$;
comment on function app.audit_company(text, jsonb) is
  'The company an audit row belongs to. Definer, because user_roles holds a profile''s company, which its owner may not read whole.';

create function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select coalesce(p.name, p.email) from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    else case
      when table_name like 'automation\_%' then (
        select a.name from public.automations a where a.company_id = company and a.id = (doc ->> 'automation_id')::uuid)
      else coalesce(doc ->> 'name', doc ->> 'title', doc ->> 'hostname', doc ->> 'email')
    end
  end, 200);
end $$;
comment on function app.audit_name(text, jsonb) is
  'The name of an audited record: its own, or that of the record a link belongs to. Definer, because the writer of a link '
  'may not read what it links.';
revoke execute on function app.audit_name(text, jsonb) from public, anon, authenticated;

-- Live messages -------------------------------------------------------------------------------------------------------

create function app.send_live(topic text, payload jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  if to_regprocedure('realtime.send(jsonb,text,text,boolean)') is not null then
    execute 'select realtime.send($1, $2, $3, true)' using payload, 'change', topic;
  else
    perform pg_notify('konsol_live', jsonb_build_object('topic', topic, 'payload', payload)::text);
  end if;
end $$;
comment on function app.send_live(text, jsonb) is
  'One broadcast on a private topic: through Supabase Realtime where it exists, else by pg_notify to the embedded server.';

-- A row that links two records concerns both: adding a device to a group updates the pages of the group and the device.
create function app.announce() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  audience text := coalesce(tg_argv[0], 'company');
  audience_column text := coalesce(tg_argv[1], 'company_id');
  key_columns text[] := string_to_array(coalesce(tg_argv[2], 'id'), ',');
  named text := (select string_agg(format('array_agg(%I)', k.name), ' || ') from unnest(key_columns) as k (name));
  message jsonb;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in execute format(
    'select %1$I as target, case when count(*) * %2$s <= 50 then to_jsonb(%3$s) else ''[]'' end as ids from %4$s group by %1$I',
    audience_column, cardinality(key_columns), named, case when tg_op = 'DELETE' then 'old_rows' else 'new_rows' end)
  loop
    message := jsonb_build_object('table', tg_table_name, 'op', lower(tg_op), 'ids', r.ids);
    if r.target is not null then
      perform app.send_live(audience || ':' || r.target, message);
    end if;
    if audience = 'company' then
      perform app.send_live('platform', message);
    end if;
  end loop;
  return null;
end $$;
comment on function app.announce() is
  'Statement trigger: one message {table, op, ids} a company (or user) a statement; ids only up to 50. No row travels: '
  'clients fetch again through row-level security. Definer, because clients may not send on a topic. '
  'Arguments: audience (company, user), its column, the key columns with commas between: a row between two records names both.';

-- A company's topic is open to all its members. Messages carry only table names and ids; the embedded server also filters
-- them by the tables a member may list.
create function app.can_listen(topic text) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
begin
  if me is null or topic is null then
    return false;
  elsif topic = 'platform' then
    return app.sees_all();
  elsif topic like 'user:%' then
    return topic = 'user:' || me;
  elsif topic ~ '^company:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return substr(topic, 9)::uuid = any (app.visible_company_ids());
  end if;
  return false;
end $$;
comment on function app.can_listen(text) is
  'Whether the signed-in user may join a live topic. Definer, because it reads the caller''s role and company.';
grant execute on function app.can_listen(text) to authenticated, service_role;

-- On hosted Supabase, row-level security on realtime.messages decides who may join a private topic.
do $$
begin
  if to_regclass('realtime.messages') is not null and to_regprocedure('realtime.topic()') is not null then
    execute 'create policy konsol_messages_select_member on realtime.messages for select to authenticated '
      || 'using ((select app.can_listen((select realtime.topic()))))';
  end if;
exception when insufficient_privilege or duplicate_object then
  raise notice 'realtime.messages keeps its policies: %', sqlerrm;
end $$;

-- Table set-up, for migrations ----------------------------------------------------------------------------------------

create function app.has_column(tbl regclass, name text, of_type regtype default null) returns boolean
  language sql stable
  return exists (
    select 1 from pg_catalog.pg_attribute a
    where a.attrelid = tbl and a.attname = name and a.attnum > 0 and not a.attisdropped
      and (of_type is null or a.atttypid = of_type));
comment on function app.has_column(regclass, text, regtype) is 'Whether a table has a column (of a type). For migrations.';

create function app.keep_tenant(tbl regclass, resource text default null, counted text[] default '{}') returns void
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
end $$;
comment on function app.keep_tenant(regclass, text, text[]) is
  'For migrations, once a table: version and updated_at, an unchangeable company_id, and the statement trigger that '
  'answers a denied write with 42501. resource names the policy object where it is not the table.';

create function app.keep_audit(tbl regclass, key_column text default 'id', ignored text[] default '{}') returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  arguments text := (select string_agg(quote_literal(c.name), ', ') from unnest(key_column || ignored) as c (name));
begin
  execute format('create trigger %I after insert on %s referencing new table as new_rows for each statement execute function app.audit(%s)',
    table_name || '_audit_insert', tbl, arguments);
  execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows for each statement execute function app.audit(%s)',
    table_name || '_audit_update', tbl, arguments);
  execute format('create trigger %I after delete on %s referencing old table as old_rows for each statement execute function app.audit(%s)',
    table_name || '_audit_delete', tbl, arguments);
end $$;
comment on function app.keep_audit(regclass, text, text[]) is
  'For migrations, once a table: every change leaves one audit row a record. ignored names machine-written columns.';

create function app.keep_announced(
  tbl regclass, audience text default 'company', audience_column text default 'company_id', key_column text default 'id'
) returns void
  language plpgsql set search_path = '' as $$
declare
  table_name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  arguments text := format('%L, %L, %L', audience, audience_column, key_column);
begin
  execute format('create trigger %I after insert on %s referencing new table as new_rows for each statement execute function app.announce(%s)',
    table_name || '_announce_insert', tbl, arguments);
  execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows for each statement execute function app.announce(%s)',
    table_name || '_announce_update', tbl, arguments);
  execute format('create trigger %I after delete on %s referencing old table as old_rows for each statement execute function app.announce(%s)',
    table_name || '_announce_delete', tbl, arguments);
end $$;
comment on function app.keep_announced(regclass, text, text, text) is
  'For migrations, once a table: every changing statement tells the company''s (or user''s) live topic.';

-- Search --------------------------------------------------------------------------------------------------------------

-- Row-level security rules out a trigram index (LIKE is not leakproof), so a rare word would read the whole table. A definer
-- function can use the index, but for a common word it would build every match to show fifty. Therefore the ids of a rare
-- word come from a definer function through the trigram index, and a common word filters the ordered walk of the list.
-- The choice is made while the query is planned: the search_* functions are plain SQL without SET, which the planner
-- inlines, and app.search_ids() is declared immutable, so it is called at planning time and the CASE folds away. It does
-- read the table; its answer holds for the one statement it was called for, and a cached plan would have to contain the
-- search text. Row-level security applies to the rows in any case.
create function app.search_patterns(q text) returns text[]
  language sql immutable parallel safe
  begin atomic
    select coalesce(array_agg('%' || app.like_escape(w.word) || '%' order by length(w.word) desc), '{}')
    from (
      select distinct u.word from unnest(string_to_array(app.fold(
        regexp_replace(btrim("left"(coalesce(q, ''), 200)), '\s+', ' ', 'g')), ' ')) as u (word)
      where u.word <> '' limit 8
    ) w;
  end;
comment on function app.search_patterns(text) is 'The words of a search as LIKE patterns, folded as the search columns are; every word must match.';
grant execute on function app.search_patterns(text) to authenticated, service_role;

create function app.search_ids(resource text, q text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  ids uuid[];
begin
  perform app.require(resource, 'list');
  if condition is null then
    return null;
  end if;
  -- What belongs to the platform has no company: row-level security alone decides over its rows.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from public.%I where %s and %s limit %s) f',
    resource, scope, condition, max_ids + 1) into ids;
  if cardinality(ids) > max_ids then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;
comment on function app.search_ids(text, text) is
  'The ids a search finds among the rows the caller may list, or null when they are more than 500 (or everything). Definer, because '
  'the trigram index cannot be used below row-level security; it checks the permission and the company itself.';
grant execute on function app.search_ids(text, text) to authenticated, service_role;

create function app.keep_search(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
begin
  execute format('create index %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', tbl);
  -- Plain SQL without SET, which the planner unfolds; 20261121000800_create_reads.sql says why.
  execute format($function$
    create function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select t.* from %2$s t
      where case when app.search_ids(%3$L, q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
        else t.id = any (app.search_ids(%3$L, q)) end
    $body$
  $function$, 'search_' || name, tbl, name);
  execute format('comment on function public.%I(text) is %L', 'search_' || name,
    format('The rows of %s that match every word of q, whatever its case and accents; filter, order and page it like the table.', name));
  execute format('revoke execute on function public.%I(text) from public, anon', 'search_' || name);
  execute format('grant execute on function public.%I(text) to authenticated', 'search_' || name);
end $$;
comment on function app.keep_search(regclass) is
  'Makes search_<table>(q) and the trigram index below it. The table has `search`, a generated app.fold() of the searched columns, and `id uuid`.';
