-- Checksums of packages are taken as Windows prints them, and kept as agents compute them.

create function app.lower_checksum() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.sha256 := lower(new.sha256);
  return new;
end $$;
comment on function app.lower_checksum() is 'Row trigger: a checksum is kept in lower case, as agents compute it.';
revoke execute on function app.lower_checksum() from public;
create trigger corporate_apps_checksum before insert or update of sha256 on public.corporate_apps for each row execute function app.lower_checksum();
alter table public.corporate_apps drop constraint corporate_apps_sha256_check;
alter table public.corporate_apps add constraint corporate_apps_sha256_check check (sha256 ~ '^[0-9a-fA-F]{64}$');
