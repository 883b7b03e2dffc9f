-- Filters reach what stands in a table beside the resource's own, such as the presence of a device or the update that a
-- device's update is one of: by the name of that table, where no column leads there by its own name.

create or replace function app.filter_path(
  resource text, path text, out col text, out kind text, out is_text boolean, out via text, out joined text
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  steps text[] := string_to_array(path, '.');
  target regclass := own;
begin
  if cardinality(steps) = 2 then
    -- Of references over the same column, the one that carries the company along.
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
  end if;
  if col is null then
    raise exception using errcode = '22023', message = format('%L has no field %L', resource, path);
  end if;
end $$;
comment on function app.filter_path(text, text) is
  'Where a field stands that is filtered or counted: `column` of the resource (t), `reference.column` of what it points at, '
  '`table.column` or `table!constraint.column` of a table beside it, `table.near.far` of the table between it and others (j, joined '
  'as told). 22023 for what is not there.';
