-- Policies: rules on groups of devices, applied in their order.

create table public.policies (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  kind text not null default 'patch' check (kind in ('patch', 'maintenance', 'agent', 'permission')),
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object' and length(settings::text) <= 20000),
  position integer not null default 0 check (position between 0 and 100000),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.policies is
  'Rules on groups of devices: patches, maintenance windows, the agent, what may be run. The lower position goes first.';
create index policies_company_position_idx on public.policies (company_id, position, id);
create index policies_position_idx on public.policies (position, id);
create index policies_company_name_idx on public.policies (company_id, name_key, id);
create index policies_name_idx on public.policies (name_key, id);
create index policies_company_created_idx on public.policies (company_id, created_at, id);
create index policies_created_idx on public.policies (created_at, id);
create index policies_author_idx on public.policies (created_by);
create trigger policies_author before insert on public.policies for each row execute function app.stamp_author();
select app.keep_tenant('public.policies');
select app.keep_audit('public.policies');
select app.keep_announced('public.policies');
select app.keep_search('public.policies');

create table public.policy_groups (
  company_id uuid not null references public.companies (id),
  policy_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, policy_id, group_id),
  foreign key (company_id, policy_id) references public.policies (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.policy_groups is 'Which groups a policy is for; without any it is for every device.';
create index policy_groups_group_idx on public.policy_groups (company_id, group_id);
create trigger policy_groups_permission before insert or update or delete on public.policy_groups
  for each statement execute function app.require_edit('policies');
select app.keep_audit('public.policy_groups', 'policy_id', array['policy_id', 'company_id', 'added_at']);
select app.keep_announced('public.policy_groups', 'company', 'company_id', 'policy_id');

-- Grants and policies ---------------------------------------------------------------------------------------------

revoke all on public.policies, public.policy_groups from public, anon, authenticated;
grant select, delete, insert (company_id, name, description, kind, settings, position, enabled),
  update (name, description, kind, settings, position, enabled) on public.policies to authenticated;
grant select, delete, insert (company_id, policy_id, group_id) on public.policy_groups to authenticated;
grant select, insert, update, delete on public.policies, public.policy_groups to service_role;

alter table public.policies enable row level security;
create policy policies_select_member on public.policies for select to authenticated
  using ((select app.can('policies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_insert_member on public.policies for insert to authenticated
  with check ((select app.can('policies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_update_member on public.policies for update to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_delete_member on public.policies for delete to authenticated
  using ((select app.can('policies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.policy_groups enable row level security;
create policy policy_groups_select_member on public.policy_groups for select to authenticated
  using ((select app.can('policy_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_insert_member on public.policy_groups for insert to authenticated
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_delete_member on public.policy_groups for delete to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
