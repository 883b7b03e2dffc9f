-- Automations: monitors and scripts bundled on devices and groups, and what sets them going.

create function app.stamp_author() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- The server's own work (seed, restore) may say who it was.
  if new.created_by is null or current_user in ('anon', 'authenticated') then
    new.created_by := (select p.id from public.profiles p where p.id = app.current_user_id());
  end if;
  return new;
end $$;
comment on function app.stamp_author() is 'Row trigger before insert: who made a record is the signed-in user, whatever was sent.';

create table public.automations (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  trigger text not null default 'manual' check (trigger in ('manual', 'schedule', 'new_device', 'alert')),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.automations is 'Bundles of monitors and scripts on devices and groups, with what sets them going.';
create index automations_company_name_idx on public.automations (company_id, name_key, id);
create index automations_name_idx on public.automations (name_key, id);
create index automations_company_created_idx on public.automations (company_id, created_at, id);
create index automations_created_idx on public.automations (created_at, id);
create index automations_author_idx on public.automations (created_by);
create trigger automations_author before insert on public.automations for each row execute function app.stamp_author();
select app.keep_tenant('public.automations');
select app.keep_audit('public.automations');
select app.keep_announced('public.automations');
select app.keep_search('public.automations');

create table public.automation_monitors (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  monitor_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, monitor_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade
);
comment on table public.automation_monitors is 'Which monitors an automation brings along.';
create index automation_monitors_monitor_idx on public.automation_monitors (company_id, monitor_id);

create table public.automation_procedures (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  procedure_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, procedure_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.automation_procedures is 'Which scripts an automation runs.';
create index automation_procedures_procedure_idx on public.automation_procedures (company_id, procedure_id);

create table public.automation_devices (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  device_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, device_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.automation_devices is 'Which devices an automation stands for, beside those of its groups.';
create index automation_devices_device_idx on public.automation_devices (company_id, device_id);

create table public.automation_groups (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, group_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.automation_groups is 'Which groups of devices an automation stands for.';
create index automation_groups_group_idx on public.automation_groups (company_id, group_id);

create trigger automation_monitors_permission before insert or update or delete on public.automation_monitors
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_monitors', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_monitors', 'company', 'company_id', 'automation_id');
create trigger automation_procedures_permission before insert or update or delete on public.automation_procedures
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_procedures', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_procedures', 'company', 'company_id', 'automation_id');
create trigger automation_devices_permission before insert or update or delete on public.automation_devices
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_devices', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_devices', 'company', 'company_id', 'automation_id');
create trigger automation_groups_permission before insert or update or delete on public.automation_groups
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_groups', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_groups', 'company', 'company_id', 'automation_id');

-- Grants and policies ---------------------------------------------------------------------------------------------

revoke all on public.automations, public.automation_monitors, public.automation_procedures, public.automation_devices, public.automation_groups from public, anon, authenticated;
grant select, delete, insert (company_id, name, description, trigger, enabled), update (name, description, trigger, enabled)
  on public.automations to authenticated;
grant select, delete, insert (company_id, automation_id, monitor_id) on public.automation_monitors to authenticated;
grant select, delete, insert (company_id, automation_id, procedure_id) on public.automation_procedures to authenticated;
grant select, delete, insert (company_id, automation_id, device_id) on public.automation_devices to authenticated;
grant select, delete, insert (company_id, automation_id, group_id) on public.automation_groups to authenticated;
grant select, insert, update, delete on public.automations, public.automation_monitors, public.automation_procedures, public.automation_devices, public.automation_groups
  to service_role;

alter table public.automations enable row level security;
create policy automations_select_member on public.automations for select to authenticated
  using ((select app.can('automations', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_insert_member on public.automations for insert to authenticated
  with check ((select app.can('automations', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_update_member on public.automations for update to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_delete_member on public.automations for delete to authenticated
  using ((select app.can('automations', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.automation_monitors enable row level security;
create policy automation_monitors_select_member on public.automation_monitors for select to authenticated
  using ((select app.can('automation_monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_insert_member on public.automation_monitors for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_delete_member on public.automation_monitors for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.automation_procedures enable row level security;
create policy automation_procedures_select_member on public.automation_procedures for select to authenticated
  using ((select app.can('automation_procedures', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_procedures_insert_member on public.automation_procedures for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_procedures_delete_member on public.automation_procedures for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.automation_devices enable row level security;
create policy automation_devices_select_member on public.automation_devices for select to authenticated
  using ((select app.can('automation_devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_insert_member on public.automation_devices for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_delete_member on public.automation_devices for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.automation_groups enable row level security;
create policy automation_groups_select_member on public.automation_groups for select to authenticated
  using ((select app.can('automation_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_insert_member on public.automation_groups for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_delete_member on public.automation_groups for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
