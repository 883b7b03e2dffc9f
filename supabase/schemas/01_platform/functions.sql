create function app.like_escape(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.regexp_replace(t, '([\\%_])', '\\\1', 'g');
comment on function app.like_escape(text) is 'Makes user text literal inside a LIKE pattern.';
grant execute on function app.like_escape(text) to anon, authenticated, service_role;

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

create function app.audit() returns trigger
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

-- Security definer: the audit log names records that whoever writes may not read.
create function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select p.name from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'device_tags' then (
      select t.name from public.tags t where t.company_id = company and t.id = (doc ->> 'tag_id')::uuid)
    when 'patch_exceptions' then (
      select p.title from public.patches p where p.company_id = company and p.id = (doc ->> 'patch_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    when 'corporate_app_files' then (
      select concat_ws(' ', a.name, doc ->> 'package_version') from public.corporate_apps a
      where a.company_id = company and a.id = (doc ->> 'corporate_app_id')::uuid)
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

create function app.send_live(topic text, payload jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  message jsonb := payload || jsonb_strip_nulls(jsonb_build_object('origin', app.request_origin()));
begin
  if to_regprocedure('realtime.send(jsonb,text,text,boolean)') is not null then
    execute 'select realtime.send($1, $2, $3, true)' using message, 'change', topic;
  else
    perform pg_notify('konsol_live', jsonb_build_object('topic', topic, 'payload', message)::text);
  end if;
end $$;
comment on function app.send_live(text, jsonb) is
  'One broadcast on a private topic, with the origin of the request: through Supabase Realtime where it exists, else by '
  'pg_notify to the embedded server.';

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
-- them by the tables a member may list. The topic of a record is for those who see it. Invoker on purpose: row-level security of
-- the record decides.
create function app.can_listen(topic text) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  parts constant text[] := string_to_array(topic, ':');
  settings jsonb;
  object text;
  answer boolean;
begin
  if me is null or topic is null then
    return false;
  elsif topic = 'platform' then
    return app.sees_all();
  elsif topic like 'user:%' then
    return topic = 'user:' || me;
  elsif topic ~ '^company:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return substr(topic, 9)::uuid = any (app.visible_company_ids());
  elsif topic ~ '^record:[a-z][a-z0-9_]*:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:[a-z][a-z0-9_]*)?$' then
    settings := app.comment_settings(parts[2]);
    object := settings #>> array['kinds', parts[4], 'object'];
    if settings is null or not app.can(parts[2], 'list') or parts[4] is not null and (object is null or not app.can(object, 'list')) then
      return false;
    end if;
    execute format('select exists (select 1 from public.%I r where r.id = $1)', settings ->> 'table') into answer using parts[3]::uuid;
    return answer;
  end if;
  return false;
end $$;
comment on function app.can_listen(text) is
  'Whether the signed-in user may join a live topic: platform, user:<id>, company:<id>, record:<resource>:<id> of a record with comments '
  'that the user sees, and record:<resource>:<id>:<kind> of a kind of comment with lines of its own. Invoker, so that row-level security '
  'of the record decides.';
grant execute on function app.can_listen(text) to authenticated, service_role;

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
  perform app.keep_short_texts(tbl);
end $$;
comment on function app.keep_tenant(regclass, text, text[]) is
  'For migrations, once a table: version and updated_at, an unchangeable company_id, short texts on one line, and the statement '
  'trigger that answers a denied write with 42501. resource names the policy object where it is not the table.';

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

-- Security definer: of the functions that it may call, those of row rules read past row-level security.
create function app.own_ids(resource text) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  ids uuid[];
begin
  if to_regprocedure(format('app.%I()', resource || '_by_rules')) is not null then
    execute format('select app.%I()', resource || '_by_rules') into ids;
  end if;
  return case when cardinality(ids) <= max_ids then ids end;
end $$;
comment on function app.own_ids(text) is
  'The ids of the rows of a resource that the caller lists by a row rule; null for whoever lists all rows, or more than 500. Definer, because the '
  'condition of a rule is no index condition below row-level security.';
grant execute on function app.own_ids(text) to authenticated, service_role;

create function app.search_ids(resource text, q text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  source text;
  own uuid[];
  ids uuid[];
begin
  perform app.require(resource, 'list');
  own := app.own_ids(resource);
  if condition is null then
    return own;
  end if;
  -- A row of the platform has no company: row-level security alone decides over it.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  -- Words that are common in the company may be rare among somebody's own rows.
  if own is not null then
    scope := scope || format(' and id = any (%L)', own);
  end if;
  source := coalesce(to_regclass(format('app.%I', resource || '_search'))::text, format('public.%I', resource));
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from %s where %s and %s limit %s) f',
    source, scope, condition, max_ids + 1) into ids;
  if cardinality(ids) > max_ids then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;
comment on function app.search_ids(text, text) is
  'The ids a search finds among the rows the caller may list, or null when they are more than 500 (or everything, for whoever lists all rows). Definer, because '
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

create function app.keep_search_apart(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  apart text := format('app.%I', name || '_search');
  note text := format('app.%I', 'note_' || name || '_search');
begin
  execute format('create table %s (company_id uuid not null, id uuid not null, search text not null, primary key (company_id, id), '
    || 'foreign key (company_id, id) references %s (company_id, id) on delete cascade)', apart, tbl);
  execute format('comment on table %s is %L', apart,
    format('The search texts of %s and their index, apart from the rows: every update of a row would write all parts of its text into the index again.', name));
  execute format('revoke all on %s from public, anon, authenticated', apart);
  execute format('alter table %s enable row level security', apart);
  execute format('insert into %s (id, company_id, search) select t.id, t.company_id, t.search from %s t', apart, tbl);
  execute format('drop index public.%I', name || '_search_idx');
  execute format('create index %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', apart);
  execute format($function$
    create function %1$s() returns trigger
      language plpgsql security definer set search_path = '' as $body$
      begin
        insert into %2$s (id, company_id, search) values (new.id, new.company_id, new.search)
          on conflict (company_id, id) do update set search = excluded.search;
        return null;
      end $body$
  $function$, note, apart);
  execute format('comment on function %s() is %L', note, format('Row trigger: keeps the search text in %s. Definer, because that table is private.', apart));
  execute format('create trigger %I after insert on %s for each row execute function %s()', name || '_search_insert', tbl, note);
  execute format('create trigger %I after update on %s for each row when (new.search is distinct from old.search) execute function %s()',
    name || '_search_update', tbl, note);
end $$;
comment on function app.keep_search_apart(regclass) is
  'For migrations, after app.keep_search(), for a tenant table whose rows are often updated without their text: the trigram index moves to '
  'app.<table>_search, which app.search_ids() reads.';

create function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A joiner stays between two pictures, where it makes one of them. Looking around is slow, and few texts hold one.
    case when pg_catalog.strpos(value, U&'\200D') = 0 then value else pg_catalog.regexp_replace(value,
      '(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])', '', 'g') end,
    '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g'), 
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g'), U&' \00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\202F\205F\3000'), most);
comment on function app.clean_text(text, integer) is
  'Text from a machine: control characters, invisible characters and marks that turn the direction of text out, except the joiner inside an '
  'emoji; two combining marks on a letter at most; trimmed, cut to length.';
grant execute on function app.clean_text(text, integer) to anon, authenticated, service_role;

create function app.clean_date(value text) returns date
  language sql immutable parallel safe
  return case when value ~ '^(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])' then
    pg_catalog.make_date(pg_catalog.substr(value, 1, 4)::integer, pg_catalog.substr(value, 6, 2)::integer, 1)
      + (pg_catalog.substr(value, 9, 2)::integer - 1)
  end;
comment on function app.clean_date(text) is 'A date from a machine, or null. Never raises: the 31st of February is the 3rd of March.';

create function app.agent_payload(payload jsonb, most_bytes integer) returns jsonb
  language plpgsql immutable set search_path = '' as $$
begin
  -- A driver may hand an object over as its text.
  if jsonb_typeof(payload) = 'string' then
    payload := (payload #>> '{}')::jsonb;
  end if;
  if jsonb_typeof(payload) is distinct from 'object' then
    raise exception 'The payload must be an object.' using errcode = 'PT400';
  end if;
  if pg_column_size(payload) > most_bytes then
    raise exception 'The payload is too large.' using errcode = 'PT413';
  end if;
  return payload;
end $$;
comment on function app.agent_payload(jsonb, integer) is 'The object a device sent; PT400 for anything else, PT413 when it is too large.';

create function app.short_text(value jsonb, most integer) returns text
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'string' then nullif(app.clean_text(left(value #>> '{}', most * 2), most), '') end;
comment on function app.short_text(jsonb, integer) is 'A string without control characters, cut to so many, else null.';

create function app.whole_number(value jsonb) returns integer
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number'
  then greatest(least(round((value #>> '{}')::numeric), 2147483647), -2147483648)::integer end;
comment on function app.whole_number(jsonb) is 'A number as an integer within its range, else null.';

create function app.percent(value jsonb) returns real
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number'
  then greatest(least((value #>> '{}')::numeric, 100), 0)::real end;
comment on function app.percent(jsonb) is 'A number between 0 and 100, else null.';

create function app.lenient_uuid(value text) returns uuid
  language sql immutable parallel safe
return case when value ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then value::uuid end;
comment on function app.lenient_uuid(text) is 'The uuid a text spells, else null.';

create function app.lenient_instant(value text) returns timestamptz
  language sql immutable parallel safe
return case when value ~ '^(19[7-9][0-9]|20[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z$'
  then make_timestamptz(left(value, 4)::int, substr(value, 6, 2)::int, 1, substr(value, 12, 2)::int,
    substr(value, 15, 2)::int, substr(value, 18, 2)::int, 'UTC') + make_interval(days => substr(value, 9, 2)::int - 1) end;
comment on function app.lenient_instant(text) is 'An ISO 8601 instant in UTC, to the second, else null.';

create function app.capped_list(value jsonb, most_items integer) returns jsonb
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'array' and jsonb_array_length(value) <= most_items
  and octet_length(value::text) <= 65536 then value end;
comment on function app.capped_list(jsonb, integer) is 'A list of at most so many entries and 64 kB, else null.';

create function app.capped_output(output text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  -- As in agent/run/output.ts.
  max_bytes constant integer := 1048576;
  note_bytes constant integer := 128;
  raw bytea;
  head integer := max_bytes / 2;
  tail integer;
  cut text;
  lines integer;
begin
  if output is null or octet_length(output) <= max_bytes then
    return output;
  end if;
  raw := convert_to(output, 'UTF8');
  tail := octet_length(raw) - (max_bytes - head - note_bytes);
  -- Never cut inside a character: its continuation bytes (10xxxxxx) stay with its first byte.
  while head > 0 and get_byte(raw, head) & 192 = 128 loop
    head := head - 1;
  end loop;
  while tail < octet_length(raw) and get_byte(raw, tail) & 192 = 128 loop
    tail := tail + 1;
  end loop;
  cut := convert_from(substring(raw from head + 1 for tail - head), 'UTF8');
  lines := length(cut) - length(replace(cut, E'\n', ''));
  return convert_from(substring(raw from 1 for head), 'UTF8')
    || case when get_byte(raw, head - 1) = 10 then '' else E'\n' end
    || format(E'… %s bytes (%s %s) cut here …\n', to_char(tail - head, 'FM999,999,999'), to_char(lines, 'FM999,999,999'),
      case lines when 1 then 'line' else 'lines' end)
    || convert_from(substring(raw from tail + 1), 'UTF8');
end $$;
comment on function app.capped_output(text) is
  'Limits a text to 1 MB. A longer text keeps its beginning and end, cut between characters, with a line between them that states how much is missing.';

create function app.is_ip(t text) returns boolean
  language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return t ~ '^[0-9A-Fa-f:.]+$' and host(t::inet) is not null;
exception when invalid_text_representation then
  return false;
end $$;
comment on function app.is_ip(text) is 'Whether the text is one IPv4 or IPv6 address, for check constraints.';
grant execute on function app.is_ip(text) to anon, authenticated, service_role;

create function public.is_taken(resource text, fields text[], record jsonb, except_id uuid default null) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  conditions text;
  found_columns bigint;
  answer boolean;
begin
  select string_agg(format(
      case when a.atttypid = 'text'::regtype then 'app.unique_key(t.%1$I) = app.unique_key(v.%1$I)' else 't.%1$I = v.%1$I' end,
      a.attname), ' and '), count(*)
  into conditions, found_columns
  from (select distinct f.name from unnest(fields) as f (name)) as f
  join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = f.name and a.attnum > 0 and not a.attisdropped;
  if found_columns = 0 or found_columns <> cardinality(fields) then
    raise exception using errcode = '22023', message = format('the fields are different fields of %L', resource);
  end if;
  execute format('select exists (select from %1$s t, jsonb_populate_record(null::%1$s, $1) v where %2$s and ($2 is null or t.id <> $2))',
    own, conditions)
  into answer using record, except_id;
  return answer;
end $$;
comment on function public.is_taken(text, text[], jsonb, uuid) is
  'Whether another row that the caller may read has these values in all of the fields, as a unique index compares them. '
  'Runs as the caller.';
grant execute on function public.is_taken(text, text[], jsonb, uuid) to authenticated;

create function app.known_zone(zone text) returns text
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
comment on function app.known_zone(text) is 'A time zone from a machine, or null where the database does not know it.';

create function app.past_instant(value text) returns timestamptz
  language sql stable parallel safe
return (
  select case when t between timestamptz '2000-01-01 00:00:00Z' and now() + interval '10 minutes' then least(t, now()) end
  from app.lenient_instant(value) as t
);
comment on function app.past_instant(text) is
  'An instant that a machine says has passed; null where its clock cannot be right.';

create function app.exact_instant(value text) returns timestamptz
  language sql immutable parallel safe
return app.lenient_instant(value) + make_interval(secs => coalesce(substring(value from '\.\d{1,6}')::double precision, 0));
comment on function app.exact_instant(text) is 'An ISO 8601 instant in UTC with its fraction of a second, else null.';

-- Security definer: the count is of all rows of the person, whatever the caller may see.
create function app.bound_own_rows() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  max_rows constant integer := 200;
  person uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  held integer;
begin
  if octet_length(coalesce(to_jsonb(new) ->> tg_argv[1], '')) > 8192 then
    raise exception using errcode = 'check_violation', hint = 'settings_too_large', table = tg_table_name, schema = 'public',
      message = format('%s holds at most 8,192 bytes', tg_argv[1]);
  end if;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_table_name || person::text, 0));
  execute format('select count(*) from (select 1 from public.%I where %I = $1 limit $2) x', tg_table_name, tg_argv[0]) into held using person, max_rows;
  if held < max_rows then
    return new;
  end if;
  -- An upsert of a row that is there adds none.
  if tg_table_name = 'list_preferences' and exists (
      select 1 from public.list_preferences p where p.user_id = person and p.resource = to_jsonb(new) ->> 'resource')
    or tg_table_name = 'procedure_favorites' and exists (
      select 1 from public.procedure_favorites f where f.user_id = person and f.procedure_id = (to_jsonb(new) ->> 'procedure_id')::uuid) then
    return new;
  end if;
  raise exception using errcode = 'check_violation', hint = tg_argv[2], table = tg_table_name, schema = 'public',
    message = format('a person keeps at most %s rows of %s', max_rows, tg_table_name);
end $$;
comment on function app.bound_own_rows() is
  'Row trigger (column of the person, column whose size is bounded, hint): a person keeps at most 200 saved views, settings of lists and '
  'favorites each. Definer, because it counts all rows of the person.';

create function app.hidden_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  with seen as (
    -- Emoji are built with joiners and selectors, and a file may begin with a byte order mark.
    select regexp_replace(regexp_replace(value, '^\uFEFF', ''),
      '[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u24C2\u25A0-\u27BF\u2934\u2935\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF]\uFE0F?'
      '(\u200D[\u2190-\u21FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]\uFE0F?)*|[0-9#*]\uFE0F\u20E3', '', 'g') as text
  ), found as (
    -- A carriage return is a part of the line break before a line feed, and of no other.
    select substring(s.text from '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F'
      '\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D159'
      '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]|\r(?!\n)')
      as character from seen s
  )
  select 'U+' || lpad(upper(to_hex(ascii(f.character))), case when ascii(f.character) > 65535 then 5 else 4 end, '0') from found f
$$;
comment on function app.hidden_character(text) is
  'The first character of a text that nobody sees, that turns its direction, or that only some programs take for a line break, as U+202E; '
  'null for none. Tabs, line feeds with or without a carriage return before them, a byte order mark at the beginning and the joiners inside '
  'emoji are none.';
grant execute on function app.hidden_character(text) to anon, authenticated, service_role;

create function app.refuse_hidden_characters(value text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  hidden text := app.hidden_character(value);
  line bigint;
begin
  if hidden is not null then
    -- A byte order mark is allowed at the beginning of the text, not of each line.
    select l.number into line
      from (select t.text, t.number, count(*) over () as total from regexp_split_to_table(value, '\n') with ordinality t (text, number)) l
      where app.hidden_character(case when l.number = 1 then '' else ' ' end || l.text || case when l.number < l.total then E'\n' else '' end) is not null
      order by l.number limit 1;
    raise exception 'The text has a hidden character (%) in line %. Write its escape instead.', hidden, line
      using errcode = 'check_violation', hint = 'hidden_characters',
        detail = jsonb_build_object('character', hidden, 'line', line)::text;
  end if;
end $$;
comment on function app.refuse_hidden_characters(text) is
  'Raises 23514 (hint hidden_characters; the detail has character and line) for a text with app.hidden_character().';

create function app.unclean_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  select case when value !~ '[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F\u0391-\u03CE\u0400-\u045F]' then null else coalesce(
    case when value ~ '^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+$' then 'U+' || lpad(upper(to_hex(ascii(btrim(value)))), 4, '0') end,
    app.hidden_character(' ' || regexp_replace(value, '([\u0600-\u06FF\u0750-\u077F\u08A0-\u08FF\u0900-\u0DFF])[\u200C\u200D]', '\1', 'g')),
    case substring(value from '[\t\n\r]') when E'\t' then 'U+0009' when E'\n' then 'U+000A' when E'\r' then 'U+000D' end) end
$$;
comment on function app.unclean_character(text) is
  'The first character of a short text that app.hidden_character() names, its first tab or line break, as U+000A, or the first blank of one that has '
  'nothing else; null for none. Persian, Urdu and the scripts of India are written with joiners between letters, which are none.';
grant execute on function app.unclean_character(text) to anon, authenticated, service_role;

create function app.clean_line(value text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  cleaned text := value;
begin
  if app.unclean_character(value) is not null then
    cleaned := app.clean_text(value, length(value));
    -- A joiner or selector may be left of an emoji that was cut.
    if app.unclean_character(cleaned) is not null then
      cleaned := btrim(regexp_replace(cleaned, '[\u200D\uFE0F]+', '', 'g'));
    end if;
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

-- Security definer: whoever writes may not call the function that judges. The columns are its arguments.
create function app.guard_hidden_columns() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  name text;
  value text;
begin
  foreach name in array tg_argv loop
    if tg_op = 'INSERT' or to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      value := to_jsonb(new) ->> name;
      -- A name may be in any language: Persian, Urdu and the scripts of India are written with joiners between letters.
      if name = 'name' then
        value := regexp_replace(value, '([\u0600-\u06FF\u0750-\u077F\u08A0-\u08FF\u0900-\u0DFF])[\u200C\u200D]', '\1', 'g');
      end if;
      perform app.refuse_hidden_characters(value);
    end if;
  end loop;
  return new;
end $$;
comment on function app.guard_hidden_columns() is
  'Row trigger: texts that people choose by or that devices act on, such as names and the arguments of an installer, without hidden characters.';
