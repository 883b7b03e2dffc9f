-- Monitors of devices, the alerts they raise, and the notifications of each user.

create table public.monitors (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  type text not null check (type in ('Performance', 'Service', 'Network', 'Process', 'Event ID')),
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
  unique (company_id, id)
);
comment on table public.monitors is
  'Checks the agents make. is_active is false while the monitor has an unresolved alert (what the dashboard counts); enabled is the on/off switch.';

create index monitors_company_name_idx on public.monitors (company_id, name_key, id);
create index monitors_name_idx on public.monitors (name_key, id);
create index monitors_company_active_idx on public.monitors (company_id, is_active);
create index monitors_company_created_idx on public.monitors (company_id, created_at, id);
create index monitors_created_idx on public.monitors (created_at, id);

select app.keep_tenant('public.monitors', null, array['name', 'description', 'type', 'severity', 'settings', 'threshold',
  'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled']);
select app.keep_audit('public.monitors', 'id', array['is_active', 'last_check_at']);
select app.keep_announced('public.monitors');
select app.keep_search('public.monitors');

revoke all on public.monitors from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled),
  update (name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled)
  on public.monitors to authenticated;
grant select, insert, update, delete on public.monitors to service_role;
alter table public.monitors enable row level security;

create policy monitors_select_member on public.monitors for select to authenticated
  using ((select app.can('monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_insert_member on public.monitors for insert to authenticated
  with check ((select app.can('monitors', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_update_member on public.monitors for update to authenticated
  using ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitors_delete_member on public.monitors for delete to authenticated
  using ((select app.can('monitors', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.follow_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    update public.monitors m set is_active = true
    where (m.company_id, m.id) in (select o.company_id, o.monitor_id from old_rows o) and not m.is_active
      and not exists (select 1 from public.alerts a where a.company_id = m.company_id and a.monitor_id = m.id and a.status <> 'resolved');
  else
    update public.monitors m set is_active = not exists (
        select 1 from public.alerts a where a.company_id = m.company_id and a.monitor_id = m.id and a.status <> 'resolved')
    where (m.company_id, m.id) in (select n.company_id, n.monitor_id from new_rows n)
      and m.is_active = exists (
        select 1 from public.alerts a where a.company_id = m.company_id and a.monitor_id = m.id and a.status <> 'resolved');
  end if;
  return null;
end $$;
comment on function app.follow_alerts() is
  'Statement trigger on alerts: keeps monitors.is_active. Definer, because is_active is not a client''s to write.';

create function app.stamp_resolution() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.resolved_at := case when new.status = 'resolved' then coalesce(old.resolved_at, now()) end;
  return new;
end $$;
comment on function app.stamp_resolution() is 'Row trigger: the server''s clock says when an alert was resolved.';

create table public.alerts (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  monitor_id uuid not null,
  device_id uuid not null,
  status text not null default 'open' check (status in ('open', 'acknowledged', 'resolved')),
  severity text not null default 'warning' check (severity in ('info', 'warning', 'critical')),
  message text not null default '' check (length(message) <= 2000),
  opened_at timestamptz not null default now(),
  resolved_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  search text generated always as (app.fold(message)) stored,
  unique (company_id, id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  constraint alerts_resolved_at_check check ((status = 'resolved') = (resolved_at is not null))
);
comment on table public.alerts is 'What a monitor found on a device. At most one unresolved alert a monitor and device.';

create unique index alerts_unresolved_idx on public.alerts (company_id, monitor_id, device_id) where status <> 'resolved';
create index alerts_company_opened_idx on public.alerts (company_id, status, opened_at desc, id desc);
create index alerts_monitor_idx on public.alerts (company_id, monitor_id, opened_at desc);
create index alerts_device_idx on public.alerts (company_id, device_id, opened_at desc);
-- For the list of all alerts, which sorts by time only; the other indexes begin with the status.
create index alerts_company_time_idx on public.alerts (company_id, opened_at, id);
create index alerts_time_idx on public.alerts (opened_at, id);
create index alerts_status_time_idx on public.alerts (status, opened_at, id);
create index alerts_company_resolved_idx on public.alerts (company_id, resolved_at, id);
create index alerts_resolved_idx on public.alerts (resolved_at, id);

create trigger alerts_follow_insert after insert on public.alerts
  referencing new table as new_rows for each statement execute function app.follow_alerts();
create trigger alerts_follow_update after update on public.alerts
  referencing new table as new_rows for each statement execute function app.follow_alerts();
create trigger alerts_follow_delete after delete on public.alerts
  referencing old table as old_rows for each statement execute function app.follow_alerts();
create trigger alerts_resolution before update of status on public.alerts
  for each row when (old.status is distinct from new.status) execute function app.stamp_resolution();
select app.keep_tenant('public.alerts');
select app.keep_audit('public.alerts');
select app.keep_announced('public.alerts');
select app.keep_search('public.alerts');

revoke all on public.alerts from public, anon, authenticated;
-- Agents open alerts; people acknowledge, resolve and delete them.
grant select, delete, update (status) on public.alerts to authenticated;
grant select, insert, update, delete on public.alerts to service_role;
alter table public.alerts enable row level security;

create policy alerts_select_member on public.alerts for select to authenticated
  using ((select app.can('alerts', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy alerts_update_member on public.alerts for update to authenticated
  using ((select app.can('alerts', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('alerts', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy alerts_delete_member on public.alerts for delete to authenticated
  using ((select app.can('alerts', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.notifications (
  id uuid default gen_random_uuid() primary key,
  user_id uuid not null references public.profiles (id) on delete cascade,
  company_id uuid references public.companies (id),
  kind text not null check (length(kind) between 1 and 60),
  params jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
  link text check (link ~ '^/[^/\\]' or link = '/'),
  read_at timestamptz,
  -- Identifies notifications that must be sent only once.
  once_key text check (length(once_key) <= 200),
  created_at timestamptz not null default now(),
  unique (user_id, once_key)
);
comment on table public.notifications is
  'What a user is told. kind and params are words for the locales, never text; link is a path inside the console.';

create index notifications_user_created_idx on public.notifications (user_id, created_at desc, id desc);
create index notifications_unread_idx on public.notifications (user_id) where read_at is null;
create index notifications_company_idx on public.notifications (company_id);

select app.keep_announced('public.notifications', 'user', 'user_id');

revoke all on public.notifications from public, anon, authenticated;
grant select, update (read_at) on public.notifications to authenticated;
grant select, insert, update, delete on public.notifications to service_role;
-- Read marks are not company data: they can be written whatever the license.
alter table public.notifications enable row level security;

create policy notifications_select_self on public.notifications for select to authenticated
  using (user_id = (select app.current_user_id()));
create policy notifications_update_self on public.notifications for update to authenticated
  using (user_id = (select app.current_user_id()))
  with check (user_id = (select app.current_user_id()));
