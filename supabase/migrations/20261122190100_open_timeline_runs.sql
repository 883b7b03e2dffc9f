-- A run in the timeline of a device opens the run itself, no longer its job.

create or replace function public.device_timeline(
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
  'of an audit row. Runs as the caller: row-level security of each table decides what is seen.';
