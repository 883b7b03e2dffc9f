-- Monitors as their definition has them now.

alter table public.monitors add column metric text default 'cpu' check (metric in ('cpu', 'memory', 'disk'));
alter table public.monitors add column above_percent integer default 90 check (above_percent between 1 and 100);
alter table public.monitors add column restart boolean not null default false;
alter table public.monitors add column probe text default 'ping' check (probe in ('ping', 'tcp', 'http'));
alter table public.monitors add column process_state text default 'stopped' check (process_state in ('stopped', 'running'));
alter table public.monitors add column event_minutes integer default 15 check (event_minutes between 1 and 1440);
alter table public.monitors add column event_count integer default 1 check (event_count between 1 and 1000);
alter table public.monitors add column check_interval integer not null default 60 check (check_interval between 10 and 86400);
alter table public.monitors add column repeat_count integer not null default 3 check (repeat_count between 1 and 100);
alter table public.monitors add column auto_resolve boolean not null default true;
alter table public.monitors add column procedure_id uuid;
alter table public.monitors add constraint monitors_metric_check02 check (not (type = 'Performance') or metric is not null);
alter table public.monitors add constraint monitors_above_percent_check02 check (not (type = 'Performance') or above_percent is not null);
alter table public.monitors add constraint monitors_probe_check02 check (not (type = 'Network') or probe is not null);
alter table public.monitors add constraint monitors_process_state_check02 check (not (type = 'Process') or process_state is not null);
alter table public.monitors add constraint monitors_event_minutes_check02 check (not (type = 'Event ID') or event_minutes is not null);
alter table public.monitors add constraint monitors_event_count_check02 check (not (type = 'Event ID') or event_count is not null);
alter table public.monitors add foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete set null (procedure_id);
create index monitors_company_type_idx on public.monitors (company_id, type);
create index monitors_company_severity_idx on public.monitors (company_id, severity);
create index monitors_company_procedure_id_idx on public.monitors (company_id, procedure_id);
grant insert (metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count,
  auto_resolve, procedure_id), update (metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count,
  auto_resolve, procedure_id) on public.monitors to authenticated;
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
create trigger monitor_groups_permission before insert or update or delete on public.monitor_groups
  for each statement execute function app.require_edit('monitors');
select app.keep_audit('public.monitor_groups', 'monitor_id', array['monitor_id', 'company_id']);
select app.keep_announced('public.monitor_groups', 'company', 'company_id', 'monitor_id');
revoke all on public.monitor_groups from public, anon, authenticated;
grant select, delete, insert (company_id, monitor_id, group_id) on public.monitor_groups to authenticated;
grant select, insert, update, delete on public.monitor_groups to service_role;
alter table public.monitor_groups enable row level security;
create policy monitor_groups_select_member on public.monitor_groups for select to authenticated
  using ((select app.can('monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitor_groups_insert_member on public.monitor_groups for insert to authenticated
  with check ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy monitor_groups_delete_member on public.monitor_groups for delete to authenticated
  using ((select app.can('monitors', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
