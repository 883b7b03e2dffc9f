revoke all on public.saved_views from public, anon, authenticated;
grant select, delete,
  insert (company_id, resource, name, scope, role, state, is_default),
  update (company_id, name, scope, role, state, is_default)
  on public.saved_views to authenticated;
grant select, insert, update, delete on public.saved_views to service_role;
alter table public.saved_views enable row level security;
create policy saved_views_select_member on public.saved_views for select to authenticated
  using (
    (owner = (select app.current_user_id()) and (scope = 'mine' or (select app.sees_all())))
    or (company_id = (select app.own_company()) and (
      owner = (select app.current_user_id())
      or scope = 'company'
      or role = any ((select app.my_roles())::text[])
    ))
  );
create policy saved_views_insert_owner on public.saved_views for insert to authenticated
  with check (owner = (select app.current_user_id()) and (scope = 'mine' or (
    (select app.can('saved_views', 'share')) and ((select app.sees_all()) or company_id = (select app.own_company())))));
-- People who may share can also edit the company's views after their owner has left.
create policy saved_views_update_sharer on public.saved_views for update to authenticated
  using (owner = (select app.current_user_id())
    or ((select app.can('saved_views', 'share')) and company_id = (select app.own_company())))
  with check ((owner = (select app.current_user_id()) and scope = 'mine') or (
    (select app.can('saved_views', 'share')) and ((select app.sees_all()) or company_id = (select app.own_company()))));
create policy saved_views_delete_sharer on public.saved_views for delete to authenticated
  using (owner = (select app.current_user_id())
    or ((select app.can('saved_views', 'share')) and company_id = (select app.own_company())));

revoke all on public.list_preferences from public, anon, authenticated;
grant select, delete, insert (resource, columns, density), update (resource, columns, density) on public.list_preferences to authenticated;
grant select, insert, update, delete on public.list_preferences to service_role;
alter table public.list_preferences enable row level security;
create policy list_preferences_select_self on public.list_preferences for select to authenticated
  using (user_id = (select app.current_user_id()));
create policy list_preferences_insert_self on public.list_preferences for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy list_preferences_update_self on public.list_preferences for update to authenticated
  using (user_id = (select app.current_user_id()))
  with check (user_id = (select app.current_user_id()));
create policy list_preferences_delete_self on public.list_preferences for delete to authenticated
  using (user_id = (select app.current_user_id()));
