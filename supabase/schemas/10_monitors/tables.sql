-- Monitors: checks, their states on devices, alerts.

create table public.monitors (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  type text not null default 'Performance' check (type in ('Performance', 'Service', 'Network', 'Process', 'Event ID', 'Offline')),
  severity text not null default 'warning' check (severity in ('info', 'warning', 'critical')),
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object' and length(settings::text) <= 20000),
  threshold text check (length(threshold) <= 200),
  service_name text check (length(service_name) <= 200),
  target text check (length(target) <= 255),
  process_name text check (length(process_name) <= 200),
  event_id integer check (event_id >= 0),
  log_name text check (length(log_name) <= 200),
  is_active boolean not null default true,
  enabled boolean not null default true,
  last_check_at timestamptz,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  metric text default 'cpu' check (metric in ('cpu', 'memory', 'disk')),
  above_percent integer default 90 check (above_percent between 1 and 100),
  restart boolean not null default false,
  probe text default 'ping' check (probe in ('ping', 'tcp', 'http')),
  process_state text default 'stopped' check (process_state in ('stopped', 'running')),
  event_minutes integer default 15 check (event_minutes between 1 and 1440),
  event_count integer default 1 check (event_count between 1 and 1000),
  check_interval integer default 60 check (check_interval between 10 and 86400),
  repeat_count integer default 3 check (repeat_count between 1 and 100),
  auto_resolve boolean not null default true,
  procedure_id uuid,
  open_ticket boolean not null default false,
  offline_minutes integer default 10 check (offline_minutes between 1 and 43200),
  cooldown_minutes integer not null default 60 check (cooldown_minutes between 0 and 10080),
  health text not null default 'not_checked'
  check (health in ('failing', 'suppressed', 'healthy', 'unknown', 'not_checked')),
  notify_role text check (length(notify_role) between 1 and 60),
  ticket_category_id uuid,
  ticket_priority text check (ticket_priority in ('low', 'normal', 'high', 'urgent')),
  ticket_answers jsonb not null default '{}' check (jsonb_typeof(ticket_answers) = 'object'),
  ticket_assignee_id uuid constraint monitors_ticket_assignee_id_fkey references public.profiles (id) on delete set null,
  platforms text[] not null default '{}' check (platforms <@ array['windows', 'macos', 'linux']::text[]),
  set_by uuid references public.profiles (id) on delete set null,
  set_by_operator boolean not null default false,
  paused_for text,
  unique (company_id, id),
  -- Monitors that exist may lack their target; `not valid` asks it of the next write.
  constraint monitors_service_name_check02
  check (not (type = 'Service') or coalesce(length(btrim(service_name)), 0) > 0),
  constraint monitors_target_check02
  check (not (type = 'Network') or coalesce(length(btrim(target)), 0) > 0),
  constraint monitors_process_name_check02
  check (not (type = 'Process') or coalesce(length(btrim(process_name)), 0) > 0),
  constraint monitors_event_id_check02 check (not (type = 'Event ID') or event_id is not null),
  constraint monitors_log_name_check02
  check (not (type = 'Event ID') or coalesce(length(btrim(log_name)), 0) > 0),
  constraint monitors_metric_check02 check (not (type = 'Performance') or metric is not null),
  constraint monitors_above_percent_check02 check (not (type = 'Performance') or above_percent is not null),
  constraint monitors_probe_check02 check (not (type = 'Network') or probe is not null),
  constraint monitors_process_state_check02 check (not (type = 'Process') or process_state is not null),
  constraint monitors_event_minutes_check02 check (not (type = 'Event ID') or event_minutes is not null),
  constraint monitors_event_count_check02 check (not (type = 'Event ID') or event_count is not null),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete set null (procedure_id),
  constraint monitors_offline_minutes_check02 check (not (type = 'Offline') or offline_minutes is not null),
  constraint monitors_check_interval_check02 check (not (type <> 'Offline') or check_interval is not null),
  constraint monitors_repeat_count_check02 check (not (type <> 'Offline') or repeat_count is not null),
  constraint monitors_platforms_limit check (cardinality(platforms) <= 100)
);
comment on table public.monitors is
  'Checks the agents make. is_active is false while health is failing (what the dashboard counts); enabled is the on/off switch.';
