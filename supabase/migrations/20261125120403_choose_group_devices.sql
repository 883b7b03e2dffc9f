-- Whoever creates a group says whether people or a rule choose its devices, before there is a rule.

alter table public.groups add column chosen_by text not null default 'people' check (chosen_by in ('people', 'rule'));
update public.groups set chosen_by = 'rule' where rule is not null;
alter table public.groups drop column by_rule;
alter table public.groups add column by_rule boolean generated always as (chosen_by = 'rule') stored;
alter table public.groups add constraint groups_rule_chosen check (rule is null or chosen_by = 'rule');
comment on column public.groups.chosen_by is
  'Who chooses the devices. Written when the group is created, and by set_group_rule(): a group by rule may have none yet, and then has no devices.';
grant insert (chosen_by) on public.groups to authenticated;

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
  update public.groups g set rule = save_group_rule.rule, chosen_by = case when save_group_rule.rule is null then 'people' else 'rule' end
    where g.id = save_group_rule.group_id;
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
