-- Desk.

set check_function_bodies = off;

drop policy ticket_categories_select_member on public.ticket_categories;

create function app.is_form(form jsonb) returns boolean
  language sql immutable set search_path = '' as $$
  select jsonb_typeof(form) = 'array' and jsonb_array_length(form) <= 50
    and not exists (select 1 from jsonb_array_elements(form) f where not coalesce(jsonb_typeof(f) = 'object'
      and f ->> 'key' ~ '^[a-z][a-z0-9_]{0,40}$' and length(btrim(f ->> 'label')) between 1 and 200
      and f ->> 'kind' in ('text', 'textarea', 'number', 'date', 'enum', 'checkbox')
      and (f ->> 'kind' <> 'enum' or jsonb_typeof(f -> 'options') = 'array' and jsonb_array_length(f -> 'options') between 1 and 100), false))
    and (select count(*) = count(distinct f ->> 'key') from jsonb_array_elements(form) f)
$$;
comment on function app.is_form(jsonb) is
  'Whether a list of fields can be asked: each with a key of its own, a label and a kind, and choices where it is one of them.';
grant execute on function app.is_form(jsonb) to authenticated;

alter table public.ticket_categories add column icon text check (icon in ('desktop', 'laptop', 'mobile', 'printer', 'phone', 'appstore', 'global', 'wifi', 'key', 'lock', 'mail', 'user', 'team',
    'tool', 'database', 'cloud', 'shop', 'file-text', 'bulb', 'customer-service'));
alter table public.ticket_categories add column audience text not null default 'everyone' check (audience in ('everyone', 'desk'));
alter table public.ticket_categories add column fields jsonb not null default '[]' check (app.is_form(fields));
comment on column public.ticket_categories.audience is 'Whether requesters see the category, or the desk alone.';
comment on column public.ticket_categories.fields is 'What a ticket of the category is asked: rows of {key, label, kind, required, options}.';

alter table public.tickets add column answers jsonb not null default '{}' check (jsonb_typeof(answers) = 'object');
alter table public.tickets add column assignment_note text check (length(assignment_note) <= 200);
alter table public.tickets add column first_response_due_at timestamptz;
alter table public.tickets add column first_responded_at timestamptz;
alter table public.tickets add column solution_due_at timestamptz;
alter table public.tickets add column paused_at timestamptz;
alter table public.tickets add column paused_seconds bigint not null default 0;
alter table public.tickets add column sla_state text not null default 'none' check (sla_state in ('ok', 'warning', 'breached', 'met', 'none'));
alter table public.tickets add column sla_next_at timestamptz;
alter table public.tickets add column sla_policy_id uuid;
comment on column public.tickets.status is 'The kind of its status. It follows status_id; setting the kind alone chooses the default status of the kind.';
comment on column public.tickets.answers is 'What the form of its category asked, by key.';
comment on column public.tickets.assignment_note is 'The rule that assigned it, or that none did; empty once a person has assigned it.';
comment on column public.tickets.solution_due_at is 'The due date that a person typed (due_at), else the target of the policy, moved by pauses.';
comment on column public.tickets.paused_at is 'Since when its clocks stand still: it waits, or it is resolved or closed.';
comment on column public.tickets.paused_seconds is 'The business seconds of its pauses that have ended.';
comment on column public.tickets.sla_next_at is 'When sla_state changes next if nobody does anything.';

create index tickets_company_status_id_idx on public.tickets (company_id, status_id, status, created_at, id);
create index tickets_company_solution_due_idx on public.tickets (company_id, solution_due_at, id);
create index tickets_solution_due_idx on public.tickets (solution_due_at, id);
create index tickets_sla_next_idx on public.tickets (sla_next_at, id) where sla_next_at is not null;

-- For app.recount_sla(), which walks the open tickets of a company.
create index tickets_company_open_idx on public.tickets (company_id, id) where status in ('new', 'open', 'waiting');

create table public.ticket_statuses (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id) on delete cascade,
  name text not null check (length(btrim(name)) between 1 and 60),
  kind text not null check (kind in ('new', 'open', 'waiting', 'resolved', 'closed')),
  color text not null default '#4d6a99' check (color ~ '^#[0-9a-f]{6}$'),
  position integer not null default 0 check (position between 0 and 10000),
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
  after_id uuid,
  requested_at timestamptz not null default now()
);
comment on table app.sla_recounts is
  'Companies whose open tickets get new due times after a changed calendar or policy, and the last ticket that has them.';

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
  -- Without a foreign key: a second table between categories and issue types would make the API's embedding of the two ambiguous.
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
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete cascade,
  constraint assignment_rules_issue_id_check check (issue_id is null or category_id is not null),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.assignment_rules is
  'To whom a new ticket is assigned: the first rule, by position, whose conditions it meets and that has somebody to assign it to.';

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
  unique (company_id, id)
);
comment on table public.desk_settings is 'How the desk of a company closes and reopens tickets: one row a company.';
comment on column public.desk_settings.close_after_days is 'A resolved ticket is closed after so many days; null: never.';
comment on column public.desk_settings.reopen_days is 'For so many days after it was closed a reply of the requester reopens a ticket; 0: never.';

