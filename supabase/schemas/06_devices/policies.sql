revoke all on public.groups from public, anon, authenticated;
grant select, delete, insert (company_id, name, description, chosen_by), update (name, description) on public.groups to authenticated;
grant select, insert, update, delete on public.groups to service_role;
alter table public.groups enable row level security;
create policy groups_select_member on public.groups for select to authenticated
  using ((select app.can('groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_insert_member on public.groups for insert to authenticated
  with check ((select app.can('groups', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_update_member on public.groups for update to authenticated
  using ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_delete_member on public.groups for delete to authenticated
  using ((select app.can('groups', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.enrollment_tokens from public, anon, authenticated;
grant select on public.enrollment_tokens to authenticated;
grant select, insert, update, delete on public.enrollment_tokens to service_role;
alter table public.enrollment_tokens enable row level security;
create policy enrollment_tokens_select_member on public.enrollment_tokens for select to authenticated
  using ((select app.can('enrollment_tokens', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.devices from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, hostname, os, os_version, platform, make, model, serial, notes),
  update (name, notes, owner_id)
  on public.devices to authenticated;
grant select, insert, update, delete on public.devices to service_role;
alter table public.devices enable row level security;
create policy devices_select_member on public.devices for select to authenticated
  using ((select app.can('devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_insert_member on public.devices for insert to authenticated
  with check ((select app.can('devices', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_update_member on public.devices for update to authenticated
  using ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_delete_member on public.devices for delete to authenticated
  using ((select app.can('devices', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.device_presence from public, anon, authenticated;
grant select on public.device_presence to authenticated;
grant select, insert, update, delete on public.device_presence to service_role;
alter table public.device_presence enable row level security;
create policy device_presence_select_member on public.device_presence for select to authenticated
  using ((select app.can('device_presence', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.device_secrets from public, anon, authenticated;
alter table app.device_secrets enable row level security;

revoke all on public.group_devices from public, anon, authenticated;
grant select, delete, insert (company_id, group_id, device_id) on public.group_devices to authenticated;
grant select, insert, update, delete on public.group_devices to service_role;
alter table public.group_devices enable row level security;
create policy group_devices_select_member on public.group_devices for select to authenticated
  using ((select app.can('group_devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy group_devices_insert_member on public.group_devices for insert to authenticated
  with check ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy group_devices_delete_member on public.group_devices for delete to authenticated
  using ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.enrollment_secrets from public, anon, authenticated;
alter table app.enrollment_secrets enable row level security;

revoke all on app.fleet from public, anon, authenticated;
alter table app.fleet enable row level security;

revoke all on app.device_metrics from public, anon, authenticated;
alter table app.device_metrics enable row level security;

revoke all on app.group_rules from public, anon, authenticated;
alter table app.group_rules enable row level security;

revoke all on app.group_changes from public, anon, authenticated;
alter table app.group_changes enable row level security;

revoke all on public.tags from public, anon, authenticated;
grant select, delete, insert (company_id, name), update (name) on public.tags to authenticated;
grant select, insert, update, delete on public.tags to service_role;
alter table public.tags enable row level security;
create policy tags_select_member on public.tags for select to authenticated
  using ((select app.can('tags', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_insert_member on public.tags for insert to authenticated
  with check ((select app.can('tags', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_update_member on public.tags for update to authenticated
  using ((select app.can('tags', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('tags', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_delete_member on public.tags for delete to authenticated
  using ((select app.can('tags', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

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

revoke all on public.device_comments from public, anon, authenticated;
grant select, delete, insert (company_id, device_id, kind, body, once_key), update (body) on public.device_comments to authenticated;
grant select, insert, update, delete on public.device_comments to service_role;
alter table public.device_comments enable row level security;
create policy device_comments_select_member on public.device_comments for select to authenticated
  using ((select app.can('devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.devices r where r.company_id = device_comments.company_id and r.id = device_comments.device_id));
create policy device_comments_insert_member on public.device_comments for insert to authenticated
  with check ((select app.can('devices', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id())
    and exists (select 1 from public.devices r where r.company_id = device_comments.company_id and r.id = device_comments.device_id));
create policy device_comments_update_member on public.device_comments for update to authenticated
  using ((select app.can('devices', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id())
    and exists (select 1 from public.devices r where r.company_id = device_comments.company_id and r.id = device_comments.device_id))
  with check ((select app.can('devices', 'comment')) and ((select app.sees_all()) or company_id = (select app.own_company())) and author_id = (select app.current_user_id())
    and exists (select 1 from public.devices r where r.company_id = device_comments.company_id and r.id = device_comments.device_id));
create policy device_comments_delete_member on public.device_comments for delete to authenticated
  using ((select app.can('devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.devices r where r.company_id = device_comments.company_id and r.id = device_comments.device_id)
    and (author_id = (select app.current_user_id()) or (select app.can('devices', 'delete'))));
