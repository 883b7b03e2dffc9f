revoke all on public.companies from public, anon, authenticated;
grant select, delete,
  insert (name, status, license_type, license_end_date, seats, timezone),
  update (name, status, license_type, license_end_date, seats, timezone)
  on public.companies to authenticated;
grant select, insert, update, delete on public.companies to service_role;
alter table public.companies enable row level security;
-- Everyone reads their own company: the session needs its license, whatever the role.
create policy companies_select_member on public.companies for select to authenticated
  using (id = (select app.own_company()) or ((select app.can('companies', 'list')) and (select app.sees_all())));
create policy companies_insert_platform on public.companies for insert to authenticated
  with check ((select app.can('companies', 'create')) and (select app.sees_all()));
create policy companies_update_member on public.companies for update to authenticated
  using ((select app.can('companies', 'edit')) and ((select app.sees_all()) or id = (select app.own_company())))
  with check ((select app.can('companies', 'edit')) and ((select app.sees_all()) or id = (select app.own_company())));
create policy companies_delete_platform on public.companies for delete to authenticated
  using ((select app.can('companies', 'delete')) and (select app.sees_all()));

revoke all on public.profiles from public, anon, authenticated;
grant select, update (name) on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
alter table public.profiles enable row level security;
-- A subquery is hashed once per statement; an array would be scanned for every profile.
create policy profiles_select_member on public.profiles for select to authenticated
  using (id = (select app.current_user_id())
         or ((select app.can('profiles', 'list'))
             and ((select app.sees_all()) or id in (select unnest((select app.visible_user_ids()))))));
create policy profiles_update_self on public.profiles for update to authenticated
  using (id = (select app.current_user_id()))
  with check (id = (select app.current_user_id()));

revoke all on public.user_roles from public, anon, authenticated;
grant select, delete, insert (user_id, role, company_id), update (role, company_id) on public.user_roles to authenticated;
grant select, insert, update, delete on public.user_roles to service_role;
alter table public.user_roles enable row level security;
create policy user_roles_select_member on public.user_roles for select to authenticated
  using (user_id = (select app.current_user_id())
         or ((select app.can('user_roles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))));
create policy user_roles_insert_admin on public.user_roles for insert to authenticated
  with check ((select app.can('user_roles', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy user_roles_update_admin on public.user_roles for update to authenticated
  using ((select app.can('user_roles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('user_roles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy user_roles_delete_admin on public.user_roles for delete to authenticated
  using ((select app.can('user_roles', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.account_sponsors from public, anon, authenticated;
alter table app.account_sponsors enable row level security;

revoke all on app.password_changes from public, anon, authenticated;
alter table app.password_changes enable row level security;

revoke all on public.people from public, anon, authenticated;
grant select on public.people to authenticated;

revoke all on public.users from public, anon, authenticated;
grant select, insert (name, email, role, company_id), update (name, role, company_id) on public.users to authenticated;
grant select on public.users to service_role;
