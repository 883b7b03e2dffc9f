create function app.is_under(policy public.policies, device uuid) returns boolean
  language sql stable set search_path = '' as $$
  select not exists (select 1 from public.policy_groups g where g.company_id = policy.company_id and g.policy_id = policy.id)
    or exists (select 1 from public.policy_groups g
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where g.company_id = policy.company_id and g.policy_id = policy.id and m.device_id = device)
$$;
comment on function app.is_under(public.policies, uuid) is 'Whether a policy applies to a device of its company: one without groups applies to all.';

create function app.enforce_policy(policy public.policies) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  span record;
  due uuid[];
  done integer := 0;
begin
  update public.patches p set approval = 'approved'
    where p.company_id = policy.company_id and p.id in (
      select x.id from public.patches x
      where x.company_id = policy.company_id and x.approval = 'pending' and not x.superseded
        and x.severity = any (policy.approve_severities)
        and x.created_at <= now() - make_interval(days => policy.approve_after_days)
      order by x.id limit 1000 for no key update skip locked);
  get diagnostics done = row_count;
  done := done + app.promote_updates(policy);
  select w.starts, w.ends into span from app.window_of(policy, now()) w;
  if span.starts is not null then
    -- Once a window: what was tried in this one is not tried again. A device is under the first policy that applies.
    select array_agg(y.id) into due from (
      select t.id from public.device_patches t
      join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
      where t.company_id = policy.company_id and t.status in ('missing', 'failed')
        -- An exception is a decision for this device: no ring holds it back.
        and (t.exception = 'approved' or (t.exception is null and p.approval = 'approved' and not app.is_held(policy, t.patch_id)))
        and app.is_under(policy, t.device_id)
        and not exists (select 1 from public.job_runs r
          where r.company_id = t.company_id and r.id = t.run_id and r.queued_at >= span.starts)
        and not exists (select 1 from public.policies e
          where e.company_id = policy.company_id and e.kind = 'patch' and e.enabled and (e.position, e.id) < (policy.position, policy.id)
            and app.is_under(e, t.device_id))
      order by t.device_id, t.id limit 1000) y;
    if due is not null then
      perform app.queue_patches(policy.company_id, policy.name, due, span.ends);
      done := done + cardinality(due);
    end if;
  end if;
  if policy.reboot = 'in_window' then
    select w.starts, w.ends into span
      from app.span_of(policy.reboot_weekdays, policy.reboot_from, policy.reboot_to, policy.timezone, now()) w;
  end if;
  if policy.reboot <> 'never' and span.starts is not null then
    done := done + app.restart_devices(policy, span.starts, span.ends);
  end if;
  return done;
end $$;
comment on function app.enforce_policy(public.policies) is
  'Approves updates by severity and age, releases them to the policy''s ring, has its devices install them in its window, and restarts those that need it, '
  'in the same window or in one of its own; at most 1,000 of each.';

create function app.enforce_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.policies%rowtype;
  done integer := 0;
