-- The ticket that another was split from follows from their link, and is no entry of the activity.

drop trigger tickets_audit_insert on public.tickets;
drop trigger tickets_audit_update on public.tickets;
drop trigger tickets_audit_delete on public.tickets;
select app.keep_audit('public.tickets', 'id', array['requester_name', 'assignee_name', 'subject_key', 'priority_rank',
  'first_response_due_at', 'solution_due_at', 'paused_at', 'paused_seconds', 'sla_state', 'sla_next_at', 'sla_policy_id', 'subticket_count', 'checklist_total', 'checklist_done',
  'checklist_progress', 'open_approvals', 'unfinished', 'timer_started_at', 'timer_state', 'merge_state', 'split_from_id']);
