-- Related activity refusals.

create or replace function app.related_entries(record_id uuid, related text[], before timestamptz, before_id uuid) returns setof uuid
  language plpgsql stable security invoker set search_path = '' rows 50 as $$
declare
  max_records constant integer := 500;
  company constant uuid := (select a.company_id from public.audit_log a where a.row_id = record_id limit 1);
  wanted text;
  tbl text;
  by_column text;
  is_link boolean;
  ids uuid[];
begin
  if cardinality(related) > 20 then
    raise exception using errcode = '22023', message = 'at most 20 lists of related records';
  end if;
  foreach wanted in array related loop
    tbl := split_part(wanted, '.', 1);
    by_column := split_part(wanted, '.', 2);
    is_link := split_part(wanted, '.', 3) = 'links';
    if tbl is null or (select count(*) from pg_catalog.pg_attribute a where a.attrelid = to_regclass(format('public.%I', tbl))
        and a.attname in (by_column, 'id', 'created_at')
        and a.atttypid = case a.attname when 'created_at' then 'timestamptz'::regtype else 'uuid'::regtype end) <> 3 then
      raise exception using errcode = '22023', message = format('no list of related records is %L', wanted);
    end if;
    execute format('select array_agg(r.id) from (select t.id from public.%I t where t.%I = $1 order by t.created_at desc, t.id desc limit $2) r', tbl, by_column)
      into ids using record_id, max_records;
    return query select a.id from public.audit_log a
      where a.row_id = any (ids) and a.table_name = tbl and (not is_link or a.changes -> by_column ->> 1 = record_id::text)
        and (before is null or (a.at, a.id) < (before, before_id))
      order by a.at desc, a.id desc limit 50;
    -- A record that is deleted is told of by its entry alone.
    return query select a.id from public.audit_log a
      where a.action = 'delete' and a.table_name = tbl and a.company_id = company and a.changes -> by_column ->> 0 = record_id::text
        and (before is null or (a.at, a.id) < (before, before_id))
      order by a.at desc, a.id desc limit 50;
  end loop;
end $$;