begin
  for policy in
    select p.* from public.policies p join public.companies c on c.id = p.company_id
    where p.kind = 'patch' and p.enabled and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
      and c.license_type = 'Pro' and (p.approve_severities <> '{}' or p.window_weekdays <> '{}' or p.ring > 1 or p.reboot = 'in_window')
    order by p.company_id, p.position, p.id
    for no key update of p skip locked
  loop
    if not app.holds(policy.set_by, policy.set_by_operator, policy.company_id, 'policies', 'edit') then
      perform app.pause_for('policies', policy.id);
      continue;
    elsif policy.paused_for is not null then
      update public.policies p set paused_for = null where p.id = policy.id;
    end if;
    begin
      done := done + app.enforce_policy(policy);
    exception when others then
      insert into app.tick_log (step, error) values ('policies', left(policy.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
    end;
  end loop;
  return done;
end $$;
comment on function app.enforce_policies() is
  'Step of app.tick(): enforces the patch policies of companies with a Pro license; safe to run many times at once. Returns how much it did.';

create function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.window_weekdays, p.window_from, p.window_to,
      p.timezone, p.reboot,
      p.reboot_weekdays, p.reboot_from, p.reboot_to, p.ring, p.promote_after_days, p.promote_success_percent, p.promote_min_devices, p.check_in_seconds,
      p.agent_updates, p.agent_update_days, p.denied, p.needs_approval, p.denies_values, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;
comment on function public.device_policies(uuid) is
  'The enabled policies of a device with their settings, by type and position; `applies` is true for the first of each type, whose name the others have as first_name.';
grant execute on function public.device_policies(uuid) to authenticated;

create function app.policy_of(company uuid, device uuid, kind text) returns setof public.policies
  language sql stable rows 1 set search_path = '' as $$
  select p.* from public.policies p
  where p.company_id = company and p.kind = policy_of.kind and p.enabled and app.is_under(p, device)
  order by p.position, p.id limit 1
$$;
comment on function app.policy_of(uuid, uuid, text) is 'The policy of a kind that applies to a device, the first by position; no row without one.';

-- Security definer: people change policies and groups, and nobody may write this table.
create function app.note_policy_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.policy_changes (company_id)
    select distinct c.company_id from changed c
    where exists (select 1 from public.policies p where p.company_id = c.company_id and p.kind = 'agent')
      or exists (select 1 from public.device_presence p where p.company_id = c.company_id and p.check_in_seconds is not null)
      or exists (select 1 from public.device_presence p where p.company_id = c.company_id and p.agent_update_days is not null)
    order by c.company_id
    on conflict do nothing;
  return null;
end $$;
comment on function app.note_policy_change() is 'Statement trigger of what decides which agent policy applies to a device.';

create function app.apply_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  part integer;
  done integer := 0;
begin
  for company in
    delete from app.policy_changes c where c.company_id in (
      select x.company_id from app.policy_changes x order by x.company_id limit 10 for update skip locked)
    returning c.company_id
  loop
    update public.device_presence p set check_in_seconds = e.seconds, agent_update_days = e.days
      from (
        select d.id, x.check_in_seconds as seconds, case when x.agent_updates = 'automatic' then x.agent_update_days end as days
        from public.devices d left join lateral app.policy_of(d.company_id, d.id, 'agent') x on true
        where d.company_id = company
      ) e
      where p.company_id = company and p.device_id = e.id
        and (p.check_in_seconds, p.agent_update_days) is distinct from (e.seconds, e.days);
    get diagnostics part = row_count;
    done := done + part;
    insert into app.agent_rollouts (company_id, due_at) values (company, now())
      on conflict (company_id) do update set due_at = excluded.due_at;
  end loop;
  return done;
end $$;
comment on function app.apply_policies() is
  'Step of app.tick(): gives devices the check-in interval and the updates of their agent policy, after a change, for ten companies a call.';

-- Security definer: the stamp is the server's.
create function app.stamp_denied() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  changed record := coalesce(new, old);
begin
  if tg_table_name = 'policies' or exists (
    select 1 from public.policies p where p.company_id = changed.company_id and p.id = (to_jsonb(changed) ->> 'policy_id')::uuid and p.kind = 'permission')
  then
    insert into app.monitor_stamps as s (company_id)
      select c.id from public.companies c where c.id = changed.company_id
      on conflict (company_id) do update set stamp = s.stamp + 1;
  end if;
  return null;
end $$;
comment on function app.stamp_denied() is
  'Row trigger of policies and their groups: devices get their monitors anew, which a permission policy may keep from starting services. '
  'Definer, because the stamp is the server''s.';

create function app.rule_filter(rule jsonb, zone text) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  entry record;
  path text;
  operator text;
  day date;
  first_moment timestamptz;
  end_moment timestamptz;
  part jsonb;
  parts jsonb := '[]';
begin
  if jsonb_typeof(rule) is distinct from 'object' then
    raise exception using errcode = '22023', message = 'a rule is an object of conditions';
  end if;
  if not app.is_timezone(zone) then
    raise exception using errcode = '22023', message = format('there is no time zone %L', zone);
  end if;
  for entry in select e.key, e.value from jsonb_each(rule) e loop
    if entry.key in ('_and', '_or') then
      if jsonb_typeof(entry.value) <> 'array' then
        raise exception using errcode = '22023', message = format('%s takes a list of conditions', entry.key);
      end if;
      part := jsonb_build_object(entry.key, coalesce((select jsonb_agg(app.rule_filter(n.node, zone) order by n.at)
        from jsonb_array_elements(entry.value) with ordinality n (node, at)), '[]'));
    else
      -- Tags and software are rows of a table between, named device_ and the field.
      path := coalesce((
        select format('device_%s.device_id.%s', entry.key, a.attname)
        from pg_catalog.pg_constraint k
          join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname <> 'company_id'
        where strpos(entry.key, '.') = 0 and k.contype = 'f' and k.conrelid = to_regclass(format('public.%I', 'device_' || entry.key))
          and k.confrelid = to_regclass(format('public.%I', entry.key))
        order by a.attname limit 1), entry.key);
      part := jsonb_build_object(path, entry.value);
      select o.key, o.value #>> '{}' as value into operator, day from jsonb_each(case jsonb_typeof(entry.value) when 'object' then entry.value else '{}' end) o
        where (select count(*) from jsonb_object_keys(entry.value)) = 1 and (o.value #>> '{}') ~ '^\d{4}-\d\d-\d\d$'
          and o.key in ('_eq', '_neq', '_lt', '_lte', '_gt', '_gte')
          and exists (select 1 from pg_catalog.pg_attribute a
            where a.attrelid = 'public.devices'::regclass and a.attname = entry.key and a.atttypid = 'timestamptz'::regtype);
      if found then
        -- A day is a stretch of moments.
        first_moment := day::timestamp at time zone zone;
        end_moment := (day + 1)::timestamp at time zone zone;
        part := case operator
          when '_eq' then jsonb_build_object(path, jsonb_build_object('_gte', first_moment, '_lt', end_moment))
          when '_neq' then jsonb_build_object('_or', jsonb_build_array(jsonb_build_object(path, jsonb_build_object('_lt', first_moment)),
            jsonb_build_object(path, jsonb_build_object('_gte', end_moment))))
          when '_lte' then jsonb_build_object(path, jsonb_build_object('_lt', end_moment))
          when '_gt' then jsonb_build_object(path, jsonb_build_object('_gte', end_moment))
          else jsonb_build_object(path, jsonb_build_object(operator, first_moment)) end;
      end if;
    end if;
    parts := parts || jsonb_build_array(part);
  end loop;
  return case jsonb_array_length(parts) when 1 then parts -> 0 else jsonb_build_object('_and', parts) end;
end $$;
comment on function app.rule_filter(jsonb, text) is
  'The rule of a group, as people read it, as app.filter_condition() takes it: links by the table between, days as moments of a time zone.';
grant execute on function app.rule_filter(jsonb, text) to authenticated;

create function app.rule_fields(filter jsonb) returns text[]
  language sql stable set search_path = '' as $$
  select coalesce(array_agg(distinct coalesce(b.attname, split_part(split_part(k.key, '.', 1), '!', 1))::text), '{}')
  from jsonb_path_query(filter, 'strict $.**') as part (item)
    cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
    -- A generated column changes with those that it is made of.
    left join pg_catalog.pg_attribute a on a.attrelid = 'public.devices'::regclass and a.attname = k.key and a.attgenerated <> ''
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_catalog.pg_depend p on p.classid = 'pg_catalog.pg_attrdef'::regclass and p.objid = d.oid
      and p.refclassid = 'pg_catalog.pg_class'::regclass and p.refobjid = a.attrelid and p.refobjsubid <> a.attnum and p.refobjsubid > 0
    left join pg_catalog.pg_attribute b on b.attrelid = p.refobjid and b.attnum = p.refobjsubid
  where k.key !~ '^_'
$$;
comment on function app.rule_fields(jsonb) is 'What a filter over devices asks for: columns of devices, and the tables beside it.';

create function app.stamp_rule_fields() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.fields := app.rule_fields(new.filter);
  return new;
end $$;
comment on function app.stamp_rule_fields() is 'Row trigger: keeps group_rules.fields.';

create function public.set_group_rule(group_id uuid, rule jsonb default null, timezone text default 'UTC') returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  place record;
  needed text;
  filter jsonb;
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
    filter := app.rule_filter(rule, timezone);
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
      -- Tags of devices have no permission lines of their own: their policies ask those of devices.
      foreach needed in array case place.resource when 'device_tags' then array['devices', 'tags']
        when 'device_software' then array['device_software', 'software'] else array[place.resource] end loop
        perform app.require(needed, 'list');
      end loop;
    end loop;
  end if;
  return app.save_group_rule(group_id, rule, filter);
end $$;
comment on function public.set_group_rule(uuid, jsonb, text) is
  'Makes the devices of a group those that match a rule, from now on; with null, they stay and are chosen by people again. The rule is the '
  'filter as the console has it, whose days are those of the time zone; what is evaluated is derived from it. Returns the number of devices.';
grant execute on function public.set_group_rule(uuid, jsonb, text) to authenticated;

-- Security definer: whoever changes a device need see neither rules nor policies.
create function app.guard_rule_fields(company uuid, fields text[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  asking uuid[];
  held record;
begin
  -- Devices tell their own facts, and the server works for everybody.
  if app.acting_user_id() is null then
    return;
  end if;
  select array_agg(r.group_id order by r.group_id) into asking from app.group_rules r
    where r.company_id = company and r.fields && guard_rule_fields.fields;
  if asking is null then
    return;
  end if;
  if not app.can('policies', 'edit') then
    select g.name as group_name, p.name as policy_name into held
    from public.policy_groups l
      join public.policies p on p.company_id = l.company_id and p.id = l.policy_id
      join public.groups g on g.company_id = l.company_id and g.id = l.group_id
    where l.company_id = company and l.group_id = any (asking) and p.kind = 'permission'
    order by g.name limit 1;
    if held.group_name is not null then
      raise exception 'The rule of the group "%" asks for this, and the permission policy "%" is for the group: only who may edit policies changes it.',
        held.group_name, held.policy_name
        using errcode = 'check_violation', hint = 'field_of_policy', detail = jsonb_build_object('group', held.group_name, 'policy', held.policy_name)::text;
    end if;
  end if;
  perform app.guard_group_devices(company, asking, true);
end $$;
comment on function app.guard_rule_fields(uuid, text[]) is
  'Refuses (23514) to change fields of devices that the rule of a group asks for, to callers who may not change the devices of that group by '
  'hand: hint field_of_policy for a permission policy, and those of app.guard_group_devices().';
grant execute on function app.guard_rule_fields(uuid, text[]) to authenticated;

create function app.guard_device_fields() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform app.guard_rule_fields(new.company_id, array(
    select n.key from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key
    where n.value is distinct from o.value and n.key = any (tg_argv)));
  return new;
end $$;
comment on function app.guard_device_fields() is 'Row trigger: see app.guard_rule_fields(). Its arguments are the columns that people write.';

-- Security definer: whether the device still exists is asked for whoever deletes one.
create function app.guard_device_tags() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  link public.device_tags := coalesce(new, old);
begin
  -- A deleted device takes its tags along; a deleted tag takes them from devices.
  if exists (select 1 from public.devices d where d.company_id = link.company_id and d.id = link.device_id) then
    perform app.guard_rule_fields(link.company_id, array['device_tags']);
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_device_tags() is 'Row trigger: see app.guard_rule_fields().';
