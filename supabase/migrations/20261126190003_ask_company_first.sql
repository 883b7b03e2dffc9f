-- Company first: a row for another company is refused before triggers look up people and records of that company. Row-level
-- security asks after them, so that their different answers told who belongs to which company.

create function app.refuse_other_company() returns trigger
  language plpgsql security invoker set search_path = '' as $$
begin
  -- Functions of the console write as their owner and decide for themselves.
  if current_user in ('anon', 'authenticated') and new.company_id is not null
     and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
    raise exception using errcode = '42501',
      message = format('new row violates row-level security policy for table "%s"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.refuse_other_company() is
  'Row trigger before all others of a table: answers for another company what row-level security answers, whoever and whatever the row names.';
revoke execute on function app.refuse_other_company() from public, anon, authenticated;

-- Triggers of one event fire in the order of their names.
do $$
declare
  name text;
begin
  foreach name in array array['automation_steps', 'automations', 'corporate_apps', 'group_devices', 'monitor_groups', 'monitors',
    'scheduled_tasks', 'software_licenses', 'tickets', 'user_roles'] loop
    execute format('create trigger %I before insert on public.%I for each row execute function app.refuse_other_company()',
      name || '_0_company', name);
  end loop;
end $$;
