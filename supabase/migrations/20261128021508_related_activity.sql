-- Related activity.

set check_function_bodies = off;

drop function public.record_activity(text, uuid, timestamptz, uuid);

-- Records of a list that are deleted have no row left that leads to their entries.
create index audit_log_deleted_idx on public.audit_log (company_id, table_name, at desc, id desc) where action = 'delete';

create function app.related_entries(record_id uuid, related text[], before timestamptz, before_id uuid) returns setof uuid
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
  foreach wanted in array related loop
    tbl := split_part(wanted, '.', 1);
    by_column := split_part(wanted, '.', 2);
    is_link := split_part(wanted, '.', 3) = 'links';
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
comment on function app.related_entries(uuid, text[], timestamptz, uuid) is
  'The newest audit rows, 50 of each of these lists, about the newest 500 records that refer to a record, and about those that were deleted. A list is '
  '`table.column`, or `table.column.links` for the entries alone that set the column to the record. Runs as the caller: row-level security decides.';
grant execute on function app.related_entries(uuid, text[], timestamptz, uuid) to authenticated;

create function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null, related text[] default '{}'
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  -- The address of the actor is nobody's to read.
  select a.id, a.company_id, a.actor_id, null::text, a.table_name, a.row_id, a.action, a.changes, a.at, a.row_name, a.device_id, a.actor_name
  from public.audit_log a
  where a.id in (
    (select o.id from public.audit_log o
    where o.row_id = record_activity.record_id
      -- A record of the console may be written in several tables.
      and o.table_name = any (case record_activity.resource
        when 'users' then array['profiles', 'user_roles']
        else array[record_activity.resource]
          -- Hidden fields and comments are kept, and logged, under names of their own.
          || array(select c.relname::text from pg_catalog.pg_class c
            where c.relnamespace = 'public'::regnamespace and starts_with(c.relname::text, record_activity.resource || '_hidden_'))
          || (select case when c.settings is null then '{}'::text[] else c.settings ->> 'comments' || array(
              select k.value ->> 'object' from jsonb_each(c.settings -> 'kinds') k where k.value ? 'object') end
            from (select app.comment_settings(record_activity.resource) as settings) c) end)
      and (record_activity.before is null or (o.at, o.id)
        < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
    order by o.at desc, o.id desc
    limit 50)
    union all
    select e.id from app.related_entries(record_activity.record_id, record_activity.related, record_activity.before,
      coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')) as e (id))
  order by a.at desc, a.id desc
  limit 50
$$;
comment on function public.record_activity(text, uuid, timestamptz, uuid, text[]) is
  'The newest 50 audit rows of one record and of lists of records that refer to it (app.related_entries()), or those before an instant (and id, among '
  'equal instants). Runs as the caller: row-level security of audit_log limits the rows.';
grant execute on function public.record_activity(text, uuid, timestamptz, uuid, text[]) to authenticated;

-- Comments are told on the topic of their record, which only those join who see it; a kind with lines of its own has a topic of its own.
-- Security definer: nobody may write the audit log or send on a topic.
create or replace function app.log_comments() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  record_column constant text := settings ->> 'record';
  actor uuid;
  told record;
  changed text := case tg_op when 'INSERT' then 'select * from new_rows' when 'DELETE' then 'select * from old_rows'
    else 'select n.* from new_rows n join old_rows o on o.id = n.id where n.body is distinct from o.body' end;
begin
  if app.quiet() then
    return null;
  end if;
  actor := app.acting_user_id();
  -- A record that is deleted takes its comments with it; its own entry says so.
  execute format($query$
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select c.company_id, $1, (select p.email from public.profiles p where p.id = $1),
      (select p.name from public.profiles p where p.id = $1), coalesce($2 #>> array['kinds', c.kind, 'object'], %1$L),
      r.id, app.audit_name(%2$L, to_jsonb(r)), %3$L,
      jsonb_build_object('kind', case %3$L when 'create' then jsonb_build_array(null, c.kind) when 'delete' then jsonb_build_array(c.kind, null)
        else jsonb_build_array(c.kind, c.kind) end)
    from (%4$s) c join public.%2$I r on r.company_id = c.company_id and r.id = c.%5$I
    -- Words of a merged record were written before, by somebody else.
    where %3$L <> 'create' or to_jsonb(c) ->> 'origin' is null$query$,
    tg_table_name, settings ->> 'table', case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'edit' else 'delete' end, changed, record_column)
    using actor, settings;
  for told in execute format(
    'select c.%1$I as record_id, c.kind, case when count(*) <= 50 then to_jsonb(array_agg(c.id)) else ''[]'' end as ids from (%2$s) c group by 1, 2',
    record_column, changed)
  loop
    perform app.send_live('record:' || (settings ->> 'resource') || ':' || told.record_id
        || case when settings #> array['kinds', told.kind] ? 'object' then ':' || told.kind else '' end,
      jsonb_build_object('table', tg_table_name, 'op', lower(tg_op), 'ids', told.ids));
  end loop;
  return null;
end $$;
