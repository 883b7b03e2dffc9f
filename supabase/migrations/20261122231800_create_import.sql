-- Import: writes the rows of a file, all or none, and saves rows edited in a list.
-- Everything here runs as the caller: column grants, row-level security and triggers decide as they do for a single row. The
-- permission to import is checked in addition.
--
-- One INSERT and one UPDATE write everything. Only when they fail are the faulty rows searched for, by halving: 3 faulty rows of
-- 10,000 cost about 80 statements. Rows that passed stay written during the search, so that of two conflicting rows the later
-- one is reported; at the end everything is rolled back.
--
-- Rows are identified by their position in the list (`at`), and by the line of their file in the answer.

create function app.import_halve(
  statements text[], own regclass, company uuid, vals jsonb[], targets uuid[], places integer[], col text, room integer,
  until timestamptz
) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  whole integer := cardinality(places);
  middle integer := whole / 2;
  statement text;
  part integer;
  done integer := 0;
  problems jsonb;
  code text; said text; detailed text; hinted text; named text; bound text; bound_table text;
begin
  begin
    foreach statement in array statements loop
      execute statement using company, vals, targets;
      get diagnostics part = row_count;
      done := done + part;
    end loop;
    if done <> whole then
      -- Row-level security lets an update pass by what may be read and not written.
      raise exception using errcode = '42501', message = 'permission denied: the row was not written', hint = 'role';
    end if;
    return '[]';
  exception when others then
    get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
      hinted = pg_exception_hint, named = column_name, bound = constraint_name, bound_table = table_name;
    -- 54: a value that is too long for an index.
    if not app.concerns_row(code) and left(code, 2) <> '54' then
      raise;
    end if;
  end;
  if whole = 1 then
    if col is null and named = '' and bound <> '' then
      select min(a.attname) into named
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = k.conrelid and c.relname = bound_table
      join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname <> 'company_id'
      where k.conname = bound and k.conrelid = own
      having count(*) = 1;
    end if;
    return jsonb_build_array(jsonb_build_object('at', places[1], 'column', coalesce(col, nullif(named, '')), 'code', code,
      'message', said, 'details', nullif(detailed, ''), 'hint', case when col is null then nullif(hinted, '') else 'bad_value' end));
  end if;
  problems := app.import_halve(statements, own, company, vals[:middle], targets[:middle], places[:middle], col, room, until);
  if jsonb_array_length(problems) >= room or problems @> '[{"more": true}]' then
    return problems;
  elsif problems <> '[]' and clock_timestamp() >= until then
    return problems || '[{"more": true}]';
  end if;
  return problems || app.import_halve(statements, own, company, vals[middle + 1:], targets[middle + 1:], places[middle + 1:], col,
    room - jsonb_array_length(problems), until);
end $$;
comment on function app.import_halve(text[], regclass, uuid, jsonb[], uuid[], integer[], text, integer, timestamptz) is
  'Runs statements over a company ($1), values ($2) and the ids of rows that are there ($3), which touch each place once; when '
  'they fail, over each half, and so on. Gives the error of each place at fault until there are `room` of them or time is up, which '
  '{more} at the end tells. '
  'col: the values of this column are being read, and an error is one of it. Nobody calls it but import_rows(): it runs as its '
  'caller, whose rights end where theirs do.';
revoke execute on function app.import_halve(text[], regclass, uuid, jsonb[], uuid[], integer[], text, integer, timestamptz) from public, anon;
-- import_rows() runs as the caller and needs these grants; schema app is not exposed over HTTP.
grant execute on function app.import_halve(text[], regclass, uuid, jsonb[], uuid[], integer[], text, integer, timestamptz) to authenticated;

