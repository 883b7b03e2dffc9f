-- Who may not run scripts decides nowhere on which devices one runs: not by enabling or widening somebody else's monitor, nor by the
-- devices of a group that a schedule or such a monitor names. A permission policy guards its groups also while it is disabled.

-- Security definer, as before: whoever changes a group need not see what names it.
create or replace function app.guard_group_devices(company uuid, group_ids uuid[], adds boolean) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.can('policies', 'edit') and exists (
    select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
    where g.company_id = company and g.group_id = any (group_ids) and p.kind = 'permission'
  ) then
    raise exception 'A permission policy is for this group: only who may edit policies changes its devices.'
      using errcode = 'check_violation', hint = 'group_of_policy';
  end if;
  if adds and not app.can('automations', 'run') and exists (
    select 1 from public.automation_groups g join public.automations a on a.company_id = g.company_id and a.id = g.automation_id
    where g.company_id = company and g.group_id = any (group_ids) and a.trigger = 'enters_group' and a.enabled
  ) then
    raise exception 'An automation runs on devices that join this group: only who may run automations adds some.'
      using errcode = 'check_violation', hint = 'group_of_automation';
  end if;
  if not app.can('procedures', 'run') and (exists (
    select 1 from public.scheduled_tasks s where s.company_id = company and s.group_id = any (group_ids) and s.target_kind = 'group'
  ) or exists (
    select 1 from public.monitor_groups g join public.monitors m on m.company_id = g.company_id and m.id = g.monitor_id
    where g.company_id = company and g.group_id = any (group_ids) and (m.procedure_id is not null or m.restart)
  )) then
    raise exception 'A script runs on the devices of this group: only who may run scripts changes them.'
      using errcode = 'check_violation', hint = 'group_of_script';
  end if;
end $$;
comment on function app.guard_group_devices(uuid, uuid[], boolean) is
  'Refuses (23514) to change the devices of a group that a permission policy names, to callers who may not edit policies; to add devices '
  'where that starts an automation, to callers who may not run automations; and to change those of a group that a schedule or a monitor '
  'with a script names, to callers who may not run scripts: they would decide what is run.';

-- Definer, because a permission of its own is asked beside that of the row.
create or replace function app.guard_monitor() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_server_work() and (new.procedure_id is not null or new.restart) then
    perform app.require('procedures', 'run');
  end if;
  return new;
end $$;
drop trigger monitors_guard_update on public.monitors;
create trigger monitors_guard_update before update on public.monitors for each row
  when (new.procedure_id is not null or new.restart or old.procedure_id is not null or old.restart) execute function app.guard_monitor();

-- Definer, because a permission of its own is asked beside that of the row.
create function app.guard_monitor_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_server_work() and exists (
    select 1 from public.monitors m
    where m.company_id = coalesce(new.company_id, old.company_id) and m.id = coalesce(new.monitor_id, old.monitor_id)
      and (m.procedure_id is not null or m.restart)
  ) then
    perform app.require('procedures', 'run');
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_monitor_groups() is
  'Row trigger: on which devices a monitor runs a script or restarts a service is for who may run scripts.';
revoke execute on function app.guard_monitor_groups() from public;
create trigger monitor_groups_guard before insert or update or delete on public.monitor_groups
  for each row execute function app.guard_monitor_groups();
