revoke all on public.failed_login_attempts from public, anon, authenticated;
grant insert (user_email, ip_address, user_agent, failure_reason) on public.failed_login_attempts to anon;
grant select, insert (user_email, ip_address, user_agent, failure_reason) on public.failed_login_attempts to authenticated;
grant select, insert, update, delete on public.failed_login_attempts to service_role;
alter table public.failed_login_attempts enable row level security;
create policy failed_login_attempts_select_platform on public.failed_login_attempts for select to authenticated
  using ((select app.can('failed_login_attempts', 'list')) and (select app.sees_all()));
create policy failed_login_attempts_insert_anyone on public.failed_login_attempts for insert to anon, authenticated
  with check (length(user_email) <= 255);

revoke all on public.security_log from public, anon, authenticated;
grant select on public.security_log to authenticated;
grant select on public.security_log to service_role;
alter table public.security_log enable row level security;
create policy security_log_select_member on public.security_log for select to authenticated
  using ((select app.can('security_log', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
