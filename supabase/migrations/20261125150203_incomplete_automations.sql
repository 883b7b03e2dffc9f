-- An automation that is enabled and can never run says so, and a script that asks for a value is refused where nobody gives one.

alter table public.automations add column problem text check (problem in ('no_steps', 'no_monitors', 'no_groups', 'no_devices'));
comment on column public.automations.problem is
  'Why it can never run, enabled or not: without steps; without monitors although an alert starts it; without groups although entering one '
  'does; without devices and groups although a schedule does. Null where nothing is missing. Kept by triggers.';

create function app.automation_problem(company uuid, automation uuid, trigger text) returns text
  language sql stable set search_path = '' as $$
  select case
    when not exists (select 1 from public.automation_steps s where s.company_id = company and s.automation_id = automation) then 'no_steps'
    when trigger = 'alert'
      and not exists (select 1 from public.automation_monitors m where m.company_id = company and m.automation_id = automation) then 'no_monitors'
    when trigger in ('enters_group', 'schedule')
      and not exists (select 1 from public.automation_groups g where g.company_id = company and g.automation_id = automation)
    then case
      when trigger = 'enters_group' then 'no_groups'
      when not exists (select 1 from public.automation_devices d where d.company_id = company and d.automation_id = automation) then 'no_devices'
    end
  end
$$;
comment on function app.automation_problem(uuid, uuid, text) is 'The value of automations.problem for a trigger.';
revoke execute on function app.automation_problem(uuid, uuid, text) from public;

-- Definer, because it counts all parts of an automation, whatever the writer may read.
create function app.stamp_automation_problem() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.problem := app.automation_problem(new.company_id, new.id, new.trigger);
  return new;
end $$;
comment on function app.stamp_automation_problem() is 'Row trigger: problem is never the writer''s.';
revoke execute on function app.stamp_automation_problem() from public;
create trigger automations_problem before insert or update of trigger, problem on public.automations
  for each row execute function app.stamp_automation_problem();

-- Definer, because whoever changes a part may not write the column.
create function app.follow_automation_parts() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (select c.company_id, c.automation_id from changed c)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_parts() is 'Statement trigger: problem follows steps, monitors, groups and devices of an automation.';
revoke execute on function app.follow_automation_parts() from public;

do $$
declare
  part text;
begin
  foreach part in array array['steps', 'monitors', 'groups', 'devices'] loop
    execute format('create trigger automation_%1$s_problem_insert after insert on public.automation_%1$s referencing new table as changed '
      'for each statement execute function app.follow_automation_parts()', part);
    execute format('create trigger automation_%1$s_problem_delete after delete on public.automation_%1$s referencing old table as changed '
      'for each statement execute function app.follow_automation_parts()', part);
  end loop;
end $$;
update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
  where app.automation_problem(a.company_id, a.id, a.trigger) is not null;
create index automations_company_problem_idx on public.automations (company_id, problem);

drop trigger automations_audit_insert on public.automations;
drop trigger automations_audit_update on public.automations;
drop trigger automations_audit_delete on public.automations;
select app.keep_audit('public.automations', 'id', array['next_run_at', 'last_run_at', 'problem']);

-- Scripts that ask ----------------------------------------------------------------------------------------------------------

create function app.asked_parameter(definitions jsonb) returns text
  language sql immutable set search_path = '' as $$
  select coalesce(nullif(d.item ->> 'label', ''), d.item ->> 'name')
  from jsonb_array_elements(case jsonb_typeof(definitions) when 'array' then definitions else '[]' end) with ordinality as d (item, place)
  where coalesce((d.item ->> 'required')::boolean, false) and coalesce(d.item -> 'default', 'null') in ('null', '""')
  order by d.place limit 1
$$;
comment on function app.asked_parameter(jsonb) is
  'The label of the first parameter of a script that needs a value and has no default; null when it runs without questions.';
revoke execute on function app.asked_parameter(jsonb) from public;

-- Definer, because it reads parameters as run_procedure does.
create function app.guard_unattended_script() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  script text;
  parameter text;
begin
  -- Row-level security asks after the triggers: this one must not tell of another company's scripts first.
  if new.procedure_id is null or app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  select p.name, app.asked_parameter(p.parameters) into script, parameter
    from public.procedures p where p.company_id = new.company_id and p.id = new.procedure_id;
  if parameter is not null then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'parameter_required',
      detail = jsonb_build_object('script', script, 'parameter', parameter)::text,
      constraint = tg_table_name || '_procedure_id_check', table = tg_table_name, schema = 'public',
      message = format('new row for relation "%1$s" violates check constraint "%1$s_procedure_id_check"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.guard_unattended_script() is
  'Row trigger: a script that needs a value which nobody gives (check_violation, parameter_required; the detail names script and parameter) '
  'cannot be a step of an automation, a response of a monitor, or scheduled.';
revoke execute on function app.guard_unattended_script() from public;
create trigger automation_steps_parameters before insert or update of procedure_id on public.automation_steps
  for each row execute function app.guard_unattended_script();
create trigger monitors_parameters before insert or update of procedure_id on public.monitors
  for each row execute function app.guard_unattended_script();
-- Before scheduled_tasks_guard, which knows more reasons and names none.
create trigger scheduled_tasks_ask before insert or update of procedure_id on public.scheduled_tasks
  for each row execute function app.guard_unattended_script();
