-- Activity: the dashboard's figures, the history of a record and the timeline of a device, each in one request.

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
    -- One answer for another's company and for one that does not exist.
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
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'updated_at', now())
  $query$, tenant) into answer;
  return answer;
end $$;
comment on function public.dashboard(uuid) is
  'Every figure of the dashboard in one round trip, for one company or (Super Admin, null) for all. Definer, so that counts read '
  'indexes only; it checks the permission and the company itself.';
revoke execute on function public.dashboard(uuid) from public, anon;
grant execute on function public.dashboard(uuid) to authenticated;

create function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  select a.*
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- What the console shows as one record may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles'] else array[record_activity.resource] end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;
comment on function public.record_activity(text, uuid, timestamptz, uuid) is
  'The newest 50 audit rows of one record, or those before an instant (and id, among equal instants). Runs as the caller: '
  'row-level security of audit_log limits the rows.';
revoke execute on function public.record_activity(text, uuid, timestamptz, uuid) from public, anon;
grant execute on function public.record_activity(text, uuid, timestamptz, uuid) to authenticated;

create function public.device_timeline(
  device_id uuid, kinds text[] default null, before timestamptz default null, before_id uuid default null
) returns table (
  id uuid, at timestamptz, kind text, title text, status text, actor text, record_id uuid, action text, changes jsonb
)
  language sql stable security invoker set search_path = '' rows 50 as $$
  with device as (
    -- Materialized: the company becomes a value, and each branch an index scan.
    select d.company_id as company, d.id from public.devices d where d.id = device_timeline.device_id
  ),
  edge as (
    select coalesce(device_timeline.before, 'infinity'::timestamptz) as at,
      coalesce(device_timeline.before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) as id
  )
  select e.* from device, edge, lateral (
    (select r.id, r.queued_at, 'run', j.name, r.status, p.email, r.id, null::text, null::jsonb
     from public.job_runs r
     join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
     left join public.profiles p on p.id = j.created_by
     where r.company_id = device.company and r.device_id = device.id and (r.queued_at, r.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'run' = any (device_timeline.kinds))
     order by r.queued_at desc, r.id desc limit 50)
    union all
    (select a.id, a.opened_at, 'alert', a.message, a.status, null, a.id, null, null
     from public.alerts a
     where a.company_id = device.company and a.device_id = device.id and (a.opened_at, a.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'alert' = any (device_timeline.kinds))
     order by a.opened_at desc, a.id desc limit 50)
    union all
    (select t.id, t.created_at, 'ticket', t.subject, t.status, t.requester_name, t.id, null, null
     from public.tickets t
     where t.company_id = device.company and t.device_id = device.id and (t.created_at, t.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'ticket' = any (device_timeline.kinds))
     order by t.created_at desc, t.id desc limit 50)
    union all
    (select dp.id, dp.installed_at, 'patch', u.title, dp.status, null, dp.id, null, null
     from public.device_patches dp
     join public.patches u on u.company_id = dp.company_id and u.id = dp.patch_id
     where dp.company_id = device.company and dp.device_id = device.id and dp.installed_at is not null
       and (dp.installed_at, dp.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'patch' = any (device_timeline.kinds))
     order by dp.installed_at desc, dp.id desc limit 50)
    union all
    (select c.id, c.at, 'change', null, null, c.actor_email, null, c.action, c.changes
     from public.audit_log c
     where c.row_id = device.id and c.table_name = 'devices' and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
  ) e (id, at, kind, title, status, actor, record_id, action, changes)
  order by e.at desc, e.id desc
  limit 50
$$;
comment on function public.device_timeline(uuid, text[], timestamptz, uuid) is
  'The newest 50 events of a device, or the 50 before an instant (and id, among equal instants), of all kinds or some. '
  'kind: run, alert, ticket, patch or change; record_id: the record to open; action and changes are those '
  'of an audit row. Runs as the caller: row-level security of each table limits the rows.';
revoke execute on function public.device_timeline(uuid, text[], timestamptz, uuid) from public, anon;
grant execute on function public.device_timeline(uuid, text[], timestamptz, uuid) to authenticated;
