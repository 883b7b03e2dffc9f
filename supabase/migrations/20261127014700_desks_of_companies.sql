-- Every company gets the statuses, business hours and settings that a new one has, and every ticket a status of its kind.
set app.quiet = 'on';

select app.furnish_desk_of(c.id) from public.companies c order by c.id;
update public.tickets t
set status_id = (select s.id from public.ticket_statuses s where s.company_id = t.company_id and s.kind = t.status and s.is_default),
  paused_at = case when t.status in ('new', 'open') then null else coalesce(t.resolved_at, t.updated_at) end;
alter table public.tickets add constraint tickets_status_id_check check (status_id is not null);

reset app.quiet;

drop trigger tickets_touch on public.tickets;
drop trigger tickets_immutable_tenant on public.tickets;
drop trigger tickets_permission on public.tickets;
select app.keep_tenant('public.tickets', null, array['subject', 'description', 'category_id', 'issue_id', 'priority', 'status',
  'status_id', 'answers', 'requester_id', 'assignee_id', 'device_id', 'due_at']);
drop trigger tickets_audit_insert on public.tickets;
drop trigger tickets_audit_update on public.tickets;
drop trigger tickets_audit_delete on public.tickets;
select app.keep_audit('public.tickets', 'id', array['requester_name', 'assignee_name', 'subject_key', 'priority_rank',
  'first_response_due_at', 'solution_due_at', 'paused_at', 'paused_seconds', 'sla_state', 'sla_next_at', 'sla_policy_id']);

insert into app.tick_step (position, name, function) values
  (64, 'sla_recounts', 'recount_sla'),
  (65, 'sla', 'watch_sla'),
  (66, 'resolved_tickets', 'close_resolved');
