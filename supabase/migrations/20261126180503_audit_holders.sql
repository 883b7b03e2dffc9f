-- The log says who took something over, and installers have no hidden characters either.

-- Who holds a record is a person's decision, and a pause is not.
drop trigger scheduled_tasks_audit_insert on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_update on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_delete on public.scheduled_tasks;
select app.keep_audit('public.scheduled_tasks', 'id', array['next_run_at', 'last_run_at', 'last_error', 'set_at', 'state', 'set_by_operator', 'paused_for']);
drop trigger automations_audit_insert on public.automations;
drop trigger automations_audit_update on public.automations;
drop trigger automations_audit_delete on public.automations;
select app.keep_audit('public.automations', 'id', array['next_run_at', 'last_run_at', 'problem', 'set_by_operator', 'paused_for']);
drop trigger policies_audit_insert on public.policies;
drop trigger policies_audit_update on public.policies;
drop trigger policies_audit_delete on public.policies;
select app.keep_audit('public.policies', 'id', array['set_by_operator', 'paused_for']);
drop trigger monitors_audit_insert on public.monitors;
drop trigger monitors_audit_update on public.monitors;
drop trigger monitors_audit_delete on public.monitors;
select app.keep_audit('public.monitors', 'id', array['is_active', 'health', 'last_check_at', 'set_by_operator', 'paused_for']);

-- Security definer: whoever writes may not call the function that judges. The columns are its arguments.
create function app.guard_hidden_columns() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  name text;
begin
  foreach name in array tg_argv loop
    if tg_op = 'INSERT' or to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      perform app.refuse_hidden_characters(to_jsonb(new) ->> name);
    end if;
  end loop;
  return new;
end $$;
comment on function app.guard_hidden_columns() is 'Row trigger: texts that devices act on, such as the arguments of an installer, without hidden characters.';
revoke execute on function app.guard_hidden_columns() from public;
create trigger corporate_apps_hidden_characters before insert or update of source_url, install_arguments, detection_rule on public.corporate_apps
  for each row execute function app.guard_hidden_columns('source_url', 'install_arguments', 'detection_rule');
