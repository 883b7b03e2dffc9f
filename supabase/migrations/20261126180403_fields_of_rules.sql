-- A permission policy for a group by rule holds while nobody but who may edit policies changes what the rule asks for. And the rule that
-- people read is the one that is evaluated: the database derives the filter from it.

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
revoke execute on function app.rule_filter(jsonb, text) from public, anon;
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
revoke execute on function app.rule_fields(jsonb) from public;

alter table app.group_rules add column fields text[] not null default '{}';
comment on column app.group_rules.fields is 'app.rule_fields() of the filter, by trigger.';
create function app.stamp_rule_fields() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.fields := app.rule_fields(new.filter);
  return new;
end $$;
comment on function app.stamp_rule_fields() is 'Row trigger: keeps group_rules.fields.';
revoke execute on function app.stamp_rule_fields() from public;
create trigger group_rules_fields before insert or update of filter on app.group_rules
  for each row execute function app.stamp_rule_fields();

-- Rules of before this migration were sent beside their filter. What cannot be derived stays as it was.
do $$
declare
  entry record;
  derived jsonb;
begin
  for entry in
    select r.company_id, r.group_id, r.filter, g.rule from app.group_rules r join public.groups g on g.company_id = r.company_id and g.id = r.group_id
    where g.rule is not null
  loop
    begin
      derived := app.rule_filter(entry.rule, 'Europe/Istanbul');
      perform app.filter_condition('devices', derived);
    exception when others then
      derived := entry.filter;
    end;
    update app.group_rules r set filter = derived, is_due = r.is_due or derived <> entry.filter
      where r.company_id = entry.company_id and r.group_id = entry.group_id;
  end loop;
end $$;

drop function public.set_group_rule(uuid, jsonb, jsonb);
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
revoke execute on function public.set_group_rule(uuid, jsonb, text) from public, anon;
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
revoke execute on function app.guard_rule_fields(uuid, text[]) from public, anon;
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
revoke execute on function app.guard_device_fields() from public;
create trigger devices_rule_fields before update of name, notes, maintenance_until, maintenance_note on public.devices
  for each row execute function app.guard_device_fields('name', 'notes', 'maintenance_until', 'maintenance_note');

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
revoke execute on function app.guard_device_tags() from public;
create trigger device_tags_rule_fields before insert or delete on public.device_tags
  for each row execute function app.guard_device_tags();
