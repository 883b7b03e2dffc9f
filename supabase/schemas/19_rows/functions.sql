create function app.concerns_row(code text) returns boolean
  language sql immutable set search_path = '' as $$
  select code = '42501' or left(code, 2) in ('22', '23', 'P0', 'PT')
$$;
comment on function app.concerns_row(text) is
  'Whether an error is about the row that was written, so that the rows beside it can still be; a deadlock or a lost connection is not.';
grant execute on function app.concerns_row(text) to authenticated;

create function app.row_problem(code text, said text, detailed text, hinted text) returns jsonb
  language sql immutable set search_path = '' as $$
  select jsonb_build_object('code', code, 'message', said,
    'details', case when detailed like 'Failing row contains%' then '' else detailed end, 'hint', hinted)
$$;
comment on function app.row_problem(text, text, text, text) is
  'The error of a row as it is answered. A check that failed has the whole row as its detail, with columns that the caller may not read: that is left out.';
grant execute on function app.row_problem(text, text, text, text) to authenticated;

create function app.write_batch(statement text, ids uuid[], changes jsonb, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  one uuid;
  ids_written uuid[];
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for the whole batch.
  execute statement into ids_written using '{}'::uuid[], changes;
  begin
    execute statement into ids_written using ids, changes;
    written := coalesce(ids_written, '{}');
    return;
  exception when others then
    if not app.concerns_row(sqlstate) then
      raise;
    end if;
  end;
  foreach one in array ids loop
    begin
      execute statement into ids_written using array[one], changes;
      written := written || coalesce(ids_written, '{}');
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      refused := refused || jsonb_build_object(one::text,
        app.row_problem(code, said, detailed, hinted));
    end;
  end loop;
end $$;
comment on function app.write_batch(text, uuid[], jsonb) is
  'Runs a statement over ids ($1) and changes ($2) that gives the ids it wrote: at once, or row by row when one row fails. '
  'Nobody calls it but bulk_edit() and bulk_delete(): it runs as its caller, whose rights end where theirs do.';
grant execute on function app.write_batch(text, uuid[], jsonb) to authenticated;

create function app.lock_rows(own regclass, ids uuid[], to_delete boolean default false) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  -- Rows of a view are written by its trigger and cannot be locked; who may write no column may lock no row.
  if (select c.relkind from pg_catalog.pg_class c where c.oid = own) <> 'v' and has_any_column_privilege(own, 'update') then
    execute format('select from %s t where t.id = any ($1) order by t.id for %s', own,
      case when to_delete then 'update' else 'no key update' end) using ids;
  end if;
end $$;
comment on function app.lock_rows(regclass, uuid[], boolean) is
  'Locks the rows that the caller may write, in the one order in which everybody locks them: two people who write the same rows wait for each '
  'other, and neither ends in a deadlock. The next statement then reads them as it will write them. A deletion locks more than a change.';
grant execute on function app.lock_rows(regclass, uuid[], boolean) to authenticated;

create function app.check_batch(ids uuid[]) returns void
  language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(cardinality(ids), 0) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 rows a call';
  end if;
end $$;
comment on function app.check_batch(uuid[]) is 'Refuses a batch of more than 1,000 rows (22023).';
grant execute on function app.check_batch(uuid[]) to authenticated;

create function public.bulk_edit(
  resource text, ids uuid[], changes jsonb default '{}', lists jsonb default '[]', job uuid default null
) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  has_version constant boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  entry jsonb;
  part record;
  place integer := 0;
  unknown text;
  names text[];
  assigned text[];
  differing text[];
  writes text[] := '{}';
  changed text[] := '{}';
  settled text[] := '{}';
  kept text[] := '{}';
  kept_joins text[] := '{}';
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
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')), array_agg(k.name),
    array_agg(format('%1$I = r.%1$I', k.name)), array_agg(format('t.%1$I is distinct from r.%1$I', k.name))
  into unknown, names, assigned, differing
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
      names := names || (entry ->> 'field');
      assigned := assigned || part.assigned::text;
      differing := differing || part.differing::text;
    else
      place := place + 1;
      part := app.links_change(resource, entry, place);
      writes := writes || part.writes::text;
      changed := changed || part.changed::text;
      settled := settled || part.settled::text;
      part := app.links_kept(entry, place);
      kept := kept || part.kept::text;
      kept_joins := kept_joins || part.joined::text;
    end if;
  end loop;
  if cardinality(assigned) > 0 then
    -- Links follow the columns: of a row whose columns are not to be written, nothing is. The rows are locked, so that the old values are
    -- the very ones that are overwritten.
    writes := array[format('o as (select x.* from %s x where x.id = any ($1))', own),
      format('w as (update %s t set %s from o, %s where t.id = o.id and (%s) returning t.id, jsonb_build_object(%s) as before)',
        own, array_to_string(assigned, ', '), given, array_to_string(differing, ' or '),
        (select string_agg(format('%1$L, o.%1$I', n.name), ', ') from unnest(names) as n (name))),
      format('t as (select t.* from %s t, %s where t.id = any ($1) and (not (%s) or t.id in (select w.id from w)))',
        own, given, array_to_string(differing, ' or '))] || writes;
    changed := array['select w.id from w'] || changed;
    settled := settled || format('not (%s)', array_to_string(differing, ' or '));
  else
    writes := format('t as (select t.* from %s t where t.id = any ($1))', own) || writes;
  end if;
  writes := writes || format('c as (select distinct x.id from (%s) x)', array_to_string(changed, ' union all '));
  -- In a statement of its own: the one that writes would compare rows as they stood before it waited.
  perform app.lock_rows(own, ids);
  done := app.write_batch(format('with %s select %s from c%s', array_to_string(writes, ', '),
    case when job is null then 'array_agg(c.id)'
      else format('app.keep_bulk_change(%L::uuid, %L, array_agg(c.id), array_agg(%s), array_agg(jsonb_build_array(%s)))', job, resource,
        case when cardinality(assigned) > 0 then 'coalesce(w.before, ''{}'')' else '''{}''::jsonb' end, array_to_string(kept, ', ')) end,
    case when job is null then '' else concat(case when cardinality(assigned) > 0 then ' left join w on w.id = c.id' end,
      array_to_string(kept_joins, '')) end), ids, changes);
  if job is not null then
    -- As triggers left the rows, not as the statement wrote them.
    execute format('select app.settle_bulk_change($2, $3, array_agg(t.id), %s) from app.bulk_changes($2, $3, $1) b join %s t on t.id = b.row_id',
      case when has_version then 'array_agg(t.version), null'
        else 'null, array_agg((select coalesce(jsonb_object_agg(e.key, to_jsonb(t) -> e.key), ''{}'') from jsonb_each(b.before) e))' end, own)
    using done.written, job, resource;
  end if;
  execute format('select array_agg(t.id), array_agg(t.id) filter (where %s) from %s t, %s where t.id = any ($1)',
    array_to_string(settled, ' and '), own, given) into there, settled_ids using ids, changes;
  -- A batch whose answer was lost is sent again: what it wrote then is still this job's change.
  return query select * from app.row_outcomes(ids, 'changed', done.written || array(
      select b.row_id from app.bulk_changes(job, resource, settled_ids) b where b.undone_at is null),
    there, settled_ids, done.refused, 'the row was not changed');
end $$;
comment on function public.bulk_edit(text, uuid[], jsonb, jsonb, uuid) is
  'Sets fields of up to 1,000 rows and changes their lists (app.words_change, app.links_change): changed, same (it is so already), '
  'gone (not there, or not to be seen) or refused, with the error of the row as the reason; of a refused row nothing is written. '
  'With a job, an id the caller chose, what stood there is kept for bulk_undo(). '
  'Runs as the caller: grants by column, row-level security and triggers decide as for one row.';
grant execute on function public.bulk_edit(text, uuid[], jsonb, jsonb, uuid) to authenticated;

create function public.bulk_delete(resource text, ids uuid[])
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  there uuid[];
  done record;
begin
  perform app.check_batch(ids);
  perform app.lock_rows(own, ids, true);
  -- A deletion that keeps the row returns nothing.
  done := app.write_batch(case when app.has_trash(own) then format('select app.trash_rows(%L::regclass, $1)', own)
    else format('with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own) end, ids, '{}');
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the row was not deleted');
end $$;
comment on function public.bulk_delete(text, uuid[]) is
  'Deletes up to 1,000 rows, or moves them to the trash of their table: deleted, gone (not there, or not to be seen) or refused, with the error of the row as the reason: '
  'one that others hold stays. Runs as the caller.';
grant execute on function public.bulk_delete(text, uuid[]) to authenticated;

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
grant execute on function app.check_list_change(jsonb) to authenticated;

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
grant execute on function app.words_change(text, jsonb) to authenticated;

create function app.links_change(resource text, entry jsonb, place integer, out writes text, out changed text, out settled text)
  language plpgsql stable set search_path = '' as $$
declare
  near text := entry ->> 'near';
  far text := entry ->> 'far';
  link record := app.link_table(resource, entry ->> 'through', near, far);
  joined text;
  items uuid[] := array(select distinct e.item::uuid from jsonb_array_elements_text(entry -> 'items') as e (item));
begin
  joined := format(case when link.has_company then 'j.%I = t.id and j.company_id = t.company_id' else 'j.%I = t.id' end, near);
  if entry ->> 'how' <> 'remove' then
    writes := format('a%s as (insert into %s (%s%I, %I) select %s t.id, o.item from t cross join unnest(%L::uuid[]) as o (item) '
      'on conflict do nothing returning %4$I as id, %5$I as item)', place, link.tbl,
      case when link.has_company then 'company_id, ' else '' end, near, far,
      case when link.has_company then 't.company_id,' else '' end, items);
    changed := format('select id from a%s', place);
    settled := format('not exists (select 1 from unnest(%L::uuid[]) as o (item) where not exists (select 1 from %s j where %s and j.%I = o.item))',
      items, link.tbl, joined, far);
  end if;
  if entry ->> 'how' <> 'add' then
    writes := concat_ws(', ', writes, format('d%s as (delete from %s j using t where %s and %s(j.%I = any (%L::uuid[])) returning t.id, j.%5$I as item)',
      place, link.tbl, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
    changed := concat_ws(' union all ', changed, format('select id from d%s', place));
    settled := concat_ws(' and ', settled, format('not exists (select 1 from %s j where %s and %s(j.%I = any (%L::uuid[])))',
      link.tbl, joined, case entry ->> 'how' when 'replace' then 'not ' else '' end, far, items));
  end if;
end $$;
comment on function app.links_change(text, jsonb, integer) is
  'Writes in a table between the rows (t) and others, as parts of a statement: {through, near, far, how: add|remove|replace, items: ids}. '
  'a<place> gives the links it made and d<place> those it removed, each as (id, item). Who writes needs what the table between asks; its '
  'keys refuse an other of another company (23503). 22023 for a table that does not link.';
grant execute on function app.links_change(text, jsonb, integer) to authenticated;

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
grant execute on function app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text) to authenticated;

-- An action on many rows cannot be one of the listed actions: a nested call of itself exhausted the stack of the embedded
-- database, which breaks it for everyone.
create function app.act_statement(act text, argument text, args jsonb, out statement text, out is_single boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- A caller reaches no function this way that the API would not let them call; and not itself, or its arguments would say
  -- how deep it goes.
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
    where p.pronamespace = 'public'::regnamespace and p.proname = act and act <> 'bulk_act' and p.prokind = 'f'
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
grant execute on function app.act_statement(text, text, jsonb) to authenticated;

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
        app.row_problem(code, said, detailed, hinted));
      return;
    end if;
  end if;
  first_half := app.act_batch(statement, ids[:middle], args, is_single);
  other_half := app.act_batch(statement, ids[middle + 1:], args, is_single);
  written := first_half.written || other_half.written;
  refused := first_half.refused || other_half.refused;
end $$;
comment on function app.act_batch(text, uuid[], jsonb, boolean) is
  'Runs an action over rows: all at once, or halved until the failing row is alone. A number in its answer is how many '
  'rows it reached. Nobody calls it but bulk_act(); it runs as its caller.';
grant execute on function app.act_batch(text, uuid[], jsonb, boolean) to authenticated;

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
  -- The statement writes no row and is taken back: a refusal of the caller is one for the whole batch, any other is about the missing row.
  begin
    execute call.statement using '{}'::uuid[], args;
    raise exception using errcode = 'PT000', message = 'only asked';
  exception when others then
    if sqlstate = '42501' then
      raise;
    end if;
  end;
  execute format('select array_agg(t.id order by t.id) filter (where %s), '
    'jsonb_object_agg(t.id, jsonb_build_object(''code'', ''PT412'', ''message'', ''the row has changed and no longer allows this'')) filter (where (%1$s) is not true) '
    'from %s t where t.id = any ($1)', app.filter_condition(resource, condition), own) into fit, unfit using ids;
  done := app.act_batch(call.statement, coalesce(fit, '{}'), args, call.is_single);
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, fit, done.refused || coalesce(unfit, '{}'), '');
end $$;
comment on function public.bulk_act(text, uuid[], text, text, jsonb, jsonb) is
  'Calls a function of the API that takes rows, for up to 1,000: changed, same (it did not reach them), gone, or refused with the error '
  'of the row; PT412 where the condition, a filter as in app.filter_condition(), does not hold of the row when it is its turn. '
  'Runs as the caller, who needs what the function asks.';
grant execute on function public.bulk_act(text, uuid[], text, text, jsonb, jsonb) to authenticated;

create function app.keep_bulk_change(job uuid, resource text, ids uuid[], before jsonb[], links jsonb[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.bulk_change (job_id, resource, row_id, before, links)
  select keep_bulk_change.job, keep_bulk_change.resource, u.id, u.before, u.links
  from unnest(ids, keep_bulk_change.before, keep_bulk_change.links) as u (id, before, links)
  on conflict do nothing;
  return ids;
end $$;
comment on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]) is
  'Keeps what rows held before the caller''s bulk edit, and gives their ids back. Definer, because no API role comes to app.bulk_change; '
  'what is kept is only ever written back as the caller. Nobody calls it but bulk_edit().';
grant execute on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]) to authenticated;

create function app.settle_bulk_change(job uuid, resource text, ids uuid[], versions integer[], after jsonb[]) returns void
  language sql volatile security definer set search_path = '' as $$
  update app.bulk_change b set version = u.version, after = u.after
  from unnest(settle_bulk_change.ids, settle_bulk_change.versions, settle_bulk_change.after) as u (id, version, after)
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = settle_bulk_change.resource and b.row_id = u.id
$$;
comment on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) is
  'Notes how the caller''s bulk edit left rows. Definer, because no API role comes to app.bulk_change. Nobody calls it but bulk_edit().';
grant execute on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) to authenticated;

create function app.bulk_changes(job uuid, resource text, ids uuid[]) returns setof app.bulk_change
  language sql stable security definer set search_path = '' rows 200 as $$
  select b.* from app.bulk_change b
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = bulk_changes.resource and b.row_id = any (ids)
$$;
comment on function app.bulk_changes(uuid, text, uuid[]) is
  'What the caller''s own bulk edit changed in these rows. Definer, because no API role comes to app.bulk_change; never another''s.';
grant execute on function app.bulk_changes(uuid, text, uuid[]) to authenticated;

create function app.mark_undone(job uuid, resource text, ids uuid[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.bulk_change b set undone_at = now()
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = mark_undone.resource and b.row_id = any (ids);
  return ids;
end $$;
comment on function app.mark_undone(uuid, text, uuid[]) is
  'Notes that the caller''s bulk edit was undone in these rows, and gives their ids back. Definer, because no API role comes to '
  'app.bulk_change. Nobody calls it but bulk_undo().';
grant execute on function app.mark_undone(uuid, text, uuid[]) to authenticated;

create function app.forget_bulk_changes() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.bulk_change b where b.ctid = any (array(
    select c.ctid from app.bulk_change c where c.at < now() - interval '1 day' limit 5000));
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_bulk_changes() is 'Step of app.tick(): removes what bulk edits of more than a day ago had kept, at most 5,000 rows.';

create function app.link_table(resource text, through text, near text, far text, out tbl regclass, out has_company boolean)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
begin
  -- In the API's schema, with one reference to these rows and one to the others.
  select c.oid::regclass, exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
  into tbl, has_company
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = through and near <> far
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
  if tbl is null then
    raise exception using errcode = '22023', message = format('%L is not linked through %L', resource, through);
  end if;
end $$;
comment on function app.link_table(text, text, text, text) is
  'The table between the rows of a resource and others: near and far are its two references. 22023 for a table that does not link them. '
  'Who may read and write it is for its policies to say.';
grant execute on function app.link_table(text, text, text, text) to authenticated;

create function app.links_kept(entry jsonb, place integer, out kept text, out joined text)
  language sql immutable set search_path = '' as $$
  select format('jsonb_build_object(''through'', %L::text, ''near'', %L::text, ''far'', %L::text%s%s)',
      entry ->> 'through', entry ->> 'near', entry ->> 'far',
      case when entry ->> 'how' <> 'remove' then format(', ''added'', coalesce(ga%s.items, ''[]'')', place) else '' end,
      case when entry ->> 'how' <> 'add' then format(', ''removed'', coalesce(gd%s.items, ''[]'')', place) else '' end),
    concat(
      case when entry ->> 'how' <> 'remove' then format(
        ' left join (select a.id, jsonb_agg(a.item) as items from a%1$s a group by a.id) ga%1$s on ga%1$s.id = c.id', place) end,
      case when entry ->> 'how' <> 'add' then format(
        ' left join (select d.id, jsonb_agg(d.item) as items from d%1$s d group by d.id) gd%1$s on gd%1$s.id = c.id', place) end)
$$;
comment on function app.links_kept(jsonb, integer) is
  'What app.bulk_change keeps of a change of links (app.links_change at that place) for a changed row c: an expression, and its joins.';
grant execute on function app.links_kept(jsonb, integer) to authenticated;

create function public.bulk_undo(resource text, ids uuid[], job uuid) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  has_version constant boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  unchanged constant text := case when has_version then 't.version = b.version'
    else 'not exists (select 1 from jsonb_each(b.after) e where e.value is distinct from to_jsonb(t) -> e.key)' end;
  kept constant text := format('select * from app.bulk_changes(%L::uuid, %L, $1) b where b.undone_at is null', job, resource);
  assigned text;
  entry record;
  link record;
  place integer := 0;
  writes text[];
  known uuid[];
  there uuid[];
  overtaken uuid[];
  undone uuid[];
  done record;
begin
  perform app.check_batch(ids);
  select array_agg(b.row_id) into known from app.bulk_changes(job, resource, ids) b;
  -- Only columns that can be written: the job wrote no others.
  select string_agg(format('%1$I = case when b.before ? %1$L then r.%1$I else t.%1$I end', a.attname), ', ') into assigned
  from pg_catalog.pg_attribute a
  where a.attrelid = own and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname not in ('id', 'company_id', 'version')
    and a.attname in (select k.name from app.bulk_changes(job, resource, known) b cross join jsonb_object_keys(b.before) as k (name));
  writes := array[format('b as (%s)', kept)];
  if assigned is null then
    writes := writes || format('t as (select t.* from %s t join b on b.row_id = t.id where %s)', own, unchanged);
  else
    writes := writes || format('o as (select x.id from %s x where x.id = any ($1))', own)
      || format('w as (update %1$s t set %2$s from o join b on b.row_id = o.id cross join lateral jsonb_populate_record(null::%1$s, b.before) r '
        'where t.id = o.id and %3$s returning t.id)', own, assigned, unchanged)
      || format('t as (select t.* from %s t where t.id in (select w.id from w))', own);
  end if;
  for entry in
    select distinct e.item ->> 'through' as through, e.item ->> 'near' as near, e.item ->> 'far' as far
    from app.bulk_changes(job, resource, known) b cross join jsonb_array_elements(b.links) as e (item)
  loop
    place := place + 1;
    link := app.link_table(resource, entry.through, entry.near, entry.far);
    writes := writes
      || format('l%s as (select b.row_id, e.item from b cross join lateral jsonb_array_elements(b.links) as e (item) '
        'where e.item ->> ''through'' = %L and e.item ->> ''near'' = %L and e.item ->> ''far'' = %L)',
        place, entry.through, entry.near, entry.far)
      || format('d%1$s as (delete from %2$s j using t, l%1$s l cross join lateral jsonb_array_elements_text(l.item -> ''added'') as x (far) '
        'where l.row_id = t.id and j.%3$I = t.id%5$s and j.%4$I = x.far::uuid)', place, link.tbl, entry.near, entry.far,
        case when link.has_company then ' and j.company_id = t.company_id' else '' end)
      || format('a%1$s as (insert into %2$s (%3$s%4$I, %5$I) select %6$s t.id, x.far::uuid from t join l%1$s l on l.row_id = t.id '
        'cross join lateral jsonb_array_elements_text(l.item -> ''removed'') as x (far) on conflict do nothing)', place, link.tbl,
        case when link.has_company then 'company_id, ' else '' end, entry.near, entry.far,
        case when link.has_company then 't.company_id,' else '' end);
  end loop;
  perform app.lock_rows(own, ids);
  done := app.write_batch(format('with %s select app.mark_undone(%L::uuid, %L, array_agg(t.id)) from t',
    array_to_string(writes, ', '), job, resource), ids, '{}');
  execute format('select array_agg(t.id), array_agg(t.id) filter (where not (%s)) from %s t join (%s) b on b.row_id = t.id',
    unchanged, own, kept) into there, overtaken using ids;
  select coalesce(array_agg(b.row_id), '{}') into undone from app.bulk_changes(job, resource, known) b where b.undone_at is not null;
  return query
  select u.one, o.outcome, case when o.outcome = 'refused'
    then coalesce(done.refused -> u.one::text, '{"code": "42501", "message": "the row was not restored", "hint": "role"}') end
  from (select distinct x.one from unnest(known) as x (one)) u
  cross join lateral (select case
    -- Restored by this call, or by an earlier one whose answer was lost.
    when u.one = any (undone) then 'changed'
    when not u.one = any (coalesce(there, '{}')) then 'gone'
    when u.one = any (coalesce(overtaken, '{}')) then 'stale'
    else 'refused' end as outcome) o;
end $$;
comment on function public.bulk_undo(text, uuid[], uuid) is
  'Puts back what at most 1,000 rows held before a bulk edit of the caller''s own, by its job: changed (restored), stale (somebody '
  'changed the row since, and it stays as it is), gone or refused, with the error of the row. Rows that the job did not change are not in '
  'the answer. Runs as the caller: grants by column, row-level security and triggers decide as for one row.';
grant execute on function public.bulk_undo(text, uuid[], uuid) to authenticated;

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
      'message', said, 'details', nullif(app.row_problem(code, said, detailed, hinted) ->> 'details', ''), 'hint', case when col is null then nullif(hinted, '') else 'bad_value' end));
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
grant execute on function app.import_halve(text[], regclass, uuid, jsonb[], uuid[], integer[], text, integer, timestamp with time zone) to authenticated;

create function app.import_reference(own regclass, col text, by_col text, out target text, out far text, out in_company boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- The one of several references over the same column is taken that carries the company along: as app.filter_path() chooses.
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
grant execute on function app.import_columns(text, text[], text[]) to authenticated;

create function app.import_find_keys(own regclass, vals jsonb[], keys text[], problems jsonb) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  found jsonb;
  given text := (select string_agg(format('%1$L, s.v -> %1$L', k.name), ', ') from unnest(keys) as k (name));
  compared text := (select string_agg(app.import_key(own, 'r', k.name), ', ' order by k.n)
                    from unnest(keys) with ordinality as k (name, n));
  listed text := (select string_agg(format('r.%I', k.name), ', ' order by k.n) from unnest(keys) with ordinality as k (name, n));
  emptiness text := (select string_agg(format('when r.%1$I is null or r.%1$I::text = '''' then %1$L', k.name), ' ' order by k.n)
                     from unnest(keys) with ordinality as k (name, n));
begin
  -- Compared as the database has them: 7 and 07 are the same number.
  execute format(
    'with known as (
       select s.at, jsonb_build_array(%6$s) as key, concat_ws('', '', %1$s) as shown, case %2$s end as empty
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
    listed, emptiness, own, given, case when cardinality(keys) = 1 then keys[1] end, compared)
  into found using vals, array(select (p.problem ->> 'at')::integer from jsonb_array_elements(problems) as p (problem)
                               where p.problem ->> 'column' = any (keys));
  return coalesce(found, '[]');
end $$;
comment on function app.import_find_keys(regclass, jsonb[], text[], jsonb) is
  'Keys that are empty, or are in an earlier line already. Rows whose key has a problem are left out.';
grant execute on function app.import_find_keys(regclass, jsonb[], text[], jsonb) to authenticated;

create function app.import_match(
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
comment on function app.import_match(regclass, uuid, jsonb[], text[], text[], text[], text[], text) is
  'What is to be done with each row: insert, update or same, or why neither can be (ambiguous_key, unknown_key, key_exists, denied '
  'with the column), and the row of the company that has its key.';
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
grant execute on function app.import_find_bad(regclass, jsonb[], text[], timestamp with time zone) to authenticated;

create function app.import_clean(vals jsonb[], short_texts text[]) returns jsonb[]
  language sql immutable set search_path = '' as $$
  select case when short_texts is null then vals else coalesce(array_agg(s.v || coalesce((
    select jsonb_object_agg(k.name, app.clean_line(s.v ->> k.name)) from unnest(short_texts) as k (name)
    where jsonb_typeof(s.v -> k.name) = 'string' and app.unclean_character(s.v ->> k.name) is not null), '{}') order by s.n), '{}') end
  from unnest(vals) with ordinality as s (v, n)
$$;
comment on function app.import_clean(jsonb[], text[]) is 'The values of imported rows, these short texts on one line without hidden characters.';
grant execute on function app.import_clean(jsonb[], text[]) to authenticated;

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
comment on function public.import_rows(text, jsonb, uuid, text[], jsonb, text, boolean) is
  'Writes at most 10,000 rows {line, values} of a file, all or none: {inserted, updated, same, written, errors: [{line, column, code, '
  'message, details, hint, other_line}], more}. keys are the columns by which a row is known that is there already (none: every row '
  'is new), mode says whether rows may be added, changed or both (insert, update, upsert), lookups by which column of what it points '
  'at a value is named ({"device_id": "name"}). What a row does not name stays as it is. A dry run does everything and takes it back. '
  'With errors nothing is written and the figures say what the other rows would do; more: not all errors are listed. Runs as the '
  'caller, who needs the permission to import, and those to create and edit where rows are added and changed.';
grant execute on function public.import_rows(text, jsonb, uuid, text[], jsonb, text, boolean) to authenticated;

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
    -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for all rows.
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
      reason := app.row_problem(code, said, detailed, hinted);
    end;
    return next;
  end loop;
end $$;
comment on function public.save_rows(text, jsonb) is
  'Writes up to 1,000 rows [{id, version, changes}], each independently: changed, same (it already holds these values), stale '
  '(another version than the one it was read with), gone (not there, or not to be seen) or refused, with the error of the row as the '
  'reason. Without a version, and where the table has none, there is no lock. Runs as the caller.';
grant execute on function public.save_rows(text, jsonb) to authenticated;

create function public.save_children(resource text, by text, parent uuid, rows jsonb)
  returns table (place integer, id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  unknown text;
  one record;
  columns text;
  made uuid;
  results jsonb := '[]';
  result jsonb;
  code text; said text; detailed text; hinted text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_array_length(rows) > 200 then
    raise exception using errcode = '22023', message = 'the rows are a list of at most 200';
  end if;
  if exists (select 1 from jsonb_array_elements(rows) as e (item)
    where coalesce(jsonb_typeof(e.item -> 'id'), 'null') not in ('string', 'null')
      or coalesce(jsonb_typeof(e.item -> 'version'), 'null') not in ('number', 'null')
      or (coalesce((e.item ->> 'remove')::boolean, false) and e.item ->> 'id' is null)
      or (not coalesce((e.item ->> 'remove')::boolean, false) and jsonb_typeof(e.item -> 'changes') is distinct from 'object')) then
    raise exception using errcode = '22023', message = 'a row has changes, an id and version if it exists, or an id and remove';
  end if;
  select min(k.name) into unknown
  from (select by as name union select jsonb_object_keys(e.item -> 'changes')
    from jsonb_array_elements(rows) as e (item) where jsonb_typeof(e.item -> 'changes') = 'object') as k
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  where a.attname is null or k.name in ('id', 'version');
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  begin
    -- Removed rows first: a new one may take the name of one that goes.
    for one in
      select e.item, (e.n - 1)::integer as place
      from jsonb_array_elements(rows) with ordinality as e (item, n)
      order by not coalesce((e.item ->> 'remove')::boolean, false), e.item ->> 'id' is null, e.n
    loop
      begin
        if coalesce((one.item ->> 'remove')::boolean, false) then
          execute format('delete from %s t where t.id = $1 and t.%I = $2 returning t.id', own, by)
          into made using (one.item ->> 'id')::uuid, parent;
          -- A row that is not there is what was wanted, and the others are saved.
          result := jsonb_build_object('outcome', case when made is null then 'absent' else 'deleted' end);
        elsif one.item ->> 'id' is not null then
          execute format('select t.id from %s t where t.id = $1 and t.%I = $2', own, by)
          into made using (one.item ->> 'id')::uuid, parent;
          if made is null then
            result := jsonb_build_object('outcome', 'gone');
          else
            select jsonb_build_object('outcome', s.outcome, 'reason', s.reason) into result
            from public.save_rows(resource, jsonb_build_array(one.item)) s;
          end if;
        else
          select string_agg(format('%I', k.name), ', ') into columns
          from (select jsonb_object_keys(one.item -> 'changes') union select by) as k (name);
          execute format('insert into %1$s as t (%2$s) select %2$s from jsonb_populate_record(null::%1$s, $1) returning t.id',
            own, columns)
          into made using one.item -> 'changes' || jsonb_build_object(by, parent);
          result := jsonb_build_object('outcome', 'created', 'id', made);
        end if;
      exception when others then
        get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
          hinted = pg_exception_hint;
        if not app.concerns_row(code) then
          raise;
        end if;
        result := jsonb_build_object('outcome', 'refused',
          'reason', app.row_problem(code, said, detailed, hinted));
      end;
      results := results || (jsonb_build_object('place', one.place, 'id', one.item ->> 'id') || result);
    end loop;
    if exists (select 1 from jsonb_array_elements(results) as r (item) where r.item ->> 'outcome' in ('refused', 'stale', 'gone')) then
      raise exception using errcode = 'KUNDO';
    end if;
  exception when sqlstate 'KUNDO' then
    -- Nothing was written. Rows without a problem of their own are reported as kept, to be sent again.
    select coalesce(jsonb_agg(case when r.item ->> 'outcome' in ('refused', 'stale', 'gone') then r.item
      else (r.item || '{"outcome": "kept"}') - 'reason' end), '[]')
    into results from jsonb_array_elements(results) as r (item);
  end;
  return query select (r.item ->> 'place')::integer, (r.item ->> 'id')::uuid, r.item ->> 'outcome', nullif(r.item -> 'reason', 'null')
    from jsonb_array_elements(results) as r (item) order by 1;
end $$;
comment on function public.save_children(text, text, uuid, jsonb) is
  'Writes up to 200 rows that refer to a parent by a column, all or none: [{changes}] is created, [{id, version, changes}] is changed '
  '(save_rows), [{id, remove: true}] is deleted. Per row, by its place in the list from 0: created, changed, same, deleted or '
  'absent (to be deleted, and no row of this parent that the caller may delete, whatever the reason). If one is '
  'refused, stale (another version than the one it was read with) or gone, nothing is written and the others are kept. '
  'Runs as the caller.';
grant execute on function public.save_children(text, text, uuid, jsonb) to authenticated;

create function app.import_key(own regclass, alias text, col text) returns text
  language sql stable set search_path = '' as $$
  select format(case when exists (
      select 1 from pg_catalog.pg_index i
      cross join lateral generate_series(1, i.indnkeyatts) as n (place)
      where i.indrelid = own and i.indisunique
        and pg_catalog.pg_get_indexdef(i.indexrelid, n.place, false) = format('app.unique_key(%I)', col))
    then 'app.unique_key(%1$I.%2$I)' else '%1$I.%2$I' end, alias, col)
$$;
comment on function app.import_key(regclass, text, text) is
  'The expression by which a key column of a table is compared: what its unique index holds, or the column.';
grant execute on function app.import_key(regclass, text, text) to authenticated;
