revoke all on public.ticket_jobs from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, job_id) on public.ticket_jobs to authenticated;
grant select, insert, update, delete on public.ticket_jobs to service_role;
alter table public.ticket_jobs enable row level security;
create policy ticket_jobs_select_member on public.ticket_jobs for select to authenticated
  using ((select app.can('tickets', 'list')) and (select app.can('jobs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets t where t.company_id = ticket_jobs.company_id and t.id = ticket_jobs.ticket_id));
-- A person links only what they started, to a ticket that they see; run_on_ticket() does it in one transaction.
create policy ticket_jobs_insert_member on public.ticket_jobs for insert to authenticated
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets t where t.company_id = ticket_jobs.company_id and t.id = ticket_jobs.ticket_id
      and (select app.edits_record('tickets', t.id)))
    and exists (select 1 from public.jobs j where j.company_id = ticket_jobs.company_id and j.id = ticket_jobs.job_id
      and j.created_by = (select app.current_user_id())));
create policy ticket_jobs_delete_member on public.ticket_jobs for delete to authenticated
  using ((select app.can('tickets', 'edit')) and (select app.can('jobs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_jobs_select_rules on public.ticket_jobs as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id));
create policy ticket_jobs_insert_rules on public.ticket_jobs as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_jobs_delete_rules on public.ticket_jobs as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
