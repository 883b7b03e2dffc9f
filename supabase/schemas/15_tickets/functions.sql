create function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Cascades and the server's own work run as the owner.
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  -- Whoever works the desk writes everything.
  if app.can('tickets', 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'open' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null then 'device_id'
      when new.due_at is not null then 'due_at' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when new.status is distinct from old.status then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at' end;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;
comment on function app.guard_ticket() is
  'Row trigger: without the permission to assign tickets a person writes what the ticket is about, until it is closed, and asks for themself.';

create function app.name_ticket_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- A profile that was deleted leaves its name.
  if tg_op = 'INSERT' or new.requester_id is not null and new.requester_id is distinct from old.requester_id then
    new.requester_name := app.member_name(new.requester_id, new.company_id, 'tickets_requester_id_fkey');
  end if;
  if tg_op = 'INSERT' or new.assignee_id is distinct from old.assignee_id then
    new.assignee_name := app.member_name(new.assignee_id, new.company_id, 'tickets_assignee_id_fkey');
  end if;
  return new;
end $$;
comment on function app.name_ticket_people() is
  'Row trigger: requester and assignee belong to the ticket''s company, and it stores their names. Definer, because it reads people the writer may not.';

create function app.stamp_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.ticket_numbers as n (company_id, last) values (new.company_id, 1)
      on conflict (company_id) do update set last = n.last + 1 returning n.last into new.number;
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
  end if;
  if new.priority is null then
    new.priority := coalesce((select i.priority from public.ticket_issues i
      where i.company_id = new.company_id and i.id = new.issue_id), 'normal');
  end if;
  new.resolved_at := case when new.status in ('resolved', 'closed') then coalesce(new.resolved_at, now()) end;
  return new;
end $$;
comment on function app.stamp_ticket() is
  'Row trigger: number, author, the priority of the issue type where none was given, and when it was resolved, by the server''s clock. '
  'Definer, because the counter is nobody''s to write.';

create function app.member_name(person uuid, company uuid, reference text) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  found text;
begin
  if person is null then
    return null;
  end if;
  select p.name into found from public.profiles p join public.user_roles r on r.user_id = p.id
    where p.id = person and (r.company_id = company or r.role = 'Super Admin');
  if found is null then
    -- A stranger and nobody get the same answer: the one a missing record gives.
    raise exception using errcode = '23503', constraint = reference, table = 'tickets', schema = 'public',
      message = format('insert or update on table "tickets" violates foreign key constraint "%s"', reference),
      detail = format('Key (%s)=(%s) is not present in table "profiles".',
        regexp_replace(reference, '^tickets_(.*)_fkey$', '\1'), person);
  end if;
  return found;
end $$;
comment on function app.member_name(uuid, uuid, text) is
  'The name of somebody of the company (or of a Super Admin); anybody else is answered as a broken reference. Definer, because the caller may not read people.';

create function app.follow_profile_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.tickets t set requester_name = new.name where t.requester_id = new.id;
  update public.tickets t set assignee_name = new.name where t.assignee_id = new.id;
  return null;
end $$;
comment on function app.follow_profile_name() is
  'Row trigger on profiles: tickets show the name of today. Definer, because a person may rename themself and not write the tickets.';

-- Runs as the caller: row-level security decides which tickets are reached, the guard which columns are written.
create function public.assign_tickets(ids uuid[]) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('tickets', 'assign');
  update public.tickets t set assignee_id = app.current_user_id() where t.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.assign_tickets(uuid[]) is 'Makes the caller the assignee of these tickets and returns how many.';
grant execute on function public.assign_tickets(uuid[]) to authenticated;

create function public.set_ticket_status(ids uuid[], status text) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('tickets', 'assign');
  update public.tickets t set status = set_ticket_status.status where t.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.set_ticket_status(uuid[], text) is 'Resolves, reopens or closes these tickets and returns how many.';
grant execute on function public.set_ticket_status(uuid[], text) to authenticated;

-- Runs as the caller: row-level security decides which tickets are counted.
create function public.open_tickets_of(ids uuid[]) returns integer
  language sql stable set search_path = '' as $$
  select count(*)::integer from public.tickets t where t.assignee_id = any (ids) and t.status in ('open', 'pending')
$$;
comment on function public.open_tickets_of(uuid[]) is
  'How many open tickets are assigned to these people, of those that the caller sees: the question before they are deactivated tells it.';
grant execute on function public.open_tickets_of(uuid[]) to authenticated;