-- Security definer: a device's check-in may not write tickets.
create or replace function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
  category uuid;
  desk uuid[];
  assignee uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null,
      repair_name = null, alert_note = null, status = case when t.status in ('new', 'waiting') then t.status else 'open' end
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id
      -- A ticket that closed with this very alert opens with it again.
      and (t.status in ('new', 'open', 'waiting') or x.is_closed and t.status = 'closed' and t.alert_id = new.id);
  if found then
    update app.alert_tickets x set is_closed = false
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id and x.is_closed;
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  category := coalesce(monitor.ticket_category_id, (select c.id from public.ticket_categories c
    where c.company_id = new.company_id order by c.position, c.name_key, c.id limit 1));
  desk := app.desk_people(new.company_id);
  -- Whoever left the desk is assigned nothing more: the ticket goes to who has the fewest.
  assignee := case when monitor.ticket_assignee_id = any (desk) then monitor.ticket_assignee_id else (
    select p from unnest(desk) p order by (select count(*) from public.tickets t
      where t.assignee_id = p and t.company_id = new.company_id and t.status in ('new', 'open', 'waiting')), p limit 1) end;
  insert into public.tickets (company_id, subject, description, priority, device_id, category_id, assignee_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end, new.device_id, category, assignee,
      new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id, touched_at = null, is_closed = false;
  return null;
end $$;

-- Security definer: whoever resolves an alert may not write tickets, nor may a device.
create or replace function app.note_resolution() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket record;
  follows boolean;
begin
  -- Within the cooldown nobody is told, and a ticket that opened and closed with each failure would tell everybody.
  if new.resolved_at is null and new.in_cooldown then
    return null;
  end if;
  select t.id, t.status, t.alert_resolved_at, x.touched_at, x.is_closed, x.ticket_id is not null as is_own into ticket
    from public.tickets t
    left join app.alert_tickets x on x.company_id = t.company_id and x.ticket_id = t.id
      and x.monitor_id = new.monitor_id and x.device_id = new.device_id
    where t.company_id = new.company_id and t.alert_id = new.id
    order by x.ticket_id is null limit 1 for no key update of t;
  if ticket.id is null then
    return null;
  end if;
  follows := ticket.is_own and case when new.resolved_at is null then ticket.is_closed and ticket.status = 'closed'
    else ticket.touched_at is null and ticket.status in ('new', 'open', 'waiting') end;
  if follows or (ticket.alert_resolved_at is null) <> (new.resolved_at is null) then
    update public.tickets t set alert_resolved_at = new.resolved_at,
        status = case when not follows then t.status when new.resolved_at is null then 'open' else 'closed' end,
        alert_note = case when new.resolved_at is null then null when follows then 'Closed with its alert: nobody had changed the ticket.'
          when t.status in ('new', 'open', 'waiting') then 'The alert is resolved. The ticket stays open because somebody has changed it.'
          else t.alert_note end
      where t.company_id = new.company_id and t.id = ticket.id;
  end if;
  if follows then
    update app.alert_tickets x set is_closed = new.resolved_at is not null
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id;
  end if;
  return null;
end $$;

create or replace function app.guard_ticket() returns trigger
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
      when new.status <> 'new' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null then 'device_id'
      when new.due_at is not null then 'due_at' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when (new.status, new.status_id) is distinct from (old.status, old.status_id) then 'status'
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

-- Runs as the caller: row-level security decides which tickets are counted.
create or replace function public.open_tickets_of(ids uuid[]) returns integer
  language sql stable set search_path = '' as $$
  select count(*)::integer from public.tickets t where t.assignee_id = any (ids) and t.status in ('new', 'open', 'waiting')
$$;

-- Security definer: whoever opens a ticket may not write what others are told.
create or replace function app.tell_tickets() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  opened record;
  person uuid;
  notice app.notices%rowtype;
begin
  if app.quiet() then
    return null;
  end if;
  for opened in
    select n.company_id, n.sender, array_agg(n.id order by n.number) as ids,
      array_agg(n.assignee_id) as assignees, bool_or(n.assignee_id is null) as has_free, bool_and(n.alert_id is not null) as is_by_alert,
      (array_agg(n.number order by n.number desc))[1] as number, (array_agg(n.subject order by n.number desc))[1] as subject,
      (array_agg(coalesce(n.requester_name, '') order by n.number desc))[1] as requester,
      (array_agg(n.id order by n.number desc))[1] as last_id
    from (
      select x.*, coalesce(x.created_by, x.requester_id, x.device_id, x.company_id) as sender from new_rows x where x.status in ('new', 'open', 'waiting')
    ) n
    group by n.company_id, n.sender order by n.company_id, n.sender
  loop
    foreach person in array app.desk_people(opened.company_id) loop
      continue when person = opened.sender;
      -- A ticket of an alert sends no mail of its own to those who get that of the alert.
      notice := app.notice_for(person, 'tickets', opened.company_id, opened.sender, opened.ids,
        (opened.has_free or person = any (opened.assignees))
        and not (opened.is_by_alert and person = any (app.alert_people(opened.company_id, null))));
      continue when notice.id is null;
      if notice.records = 1 then
        perform app.ring(notice, 'ticket_opened',
          jsonb_build_object('number', opened.number::text, 'subject', opened.subject, 'requester', opened.requester), '/tickets/' || opened.last_id);
      else
        perform app.ring(notice, 'tickets_opened', jsonb_build_object('count', notice.records, 'subject', opened.subject), '/tickets');
      end if;
    end loop;
  end loop;
  return null;
end $$;

create or replace function app.notice_content(notice app.notices) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  role text := (select r.role from public.user_roles r
    where r.user_id = notice.user_id and r.company_id = notice.company_id and r.deactivated_at is null);
  lines jsonb;
begin
  -- The permission may have been taken since.
  if not coalesce(role = any (case notice.kind when 'alerts' then app.roles_that_may('alerts', 'list') else app.roles_that_may('tickets', 'assign') end), false) then
    return null;
  end if;
  if notice.kind = 'alerts' then
    select jsonb_agg(jsonb_build_object('severity', a.severity, 'message', a.message, 'monitor', m.name, 'link', '/alerts/' || a.id)
          || case when notice.is_digest then jsonb_build_object('device', d.name) else '{}' end
        order by array_position(array['critical', 'warning', 'info'], a.severity), a.opened_at, a.id) into lines
      from public.alerts a join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id
        join public.devices d on d.company_id = a.company_id and d.id = a.device_id
      where a.company_id = notice.company_id and a.id = any (notice.record_ids) and a.status = 'open';
    return jsonb_build_object('alerts', lines, 'records', notice.records, 'is_digest', notice.is_digest,
      'device', (select d.name from public.devices d where d.company_id = notice.company_id and d.id = notice.subject_id),
      'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' when notice.is_digest then '/alerts?status=open'
        else '/alerts?device_id=' || notice.subject_id || '&status=open' end);
  end if;
  select jsonb_agg(jsonb_build_object('number', t.number, 'subject', t.subject, 'requester', t.requester_name, 'priority', t.priority,
      'link', '/tickets/' || t.id) order by t.number) into lines
    from public.tickets t
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.status in ('new', 'open', 'waiting');
  return jsonb_build_object('tickets', lines, 'records', notice.records, 'is_digest', notice.is_digest,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;

create function app.company_language(company uuid) returns text
  language sql stable set search_path = '' as $$
  select coalesce(
    (select l.language from public.user_roles r join app.user_languages l on l.user_id = r.user_id
      where r.company_id = company group by l.language order by count(*) desc, l.language limit 1),
    (select l.language from app.user_languages l where l.user_id = app.current_user_id()),
    case when (select c.timezone from public.companies c where c.id = company) = 'Europe/Istanbul' then 'tr' else 'en' end)
$$;
comment on function app.company_language(uuid) is
  'The language of most people of a company; before it has any, of the caller, else of its time zone.';

create function app.furnish_desk() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.furnish_desk_of(new.id);
  return null;
end $$;
comment on function app.furnish_desk() is
  'Row trigger: a new company gets its statuses, business hours and settings of the desk. Definer, because whoever makes a company may not write these.';

create function app.furnish_desk_of(company uuid) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  is_turkish boolean := app.company_language(company) = 'tr';
begin
  insert into public.ticket_statuses (company_id, name, kind, color, position, is_default)
    select company, case when is_turkish then s.tr else s.en end, s.kind, s.color, s.position, true
    from (values ('new', 'New', 'Yeni', '#7a5cc0', 1), ('open', 'Open', 'Açık', '#3d6fb6', 2), ('waiting', 'Waiting', 'Beklemede', '#b8761b', 3),
      ('resolved', 'Resolved', 'Çözüldü', '#2e7d4f', 4), ('closed', 'Closed', 'Kapalı', '#5b6b7f', 5)) as s (kind, en, tr, color, position)
    where not exists (select 1 from public.ticket_statuses x where x.company_id = company and x.kind = s.kind);
  insert into public.business_calendars (company_id, name, timezone, hours, is_default)
    select company, case when is_turkish then 'Mesai saatleri' else 'Business hours' end, c.timezone,
      (select jsonb_agg(jsonb_build_object('day', d::text, 'from', h.f, 'until', h.u) order by d, h.f)
        from generate_series(1, 5) d, (values ('09:00', '12:30'), ('13:30', '18:00')) as h (f, u)), true
    from public.companies c where c.id = company and not exists (select 1 from public.business_calendars x where x.company_id = company);
  insert into public.desk_settings (company_id) values (company) on conflict (company_id) do nothing;
end $$;
comment on function app.furnish_desk_of(uuid) is
  'Gives a company the statuses, in its language, the business hours and the settings that it lacks. Granted to nobody.';

-- Security definer: requesters may change a ticket and not read every status.
create function app.follow_ticket_status() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  kind_of text;
begin
  if tg_op = 'UPDATE' and new.status is not distinct from old.status and new.status_id is not distinct from old.status_id then
    return new;
  end if;
  if new.status_id is not null then
    select s.kind into kind_of from public.ticket_statuses s where s.company_id = new.company_id and s.id = new.status_id;
    if kind_of is null then
      raise exception using errcode = '23503', table = 'tickets', schema = 'public', constraint = 'tickets_status_id_fkey',
        message = 'insert or update on table "tickets" violates foreign key constraint "tickets_status_id_fkey"',
        detail = format('Key (status_id)=(%s) is not present in table "ticket_statuses".', new.status_id);
    end if;
  end if;
  -- A status whose kind was changed keeps its tickets.
  if kind_of = new.status then
    return new;
  elsif kind_of is not null and (tg_op = 'INSERT' or new.status_id is distinct from old.status_id) then
    new.status := kind_of;
  else
    new.status_id := (select s.id from public.ticket_statuses s
      where s.company_id = new.company_id and s.kind = new.status and s.is_default);
    if new.status_id is null and new.status not in ('new', 'open', 'waiting', 'resolved', 'closed') then
      raise exception using errcode = '23514', table = 'tickets', schema = 'public', column = 'status', constraint = 'tickets_status_check',
        message = 'new row for relation "tickets" violates check constraint "tickets_status_check"';
    end if;
  end if;
  return new;
end $$;
comment on function app.follow_ticket_status() is
  'Row trigger: the kind of a ticket follows the status that is chosen, and the default status of a kind follows the kind. Definer, because '
  'the writer may not read every status.';

create function app.keep_status_default() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  row_kind text := case tg_op when 'DELETE' then old.kind else new.kind end;
  refused text;
begin
  -- They go with their company.
  if tg_op = 'DELETE' and not exists (select 1 from public.companies c where c.id = old.company_id) then
    return old;
  end if;
  -- Two sessions must not each leave the other's status as the last one of a kind.
  perform pg_advisory_xact_lock(hashtextextended('ticket_statuses/' || case tg_op when 'DELETE' then old.company_id else new.company_id end, 0));
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or new.kind <> old.kind) then
    if not exists (select 1 from public.ticket_statuses s where s.company_id = old.company_id and s.kind = old.kind and s.id <> old.id) then
      refused := 'status_last_of_kind';
    elsif tg_op = 'DELETE' and app.status_is_used(old.company_id, old.id) then
      refused := 'status_in_use';
    end if;
  end if;
  if refused is null and tg_op = 'UPDATE' and old.is_default and not new.is_default and new.kind = old.kind and pg_trigger_depth() = 1 then
    refused := 'status_default';
  end if;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'ticket_statuses', schema = 'public',
      column = case refused when 'status_default' then 'is_default' else 'kind' end,
      message = case refused
        when 'status_last_of_kind' then format('every kind has a status: this is the last one of the kind %s', old.kind)
        when 'status_in_use' then 'tickets have this status: name the one that takes them'
        else 'every kind has a default: make another status the default' end;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.kind <> old.kind then
    new.is_default := not exists (select 1 from public.ticket_statuses s where s.company_id = new.company_id and s.kind = row_kind);
  elsif not new.is_default and pg_trigger_depth() = 1 then
    new.is_default := not exists (select 1 from public.ticket_statuses s
      where s.company_id = new.company_id and s.kind = row_kind and s.id <> new.id and s.is_default);
  elsif new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update public.ticket_statuses s set is_default = false
      where s.company_id = new.company_id and s.kind = row_kind and s.is_default and s.id <> new.id;
  end if;
  return new;
end $$;
comment on function app.keep_status_default() is
  'Row trigger: each kind keeps a status and one default; a status that tickets have is not deleted. Definer, because the former default is '
  'another row, and tickets count that the writer may not see.';

-- Security definer: a ticket that the caller may not see has the status as well.
create function app.status_is_used(company uuid, wanted uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.tickets t where t.company_id = company and t.status_id = wanted)
$$;
comment on function app.status_is_used(uuid, uuid) is
  'Whether any ticket has the status. Definer, because tickets that the caller may not see count as well.';
grant execute on function app.status_is_used(uuid, uuid) to authenticated;

create function app.name_status_default() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if old.is_default and (tg_op = 'DELETE' or new.kind <> old.kind) then
    update public.ticket_statuses s set is_default = true where s.id = (
      select x.id from public.ticket_statuses x where x.company_id = old.company_id and x.kind = old.kind order by x.position, x.id limit 1);
  end if;
  return null;
end $$;
comment on function app.name_status_default() is
  'Row trigger: the first status of a kind follows a default that is gone. Definer, because deleting is another permission than editing.';

create function public.replace_ticket_status(id uuid, by uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  gone public.ticket_statuses%rowtype;
  moved integer;
begin
  perform app.require('ticket_statuses', 'delete');
  select s.* into gone from public.ticket_statuses s
    where s.id = replace_ticket_status.id and (app.sees_all() or s.company_id = app.own_company());
  if gone.id is null then
    raise exception 'The status was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  if by is null or by = gone.id or not exists (
      select 1 from public.ticket_statuses s where s.company_id = gone.company_id and s.id = by) then
    raise exception using errcode = '23514', hint = 'status_to_take', message = 'name another status of the company, which takes the tickets';
  end if;
  -- Asked before the tickets move: the last status of a kind stays, and so do they.
  if not exists (select 1 from public.ticket_statuses s where s.company_id = gone.company_id and s.kind = gone.kind and s.id <> gone.id) then
    raise exception using errcode = '23514', hint = 'status_last_of_kind', table = 'ticket_statuses', schema = 'public',
      message = format('every kind has a status: this is the last one of the kind %s', gone.kind);
  end if;
  update public.tickets t set status_id = by where t.company_id = gone.company_id and t.status_id = gone.id;
  get diagnostics moved = row_count;
  delete from public.ticket_statuses s where s.company_id = gone.company_id and s.id = gone.id;
  return moved;
end $$;
comment on function public.replace_ticket_status(uuid, uuid) is
  'Deletes a status and gives its tickets another one; returns how many. Definer, because tickets that the caller may not see move as well.';
grant execute on function public.replace_ticket_status(uuid, uuid) to authenticated;

create function app.is_day(value text) returns boolean
  language plpgsql immutable set search_path = '' as $$
begin
  return value::date is not null;
exception when others then
  return false;
end $$;
comment on function app.is_day(text) is 'Whether a text is a day that exists.';

create function app.open_spans(hours jsonb, holidays jsonb, timezone text, from_day date, until_day date) returns tstzmultirange
  language sql stable set search_path = '' as $$
  with days as (
    select d::date as day from generate_series(from_day, until_day, interval '1 day') d
  ), opened as (
    select range_agg(tstzrange(s.opens, s.closes)) as spans from (
      select (days.day + (h ->> 'from')::time) at time zone open_spans.timezone as opens,
        (days.day + case when h ->> 'until' in ('24:00', '00:00') then interval '1 day'
          when (h ->> 'until')::time <= (h ->> 'from')::time then interval '1 day' + (h ->> 'until')::time::interval
          else (h ->> 'until')::time::interval end) at time zone open_spans.timezone as closes
      from days join jsonb_array_elements(hours) h on (h ->> 'day')::integer = extract(isodow from days.day)
    ) s where s.opens < s.closes
  ), closed as (
    select range_agg(tstzrange(s.begins, s.ends)) as spans from (
      select ((h ->> 'date')::date + coalesce(nullif(h ->> 'from', ''), '00:00')::time) at time zone open_spans.timezone as begins,
        ((h ->> 'date')::date + case when coalesce(nullif(h ->> 'until', ''), '24:00') = '24:00' then interval '1 day'
          else (h ->> 'until')::time::interval end) at time zone open_spans.timezone as ends
      from jsonb_array_elements(holidays) h where (h ->> 'date')::date between from_day and until_day + 1
    ) s where s.begins < s.ends
  )
  select coalesce(opened.spans, '{}') - coalesce(closed.spans, '{}') from opened, closed
$$;
comment on function app.open_spans(jsonb, jsonb, text, date, date) is
  'The spans in which business hours that begin on these days are open, without holidays.';

create function app.compiled_clock(calendar uuid, from_day date, until_day date) returns app.calendar_clocks
  language sql stable set search_path = '' as $$
  select row(calendar, from_day, until_day, coalesce(array_agg(s.opens order by s.opens), '{}'), coalesce(array_agg(s.closes order by s.opens), '{}'),
    coalesce(array_agg(s.before order by s.opens), '{}'))::app.calendar_clocks
  from (
    select x.opens, x.closes, coalesce(sum(x.closes - x.opens) over (order by x.opens rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select extract(epoch from lower(r))::double precision as opens, extract(epoch from upper(r))::double precision as closes
      from public.business_calendars c, unnest(app.open_spans(c.hours, c.holidays, c.timezone, from_day, until_day)) r
      where c.id = calendar
    ) x
  ) s
$$;
comment on function app.compiled_clock(uuid, date, date) is 'The clock of a calendar between two days.';

create function app.clock_of(calendar uuid, at timestamptz, until timestamptz) returns app.calendar_clocks
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  select c.* into clock from app.calendar_clocks c where c.calendar_id = calendar;
  -- Two days more on each side: a span of the night before, and time zones far from UTC.
  if clock.calendar_id is null or at < clock.from_day + 2 or until > clock.until_day - 2 then
    clock := app.compiled_clock(calendar, (at - interval '3 days')::date, (until + interval '3 days')::date);
  end if;
  return clock;
end $$;
comment on function app.clock_of(uuid, timestamptz, timestamptz) is
  'The stored clock of a calendar where it reaches from one moment to the other, else one that is made for this call.';

create function app.open_seconds(opens double precision[], closes double precision[], before double precision[], at double precision) returns double precision
  language plpgsql immutable set search_path = '' as $$
declare
  place integer := case when cardinality(opens) = 0 then 0 else width_bucket(at, opens) end;
begin
  if place = 0 then
    return 0;
  end if;
  return before[place] + least(at, closes[place]) - opens[place];
end $$;
comment on function app.open_seconds(double precision[], double precision[], double precision[], double precision) is
  'The open seconds of a clock before a moment, since its first day. Takes arrays and not the row, which would be unpacked at each call.';

create function app.open_moment(opens double precision[], closes double precision[], before double precision[], at double precision, seconds double precision)
  returns double precision
  language plpgsql immutable set search_path = '' as $$
declare
  wanted double precision := app.open_seconds(opens, closes, before, at) + seconds;
  place integer;
begin
  if seconds <= 0 then
    return at;
  elsif wanted is null or cardinality(opens) = 0 then
    return null;
  end if;
  place := width_bucket(wanted, before);
  -- A span that begins just then is not needed: the one before it ends then.
  while place > 1 and before[place] >= wanted loop
    place := place - 1;
  end loop;
  if opens[place] + (wanted - before[place]) > closes[place] then
    return null;
  end if;
  return opens[place] + (wanted - before[place]);
end $$;
comment on function app.open_moment(double precision[], double precision[], double precision[], double precision, double precision) is
  'The first moment by which so many open seconds have passed; null where the clock ends before.';

create function app.business_time_between(calendar uuid, from_at timestamptz, until_at timestamptz) returns double precision
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  if from_at is null or until_at is null or until_at <= from_at then
    return 0;
  end if;
  clock := app.clock_of(calendar, from_at, until_at);
  return app.open_seconds(clock.opens, clock.closes, clock.before, extract(epoch from until_at)::double precision)
    - app.open_seconds(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision);
end $$;
comment on function app.business_time_between(uuid, timestamptz, timestamptz) is 'The seconds of business time between two moments.';

create function app.add_business_time(calendar uuid, from_at timestamptz, seconds double precision) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks := app.clock_of(calendar, from_at, from_at + interval '30 days');
  found double precision;
  days integer := 180;
begin
  found := app.open_moment(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision, seconds);
  -- A span that reaches over the last day of the clock may be cut by a holiday after it.
  while (found is null or found > extract(epoch from (clock.until_day - 2)::timestamptz)) and days <= 25000 loop
    clock := app.compiled_clock(calendar, (from_at - interval '3 days')::date, (from_at + make_interval(days => days))::date);
    found := app.open_moment(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision, seconds);
    days := days * 5;
  end loop;
  return to_timestamp(found);
end $$;
comment on function app.add_business_time(uuid, timestamptz, double precision) is
  'The first moment at which so many seconds of business time have passed since another; null where that takes more than 61 years.';

create function app.check_calendar() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  refused text;
  bad jsonb;
  own uuid := case tg_op when 'INSERT' then new.id else old.id end;
begin
  if tg_op = 'DELETE' then
    if old.is_default and exists (select 1 from public.companies c where c.id = old.company_id) then
      raise exception using errcode = '23514', hint = 'calendar_default', table = 'business_calendars', schema = 'public',
        message = 'a company keeps its default calendar: make another one the default first';
    end if;
    return old;
  end if;
  if not exists (select 1 from public.business_calendars c where c.company_id = new.company_id and c.is_default and c.id <> own) then
    if tg_op = 'UPDATE' and old.is_default and not new.is_default then
      raise exception using errcode = '23514', hint = 'calendar_default', table = 'business_calendars', schema = 'public', column = 'is_default',
        message = 'a company keeps its default calendar: make another one the default first';
    end if;
    new.is_default := true;
  elsif new.is_default then
    update public.business_calendars c set is_default = false where c.company_id = new.company_id and c.is_default and c.id <> own;
  end if;
  select h into bad from jsonb_array_elements(new.hours) h where not coalesce(jsonb_typeof(h) = 'object' and h ->> 'day' ~ '^[1-7]$'
    and h ->> 'from' ~ '^([01]\d|2[0-3]):[0-5]\d$' and h ->> 'until' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$'
    and h ->> 'from' <> h ->> 'until', false) limit 1;
  if bad is not null then
    refused := 'hours_invalid';
  elsif jsonb_array_length(new.hours) = 0 then
    refused := 'hours_none';
  elsif exists (
    -- Minutes of a week; an end on the next day goes on, and the end of Sunday meets the start of Monday.
    with spans as (
      select row_number() over () as place, begins + w.shift as begins, ends + w.shift as ends from (
        select ((h ->> 'day')::integer - 1) * 1440 + extract(epoch from (h ->> 'from')::time)::integer / 60 as begins,
          ((h ->> 'day')::integer - 1) * 1440 + case when h ->> 'until' = '24:00' then 1440 else extract(epoch from (h ->> 'until')::time)::integer / 60 end
            + case when h ->> 'until' <> '24:00' and h ->> 'until' <= h ->> 'from' then 1440 else 0 end as ends
        from jsonb_array_elements(new.hours) h) s, (values (0), (10080)) as w (shift))
    select 1 from spans a join spans b on a.place < b.place and a.begins < b.ends and b.begins < a.ends) then
    refused := 'hours_overlap';
  end if;
  if refused is null then
    select h into bad from jsonb_array_elements(new.holidays) h where not coalesce(jsonb_typeof(h) = 'object'
      and h ->> 'date' ~ '^\d{4}-\d\d-\d\d$' and app.is_day(h ->> 'date')
      and (coalesce(h ->> 'from', '') = '' or h ->> 'from' ~ '^([01]\d|2[0-3]):[0-5]\d$')
      and (coalesce(h ->> 'until', '') = '' or h ->> 'until' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$')
      and coalesce(nullif(h ->> 'from', ''), '00:00') < coalesce(nullif(h ->> 'until', ''), '24:00'), false) limit 1;
    if bad is not null then
      refused := 'holidays_invalid';
    end if;
  end if;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'business_calendars', schema = 'public',
      column = case refused when 'holidays_invalid' then 'holidays' else 'hours' end,
      message = case refused
        when 'hours_none' then 'a calendar has at least one open hour'
        when 'hours_overlap' then 'business hours of a calendar do not overlap'
        when 'hours_invalid' then format('a row of hours names a day from 1 to 7 and times as HH:MM: %s', bad)
        else format('a holiday names a date, and times as HH:MM of which the first is before the second: %s', bad) end;
  end if;
  return new;
end $$;
comment on function app.check_calendar() is
  'Row trigger: a calendar has open hours that do not overlap, correct holidays, and each company one default. Definer, because the former default '
  'is another row.';

create function app.compile_calendar() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (new.hours, new.holidays, new.timezone, new.is_default) is not distinct from (old.hours, old.holidays, old.timezone, old.is_default) then
    return null;
  end if;
  delete from app.calendar_clocks c where c.calendar_id = new.id;
  if exists (select 1 from public.sla_policies p where p.company_id = new.company_id) then
    insert into app.sla_recounts (company_id) values (new.company_id)
      on conflict (company_id) do update set after_id = null, requested_at = now();
  end if;
  return null;
end $$;
comment on function app.compile_calendar() is
  'Row trigger: a changed calendar gives up its compiled clock, and the open tickets of its company are counted again. Definer, because both are private.';

create function app.stored_clock(calendar uuid) returns app.calendar_clocks
  language plpgsql volatile set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  select c.* into clock from app.calendar_clocks c where c.calendar_id = calendar;
  if clock.calendar_id is null or clock.until_day < current_date + 800 then
    clock := app.compiled_clock(calendar, current_date - 730, current_date + 1100);
    insert into app.calendar_clocks select (clock).*
      on conflict (calendar_id) do update set from_day = excluded.from_day, until_day = excluded.until_day,
        opens = excluded.opens, closes = excluded.closes, before = excluded.before;
  end if;
  return clock;
end $$;
comment on function app.stored_clock(uuid) is 'The clock of a calendar, compiled for two years back and three ahead where it is missing or ends soon.';

create function public.fill_holidays(id uuid, country text, region text, days jsonb) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  calendar public.business_calendars%rowtype;
  filled jsonb;
  merged jsonb;
begin
  perform app.require('business_calendars', 'edit');
  if jsonb_typeof(days) is distinct from 'array' or jsonb_array_length(days) > 1000 then
    raise exception using errcode = '22023', message = 'days is a list of at most 1,000 holidays';
  end if;
  select c.* into calendar from public.business_calendars c where c.id = fill_holidays.id for update;
  if calendar.id is null then
    raise exception 'The calendar was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- Each date once: two holidays of one day close it once.
  select coalesce(jsonb_agg(d.day order by d.day ->> 'date'), '[]') into filled from (
    select distinct on (x ->> 'date') jsonb_strip_nulls(jsonb_build_object('date', x ->> 'date', 'name', left(x ->> 'name', 120), 'from', nullif(x ->> 'from', ''),
      'until', nullif(x ->> 'until', ''))) as day from jsonb_array_elements(days) x order by x ->> 'date', coalesce(x ->> 'from', '')) d;
  select coalesce(jsonb_agg(m.day order by m.day ->> 'date', coalesce(m.day ->> 'from', '')), '[]') into merged from (
    -- Kept: what was typed or edited by hand, and what has passed.
    select c.day from (select jsonb_strip_nulls(jsonb_build_object('date', x ->> 'date', 'name', x ->> 'name', 'from', nullif(x ->> 'from', ''),
        'until', nullif(x ->> 'until', ''))) as day from jsonb_array_elements(calendar.holidays) x) c
      where not calendar.filled_days @> jsonb_build_array(c.day) or (c.day ->> 'date')::date < current_date
        or filled @> jsonb_build_array(c.day)
    union
    -- New: a date that nobody has, and that nobody deleted or moved after an earlier fill.
    select f from jsonb_array_elements(filled) f
      where not exists (select 1 from jsonb_array_elements(calendar.holidays) x where x ->> 'date' = f ->> 'date')
        and not exists (select 1 from jsonb_array_elements(calendar.filled_days) x where x ->> 'date' = f ->> 'date' and fill_holidays.country = calendar.country
          and fill_holidays.region is not distinct from calendar.region)
  ) m;
  update public.business_calendars c set holidays = merged, country = fill_holidays.country, region = nullif(fill_holidays.region, '')
    where c.id = calendar.id;
  perform app.note_filled_days(calendar.id, filled);
  return jsonb_array_length(merged);
end $$;
comment on function public.fill_holidays(uuid, text, text, jsonb) is
  'Writes the holidays of a country into a calendar and returns how many it has now. Days that were added, changed or deleted by hand stay so.';
grant execute on function public.fill_holidays(uuid, text, text, jsonb) to authenticated;

create function app.note_filled_days(calendar uuid, days jsonb) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require('business_calendars', 'edit');
  update public.business_calendars c set filled_days = days where c.id = calendar and (app.sees_all() or c.company_id = app.own_company());
end $$;
comment on function app.note_filled_days(uuid, jsonb) is
  'Remembers what fill_holidays() wrote. Definer, because nobody writes that column by hand; it asks for the permission and the company itself.';
grant execute on function app.note_filled_days(uuid, jsonb) to authenticated;

create function app.check_sla_targets() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text := case
    when jsonb_array_length(new.targets) = 0 then 'targets_none'
    when exists (select 1 from jsonb_array_elements(new.targets) x where not coalesce(jsonb_typeof(x) = 'object'
      and x ->> 'priority' in ('low', 'normal', 'high', 'urgent')
      and (coalesce(x ->> 'first_response', '') = '' or (x ->> 'first_response') ~ '^[1-9]\d{0,6}$')
      and (coalesce(x ->> 'solution', '') = '' or (x ->> 'solution') ~ '^[1-9]\d{0,6}$')
      and coalesce(nullif(x ->> 'first_response', ''), nullif(x ->> 'solution', '')) is not null, false)) then 'targets_invalid'
    when (select count(*) <> count(distinct x ->> 'priority') from jsonb_array_elements(new.targets) x) then 'targets_twice' end;
begin
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'sla_policies', schema = 'public', column = 'targets',
      message = case refused when 'targets_none' then 'a policy names at least one target' when 'targets_twice' then 'a policy names each priority once'
        else 'a target names a priority and whole minutes, from 1 to 9,999,999' end;
  end if;
  return new;
end $$;
comment on function app.check_sla_targets() is 'Row trigger: the targets of a policy are minutes, for each priority once.';

create function app.request_sla_recount() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.sla_recounts (company_id) values (case tg_op when 'DELETE' then old.company_id else new.company_id end)
    on conflict (company_id) do update set after_id = null, requested_at = now();
  return null;
end $$;
comment on function app.request_sla_recount() is
  'Row trigger: a changed policy has the open tickets of its company counted again. Definer, because the queue is private.';

create function app.sla_policy_of(company uuid, category uuid) returns public.sla_policies
  language sql stable set search_path = '' as $$
  select p.* from public.sla_policies p
  where p.company_id = company and p.enabled and (p.category_id is null or p.category_id = category)
  order by p.category_id is null, p.position, p.id limit 1
$$;
comment on function app.sla_policy_of(uuid, uuid) is 'The policy for tickets of a category: its own before one for all, then by position.';

create function app.measured_ticket(ticket public.tickets, policy public.sla_policies,
  opens double precision[], closes double precision[], before double precision[]) returns public.tickets
  language plpgsql stable set search_path = '' as $$
declare
  result public.tickets := ticket;
  target jsonb;
  response_seconds double precision;
  solution_seconds double precision;
  created double precision := extract(epoch from ticket.created_at)::double precision;
  paused double precision := 0;
  response_paused double precision;
  pause record;
  response_warns double precision;
  solution_warns double precision;
  response_due double precision;
  solution_due double precision;
  responded double precision := extract(epoch from coalesce(ticket.first_responded_at, ticket.resolved_at))::double precision;
  is_done boolean := ticket.status in ('resolved', 'closed');
  clock_now double precision := extract(epoch from clock_timestamp())::double precision;
  stopped double precision := extract(epoch from coalesce(ticket.paused_at, clock_timestamp()))::double precision;
  solution_now double precision;
begin
  if policy.id is not null and opens is not null then
    select x into target from jsonb_array_elements(policy.targets) x where x ->> 'priority' = ticket.priority limit 1;
    response_seconds := 60 * nullif(target ->> 'first_response', '')::double precision;
    solution_seconds := 60 * nullif(target ->> 'solution', '')::double precision;
  end if;
  if target is not null then
    response_paused := 0;
    for pause in select extract(epoch from p.paused_at)::double precision as begins, extract(epoch from p.resumed_at)::double precision as ends
      from app.ticket_pauses p where p.company_id = ticket.company_id and p.ticket_id = ticket.id order by p.paused_at
    loop
      paused := paused + app.open_seconds(opens, closes, before, pause.ends) - app.open_seconds(opens, closes, before, pause.begins);
      if responded is null or pause.begins < responded then
        response_paused := response_paused + app.open_seconds(opens, closes, before, least(pause.ends, coalesce(responded, pause.ends))) - app.open_seconds(opens, closes, before, pause.begins);
      end if;
    end loop;
    response_due := app.open_moment(opens, closes, before, created, response_seconds + response_paused);
    response_warns := app.open_moment(opens, closes, before, created, 0.75 * response_seconds + response_paused);
    solution_due := app.open_moment(opens, closes, before, created, solution_seconds + paused);
    solution_warns := app.open_moment(opens, closes, before, created, 0.75 * solution_seconds + paused);
  end if;
  -- The date that a person typed comes before the target, and no pause moves it.
  if ticket.due_at is not null then
    solution_due := extract(epoch from ticket.due_at)::double precision;
    solution_warns := created + 0.75 * greatest(solution_due - created, 0);
  end if;
  solution_now := case when is_done then extract(epoch from ticket.resolved_at)::double precision
    when ticket.due_at is not null then clock_now else stopped end;
  result.first_response_due_at := to_timestamp(response_due);
  result.solution_due_at := to_timestamp(solution_due);
  result.paused_seconds := round(paused);
  result.sla_policy_id := policy.id;
  result.sla_state := case
    when response_due is null and solution_due is null then 'none'
    when response_due < coalesce(responded, stopped) or solution_due < solution_now then 'breached'
    when is_done then 'met'
    when responded is null and response_warns <= stopped or solution_warns <= solution_now then 'warning'
    else 'ok' end;
  result.sla_next_at := case when not is_done then (
    select to_timestamp(min(m.at)) from (values
      (case when ticket.paused_at is null and responded is null then response_warns end),
      (case when ticket.paused_at is null and responded is null then response_due end),
      (case when ticket.paused_at is null or ticket.due_at is not null then solution_warns end),
      (case when ticket.paused_at is null or ticket.due_at is not null then solution_due end)) as m (at)
    where m.at >= clock_now) end;
  return result;
end $$;
comment on function app.measured_ticket(public.tickets, public.sla_policies, double precision[], double precision[], double precision[]) is
  'A ticket with its due times and the state of its service level now: what they are by the policy, the clock, its pauses and the due date typed by hand.';

create function app.measure_ticket(ticket public.tickets) returns public.tickets
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.sla_policies := app.sla_policy_of(ticket.company_id, ticket.category_id);
  calendar uuid;
  clock app.calendar_clocks;
begin
  if policy.id is not null then
    calendar := coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = ticket.company_id and c.is_default));
    if calendar is not null then
      clock := app.stored_clock(calendar);
    end if;
  end if;
  return app.measured_ticket(ticket, policy, clock.opens, clock.closes, clock.before);
end $$;
comment on function app.measure_ticket(public.tickets) is 'A ticket with its due times, by the policy of its category and the calendar of that.';

-- Security definer: whoever writes a ticket may not read policies and calendars.
create function app.stamp_ticket_sla() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  was_running boolean := tg_op = 'UPDATE' and old.status in ('new', 'open');
  person uuid := app.acting_user_id();
begin
  -- Somebody took it up. A rule that assigns a new ticket has not done so yet.
  if person is not null and new.assignee_id is not null and (tg_op = 'INSERT' and new.assignment_note is null
    or tg_op = 'UPDATE' and new.assignee_id is distinct from old.assignee_id and new.assignment_note is not distinct from old.assignment_note) then
    new.assignment_note := null;
    if new.status = 'new' then
      new.status := 'open';
      new.status_id := (select s.id from public.ticket_statuses s where s.company_id = new.company_id and s.kind = 'open' and s.is_default);
    end if;
  end if;
  if tg_op = 'INSERT' then
    new.paused_at := case when new.status in ('new', 'open') then null else coalesce(new.paused_at, new.resolved_at, now()) end;
  elsif new.status in ('new', 'open') then
    if old.paused_at < now() then
      insert into app.ticket_pauses (company_id, ticket_id, paused_at, resumed_at) values (new.company_id, new.id, old.paused_at, now());
    end if;
    new.paused_at := null;
  elsif was_running then
    new.paused_at := coalesce(new.resolved_at, now());
  end if;
  if tg_op = 'UPDATE' and (new.status, new.priority, new.category_id, new.due_at, new.first_responded_at, new.paused_at)
    is not distinct from (old.status, old.priority, old.category_id, old.due_at, old.first_responded_at, old.paused_at) then
    return new;
  end if;
  return app.measure_ticket(new);
end $$;
comment on function app.stamp_ticket_sla() is
  'Row trigger: a ticket that somebody took up is open; its clocks stand still while it waits or is done; its due times follow what they depend on. '
  'Definer, because whoever writes a ticket may not read policies and calendars.';

create function app.recount_sla(max_rows integer default 500) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  request app.sla_recounts%rowtype;
  policy public.sla_policies;
  clock app.calendar_clocks;
  -- Unpacked once for all tickets.
  opens double precision[];
  closes double precision[];
  before double precision[];
  known_category uuid;
  is_known boolean := false;
  calendar uuid;
  ids uuid[];
  locked uuid[];
  held uuid;
  ticket public.tickets;
  measured public.tickets;
  changed uuid[] := '{}';
  responses timestamptz[] := '{}';
  solutions timestamptz[] := '{}';
  pauses bigint[] := '{}';
  states text[] := '{}';
  nexts timestamptz[] := '{}';
  policies uuid[] := '{}';
begin
  select r.* into request from app.sla_recounts r order by r.requested_at, r.company_id limit 1 for update skip locked;
  if request.company_id is null then
    return 0;
  end if;
  ids := array(select t.id from public.tickets t where t.company_id = request.company_id and t.status in ('new', 'open', 'waiting')
    and (request.after_id is null or t.id > request.after_id) order by t.id limit max_rows);
  locked := array(select t.id from public.tickets t where t.company_id = request.company_id and t.id = any (ids) order by t.id for no key update skip locked);
  -- The order by category reads each policy and its clock once.
  for ticket in select t.* from public.tickets t where t.company_id = request.company_id and t.id = any (locked) order by t.category_id loop
    if not is_known or known_category is distinct from ticket.category_id then
      known_category := ticket.category_id;
      is_known := true;
      policy := app.sla_policy_of(ticket.company_id, ticket.category_id);
      if policy.id is not null then
        calendar := coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = ticket.company_id and c.is_default));
        if calendar is distinct from clock.calendar_id then
          clock := app.stored_clock(calendar);
          opens := clock.opens;
          closes := clock.closes;
          before := clock.before;
        end if;
      end if;
    end if;
    measured := app.measured_ticket(ticket, policy, opens, closes, before);
    if (measured.first_response_due_at, measured.solution_due_at, measured.paused_seconds, measured.sla_state, measured.sla_next_at, measured.sla_policy_id)
      is distinct from (ticket.first_response_due_at, ticket.solution_due_at, ticket.paused_seconds, ticket.sla_state, ticket.sla_next_at, ticket.sla_policy_id) then
      changed := changed || measured.id;
      responses := responses || measured.first_response_due_at;
      solutions := solutions || measured.solution_due_at;
      pauses := pauses || measured.paused_seconds;
      states := states || measured.sla_state;
      nexts := nexts || measured.sla_next_at;
      policies := policies || measured.sla_policy_id;
    end if;
  end loop;
  if cardinality(changed) > 0 then
    -- A single message tells of all of them, and no audit: nobody changed these tickets.
    perform set_config('app.quiet', 'on', true);
    update public.tickets t set first_response_due_at = m.response, solution_due_at = m.solution,
        paused_seconds = m.paused, sla_state = m.state, sla_next_at = m.next, sla_policy_id = m.policy
      from unnest(changed, responses, solutions, pauses, states, nexts, policies) as m (id, response, solution, paused, state, next, policy)
      where t.company_id = request.company_id and t.id = m.id;
    perform set_config('app.quiet', '', true);
    perform app.send_live('company:' || request.company_id, jsonb_build_object('table', 'tickets', 'op', 'update', 'ids', jsonb_build_array()));
  end if;
  -- The next call begins with the first ticket that somebody else holds.
  select i into held from unnest(ids) i where i <> all (locked) order by i limit 1;
  if held is null and cardinality(ids) < max_rows then
    delete from app.sla_recounts r where r.company_id = request.company_id and r.requested_at = request.requested_at;
  else
    update app.sla_recounts r set after_id = case when held is null then ids[cardinality(ids)]
        else coalesce((select i from unnest(ids) i where i < held order by i desc limit 1), r.after_id) end
      where r.company_id = request.company_id;
  end if;
  return cardinality(locked);
