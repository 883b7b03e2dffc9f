create trigger ticket_jobs_permission before insert or update or delete on public.ticket_jobs
  for each statement execute function app.require_edit('tickets');
create trigger ticket_jobs_log_insert after insert on public.ticket_jobs
  referencing new table as changed_rows for each statement execute function app.log_ticket_jobs();
create trigger ticket_jobs_log_delete after delete on public.ticket_jobs
  referencing old table as changed_rows for each statement execute function app.log_ticket_jobs();
select app.keep_announced('public.ticket_jobs', 'company', 'company_id', 'ticket_id');
