-- A group knows how many devices it has, so that a list of groups is one query and can be sorted by it.

alter table public.groups add column device_count integer not null default 0;
comment on column public.groups.device_count is 'Devices in the group. Kept by trigger.';
alter table public.groups disable trigger user;
update public.groups g set device_count = c.devices
from (select m.company_id, m.group_id, count(*)::integer as devices from public.group_devices m group by 1, 2) c
where c.company_id = g.company_id and c.group_id = g.id;
alter table public.groups enable trigger user;
create index groups_company_count_idx on public.groups (company_id, device_count, id);
create index groups_count_idx on public.groups (device_count, id);

-- A device that joins must neither make an open form out of date, nor count as an edit of the group, nor leave an audit row.
drop trigger groups_touch on public.groups;
create trigger groups_touch before update of name, description on public.groups for each row execute function app.touch();
drop trigger groups_audit_insert on public.groups;
drop trigger groups_audit_update on public.groups;
drop trigger groups_audit_delete on public.groups;
select app.keep_audit('public.groups', 'id', array['device_count']);

create function app.count_group_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- One order for all, so that two statements over the same groups never wait for each other crosswise.
  perform 1 from public.groups g where g.id in (select distinct c.group_id from changed c)
    order by g.id for no key update;
  update public.groups g
    set device_count = g.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.group_id, count(*)::integer as devices from changed c group by c.group_id) c
    where g.id = c.group_id;
  return null;
end $$;
comment on function app.count_group_devices() is
  'Keeps groups.device_count, once a statement. Definer, because the column is nobody''s to write.';
create trigger group_devices_count_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.count_group_devices();
create trigger group_devices_count_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.count_group_devices();

-- Plain SQL without SET, which the planner unfolds; 20261121000800_create_reads.sql says why.
create function public.search_group_candidates(group_id uuid, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_group_candidates.q) d
  where d.company_id = (select g.company_id from public.groups g where g.id = search_group_candidates.group_id)
    and not exists (
      select 1 from public.group_devices m
      where m.company_id = d.company_id and m.group_id = search_group_candidates.group_id and m.device_id = d.id)
$$;
comment on function public.search_group_candidates(uuid, text) is
  'The devices of the group''s company that match q and are not in the group yet; filter, order and page it like the table.';
revoke execute on function public.search_group_candidates(uuid, text) from public, anon;
grant execute on function public.search_group_candidates(uuid, text) to authenticated;

create function public.add_group_candidates(group_id uuid, q text, max_devices integer default 1000) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  added integer;
begin
  insert into public.group_devices (company_id, group_id, device_id)
  select d.company_id, add_group_candidates.group_id, d.id
  from public.search_group_candidates(add_group_candidates.group_id, add_group_candidates.q) d
  order by d.id limit least(greatest(add_group_candidates.max_devices, 1), 5000)
  on conflict (company_id, group_id, device_id) do nothing;
  get diagnostics added = row_count;
  return added;
end $$;
comment on function public.add_group_candidates(uuid, text, integer) is
  'Adds devices that match q to the group, at most max_devices a call; returns how many. Call it until it returns 0. '
  'Runs as the caller: row-level security and the permission trigger of group_devices decide.';
revoke execute on function public.add_group_candidates(uuid, text, integer) from public, anon;
grant execute on function public.add_group_candidates(uuid, text, integer) to authenticated;
