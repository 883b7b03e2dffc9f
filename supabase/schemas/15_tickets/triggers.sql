select app.keep_tenant('public.ticket_categories');
select app.keep_audit('public.ticket_categories');
select app.keep_announced('public.ticket_categories');
select app.keep_search('public.ticket_categories');

select app.keep_tenant('public.ticket_issues');
select app.keep_audit('public.ticket_issues');
select app.keep_announced('public.ticket_issues');
select app.keep_search('public.ticket_issues');

-- A renamed colleague must not outdate an open form.
select app.keep_tenant('public.tickets', null, array['subject', 'description', 'category_id', 'issue_id', 'priority', 'status',
  'status_id', 'answers', 'requester_id', 'assignee_id', 'device_id', 'due_at']);
-- New due times after a changed calendar are no change of the tickets: version and time stay, and 50,000 rows are not compared as JSON.
create or replace trigger tickets_touch before update on public.tickets for each row
  when ((old.first_response_due_at, old.solution_due_at, old.paused_seconds, old.sla_state, old.sla_next_at, old.sla_policy_id)
      is not distinct from (new.first_response_due_at, new.solution_due_at, new.paused_seconds, new.sla_state, new.sla_next_at, new.sla_policy_id)
    or (old.subject, old.description, old.category_id, old.issue_id, old.priority, old.status, old.status_id, old.answers, old.requester_id,
        old.assignee_id, old.device_id, old.due_at, old.version)
      is distinct from (new.subject, new.description, new.category_id, new.issue_id, new.priority, new.status, new.status_id, new.answers, new.requester_id,
        new.assignee_id, new.device_id, new.due_at, new.version))
  execute function app.touch('subject', 'description', 'category_id', 'issue_id', 'priority', 'status', 'status_id', 'answers', 'requester_id',
    'assignee_id', 'device_id', 'due_at');
select app.keep_audit('public.tickets', 'id', array['requester_name', 'assignee_name', 'subject_key', 'priority_rank',
  'first_response_due_at', 'solution_due_at', 'paused_at', 'paused_seconds', 'sla_state', 'sla_next_at', 'sla_policy_id', 'subticket_count', 'checklist_total', 'checklist_done',
  'checklist_progress', 'open_approvals', 'unfinished', 'timer_started_at', 'timer_state', 'merge_state', 'split_from_id']);
select app.keep_announced('public.tickets');
select app.keep_search('public.tickets');
select app.keep_search_apart('public.tickets');
select app.keep_trash('public.tickets');
-- Cascades and the server's own work run as the owner.
create trigger tickets_guard before insert or update on public.tickets
  for each row when (current_user in ('anon', 'authenticated')) execute function app.guard_ticket();
create trigger tickets_people before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.name_ticket_people();
create trigger tickets_stamp before insert or update of status, status_id, priority, resolved_at on public.tickets
  for each row execute function app.stamp_ticket();
-- After tickets_people and tickets_stamp, which fill in name and number.
create trigger tickets_words before insert on public.tickets
  for each row execute function app.fold_ticket();
create trigger tickets_words_update before update on public.tickets for each row
  when ((new.number, new.subject, new.requester_name, new.description, new.answers)
    is distinct from (old.number, old.subject, old.requester_name, old.description, old.answers))
  execute function app.fold_ticket();
create trigger tickets_tell after insert on public.tickets
  referencing new table as new_rows for each statement execute function app.tell_tickets();
-- Changes that the alert itself makes come from within its own trigger.
create trigger tickets_touched after update on public.tickets
  for each row when (new.alert_id is not null and pg_trigger_depth() = 0) execute function app.note_ticket_change();
-- After tickets_people, which answers strangers, and before monitors_people, which asks for the desk.
create trigger tickets_people_active before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.refuse_deactivated_people('requester_id', 'assignee_id');
create trigger tickets_0_company before insert on public.tickets for each row execute function app.refuse_other_company();

select app.keep_comments('public.ticket_comments', '{"resource":"tickets","table":"tickets","record":"ticket_id","path":"/tickets","people":["requester_id","assignee_id"],"search":true,"kinds":{"reply":{"when":"status <> ''closed''"},"note":{"object":"tickets-notes"}}}');
create trigger ticket_comments_words after insert on public.ticket_comments for each row execute function app.note_ticket_words();

create trigger ticket_watchers_permission before insert or update or delete on public.ticket_watchers
  for each statement execute function app.require_edit('tickets');
create trigger ticket_watchers_0_company before insert on public.ticket_watchers
  for each row execute function app.refuse_other_company();
create trigger ticket_watchers_guard before insert or delete on public.ticket_watchers
  for each row execute function app.guard_ticket_watchers();
create trigger ticket_watchers_people before insert or update of company_id, user_id on public.ticket_watchers
  for each row execute function app.check_people_of_ticket_watchers();
create trigger ticket_watchers_people_active before insert on public.ticket_watchers
  for each row execute function app.refuse_deactivated_people('user_id');
select app.keep_audit('public.ticket_watchers', 'ticket_id', array['ticket_id', 'company_id']);
select app.keep_announced('public.ticket_watchers', 'company', 'company_id', 'ticket_id');