end $$;
comment on function app.recount_sla(integer) is
  'Step of app.tick(): new due times for the open tickets of companies with a changed calendar or policy, at most 500 a call. It waits for nobody: '
  'with a ticket that somebody writes at that moment the next call goes on';

create function app.watch_sla() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets;
  measured public.tickets;
  done integer := 0;
begin
  for ticket in
    select t.* from public.tickets t where t.sla_next_at <= now() order by t.sla_next_at, t.id limit 500 for no key update skip locked
  loop
    measured := app.measure_ticket(ticket);
    update public.tickets t set sla_state = measured.sla_state, sla_next_at = measured.sla_next_at, solution_due_at = measured.solution_due_at,
        first_response_due_at = measured.first_response_due_at, paused_seconds = measured.paused_seconds
      where t.company_id = ticket.company_id and t.id = ticket.id;
    done := done + 1;
    if measured.sla_state in ('warning', 'breached') and measured.sla_state <> ticket.sla_state then
      perform app.tell_of_sla(measured);
    end if;
  end loop;
  return done;
end $$;
comment on function app.watch_sla() is
  'Step of app.tick(): tickets whose clock has reached three quarters or the end of a target change their state, and the desk is told; at most 500 a call.';

create function app.tell_of_sla(ticket public.tickets) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  person uuid;
  notice app.notices%rowtype;
  is_late boolean := ticket.sla_state = 'breached';
