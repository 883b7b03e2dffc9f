-- Scripts: versions, their approval, saved commands.

create function app.valid_parameters(definitions jsonb) returns boolean
  language plpgsql immutable parallel safe set search_path = '' as $$
declare
  item jsonb;
  seen text[] := '{}';
  param_name text;
begin
  if jsonb_typeof(definitions) is distinct from 'array' or jsonb_array_length(definitions) > 50 then
    return false;
  end if;
  for item in select * from jsonb_array_elements(definitions) loop
    if jsonb_typeof(item) is distinct from 'object' then
      return false;
    end if;
    param_name := item ->> 'name';
    -- The name becomes the environment variable PARAM_<NAME>, which Windows compares without case.
    if param_name is null or param_name !~ '^[A-Za-z_][A-Za-z0-9_]{0,39}$' or upper(param_name) = any (seen) then
      return false;
    end if;
    seen := seen || upper(param_name);
    if coalesce(item ->> 'kind', '') not in ('text', 'number', 'boolean', 'choice', 'secret') then
      return false;
    end if;
    if item ? 'label' and (jsonb_typeof(item -> 'label') not in ('string', 'null') or length(item ->> 'label') > 120) then
      return false;
    end if;
    if item ? 'required' and jsonb_typeof(item -> 'required') not in ('boolean', 'null') then
      return false;
    end if;
    -- A default of a secret would lie readable in the procedure and in each of its versions.
    if item ->> 'kind' = 'secret' and coalesce(item ->> 'default', '') <> '' then
      return false;
    end if;
    if item ->> 'kind' = 'choice' then
      if jsonb_typeof(item -> 'choices') is distinct from 'array'
        or jsonb_array_length(item -> 'choices') not between 1 and 100
        or exists (
          select 1 from jsonb_array_elements(item -> 'choices') c
          where jsonb_typeof(c) <> 'string' or length(c #>> '{}') not between 1 and 200
        ) then
        return false;
      end if;
    end if;
  end loop;
  return true;
end $$;
comment on function app.valid_parameters(jsonb) is
  'Whether a list of parameter definitions is well formed: [{name, kind, label?, required?, default?, choices?}].';
grant execute on function app.valid_parameters(jsonb) to authenticated, service_role;

create table public.procedures (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  type text not null default 'Python' check (type in ('PowerShell', 'Batch', 'Python', 'Bash')),
  category text check (length(category) <= 60),
  script text not null check (octet_length(script) between 1 and 262144),
  parameters jsonb not null default '[]' check (app.valid_parameters(parameters)),
  timeout_seconds integer not null default 300 check (timeout_seconds between 1 and 86400),
  revision integer not null default 1,
  search text generated always as (
    app.fold(coalesce(name, '') || ' ' || coalesce(description, '') || ' ' || coalesce(category, ''))
  ) stored,
  name_key text generated always as (app.sort_key(name)) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  approved_revision integer,
  is_approved boolean generated always as (coalesce(approved_revision = revision, false)) stored,
  approved_at timestamptz,
  approved_name text,
  declined_at timestamptz,
  declined_name text,
  decline_reason text,
  waiting_since timestamptz,
  platforms text[] not null default '{}' check (platforms <@ array['windows', 'macos', 'linux']::text[]),
  unique (company_id, id),
  constraint procedures_platforms_limit check (cardinality(platforms) <= 100)
);
comment on table public.procedures is 'Scripts a company runs on its devices (users read "Script").';
comment on column public.procedures.revision is 'Number of the newest row in procedure_versions; kept by trigger.';
comment on column public.procedures.approved_revision is 'Number of the newest version that somebody approved. Written by approve_procedure().';
comment on column public.procedures.approved_at is
  'When the newest version was approved. As approved_name, declined_at, declined_name and decline_reason a copy of its row in '
  'procedure_versions, for lists and records; null after an edit.';
comment on column public.procedures.waiting_since is
  'Since when runs have been waiting for the approval of the newest version; null while none is. Kept by app.begin_waiting() and app.settle_waiting().';
comment on column public.procedures.platforms is 'The systems on which it runs; filled from the type where nobody names any.';

create index procedures_by_name on public.procedures (company_id, name_key, id);
create index procedures_by_name_everywhere on public.procedures (name_key, id);
create index procedures_by_type on public.procedures (company_id, type, category);
create index procedures_by_author on public.procedures (created_by);
create index procedures_search on public.procedures using gin (search extensions.gin_trgm_ops);
create index procedures_company_updated_idx on public.procedures (company_id, updated_at, id);
create index procedures_updated_idx on public.procedures (updated_at, id);
create index procedures_unapproved_idx on public.procedures (company_id, name_key, id) where not is_approved;
create index procedures_waiting_idx on public.procedures (company_id, name_key, id) where waiting_since is not null;
create index procedures_waiting_everywhere_idx on public.procedures (name_key, id) where waiting_since is not null;

create table public.procedure_versions (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  procedure_id uuid not null,
  number integer not null,
  type text not null,
  script text not null,
  parameters jsonb not null,
  timeout_seconds integer not null,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  approved_at timestamptz,
  approved_by uuid references public.profiles (id) on delete set null,
  approved_name text,
  declined_at timestamptz,
  declined_by uuid references public.profiles (id) on delete set null,
  declined_name text,
  decline_reason text check (length(btrim(decline_reason)) between 1 and 500),
  platforms text[] not null,
  unique (company_id, id),
  unique (company_id, procedure_id, number),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.procedure_versions is
  'What a procedure''s script, type, parameters and timeout were at each revision. Written by trigger, never changed.';
comment on column public.procedure_versions.approved_name is 'Who approved it, by name: kept when the account is gone, and read by those who may not read people.';
comment on column public.procedure_versions.declined_at is 'When somebody declined it: its runs fail where a policy asks for approval. Null again once it was approved.';
comment on column public.procedure_versions.declined_name is 'Who declined it, by name, as approved_name.';
comment on column public.procedure_versions.platforms is 'The systems on which it runs.';

create index procedure_versions_by_author on public.procedure_versions (created_by);
create index procedure_versions_approver_idx on public.procedure_versions (approved_by);
create index procedure_versions_decliner_idx on public.procedure_versions (declined_by);

create table public.procedure_logs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  procedure_id uuid,
  procedure_name text not null,
  device_id uuid,
  device_name text not null,
  job_run_id uuid,
  executed_at timestamptz not null default now(),
  status text not null check (status in ('success', 'error')),
  output text,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, job_run_id),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id)
    on delete set null (procedure_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id)
);
comment on table public.procedure_logs is
  'Finished procedure runs, as Recent Activity reads them. Outlives the device, the procedure and the run.';
