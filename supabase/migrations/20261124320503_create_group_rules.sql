-- Groups by rule: their devices are those that match a filter over devices.

alter table public.groups add column rule jsonb check (jsonb_typeof(rule) = 'object' and length(rule::text) <= 20000);
alter table public.groups add column by_rule boolean generated always as (rule is not null) stored;
comment on column public.groups.rule is
  'The filter over devices, as the console''s filter builder has it; null for a group whose devices people choose. Written by set_group_rule().';

create table app.group_rules (
  company_id uuid not null,
  group_id uuid not null,
  filter jsonb not null,
  is_due boolean not null default true,
  evaluated_at timestamptz,
  primary key (company_id, group_id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table app.group_rules is 'The rules of groups as app.filter_condition() takes them, and when each was last evaluated.';
create index group_rules_evaluated_idx on app.group_rules (is_due, evaluated_at);
revoke all on app.group_rules from public, anon, authenticated;
alter table app.group_rules enable row level security;

create table app.group_changes (
  company_id uuid primary key references public.companies (id) on delete cascade
);
comment on table app.group_changes is 'Companies with rules whose devices changed since app.refresh_groups() last ran.';
revoke all on app.group_changes from public, anon, authenticated;
alter table app.group_changes enable row level security;

-- Security definer: devices and people change devices, and nobody may write this table.
create function app.note_group_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.group_changes (company_id)
    select distinct c.company_id from changed c
    where exists (select 1 from app.group_rules r where r.company_id = c.company_id)
      and not exists (select 1 from app.group_changes g where g.company_id = c.company_id)
    order by c.company_id
    on conflict do nothing;
  return null;
end $$;
comment on function app.note_group_change() is 'Statement trigger of devices: the rules of their company are evaluated at the next tick.';
revoke execute on function app.note_group_change() from public;
create trigger devices_groups_insert after insert on public.devices
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger devices_groups_update after update on public.devices
  referencing new table as changed for each statement execute function app.note_group_change();

create function app.refresh_group(company uuid, group_id uuid, filter jsonb) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  execute format($query$
    with wanted as materialized (
      select t.id from public.devices t where t.company_id = %1$L and %3$s
    ), gone as (
      delete from public.group_devices m where m.company_id = %1$L and m.group_id = %2$L and not exists (select 1 from wanted w where w.id = m.device_id)
      returning 1
    ), added as (
      insert into public.group_devices (company_id, group_id, device_id)
      select %1$L, %2$L, w.id from wanted w
      where not exists (select 1 from public.group_devices m where m.company_id = %1$L and m.group_id = %2$L and m.device_id = w.id)
      on conflict do nothing returning 1
    )
    select (select count(*) from gone) + (select count(*) from added)
  $query$, company, group_id, app.filter_condition('devices', filter)) into changed;
  update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = company and r.group_id = refresh_group.group_id;
  return changed;
end $$;
comment on function app.refresh_group(uuid, uuid, jsonb) is 'Makes the devices of a group those that match its rule; returns how many came and went.';
revoke execute on function app.refresh_group(uuid, uuid, jsonb) from public;

create function app.refresh_groups() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  done integer := 0;
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
  'Step of app.tick(): evaluates the rules of groups after a change of their company''s devices, and every 15 minutes; at most 50 a call. '
  'Returns how many devices came and went.';
revoke execute on function app.refresh_groups() from public;
insert into app.tick_step (position, name, function) values (51, 'group_rules', 'refresh_groups');

-- Security definer: people may write neither rules nor app tables. It checks the permission and the company itself.
create function app.save_group_rule(group_id uuid, rule jsonb, filter jsonb) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('groups', 'edit');
  select g.company_id into company from public.groups g
    where g.id = save_group_rule.group_id and g.company_id = any (app.visible_company_ids()) for update;
  if company is null then
    raise exception 'The group was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
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
  return (select g.device_count from public.groups g where g.id = save_group_rule.group_id);
end $$;
comment on function app.save_group_rule(uuid, jsonb, jsonb) is 'Writes the rule of a group and evaluates it. Called by set_group_rule() alone, which has checked the filter.';
revoke execute on function app.save_group_rule(uuid, jsonb, jsonb) from public, anon;
grant execute on function app.save_group_rule(uuid, jsonb, jsonb) to authenticated;

create function public.set_group_rule(group_id uuid, rule jsonb default null, filter jsonb default null) returns integer
  language plpgsql volatile set search_path = '' as $$
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
  end if;
  return app.save_group_rule(group_id, rule, filter);
end $$;
comment on function public.set_group_rule(uuid, jsonb, jsonb) is
  'Makes the devices of a group those that match a filter, from now on; with null, they stay and are chosen by people again. rule is the '
  'filter as the console has it, filter the same as matching_ids() takes it. Returns the number of devices.';
revoke execute on function public.set_group_rule(uuid, jsonb, jsonb) from public, anon;
grant execute on function public.set_group_rule(uuid, jsonb, jsonb) to authenticated;

create function app.keep_rule_members() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') and exists (
    select 1 from public.groups g where g.company_id = coalesce(new.company_id, old.company_id) and g.id = coalesce(new.group_id, old.group_id) and g.by_rule
  ) then
    raise exception 'The devices of this group follow from its rule.' using errcode = 'check_violation', hint = 'group_by_rule';
  end if;
  return coalesce(new, old);
end $$;
comment on function app.keep_rule_members() is 'Row trigger: nobody adds devices to a group by rule, or removes them.';
revoke execute on function app.keep_rule_members() from public;
create trigger group_devices_rule before insert or delete on public.group_devices for each row execute function app.keep_rule_members();