begin
  foreach person in array app.desk_people(ticket.company_id) loop
    -- A single bell rings for all tickets of these minutes, and no mail leaves for each clock.
    notice := app.notice_for(person, 'tickets', ticket.company_id, md5('sla/' || ticket.sla_state || '/' || ticket.company_id)::uuid, array[ticket.id], false);
    continue when notice.id is null;
    if notice.records = 1 then
      perform app.ring(notice, case when is_late then 'sla_breached' else 'sla_warning' end,
        jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject, 'assignee', coalesce(ticket.assignee_name, '')), '/tickets/' || ticket.id);
    else
      perform app.ring(notice, case when is_late then 'sla_breaches' else 'sla_warnings' end,
        jsonb_build_object('count', notice.records, 'subject', ticket.subject), '/tickets?view=' || case when is_late then 'breached' else 'near_breach' end);
    end if;
  end loop;
end $$;
comment on function app.tell_of_sla(public.tickets) is
  'Tells the desk, and so the assignee, that a ticket is near its target or beyond it; several of five minutes ring once.';

create function app.note_ticket_reply(company uuid, ticket uuid, author uuid, at timestamptz) returns void
  language plpgsql volatile security definer set search_path = '' as $$
declare
  found public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  is_desk boolean := author = any (app.desk_people(company))
    or exists (select 1 from public.user_roles r where r.user_id = author and r.role = 'Super Admin' and r.deactivated_at is null);
