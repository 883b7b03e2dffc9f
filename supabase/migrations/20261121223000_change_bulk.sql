-- Many rows at once, continued: lists and linked records are added to, taken from and replaced; actions answer for every
-- row; and what a job says of a row is what holds after it, also where others wrote meanwhile. All of it runs as the caller.

-- Editing -----------------------------------------------------------------------------------------------------------

drop function public.bulk_edit(text, uuid[], jsonb);

create function app.check_list_change(entry jsonb) returns void
  language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(entry -> 'items') is distinct from 'array' or coalesce(entry ->> 'how', '') not in ('add', 'remove', 'replace') then
    raise exception using errcode = '22023', message = 'a change of a list says how (add, remove, replace) and with which items';
  end if;
  if jsonb_array_length(entry -> 'items') > 200 or (entry ->> 'how' <> 'replace' and entry -> 'items' = '[]') then
    raise exception using errcode = '22023', message = 'a list is changed by 1 to 200 items';
  end if;
end $$;
comment on function app.check_list_change(jsonb) is 'Refuses (22023) a change of a list that does not say how, or has no items or too many.';

create function app.words_change(resource text, entry jsonb, out assigned text, out differing text)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  kind regtype;
  col text := format('t.%I', entry ->> 'field');
  base text;
  items text[] := array(select e.item from jsonb_array_elements_text(entry -> 'items') with ordinality as e (item, n) order by e.n);
  ranked text[] := array(select e.item from jsonb_array_elements_text(
    case jsonb_typeof(entry -> 'ranked') when 'array' then entry -> 'ranked' else '[]' end) with ordinality as e (item, n) order by e.n);
begin
  select a.atttypid into kind from pg_catalog.pg_attribute a
  where a.attrelid = own and a.attname = entry ->> 'field' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.atttypid in ('text[]'::regtype, 'jsonb'::regtype);
  if kind is null then
    raise exception using errcode = '22023', message = format('%L has no list %L to edit', resource, entry ->> 'field');
  end if;
  base := case kind when 'text[]'::regtype then format('coalesce(%s, ''{}'')', col)
    else format('array(select e.item from jsonb_array_elements_text(case jsonb_typeof(%1$s) when ''array'' then %1$s else ''[]'' end) '
      'with ordinality as e (item, n) order by e.n)', col) end;
  differing := case entry ->> 'how'
    when 'add' then format('not (%s @> %L::text[])', base, items)
    when 'remove' then format('%s && %L::text[]', base, items)
    else format('not (%1$s @> %2$L::text[] and %1$s <@ %2$L::text[])', base, items) end;
  assigned := case entry ->> 'how'
    when 'add' then format('array(select x.item from (select u.item, u.n from unnest(%1$s) with ordinality as u (item, n) '
      'union all select u.item, 100000 + u.n from unnest(%2$L::text[]) with ordinality as u (item, n) where u.item <> all (%1$s)) x '
      'order by array_position(%3$L::text[], x.item), x.n)', base, items, ranked)
    when 'remove' then format('array(select u.item from unnest(%s) with ordinality as u (item, n) where u.item <> all (%L::text[]) '
      'order by u.n)', base, items)
    else format('%L::text[]', items) end;
  assigned := format(case kind when 'jsonb'::regtype then '%I = to_jsonb(%s)' else '%I = %s' end, entry ->> 'field', assigned);
end $$;
comment on function app.words_change(text, jsonb) is
  'How a column that holds a list of words is set, and for which rows (t) that changes something: '
  '{field, how: add|remove|replace, items, ranked: the order of a closed list}. 22023 for anything but a list.';

create function app.links_change(resource text, entry jsonb, place integer, out writes text, out changed text, out settled text)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  through regclass;
  near text := entry ->> 'near';
  far text := entry ->> 'far';
  has_company boolean;
  joined text;
  items uuid[] := array(select distinct e.item::uuid from jsonb_array_elements_text(entry -> 'items') as e (item));
