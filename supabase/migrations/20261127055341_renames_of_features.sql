-- Renames of features.

set check_function_bodies = off;

create or replace function app.show_hidden(tbl regclass, field text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  shape text;
  is_text boolean;
  value text;
begin
  select pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypid = 'text'::regtype into shape, is_text
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped;
  if length(field) > 52 then
    raise exception using errcode = '22023', message = format('the name %I is too long to be hidden', field);
  end if;
  -- SQL that runs as the caller and that the planner unfolds: a filter or an order by it is one by the value.
  value := format('(select h.%1$I from public.%2$I h where h.company_id = r.company_id and h.id = r.id)', field, side);
  execute format('create or replace function public.%I(r %s) returns %s language sql stable return %s', 'hidden_' || field, tbl, shape, value);
  execute format('comment on function public.%I(%s) is %L', 'hidden_' || field, tbl,
    format('%s.%s as the caller may read it, to filter and order by; null for everybody else.', name, field));
  execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field, tbl);
  execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field, tbl);
  if is_text then
    execute format('create or replace function public.%I(r %s) returns text language sql stable return app.sort_key(%s)',
      'hidden_' || field || '_key', tbl, value);
    execute format('comment on function public.%I(%s) is %L', 'hidden_' || field || '_key', tbl, format('The order of %s.%s.', name, field));
    execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field || '_key', tbl);
    execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field || '_key', tbl);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || name)) is not null then
    perform app.keep_hidden_search(tbl, null);
  end if;
end $$;

create or replace function app.keep_hidden_search(tbl regclass, searched text[] default '{}') returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  hidden record;
  place integer := 0;
  has_search boolean;
  joined text := '';
  given text := '';
  texts text := 'b.search';
  reads text := '';
  thread text := '';
  wanted text[] := searched;
begin
  wanted := coalesce(wanted, array(select h.field from app.hidden_columns(tbl) h where exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || h.field)) and a.attname = 'search' and not a.attisdropped)));
  select format('app.comment_ids(%L, q, %L)', c.comments, c.settings ->> 'record') into thread
    from app.commented c where c.settings ->> 'table' = name and (c.settings ->> 'search')::boolean;
  for hidden in select * from app.hidden_columns(tbl) loop
    has_search := exists (select 1 from pg_catalog.pg_attribute a
      where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || hidden.field)) and a.attname = 'search' and not a.attisdropped);
    if has_search <> (hidden.field = any (wanted)) then
      execute format(case when has_search then 'alter table public.%I drop column search'
        else 'alter table public.%I add column search text generated always as (app.fold(coalesce(%I::text, ''''))) stored' end,
        name || '_hidden_' || hidden.field, hidden.field);
    end if;
    place := place + 1;
    joined := joined || format(' left join public.%I h%s on h%s.company_id = t.company_id and h%s.id = t.id',
      name || '_hidden_' || hidden.field, place, place, place);
    given := given || format(', %L, case when (select app.reads_hidden(%L, %L)) then to_jsonb(h%s.%I) else to_jsonb(t.%I) end',
      hidden.field, hidden.object, hidden.verb, place, hidden.field, hidden.field);
    if hidden.field = any (wanted) then
      texts := texts || format(' || '' '' || coalesce((select s.search from public.%I s where s.company_id = b.company_id and s.id = b.id), '''')',
        name || '_hidden_' || hidden.field);
      reads := reads || format(' or (select app.reads_hidden(%L, %L))', hidden.object, hidden.verb);
    end if;
  end loop;
  -- Plain SQL without SET, which the planner unfolds. Rows are found first: the values are read for these alone.
  execute format($function$
    create or replace function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select r.* from %2$s t%4$s
        cross join lateral pg_catalog.jsonb_populate_record(t, pg_catalog.jsonb_build_object(%5$s)) as r
      where t.id in (
        select b.id from %2$s b
        where case when app.search_ids(%3$L, q) is null then b.search operator(pg_catalog.~~) all (app.search_patterns(q))%7$s
          else b.id = any (app.search_ids(%3$L, q)%8$s) end%6$s)
    $body$
  $function$, 'search_' || name, tbl, name, joined, ltrim(given, ', '),
    case when reads = '' then '' else format('
        union all
        select b.id from %s b where (%s) and (%s) operator(pg_catalog.~~) all (app.search_patterns(q))', tbl, ltrim(reads, ' or'), texts) end,
    ' or b.id = any (' || thread || ')', ' || ' || thread);
end $$;
comment on function app.keep_hidden_search(regclass, text[]) is
  'For migrations: the search of a table with hidden fields, of which some are searched (null: as before). Those who may read '
  'them get their values with its rows, and find rows by those that are searched; for everybody else it is the search without them.';

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
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, action, changes, at, row_name)
      select l.company_id, l.actor_id, l.actor_email, side, l.row_id, l.action, jsonb_build_object(field, l.changes -> field), l.at, l.row_name
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