create function app.import_reference(own regclass, col text, by_col text, out target text, out far text, out in_company boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- Of references over the same column, the one that carries the company along: as app.filter_path() chooses.
  select k.confrelid::regclass::text, min(theirs.attname) filter (where ours.attname = col), exists (
      select 1 from pg_catalog.pg_attribute a
      where a.attrelid = k.confrelid and a.attname = 'company_id' and a.attnum > 0 and not a.attisdropped)
  into target, far, in_company
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.confrelid and c.relnamespace = 'public'::regnamespace
  cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
  join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
  join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
  where k.contype = 'f' and k.conrelid = own and exists (
    select 1 from pg_catalog.pg_attribute a
    where a.attrelid = k.confrelid and a.attname = by_col and a.attnum > 0 and not a.attisdropped)
  group by k.oid, k.confrelid
  having bool_or(ours.attname = col) and bool_and(ours.attname in (col, 'company_id'))
  order by count(*) desc, k.oid limit 1;
  if target is null then
    raise exception using errcode = '22023', hint = 'lookup_refused', detail = col,
      message = format('%L of %s is no reference to something with %L', col, own, by_col);
  end if;
end $$;
comment on function app.import_reference(regclass, text, text) is
  'What a column points at (target, by its column far), where that has the column by_col; 22023 otherwise.';
revoke execute on function app.import_reference(regclass, text, text) from public, anon;
grant execute on function app.import_reference(regclass, text, text) to authenticated;

create function app.import_look_up(
  own regclass, company uuid, col text, by_col text, inout vals jsonb[], inout problems jsonb
)
  language plpgsql stable set search_path = '' as $$
declare
  place record := app.import_reference(own, col, by_col);
  missed jsonb;
begin
  -- A value that leads nowhere becomes null, so that it is not refused a second time as no id.
  execute format(
    'with asked as (
       select s.v, s.at, s.v ? %1$L as given, nullif(s.v ->> %1$L, '''') as value from unnest($2) with ordinality as s (v, at)
     ), known as (
       select j.%2$I::text as value, count(*) as times, min(j.%3$I::text) as id from %4$s j
       where j.%2$I::text in (select a.value from asked a)%5$s group by 1
     )
     select array_agg(case when a.given then a.v || jsonb_build_object(%1$L, case when k.times = 1 then k.id end) else a.v end
         order by a.at),
       jsonb_agg(jsonb_build_object(''at'', a.at, ''column'', %1$L, ''code'', ''22023'', ''details'', left(a.value, 200),
         ''hint'', case when k.times > 1 then ''lookup_ambiguous'' else ''lookup_missing'' end,
         ''message'', case when k.times > 1 then %7$L else %6$L end)) filter (where a.value is not null and k.times is distinct from 1)
     from asked a left join known k on k.value = a.value',
    col, by_col, place.far, place.target, case when place.in_company and company is not null then ' and j.company_id = $1' else '' end,
    format('there is no such %s', col), format('there is more than one such %s', col))
  into vals, missed using company, vals;
  problems := problems || coalesce(missed, '[]');
end $$;
comment on function app.import_look_up(regclass, uuid, text, text, jsonb[], jsonb) is
  'Puts ids where the values of a column name what it points at, of the same company and through row-level security: one join.';
revoke execute on function app.import_look_up(regclass, uuid, text, text, jsonb[], jsonb) from public, anon;
grant execute on function app.import_look_up(regclass, uuid, text, text, jsonb[], jsonb) to authenticated;

create function app.import_columns(
  resource text, keys text[], used text[], out insertable text[], out updatable text[], out is_tenant boolean, out writes_company boolean
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  refused text;
begin
  select string_agg(u.name, ', ' order by u.name) filter (where a.attnum is null or a.attgenerated <> ''
      or u.name in ('company_id', 'version') or u.name <> all (keys)
        and not has_column_privilege(own, a.attnum, 'INSERT') and not has_column_privilege(own, a.attnum, 'UPDATE')),
    coalesce(array_agg(u.name) filter (where has_column_privilege(own, a.attnum, 'INSERT')), '{}'),
    coalesce(array_agg(u.name) filter (where has_column_privilege(own, a.attnum, 'UPDATE') and u.name <> all (keys)), '{}')
  into refused, insertable, updatable
  from unnest(used) as u (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = u.name and a.attnum > 0 and not a.attisdropped;
  if refused is not null then
    raise exception using errcode = '22023', hint = 'column_refused', detail = refused,
      message = format('%L has no such fields to import: %s', resource, refused);
  end if;
  select true, has_column_privilege(own, a.attnum, 'INSERT') into is_tenant, writes_company
  from pg_catalog.pg_attribute a where a.attrelid = own and a.attname = 'company_id' and a.attnum > 0 and not a.attisdropped;
  is_tenant := coalesce(is_tenant, false);
  writes_company := coalesce(writes_company, false);
end $$;
comment on function app.import_columns(text, text[], text[]) is
  'Which of these columns the caller may insert and update, keys not among the latter. 22023 with their names for those of which '
  'neither is granted, unless they are only keys, and for company_id, version and what the database computes.';
revoke execute on function app.import_columns(text, text[], text[]) from public, anon;
grant execute on function app.import_columns(text, text[], text[]) to authenticated;

create function app.import_find_keys(own regclass, vals jsonb[], keys text[], problems jsonb) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  found jsonb;
  given text := (select string_agg(format('%1$L, s.v -> %1$L', k.name), ', ') from unnest(keys) as k (name));
  listed text := (select string_agg(format('r.%I', k.name), ', ' order by k.n) from unnest(keys) with ordinality as k (name, n));
  emptiness text := (select string_agg(format('when r.%1$I is null or r.%1$I::text = '''' then %1$L', k.name), ' ' order by k.n)
                     from unnest(keys) with ordinality as k (name, n));
