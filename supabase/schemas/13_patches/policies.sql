revoke all on public.patches from public, anon, authenticated;
grant select, update (approval, deferred_until, notes) on public.patches to authenticated;
grant select, insert, update, delete on public.patches to service_role;
alter table public.patches enable row level security;
create policy patches_select_member on public.patches for select to authenticated
  using ((select app.can('patches', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patches_update_member on public.patches for update to authenticated
  using ((select app.can('patches', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('patches', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.device_patches from public, anon, authenticated;
grant select on public.device_patches to authenticated;
grant select, insert, update, delete on public.device_patches to service_role;
alter table public.device_patches enable row level security;
create policy device_patches_select_member on public.device_patches for select to authenticated
  using ((select app.can('device_patches', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.patch_exceptions from public, anon, authenticated;
grant select, delete,
  insert (company_id, patch_id, scope, group_id, device_id, approval, deferred_until, notes),
  update (approval, deferred_until, notes)
  on public.patch_exceptions to authenticated;
grant select, insert, update, delete on public.patch_exceptions to service_role;
alter table public.patch_exceptions enable row level security;
create policy patch_exceptions_select_member on public.patch_exceptions for select to authenticated
  using ((select app.can('patch_exceptions', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_insert_member on public.patch_exceptions for insert to authenticated
  with check ((select app.can('patch_exceptions', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_update_member on public.patch_exceptions for update to authenticated
  using ((select app.can('patch_exceptions', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('patch_exceptions', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_delete_member on public.patch_exceptions for delete to authenticated
  using ((select app.can('patch_exceptions', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.patch_changes from public, anon, authenticated;
alter table app.patch_changes enable row level security;

revoke all on app.patch_releases from public, anon, authenticated;
alter table app.patch_releases enable row level security;
