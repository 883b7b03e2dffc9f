-- The timeline of a device has its tags, groups and exceptions too, names people, and says what a patch policy installed.

alter table public.audit_log add column device_id uuid generated always as (
  case when table_name in ('group_devices', 'patch_exceptions')
    then coalesce(changes -> 'device_id' ->> 1, changes -> 'device_id' ->> 0)::uuid end) stored;
comment on column public.audit_log.device_id is
  'The device that a link to a group or an exception for one device names: such a row is kept under the id of the other record.';
create index audit_log_device_idx on public.audit_log (device_id, at desc, id desc) where device_id is not null;

-- Security definer, as before.
create or replace function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select coalesce(p.name, p.email) from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'device_tags' then (
      select t.name from public.tags t where t.company_id = company and t.id = (doc ->> 'tag_id')::uuid)
    when 'patch_exceptions' then (
      select p.title from public.patches p where p.company_id = company and p.id = (doc ->> 'patch_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    when 'corporate_app_files' then (
      select concat_ws(' ', a.name, doc ->> 'package_version') from public.corporate_apps a
      where a.company_id = company and a.id = (doc ->> 'corporate_app_id')::uuid)
    else case
      when table_name like 'automation\_%' then (
        select a.name from public.automations a where a.company_id = company and a.id = (doc ->> 'automation_id')::uuid)
      else coalesce(doc ->> 'name', doc ->> 'title', doc ->> 'hostname', doc ->> 'email')
    end
  end, 200);
end $$;

-- Definer, as before: app.held_roles and app.allows are not granted to API roles.
create or replace function app.listable_tables() returns text[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      -- The links to tags have no permission lines of their own: their rows are for who may list devices.
      and app.allows(held, case relation.relname when 'device_tags' then 'devices' else relation.relname::text end, 'list')
  );
end
$$;

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
    (select r.id, r.queued_at, case when j.by_policy then 'policy' else 'run' end, j.name, r.status, j.actor, r.id, null::text,
       case when j.by_policy then (
         select jsonb_build_object('count', count(*), 'titles', coalesce(jsonb_agg(u.title order by u.title) filter (where u.place <= 2), '[]'))
         from (select x.title, row_number() over (order by x.title) as place
           from public.device_patches dp join public.patches x on x.company_id = dp.company_id and x.id = dp.patch_id
           where dp.company_id = device.company and dp.run_id = r.id) u) end
     from public.job_runs r
     join lateral (
       select k.name, coalesce(p.name, p.email) as actor,
         k.kind = 'task' and k.created_by is null and k.script like '%"install_patches"%' and r.automation_run_id is null as by_policy
       from public.jobs k left join public.profiles p on p.id = k.created_by
       where k.company_id = r.company_id and k.id = r.job_id) j on true
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
    -- What the device's own rows say, and its tags, which are kept under its id.
    (select c.id, c.at, case c.table_name when 'devices' then 'change' else 'tag' end,
       case when c.table_name <> 'devices' then coalesce(g.name, c.row_name) end, null,
       coalesce(p.name, c.actor_email), g.id, c.action, c.changes
     from public.audit_log c
     left join public.profiles p on p.id = c.actor_id
     left join public.tags g on c.table_name = 'device_tags' and g.company_id = c.company_id
       and g.id = coalesce(c.changes -> 'tag_id' ->> 1, c.changes -> 'tag_id' ->> 0)::uuid
     where c.row_id = device.id and c.table_name in ('devices', 'device_tags') and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- Links to groups and exceptions for this device, which are kept under the other record's id.
    (select c.id, c.at, case c.table_name when 'group_devices' then 'group' else 'exception' end, coalesce(g.name, c.row_name), null,
       coalesce(p.name, c.actor_email), case when c.table_name = 'group_devices' then g.id when x.id is not null then c.row_id end, c.action, c.changes
     from public.audit_log c
     left join public.profiles p on p.id = c.actor_id
     left join public.groups g on c.table_name = 'group_devices' and g.company_id = c.company_id and g.id = c.row_id
     left join public.patch_exceptions x on c.table_name = 'patch_exceptions' and x.company_id = c.company_id and x.id = c.row_id
     where c.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- A changed exception: its row has only what changed.
    (select c.id, c.at, 'exception', c.row_name, null, coalesce(p.name, c.actor_email), c.row_id, c.action, c.changes
     from public.patch_exceptions x
     join public.audit_log c on c.row_id = x.id and c.table_name = 'patch_exceptions' and c.action = 'edit' and c.device_id is null
     left join public.profiles p on p.id = c.actor_id
     where x.company_id = device.company and x.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    (select c.id, c.changed_at, 'software', s.name || coalesce(' ' || nullif(coalesce(c.new_version, c.previous_version), ''), ''), c.change,
       null, c.software_id, null, null
     from public.software_changes c
     join public.software s on s.company_id = c.company_id and s.id = c.software_id
     where c.company_id = device.company and c.device_id = device.id and (c.changed_at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'software' = any (device_timeline.kinds))
     order by c.changed_at desc, c.id desc limit 50)
  ) e (id, at, kind, title, status, actor, record_id, action, changes)
  order by e.at desc, e.id desc
  limit 50
$$;
comment on function public.device_timeline(uuid, text[], timestamptz, uuid) is
  'The newest 50 events of a device, or the 50 before an instant (and id, among equal instants), of all kinds or some of run, alert, ticket, '
  'patch, software and change. The kind of a row is also policy (a run that installs updates for a patch policy; changes is {count, titles}), '
  'tag, group or exception; record_id: the record to open; action and changes are those of an audit row; actor is a name. Runs as the '
  'caller: row-level security of each table limits the rows.';