begin
  select t.* into found from public.tickets t where t.company_id = company and t.id = ticket for no key update;
  if found.id is null then
    return;
  end if;
  if author is distinct from found.requester_id and is_desk then
    update public.tickets t set first_responded_at = coalesce(t.first_responded_at, at), status = case t.status when 'new' then 'open' else t.status end
      where t.company_id = company and t.id = ticket and (t.first_responded_at is null or t.status = 'new');
  elsif author = found.requester_id then
    select s.* into settings from public.desk_settings s where s.company_id = company;
    if coalesce(settings.reopen_on_reply, true) and (found.status in ('waiting', 'resolved')
      or found.status = 'closed' and coalesce(settings.reopen_days, 0) > 0 and found.resolved_at > at - make_interval(days => settings.reopen_days)) then
      update public.tickets t set status = 'open' where t.company_id = company and t.id = ticket;
    end if;
  end if;
end $$;
comment on function app.note_ticket_reply(uuid, uuid, uuid, timestamptz) is
  'A reply was written on a ticket: the desk''s first one stamps the first response and opens a new ticket, one of the requester opens a ticket that '
  'waits or is resolved. Definer, because requesters may not write these columns. Granted to nobody: triggers call it.';

create function app.close_resolved() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  closed integer;
begin
  with due as (
    select t.company_id, t.id from public.tickets t join public.desk_settings s on s.company_id = t.company_id
    where t.status = 'resolved' and s.close_after_days is not null and t.resolved_at < now() - make_interval(days => s.close_after_days)
    limit 500 for no key update of t skip locked
  )
  update public.tickets t set status = 'closed' from due where t.company_id = due.company_id and t.id = due.id;
  get diagnostics closed = row_count;
  return closed;
