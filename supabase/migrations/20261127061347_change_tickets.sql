-- Tickets as their definition has them now.

drop policy ticket_approvers_delete_rules on public.ticket_approvers;
drop policy ticket_approvers_insert_rules on public.ticket_approvers;
drop policy ticket_approvers_select_rules on public.ticket_approvers;
drop policy ticket_jobs_delete_rules on public.ticket_jobs;
drop policy ticket_jobs_insert_rules on public.ticket_jobs;
drop policy ticket_jobs_select_rules on public.ticket_jobs;
drop policy ticket_watchers_delete_rules on public.ticket_watchers;
drop policy ticket_watchers_insert_rules on public.ticket_watchers;
drop policy ticket_watchers_select_rules on public.ticket_watchers;
drop policy tickets_delete_rules on public.tickets;
drop policy tickets_insert_rules on public.tickets;
drop policy tickets_select_rules on public.tickets;
drop policy tickets_update_rules on public.tickets;
drop policy ticket_tags_insert_rules on public.ticket_tags;
drop policy ticket_tags_delete_rules on public.ticket_tags;
drop function app.tickets_covers(public.tickets, text);
drop function app.tickets_by_approvers();
drop function app.tickets_by_watchers();
create function app.tickets_by_watchers() returns uuid[]
  language sql stable
  -- definer: the policies of the link table ask for the record, whose own policies call this function
  security definer set search_path = '' as $$
  select coalesce(array_agg(l.ticket_id), '{}') from public.ticket_watchers l where l.user_id = app.current_user_id()
$$;
comment on function app.tickets_by_watchers() is 'The records to which ticket_watchers links the caller, for row rules: (select app.tickets_by_watchers()).';
grant execute on function app.tickets_by_watchers() to authenticated;
create function app.tickets_by_approvers() returns uuid[]
  language sql stable
  -- definer: the policies of the link table ask for the record, whose own policies call this function
  security definer set search_path = '' as $$
  select coalesce(array_agg(l.ticket_id), '{}') from public.ticket_approvers l where l.user_id = app.current_user_id()
$$;
comment on function app.tickets_by_approvers() is 'The records to which ticket_approvers links the caller, for row rules: (select app.tickets_by_approvers()).';
grant execute on function app.tickets_by_approvers() to authenticated;
create function app.tickets_covers(t public.tickets, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('tickets', action)
    or (app.has_rule('tickets', action, 'own') and ((t.requester_id = (select app.current_user_id()) or t.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or (app.has_rule('tickets', action, 'requested') and (t.requester_id = (select app.current_user_id())))
    or (app.has_rule('tickets', action, 'asked') and (t.id = any ((select app.tickets_by_approvers())::uuid[]))), false)
$guard$;
comment on function app.tickets_covers(public.tickets, text) is
  'Whether the caller may do `action` on this row of tickets: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.tickets_covers(public.tickets, text) to authenticated;
create policy tickets_select_rules on public.tickets as restrictive for select to authenticated
  using ((select app.sees_rows('tickets', 'list'))
    or ((select app.has_rule('tickets', 'list', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'list', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'list', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_insert_rules on public.tickets as restrictive for insert to authenticated
  with check ((select app.sees_rows('tickets', 'create'))
    or ((select app.has_rule('tickets', 'create', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'create', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'create', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_update_rules on public.tickets as restrictive for update to authenticated
  using ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))))
  with check ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy tickets_delete_rules on public.tickets as restrictive for delete to authenticated
  using ((select app.sees_rows('tickets', 'delete'))
    or ((select app.has_rule('tickets', 'delete', 'own')) and ((requester_id = (select app.current_user_id()) or id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'delete', 'requested')) and (requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'delete', 'asked')) and (id = any ((select app.tickets_by_approvers())::uuid[]))));
create policy ticket_watchers_select_rules on public.ticket_watchers as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id));
create policy ticket_watchers_insert_rules on public.ticket_watchers as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_watchers_delete_rules on public.ticket_watchers as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_watchers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
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
create policy ticket_approvers_select_rules on public.ticket_approvers as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id));
create policy ticket_approvers_insert_rules on public.ticket_approvers as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_approvers_delete_rules on public.ticket_approvers as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_approvers.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));

create policy ticket_tags_insert_rules on public.ticket_tags as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_tags_delete_rules on public.ticket_tags as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'requested')) and (r.requester_id = (select app.current_user_id())))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
