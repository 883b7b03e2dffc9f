-- The devices of a group are searched, and sorted by their name or by when they were added.

alter table public.group_devices add column device_key text;
comment on column public.group_devices.device_key is 'Sort key of the device. Kept by trigger.';

-- A renamed device is no change of its groups.
drop trigger group_devices_audit_insert on public.group_devices;
drop trigger group_devices_audit_update on public.group_devices;
drop trigger group_devices_audit_delete on public.group_devices;
alter table public.group_devices disable trigger user;
update public.group_devices m set device_key = d.name_key
from public.devices d
where d.company_id = m.company_id and d.id = m.device_id;
alter table public.group_devices enable trigger user;
select app.keep_audit('public.group_devices', 'group_id', array['group_id', 'company_id', 'added_at', 'device_key']);

create index group_devices_by_name on public.group_devices (group_id, device_key, device_id);
create index group_devices_by_time on public.group_devices (group_id, added_at, device_id);

create function app.copy_member_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_member_keys() is
  'Row trigger: a group''s device sorts as the device does. Definer, because it reads the device whatever the writer may read.';
revoke execute on function app.copy_member_keys() from public;
create trigger group_devices_keys before insert on public.group_devices
  for each row execute function app.copy_member_keys();

create function app.spread_device_to_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.group_devices m set device_key = new.name_key where m.company_id = new.company_id and m.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_groups() is
  'Row trigger: groups sort a renamed device by its new name. Definer, because nobody may update group_devices.';
revoke execute on function app.spread_device_to_groups() from public;
create trigger devices_spread_to_groups after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_groups();

-- Plain SQL without SET, which the planner unfolds; 20261121000800_create_reads.sql says why.
create function public.search_group_devices(q text) returns setof public.group_devices
  language sql stable rows 500 as $$
  select t.* from public.group_devices t
  where case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_group_devices(text) is
  'The devices in groups that match every word of q; filter by group, order and page it like the table.';
revoke execute on function public.search_group_devices(text) from public, anon;
grant execute on function public.search_group_devices(text) to authenticated;
