-- The bucket of files with its policies, and the steps of the tick that remove files.

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

insert into app.tick_step (position, name, function) values
  (86, 'file_removals', 'hand_over_removals'),
  (104, 'file_drafts', 'forget_drafts');
