-- The settings of the service desk: statuses, business calendars, SLA policies, canned replies, assignment rules.

create table public.ticket_statuses (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id) on delete cascade,
  name text not null check (length(btrim(name)) between 1 and 60),
  kind text not null check (kind in ('new', 'open', 'waiting', 'resolved', 'closed')),
  color text not null default '#4d6a99' check (color ~ '^#[0-9a-f]{6}$'),
  position integer not null check (position between 0 and 10000),
  is_default boolean not null default false,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint ticket_statuses_kind_key unique (company_id, id, kind)
);
comment on table public.ticket_statuses is
  'The statuses of a company, each of one of five fixed kinds. Every kind has at least one status and exactly one default.';
comment on column public.ticket_statuses.position is 'Left out, a status comes behind the last one of its kind.';
comment on column public.ticket_statuses.is_default is 'Whether a ticket gets this status when only the kind is named.';

create index ticket_statuses_company_name_idx on public.ticket_statuses (company_id, name_key, id);
create index ticket_statuses_name_idx on public.ticket_statuses (name_key, id);
create index ticket_statuses_company_position_idx on public.ticket_statuses (company_id, position, id);
create index ticket_statuses_position_idx on public.ticket_statuses (position, id);
create unique index ticket_statuses_name_key on public.ticket_statuses (company_id, app.unique_key(name));
create unique index ticket_statuses_default_key on public.ticket_statuses (company_id, kind) where is_default;

-- Includes the kind: the status of a ticket always is of the kind that its column `status` names.
alter table public.tickets add constraint tickets_status_id_fkey foreign key (company_id, status_id, status)
references public.ticket_statuses (company_id, id, kind) on update cascade;

create table public.business_calendars (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id) on delete cascade,
  name text not null check (length(btrim(name)) between 1 and 80),
  timezone text not null default 'Europe/Istanbul' check (app.is_timezone(timezone)),
  hours jsonb not null default '[]' check (jsonb_typeof(hours) = 'array' and jsonb_array_length(hours) <= 100),
  holidays jsonb not null default '[]' check (jsonb_typeof(holidays) = 'array' and jsonb_array_length(holidays) <= 1000),
  country text check (country ~ '^[A-Z]{2}$'),
  region text check (region ~ '^[A-Z0-9-]{1,10}$'),
  filled_days jsonb not null default '[]' check (jsonb_typeof(filled_days) = 'array'),
  is_default boolean not null default false,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.business_calendars is
  'Business hours per weekday, with breaks as gaps between the rows of a day, in one time zone, and the holidays on which they do not count.';
comment on column public.business_calendars.hours is
  'Rows of {day: 1 to 7 from Monday, from: HH:MM, until: HH:MM}; an end that is not after the start is on the next day.';
comment on column public.business_calendars.holidays is
  'Rows of {date, name, from?, until?}; without times the whole day is closed.';
comment on column public.business_calendars.filled_days is
  'The holidays that app.fill_holidays wrote last: what differs from them was edited by hand, and survives the next fill.';

create index business_calendars_company_name_idx on public.business_calendars (company_id, name_key, id);
create index business_calendars_name_idx on public.business_calendars (name_key, id);
create unique index business_calendars_name_key on public.business_calendars (company_id, app.unique_key(name));
create unique index business_calendars_default_key on public.business_calendars (company_id) where is_default;

create table app.calendar_clocks (
  calendar_id uuid primary key references public.business_calendars (id) on delete cascade,
  from_day date not null,
  until_day date not null,
  opens double precision[] not null,
  closes double precision[] not null,
  before double precision[] not null
);
comment on table app.calendar_clocks is
  'The open spans of a calendar between two days, compiled when it is saved: begin and end in seconds since 1970, and the open seconds before each.';

create table public.sla_policies (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 80),
  category_id uuid,
  calendar_id uuid,
  targets jsonb not null default '[]' check (jsonb_typeof(targets) = 'array' and jsonb_array_length(targets) <= 4),
  enabled boolean not null default true,
  position integer not null default 0 check (position between 0 and 10000),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete cascade,
  foreign key (company_id, calendar_id) references public.business_calendars (company_id, id)
);
comment on table public.sla_policies is
  'Targets for the first response and the solution of tickets by priority, in minutes of business time. The policy of the ticket''s category '
  'comes before one for all categories.';
comment on column public.sla_policies.targets is 'Rows of {priority, first_response, solution}, in minutes; each priority once.';
comment on column public.sla_policies.calendar_id is 'The business hours; null for the default calendar of the company.';

create index sla_policies_company_name_idx on public.sla_policies (company_id, name_key, id);
create index sla_policies_name_idx on public.sla_policies (name_key, id);
create index sla_policies_company_position_idx on public.sla_policies (company_id, position, id);
create index sla_policies_position_idx on public.sla_policies (position, id);
create index sla_policies_category_idx on public.sla_policies (company_id, category_id);
create index sla_policies_calendar_idx on public.sla_policies (company_id, calendar_id);