begin
  -- Compared as the database has them, so that 7 and 07 are the same number.
  execute format(
    'with known as (
       select s.at, jsonb_build_array(%1$s) as key, concat_ws('', '', %1$s) as shown, case %2$s end as empty
       from unnest($1) with ordinality as s (v, at) cross join lateral jsonb_populate_record(null::%3$s, jsonb_build_object(%4$s)) as r
       where s.at <> all ($2)
     ), counted as (
       select k.*, first_value(k.at) over (partition by k.key, k.empty order by k.at) as first from known k
     )
     select jsonb_agg(case when c.empty is not null
         then jsonb_build_object(''at'', c.at, ''column'', c.empty, ''code'', ''22023'', ''hint'', ''empty_key'',
           ''message'', ''the key is empty'')
         else jsonb_build_object(''at'', c.at, ''column'', %5$L::text, ''code'', ''22023'', ''hint'', ''duplicate_key_in_file'',
           ''message'', ''this key is in an earlier line'', ''details'', left(c.shown, 200), ''other'', c.first) end)
     from counted c where c.empty is not null or c.first <> c.at',
    listed, emptiness, own, given, case when cardinality(keys) = 1 then keys[1] end)
  into found using vals, array(select (p.problem ->> 'at')::integer from jsonb_array_elements(problems) as p (problem)
                               where p.problem ->> 'column' = any (keys));
  return coalesce(found, '[]');
end $$;
comment on function app.import_find_keys(regclass, jsonb[], text[], jsonb) is
  'Keys that are empty, or are in an earlier line already. Rows whose key has a problem are left out.';
revoke execute on function app.import_find_keys(regclass, jsonb[], text[], jsonb) from public, anon;
grant execute on function app.import_find_keys(regclass, jsonb[], text[], jsonb) to authenticated;

create function app.import_match(
  own regclass, company uuid, vals jsonb[], keys text[], insertable text[], updatable text[], used text[],
  mode text, out targets uuid[], out kinds text[], out columns text[], out shown text[]
)
  language plpgsql stable set search_path = '' as $$
