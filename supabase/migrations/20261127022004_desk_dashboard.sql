-- Desk dashboard.

drop index public.tickets_due_idx;
drop index public.tickets_company_due_idx;

-- Few tickets are near their targets or beyond them.
create index tickets_company_sla_idx on public.tickets (company_id, sla_state, solution_due_at, id)
where sla_state in ('warning', 'breached') and status in ('new', 'open', 'waiting');

-- Security definer: the counts leave row-level security out, and the scope is checked first.
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
      'tickets', case when app.can('tickets', 'assign') then (select jsonb_build_object(
        'warning', count(*) filter (where t.sla_state = 'warning'), 'breached', count(*) filter (where t.sla_state = 'breached'))
        from public.tickets t where %1$s and t.sla_state in ('warning', 'breached') and t.status in ('new', 'open', 'waiting')) end,
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where app.current_user_id() <> all (app.barred_approvers(app.authors_to_approve(v)))) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;
