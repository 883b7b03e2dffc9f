revoke all on public.notifications from public, anon, authenticated;
grant select, update (read_at) on public.notifications to authenticated;
grant select, insert, update, delete on public.notifications to service_role;
alter table public.notifications enable row level security;
-- Whoever has left a company no longer reads the words of its records.
create policy notifications_select_self on public.notifications for select to authenticated
  using (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())));
create policy notifications_update_self on public.notifications for update to authenticated
  using (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())))
  with check (user_id = (select app.current_user_id())
    and (company_id is null or (select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.user_languages from public, anon, authenticated;
alter table app.user_languages enable row level security;

revoke all on app.notices from public, anon, authenticated;
alter table app.notices enable row level security;