declare
  matching text := (select string_agg(format('t.%1$I = r.%1$I', k.name), ' and ') from unnest(keys) as k (name));
  differing text := (select string_agg(format('(s.v ? %1$L and t.%2$I is distinct from r.%2$I)', u.name, u.name), ' or ')
                     from unnest(updatable) as u (name));
  -- Written only when it changes: a file that was exported holds columns that cannot be edited.
  fixed text := (select string_agg(format('when t.%1$I is distinct from r.%1$I and s.v ? %1$L then %1$L', u.name), ' ' order by u.name)
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
comment on function app.import_match(regclass, uuid, jsonb[], text[], text[], text[], text[], text) is
  'What is to be done with each row: insert, update or same, or why neither can be (ambiguous_key, unknown_key, key_exists, denied '
  'with the column), and the row of the company that has its key.';
revoke execute on function app.import_match(regclass, uuid, jsonb[], text[], text[], text[], text[], text) from public, anon;
grant execute on function app.import_match(regclass, uuid, jsonb[], text[], text[], text[], text[], text) to authenticated;

create function app.import_statements(
  own regclass, company uuid, writes_company boolean, insertable text[], updatable text[], out inserting text, out updating text
)
  language plpgsql stable set search_path = '' as $$
declare
  columns text;
  given text;
begin
  select string_agg(format(', %I', c.name), '' order by c.n), string_agg(format(', case when s.v ? %L then r.%I else %s end',
    c.name, c.name, coalesce(pg_get_expr(d.adbin, d.adrelid), 'null')), '' order by c.n)
  into columns, given
  from unnest(insertable) with ordinality as c (name, n)
  join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = c.name
  left join pg_catalog.pg_attrdef d on d.adrelid = own and d.adnum = a.attnum;
  inserting := format(
    'insert into %1$s (%2$s) select %3$s from unnest($2, $3) with ordinality as s (v, target, n)
     cross join lateral jsonb_populate_record(null::%1$s, s.v) as r where s.target is null order by s.n',
    own, ltrim(case when writes_company then 'company_id' else '' end || coalesce(columns, ''), ', '),
    ltrim(case when writes_company then '$1' else '' end || coalesce(given, ''), ', '));
  select format('update %1$s t set %2$s from unnest($2, $3) as s (v, target) cross join lateral jsonb_populate_record(null::%1$s, s.v) as r
     where t.id = s.target%3$s', own, string_agg(format('%1$I = case when s.v ? %1$L then r.%1$I else t.%1$I end', c.name), ', '),
    case when company is null then '' else ' and t.company_id = $1' end)
  into updating from unnest(updatable) as c (name);
end $$;
comment on function app.import_statements(regclass, uuid, boolean, text[], text[]) is
  'The statements that write rows of a company ($1): values ($2) with the id of the row that is there, or null ($3). What a row '
  'does not name keeps its value, and is the column''s default in a new one.';
revoke execute on function app.import_statements(regclass, uuid, boolean, text[], text[]) from public, anon;
grant execute on function app.import_statements(regclass, uuid, boolean, text[], text[]) to authenticated;

create function app.import_report(
  problems jsonb, lines integer[], inserted integer, updated integer, same integer, written boolean
) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_build_object('inserted', inserted, 'updated', updated, 'same', same, 'written', written,
    'errors', coalesce((
      select jsonb_agg(e.problem order by e.at, e.col, e.n) from (
        select (p.problem ->> 'at')::integer as at, p.problem ->> 'column' as col, p.n, jsonb_build_object('line', lines[(p.problem ->> 'at')::integer],
          'column', p.problem -> 'column', 'code', p.problem -> 'code', 'message', p.problem -> 'message',
          'details', p.problem -> 'details', 'hint', p.problem -> 'hint',
          'other_line', lines[(p.problem ->> 'other')::integer]) as problem
        from jsonb_array_elements(problems) with ordinality as p (problem, n) where p.problem ? 'at' order by 1, 2, 3 limit 200) e), '[]'),
    'more', jsonb_array_length(problems) > 200 or problems @> '[{"more": true}]')
$$;
comment on function app.import_report(jsonb, integer[], integer, integer, integer, boolean) is
  'The answer of import_rows(): at most 200 errors, in the order of the file.';
revoke execute on function app.import_report(jsonb, integer[], integer, integer, integer, boolean) from public, anon;
grant execute on function app.import_report(jsonb, integer[], integer, integer, integer, boolean) to authenticated;

create function app.import_check(rows jsonb, keys text[], lookups jsonb, mode text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  refused text := case
    when jsonb_typeof(rows) is distinct from 'array' then 'the rows are a list'
    when jsonb_array_length(rows) > 10000 then 'at most 10,000 rows a call'
    when pg_column_size(rows) > 20000000 then 'at most 20 MB a call'
    when jsonb_typeof(lookups) <> 'object' then 'the lookups are an object of column names'
    when mode is null or mode not in ('insert', 'update', 'upsert') then 'the mode is insert, update or upsert'
    when mode = 'update' and cardinality(keys) = 0 then 'without a key no row is known' end;
begin
  if refused is null and exists (
    select 1 from jsonb_array_elements(rows) as e (item)
    where jsonb_typeof(e.item) <> 'object' or jsonb_typeof(e.item -> 'values') is distinct from 'object'
      or coalesce(e.item ->> 'line', '') !~ '^[0-9]{1,9}$')
  then
    refused := 'a row is an object with a line and values';
  end if;
  if refused is null and exists (select 1 from jsonb_each(lookups) as l where jsonb_typeof(l.value) <> 'string') then
    refused := 'the lookups are an object of column names';
  end if;
  if refused is not null then
    raise exception using errcode = '22023', message = refused;
  end if;
end $$;
comment on function app.import_check(jsonb, text[], jsonb, text) is 'Refuses arguments of import_rows() that are none (22023).';
revoke execute on function app.import_check(jsonb, text[], jsonb, text) from public, anon;
grant execute on function app.import_check(jsonb, text[], jsonb, text) to authenticated;

create function app.import_find_bad(
  own regclass, vals jsonb[], used text[], until timestamptz, out problems jsonb, out more boolean
)
  language plpgsql stable set search_path = '' as $$
declare
  col text;
begin
  problems := '[]';
  more := false;
  begin
    execute format('select r from unnest($1) as s (v) cross join lateral jsonb_populate_record(null::%s, s.v) as r', own) using vals;
    return;
  exception when others then
    if not app.concerns_row(sqlstate) then
      raise;
    end if;
  end;
  foreach col in array used loop
    problems := problems || app.import_halve(array[format(
        'select r.%1$I from unnest($2) as s (v)
         cross join lateral jsonb_populate_record(null::%2$s, jsonb_build_object(%1$L, s.v -> %1$L)) as r', col, own)],
      own, null, vals, array_fill(null::uuid, array[cardinality(vals)]), array(select generate_subscripts(vals, 1)), col, 201, until);
    more := jsonb_array_length(problems) > 200 or problems @> '[{"more": true}]';
    exit when more;
  end loop;
end $$;
comment on function app.import_find_bad(regclass, jsonb[], text[], timestamptz) is
  'Values that are none of their column''s type: looked for column by column only when the rows cannot be read at once.';
revoke execute on function app.import_find_bad(regclass, jsonb[], text[], timestamptz) from public, anon;
grant execute on function app.import_find_bad(regclass, jsonb[], text[], timestamptz) to authenticated;

create function public.import_rows(
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
  used := array(select k.name from unnest(vals) as s (v), jsonb_object_keys(s.v) as k (name)
                union select unnest(known_by) union select jsonb_object_keys(named_by));
  may := app.import_columns(resource, known_by, used);
  if may.is_tenant <> (company is not null) then
    raise exception using errcode = '22023', message = format(
      case when may.is_tenant then 'name the company whose %s these are' else '%s belong to no company' end, resource);
  end if;
  if not company = any (app.visible_company_ids()) then
    -- One answer for a company that is another's and for one that is not there.
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

  -- What has a problem already is not written, but the others are tried: a person mends a file once, not once a kind of fault.
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
    -- Without a row, they only ask whether the caller may at all: a refusal here is one for the whole file.
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
comment on function public.import_rows(text, jsonb, uuid, text[], jsonb, text, boolean) is
  'Writes at most 10,000 rows {line, values} of a file, all or none: {inserted, updated, same, written, errors: [{line, column, code, '
  'message, details, hint, other_line}], more}. keys are the columns by which a row is known that is there already (none: every row '
  'is new), mode says whether rows may be added, changed or both (insert, update, upsert), lookups by which column of what it points '
  'at a value is named ({"device_id": "name"}). What a row does not name stays as it is. A dry run does everything and takes it back. '
  'With errors nothing is written and the figures say what the other rows would do; more: not all errors are listed. Runs as the '
  'caller, who needs the permission to import, and those to create and edit where rows are added and changed.';
revoke execute on function public.import_rows(text, jsonb, uuid, text[], jsonb, text, boolean) from public, anon;
grant execute on function public.import_rows(text, jsonb, uuid, text[], jsonb, text, boolean) to authenticated;

-- Saving edited rows --------------------------------------------------------------------------------------------------

create function public.save_rows(resource text, rows jsonb)
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  locks boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  unknown text;
  writable text;
  one record;
  assigned text;
  differing text;
  differs boolean;
  held integer;
  written integer;
  code text; said text; detailed text; hinted text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_array_length(rows) > 1000 then
    raise exception using errcode = '22023', message = 'the rows are a list of at most 1,000';
  end if;
  if exists (select 1 from jsonb_array_elements(rows) as e (item)
    where jsonb_typeof(e.item -> 'id') is distinct from 'string' or jsonb_typeof(e.item -> 'changes') is distinct from 'object'
      or e.item -> 'changes' = '{}' or coalesce(jsonb_typeof(e.item -> 'version'), 'null') not in ('number', 'null')) then
    raise exception using errcode = '22023', message = 'a row is an id, the version it was read with, and changes of a field or more';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')),
    min(k.name) filter (where has_column_privilege(own, a.attnum, 'update'))
  into unknown, writable
  from jsonb_array_elements(rows) as e (item)
  cross join lateral jsonb_object_keys(e.item -> 'changes') as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  if writable is not null then
    -- Without a row, it only asks whether the caller may at all: a refusal here is one for all rows.
    execute format('update %1$s t set %2$I = t.%2$I where false', own, writable);
  end if;
  for one in
    select (e.item ->> 'id')::uuid as key, e.item -> 'changes' as changes,
      case when locks then (e.item ->> 'version')::integer end as version
    from jsonb_array_elements(rows) with ordinality as e (item, n) order by e.n
  loop
    id := one.key;
    reason := null;
    begin
      select string_agg(format('%1$I = r.%1$I', k.name), ', '),
        string_agg(format('t.%1$I is distinct from r.%1$I', k.name), ' or ')
      into assigned, differing from jsonb_object_keys(one.changes) as k (name);
      execute format('select %s, %s from %s t, (select * from jsonb_populate_record(null::%3$s, $2) offset 0) r where t.id = $1',
        case when locks then 't.version' else 'null::integer' end, differing, own)
      into held, differs using one.key, one.changes;
      outcome := case when differs is null then 'gone' when not differs then 'same' when held <> one.version then 'stale' end;
      if outcome is null then
        execute format('update %1$s t set %2$s from (select * from jsonb_populate_record(null::%1$s, $2) offset 0) r where t.id = $1%3$s',
          own, assigned, case when one.version is null then '' else ' and t.version = $3' end)
        using one.key, one.changes, one.version;
        get diagnostics written = row_count;
        outcome := case when written > 0 then 'changed' else 'refused' end;
        if written = 0 and one.version is not null then
          -- Somebody may have been first between the reading and the writing.
          execute format('select t.version from %s t where t.id = $1', own) into held using one.key;
          outcome := case when held is null then 'gone' when held <> one.version then 'stale' else 'refused' end;
        end if;
        if outcome = 'refused' then
          reason := '{"code": "42501", "message": "the row was not changed", "hint": "role"}';
        end if;
      end if;
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      outcome := 'refused';
      reason := jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted);
    end;
    return next;
  end loop;
end $$;
comment on function public.save_rows(text, jsonb) is
  'Writes up to 1,000 rows [{id, version, changes}], each independently: changed, same (it already holds these values), stale '
  '(another version than the one it was read with), gone (not there, or not to be seen) or refused, with the error of the row as the '
  'reason. Without a version, and where the table has none, there is no lock. Runs as the caller.';
revoke execute on function public.save_rows(text, jsonb) from public, anon;
grant execute on function public.save_rows(text, jsonb) to authenticated;
