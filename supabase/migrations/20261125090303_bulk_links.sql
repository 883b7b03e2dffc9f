-- A table of links that has no permission lines of its own, such as device_tags, was refused to everybody in bulk edits. Its policies
-- decide, as they do for one row.

create or replace function app.link_table(resource text, through text, near text, far text, out tbl regclass, out has_company boolean)
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
