-- What each device's checks of its monitors found last. Written by agent_check_in() alone.
-- Written by `npm run resource new`; what changes later is a migration of its own.

create table public.monitor_states (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  monitor_id uuid,
  device_id uuid,
  state text check (state in ('ok', 'failing')),
  message text check (length(message) <= 500),
  changed_at timestamptz,
  search text generated always as (app.fold(coalesce(message, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.monitor_states is 'What a device found last when it checked a monitor. At most one row a monitor and device.';
create index monitor_states_company_changed_at_idx on public.monitor_states (company_id, changed_at, id);
create index monitor_states_changed_at_idx on public.monitor_states (changed_at, id);
create index monitor_states_company_monitor_id_idx on public.monitor_states (company_id, monitor_id);
create index monitor_states_company_device_id_idx on public.monitor_states (company_id, device_id);
create index monitor_states_company_state_idx on public.monitor_states (company_id, state);
create unique index monitor_states_monitor_id_device_id_key on public.monitor_states (company_id, monitor_id, device_id);

select app.keep_tenant('public.monitor_states');
select app.keep_announced('public.monitor_states');
select app.keep_search('public.monitor_states');

revoke all on public.monitor_states from public, anon, authenticated;
grant select on public.monitor_states to authenticated;
grant select, insert, update, delete on public.monitor_states to service_role;

alter table public.monitor_states enable row level security;
create policy monitor_states_select_member on public.monitor_states for select to authenticated
  using ((select app.can('monitor_states', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
