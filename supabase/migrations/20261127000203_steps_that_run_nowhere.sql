-- An automation none of whose devices can run any of its steps says so, as one without devices does.

alter table public.automations drop constraint automations_problem_check;
alter table public.automations add constraint automations_problem_check
  check (problem in ('no_steps', 'no_monitors', 'no_groups', 'no_devices', 'no_platform'));
comment on column public.automations.problem is
  'Why it can never run, enabled or not: without steps; without monitors although an alert starts it; without groups although entering one '
  'does; without devices and groups although a schedule does; with devices of which none runs any step. Null where nothing is missing. '
  'Kept by triggers.';

create or replace function app.automation_problem(company uuid, automation uuid, trigger text) returns text
  language sql stable set search_path = '' as $$
  with named as (
    select n.device_id from public.automation_devices n where n.company_id = company and n.automation_id = automation
    union
    select m.device_id from public.automation_groups g
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where g.company_id = company and g.automation_id = automation
  )
  select case
    when not exists (select 1 from public.automation_steps s where s.company_id = company and s.automation_id = automation) then 'no_steps'
    when trigger = 'alert'
      and not exists (select 1 from public.automation_monitors m where m.company_id = company and m.automation_id = automation) then 'no_monitors'
    when trigger in ('enters_group', 'schedule')
      and not exists (select 1 from public.automation_groups g where g.company_id = company and g.automation_id = automation)
      and (trigger = 'enters_group'
        or not exists (select 1 from public.automation_devices d where d.company_id = company and d.automation_id = automation))
    then case when trigger = 'enters_group' then 'no_groups' else 'no_devices' end
    -- A device whose system is unknown may run any step, as in app.automation_reach().
    when exists (select 1 from named) and not exists (
      select 1 from named n join public.devices d on d.company_id = company and d.id = n.device_id
      where d.platform is null or exists (
        select 1 from public.automation_steps s join public.procedures p on p.company_id = s.company_id and p.id = s.procedure_id
        where s.company_id = company and s.automation_id = automation and d.platform = any (p.platforms))
    ) then 'no_platform'
  end
$$;

-- Definer, because whoever changes a device, a group or a script may not write the column.
create function app.follow_automation_systems() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (
      select s.company_id, s.automation_id from public.automation_steps s
        where tg_table_name = 'procedures' and s.company_id = new.company_id and s.procedure_id = new.id
      union
      select s.company_id, s.automation_id from public.automation_steps s
        where tg_table_name = 'automation_steps' and s.company_id = new.company_id and s.id = new.id
      union
      select n.company_id, n.automation_id from public.automation_devices n
        where tg_table_name = 'devices' and n.company_id = new.company_id and n.device_id = new.id
      union
      select g.company_id, g.automation_id from public.automation_groups g
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        where tg_table_name = 'devices' and m.company_id = new.company_id and m.device_id = new.id)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_systems() is
  'Row trigger: problem follows the script of a step, the systems of a script and the system of a device.';
revoke execute on function app.follow_automation_systems() from public;
create trigger automation_steps_systems after update of procedure_id on public.automation_steps
  for each row when (old.procedure_id is distinct from new.procedure_id) execute function app.follow_automation_systems();
create trigger procedures_automation_systems after update of platforms, type on public.procedures
  for each row when (old.platforms is distinct from new.platforms) execute function app.follow_automation_systems();
create trigger devices_automation_systems after update of platform on public.devices
  for each row when (old.platform is distinct from new.platform) execute function app.follow_automation_systems();

create function app.follow_automation_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (
      select g.company_id, g.automation_id from changed c
        join public.automation_groups g on g.company_id = c.company_id and g.group_id = c.group_id)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_groups() is
  'Statement trigger: problem follows the devices of its groups. Definer, because whoever changes a group may not write the column.';
revoke execute on function app.follow_automation_groups() from public;
create trigger group_devices_automation_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.follow_automation_groups();
create trigger group_devices_automation_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.follow_automation_groups();

set app.quiet = 'on';
update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
  where a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
reset app.quiet;
