-- Rules of groups ask for tags and installed software.

create or replace function public.set_group_rule(group_id uuid, rule jsonb default null, filter jsonb default null) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  place record;
  needed text;
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
      -- Tags of devices have no permission lines of their own: their policies ask those of devices.
      foreach needed in array case place.resource when 'device_tags' then array['devices', 'tags']
        when 'device_software' then array['device_software', 'software'] else array[place.resource] end loop
        perform app.require(needed, 'list');
      end loop;
    end loop;
  end if;
  return app.save_group_rule(group_id, rule, filter);
end $$;

-- An inventory can change what is installed without changing the device's own row.
create trigger device_software_groups_insert after insert on public.device_software
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger device_software_groups_delete after delete on public.device_software
  referencing old table as changed for each statement execute function app.note_group_change();
comment on function app.note_group_change() is
  'Statement trigger of devices, their tags and their software: the rules of the company are evaluated at the next tick.';