begin
  -- The table between: in the API's schema, with one reference to these rows and one to the others.
  select c.oid::regclass, exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
  into through, has_company
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = entry ->> 'through' and near <> far
    and 2 = (
      select count(distinct pair.named) from pg_catalog.pg_constraint k
      cross join lateral (
        select bool_and(a.attname in (s.named, 'company_id')) and bool_or(a.attname = s.named) as fits, s.named
        from (values (near, own), (far, null)) as s (named, target)
        cross join unnest(k.conkey) as u (attnum)
        join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum
        where s.target is null or s.target = k.confrelid
        group by s.named) pair
      where k.conrelid = c.oid and k.contype = 'f' and pair.fits);
  if through is null then
    raise exception using errcode = '22023', message = format('%L is not linked through %L', resource, entry ->> 'through');
  end if;
  perform app.require(entry ->> 'through', 'list');
  joined := format(case when has_company then 'j.%I = t.id and j.company_id = t.company_id' else 'j.%I = t.id' end, near);
  if entry ->> 'how' <> 'remove' then
    writes := format('a%s as (insert into %s (%s%I, %I) select %s t.id, o.item from t cross join unnest(%L::uuid[]) as o (item) '
      'on conflict do nothing returning %4$I as id)', place, through, case when has_company then 'company_id, ' else '' end, near, far,
      case when has_company then 't.company_id,' else '' end, items);
    changed := format('select id from a%s', place);
    settled := format('not exists (select 1 from unnest(%L::uuid[]) as o (item) where not exists (select 1 from %s j where %s and j.%I = o.item))',
      items, through, joined, far);
  end if;
  if entry ->> 'how' <> 'add' then
    writes := concat_ws(', ', writes, format('d%s as (delete from %s j using t where %s and %s(j.%I = any (%L::uuid[])) returning t.id)',
      place, through, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
    changed := concat_ws(' union all ', changed, format('select id from d%s', place));
    settled := concat_ws(' and ', settled, format('not exists (select 1 from %s j where %s and %s(j.%I = any (%L::uuid[])))',
      through, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
  end if;
end $$;
comment on function app.links_change(text, jsonb, integer) is
  'Writes in a table between the rows (t) and others, as parts of a statement: {through, near, far, how: add|remove|replace, items: ids}. '
  'Who writes needs what the table between asks; its keys refuse an other of another company (23503). 22023 for a table that does not link.';

create function app.row_outcomes(ids uuid[], word text, written uuid[], there uuid[], settled uuid[], refused jsonb, said text)
  returns table (id uuid, outcome text, reason jsonb)
  language sql immutable set search_path = '' as $$
  select u.one, o.outcome, case when o.outcome = 'refused'
    then coalesce(refused -> u.one::text, jsonb_build_object('code', '42501', 'message', said, 'hint', 'role')) end
  from (select distinct x.one from unnest(ids) as x (one) where x.one is not null) u
  cross join lateral (select case
    when u.one = any (coalesce(written, '{}')) then word
    when not u.one = any (coalesce(there, '{}')) then 'gone'
    when refused ? u.one::text then 'refused'
    when u.one = any (coalesce(settled, '{}')) then 'same' else 'refused' end as outcome) o
$$;
comment on function app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text) is
  'What became of each row, judged by what holds afterwards: written, gone (no longer to be seen), refused with its error, same. '
  'Who came first in a race is then told truly: a row deleted between two statements is gone, one that others made so is same.';

create function public.bulk_edit(resource text, ids uuid[], changes jsonb default '{}', lists jsonb default '[]')
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  entry jsonb;
  part record;
  place integer := 0;
  unknown text;
  assigned text[];
  differing text[];
  writes text[] := '{}';
  changed text[] := '{}';
  settled text[] := '{}';
  there uuid[];
  settled_ids uuid[];
  done record;
  given constant text := format('(select * from jsonb_populate_record(null::%s, $2) offset 0) r', own);
begin
  perform app.check_batch(ids);
  if jsonb_typeof(changes) is distinct from 'object' or jsonb_typeof(lists) is distinct from 'array'
    or (changes = '{}' and lists = '[]') or jsonb_array_length(lists) > 20 then
    raise exception using errcode = '22023', message = 'the changes are an object with a field or more, or a list of changed lists';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')),
    array_agg(format('%1$I = r.%1$I', k.name)), array_agg(format('t.%1$I is distinct from r.%1$I', k.name))
  into unknown, assigned, differing
  from jsonb_object_keys(changes) as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  for entry in select e.item from jsonb_array_elements(lists) as e (item) loop
    perform app.check_list_change(entry);
    if entry ? 'field' then
      if changes ? (entry ->> 'field') then
        raise exception using errcode = '22023', message = format('%L is changed twice', entry ->> 'field');
      end if;
      part := app.words_change(resource, entry);
      assigned := assigned || part.assigned::text;
      differing := differing || part.differing::text;
    else
      place := place + 1;
      part := app.links_change(resource, entry, place);
      writes := writes || part.writes::text;
      changed := changed || part.changed::text;
      settled := settled || part.settled::text;
    end if;
  end loop;
  if cardinality(assigned) > 0 then
    -- Links follow the columns: of a row whose columns are not to be written, nothing is.
    writes := array[format('w as (update %s t set %s from %s where t.id = any ($1) and (%s) returning t.id)',
        own, array_to_string(assigned, ', '), given, array_to_string(differing, ' or ')),
      format('t as (select t.* from %s t, %s where t.id = any ($1) and (not (%s) or t.id in (select w.id from w)))',
        own, given, array_to_string(differing, ' or '))] || writes;
    changed := array['select w.id from w'] || changed;
    settled := settled || format('not (%s)', array_to_string(differing, ' or '));
  else
    writes := format('t as (select t.* from %s t where t.id = any ($1))', own) || writes;
  end if;
  done := app.write_batch(format('with %s select array_agg(distinct x.id) from (%s) x',
    array_to_string(writes, ', '), array_to_string(changed, ' union all ')), ids, changes);
  execute format('select array_agg(t.id), array_agg(t.id) filter (where %s) from %s t, %s where t.id = any ($1)',
    array_to_string(settled, ' and '), own, given) into there, settled_ids using ids, changes;
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, settled_ids, done.refused, 'the row was not changed');
end $$;
comment on function public.bulk_edit(text, uuid[], jsonb, jsonb) is
  'Sets fields of at most 1,000 rows and changes lists of theirs (app.words_change, app.links_change): changed, same (it is so already), '
  'gone (not there, or not to be seen) or refused, with the error of the row as the reason; of a refused row nothing is written. '
  'Runs as the caller: grants by column, row-level security and triggers decide as for one row.';

create or replace function public.bulk_delete(resource text, ids uuid[])
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  there uuid[];
  done record;
begin
  perform app.check_batch(ids);
  done := app.write_batch(format(
    'with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own), ids, '{}');
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the row was not deleted');
end $$;

-- Actions -----------------------------------------------------------------------------------------------------------

create function app.act_statement(act text, argument text, args jsonb, out statement text, out is_single boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- A caller reaches no function this way that the API would not let them call.
  select format('select %s from %s%I.%I(%s)', case when f.counts then 'q.reached' else 'null::bigint' end,
      case when f.typed is null then '' else format('jsonb_to_record($2) as p (%s) cross join lateral ', f.typed) end,
      'public', act, concat_ws(', ', format('%I => %s', argument, case when f.single then '($1)[1]' else '$1' end), f.passed))
      || case when f.counts then ' as q (reached)' else '' end,
    f.single
  into statement, is_single
  from (
    select p.oid, not p.proretset and p.prorettype in ('integer'::regtype, 'bigint'::regtype) as counts,
      bool_or(a.name = argument and a.type = 'uuid'::regtype) as single,
      bool_or(a.name = argument and a.type in ('uuid'::regtype, 'uuid[]'::regtype)) as takes_rows,
      count(*) filter (where args ? a.name and a.name <> argument) as known,
      string_agg(format('%I %s', a.name, pg_catalog.format_type(a.type, null)), ', ') filter (where args ? a.name) as typed,
      string_agg(format('%1$I => p.%1$I', a.name), ', ') filter (where args ? a.name) as passed
    from pg_catalog.pg_proc p
    cross join lateral unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes) as a (type, name, mode)
    where p.pronamespace = 'public'::regnamespace and p.proname = act and p.prokind = 'f'
      and coalesce(a.mode, 'i') in ('i', 'b') and has_function_privilege(p.oid, 'execute')
    group by p.oid
  ) f
  where f.takes_rows and not args ? argument and f.known = (select count(*) from jsonb_object_keys(args))
  order by f.oid limit 1;
  if statement is null then
    raise exception using errcode = '22023', message = format('there is no action %L over %L with such arguments', act, argument);
  end if;
end $$;
comment on function app.act_statement(text, text, jsonb) is
  'The call of a function of the API, its rows as $1 (uuid[], or its first where it takes one) and its other arguments from $2. '
  '22023 where the caller may call none that takes these.';

create function app.act_batch(statement text, ids uuid[], args jsonb, is_single boolean, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  reached bigint;
  middle integer := (cardinality(ids) + 1) / 2;
  first_half record;
  other_half record;
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  if cardinality(ids) = 0 then
    return;
  end if;
  if cardinality(ids) = 1 or not is_single then
    begin
      execute statement into reached using ids, args;
      if reached is null or reached >= cardinality(ids) then
        written := ids;
        return;
      end if;
      -- A row alone that was not reached is told by what holds of it; of several it is not known which.
      if cardinality(ids) = 1 then
        return;
      end if;
      raise exception using errcode = 'PT000', message = 'some rows were not reached';
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
    end;
    if cardinality(ids) = 1 then
      refused := jsonb_build_object(ids[1]::text,
        jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
      return;
    end if;
  end if;
  first_half := app.act_batch(statement, ids[:middle], args, is_single);
  other_half := app.act_batch(statement, ids[middle + 1:], args, is_single);
  written := first_half.written || other_half.written;
  refused := first_half.refused || other_half.refused;
end $$;
comment on function app.act_batch(text, uuid[], jsonb, boolean) is
  'Runs an action over rows: all at once, or halved until the row that stands in the way is alone. A number in its answer is how many '
  'rows it reached. Nobody calls it but bulk_act(); it runs as its caller.';

create function public.bulk_act(
  resource text, ids uuid[], act text, argument text default 'ids', args jsonb default '{}', condition jsonb default '{}'
) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  call record := app.act_statement(act, argument, args);
  fit uuid[];
  there uuid[];
  unfit jsonb;
  done record;
begin
  perform app.check_batch(ids);
  -- Without a row, and taken back: a refusal of the caller is one for the whole batch, any other is about the missing row.
  begin
    execute call.statement using '{}'::uuid[], args;
    raise exception using errcode = 'PT000', message = 'only asked';
  exception when others then
    if sqlstate = '42501' then
      raise;
    end if;
  end;
  execute format('select array_agg(t.id order by t.id) filter (where %s), '
    'jsonb_object_agg(t.id, jsonb_build_object(''code'', ''PT412'', ''message'', ''not possible as the row stands'')) filter (where (%1$s) is not true) '
    'from %s t where t.id = any ($1)', app.filter_condition(resource, condition), own) into fit, unfit using ids;
  done := app.act_batch(call.statement, coalesce(fit, '{}'), args, call.is_single);
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, fit, done.refused || coalesce(unfit, '{}'), '');
end $$;
comment on function public.bulk_act(text, uuid[], text, text, jsonb, jsonb) is
  'Calls a function of the API that takes rows, over at most 1,000: changed, same (it did not reach them), gone, or refused with the error '
  'of the row; PT412 where the condition, a filter as in app.filter_condition(), does not hold of the row when it is its turn. '
  'Runs as the caller, who needs what the function asks.';

-- Titles ------------------------------------------------------------------------------------------------------------

create function public.record_titles(wanted jsonb) returns table (resource text, id uuid, fields jsonb)
  language plpgsql stable set search_path = '' as $$
declare
  entry record;
  own regclass;
  columns text;
begin
  if jsonb_typeof(wanted) is distinct from 'object' or (select count(*) from jsonb_object_keys(wanted)) > 50 then
    raise exception using errcode = '22023', message = 'what is wanted is an object with at most 50 resources';
  end if;
  for entry in select e.key, array(select x.item::uuid from jsonb_array_elements_text(e.value -> 'ids') as x (item)) as ids,
      array(select x.item from jsonb_array_elements_text(e.value -> 'fields') as x (item)) as fields
    from jsonb_each(wanted) as e loop
    own := app.filter_table(entry.key);
    perform app.check_batch(entry.ids);
    select string_agg(format('%L, t.%I', a.attname, a.attname), ', ') into columns from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    begin
      return query execute format('select %L, t.id, jsonb_build_object(%s) from %s t where t.id = any ($1)',
        entry.key, coalesce(columns, ''), own) using entry.ids;
    exception when insufficient_privilege then
      -- What the caller may not read has no title for them.
      null;
    end;
  end loop;
end $$;
comment on function public.record_titles(jsonb) is
  'How records of several resources are called, in one request: {resource: {ids, fields}}, at most 1,000 ids each. What is not there, '
  'or not to be seen, is not in the answer. Runs as the caller.';

revoke execute on function app.check_list_change(jsonb), app.words_change(text, jsonb), app.links_change(text, jsonb, integer),
  app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text), app.act_statement(text, text, jsonb),
  app.act_batch(text, uuid[], jsonb, boolean), public.bulk_edit(text, uuid[], jsonb, jsonb),
  public.bulk_act(text, uuid[], text, text, jsonb, jsonb), public.record_titles(jsonb) from public, anon;
grant execute on function app.check_list_change(jsonb), app.words_change(text, jsonb), app.links_change(text, jsonb, integer),
  app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text), app.act_statement(text, text, jsonb),
  app.act_batch(text, uuid[], jsonb, boolean), public.bulk_edit(text, uuid[], jsonb, jsonb),
  public.bulk_act(text, uuid[], text, text, jsonb, jsonb), public.record_titles(jsonb) to authenticated;
