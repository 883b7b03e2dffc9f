-- Activity: the dashboard and the history of a record.

-- Security definer: the counts leave row-level security out, and the scope is checked first.
create function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- The answer is the same for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'unchecked', (select count(*) from public.monitors m where %1$s and m.health = 'unknown'),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'tickets', case when app.can('tickets', 'assign') and app.sees_rows('tickets', 'list') then (select jsonb_build_object(
        'warning', count(*) filter (where t.sla_state = 'warning'), 'breached', count(*) filter (where t.sla_state = 'breached'))
        from public.tickets t where %1$s and t.deleted_at is null and t.sla_state in ('warning', 'breached') and t.status in ('new', 'open', 'waiting')) end,
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where app.current_user_id() <> all (app.barred_approvers(app.authors_to_approve(v)))) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;
comment on function public.dashboard(uuid) is
  'Every figure of the dashboard in one round trip, for one company or (Super Admin, null) for all. Definer, so that counts read '
  'indexes only; it checks the permission and the company itself.';
grant execute on function public.dashboard(uuid) to authenticated;

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
