-- Tags of devices, by which people filter them and rules of groups choose them.

create index devices_company_platform_idx on public.devices (company_id, platform);
create table public.device_tags (
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  tag_id uuid not null,
  primary key (company_id, device_id, tag_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, tag_id) references public.tags (company_id, id) on delete cascade
);
comment on table public.device_tags is 'Which tags belong to which devices.';
create index device_tags_tag_id_idx on public.device_tags (company_id, tag_id);
create trigger device_tags_permission before insert or update or delete on public.device_tags
  for each statement execute function app.require_edit('devices');
select app.keep_audit('public.device_tags', 'device_id', array['device_id', 'company_id']);
select app.keep_announced('public.device_tags', 'company', 'company_id', 'device_id');
revoke all on public.device_tags from public, anon, authenticated;
grant select, delete, insert (company_id, device_id, tag_id) on public.device_tags to authenticated;
grant select, insert, update, delete on public.device_tags to service_role;
alter table public.device_tags enable row level security;
create policy device_tags_select_member on public.device_tags for select to authenticated
  using ((select app.can('devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy device_tags_insert_member on public.device_tags for insert to authenticated
  with check ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy device_tags_delete_member on public.device_tags for delete to authenticated
  using ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

-- A rule may ask for tags.
create trigger device_tags_groups_insert after insert on public.device_tags
  referencing new table as changed for each statement execute function app.note_group_change();
create trigger device_tags_groups_delete after delete on public.device_tags
  referencing old table as changed for each statement execute function app.note_group_change();