comment on column public.procedure_logs.output is 'The first 8,000 characters; job_runs has the whole output.';

create index procedure_logs_by_time on public.procedure_logs (company_id, executed_at desc, id);
create index procedure_logs_by_time_everywhere on public.procedure_logs (executed_at desc, id);
create index procedure_logs_by_procedure on public.procedure_logs (company_id, procedure_id, executed_at desc);
create index procedure_logs_by_device on public.procedure_logs (company_id, device_id, executed_at desc);

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
  platforms text[] not null default '{}'
    check (platforms <@ array['windows', 'macos', 'linux']::text[] and cardinality(platforms) <= 100),
  deleted_at timestamptz,
  deleted_by uuid,
  deleted_name text,
  unique (company_id, id)
);
comment on table public.saved_commands is 'Saved commands of a company.';
comment on column public.saved_commands.platforms is 'The systems on which it runs; filled from the type where nobody names any.';

create index saved_commands_company_name_key_idx on public.saved_commands (company_id, name_key, id);
create index saved_commands_name_key_idx on public.saved_commands (name_key, id);
create index saved_commands_company_created_at_idx on public.saved_commands (company_id, created_at, id);
create index saved_commands_created_at_idx on public.saved_commands (created_at, id);
create index saved_commands_company_type_idx on public.saved_commands (company_id, type);
create unique index saved_commands_name_key on public.saved_commands (company_id, app.unique_key(name)) where deleted_at is null;

create table public.procedure_stats (
  procedure_id uuid primary key,
  company_id uuid not null,
  runs integer not null default 0,
  succeeded integer not null default 0,
  success_percent numeric generated always as (case when runs > 0 then round(succeeded * 100.0 / runs) end) stored,
  last_run_at timestamptz,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
  ) with (fillfactor = 70
);
comment on table public.procedure_stats is
  'Per script: runs that succeeded, failed or ran into their time limit, and when the last one ended. Kept by trigger; runs that are deleted stay counted.';

create index procedure_stats_company_idx on public.procedure_stats (company_id, procedure_id);

create table public.procedure_favorites (
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  procedure_id uuid not null,
  company_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (procedure_id, user_id),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.procedure_favorites is 'The scripts that a person marked with a star. Everybody sees their own rows alone; mark_favorite() writes them.';

create index procedure_favorites_user_idx on public.procedure_favorites (user_id, procedure_id);
create index procedure_favorites_company_idx on public.procedure_favorites (company_id, procedure_id);

create table app.version_authors (
  version_id uuid primary key references public.procedure_versions (id) on delete cascade,
  author_id uuid not null
);
comment on table app.version_authors is 'Who wrote a version of a script, also after the account was deleted: its sponsor must not approve it then.';
