revoke all on public.enrollment_requests from public, anon, authenticated;
grant select on public.enrollment_requests to authenticated;
grant select, insert, update, delete on public.enrollment_requests to service_role;
alter table public.enrollment_requests enable row level security;
create policy enrollment_requests_select_member on public.enrollment_requests for select to authenticated
  using ((select app.can('enrollment_requests', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.enrollment_request_secrets from public, anon, authenticated;
alter table app.enrollment_request_secrets enable row level security;

revoke all on app.agent_releases from public, anon, authenticated;
alter table app.agent_releases enable row level security;

revoke all on app.agent_rollouts from public, anon, authenticated;
alter table app.agent_rollouts enable row level security;
