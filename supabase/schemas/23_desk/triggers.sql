select app.keep_tenant('public.ticket_statuses');
select app.keep_audit('public.ticket_statuses');
select app.keep_announced('public.ticket_statuses');
select app.keep_search('public.ticket_statuses');
create trigger ticket_statuses_0_company before insert on public.ticket_statuses
  for each row execute function app.refuse_other_company();
create trigger ticket_statuses_default before insert or update or delete on public.ticket_statuses
  for each row execute function app.keep_status_default();
-- After ticket_statuses_default, which locks.
create trigger ticket_statuses_place before insert or update of position on public.ticket_statuses
  for each row execute function app.place_ticket_status();
create trigger ticket_statuses_heir after update or delete on public.ticket_statuses
  for each row execute function app.name_status_default();

select app.keep_tenant('public.business_calendars');
select app.keep_audit('public.business_calendars', 'id', array['filled_days']);
select app.keep_announced('public.business_calendars');
select app.keep_search('public.business_calendars');
create trigger business_calendars_0_company before insert on public.business_calendars
  for each row execute function app.refuse_other_company();
create trigger business_calendars_check before insert or update or delete on public.business_calendars
  for each row execute function app.check_calendar();
create trigger business_calendars_compile after insert or update of hours, holidays, timezone, is_default on public.business_calendars
  for each row execute function app.compile_calendar();

select app.keep_tenant('public.sla_policies');
select app.keep_audit('public.sla_policies');
select app.keep_announced('public.sla_policies');
select app.keep_search('public.sla_policies');
create trigger sla_policies_0_company before insert on public.sla_policies
  for each row execute function app.refuse_other_company();
create trigger sla_policies_check before insert or update of targets on public.sla_policies
  for each row execute function app.check_sla_targets();
create trigger sla_policies_recount after insert or update or delete on public.sla_policies
  for each row execute function app.request_sla_recount();

select app.keep_tenant('public.canned_replies');
select app.keep_audit('public.canned_replies');
select app.keep_announced('public.canned_replies');
select app.keep_search('public.canned_replies');
create trigger canned_replies_0_company before insert on public.canned_replies
  for each row execute function app.refuse_other_company();
create trigger canned_replies_check before insert or update of body on public.canned_replies
  for each row execute function app.check_canned_reply();

-- The note of its reach is no edit of a rule: it raises no version that a form holds.
select app.keep_tenant('public.assignment_rules', null, array['name', 'position', 'enabled', 'category_id', 'issue_id', 'priority', 'group_id', 'requester_id',
  'assigns', 'assignee_id', 'role']);
select app.keep_audit('public.assignment_rules', 'id', array['reach_note']);
select app.keep_announced('public.assignment_rules');
select app.keep_search('public.assignment_rules');
create trigger assignment_rules_0_company before insert on public.assignment_rules
  for each row execute function app.refuse_other_company();
create trigger assignment_rules_reach after insert or delete
  or update of name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role on public.assignment_rules
  for each row execute function app.note_rule_reach();
create trigger assignment_rules_check before insert or update on public.assignment_rules
  for each row execute function app.check_assignment_rule();

select app.keep_tenant('public.desk_settings');
select app.keep_audit('public.desk_settings');
select app.keep_announced('public.desk_settings');

create trigger companies_desk after insert on public.companies
  for each row execute function app.furnish_desk();

create trigger tickets_1_status before insert or update of status, status_id on public.tickets
  for each row execute function app.follow_ticket_status();
-- The name puts it behind tickets_guard: an error about a question tells nobody of a category that is not theirs.
create trigger tickets_guard_answers before insert or update of answers, category_id on public.tickets
  for each row execute function app.check_ticket_answers();
-- After tickets_guard, which refuses an assignee to requesters, and before tickets_people, which names the assignee.
create trigger tickets_hand_out before insert or update of category_id, device_id on public.tickets
  for each row when (new.assignee_id is null) execute function app.assign_by_rule();
-- After tickets_stamp, which fills in the priority.
create trigger tickets_stamp_sla before insert or update of status, status_id, priority, category_id, due_at, first_responded_at, assignee_id
  on public.tickets for each row execute function app.stamp_ticket_sla();
create trigger ticket_comments_answer after insert on public.ticket_comments
  referencing new table as new_rows for each statement execute function app.note_comment_on_ticket();
create trigger monitors_answers before insert or update of ticket_answers, ticket_category_id on public.monitors
  for each row when (new.ticket_answers <> '{}') execute function app.check_monitor_answers();
-- The name puts this trigger before the one that compares answers with the form.
create trigger tickets_1_answers before insert on public.tickets
  for each row when (new.alert_id is not null) execute function app.answer_for_monitor();
