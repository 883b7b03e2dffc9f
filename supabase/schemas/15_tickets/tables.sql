-- Tickets: requests by category and issue type. Row rules of the permission lines say who sees only their own: those they asked for or watch.

create function app.is_form(form jsonb) returns boolean
  language sql immutable set search_path = '' as $$
  select jsonb_typeof(form) = 'array' and jsonb_array_length(form) <= 50
    and not exists (select 1 from jsonb_array_elements(form) f where not coalesce(jsonb_typeof(f) = 'object'
      and f - '{key,label,kind,required,options}'::text[] = '{}'
      and f ->> 'key' ~ '^[a-z][a-z0-9_]{0,40}$' and length(btrim(f ->> 'label')) between 1 and 200 and app.unclean_character(f ->> 'label') is null
      and f ->> 'kind' in ('text', 'textarea', 'number', 'date', 'enum', 'checkbox')
      and coalesce(jsonb_typeof(f -> 'required'), 'null') in ('boolean', 'null')
      and case jsonb_typeof(f -> 'options') when 'array' then jsonb_array_length(f -> 'options') <= 100
          and (f ->> 'kind' <> 'enum' or jsonb_array_length(f -> 'options') > 0)
          and not exists (select 1 from jsonb_array_elements(f -> 'options') o where not coalesce(jsonb_typeof(o) = 'string'
            and length(btrim(o #>> '{}')) between 1 and 500 and app.unclean_character(o #>> '{}') is null, false))
        else f ->> 'kind' <> 'enum' and coalesce(jsonb_typeof(f -> 'options'), 'null') = 'null' end, false))
    and (select count(*) = count(distinct f ->> 'key') from jsonb_array_elements(form) f)
$$;
comment on function app.is_form(jsonb) is
  'Whether a list of fields can be asked: each with a key of its own, a label and a kind, and choices where it is one of them; labels and choices '
  'are one line without hidden characters.';
grant execute on function app.is_form(jsonb) to authenticated;

create function app.is_checklist(items jsonb) returns boolean
  language sql immutable set search_path = '' as $$
  select jsonb_typeof(items) = 'array' and jsonb_array_length(items) <= 50
    and not exists (select 1 from jsonb_array_elements(items) i where not coalesce(jsonb_typeof(i) = 'object'
      and length(btrim(i ->> 'text')) between 1 and 300, false))
$$;
comment on function app.is_checklist(jsonb) is 'Whether a list of {text} can be the checklist of a ticket: at most 50 items of at most 300 characters.';
grant execute on function app.is_checklist(jsonb) to authenticated;

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
  icon text check (icon in ('desktop', 'laptop', 'mobile', 'printer', 'phone', 'appstore', 'global', 'wifi', 'key', 'lock', 'mail', 'user', 'team',
    'tool', 'database', 'cloud', 'shop', 'file-text', 'bulb', 'customer-service')),
  audience text not null default 'everyone' check (audience in ('everyone', 'desk')),
  fields jsonb not null default '[]' check (app.is_form(fields)),
  checklist jsonb not null default '[]' check (app.is_checklist(checklist)),
  unique (company_id, id)
);
comment on column public.ticket_categories.audience is 'Whether requesters see the category, or the desk alone.';
comment on column public.ticket_categories.checklist is 'The checklist that a new ticket of the category begins with: rows of {text}.';
comment on column public.ticket_categories.fields is 'What a ticket of the category is asked: rows of {key, label, kind, required, options}.';
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
  status text not null default 'new' check (status in ('new', 'open', 'waiting', 'resolved', 'closed')),
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
  search text,
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
  -- Filled in from the kind where it is left out.
  status_id uuid constraint tickets_status_id_check check (status_id is not null),
  answers jsonb not null default '{}' check (jsonb_typeof(answers) = 'object'),
  assignment_note text check (length(assignment_note) <= 200),
  rating integer check (rating between 1 and 5),
  rating_note text check (length(rating_note) <= 1000),
  rated_at timestamptz,
  first_response_due_at timestamptz,
  first_responded_at timestamptz,
  solution_due_at timestamptz,
  paused_at timestamptz,
  paused_seconds bigint not null default 0,
  sla_state text not null default 'none' check (sla_state in ('ok', 'warning', 'breached', 'met', 'none')),
  sla_next_at timestamptz,
  sla_policy_id uuid,
  merged_into_id uuid,
  merge_state text generated always as (case when merged_into_id is not null then 'merged' end) stored,
  parent_id uuid,
  subticket_count integer not null default 0,
  checklist_total integer not null default 0,
  checklist_done integer not null default 0,
  open_approvals integer not null default 0,
  unfinished text generated always as (case when open_approvals > 0 then case when checklist_done < checklist_total then 'both' else 'approval' end
    when checklist_done < checklist_total then 'checklist' end) stored,
  checklist_progress text generated always as (case when checklist_total > 0 then checklist_done::text || ' / ' || checklist_total::text end) stored,
  timer_started_at timestamptz,
  timer_state text generated always as (case when timer_started_at is not null then 'running' end) stored,
  requester_email text check (length(requester_email) <= 255),
  deleted_at timestamptz,
  deleted_by uuid,
  deleted_name text,
  split_from_id uuid,
  unique (company_id, id),
  unique (company_id, number),
  constraint tickets_merged_into_id_fkey foreign key (merged_into_id, company_id) references public.tickets (id, company_id)
    on delete set null (merged_into_id),
  constraint tickets_parent_id_fkey foreign key (parent_id, company_id) references public.tickets (id, company_id) on delete set null (parent_id),
  constraint tickets_split_from_id_fkey foreign key (split_from_id, company_id) references public.tickets (id, company_id) on delete set null (split_from_id),
  constraint tickets_merged_into_id_check check (merged_into_id is null or (status = 'closed' and merged_into_id <> id)),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id),
  -- Includes the category: the issue type always belongs to the ticket's category, and both follow when it moves.
  constraint tickets_issue_id_fkey foreign key (company_id, category_id, issue_id) references public.ticket_issues (company_id, category_id, id)
    on update cascade on delete set null (issue_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id),
  constraint tickets_issue_id_check check (issue_id is null or category_id is not null),
  constraint tickets_resolved_at_check check ((status in ('resolved', 'closed')) = (resolved_at is not null))
);
comment on column public.tickets.unfinished is 'What is not done yet and is asked about before the ticket is resolved: approval, checklist or both.';
comment on table public.tickets is
  'Requests of people to their IT staff. A category that tickets still have cannot be deleted.';
comment on column public.tickets.requester_name is
  'Follows the profile, and outlives it. Whoever works the desk reads it here, where the list of people is not theirs to see.';
comment on column public.tickets.search is
  'What is searched, folded. A trigger writes it, because a generated column is computed by every update of a table that has triggers.';
comment on column public.tickets.alert_id is
  'The alert that opened the ticket, or the last one of its monitor and device while the ticket was open; null for a ticket of a person.';
comment on column public.tickets.alert_resolved_at is 'When that alert was resolved. The ticket stays open: people close it.';
comment on column public.tickets.repair_run_id is 'The run of the monitor''s script for that alert, named repair_name.';
comment on column public.tickets.status is 'The kind of its status. It follows status_id; setting the kind alone chooses the default status of the kind.';
comment on column public.tickets.answers is 'What the form of its category asked, by key.';
comment on column public.tickets.assignment_note is 'The rule that assigned it, or that none did; empty once a person has assigned it.';
comment on column public.tickets.solution_due_at is 'The due date that a person typed (due_at), else the target of the policy, moved by pauses.';
comment on column public.tickets.paused_at is 'Since when its clocks stand still: it waits, or it is resolved or closed.';
comment on column public.tickets.paused_seconds is 'The business seconds of its pauses that have ended.';
comment on column public.tickets.sla_next_at is 'When sla_state changes next if nobody does anything.';
comment on column public.tickets.merged_into_id is 'The ticket that took its conversation; public.merge_tickets() writes it. A merged ticket stays closed.';
comment on column public.tickets.parent_id is 'The ticket that it is a part of, one level deep; public.set_ticket_parent() writes it.';
comment on column public.tickets.split_from_id is 'The ticket of the reply that it was made from; it follows the link of both.';
comment on column public.tickets.timer_started_at is 'Since when somebody''s timer runs on it.';
comment on column public.tickets.requester_email is 'The address of a requester without an account, who wrote by mail.';
comment on column public.tickets.alert_note is 'Whether the ticket followed its alert when that was resolved.';

alter table app.alert_tickets add foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade;

create index tickets_company_subject_idx on public.tickets (company_id, subject_key, id);
create index tickets_subject_idx on public.tickets (subject_key, id);
create index tickets_number_idx on public.tickets (number, id);
create index tickets_company_priority_idx on public.tickets (company_id, priority_rank, id);
create index tickets_priority_idx on public.tickets (priority_rank, id);
create index tickets_company_created_idx on public.tickets (company_id, created_at, id);
create index tickets_created_idx on public.tickets (created_at, id);
create index tickets_company_status_idx on public.tickets (company_id, status, created_at, id);
create index tickets_issue_idx on public.tickets (company_id, category_id, issue_id);
-- Most tickets refer to none of these, and each new due time would write their nulls again.
create index tickets_device_idx on public.tickets (company_id, device_id, created_at) where device_id is not null;
create index tickets_author_idx on public.tickets (created_by) where created_by is not null;
create index tickets_merged_into_idx on public.tickets (company_id, merged_into_id) where merged_into_id is not null;
create index tickets_parent_idx on public.tickets (company_id, parent_id) where parent_id is not null;
create index tickets_split_from_idx on public.tickets (company_id, split_from_id) where split_from_id is not null;
create index tickets_requester_idx on public.tickets (requester_id, created_at, id);
create index tickets_assignee_idx on public.tickets (assignee_id, created_at, id);
-- For the row rule own, whose policy also reads the requester.
create index tickets_company_requester_idx on public.tickets (company_id, requester_id, id) include (deleted_at);
create index tickets_company_status_id_idx on public.tickets (company_id, status_id, status, created_at, id);
create index tickets_company_solution_due_idx on public.tickets (company_id, solution_due_at, id);
create index tickets_solution_due_idx on public.tickets (solution_due_at, id);
create index tickets_sla_next_idx on public.tickets (sla_next_at, id) where sla_next_at is not null;
-- Few tickets are near their targets or beyond them.
create index tickets_company_sla_idx on public.tickets (company_id, sla_state, solution_due_at, id)
where sla_state in ('warning', 'breached') and status in ('new', 'open', 'waiting');
-- For app.recount_sla(), which walks the open tickets of a company.
create index tickets_company_open_idx on public.tickets (company_id, number) where status in ('new', 'open', 'waiting');
create index tickets_alert_idx on public.tickets (company_id, alert_id) where alert_id is not null;

create table public.ticket_comments (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  kind text not null default 'reply' check (kind in ('reply', 'note')),
  body text not null check (length(body) <= 20000 and body ~ '\S'),
  author_id uuid references public.profiles (id) on delete set null,
  author_name text check (length(author_name) <= 100),
  mentions uuid[] not null default '{}',
  once_key uuid,
  search text generated always as (app.fold(body)) stored,
  edited_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  origin text check (length(origin) <= 300),
  unique (company_id, id),
  constraint ticket_comments_once unique (author_id, once_key),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table public.ticket_comments is 'Comments on tickets, seen by whoever sees the record; those of a kind with lines of its own need these, too.';
comment on column public.ticket_comments.once_key is 'Made by the client, so that one text that is sent twice is one comment.';
comment on column public.ticket_comments.origin is
  'The title of the record that was merged into this one and whose description these words are; only public.merge_tickets() writes it.';
comment on column public.ticket_comments.mentions is 'The people whom the text mentions and who may read it.';
create index ticket_comments_record_idx on public.ticket_comments (company_id, ticket_id, created_at, id);
create index ticket_comments_created_idx on public.ticket_comments (company_id, created_at, id);

create table public.ticket_watchers (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  user_id uuid not null references public.profiles (id) on delete cascade,
  primary key (company_id, ticket_id, user_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table public.ticket_watchers is
  'Who follows a ticket without having asked for it. Whoever watches a ticket sees it (the row rule own).';

create index ticket_watchers_user_id_idx on public.ticket_watchers (user_id, ticket_id);