end $$;
comment on function app.close_resolved() is
  'Step of app.tick(): closes tickets that have been resolved for as many days as their company says; at most 500 a call.';

create function app.check_assignment_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  refused text;
begin
  if app.is_server_work() then
    return new;
  end if;
  refused := case
    when new.assigns = 'person' and new.assignee_id is null then 'rule_without_person'
    when new.assigns = 'person' and new.assignee_id is not null and not new.assignee_id = any (app.desk_people(new.company_id))
      and (tg_op = 'INSERT' or new.assignee_id is distinct from old.assignee_id) then 'rule_person'
    when new.role is not null and not new.role = any (app.roles_that_may('tickets', 'assign')) then 'rule_role'
    when new.requester_id is not null and (tg_op = 'INSERT' or new.requester_id is distinct from old.requester_id)
      and not exists (select 1 from public.user_roles r where r.user_id = new.requester_id and r.company_id = new.company_id) then 'rule_requester'
    when new.issue_id is not null and new.category_id is not null and not exists (
      select 1 from public.ticket_issues i where i.company_id = new.company_id and i.id = new.issue_id and i.category_id = new.category_id) then 'rule_issue' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'assignment_rules', schema = 'public',
      column = case refused when 'rule_role' then 'role' when 'rule_issue' then 'issue_id' when 'rule_requester' then 'requester_id' else 'assignee_id' end,
      message = case refused when 'rule_role' then 'people of this role are assigned no tickets' when 'rule_issue' then 'the issue type is of another category'
        when 'rule_without_person' then 'the rule names nobody to assign to' when 'rule_requester' then 'the requester is of another company'
        else 'this person does not work the tickets of the company' end;
  end if;
  return new;
