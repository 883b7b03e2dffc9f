revoke all on public.remote_links from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, template, platform),
  update (name, template, platform)
  on public.remote_links to authenticated;
grant select, insert, update, delete on public.remote_links to service_role;
alter table public.remote_links enable row level security;
create policy remote_links_select_member on public.remote_links for select to authenticated
  using ((select app.can('remote_links', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_insert_member on public.remote_links for insert to authenticated
  with check ((select app.can('remote_links', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_update_member on public.remote_links for update to authenticated
  using ((select app.can('remote_links', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('remote_links', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy remote_links_delete_member on public.remote_links for delete to authenticated
  using ((select app.can('remote_links', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
