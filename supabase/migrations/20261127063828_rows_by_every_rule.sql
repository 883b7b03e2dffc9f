-- Rows by every rule.

set check_function_bodies = off;

create or replace function app.tickets_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('tickets', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.tickets t
    where ((select app.has_rule('tickets', 'list', 'own')) and ((t.requester_id = (select app.current_user_id()) or t.id = any ((select app.tickets_by_watchers())::uuid[]))))
      or ((select app.has_rule('tickets', 'list', 'requested')) and (t.requester_id = (select app.current_user_id())))
      or ((select app.has_rule('tickets', 'list', 'asked')) and (t.id = any ((select app.tickets_by_approvers())::uuid[])))
    limit 501) f), '{}') end
$guard$;