end $$;
comment on function app.check_assignment_rule() is
  'Row trigger: a rule assigns to people who work the desk. Definer, because it reads roles and people that the writer may not.';

-- Security definer: whoever opens a ticket may not read rules, groups and people.
create function app.assign_by_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rule public.assignment_rules%rowtype;
  people uuid[];
  chosen uuid;
  turn uuid;
  wanted_priority text;
begin
  if tg_op = 'UPDATE' and (new.category_id, new.device_id) is not distinct from (old.category_id, old.device_id) then
    return new;
  end if;
  if new.status in ('resolved', 'closed') or not exists (select 1 from public.assignment_rules r where r.company_id = new.company_id and r.enabled) then
    return new;
  end if;
  wanted_priority := coalesce(new.priority, (select i.priority from public.ticket_issues i where i.company_id = new.company_id and i.id = new.issue_id), 'normal');
  -- The lock that numbers the tickets of the company: two tickets at once are assigned one after the other.
  insert into app.ticket_numbers (company_id, last) values (new.company_id, 0) on conflict (company_id) do nothing;
  perform 1 from app.ticket_numbers n where n.company_id = new.company_id for update;
  for rule in
    select r.* from public.assignment_rules r
    where r.company_id = new.company_id and r.enabled
      and (r.category_id is null or r.category_id = new.category_id)
      and (r.issue_id is null or r.issue_id = new.issue_id)
      and (r.priority is null or r.priority = wanted_priority)
      and (r.requester_id is null or r.requester_id = new.requester_id)
      and (r.group_id is null or exists (select 1 from public.group_devices g
        where g.company_id = new.company_id and g.group_id = r.group_id and g.device_id = new.device_id))
    order by r.position, r.id
  loop
    people := array(select p from unnest(app.desk_people(new.company_id)) p
      where (rule.assigns <> 'person' or p = rule.assignee_id)
        and (rule.role is null or rule.assigns = 'person' or exists (select 1 from public.user_roles u where u.user_id = p and u.role = rule.role))
      order by p);
    continue when people = '{}';
    if rule.assigns = 'in_turn' then
      turn := (select x.person_id from app.assignment_turns x where x.rule_id = rule.id);
      chosen := coalesce((select p from unnest(people) p where p > turn order by p limit 1), people[1]);
      insert into app.assignment_turns (rule_id, person_id) values (rule.id, chosen)
        on conflict (rule_id) do update set person_id = excluded.person_id;
    elsif rule.assigns = 'least_loaded' then
      select p into chosen from unnest(people) p order by (select count(*) from public.tickets t
        where t.assignee_id = p and t.company_id = new.company_id and t.status in ('new', 'open', 'waiting')), p limit 1;
    else
      chosen := people[1];
    end if;
    new.assignee_id := chosen;
    new.assignee_name := (select p.name from public.profiles p where p.id = chosen);
    new.assignment_note := left('Assigned by the rule ' || rule.name || '.', 200);
    return new;
  end loop;
  new.assignment_note := 'No assignment rule had somebody for this ticket.';
  return new;
end $$;
comment on function app.assign_by_rule() is
  'Row trigger: an unassigned ticket goes to whom the first rule names that it meets and that has somebody who works the desk now; the ticket says which, '
  'or that none did. Definer, because whoever opens a ticket may not read rules, groups and people.';

create function app.check_answers(form jsonb, answers jsonb, is_complete boolean) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  field jsonb;
  value jsonb;
  key text;
begin
  if jsonb_typeof(answers) is distinct from 'object' or length(answers::text) > 100000 then
    return '';
  end if;
  for key in select k from jsonb_object_keys(answers) k loop
    if not exists (select 1 from jsonb_array_elements(form) f where f ->> 'key' = key) then
      return key;
    end if;
  end loop;
  for field in select f from jsonb_array_elements(form) f loop
    key := field ->> 'key';
    value := answers -> key;
    if value is null or value = 'null' or value = '""' then
      if is_complete and coalesce((field ->> 'required')::boolean, false) then
        return key;
      end if;
      continue;
    end if;
    if not coalesce(case field ->> 'kind'
      when 'text' then jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 500
      when 'textarea' then jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 10000
      when 'number' then jsonb_typeof(value) = 'number'
      when 'date' then jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^\d{4}-\d\d-\d\d$' and app.is_day(value #>> '{}')
      when 'enum' then jsonb_typeof(value) = 'string' and field -> 'options' ? (value #>> '{}')
      when 'checkbox' then jsonb_typeof(value) = 'boolean' and (value = 'true' or not (is_complete and coalesce((field ->> 'required')::boolean, false)))
      end, false) then
      return key;
    end if;
  end loop;
  return null;
end $$;
comment on function app.check_answers(jsonb, jsonb, boolean) is
  'The key of the first answer that a form does not take, or null. A form is rows of {key, label, kind, required, options}.';

create function app.check_ticket_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if tg_op = 'UPDATE' and (new.answers, new.category_id) is not distinct from (old.answers, old.category_id) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c where c.company_id = new.company_id and c.id = new.category_id), '[]');
  -- Another category asks other questions: answers that it does not ask for go.
  if tg_op = 'UPDATE' and new.category_id is distinct from old.category_id and new.answers = old.answers then
    new.answers := coalesce((select jsonb_object_agg(a.key, a.value) from jsonb_each(new.answers) a
      where exists (select 1 from jsonb_array_elements(form) f where f ->> 'key' = a.key)), '{}');
    key := app.check_answers(form, new.answers, false);
  else
    -- Alerts and the server answer nothing.
    key := app.check_answers(form, new.answers, not app.is_server_work() and (tg_op = 'INSERT' or new.answers <> old.answers));
  end if;
  if key is not null then
    raise exception using errcode = '23514', hint = 'answers_invalid', table = 'tickets', schema = 'public', column = 'answers',
      message = format('the form of the category does not take this answer: %s', key), detail = jsonb_build_object('field', key)::text;
  end if;
  return new;
end $$;
comment on function app.check_ticket_answers() is
  'Row trigger: the answers of a ticket fit the form of its category. Definer, because the writer may not read every category.';

create function app.check_canned_reply() returns trigger
  language plpgsql set search_path = '' as $$
declare
  unknown text := (select m[1] from regexp_matches(new.body, '\{([a-zA-Z_]+(?:\.[a-zA-Z_]+)*)\}', 'g') m
    where m[1] not in ('requester.name', 'ticket.number', 'device.name', 'agent.name', 'company.name') limit 1);
begin
  if unknown is not null then
    raise exception using errcode = '23514', hint = 'placeholder_unknown', table = 'canned_replies', schema = 'public', column = 'body',
      message = format('there is no placeholder {%s}', unknown), detail = jsonb_build_object('placeholder', '{' || unknown || '}')::text;
  end if;
  return new;
end $$;
comment on function app.check_canned_reply() is 'Row trigger: a text names known placeholders only.';

-- Runs as the caller: row-level security decides which reply and which ticket are read.
create function public.fill_canned_reply(reply uuid, ticket uuid) returns text
  language plpgsql stable set search_path = '' as $$
declare
  body text := (select r.body from public.canned_replies r where r.id = reply);
  found record;
  part record;
  filled text := '';
begin
  select t.number, t.requester_name, d.name as device, c.name as company, (select p.name from public.profiles p where p.id = app.current_user_id()) as agent
    into found from public.tickets t
    left join public.devices d on d.company_id = t.company_id and d.id = t.device_id
    left join public.companies c on c.id = t.company_id
    where t.id = ticket;
  if body is null or found.number is null then
    raise exception 'The canned reply or the ticket was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- In one pass: a name that looks like a placeholder stays a name.
  for part in select m[1] as before, m[2] as placeholder from regexp_matches(body || '{end}', '(.*?)\{(requester\.name|ticket\.number|device\.name|agent\.name|company\.name|end)\}', 'gs') m loop
    filled := filled || part.before || coalesce(case part.placeholder when 'requester.name' then found.requester_name when 'ticket.number' then found.number::text
      when 'device.name' then found.device when 'agent.name' then found.agent when 'company.name' then found.company end, '');
  end loop;
  return filled;
