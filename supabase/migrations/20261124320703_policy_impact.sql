-- What a policy would do, before it is saved.

create function public.policy_impact(
  company uuid, kind text, at_position integer, group_ids uuid[] default '{}', policy_id uuid default null
) returns jsonb
  language sql stable set search_path = '' as $$
  with scope as (
    select d.id from public.devices d
    where d.company_id = policy_impact.company
      and (cardinality(group_ids) = 0 or exists (
        select 1 from public.group_devices m where m.company_id = d.company_id and m.device_id = d.id and m.group_id = any (group_ids)))
  ), earlier as (
    select p.id, p.name, p.position, not exists (
        select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
    from public.policies p
    where p.company_id = policy_impact.company and p.kind = policy_impact.kind and p.enabled and p.id is distinct from policy_impact.policy_id
      and (p.position, p.id) < (at_position, coalesce(policy_impact.policy_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
  ), covered as (
    select e.id, e.name, e.position, s.id as device_id from earlier e cross join scope s where e.is_for_all
    union all
    select e.id, e.name, e.position, s.id
    from earlier e
      join public.policy_groups g on g.company_id = policy_impact.company and g.policy_id = e.id
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      join scope s on s.id = m.device_id
  ), winners as (
    select distinct on (c.device_id) c.device_id, c.id, c.name, c.position from covered c order by c.device_id, c.position, c.id
  ), lost as (
    select w.id, w.name, w.position, count(*) as devices from winners w group by 1, 2, 3
  )
  select jsonb_build_object('devices', (select count(*) from scope),
    'lost', coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'devices', l.devices) order by l.position, l.id) from lost l), '[]'))
$$;
comment on function public.policy_impact(uuid, text, integer, uuid[], uuid) is
  'On how many devices a policy of this kind, position and these groups would be: {devices, lost: [{id, name, devices}]}; lost are the '
  'policies that come first for some of them. Without groups, all devices. Runs as the caller.';
revoke execute on function public.policy_impact(uuid, text, integer, uuid[], uuid) from public, anon;
grant execute on function public.policy_impact(uuid, text, integer, uuid[], uuid) to authenticated;