comment on column public.monitors.health is
  'failing: a device fails or an alert is unresolved. suppressed: all devices that fail are in maintenance. healthy: a device succeeded and '
  'none fails. unknown: no device can make the check. not_checked: disabled, or no device has reported. Kept by app.rate_monitors().';
comment on column public.monitors.ticket_answers is 'What the tickets of its alerts answer to the form of their category.';
comment on column public.monitors.notify_role is 'The role whose people are told of alerts; null for everybody who may list alerts.';
comment on column public.monitors.platforms is 'The systems whose devices it checks; filled from what it looks at where nobody names any.';
comment on column public.monitors.set_by is 'Who last set what it checks and runs. Its right to run scripts is asked before a repair.';
comment on column public.monitors.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.monitors.paused_for is 'By name, whose right was missing when it was due; null while none is.';

create index monitors_company_name_idx on public.monitors (company_id, name_key, id);
create index monitors_name_idx on public.monitors (name_key, id);
create index monitors_company_active_idx on public.monitors (company_id, is_active);
create index monitors_company_created_idx on public.monitors (company_id, created_at, id);
create index monitors_created_idx on public.monitors (created_at, id);
create index monitors_company_type_idx on public.monitors (company_id, type);
create index monitors_company_severity_idx on public.monitors (company_id, severity);
create index monitors_company_procedure_id_idx on public.monitors (company_id, procedure_id);
create index monitors_offline_idx on public.monitors (id) where type = 'Offline';
create index monitors_company_health_idx on public.monitors (company_id, health);
create index monitors_health_idx on public.monitors (health, id);
create index monitors_ticket_category_idx on public.monitors (company_id, ticket_category_id);
create index monitors_ticket_assignee_idx on public.monitors (ticket_assignee_id);
create index monitors_set_by_idx on public.monitors (set_by);