create function app.rename_hidden(tbl regclass, field text, next_table text, next_field text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  next_side constant text := next_table || '_hidden_' || next_field;
  known record;
  given text;
begin
  execute format('drop function if exists public.%I(%s)', 'hidden_' || field || '_key', tbl);
  execute format('drop function public.%I(%s)', 'hidden_' || field, tbl);
  for known in select p.polname from pg_catalog.pg_policy p where p.polrelid = format('public.%I', side)::regclass loop
    execute format('drop policy %I on public.%I', known.polname, side);
  end loop;
  for known in select t.tgname from pg_catalog.pg_trigger t where t.tgrelid = format('public.%I', side)::regclass and t.tgfoid = 'app.audit()'::regprocedure
  loop
    execute format('drop trigger %I on public.%I', known.tgname, side);
  end loop;
  for known in
    select k.conname from pg_catalog.pg_constraint k where k.conrelid = format('public.%I', side)::regclass and k.contype <> 'n'
  loop
    given := case when starts_with(known.conname, side) then next_side || substr(known.conname, length(side) + 1)
      when starts_with(known.conname, name || '_' || field) then next_table || '_' || next_field || substr(known.conname, length(name || '_' || field) + 1)
      else known.conname end;
    if given <> known.conname then
      execute format('alter table public.%I rename constraint %I to %I', side, known.conname, left(given, 63));
    end if;
  end loop;
  if field <> next_field then
    execute format('alter table public.%I rename column %I to %I', side, field, next_field);
  end if;
  if side <> next_side then
    execute format('alter table public.%I rename to %I', side, next_side);
    update public.audit_log l set table_name = next_side, changes = case when l.changes ? field
        then l.changes - field || jsonb_build_object(next_field, l.changes -> field) else l.changes end
      where l.table_name = side;
  end if;
end $$;
comment on function app.rename_hidden(regclass, text, text, text) is
  'For the migrations of `npm run resource rename`, before the table and its column change their names: the table of the values takes its new '
  'name, and what is made again by app.keep_hidden() goes.';

create or replace function app.keep_comments(tbl regclass, settings jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  resource text := settings ->> 'resource';
begin
  insert into app.commented as x (comments, resource, settings) values (name, resource, keep_comments.settings)
    on conflict (comments) do update set resource = excluded.resource, settings = excluded.settings;
  -- Triggers of one event fire by name: the company first, then the guard, then the stamp.
  execute format('create or replace trigger %I before insert on %s for each row execute function app.refuse_other_company()', name || '_0_company', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each row execute function app.guard_comment(%L)',
    name || '_guard', tbl, settings);
  execute format('create or replace trigger %I before insert or update on %s for each row execute function app.stamp_comment()', name || '_stamp', tbl);
  execute format('create or replace trigger %I before update on %s for each row when (old.company_id is distinct from new.company_id) '
    || 'execute function app.immutable_tenant()', name || '_immutable_tenant', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each statement execute function app.require_comment(%L)',
    name || '_permission', tbl, resource);
  execute format('create or replace trigger %I after insert or update of body on %s for each row execute function app.tell_comment(%L)',
    name || '_tell', tbl, settings);
  execute format('create or replace trigger %I after insert on %s referencing new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_insert', tbl, settings);
  execute format('create or replace trigger %I after update on %s referencing old table as old_rows new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_update', tbl, settings);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_delete', tbl, settings);
  execute format('create index if not exists %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', tbl);
  -- Plain SQL without SET, which the planner unfolds, as in app.keep_search().
  execute format($function$
    create or replace function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select t.* from %2$s t
      where case when app.comment_ids(%3$L, q, 'id') is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
        else t.id = any (app.comment_ids(%3$L, q, 'id')) end
    $body$
  $function$, 'search_' || name, tbl, name);
  execute format('comment on function public.%I(text) is %L', 'search_' || name,
    format('The rows of %s that match every word of q and that the caller may read; filter, order and page it like the table.', name));
  execute format('revoke execute on function public.%I(text) from public, anon', 'search_' || name);
  execute format('grant execute on function public.%I(text) to authenticated', 'search_' || name);
  if (settings ->> 'search')::boolean then
    execute format($function$
      create or replace function public.%1$I(q text) returns setof public.%2$I
        language sql stable rows 500 as $body$
        select t.* from public.%2$I t
        where case when app.search_ids(%3$L, q) is null
          then t.search operator(pg_catalog.~~) all (app.search_patterns(q)) or t.id = any (app.comment_ids(%4$L, q, %5$L))
          else t.id = any (app.search_ids(%3$L, q) || app.comment_ids(%4$L, q, %5$L)) end
      $body$
    $function$, 'search_' || (settings ->> 'table'), settings ->> 'table', resource, name, settings ->> 'record');
    -- The search of a table with hidden fields is one text for both.
    if exists (select 1 from app.hidden_columns(format('public.%I', settings ->> 'table')::regclass)) then
      perform app.keep_hidden_search(format('public.%I', settings ->> 'table')::regclass, null);
    end if;
  end if;
end $$;

create function app.release_comments(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  made record;
begin
  for made in
    select t.tgname from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = tbl and not t.tgisinternal and p.pronamespace = 'app'::regnamespace and p.proname in ('refuse_other_company',
      'guard_comment', 'stamp_comment', 'immutable_tenant', 'require_comment', 'tell_comment', 'log_comments')
  loop
    execute format('drop trigger %I on %s', made.tgname, tbl);
  end loop;
  execute format('drop function public.%I(text)', 'search_' || name);
  execute format('drop index public.%I', name || '_search_idx');
  delete from app.commented c where c.comments = name;
end $$;
comment on function app.release_comments(regclass) is
  'For the migrations of `npm run resource rename`: takes away what app.keep_comments() made, which the call with the new names makes again.';
