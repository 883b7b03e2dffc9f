-- A machine's reports neither outdate an open form nor fill the audit log.
select app.keep_tenant('public.patches', null, array['approval', 'deferred_until', 'notes']);
select app.keep_audit('public.patches', 'id', array['title', 'title_key', 'kb_number', 'category', 'severity', 'size_mb', 'release_date', 'superseded']);
select app.keep_announced('public.patches');
select app.keep_search('public.patches');
create trigger patches_approval before update on public.patches for each row
  when ((old.approval, old.deferred_until) is distinct from (new.approval, new.deferred_until))
  execute function app.guard_approval();
create trigger patches_a_deferral before insert or update on public.patches for each row execute function app.settle_deferral();
create trigger patches_spread after update on public.patches for each row
  when ((old.title_key, old.severity) is distinct from (new.title_key, new.severity)) execute function app.spread_patch_keys();
create trigger patches_recall after update of approval on public.patches for each row
  when (old.approval = 'approved' and new.approval <> 'approved') execute function app.recall_patch();
create trigger patches_rate after update on public.patches for each row
  when ((old.approval, old.category, old.superseded) is distinct from (new.approval, new.category, new.superseded))
  execute function app.note_patch_change();
create trigger patches_forget_releases after update of approval on public.patches for each row
  when (old.approval = 'approved' and new.approval <> 'approved') execute function app.forget_releases();

select app.keep_tenant('public.device_patches');
select app.keep_announced('public.device_patches');
create trigger device_patches_keys before insert on public.device_patches for each row execute function app.copy_patch_keys();
create trigger device_patches_count_insert after insert on public.device_patches
  referencing new table as new_rows for each statement execute function app.count_missing_updates();
create trigger device_patches_count_update after update on public.device_patches
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_missing_updates();
create trigger device_patches_count_delete after delete on public.device_patches
  referencing old table as old_rows for each statement execute function app.count_missing_updates();
create trigger device_patches_missing before update on public.device_patches for each row
  when (old.status = 'installed' and new.status <> 'installed') execute function app.note_missing_again();
create trigger device_patches_failure before insert or update of status on public.device_patches for each row
  when (new.status in ('failed', 'installed')) execute function app.note_failure();

select app.keep_tenant('public.patch_exceptions');
select app.keep_audit('public.patch_exceptions');
select app.keep_announced('public.patch_exceptions');
create trigger patch_exceptions_a_settle before insert or update on public.patch_exceptions for each row execute function app.settle_exception();
create trigger patch_exceptions_spread_insert after insert on public.patch_exceptions
  referencing new table as changed for each statement execute function app.spread_exceptions();
create trigger patch_exceptions_spread_update after update on public.patch_exceptions
  referencing new table as changed for each statement execute function app.spread_exceptions();
create trigger patch_exceptions_spread_delete after delete on public.patch_exceptions
  referencing old table as changed for each statement execute function app.spread_exceptions();
