-- Searches and filters that read the whole of the two largest tables, and failed jobs, read an index instead.

-- A search over all companies knows updates, titles and devices, but no company: their ids lead these keys. The
-- references find their rows as before, by equality of both columns.
drop index public.device_patches_patch_idx;
create index device_patches_patch_idx on public.device_patches (patch_id, company_id, device_id);
alter table public.device_patches
  drop constraint device_patches_company_id_device_id_patch_id_key,
  add constraint device_patches_device_patch_key unique (device_id, company_id, patch_id);

drop index public.device_software_software_idx;
create index device_software_software_idx on public.device_software (software_id, company_id, device_id);
alter table public.device_software
  drop constraint device_software_company_id_device_id_software_id_version_key,
  add constraint device_software_device_software_key unique (device_id, company_id, software_id, version);

-- Few rows of many: without an index of their own, a page of them walks past all others.
create index device_patches_company_reboot_idx on public.device_patches (company_id, title_key, id) where reboot_required;
create index device_patches_reboot_idx on public.device_patches (title_key, id) where reboot_required;
create index jobs_company_failed_idx on public.jobs (company_id, created_at, id) where failed > 0;
create index jobs_failed_idx on public.jobs (created_at, id) where failed > 0;