create table public.alerts (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  monitor_id uuid not null,
  device_id uuid not null,
  status text not null default 'open' check (status in ('open', 'acknowledged', 'resolved', 'suppressed')),
  severity text not null default 'warning' check (severity in ('info', 'warning', 'critical')),
  message text not null default '' check (length(message) <= 2000),
  opened_at timestamptz not null default now(),
  resolved_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  search text generated always as (app.fold(message)) stored,
  suppressed_by text check (length(suppressed_by) <= 200),
  in_cooldown boolean not null default false,
  times integer not null default 1 check (times > 0),
  flapping text generated always as (case when times > 1 then 'Flapping, ' || times || ' times' end) stored,
  unique (company_id, id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  constraint alerts_resolved_at_check check ((status = 'resolved') = (resolved_at is not null)),
  constraint alerts_suppressed_check check ((status = 'suppressed') = (suppressed_by is not null))
);
comment on table public.alerts is 'What a monitor found on a device. At most one open or acknowledged alert a monitor and device.';
comment on column public.alerts.status is
  'suppressed: it was raised during a maintenance, which suppressed_by names. Such an alert is never open, and nobody changes its status.';
comment on column public.alerts.suppressed_by is 'The maintenance during which the monitor failed: nobody is told.';
comment on column public.alerts.in_cooldown is
  'The device''s last alert of this monitor was younger than the cooldown: nobody was told, no script was run and no ticket opened.';
comment on column public.alerts.times is 'How often the alert opened: a device that fails again within the cooldown opens the same one.';

create index alerts_company_opened_idx on public.alerts (company_id, status, opened_at desc, id desc);
create index alerts_monitor_idx on public.alerts (company_id, monitor_id, opened_at desc);
create index alerts_device_idx on public.alerts (company_id, device_id, opened_at desc);
-- For the list of all alerts, which sorts by time only; the other indexes begin with the status.
create index alerts_company_time_idx on public.alerts (company_id, opened_at, id);
create index alerts_time_idx on public.alerts (opened_at, id);
create index alerts_status_time_idx on public.alerts (status, opened_at, id);
create index alerts_company_resolved_idx on public.alerts (company_id, resolved_at, id);
create index alerts_resolved_idx on public.alerts (resolved_at, id);
create index alerts_cooldown_idx on public.alerts (company_id, monitor_id, device_id, opened_at);
create index alerts_in_cooldown_idx on public.alerts (opened_at) where in_cooldown and status = 'open';
create unique index alerts_unresolved_idx on public.alerts (company_id, monitor_id, device_id) where status in ('open', 'acknowledged');

create table public.monitor_states (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  monitor_id uuid,
  device_id uuid,
  state text check (state in ('ok', 'failing', 'unknown')),
  message text check (length(message) <= 500),
  changed_at timestamptz,
  search text generated always as (app.fold(coalesce(message, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  suppressed boolean not null default false,
  reopen_at timestamptz,
  unique (company_id, id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.monitor_states is 'What a device found last when it checked a monitor. At most one row a monitor and device.';
comment on column public.monitor_states.state is 'unknown: the device cannot make the check, such as of a service that it does not have.';
comment on column public.monitor_states.suppressed is 'It began to fail during a maintenance; app.raise_suppressed() opens an alert at its end.';
comment on column public.monitor_states.reopen_at is
  'A person resolved the alert while the device failed: app.reopen_alerts() opens another one then, if it still does.';

create index monitor_states_company_changed_at_idx on public.monitor_states (company_id, changed_at, id);
create index monitor_states_changed_at_idx on public.monitor_states (changed_at, id);
create index monitor_states_company_monitor_id_idx on public.monitor_states (company_id, monitor_id);
create index monitor_states_company_device_id_idx on public.monitor_states (company_id, device_id);
create index monitor_states_company_state_idx on public.monitor_states (company_id, state);
create unique index monitor_states_monitor_id_device_id_key on public.monitor_states (company_id, monitor_id, device_id);
create index monitor_states_suppressed_idx on public.monitor_states (company_id, id) where suppressed;
create index monitor_states_health_idx on public.monitor_states (company_id, monitor_id, state, suppressed);
create index monitor_states_reopen_idx on public.monitor_states (reopen_at) where reopen_at is not null;

create table public.monitor_groups (
  company_id uuid not null references public.companies (id),
  monitor_id uuid not null,
  group_id uuid not null,
  primary key (company_id, monitor_id, group_id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.monitor_groups is 'Which groups belong to which monitors.';

create index monitor_groups_group_id_idx on public.monitor_groups (company_id, group_id);

create table app.alert_tickets (
  company_id uuid not null,
  monitor_id uuid not null,
  device_id uuid not null,
  ticket_id uuid not null,
  touched_at timestamptz,
  is_closed boolean not null default false,
  primary key (company_id, monitor_id, device_id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table app.alert_tickets is 'The last ticket that the alerts of a monitor opened for a device.';
comment on column app.alert_tickets.touched_at is 'When a person first changed the ticket: it then no longer closes with its alert.';
comment on column app.alert_tickets.is_closed is 'The ticket closed with its alert, and opens with it again.';

create index alert_tickets_device_idx on app.alert_tickets (company_id, device_id);
create index alert_tickets_ticket_idx on app.alert_tickets (company_id, ticket_id);

create table app.monitor_stamps (
  company_id uuid primary key references public.companies (id) on delete cascade,
  stamp bigint not null default 1
);
comment on table app.monitor_stamps is
  'A number for each company that rises with every change of its monitors or of their groups. Written by triggers.';

create table app.monitor_lists (
  company_id uuid not null references public.companies (id) on delete cascade,
  hash text not null,
  noted_at timestamptz not null default '-infinity',
  primary key (company_id, hash)
);
comment on table app.monitor_lists is
  'The different lists of monitors that devices of a company have, by hash, and when monitors.last_check_at was last written for each. '
  'Rows that no device uses any more are removed by app.forget_monitor_lists().';

create table app.monitor_sweeps (
  company_id uuid not null,
  monitor_id uuid not null,
  after_device uuid,
  primary key (company_id, monitor_id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade
);
comment on table app.monitor_sweeps is
  'Monitors whose devices became fewer: app.sweep_monitor_states() deletes the states of those that are not theirs any more, in the order of devices.';
