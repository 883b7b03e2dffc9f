-- A policy, monitor or automation without groups is for all devices, so the deletion of its last group widened it to the whole company.

-- Definer, because whoever deletes a group need not see what names it.
create function app.keep_last_group() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Not where the company goes.
  if pg_trigger_depth() > 1 then
    return old;
  end if;
  if exists (
    select 1 from public.policy_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.policy_groups o where o.company_id = g.company_id and o.policy_id = g.policy_id and o.group_id <> old.id)
    union all
    select 1 from public.monitor_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.monitor_groups o where o.company_id = g.company_id and o.monitor_id = g.monitor_id and o.group_id <> old.id)
    union all
    select 1 from public.automation_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.automation_groups o
        where o.company_id = g.company_id and o.automation_id = g.automation_id and o.group_id <> old.id)
      and not exists (select 1 from public.automation_devices d where d.company_id = g.company_id and d.automation_id = g.automation_id)
  ) then
    raise exception 'It is the only group of a policy, a monitor or an automation.' using errcode = 'check_violation', hint = 'group_in_use';
  end if;
  return old;
end $$;
comment on function app.keep_last_group() is
  'Row trigger: a group is not deleted while a policy, monitor or automation names no other, which would then be for all devices.';
revoke execute on function app.keep_last_group() from public;
create trigger groups_in_use before delete on public.groups for each row execute function app.keep_last_group();

-- Definer, because whoever deletes a device need not be one who may edit automations.
create function app.stop_without_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- By the deletion of the device, not of the link.
  if not exists (select 1 from public.devices d where d.company_id = old.company_id and d.id = old.device_id) then
    update public.automations a set enabled = false
      where a.company_id = old.company_id and a.id = old.automation_id and a.enabled
        and not exists (select 1 from public.automation_devices d where d.company_id = a.company_id and d.automation_id = a.id)
        and not exists (select 1 from public.automation_groups g where g.company_id = a.company_id and g.automation_id = a.id);
  end if;
  return null;
end $$;
comment on function app.stop_without_devices() is
  'Row trigger: an automation whose last device was deleted is disabled; without devices and groups it would be for all.';
revoke execute on function app.stop_without_devices() from public;
create trigger automation_devices_last after delete on public.automation_devices for each row execute function app.stop_without_devices();
