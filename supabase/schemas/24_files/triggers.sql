create trigger files_0_company before insert on public.files for each row execute function app.refuse_other_company();
create trigger files_admit before insert or update of record_id on public.files
  for each row execute function app.admit_file();
-- After files_admit, which refuses another company.
create trigger files_guard before insert or update of record_id or delete on public.files
  for each row execute function app.guard_file();
create trigger files_immutable_tenant before update on public.files
  for each row when (old.company_id is distinct from new.company_id) execute function app.immutable_tenant();
create trigger files_released after delete on public.files
  referencing old table as old_rows for each statement execute function app.release_files();
create trigger files_logged_insert after insert on public.files
  referencing new table as new_rows for each statement execute function app.log_files();
create trigger files_logged_update after update on public.files
  referencing old table as old_rows new table as new_rows for each statement execute function app.log_files();
create trigger files_logged_delete after delete on public.files
  referencing old table as old_rows for each statement execute function app.log_files();
create trigger files_told after update on public.files
  referencing new table as new_rows for each statement execute function app.tell_comment_files();

select app.keep_files('public.devices');
select app.keep_files('public.tickets', guard => 'guard_ticket_files');
select app.keep_files('public.corporate_app_files', '{"file_id": {"package": true}}', false, 'corporate_apps', array['edit']);

-- Hosted Supabase has Storage; the embedded server makes its tables before any migration.
do $$
begin
  if to_regclass('storage.objects') is null then
    raise notice 'There is no Supabase Storage here: nobody can upload a file.';
    return;
  end if;
  insert into storage.buckets (id, name, public) values ('files', 'files', false) on conflict (id) do nothing;
  create policy files_select_reader on storage.objects for select to authenticated
    using (bucket_id = 'files' and exists (
      select 1 from public.files f where objects.name in (f.path, f.path || '.webp') and f.id::text = split_part(split_part(objects.name, '/', 2), '.', 1)));
  -- Once an upload has ended, nothing is written to its path any more.
  create policy files_insert_uploader on storage.objects for insert to authenticated
    with check (bucket_id = 'files' and exists (
      select 1 from public.files f where objects.name in (f.path, f.path || '.webp') and f.id::text = split_part(split_part(objects.name, '/', 2), '.', 1)
        and f.created_by = (select app.current_user_id()) and f.uploaded_at is null));
end $$;
-- A comment keeps its files before it is written: whoever may comment on the record uploads them.
select app.keep_files('public.ticket_comments', object => 'tickets', verbs => array['comment'], guard => 'guard_comment_files');
select app.keep_files('public.device_comments', object => 'devices', verbs => array['comment']);