create table app.ticket_pauses (
  company_id uuid not null,
  ticket_id uuid not null,
  paused_at timestamptz not null,
  resumed_at timestamptz not null,
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.ticket_pauses is 'When the clocks of a ticket stood still: it waited, or was resolved and opened again.';

create index ticket_pauses_ticket_idx on app.ticket_pauses (company_id, ticket_id, paused_at);

create table app.sla_recounts (
  company_id uuid primary key references public.companies (id) on delete cascade,
  after_number integer not null default 0,
  requested_at timestamptz not null default now()
);
comment on table app.sla_recounts is
  'Companies whose open tickets get new due times after a changed calendar or policy, and the number of the last ticket that has them.';

create table public.canned_replies (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  shortcut text not null check (shortcut ~ '^[a-z0-9][a-z0-9-]{0,29}$'),
  body text not null check (length(btrim(body)) between 1 and 10000),
  category_id uuid,
  language text check (language in ('en', 'tr')),
  scope text not null default 'shared' check (scope in ('shared', 'mine')),
  owner_id uuid default app.current_user_id() references public.profiles (id) on delete cascade,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || shortcut || ' ' || body)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete cascade
);
comment on table public.canned_replies is
  'Texts that answer many tickets, with placeholders. A shared one is for everybody who works the desk, another one for its owner alone.';

create index canned_replies_company_name_idx on public.canned_replies (company_id, name_key, id);
create index canned_replies_name_idx on public.canned_replies (name_key, id);
create index canned_replies_category_idx on public.canned_replies (company_id, category_id);
create index canned_replies_owner_idx on public.canned_replies (owner_id);

create table public.assignment_rules (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 80),
  position integer not null default 0 check (position between 0 and 10000),
  enabled boolean not null default true,
  category_id uuid,
  -- No foreign key here: a second table between categories and issue types would make the API's embedding of the two ambiguous.
  issue_id uuid,
  priority text check (priority in ('low', 'normal', 'high', 'urgent')),
  group_id uuid,
  requester_id uuid references public.profiles (id) on delete cascade,
  assigns text not null default 'least_loaded' check (assigns in ('person', 'least_loaded', 'in_turn')),
  assignee_id uuid references public.profiles (id) on delete set null,
  role text references app.role (name) on delete set null,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reach_note text check (length(reach_note) <= 200),
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete cascade,
  constraint assignment_rules_issue_id_check check (issue_id is null or category_id is not null),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.assignment_rules is
  'To whom a new ticket is assigned: the first rule, by position, whose conditions it meets and that has somebody to assign it to.';

comment on column public.assignment_rules.reach_note is 'That a rule before it takes every ticket, so that this one is never reached; triggers write it.';
create index assignment_rules_company_name_idx on public.assignment_rules (company_id, name_key, id);
create index assignment_rules_name_idx on public.assignment_rules (name_key, id);
create index assignment_rules_company_position_idx on public.assignment_rules (company_id, position, id);
create index assignment_rules_position_idx on public.assignment_rules (position, id);
create index assignment_rules_issue_idx on public.assignment_rules (company_id, category_id, issue_id);
create index assignment_rules_group_idx on public.assignment_rules (company_id, group_id);
create index assignment_rules_requester_idx on public.assignment_rules (requester_id);
create index assignment_rules_assignee_idx on public.assignment_rules (assignee_id);
create index assignment_rules_role_idx on public.assignment_rules (role);

create table app.assignment_turns (
  rule_id uuid primary key references public.assignment_rules (id) on delete cascade,
  person_id uuid not null
);
comment on table app.assignment_turns is 'To whom a rule in turn assigned last.';

create table public.desk_settings (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null unique references public.companies (id) on delete cascade,
  close_after_days integer default 14 check (close_after_days between 1 and 365),
  reopen_on_reply boolean not null default true,
  reopen_days integer not null default 14 check (reopen_days between 0 and 365),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  approve_own boolean not null default false,
  on_denied text not null default 'open' check (on_denied in ('open', 'resolved')),
  unknown_senders text not null default 'hold' check (unknown_senders in ('hold', 'open', 'refuse')),
  trust_known_senders boolean not null default false,
  unique (company_id, id)
);
comment on table public.desk_settings is 'How the desk of a company closes and reopens tickets: one row a company.';
comment on column public.desk_settings.close_after_days is 'A resolved ticket is closed after so many days; null: never.';
comment on column public.desk_settings.unknown_senders is 'Mail of strangers waits for approval, opens a ticket, or is refused.';
comment on column public.desk_settings.trust_known_senders is 'Whether mail from the address of an account counts as that person without a token or a checked signature.';
comment on column public.desk_settings.reopen_days is 'For so many days after it was closed a reply of the requester reopens a ticket; 0: never.';
comment on column public.desk_settings.approve_own is 'Whether somebody who is asked approves a request of their own.';
comment on column public.desk_settings.on_denied is 'What becomes of a ticket whose approval is denied.';
