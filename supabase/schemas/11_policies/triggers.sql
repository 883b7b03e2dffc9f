select app.keep_tenant('public.policies');
select app.keep_audit('public.policies', 'id', array['set_by_operator', 'paused_for']);
select app.keep_announced('public.policies');
select app.keep_search('public.policies');
create trigger policies_author before insert on public.policies for each row execute function app.stamp_author();
create trigger policies_note_insert after insert on public.policies
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policies_note_update after update on public.policies
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policies_note_delete after delete on public.policies
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger policies_releases after update on public.policies for each row
  when ((old.ring, old.promote_after_days, old.promote_success_percent, old.promote_min_devices)
    is distinct from (new.ring, new.promote_after_days, new.promote_success_percent, new.promote_min_devices))
  execute function app.renew_releases();
create trigger policies_stamp_insert after insert on public.policies for each row when (new.kind = 'permission') execute function app.stamp_denied();
create trigger policies_stamp_delete after delete on public.policies for each row when (old.kind = 'permission') execute function app.stamp_denied();
create trigger policies_stamp_update after update on public.policies for each row
  when ('permission' in (old.kind, new.kind) and (old.kind, old.denied, old.enabled, old.position) is distinct from (new.kind, new.denied, new.enabled, new.position))
  execute function app.stamp_denied();
create trigger policies_z_holder before insert or update of kind, position, enabled, approve_severities, approve_after_days, window_weekdays,
    window_from, window_to, timezone, reboot, reboot_weekdays, reboot_from, reboot_to, ring, promote_after_days, promote_success_percent,
    promote_min_devices, set_by
  on public.policies for each row execute function app.stamp_holder();

select app.keep_audit('public.policy_groups', 'policy_id', array['policy_id', 'company_id', 'added_at']);
select app.keep_announced('public.policy_groups', 'company', 'company_id', 'policy_id');
create trigger policy_groups_permission before insert or update or delete on public.policy_groups
  for each statement execute function app.require_edit('policies');
create trigger policy_groups_note_insert after insert on public.policy_groups
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policy_groups_note_delete after delete on public.policy_groups
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger policy_groups_stamp after insert or delete on public.policy_groups for each row execute function app.stamp_denied();
create trigger policy_groups_holder after insert or delete on public.policy_groups
  for each row execute function app.stamp_holder_of('policies', 'policy_id');
