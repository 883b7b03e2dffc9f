-- Bulk changes: edit, delete or act on many rows in batches, and undo an edit.
-- Everything that writes rows runs as the caller, so grants and row-level security decide as they do for a single row.

-- Edit and delete -----------------------------------------------------------------------------------------------------

create function app.concerns_row(code text) returns boolean
  language sql immutable set search_path = '' as $$
  select code = '42501' or left(code, 2) in ('22', '23', 'P0', 'PT')
$$;
comment on function app.concerns_row(text) is
  'Whether an error is about the row that was written, so that the rows beside it can still be; a deadlock or a lost connection is not.';
revoke execute on function app.concerns_row(text) from public, anon;
grant execute on function app.concerns_row(text) to authenticated;

create function app.write_batch(statement text, ids uuid[], changes jsonb, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  one uuid;
  ids_written uuid[];
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  -- Without a row, it only asks whether the caller may at all: a refusal here is one for the whole batch.
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
        jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
    end;
  end loop;
end $$;
comment on function app.write_batch(text, uuid[], jsonb) is
  'Runs a statement over ids ($1) and changes ($2) that gives the ids it wrote: at once, or row by row when one row fails. '
  'Nobody calls it but bulk_edit() and bulk_delete(): it runs as its caller, whose rights end where theirs do.';
revoke execute on function app.write_batch(text, uuid[], jsonb) from public, anon;
grant execute on function app.write_batch(text, uuid[], jsonb) to authenticated;

create function app.check_batch(ids uuid[]) returns void
  language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(cardinality(ids), 0) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 rows a call';
  end if;
end $$;
comment on function app.check_batch(uuid[]) is 'Refuses a batch of more than 1,000 rows (22023).';
revoke execute on function app.check_batch(uuid[]) from public, anon;
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
    -- Links follow the columns: of a row whose columns are not to be written, nothing is. The old values are read from locked rows,
    -- so that they are the very ones that are overwritten; rows of a view are written by its trigger and cannot be locked here.
    writes := array[format('o as (select x.* from %s x where x.id = any ($1)%s)', own,
        case (select c.relkind from pg_catalog.pg_class c where c.oid = own) when 'v' then '' else ' for update' end),
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
revoke execute on function public.bulk_edit(text, uuid[], jsonb, jsonb, uuid) from public, anon;
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
  done := app.write_batch(format(
    'with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own), ids, '{}');
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the row was not deleted');
end $$;
comment on function public.bulk_delete(text, uuid[]) is
  'Deletes up to 1,000 rows: deleted, gone (not there, or not to be seen) or refused, with the error of the row as the reason: '
  'one that others hold stays. Runs as the caller.';
revoke execute on function public.bulk_delete(text, uuid[]) from public, anon;
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
revoke execute on function app.check_list_change(jsonb) from public, anon;
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
revoke execute on function app.words_change(text, jsonb) from public, anon;
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
revoke execute on function app.links_change(text, jsonb, integer) from public, anon;
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
revoke execute on function app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text) from public, anon;
grant execute on function app.row_outcomes(uuid[], text, uuid[], uuid[], uuid[], jsonb, text) to authenticated;

-- Actions -------------------------------------------------------------------------------------------------------------

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
revoke execute on function app.act_statement(text, text, jsonb) from public, anon;
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
  'Runs an action over rows: all at once, or halved until the failing row is alone. A number in its answer is how many '
  'rows it reached. Nobody calls it but bulk_act(); it runs as its caller.';
revoke execute on function app.act_batch(text, uuid[], jsonb, boolean) from public, anon;
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
revoke execute on function public.bulk_act(text, uuid[], text, text, jsonb, jsonb) from public, anon;
grant execute on function public.bulk_act(text, uuid[], text, text, jsonb, jsonb) to authenticated;

-- Undo ----------------------------------------------------------------------------------------------------------------

-- A bulk edit can be undone while its result is shown. The audit log cannot serve for that: it cuts values at 1,000 characters
-- and masks secrets. bulk_edit() therefore keeps the previous values of each row for a day, and bulk_undo() restores them in
-- rows that nobody has changed since.
create table app.bulk_change (
  job_id uuid not null,
  actor_id uuid not null default app.current_user_id(),
  resource text not null,
  row_id uuid not null,
  -- The columns the job set, with the values they had.
  before jsonb not null default '{}',
  -- The links the job made and removed: [{through, near, far, added: ids, removed: ids}].
  links jsonb not null default '[]',
  -- How the job left the row: its version, or the columns it set where the table has no version.
  version integer,
  after jsonb,
  at timestamptz not null default now(),
  undone_at timestamptz,
  primary key (actor_id, job_id, resource, row_id)
);
comment on table app.bulk_change is
  'What a row held before a bulk edit, one row a record and job, kept for a day. The job''s id is chosen by the client, so it only means '
  'something together with the actor. Without foreign keys: it is never read but by the job that wrote it.';

create index bulk_change_at_idx on app.bulk_change (at);

revoke all on app.bulk_change from public, anon, authenticated, service_role;
alter table app.bulk_change enable row level security;

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
revoke execute on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]) from public, anon;
-- The functions that run as the caller need these grants; schema app is not exposed over HTTP.
grant execute on function app.keep_bulk_change(uuid, text, uuid[], jsonb[], jsonb[]) to authenticated;

create function app.settle_bulk_change(job uuid, resource text, ids uuid[], versions integer[], after jsonb[]) returns void
  language sql volatile security definer set search_path = '' as $$
  update app.bulk_change b set version = u.version, after = u.after
  from unnest(settle_bulk_change.ids, settle_bulk_change.versions, settle_bulk_change.after) as u (id, version, after)
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = settle_bulk_change.resource and b.row_id = u.id
$$;
comment on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) is
  'Notes how the caller''s bulk edit left rows. Definer, because no API role comes to app.bulk_change. Nobody calls it but bulk_edit().';
revoke execute on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) from public, anon;
grant execute on function app.settle_bulk_change(uuid, text, uuid[], integer[], jsonb[]) to authenticated;

create function app.bulk_changes(job uuid, resource text, ids uuid[]) returns setof app.bulk_change
  language sql stable security definer set search_path = '' rows 200 as $$
  select b.* from app.bulk_change b
  where b.actor_id = app.current_user_id() and b.job_id = job and b.resource = bulk_changes.resource and b.row_id = any (ids)
$$;
comment on function app.bulk_changes(uuid, text, uuid[]) is
  'What the caller''s own bulk edit changed in these rows. Definer, because no API role comes to app.bulk_change; never another''s.';
revoke execute on function app.bulk_changes(uuid, text, uuid[]) from public, anon;
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
revoke execute on function app.mark_undone(uuid, text, uuid[]) from public, anon;
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
revoke execute on function app.forget_bulk_changes() from public, anon, authenticated;

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
  perform app.require(through, 'list');
end $$;
comment on function app.link_table(text, text, text, text) is
  'The table between the rows of a resource and others, if the caller may list it: near and far are its two references. '
  '22023 for a table that does not link them.';
revoke execute on function app.link_table(text, text, text, text) from public, anon;
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
revoke execute on function app.links_kept(jsonb, integer) from public, anon;
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
    writes := writes || format('w as (update %1$s t set %2$s from b cross join lateral jsonb_populate_record(null::%1$s, b.before) r '
        'where t.id = b.row_id and %3$s returning t.id)', own, assigned, unchanged)
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
revoke execute on function public.bulk_undo(text, uuid[], uuid) from public, anon;
grant execute on function public.bulk_undo(text, uuid[], uuid) to authenticated;
