create function app.has_trash(tbl regclass) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = tbl and t.tgfoid = 'app.move_to_trash()'::regprocedure)
$$;
comment on function app.has_trash(regclass) is 'Whether deleted rows of a table go to the trash.';
grant execute on function app.has_trash(regclass) to authenticated;

create function app.trash_ends(deleted_at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return deleted_at + interval '30 days';
comment on function app.trash_ends(timestamptz) is 'When a record that was deleted then leaves the trash for good.';

create function app.key_condition(key oid, child text, parent text) returns text
  language sql stable set search_path = '' as $$
  select string_agg(format('%s.%I = %s.%I', child, c.attname, parent, p.attname), ' and ')
  from pg_catalog.pg_constraint k
  cross join lateral unnest(k.conkey, k.confkey) as u (child_number, parent_number)
  join pg_catalog.pg_attribute c on c.attrelid = k.conrelid and c.attnum = u.child_number
  join pg_catalog.pg_attribute p on p.attrelid = k.confrelid and p.attnum = u.parent_number
  where k.oid = key
$$;
comment on function app.key_condition(oid, text, text) is 'The join of a foreign key as SQL, with the names of both sides.';

create function app.put_in_trash(tbl regclass, record_id uuid, deleted_at timestamptz, deleted_by uuid, deleted_name text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  key record;
  is_held boolean;
  child uuid;
begin
  -- A living record that refuses the deletion of this one refuses the trash too.
  for key in
    select k.oid, k.conname, k.conrelid::regclass as child, c.relname from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype in ('a', 'r') order by k.conname
  loop
    execute format('select exists (select 1 from %s c join %s p on %s where p.id = $1%s)', key.child, tbl,
      app.key_condition(key.oid, 'c', 'p'), case when app.has_trash(key.child) then ' and c.deleted_at is null' else '' end)
      into is_held using record_id;
    if is_held then
      raise exception using errcode = '23503', schema = 'public', table = key.relname, constraint = key.conname,
        message = format('update or delete on table "%s" violates foreign key constraint "%s" on table "%s"',
          (select c.relname from pg_catalog.pg_class c where c.oid = tbl), key.conname, key.relname),
        detail = format('Key is still referenced from table "%s".', key.relname);
    end if;
  end loop;
  execute format('update %s t set deleted_at = $2, deleted_by = $3, deleted_name = $4 where t.id = $1 and t.deleted_at is null', tbl)
    using record_id, deleted_at, deleted_by, deleted_name;
  -- Records that would be deleted with this one go to the trash with it, under the same mark.
  for key in
    select k.oid, k.conrelid::regclass as child from pg_catalog.pg_constraint k
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype = 'c' and app.has_trash(k.conrelid) order by k.conname
  loop
    for child in execute format('select c.id from %s c join %s p on %s where p.id = $1 and c.deleted_at is null order by c.id',
      key.child, tbl, app.key_condition(key.oid, 'c', 'p')) using record_id
    loop
      perform app.put_in_trash(key.child, child, deleted_at, deleted_by, deleted_name);
    end loop;
  end loop;
end $$;
comment on function app.put_in_trash(regclass, uuid, timestamptz, uuid, text) is
  'Marks a row as deleted, with those that go with it; 23503 where a foreign key would refuse the deletion. Granted to nobody.';

create function app.move_to_trash() returns trigger
  language plpgsql
  -- definer: nobody may write the mark
  security definer set search_path = '' as $$
declare
  actor constant uuid := app.acting_user_id();
begin
  -- A row that is in the trash, and one that goes with the record it belongs to, is deleted for good.
  if old.deleted_at is not null or pg_trigger_depth() > 1 then
    return old;
  end if;
  perform app.put_in_trash(tg_relid, old.id, now(), p.id, p.name)
    from (select actor as id) a left join public.profiles p on p.id = a.id;
  return null;
end $$;
comment on function app.move_to_trash() is
  'Row trigger before a deletion: keeps the row and marks it. Definer, because the mark is nobody''s to write.';

-- Definer: a row in the trash is hidden from everybody.
create function app.in_trash(table_name text, record_id uuid) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  answer boolean;
begin
  if to_regclass(format('public.%I', table_name)) is null or not app.has_trash(format('public.%I', table_name)::regclass) then
    return false;
  end if;
  execute format('select exists (select 1 from public.%I t where t.id = $1 and t.deleted_at is not null)', table_name)
    into answer using record_id;
  return answer;
end $$;
comment on function app.in_trash(text, uuid) is
  'Whether a record is in the trash. Definer, because nobody reads such rows; for triggers, which answer as if the record were gone.';
grant execute on function app.in_trash(text, uuid) to authenticated;

-- Definer, as app.in_trash().
create function app.file_in_trash(resource text, record_id uuid) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  commented_id uuid;
begin
  select c.* into source from app.commented c where c.comments = file_in_trash.resource;
  if source.comments is null then
    return record_id is not null and app.in_trash(file_in_trash.resource, record_id);
  end if;
  execute format('select c.%I from public.%I c where c.id = $1', source.settings ->> 'record', source.comments) into commented_id using record_id;
  return commented_id is not null and app.in_trash(source.settings ->> 'table', commented_id);
end $$;
comment on function app.file_in_trash(text, uuid) is
  'Whether the record of a file, or the record that its comment is on, is in the trash. Definer, because nobody reads such rows. Granted to nobody.';

-- Invoker: as definer, current_user would always be the owner. What the server writes by itself is held by the functions that write it.
create function app.refuse_trashed() returns trigger
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

create function app.announce_with_trash() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  audience text := coalesce(tg_argv[0], 'company');
  audience_column text := coalesce(tg_argv[1], 'company_id');
  message jsonb;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in execute format(
    'select x.target, x.op, case when count(*) <= 50 then to_jsonb(array_agg(x.id)) else ''[]'' end as ids from ('
    || 'select n.%I as target, n.id, %s as op from new_rows n join old_rows o on o.id = n.id) x where x.op is not null group by x.target, x.op',
    -- A table whose trash was taken away tells every change as one.
    audience_column, case when app.has_trash(tg_relid) then 'case when n.deleted_at is null and o.deleted_at is null then ''update'' '
      || 'when o.deleted_at is null then ''delete'' when n.deleted_at is null then ''insert'' end' else '''update''' end)
  loop
    message := jsonb_build_object('table', tg_table_name, 'op', r.op, 'ids', r.ids);
    if r.target is not null then
      perform app.send_live(audience || ':' || r.target, message);
    end if;
    if audience = 'company' then
      perform app.send_live('platform', message);
    end if;
  end loop;
  return null;
end $$;
comment on function app.announce_with_trash() is
  'As app.announce() for the updates of a table with a trash: a row that goes there is told as deleted, one that comes back as new, and '
  'a change of a row in the trash is not told. Definer, because clients may not send on a topic.';

create function app.keep_trash(tbl regclass) returns void
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
comment on function app.keep_trash(regclass) is
  'For migrations: a deleted row of the table stays for 30 days, marked by deleted_at, deleted_by and deleted_name, which it must have. The '
  'policies <table>_select_trash, _update_trash and _delete_trash hide it. Call it after app.keep_announced(). A second call writes the same again.';

create function app.trash_rows(tbl regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
begin
  -- As the caller: row-level security decides over each row.
  execute format('delete from %s t where t.id = any ($1)', tbl) using ids;
  return app.just_trashed(tbl, ids);
end $$;
comment on function app.trash_rows(regclass, uuid[]) is
  'Deletes rows of a table with a trash, as the caller, and returns the ids of those that went there.';
grant execute on function app.trash_rows(regclass, uuid[]) to authenticated;

-- Definer: the caller no longer sees the rows that they have just deleted.
create function app.just_trashed(tbl regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
declare
  moved uuid[];
begin
  execute format('select array_agg(t.id) from %s t where t.id = any ($1) and t.deleted_at = now() and t.deleted_by is not distinct from $2', tbl)
    into moved using ids, app.acting_user_id();
  return coalesce(moved, '{}');
end $$;
comment on function app.just_trashed(regclass, uuid[]) is
  'The rows of these that the caller moved to the trash in this transaction. Definer, because nobody sees rows in the trash.';
grant execute on function app.just_trashed(regclass, uuid[]) to authenticated;

create function app.trash_table(resource text) returns regclass
  language plpgsql stable set search_path = '' as $$
declare
  own constant regclass := app.filter_table(resource);
begin
  if not app.has_trash(own) then
    raise exception using errcode = '22023', message = format('%L has no trash', resource);
  end if;
  -- The object of the permission is an argument of the trigger that answers a denied deletion.
  perform app.require(coalesce((
    select nullif(split_part(encode(t.tgargs, 'escape'), '\000', 1), '') from pg_catalog.pg_trigger t
    where t.tgrelid = own and t.tgfoid = 'app.require_permission()'::regprocedure limit 1), resource), 'delete');
  return own;
end $$;
comment on function app.trash_table(text) is 'The table of a resource with a trash that the caller may delete records of; 42501 with the reason otherwise.';

create function app.deletable_condition(tbl regclass) returns text
  language sql stable set search_path = '' as $$
  select coalesce(string_agg(format('(%s)', per_command.condition), ' and '), 'false')
  from (
    select coalesce('(' || string_agg(format('(%s)', r.condition), ' or ') filter (where r.permissive) || ')', 'false')
      || coalesce(' and ' || string_agg(format('(%s)', r.condition), ' and ') filter (where not r.permissive), '') as condition
    from unnest(array['r', 'd']) as command (letter)
    left join lateral (
      select p.polpermissive as permissive, coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'true') as condition
      from pg_catalog.pg_policy p
      where p.polrelid = tbl and p.polcmd::text in (command.letter, '*') and p.polname !~ '_(select|update|delete)_trash$'
        and p.polroles && array[0::oid, (select r.oid from pg_catalog.pg_roles r where r.rolname = 'authenticated')]
    ) r on true
    group by command.letter
  ) per_command
$$;
comment on function app.deletable_condition(regclass) is
  'The policies of a table for whoever reads and deletes a row, as one condition, without the mark of the trash: a record in the trash is '
  'restored by whoever might delete it if it were alive.';

create function public.trash(resource text, company uuid default null, fields text[] default '{}', ids uuid[] default null,
    after_at timestamptz default null, after_id uuid default null, max_rows integer default 50, q text default null)
  returns table (id uuid, company_id uuid, deleted_at timestamptz, ends_at timestamptz, deleted_by uuid, deleted_name text, record jsonb, total bigint)
  language plpgsql stable
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(trash.resource);
  columns text;
  words text;
  has_company constant boolean := app.has_column(own, 'company_id');
begin
  select string_agg(format('%L, t.%I', a.attname, a.attname), ', '), string_agg(format('t.%I', a.attname), ', ') into columns, words from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (trash.fields) and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege('authenticated', own, a.attnum, 'select');
  return query execute format(
    'select x.id, x.company_id, x.deleted_at, app.trash_ends(x.deleted_at), x.deleted_by, x.deleted_name, x.own, x.total from ('
    || 'select t.id, %1$s as company_id, t.deleted_at, t.deleted_by, t.deleted_name, jsonb_build_object(%2$s) as own, count(*) over () as total '
    || 'from (select %4$I.* from %3$s as %4$I where %4$I.deleted_at is not null and (%5$s)) t where ($1 is null or %6$s) and ($5 is null or t.id = any ($5)) '
    || 'and app.fold(concat_ws('' '', %7$s)) like all ($6)) x '
    || 'where $2 is null or (x.deleted_at, x.id) < ($2, $3) order by x.deleted_at desc, x.id desc limit $4',
    case when has_company then 't.company_id' else 'null::uuid' end, coalesce(columns, ''), own,
    (select c.relname from pg_catalog.pg_class c where c.oid = own), app.deletable_condition(own),
    case when has_company then 't.company_id = $1' else 'true' end, coalesce(words, 'null'))
    using trash.company, trash.after_at, coalesce(trash.after_id, '00000000-0000-0000-0000-000000000000'::uuid), least(greatest(max_rows, 0), 1000), trash.ids,
      app.search_patterns(trash.q);
end $$;
comment on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer, text) is
  'The records of a resource that are in the trash, the last deleted one first, with these of their columns, or those of these ids; with q those whose columns have every word of it: those that the caller might '
  'delete if they were alive. ends_at is when they go for good, total how many there are. Definer, because row-level security hides them.';
grant execute on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer, text) to authenticated;

create function app.trashed_rows(own regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
declare
  relation constant text := (select c.relname from pg_catalog.pg_class c where c.oid = own);
  found_ids uuid[];
begin
  perform app.check_batch(ids);
  -- In one order, so that two people who restore the same records wait for each other instead of blocking each other.
  execute format('select array_agg(f.id) from (select %1$I.id from %2$s as %1$I where %1$I.id = any ($1) and %1$I.deleted_at is not null and (%3$s) '
    || 'order by %1$I.id for update of %1$I) f', relation, own, app.deletable_condition(own)) into found_ids using ids;
  return coalesce(found_ids, '{}');
end $$;
comment on function app.trashed_rows(regclass, uuid[]) is 'The rows of these that are in the trash and that the caller might delete, locked.';

create function app.restore_row(tbl regclass, record_id uuid) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  key record;
  child uuid;
  is_missing boolean;
  mark record;
begin
  -- A record does not come back below one that is in the trash, unless it can do without.
  for key in
    select k.oid, k.confrelid::regclass as parent, c.relname from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.confrelid
    where k.contype = 'f' and k.conrelid = tbl and k.confdeltype in ('a', 'r', 'c') and app.has_trash(k.confrelid) order by k.conname
  loop
    execute format('select exists (select 1 from %s c join %s p on %s where c.id = $1 and p.deleted_at is not null)', tbl, key.parent,
      app.key_condition(key.oid, 'c', 'p')) into is_missing using record_id;
    if is_missing then
      raise exception using errcode = '23514', hint = 'restore_parent', table = key.relname, schema = 'public',
        message = format('a record of %s that it belongs to is in the trash', key.relname), detail = jsonb_build_object('resource', key.relname)::text;
    end if;
  end loop;
  execute format('select t.deleted_at, t.deleted_by from %s t where t.id = $1', tbl) into mark using record_id;
  execute format('update %s t set deleted_at = null, deleted_by = null, deleted_name = null where t.id = $1', tbl) using record_id;
  for key in
    select k.oid, k.conrelid::regclass as child from pg_catalog.pg_constraint k
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype = 'c' and app.has_trash(k.conrelid) order by k.conname
  loop
    for child in execute format('select c.id from %s c join %s p on %s where p.id = $1 and c.deleted_at = $2 and c.deleted_by is not distinct from $3 '
      || 'order by c.id', key.child, tbl, app.key_condition(key.oid, 'c', 'p')) using record_id, mark.deleted_at, mark.deleted_by
    loop
      perform app.restore_row(key.child, child);
    end loop;
  end loop;
end $$;
comment on function app.restore_row(regclass, uuid) is
  'Takes the mark off a row, and off those that went to the trash with it. Granted to nobody.';

create function app.write_trashed(own regclass, ids uuid[], act text, out written uuid[], out refused jsonb)
  language sql volatile set search_path = '' as $$
  select w.* from app.write_batch(
    case when act = 'restore' then format('select array_agg(r.id) from (select i.id, app.restore_row(%L::regclass, i.id) from unnest($1) as i (id)) r', own)
      else format('with d as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(d.id) from d', own) end, ids, null) w
$$;
comment on function app.write_trashed(regclass, uuid[], text) is
  'Restores or deletes rows of the trash: all at once, or each on its own where one is refused. Granted to nobody.';

create function public.restore_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: nobody may take the mark off
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(restore_records.resource);
  there constant uuid[] := app.trashed_rows(own, restore_records.ids);
  done record;
begin
  done := app.write_trashed(own, there, 'restore');
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, '{}', done.refused, 'the record was not restored');
end $$;
comment on function public.restore_records(text, uuid[]) is
  'Takes up to 1,000 records out of the trash: changed, gone (not in the trash, or not the caller''s to restore) or refused, with the error of '
  'the record as the reason, such as 23505 where another one has taken its name. Whoever might delete it may restore it. Definer, because '
  'nobody may write the mark.';
grant execute on function public.restore_records(text, uuid[]) to authenticated;

create function public.purge_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(purge_records.resource);
  there constant uuid[] := app.trashed_rows(own, purge_records.ids);
  done record;
begin
  done := app.write_trashed(own, there, 'purge');
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the record was not deleted');
end $$;
comment on function public.purge_records(text, uuid[]) is
  'Deletes up to 1,000 records of the trash for good, with their files: deleted, gone (not in the trash, or not the caller''s to delete) or '
  'refused, with the error of the record as the reason. Definer, because row-level security hides them.';
grant execute on function public.purge_records(text, uuid[]) to authenticated;

create function app.empty_trash() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  max_rows constant integer := 500;
  own regclass;
  old_ids uuid[];
  done record;
  removed integer := 0;
begin
  for own in
    select t.tgrelid::regclass from pg_catalog.pg_trigger t where t.tgfoid = 'app.move_to_trash()'::regprocedure order by t.tgrelid::regclass::text
  loop
    execute format('select array_agg(f.id) from (select t.id from %s t where t.deleted_at is not null and app.trash_ends(t.deleted_at) <= now() '
      || 'order by t.deleted_at, t.id limit %s for update skip locked) f', own, max_rows) into old_ids;
    continue when old_ids is null;
    -- A record that others hold stays until they have gone.
    done := app.write_trashed(own, old_ids, 'purge');
    removed := removed + cardinality(done.written);
  end loop;
  return removed;
end $$;
comment on function app.empty_trash() is
  'A step of app.tick(): deletes for good, with their files, what has been in the trash for 30 days; at most 500 records a table and call.';
