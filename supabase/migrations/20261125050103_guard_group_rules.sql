-- Rules of groups name only tables that their writer may list; groups, and scripts of monitors, give nobody what they may not run.

-- Security definer: a caller who may list neither policies nor automations must still be told that one holds.
create function app.guard_group_devices(company uuid, group_ids uuid[], adds boolean) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.can('policies', 'edit') and exists (
    select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
    where g.company_id = company and g.group_id = any (group_ids) and p.kind = 'permission' and p.enabled
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
end $$;
comment on function app.guard_group_devices(uuid, uuid[], boolean) is
  'Refuses (23514) to change the devices of a group that an enabled permission policy names, to callers who may not edit policies, and '
  'to add devices where that starts an automation, to callers who may not run automations: they would decide what is run.';
revoke execute on function app.guard_group_devices(uuid, uuid[], boolean) from public, anon;
grant execute on function app.guard_group_devices(uuid, uuid[], boolean) to authenticated;

create or replace function app.keep_rule_members() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.guard_group_devices(coalesce(new.company_id, old.company_id), array[coalesce(new.group_id, old.group_id)], tg_op = 'INSERT');
    if exists (
      select 1 from public.groups g where g.company_id = coalesce(new.company_id, old.company_id) and g.id = coalesce(new.group_id, old.group_id) and g.by_rule
    ) then
      raise exception 'The devices of this group follow from its rule.' using errcode = 'check_violation', hint = 'group_by_rule';
    end if;
  end if;
  return coalesce(new, old);
end $$;
comment on function app.keep_rule_members() is
  'Row trigger: nobody adds devices to a group by rule, or removes them; app.guard_group_devices() holds for the others.';

create or replace function public.set_group_rule(group_id uuid, rule jsonb default null, filter jsonb default null) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  place record;
begin
  if rule is not null then
    if octet_length(rule::text) > 20000 then
      raise exception 'The rule is too long.' using errcode = 'check_violation', hint = 'rule_too_long';
    end if;
    if (select count(*) from jsonb_path_query(rule, '$.**.groups')) > 0 then
      raise exception 'A rule cannot ask for groups.' using errcode = 'check_violation', hint = 'rule_of_groups';
    end if;
    if rule::text ~ '\$now' then
      raise exception 'A rule cannot ask for days relative to today.' using errcode = 'check_violation', hint = 'rule_of_days';
    end if;
    -- As the caller, who may ask for nothing here that a list would not show.
    perform public.matching_ids('devices', filter, '', null, 1);
    -- The tick evaluates the rule without row-level security.
    for place in
      select distinct substr(p.via, length('public.') + 1) as resource
      from jsonb_path_query(filter, 'strict $.**') as part (item)
        cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
        cross join lateral app.filter_path('devices', k.key) p
      where strpos(k.key, '.') > 0
    loop
      if place.resource = 'group_devices' then
        raise exception 'A rule cannot ask for groups.' using errcode = 'check_violation', hint = 'rule_of_groups';
      end if;
      -- Short rows that an index finds by device: a rule is evaluated again and again, for all companies by one tick.
      if place.resource not in ('device_presence', 'device_software', 'device_tags') then
        raise exception 'A rule cannot ask for this.' using errcode = 'check_violation', hint = 'rule_of_tables';
      end if;
      perform app.require(place.resource, 'list');
    end loop;
  end if;
  return app.save_group_rule(group_id, rule, filter);
end $$;

-- Security definer, as before: people may write neither rules nor app tables. It checks the permission and the company itself.
create or replace function app.save_group_rule(group_id uuid, rule jsonb, filter jsonb) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  began timestamptz := clock_timestamp();
begin
  perform app.require('groups', 'edit');
  select g.company_id into company from public.groups g
    where g.id = save_group_rule.group_id and g.company_id = any (app.visible_company_ids()) for update;
  if company is null then
    raise exception 'The group was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  perform app.guard_group_devices(company, array[save_group_rule.group_id], rule is not null);
  update public.groups g set rule = save_group_rule.rule where g.id = save_group_rule.group_id;
  if rule is null then
    delete from app.group_rules r where r.company_id = company and r.group_id = save_group_rule.group_id;
    return 0;
  end if;
  if (select count(*) from app.group_rules r where r.company_id = company and r.group_id <> save_group_rule.group_id) >= 100 then
    raise exception 'A company has at most 100 groups by rule.' using errcode = 'check_violation', hint = 'rules_too_many';
  end if;
  insert into app.group_rules as r (company_id, group_id, filter) values (company, save_group_rule.group_id, save_group_rule.filter)
    on conflict on constraint group_rules_pkey do update set filter = excluded.filter;
  perform app.refresh_group(company, save_group_rule.group_id, filter);
  if clock_timestamp() - began > interval '2 seconds' then
    raise exception 'The rule takes too long.' using errcode = 'check_violation', hint = 'rule_too_slow';
  end if;
  return (select g.device_count from public.groups g where g.id = save_group_rule.group_id);
end $$;

-- Definer, because a permission of its own is asked beside that of the row.
create function app.guard_monitor() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_server_work() and (new.procedure_id is not null or new.restart) then
    perform app.require('procedures', 'run');
  end if;
  return new;
end $$;
comment on function app.guard_monitor() is
  'Row trigger: a monitor that runs a script or restarts a service is for who may run scripts.';
revoke execute on function app.guard_monitor() from public;
create trigger monitors_guard_insert before insert on public.monitors for each row execute function app.guard_monitor();
create trigger monitors_guard_update before update on public.monitors for each row
  when (old.procedure_id is distinct from new.procedure_id or old.restart is distinct from new.restart) execute function app.guard_monitor();

create or replace function app.refresh_groups() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  done integer := 0;
  began timestamptz := clock_timestamp();
begin
  with due as (
    delete from app.group_changes c where c.company_id in (
      select x.company_id from app.group_changes x order by x.company_id limit 100 for update skip locked)
    returning c.company_id
  )
  update app.group_rules r set is_due = true from due where r.company_id = due.company_id and not r.is_due;
  for entry in
    select r.company_id, r.group_id, r.filter from app.group_rules r
    -- What no change of a device tells, such as its load or a related record, is noticed after a quarter of an hour.
    where r.is_due or r.evaluated_at < now() - interval '15 minutes'
    order by r.is_due desc, r.evaluated_at nulls first limit 50 for update skip locked
  loop
    -- The embedded database does nothing else in the meantime. The next tick goes on with the rules that waited longest.
    exit when clock_timestamp() - began > interval '1 second';
    begin
      done := done + app.refresh_group(entry.company_id, entry.group_id, entry.filter);
    exception when others then
      -- A field that the rule names is gone: its devices stay as they are.
      insert into app.tick_log (step, error) values ('group_rules', left(entry.group_id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
      update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end;
  end loop;
  return done;
end $$;
comment on function app.refresh_groups() is
  'Step of app.tick(): evaluates the rules of groups after a change of their company''s devices, and every 15 minutes; at most 50 a call, '
  'and no further one after a second. Returns how many devices came and went.';
