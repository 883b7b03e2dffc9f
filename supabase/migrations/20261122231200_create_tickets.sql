-- Tickets: requests by category and issue type.
-- Members who work the desk see all tickets of the company; others see the tickets they requested.

create table public.ticket_categories (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  color text not null default '#4d6a99' check (color ~ '^#[0-9a-f]{6}$'),
  position integer not null default 0 check (position between 0 and 10000),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.ticket_categories is 'What a ticket is about, in the order in which a form offers it (position).';

create index ticket_categories_company_position_idx on public.ticket_categories (company_id, position, id);
create index ticket_categories_position_idx on public.ticket_categories (position, id);
create index ticket_categories_company_name_idx on public.ticket_categories (company_id, name_key, id);
create index ticket_categories_name_idx on public.ticket_categories (name_key, id);

select app.keep_tenant('public.ticket_categories');
select app.keep_audit('public.ticket_categories');
select app.keep_announced('public.ticket_categories');
select app.keep_search('public.ticket_categories');

revoke all on public.ticket_categories from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, color, position),
  update (name, description, color, position)
  on public.ticket_categories to authenticated;
grant select, insert, update, delete on public.ticket_categories to service_role;
alter table public.ticket_categories enable row level security;

create policy ticket_categories_select_member on public.ticket_categories for select to authenticated
  using ((select app.can('ticket_categories', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_insert_member on public.ticket_categories for insert to authenticated
  with check ((select app.can('ticket_categories', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_update_member on public.ticket_categories for update to authenticated
  using ((select app.can('ticket_categories', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_categories', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_categories_delete_member on public.ticket_categories for delete to authenticated
  using ((select app.can('ticket_categories', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.ticket_issues (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  category_id uuid not null,
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  priority text not null default 'normal' check (priority in ('low', 'normal', 'high', 'urgent')),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, category_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete cascade
);
comment on table public.ticket_issues is 'The kinds of issue of a category, with the priority that a ticket of the kind starts with.';

create index ticket_issues_company_name_idx on public.ticket_issues (company_id, name_key, id);
create index ticket_issues_name_idx on public.ticket_issues (name_key, id);

select app.keep_tenant('public.ticket_issues');
select app.keep_audit('public.ticket_issues');
select app.keep_announced('public.ticket_issues');
select app.keep_search('public.ticket_issues');

revoke all on public.ticket_issues from public, anon, authenticated;
grant select, delete,
  insert (company_id, category_id, name, description, priority),
  update (category_id, name, description, priority)
  on public.ticket_issues to authenticated;
grant select, insert, update, delete on public.ticket_issues to service_role;
alter table public.ticket_issues enable row level security;

create policy ticket_issues_select_member on public.ticket_issues for select to authenticated
  using ((select app.can('ticket_issues', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_insert_member on public.ticket_issues for insert to authenticated
  with check ((select app.can('ticket_issues', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_update_member on public.ticket_issues for update to authenticated
  using ((select app.can('ticket_issues', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_issues', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_issues_delete_member on public.ticket_issues for delete to authenticated
  using ((select app.can('ticket_issues', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.ticket_numbers (
  company_id uuid primary key references public.companies (id) on delete cascade,
  last integer not null
);
comment on table app.ticket_numbers is 'The last ticket number of each company: numbers count up without gaps and are never used again.';

revoke all on app.ticket_numbers from public, anon, authenticated;
alter table app.ticket_numbers enable row level security;

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
    -- Who asks is whoever is signed in, whatever the request says.
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

create table public.tickets (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  number integer not null,
  subject text not null check (length(btrim(subject)) between 1 and 200),
  description text check (length(description) <= 20000),
  category_id uuid,
  issue_id uuid,
  -- app.stamp_ticket() fills in the priority of the issue type where it is empty, so every row has one.
  priority text check (priority in ('low', 'normal', 'high', 'urgent')),
  status text not null default 'open' check (status in ('open', 'pending', 'resolved', 'closed')),
  requester_id uuid references public.profiles (id) on delete set null,
  requester_name text check (length(requester_name) <= 100),
  assignee_id uuid references public.profiles (id) on delete set null,
  assignee_name text check (length(assignee_name) <= 100),
  device_id uuid,
  due_at timestamptz,
  resolved_at timestamptz,
  created_by uuid references public.profiles (id) on delete set null,
  subject_key text generated always as (app.sort_key(subject)) stored,
  priority_rank integer generated always as (
    case priority when 'urgent' then 4 when 'high' then 3 when 'normal' then 2 else 1 end) stored,
  search text generated always as (app.fold(
    '#' || number || ' ' || subject || ' ' || coalesce(requester_name, '') || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, number),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id),
  -- Includes the category: the issue type always belongs to the ticket's category, and both follow when it moves.
  constraint tickets_issue_id_fkey foreign key (company_id, category_id, issue_id) references public.ticket_issues (company_id, category_id, id)
    on update cascade on delete set null (issue_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id),
  constraint tickets_issue_id_check check (issue_id is null or category_id is not null),
  constraint tickets_resolved_at_check check ((status in ('resolved', 'closed')) = (resolved_at is not null))
);
comment on table public.tickets is
  'Requests of people to their IT staff. A category that tickets still have cannot be deleted.';
comment on column public.tickets.requester_name is
  'Follows the profile, and outlives it. Whoever works the desk reads it here, where the list of people is not theirs to see.';

create index tickets_company_subject_idx on public.tickets (company_id, subject_key, id);
create index tickets_subject_idx on public.tickets (subject_key, id);
create index tickets_number_idx on public.tickets (number, id);
create index tickets_company_priority_idx on public.tickets (company_id, priority_rank, id);
create index tickets_priority_idx on public.tickets (priority_rank, id);
create index tickets_company_due_idx on public.tickets (company_id, due_at, id);
create index tickets_due_idx on public.tickets (due_at, id);
create index tickets_company_created_idx on public.tickets (company_id, created_at, id);
create index tickets_created_idx on public.tickets (created_at, id);
create index tickets_company_status_idx on public.tickets (company_id, status, created_at, id);
create index tickets_issue_idx on public.tickets (company_id, category_id, issue_id);
create index tickets_device_idx on public.tickets (company_id, device_id, created_at);
create index tickets_requester_idx on public.tickets (requester_id, created_at, id);
create index tickets_assignee_idx on public.tickets (assignee_id, created_at, id);
create index tickets_author_idx on public.tickets (created_by);
-- For users outside the desk: their select policy also reads the requester.
create index tickets_company_requester_idx on public.tickets (company_id, requester_id);

create trigger tickets_guard before insert or update on public.tickets
  for each row execute function app.guard_ticket();
create trigger tickets_people before insert or update of requester_id, assignee_id on public.tickets
  for each row execute function app.name_ticket_people();
create trigger tickets_stamp before insert or update on public.tickets
  for each row execute function app.stamp_ticket();
-- A renamed colleague must not outdate an open form.
select app.keep_tenant('public.tickets', null, array['subject', 'description', 'category_id', 'issue_id', 'priority', 'status',
  'requester_id', 'assignee_id', 'device_id', 'due_at']);
select app.keep_audit('public.tickets', 'id', array['requester_name', 'assignee_name', 'subject_key', 'priority_rank']);
select app.keep_announced('public.tickets');
select app.keep_search('public.tickets');

revoke all on public.tickets from public, anon, authenticated;
grant select, delete,
  insert (company_id, subject, description, category_id, issue_id, priority, status, requester_id, assignee_id, device_id, due_at),
  update (subject, description, category_id, issue_id, priority, status, requester_id, assignee_id, device_id, due_at)
  on public.tickets to authenticated;
grant select, insert, update, delete on public.tickets to service_role;
-- The permission ticket-desk shows all tickets of the company. Without it, a user sees the tickets they requested.
alter table public.tickets enable row level security;

create policy tickets_select_member on public.tickets for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_insert_member on public.tickets for insert to authenticated
  with check ((select app.can('tickets', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_update_member on public.tickets for update to authenticated
  using ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())))
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));
create policy tickets_delete_member on public.tickets for delete to authenticated
  using ((select app.can('tickets', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and ((select app.can('ticket-desk', 'list')) or requester_id = (select app.current_user_id())));

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
    -- One answer for a stranger and for nobody: the one a missing record gives.
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

create trigger profiles_ticket_names after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_profile_name();

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
