revoke all on app.file_store from public, anon, authenticated;
alter table app.file_store enable row level security;

revoke all on app.file_fields from public, anon, authenticated;
alter table app.file_fields enable row level security;

revoke all on app.file_use from public, anon, authenticated;
alter table app.file_use enable row level security;

revoke all on app.file_removals from public, anon, authenticated;
alter table app.file_removals enable row level security;

revoke all on app.storage_server from public, anon, authenticated;
alter table app.storage_server enable row level security;

revoke all on public.files from public, anon, authenticated;
grant select, delete,
  insert (company_id, resource, record_id, field, name, size),
  update (record_id)
  on public.files to authenticated;
grant select, insert, update, delete on public.files to service_role;
alter table public.files enable row level security;
create policy files_select_reader on public.files for select to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company())) and (
    created_by = (select app.current_user_id()) and (record_id is null or uploaded_at is null)
    or record_id is not null and uploaded_at is not null and (select app.sees_record(resource, record_id))));
create policy files_insert_uploader on public.files for insert to authenticated
  with check (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id())
    and case when record_id is null then (select app.may_draft_file(resource, field)) else (select app.edits_record(resource, record_id)) end);
create policy files_update_uploader on public.files for update to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id()) and record_id is null and field is null and uploaded_at is not null)
  with check (((select app.sees_all()) or company_id = (select app.own_company()))
    and created_by = (select app.current_user_id()) and record_id is not null and (select app.edits_record(resource, record_id)));
-- A file of a field goes when the record names another one.
create policy files_delete_editor on public.files for delete to authenticated
  using (((select app.sees_all()) or company_id = (select app.own_company())) and (
    created_by = (select app.current_user_id()) and (record_id is null or uploaded_at is null)
    or field is null and record_id is not null and (
      created_by = (select app.current_user_id()) and (select app.may_draft_file(resource, field)) and (select app.sees_record(resource, record_id))
      or (select app.may_remove_files(resource)) and (select app.edits_record(resource, record_id)))));
