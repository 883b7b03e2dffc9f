select app.keep_tenant('public.companies');
select app.keep_audit('public.companies', 'id', array['device_count', 'seats_left']);
select app.keep_announced('public.companies', 'company', 'id');
select app.keep_search('public.companies');
create trigger companies_guard before update on public.companies for each row
  when ((old.status, old.license_type, old.license_end_date, old.seats)
        is distinct from (new.status, new.license_type, new.license_end_date, new.seats))
  execute function app.guard_company();
create or replace trigger companies_touch before update on public.companies for each row
  execute function app.touch('name', 'status', 'license_type', 'license_end_date', 'seats', 'timezone');

select app.keep_audit('public.profiles');
select app.keep_search('public.profiles');
select app.keep_short_texts('public.profiles');
create trigger profiles_touch before update on public.profiles for each row execute function app.touch_time();
create trigger profiles_announce_update after update on public.profiles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_profiles();
create trigger profiles_ticket_names after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_profile_name();
create or replace trigger profiles_audit_update after update on public.profiles
  referencing old table as old_rows new table as new_rows for each statement execute function app.audit('id', 'is_deactivated');

select app.keep_tenant('public.user_roles');
select app.keep_audit('public.user_roles', 'user_id', array['user_id']);
select app.keep_announced('public.user_roles', 'company', 'company_id', 'user_id');
-- A Super Admin may move an account to another company; app.guard_user_role() restricts everyone else.
drop trigger user_roles_immutable_tenant on public.user_roles;
create trigger user_roles_guard before insert or update or delete on public.user_roles
  for each row execute function app.guard_user_role();
create trigger user_roles_announce_leavers after update on public.user_roles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_leavers();
create trigger user_roles_security after insert or update of role, company_id, deactivated_at or delete on public.user_roles
  for each row execute function app.log_access_change();
create trigger user_roles_sponsor_insert after insert on public.user_roles
  for each row execute function app.note_sponsor();
create trigger user_roles_sponsor_raise after update on public.user_roles
  for each row when ((old.role, old.deactivated_at) is distinct from (new.role, new.deactivated_at))
  execute function app.note_sponsor();
create trigger user_roles_mark_deactivated after insert or update of deactivated_at on public.user_roles
  for each row execute function app.mark_deactivated();
create trigger user_roles_0_company before insert on public.user_roles for each row execute function app.refuse_other_company();

create trigger users_permission before insert or update on public.users
  for each statement execute function app.require_permission();
create trigger users_refuse_delete instead of delete on public.users
  for each row execute function app.refuse_user_delete();
create trigger users_write instead of insert or update on public.users
  for each row execute function app.write_user();

-- Some hosts refuse triggers on the auth schema; app.create_auth_user() therefore writes the profile as well.
do $$
begin
  create trigger konsol_sync_profile after insert or update of email on auth.users
    for each row execute function app.sync_profile();
exception when insufficient_privilege then
  raise notice 'profiles do not follow auth.users here: %', sqlerrm;
end $$;

-- Some hosts refuse triggers on the auth schema. An account that was invited then stays connected with its sponsor.
do $$
begin
  create trigger konsol_note_password after update of encrypted_password on auth.users
    for each row when (old.encrypted_password is distinct from new.encrypted_password) execute function app.note_password();
exception when insufficient_privilege then
  raise notice 'changes of passwords are not noted here: %', sqlerrm;
end $$;
