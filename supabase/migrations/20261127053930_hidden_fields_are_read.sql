-- Hidden fields are read.

set check_function_bodies = off;

create function app.hidden_field(tbl regclass, field text, out object text, out verb text)
  language sql stable set search_path = '' as $$
  select max(split_part(a.args, '\000', 2)), max(split_part(a.args, '\000', 3))
  from pg_catalog.pg_trigger t cross join lateral encode(t.tgargs, 'escape') as a (args)
  where t.tgrelid = tbl and t.tgfoid = 'app.hide_value()'::regprocedure and split_part(a.args, '\000', 1) = field
$$;
comment on function app.hidden_field(regclass, text) is 'Who may read a hidden field: one row, with nulls for a field that is not hidden.';
grant execute on function app.hidden_field(regclass, text) to authenticated;

create function app.shown_column(tbl regclass, alias text, field text) returns text
  language sql stable set search_path = '' as $$
  select case when (app.hidden_field(tbl, field)).object is null then format('%s.%I', alias, field)
    else format('public.%I(%s)', 'hidden_' || field, alias) end
$$;
comment on function app.shown_column(regclass, text, text) is
  'The value of a field of a row, as the caller may read it: the column, or for a hidden field the function that reads its value.';
grant execute on function app.shown_column(regclass, text, text) to authenticated;

create function app.show_hidden(tbl regclass, field text) returns void
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
    perform app.keep_hidden_search(tbl, array(
      select f.field from app.hidden_columns(tbl) f where exists (select 1 from pg_catalog.pg_attribute a
        where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || f.field)) and a.attname = 'search' and not a.attisdropped)));
  end if;
end $$;
comment on function app.show_hidden(regclass, text) is
  'For migrations: makes hidden_<field>(row), by which those who may read a hidden field filter and order, and lets a search of the table find '
  'rows with its values. app.keep_hidden() calls it.';

create function app.hidden_columns(tbl regclass) returns table (field text, object text, verb text)
  language sql stable set search_path = '' as $$
  select split_part(a.args, '\000', 1), split_part(a.args, '\000', 2), split_part(a.args, '\000', 3)
  from pg_catalog.pg_trigger t cross join lateral encode(t.tgargs, 'escape') as a (args)
  where t.tgrelid = tbl and t.tgfoid = 'app.hide_value()'::regprocedure order by 1
$$;
comment on function app.hidden_columns(regclass) is 'The hidden fields of a table, and who may read them.';

