-- What is said beforehand: how many scripts wait for a person's approval, how many devices would wait, and who could approve.

-- Security definer, as before; see its comment.
create or replace function public.dashboard(company uuid default null) returns jsonb
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
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where v.created_by is distinct from app.current_user_id()) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;

-- Security definer: whoever runs scripts may not read policies. It tells a number alone, of devices and a script of the caller's companies.
create function app.count_unapproved(procedure_id uuid, device_ids uuid[]) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  script public.procedures%rowtype;
  waiting integer := 0;
begin
  perform app.require('procedures', 'run');
  select p.* into script from public.procedures p
    where p.id = count_unapproved.procedure_id and p.company_id = any (app.visible_company_ids());
  if script.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if cardinality(device_ids) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if not script.is_approved and exists (
    select 1 from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled and p.needs_approval
  ) then
    with wanted as materialized (
      select d.id from unnest(device_ids) w (id) join public.devices d on d.company_id = script.company_id and d.id = w.id
    ), rules as materialized (
      select p.id, p.position, p.needs_approval, not exists (
          select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
      from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled
    ), covered as (
      select w.id as device_id, r.id, r.position, r.needs_approval from wanted w cross join (
        -- Of those for all devices, only the first can be a device's own.
        select x.* from rules x where x.is_for_all order by x.position, x.id limit 1) r
      union all
      select w.id, r.id, r.position, r.needs_approval
      from rules r
        join public.policy_groups g on g.company_id = script.company_id and g.policy_id = r.id
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        join wanted w on w.id = m.device_id
    ), own as (
      -- As app.policy_of().
      select distinct on (c.device_id) c.needs_approval from covered c order by c.device_id, c.position, c.id
    )
    select count(*) filter (where o.needs_approval) into waiting from own o;
  end if;
  return jsonb_build_object('devices', waiting, 'number', script.revision, 'declined_by', script.declined_name);
end $$;
comment on function app.count_unapproved(uuid, uuid[]) is 'See preview_approval().';
revoke execute on function app.count_unapproved(uuid, uuid[]) from public, anon;
grant execute on function app.count_unapproved(uuid, uuid[]) to authenticated;

create function public.preview_approval(procedure_id uuid, device_ids uuid[] default null, target jsonb default null) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '30s' as $$
declare
  query record;
  ids uuid[] := device_ids;
begin
  if jsonb_typeof(target) = 'object' then
    query := app.target_query(target);
    execute format('select array_agg(x.id) from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets())
      into ids;
  end if;
  return app.count_unapproved(procedure_id, coalesce(ids, '{}'));
end $$;
comment on function public.preview_approval(uuid, uuid[], jsonb) is
  'On how many of these devices, or of a target''s (app.target_query()), a script would wait for approval now: {devices, number, declined_by}; '
  'number is its newest version, declined_by who declined it: then its runs fail there. A target is read as the caller.';
revoke execute on function public.preview_approval(uuid, uuid[], jsonb) from public, anon;
grant execute on function public.preview_approval(uuid, uuid[], jsonb) to authenticated;

-- Security definer: whoever edits policies may not read every person's role. It tells a number alone.
create function public.count_approvers(company uuid) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('policies', 'list');
  if company is null or company <> all (app.visible_company_ids()) then
    raise exception 'The company was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  return (select count(*) from public.user_roles r
    where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may('procedures', 'approve')));
end $$;
comment on function public.count_approvers(uuid) is
  'How many people of a company may approve scripts and sign in. With one alone, nobody approves what that person writes.';
revoke execute on function public.count_approvers(uuid) from public, anon;
grant execute on function public.count_approvers(uuid) to authenticated;
