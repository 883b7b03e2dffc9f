revoke all on public.procedures from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, type, category, script, parameters, timeout_seconds, revision, created_by, platforms),
  update (name, description, type, category, script, parameters, timeout_seconds, revision, created_by, platforms)
  on public.procedures to authenticated;
grant all on public.procedures to service_role;
alter table public.procedures enable row level security;
create policy procedures_select_member on public.procedures for select to authenticated
  using ((select app.can('procedures', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_insert_member on public.procedures for insert to authenticated
  with check ((select app.can('procedures', 'create'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_update_member on public.procedures for update to authenticated
  using ((select app.can('procedures', 'edit'))
    and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('procedures', 'edit'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_delete_member on public.procedures for delete to authenticated
  using ((select app.can('procedures', 'delete'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.procedure_versions from public, anon, authenticated;
grant select on public.procedure_versions to authenticated;
grant all on public.procedure_versions to service_role;
alter table public.procedure_versions enable row level security;
create policy procedure_versions_select_member on public.procedure_versions for select to authenticated
  using ((select app.can('procedure_versions', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.procedure_logs from public, anon, authenticated;
grant select on public.procedure_logs to authenticated;
grant all on public.procedure_logs to service_role;
alter table public.procedure_logs enable row level security;
create policy procedure_logs_select_member on public.procedure_logs for select to authenticated
  using ((select app.can('procedure_logs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.saved_commands from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, type, command, timeout_seconds, platforms),
  update (name, type, command, timeout_seconds, platforms)
  on public.saved_commands to authenticated;
grant select, insert, update, delete on public.saved_commands to service_role;
alter table public.saved_commands enable row level security;
create policy saved_commands_select_member on public.saved_commands for select to authenticated
  using ((select app.can('saved_commands', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_insert_member on public.saved_commands for insert to authenticated
  with check ((select app.can('saved_commands', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_update_member on public.saved_commands for update to authenticated
  using ((select app.can('saved_commands', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('saved_commands', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_delete_member on public.saved_commands for delete to authenticated
  using ((select app.can('saved_commands', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_select_trash on public.saved_commands as restrictive for select to authenticated
  using (deleted_at is null);
create policy saved_commands_update_trash on public.saved_commands as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy saved_commands_delete_trash on public.saved_commands as restrictive for delete to authenticated
  using (deleted_at is null);

revoke all on public.procedure_stats from public, anon, authenticated;
grant select on public.procedure_stats to authenticated;
grant all on public.procedure_stats to service_role;
alter table public.procedure_stats enable row level security;
create policy procedure_stats_select_member on public.procedure_stats for select to authenticated
  using ((select app.can('procedures', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.procedure_favorites from public, anon, authenticated;
grant select on public.procedure_favorites to authenticated;
grant all on public.procedure_favorites to service_role;
alter table public.procedure_favorites enable row level security;
create policy procedure_favorites_select_own on public.procedure_favorites for select to authenticated
  using (user_id = (select app.current_user_id()));

revoke all on app.version_authors from public, anon, authenticated;
alter table app.version_authors enable row level security;
