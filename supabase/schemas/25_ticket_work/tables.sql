-- Work on tickets: links between them, and what merging, splitting and subtickets leave.

create table public.ticket_links (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  kind text not null default 'related' check (kind in ('related', 'blocks', 'blocked_by', 'duplicates', 'duplicated_by', 'split_from', 'split_into')),
  other_id uuid not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint ticket_links_pair_key unique (company_id, ticket_id, other_id, kind),
  constraint ticket_links_other_id_check check (other_id <> ticket_id),
  constraint ticket_links_ticket_id_fkey foreign key (ticket_id, company_id) references public.tickets (id, company_id) on delete cascade,
  constraint ticket_links_other_id_fkey foreign key (other_id, company_id) references public.tickets (id, company_id) on delete cascade
);
comment on table public.ticket_links is
  'How a ticket is linked to another one. Each link has a second row, which says the same from the other ticket; a trigger keeps both.';

create index ticket_links_other_idx on public.ticket_links (company_id, other_id);

create table app.comment_splits (
  company_id uuid not null,
  comment_id uuid not null,
  ticket_id uuid not null,
  primary key (company_id, comment_id),
  foreign key (company_id, comment_id) references public.ticket_comments (company_id, id) on delete cascade,
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.comment_splits is 'The ticket that a comment was split into: a comment is split once, unless that ticket is deleted.';

create index comment_splits_ticket_idx on app.comment_splits (company_id, ticket_id);

create table public.time_entries (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  user_name text check (length(user_name) <= 100),
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  seconds integer generated always as (extract(epoch from ended_at - started_at)::integer) stored,
  note text check (length(note) <= 2000),
  billable boolean not null default true,
  is_long boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint time_entries_ended_at_check check (ended_at >= started_at and ended_at < started_at + interval '31 days'),
  constraint time_entries_ticket_id_fkey foreign key (ticket_id, company_id) references public.tickets (id, company_id) on delete cascade
);
comment on table public.time_entries is
  'Time that people worked on tickets. An entry without an end is a running timer; each person has one at most.';
comment on column public.time_entries.is_long is
  'It ran for more than 12 hours. Its person is asked about it; nothing ends it by itself.';

create unique index time_entries_running_key on public.time_entries (user_id) where ended_at is null;
create index time_entries_ticket_idx on public.time_entries (company_id, ticket_id, started_at, id);
create index time_entries_user_idx on public.time_entries (user_id, started_at, id);
create index time_entries_company_user_idx on public.time_entries (company_id, user_id);
create index time_entries_company_started_idx on public.time_entries (company_id, started_at, id);
create index time_entries_started_idx on public.time_entries (started_at, id);

create table public.ticket_approvals (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  step integer not null,
  person_id uuid references public.profiles (id) on delete set null,
  person_name text check (length(person_name) <= 100),
  role text references app.role (name) on delete set null,
  status text not null default 'queued' check (status in ('queued', 'asked', 'approved', 'denied', 'canceled')),
  question text check (length(question) <= 2000),
  note text check (length(note) <= 2000),
  asked_at timestamptz,
  decided_at timestamptz,
  decided_by uuid references public.profiles (id) on delete set null,
  decided_by_name text check (length(decided_by_name) <= 100),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  asked_by_name text check (length(asked_by_name) <= 100),
  asked_by uuid references public.profiles (id) on delete set null,
  resumes boolean not null default false,
  unique (company_id, id),
  constraint ticket_approvals_step_key unique (company_id, ticket_id, step),
  constraint ticket_approvals_decided_at_check check ((status in ('approved', 'denied')) = (decided_at is not null)),
  constraint ticket_approvals_ticket_id_fkey foreign key (ticket_id, company_id) references public.tickets (id, company_id) on delete cascade
);
comment on table public.ticket_approvals is
  'Who is asked to approve a ticket: a person or a role, step by step. Only the functions of approvals write it.';
comment on column public.ticket_approvals.asked_at is 'Since when the person or the role is asked; null until the steps before it are approved.';
comment on column public.ticket_approvals.resumes is 'It was canceled because its ticket was resolved or deleted, and is asked again when the ticket goes on.';
comment on column public.ticket_approvals.status is 'queued until the steps before it are approved; canceled once one of them is denied.';

create index ticket_approvals_person_idx on public.ticket_approvals (person_id, created_at, id);
create index ticket_approvals_company_person_idx on public.ticket_approvals (company_id, person_id);
create index ticket_approvals_role_idx on public.ticket_approvals (role);
create index ticket_approvals_asked_by_idx on public.ticket_approvals (asked_by);
create index ticket_approvals_decided_by_idx on public.ticket_approvals (decided_by);
create index ticket_approvals_company_created_idx on public.ticket_approvals (company_id, created_at, id);
create index ticket_approvals_created_idx on public.ticket_approvals (created_at, id);

create table app.past_requesters (
  company_id uuid not null,
  ticket_id uuid not null,
  user_id uuid not null references public.profiles (id) on delete cascade,
  primary key (company_id, ticket_id, user_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.past_requesters is
  'Whose request a ticket was before: whoever works the desk may hand a ticket to somebody else, and decides no approval of it all the same.';

create index past_requesters_user_idx on app.past_requesters (user_id);

create table public.ticket_approvers (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  user_id uuid not null references public.profiles (id) on delete cascade,
  primary key (company_id, ticket_id, user_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table public.ticket_approvers is
  'Who is asked to approve a ticket now, by name, and therefore sees it (the row rule asked). A trigger of ticket_approvals writes it.';

create index ticket_approvers_user_idx on public.ticket_approvers (user_id, ticket_id);

create table public.ticket_checklist_items (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  text text not null check (length(btrim(text)) between 1 and 300),
  position integer not null default 0 check (position between 0 and 10000),
  done boolean not null default false,
  done_at timestamptz,
  done_by uuid references public.profiles (id) on delete set null,
  done_by_name text check (length(done_by_name) <= 100),
  search text generated always as (app.fold(text)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint ticket_checklist_items_done_at_check check (done = (done_at is not null)),
  constraint ticket_checklist_items_ticket_id_fkey foreign key (ticket_id, company_id) references public.tickets (id, company_id) on delete cascade
);
comment on table public.ticket_checklist_items is 'What is to be done for a ticket, in order, and by whom each item was done.';

create index ticket_checklist_items_ticket_idx on public.ticket_checklist_items (company_id, ticket_id, position, id);
create index ticket_checklist_items_company_position_idx on public.ticket_checklist_items (company_id, position, id);
create index ticket_checklist_items_position_idx on public.ticket_checklist_items (position, id);
create index ticket_checklist_items_done_by_idx on public.ticket_checklist_items (done_by);

create table public.ticket_tags (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  tag_id uuid not null,
  primary key (company_id, ticket_id, tag_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade,
  foreign key (company_id, tag_id) references public.tags (company_id, id) on delete cascade
);
comment on table public.ticket_tags is
  'Which tags belong to which tickets. The desk sets them, and those who may not list tags see none.';

create index ticket_tags_tag_id_idx on public.ticket_tags (company_id, tag_id);
