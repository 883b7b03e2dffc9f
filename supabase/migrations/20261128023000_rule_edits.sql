-- The note of a rule's reach, which the next migration adds, is no edit of the rule.

drop trigger assignment_rules_touch on public.assignment_rules;
drop trigger assignment_rules_immutable_tenant on public.assignment_rules;
drop trigger assignment_rules_permission on public.assignment_rules;
drop trigger assignment_rules_audit_insert on public.assignment_rules;
drop trigger assignment_rules_audit_update on public.assignment_rules;
drop trigger assignment_rules_audit_delete on public.assignment_rules;
select app.keep_tenant('public.assignment_rules', null, array['name', 'position', 'enabled', 'category_id', 'issue_id', 'priority', 'group_id', 'requester_id',
  'assigns', 'assignee_id', 'role']);
select app.keep_audit('public.assignment_rules', 'id', array['reach_note']);
