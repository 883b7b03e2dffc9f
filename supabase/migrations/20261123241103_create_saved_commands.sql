-- Saved commands of a company.
-- Written by `npm run resource new`; what changes later is a migration of its own.

create table public.saved_commands (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  type text not null default 'PowerShell' check (type in ('CMD', 'PowerShell', 'Python', 'Bash')),
  command text not null check (length(btrim(command)) between 1 and 20000),
  timeout_seconds integer not null default 300 check (timeout_seconds between 1 and 86400),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.saved_commands is 'Saved commands of a company.';
create index saved_commands_company_name_key_idx on public.saved_commands (company_id, name_key, id);
create index saved_commands_name_key_idx on public.saved_commands (name_key, id);
create index saved_commands_company_created_at_idx on public.saved_commands (company_id, created_at, id);
create index saved_commands_created_at_idx on public.saved_commands (created_at, id);
create index saved_commands_company_type_idx on public.saved_commands (company_id, type);
create unique index saved_commands_name_key on public.saved_commands (company_id, app.unique_key(name));

select app.keep_tenant('public.saved_commands');
select app.keep_audit('public.saved_commands');
select app.keep_announced('public.saved_commands');
select app.keep_search('public.saved_commands');

revoke all on public.saved_commands from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, type, command, timeout_seconds),
  update (name, type, command, timeout_seconds)
  on public.saved_commands to authenticated;
grant select, insert, update, delete on public.saved_commands to service_role;

alter table public.saved_commands enable row level security;
create policy saved_commands_select_member on public.saved_commands for select to authenticated
  using ((select app.can('saved_commands', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_insert_member on public.saved_commands for insert to authenticated
  with check ((select app.can('saved_commands', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_update_member on public.saved_commands for update to authenticated
  using ((select app.can('saved_commands', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('saved_commands', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy saved_commands_delete_member on public.saved_commands for delete to authenticated
  using ((select app.can('saved_commands', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
