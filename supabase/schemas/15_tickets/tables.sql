-- Tickets: requests by category and issue type. Members who work the desk see all tickets of the company; others see those they requested.

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

alter table public.monitors add constraint monitors_ticket_category_id_fkey foreign key (company_id, ticket_category_id)
references public.ticket_categories (company_id, id) on delete set null (ticket_category_id);

create index ticket_categories_company_position_idx on public.ticket_categories (company_id, position, id);
create index ticket_categories_position_idx on public.ticket_categories (position, id);
create index ticket_categories_company_name_idx on public.ticket_categories (company_id, name_key, id);
create index ticket_categories_name_idx on public.ticket_categories (name_key, id);

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

create table app.ticket_numbers (
  company_id uuid primary key references public.companies (id) on delete cascade,
  last integer not null
);
comment on table app.ticket_numbers is 'The last ticket number of each company: numbers count up without gaps and are never used again.';

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
  -- Foreign keys are left out, as in app.alert_tickets: they would make PostgREST's embedding of the device ambiguous.
  alert_table text generated always as ('alerts') stored,
  alert_id uuid,
  alert_message text check (length(alert_message) <= 2000),
  alert_resolved_at timestamptz,
  repair_table text generated always as ('job_runs') stored,
  repair_run_id uuid,
  repair_name text check (length(repair_name) <= 200),
  alert_note text check (length(alert_note) <= 200),
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
comment on column public.tickets.alert_id is
  'The alert that opened the ticket, or the last one of its monitor and device while the ticket was open; null for a ticket of a person.';
comment on column public.tickets.alert_resolved_at is 'When that alert was resolved. The ticket stays open: people close it.';
comment on column public.tickets.repair_run_id is 'The run of the monitor''s script for that alert, named repair_name.';
comment on column public.tickets.alert_note is 'Whether the ticket followed its alert when that was resolved.';

alter table app.alert_tickets add foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade;

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
create index tickets_alert_idx on public.tickets (company_id, alert_id) where alert_id is not null;
