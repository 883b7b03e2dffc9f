-- Work goes to nobody who may not sign in: tickets and the tickets of monitors name no deactivated account anew.

alter table public.profiles add column is_deactivated boolean not null default false;
comment on column public.profiles.is_deactivated is
  'Whether the account is deactivated, kept from user_roles by trigger: pickers of people filter by it.';
update public.profiles p set is_deactivated = true
  from public.user_roles r where r.user_id = p.id and r.deactivated_at is not null;

-- The audit of user_roles says when an account is deactivated: once is enough.
drop trigger profiles_audit_update on public.profiles;
create trigger profiles_audit_update after update on public.profiles
  referencing old table as old_rows new table as new_rows for each statement execute function app.audit('id', 'is_deactivated');

create function app.mark_deactivated() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set is_deactivated = new.deactivated_at is not null
    where p.id = new.user_id and p.is_deactivated is distinct from (new.deactivated_at is not null);
  return null;
end $$;
comment on function app.mark_deactivated() is
  'Row trigger: a profile says whether its account is deactivated. Definer, because nobody may write that column.';
revoke execute on function app.mark_deactivated() from public;
create trigger user_roles_mark_deactivated after insert or update of deactivated_at on public.user_roles
  for each row execute function app.mark_deactivated();

create function app.refuse_deactivated_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  field text;
  person uuid;
  is_deactivated boolean;
begin
  -- The server's own work keeps what it finds. Row-level security asks after the triggers: of another company, this one says nothing.
  if app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  foreach field in array tg_argv loop
    person := (to_jsonb(new) ->> field)::uuid;
    continue when person is null or tg_op = 'UPDATE' and person is not distinct from (to_jsonb(old) ->> field)::uuid;
    -- The lock waits for a deactivation that has begun, and lets the next one wait for this row.
    select r.deactivated_at is not null into is_deactivated from public.user_roles r
      where r.user_id = person and (r.company_id = new.company_id or r.company_id is null) for share;
    if is_deactivated then
      raise exception using errcode = '23514', hint = 'person_deactivated', table = tg_table_name, schema = tg_table_schema,
        column = field, message = format('column "%s" of "%s" names a deactivated account', field, tg_table_name);
    end if;
  end loop;
  return new;
end $$;
comment on function app.refuse_deactivated_people() is
  'Row trigger: the columns that its arguments name are given to no deactivated account; a value that was there before stays. Definer, '
  'because the writer may not read roles.';
revoke execute on function app.refuse_deactivated_people() from public;

-- After tickets_people, which answers strangers, and before monitors_people, which asks for the desk.
create trigger tickets_people_active before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.refuse_deactivated_people('requester_id', 'assignee_id');
create trigger monitors_active_people before insert or update of ticket_assignee_id on public.monitors
  for each row execute function app.refuse_deactivated_people('ticket_assignee_id');

-- An assignee that was there before is asked only when it changes, or nobody could change the role beside it.
-- Security definer: it reads roles and people that the writer may not.
create or replace function app.check_monitor_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Row-level security asks after the triggers: this one must not tell of another company first.
  if app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  if new.notify_role is not null and not new.notify_role = any (app.roles_that_may('alerts', 'list')) then
    raise exception using errcode = '23514', hint = 'role_without_alerts', table = 'monitors', schema = 'public',
      column = 'notify_role', constraint = 'monitors_notify_role_check',
      message = 'new row for relation "monitors" violates check constraint "monitors_notify_role_check"';
  end if;
  if tg_op = 'INSERT' and new.ticket_assignee_id is not null
    or tg_op = 'UPDATE' and new.ticket_assignee_id is distinct from old.ticket_assignee_id then
    perform app.require('profiles', 'list');
    if new.ticket_assignee_id is not null and not new.ticket_assignee_id = any (app.desk_people(new.company_id)) then
      raise exception using errcode = '23503', table = 'monitors', schema = 'public', constraint = 'monitors_ticket_assignee_id_fkey',
        message = 'insert or update on table "monitors" violates foreign key constraint "monitors_ticket_assignee_id_fkey"';
    end if;
  end if;
  return new;
end $$;

-- Runs as the caller: row-level security decides which tickets are counted.
create function public.open_tickets_of(ids uuid[]) returns integer
  language sql stable set search_path = '' as $$
  select count(*)::integer from public.tickets t where t.assignee_id = any (ids) and t.status in ('open', 'pending')
$$;
comment on function public.open_tickets_of(uuid[]) is
  'How many open tickets are assigned to these people, of those that the caller sees: the question before they are deactivated tells it.';
revoke execute on function public.open_tickets_of(uuid[]) from public, anon;
grant execute on function public.open_tickets_of(uuid[]) to authenticated;