create function app.keep_hidden_search(tbl regclass, searched text[] default '{}') returns void
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
begin
  for hidden in select * from app.hidden_columns(tbl) loop
    has_search := exists (select 1 from pg_catalog.pg_attribute a
      where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || hidden.field)) and a.attname = 'search' and not a.attisdropped);
    if has_search <> (hidden.field = any (searched)) then
      execute format(case when has_search then 'alter table public.%I drop column search'
        else 'alter table public.%I add column search text generated always as (app.fold(coalesce(%I::text, ''''))) stored' end,
        name || '_hidden_' || hidden.field, hidden.field);
    end if;
    place := place + 1;
    joined := joined || format(' left join public.%I h%s on h%s.company_id = t.company_id and h%s.id = t.id',
      name || '_hidden_' || hidden.field, place, place, place);
    given := given || format(', %L, case when (select app.reads_hidden(%L, %L)) then to_jsonb(h%s.%I) else to_jsonb(t.%I) end',
      hidden.field, hidden.object, hidden.verb, place, hidden.field, hidden.field);
    if hidden.field = any (searched) then
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
        where case when app.search_ids(%3$L, q) is null then b.search operator(pg_catalog.~~) all (app.search_patterns(q))
          else b.id = any (app.search_ids(%3$L, q)) end%6$s)
    $body$
  $function$, 'search_' || name, tbl, name, joined, ltrim(given, ', '),
    case when reads = '' then '' else format('
        union all
        select b.id from %s b where (%s) and (%s) operator(pg_catalog.~~) all (app.search_patterns(q))', tbl, ltrim(reads, ' or'), texts) end);
end $$;
comment on function app.keep_hidden_search(regclass, text[]) is
  'For migrations: the search of a table with hidden fields. Those who may read them get their values with its rows, and find rows by those that '
  'are searched; for everybody else it is the search without them.';

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
  for rule in
    select t.tgname, pg_catalog.pg_get_triggerdef(t.oid) as text from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgfoid = 'app.audit()'::regprocedure
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

-- A filter may name a column of a related table, such as the presence of a device, by the name of that table when no column
-- of the resource leads there.
create or replace function app.filter_path(
  resource text, path text, out col text, out kind text, out is_text boolean, out via text, out joined text
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  steps text[] := string_to_array(path, '.');
  target regclass := own;
  hidden record;
begin
  if cardinality(steps) = 2 then
    -- The one of several references over the same column is taken that carries the company along.
    select k.confrelid::regclass, string_agg(format('j.%I = t.%I', theirs.attname, ours.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.confrelid and c.relnamespace = 'public'::regnamespace
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.conrelid = own
    group by k.oid, k.confrelid
    having bool_or(ours.attname = steps[1]) and bool_and(ours.attname in (steps[1], 'company_id'))
    order by count(*) desc, k.oid limit 1;
    if target is null then
      -- A table beside this one: `table` or `table!constraint`, whichever of the two holds the reference.
      select c.oid::regclass, string_agg(format('j.%I = t.%I',
        case when k.conrelid = own then theirs.attname else ours.attname end,
        case when k.conrelid = own then ours.attname else theirs.attname end), ' and ')
      into target, joined
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = case when k.conrelid = own then k.confrelid else k.conrelid end
        and c.oid <> own and c.relnamespace = 'public'::regnamespace and c.relname = split_part(steps[1], '!', 1)
      cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
      join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
      join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
      where k.contype = 'f' and own in (k.conrelid, k.confrelid) and split_part(steps[1], '!', 2) in ('', k.conname)
      group by k.oid, c.oid
      order by count(*) desc, k.oid limit 1;
    end if;
  elsif cardinality(steps) = 3 then
    select k.conrelid::regclass, string_agg(format('j.%I = t.%I', ours.attname, theirs.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid and c.relnamespace = 'public'::regnamespace and c.relname = steps[1]
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.confrelid = own
    group by k.oid, k.conrelid
    having bool_or(ours.attname = steps[2]) and bool_and(ours.attname in (steps[2], 'company_id'))
    order by count(*) desc, k.oid limit 1;
  elsif cardinality(steps) <> 1 then
    target := null;
  end if;
  if target is not null then
    via := case when cardinality(steps) > 1 then target::text end;
    select format('%s.%I', case when via is null then 't' else 'j' end, a.attname),
      pg_catalog.format_type(a.atttypid, null), y.typcategory = 'S'
    into col, kind, is_text
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type y on y.oid = a.atttypid
    where a.attrelid = target and a.attname = steps[cardinality(steps)] and a.attnum > 0 and not a.attisdropped;
    hidden := app.hidden_field(target, steps[cardinality(steps)]);
    if hidden.object is not null then
      -- Refused, not left out: a filter that holds for every row would choose rows for an edit that nobody meant.
      perform app.require(hidden.object, hidden.verb);
      col := app.shown_column(target, case when via is null then 't' else 'j' end, steps[cardinality(steps)]);
    end if;
  end if;
  if col is null then
    raise exception using errcode = '22023', message = format('%L has no field %L', resource, path);
  end if;
end $$;
comment on function app.filter_path(text, text) is
  'The path of a field to filter or count: `column` of the resource (t), `reference.column` of what it points at, '
  '`table.column` or `table!constraint.column` of a table beside it, `table.near.far` of the table between it and others (j, joined '
  'as told). 22023 for an unknown field, 42501 for a hidden one that the caller may not read.';

create or replace function app.import_match(
  own regclass, company uuid, vals jsonb[], keys text[], insertable text[], updatable text[], used text[],
  mode text, out targets uuid[], out kinds text[], out columns text[], out shown text[]
)
  language plpgsql stable set search_path = '' as $$
declare
  matching text := (select string_agg(format('%s = %s', app.import_key(own, 't', k.name), app.import_key(own, 'r', k.name)), ' and ')
                    from unnest(keys) as k (name));
  differing text := (select string_agg(format('(s.v ? %1$L and %3$s is distinct from r.%2$I)', u.name, u.name, app.shown_column(own, 't', u.name)), ' or ')
                     from unnest(updatable) as u (name));
  -- Written only when it changes: a file that was exported holds columns that cannot be edited.
  fixed text := (select string_agg(format('when %2$s is distinct from r.%1$I and s.v ? %1$L then %1$L', u.name, app.shown_column(own, 't', u.name)), ' ' order by u.name)
                 from unnest(used) as u (name) where u.name <> all (updatable || keys));
  unborn text := (select string_agg(format('when r.%1$I is not null then %1$L', u.name), ' ' order by u.name)
                  from unnest(used) as u (name) where u.name <> all (insertable));
  read_as text := format('unnest($2) with ordinality as s (v, at) cross join lateral jsonb_populate_record(null::%s, s.v) as r', own);
begin
  execute format(
    'select array_agg(m.target order by m.at),
       array_agg(case when m.times > 1 then ''ambiguous_key''
         when m.times = 0 and $3 = ''update'' then ''unknown_key'' when m.times = 1 and $3 = ''insert'' then ''key_exists''
         when m.times = 0 and m.unborn is not null or m.times = 1 and m.fixed is not null then ''denied''
         when m.times = 0 then ''insert'' when m.differs then ''update'' else ''same'' end order by m.at),
       array_agg(case when m.times = 0 then m.unborn else m.fixed end order by m.at),
       array_agg(m.shown order by m.at)
     from (
       select s.at, %1$s as times, %2$s as target, %3$s as differs, %4$s as fixed, min(%5$s) as unborn, min(%6$s) as shown
       from %7$s group by s.at
     ) m',
    case when matching is null then '0' else 'count(t.id)' end,
    case when matching is null then 'null::uuid' else '(array_agg(t.id))[1]' end,
    case when matching is null then 'false' else format('coalesce(bool_or(%s), false)', coalesce(differing, 'false')) end,
    case when matching is null or fixed is null then 'null::text' else format('min(case %s end)', fixed) end,
    case when unborn is null then 'null::text' else format('case %s end', unborn) end,
    case when matching is null then 'null::text'
      else format('concat_ws('', '', %s)', (select string_agg(format('r.%I', k.name), ', ' order by k.n)
                                          from unnest(keys) with ordinality as k (name, n))) end,
    case when matching is null then read_as else format('%s left join %s t on %s%s', read_as, own, matching,
      case when company is null then '' else ' and t.company_id = $1' end) end)
  into targets, kinds, columns, shown using company, vals, mode;
end $$;

-- Fields that are hidden already are filtered, ordered and searched by from now on, too.
do $$
declare
  known record;
begin
  for known in
    select t.tgrelid::regclass as tbl, h.field from pg_catalog.pg_trigger t cross join lateral app.hidden_columns(t.tgrelid::regclass) h
    where t.tgfoid = 'app.hide_value()'::regprocedure and t.tgname like '%\_zz\_hide\_' || h.field
  loop
    perform app.show_hidden(known.tbl, known.field);
  end loop;
end $$;
