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
  'requester_id', 'assignee_id', 'device_id', 'due_at']);
select app.keep_audit('public.tickets', 'id', array['requester_name', 'assignee_name', 'subject_key', 'priority_rank']);
select app.keep_announced('public.tickets');
select app.keep_search('public.tickets');
create trigger tickets_guard before insert or update on public.tickets
  for each row execute function app.guard_ticket();
create trigger tickets_people before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.name_ticket_people();
create trigger tickets_stamp before insert or update on public.tickets
  for each row execute function app.stamp_ticket();
create trigger tickets_tell after insert on public.tickets
  referencing new table as new_rows for each statement execute function app.tell_tickets();
-- Changes that the alert itself makes come from within its own trigger.
create trigger tickets_touched after update on public.tickets
  for each row when (new.alert_id is not null and pg_trigger_depth() = 0) execute function app.note_ticket_change();
-- After tickets_people, which answers strangers, and before monitors_people, which asks for the desk.
create trigger tickets_people_active before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.refuse_deactivated_people('requester_id', 'assignee_id');
create trigger tickets_0_company before insert on public.tickets for each row execute function app.refuse_other_company();
