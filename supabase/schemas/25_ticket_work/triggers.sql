select app.keep_tenant('public.ticket_links');
select app.keep_audit('public.ticket_links');
select app.keep_announced('public.ticket_links');
create trigger ticket_links_0_company before insert on public.ticket_links
  for each row execute function app.refuse_other_company();
create trigger ticket_links_1_merged before insert on public.ticket_links
  for each row execute function app.refuse_merged_ticket();
create trigger ticket_links_guard before insert or delete on public.ticket_links
  for each row execute function app.guard_ticket_link();
create trigger ticket_links_mirror after insert or delete on public.ticket_links
  for each row execute function app.mirror_ticket_link();
create trigger ticket_links_split after insert on public.ticket_links
  for each row when (new.kind = 'split_from') execute function app.note_split();
create trigger ticket_links_split_end after delete on public.ticket_links
  for each row when (old.kind = 'split_from') execute function app.note_split();

create trigger tickets_subtickets after insert or update of parent_id, deleted_at or delete on public.tickets
  for each row execute function app.count_subtickets();
create trigger tickets_timers_end after update of deleted_at on public.tickets
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function app.end_timers();
-- Before the guard of comments, whose answer for a closed ticket would not name the survivor.
create trigger ticket_comments_0_merged before insert on public.ticket_comments
  for each row execute function app.refuse_merged_ticket();

select app.keep_tenant('public.time_entries');
select app.keep_audit('public.time_entries', 'id', array['user_name', 'seconds', 'is_long']);
select app.keep_announced('public.time_entries');
create trigger time_entries_0_company before insert on public.time_entries
  for each row execute function app.refuse_other_company();
create trigger time_entries_merged before insert on public.time_entries
  for each row execute function app.refuse_merged_ticket();
create trigger time_entries_people before insert or update of user_id on public.time_entries
  for each row execute function app.check_people_of_time_entries();
create trigger time_entries_people_active before insert on public.time_entries
  for each row execute function app.refuse_deactivated_people('user_id');
create trigger time_entries_stamp before insert or update of started_at, ended_at on public.time_entries
  for each row execute function app.stamp_time_entry();
create trigger time_entries_timers_insert after insert on public.time_entries
  referencing new table as new_rows for each statement execute function app.note_timers();
create trigger time_entries_timers_update after update on public.time_entries
  referencing old table as old_rows new table as new_rows for each statement execute function app.note_timers();
create trigger time_entries_timers_delete after delete on public.time_entries
  referencing old table as old_rows for each statement execute function app.note_timers();

select app.keep_tenant('public.ticket_approvals');
select app.keep_audit('public.ticket_approvals', 'id', array['person_name', 'decided_by_name']);
select app.keep_announced('public.ticket_approvals');
create trigger ticket_approvals_approvers after insert or update of status, person_id or delete on public.ticket_approvals
  for each row execute function app.follow_approvers();
create trigger ticket_approvals_count after insert or update of status, ticket_id or delete on public.ticket_approvals
  for each row execute function app.count_approvals();
create trigger ticket_approvals_canceled after update of status on public.ticket_approvals
  for each row when (old.status = 'asked' and new.status = 'canceled') execute function app.tell_canceled_approval();
create trigger tickets_requester_decided before update of requester_id on public.tickets
  for each row when (new.requester_id is not null and old.requester_id is distinct from new.requester_id) execute function app.guard_requester();
create trigger tickets_requester_kept after update of requester_id, requester_email on public.tickets
  for each row when ((old.requester_id, old.requester_email) is distinct from (new.requester_id, new.requester_email))
  execute function app.keep_requester();
create trigger user_roles_timers after update of company_id, role, deactivated_at on public.user_roles
  for each row when (new.deactivated_at is not null or old.company_id is distinct from new.company_id or old.role is distinct from new.role)
  execute function app.end_left_timers();
create trigger user_roles_approvals_left after update of company_id, role, deactivated_at or delete on public.user_roles
  for each row execute function app.tell_left_approvals();
create trigger ticket_comments_1_approved before update of body or delete on public.ticket_comments
  for each row execute function app.guard_approved_words();
create trigger tickets_approvals_end after update of status, status_id, deleted_at on public.tickets
  for each row when (new.open_approvals > 0 and (new.status in ('resolved', 'closed') and old.status is distinct from new.status
    or old.deleted_at is null and new.deleted_at is not null))
  execute function app.cancel_approvals();
create trigger tickets_approvals_resume after update of status, status_id, deleted_at on public.tickets
  for each row when (new.deleted_at is null and new.status in ('new', 'open', 'waiting')
    and (old.status in ('resolved', 'closed') or old.deleted_at is not null))
  execute function app.resume_approvals();
create trigger user_roles_approvers after update on public.user_roles
  for each row when (old.company_id is distinct from new.company_id) execute function app.move_approvers();
select app.keep_announced('public.ticket_approvers', 'company', 'company_id', 'ticket_id');

select app.keep_tenant('public.ticket_checklist_items');
select app.keep_audit('public.ticket_checklist_items', 'id', array['done_by_name']);
select app.keep_announced('public.ticket_checklist_items');
select app.keep_search('public.ticket_checklist_items');
create trigger ticket_checklist_items_0_company before insert on public.ticket_checklist_items
  for each row execute function app.refuse_other_company();
create trigger ticket_checklist_items_merged before insert on public.ticket_checklist_items
  for each row execute function app.refuse_merged_ticket();
create trigger ticket_checklist_items_stamp before insert or update on public.ticket_checklist_items
  for each row execute function app.stamp_checklist_item();
-- A statement of another trigger, such as one that deletes the items with their ticket, has locked the ticket already and must not wait for a merge.
create trigger ticket_checklist_items_share before update or delete on public.ticket_checklist_items
  for each statement when (pg_trigger_depth() = 0) execute function app.share_checklists();
create trigger ticket_checklist_items_count_insert after insert on public.ticket_checklist_items
  referencing new table as new_rows for each statement execute function app.count_checklist();
create trigger ticket_checklist_items_count_update after update on public.ticket_checklist_items
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_checklist();
create trigger ticket_checklist_items_count_delete after delete on public.ticket_checklist_items
  referencing old table as old_rows for each statement execute function app.count_checklist();
create trigger tickets_checklist_insert after insert on public.tickets
  for each row when (new.category_id is not null) execute function app.fill_checklist();
create trigger tickets_checklist_update after update of category_id on public.tickets
  for each row when (new.category_id is not null and new.category_id is distinct from old.category_id) execute function app.fill_checklist();
create trigger profiles_work_names after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_work_names();
create trigger time_entries_words after insert on public.time_entries for each row execute function app.note_ticket_words();

create trigger ticket_tags_permission before insert or update or delete on public.ticket_tags
  for each statement execute function app.require_edit('tickets', 'assign');
create trigger ticket_tags_0_company before insert on public.ticket_tags
  for each row execute function app.refuse_other_company();
create trigger ticket_tags_merged before insert on public.ticket_tags
  for each row execute function app.refuse_merged_ticket();
select app.keep_audit('public.ticket_tags', 'ticket_id', array['ticket_id', 'company_id']);
select app.keep_announced('public.ticket_tags', 'company', 'company_id', 'ticket_id');