end $$;
comment on function public.fill_canned_reply(uuid, uuid) is
  'The text of a canned reply for a ticket, its placeholders filled in; one without a value is empty.';
grant execute on function public.fill_canned_reply(uuid, uuid) to authenticated;

select app.keep_tenant('public.ticket_statuses');

select app.keep_audit('public.ticket_statuses');

select app.keep_announced('public.ticket_statuses');

select app.keep_search('public.ticket_statuses');

create trigger ticket_statuses_0_company before insert on public.ticket_statuses
  for each row execute function app.refuse_other_company();
create trigger ticket_statuses_default before insert or update or delete on public.ticket_statuses
  for each row execute function app.keep_status_default();
create trigger ticket_statuses_heir after update or delete on public.ticket_statuses
  for each row execute function app.name_status_default();

select app.keep_tenant('public.business_calendars');

select app.keep_audit('public.business_calendars', 'id', array['filled_days']);

select app.keep_announced('public.business_calendars');

select app.keep_search('public.business_calendars');

create trigger business_calendars_0_company before insert on public.business_calendars
  for each row execute function app.refuse_other_company();
create trigger business_calendars_check before insert or update or delete on public.business_calendars
  for each row execute function app.check_calendar();
create trigger business_calendars_compile after insert or update of hours, holidays, timezone, is_default on public.business_calendars
  for each row execute function app.compile_calendar();

select app.keep_tenant('public.sla_policies');

select app.keep_audit('public.sla_policies');

select app.keep_announced('public.sla_policies');

select app.keep_search('public.sla_policies');

create trigger sla_policies_0_company before insert on public.sla_policies
  for each row execute function app.refuse_other_company();
create trigger sla_policies_check before insert or update of targets on public.sla_policies
  for each row execute function app.check_sla_targets();
create trigger sla_policies_recount after insert or update or delete on public.sla_policies
  for each row execute function app.request_sla_recount();

select app.keep_tenant('public.canned_replies');

select app.keep_audit('public.canned_replies');

select app.keep_announced('public.canned_replies');

select app.keep_search('public.canned_replies');

create trigger canned_replies_0_company before insert on public.canned_replies
  for each row execute function app.refuse_other_company();
create trigger canned_replies_check before insert or update of body on public.canned_replies
  for each row execute function app.check_canned_reply();

select app.keep_tenant('public.assignment_rules');

select app.keep_audit('public.assignment_rules');

select app.keep_announced('public.assignment_rules');

select app.keep_search('public.assignment_rules');

create trigger assignment_rules_0_company before insert on public.assignment_rules
  for each row execute function app.refuse_other_company();
create trigger assignment_rules_check before insert or update on public.assignment_rules
  for each row execute function app.check_assignment_rule();

select app.keep_tenant('public.desk_settings');

select app.keep_audit('public.desk_settings');

select app.keep_announced('public.desk_settings');

create trigger companies_desk after insert on public.companies
  for each row execute function app.furnish_desk();
create trigger tickets_1_status before insert or update of status, status_id on public.tickets
  for each row execute function app.follow_ticket_status();
create trigger tickets_answers before insert or update of answers, category_id on public.tickets
  for each row execute function app.check_ticket_answers();

-- After tickets_guard, which refuses an assignee to requesters, and before tickets_people, which names the assignee.
create trigger tickets_hand_out before insert or update of category_id, device_id on public.tickets
  for each row when (new.assignee_id is null) execute function app.assign_by_rule();

-- After tickets_stamp, which fills in the priority.
create trigger tickets_stamp_sla before insert or update of status, status_id, priority, category_id, due_at, first_responded_at, assignee_id
  on public.tickets for each row execute function app.stamp_ticket_sla();

revoke all on table public.ticket_categories from public, authenticated, service_role;
grant select, delete,
  insert (company_id, name, description, color, position, icon, audience, fields),
  update (name, description, color, position, icon, audience, fields)
  on public.ticket_categories to authenticated;
grant select, insert, update, delete on public.ticket_categories to service_role;

create policy ticket_categories_select_member on public.ticket_categories for select to authenticated
  using ((select app.can('ticket_categories', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (audience = 'everyone' or (select app.can('tickets', 'assign'))));

revoke all on table public.tickets from public, authenticated, service_role;
grant select, delete,
  insert (company_id, subject, description, category_id, issue_id, priority, status, status_id, answers, requester_id, assignee_id, device_id, due_at),
  update (subject, description, category_id, issue_id, priority, status, status_id, answers, requester_id, assignee_id, device_id, due_at)
  on public.tickets to authenticated;
grant select, insert, update, delete on public.tickets to service_role;

revoke all on public.ticket_statuses from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, kind, color, position, is_default),
  update (name, kind, color, position, is_default)
  on public.ticket_statuses to authenticated;
grant select, insert, update, delete on public.ticket_statuses to service_role;
alter table public.ticket_statuses enable row level security;
create policy ticket_statuses_select_member on public.ticket_statuses for select to authenticated
  using ((select app.can('ticket_statuses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_insert_member on public.ticket_statuses for insert to authenticated
  with check ((select app.can('ticket_statuses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_update_member on public.ticket_statuses for update to authenticated
  using ((select app.can('ticket_statuses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('ticket_statuses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_statuses_delete_member on public.ticket_statuses for delete to authenticated
  using ((select app.can('ticket_statuses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.business_calendars from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, timezone, hours, holidays, country, region, is_default),
  update (name, timezone, hours, holidays, country, region, is_default)
  on public.business_calendars to authenticated;
grant select, insert, update, delete on public.business_calendars to service_role;
alter table public.business_calendars enable row level security;
create policy business_calendars_select_member on public.business_calendars for select to authenticated
  using ((select app.can('business_calendars', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_insert_member on public.business_calendars for insert to authenticated
  with check ((select app.can('business_calendars', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_update_member on public.business_calendars for update to authenticated
  using ((select app.can('business_calendars', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('business_calendars', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy business_calendars_delete_member on public.business_calendars for delete to authenticated
  using ((select app.can('business_calendars', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.sla_policies from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, category_id, calendar_id, targets, enabled, position),
  update (name, category_id, calendar_id, targets, enabled, position)
  on public.sla_policies to authenticated;
grant select, insert, update, delete on public.sla_policies to service_role;
alter table public.sla_policies enable row level security;
create policy sla_policies_select_member on public.sla_policies for select to authenticated
  using ((select app.can('sla_policies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_insert_member on public.sla_policies for insert to authenticated
  with check ((select app.can('sla_policies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_update_member on public.sla_policies for update to authenticated
  using ((select app.can('sla_policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('sla_policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy sla_policies_delete_member on public.sla_policies for delete to authenticated
  using ((select app.can('sla_policies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.canned_replies from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, shortcut, body, category_id, language, scope),
  update (name, shortcut, body, category_id, language, scope)
  on public.canned_replies to authenticated;
grant select, insert, update, delete on public.canned_replies to service_role;
alter table public.canned_replies enable row level security;
create policy canned_replies_select_member on public.canned_replies for select to authenticated
  using ((select app.can('canned_replies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_insert_member on public.canned_replies for insert to authenticated
  with check ((select app.can('canned_replies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_update_member on public.canned_replies for update to authenticated
  using ((select app.can('canned_replies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())))
  with check ((select app.can('canned_replies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));
create policy canned_replies_delete_member on public.canned_replies for delete to authenticated
  using ((select app.can('canned_replies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and (scope = 'shared' or owner_id = (select app.current_user_id())));

revoke all on public.assignment_rules from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role),
  update (name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role)
  on public.assignment_rules to authenticated;
grant select, insert, update, delete on public.assignment_rules to service_role;
alter table public.assignment_rules enable row level security;
create policy assignment_rules_select_member on public.assignment_rules for select to authenticated
  using ((select app.can('assignment_rules', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_insert_member on public.assignment_rules for insert to authenticated
  with check ((select app.can('assignment_rules', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_update_member on public.assignment_rules for update to authenticated
  using ((select app.can('assignment_rules', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('assignment_rules', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy assignment_rules_delete_member on public.assignment_rules for delete to authenticated
  using ((select app.can('assignment_rules', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.desk_settings from public, anon, authenticated;
grant select, update (close_after_days, reopen_on_reply, reopen_days) on public.desk_settings to authenticated;
grant select, insert, update, delete on public.desk_settings to service_role;
alter table public.desk_settings enable row level security;
create policy desk_settings_select_member on public.desk_settings for select to authenticated
  using ((select app.can('desk_settings', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy desk_settings_update_member on public.desk_settings for update to authenticated
  using ((select app.can('desk_settings', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('desk_settings', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.calendar_clocks from public, anon, authenticated;
alter table app.calendar_clocks enable row level security;

revoke all on app.ticket_pauses from public, anon, authenticated;
alter table app.ticket_pauses enable row level security;

revoke all on app.sla_recounts from public, anon, authenticated;
alter table app.sla_recounts enable row level security;

revoke all on app.assignment_turns from public, anon, authenticated;
alter table app.assignment_turns enable row level security;
