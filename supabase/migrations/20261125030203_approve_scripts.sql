-- A second person approves scripts, and a job runs on so many devices at once: both where a device claims its runs.

alter table public.policies add column needs_approval boolean not null default false;
comment on column public.policies.needs_approval is
  'Of kind permission: its devices run a version of a script only after another person than its author approved it.';
grant insert (needs_approval), update (needs_approval) on public.policies to authenticated;

alter table public.procedure_versions add column approved_at timestamptz;
alter table public.procedure_versions add column approved_by uuid references public.profiles (id) on delete set null;
alter table public.procedure_versions add column approved_name text;
comment on column public.procedure_versions.approved_name is 'Who approved it, by name: kept when the account is gone, and read by those who may not read people.';
create index procedure_versions_approver_idx on public.procedure_versions (approved_by);

alter table public.procedures add column approved_revision integer;
comment on column public.procedures.approved_revision is 'Number of the newest version that somebody approved. Written by approve_procedure().';
alter table public.procedures add column is_approved boolean generated always as (coalesce(approved_revision = revision, false)) stored;
create index procedures_unapproved_idx on public.procedures (company_id, name_key, id) where not is_approved;

create function app.is_approved(job public.jobs) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from public.procedure_versions v
    where v.company_id = job.company_id and v.id = job.procedure_version_id and v.approved_at is not null)
$$;
comment on function app.is_approved(public.jobs) is 'Whether the version of a script that a job runs was approved.';
revoke execute on function app.is_approved(public.jobs) from public;

-- Security definer: nobody may write versions. It checks the permission, the company and that the approver is another person.
create function public.approve_procedure(version_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  found public.procedure_versions%rowtype;
  script public.procedures%rowtype;
begin
  perform app.require('procedures', 'approve');
  select v.* into found from public.procedure_versions v
    where v.id = version_id and v.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  select p.* into script from public.procedures p where p.company_id = found.company_id and p.id = found.procedure_id for no key update;
  if found.number <> script.revision then
    raise exception 'The script was changed meanwhile.' using errcode = 'check_violation', hint = 'version_replaced';
  end if;
  if found.created_by is not null and found.created_by = app.current_user_id() then
    raise exception 'A script is approved by another person than its author.' using errcode = '42501', hint = 'own_version';
  end if;
  update public.procedure_versions v
    set approved_at = now(), approved_by = p.id, approved_name = p.name
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = found.company_id and v.id = found.id and v.approved_at is null;
  update public.procedures p set approved_revision = found.number
    where p.company_id = found.company_id and p.id = found.procedure_id and p.approved_revision is distinct from found.number;
end $$;
comment on function public.approve_procedure(uuid) is
  'Approves the newest version of a script, which somebody else wrote. Devices under a policy with needs_approval run no other.';
revoke execute on function public.approve_procedure(uuid) from public, anon;
grant execute on function public.approve_procedure(uuid) to authenticated;

-- Security definer: nobody may insert jobs and runs; this function checks the permissions, the company and the device.
create function public.test_script(
  device_id uuid, type text, script text, timeout_seconds integer default 300, definitions jsonb default '[]',
  parameters jsonb default '{}', name text default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  bound record;
  job public.jobs%rowtype;
begin
  perform app.require('procedures', 'run');
  if not (app.can('procedures', 'create') or app.can('procedures', 'edit')) then
    perform app.require('procedures', 'create');
  end if;
  if test_script.type is null or test_script.type not in ('PowerShell', 'Batch', 'Python', 'Bash') then
    raise exception 'A script is of type PowerShell, Batch, Python or Bash.' using errcode = 'check_violation', hint = 'type_invalid';
  end if;
  if coalesce(octet_length(script), 0) not between 1 and 262144 then
    raise exception 'A script has 1 to 262,144 bytes.' using errcode = 'check_violation', hint = 'script_size';
  end if;
  if coalesce(test_script.timeout_seconds, 0) not between 1 and 86400 then
    raise exception 'The timeout is between 1 second and 1 day.' using errcode = 'check_violation', hint = 'timeout_invalid';
  end if;
  if not app.valid_parameters(definitions) then
    raise exception 'The parameters are not well formed.' using errcode = 'check_violation', hint = 'parameters_invalid';
  end if;
  job.company_id := app.device_company(array[test_script.device_id]);
  select * into bound from app.bind_parameters(definitions, coalesce(test_script.parameters, '{}'));
  job.kind := 'procedure';
  job.name := left(coalesce(nullif(btrim(test_script.name), ''), 'Test'), 120);
  job.script_type := test_script.type;
  job.script := script;
  job.timeout_seconds := test_script.timeout_seconds;
  job.parameters := bound.plain;
  -- Somebody looks at it now.
  job.expires_at := now() + interval '15 minutes';
  return app.queue_job(job, bound.secret, array[test_script.device_id]);
end $$;
comment on function public.test_script(uuid, text, text, integer, jsonb, jsonb, text) is
  'Runs a script that is not saved on one device, with values for the parameters that `definitions` has; returns the job. Nothing else is kept.';
revoke execute on function public.test_script(uuid, text, text, integer, jsonb, jsonb, text) from public, anon;
grant execute on function public.test_script(uuid, text, text, integer, jsonb, jsonb, text) to authenticated;

create function app.has_slot(company uuid, job uuid, max_running integer) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  busy integer;
begin
  for attempt in 1..2 loop
    -- A device that fell silent in the middle of its run does not keep the others waiting for good.
    select count(*) into busy from (
      select 1 from public.job_runs r
      where r.company_id = company and r.job_id = job and r.is_capped and r.status in ('claimed', 'running')
        and r.lease_until > now() - interval '10 minutes' limit max_running) x;
    if busy >= max_running then
      return false;
    end if;
    -- One device at a time: counted again under the lock, with what the last one claimed. Whoever finds it taken asks at its next check-in.
    if attempt = 1 and not pg_try_advisory_xact_lock(hashtextextended(job::text, 0)) then
      return false;
    end if;
  end loop;
  return true;
end $$;
comment on function app.has_slot(uuid, uuid, integer) is
  'Whether one more device may run a job that runs on max_running at once. Until its transaction ends, no other device gets a place.';
revoke execute on function app.has_slot(uuid, uuid, integer) from public;

create or replace function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.window_weekdays, p.window_from, p.window_to,
      p.timezone, p.reboot,
      p.reboot_weekdays, p.reboot_from, p.reboot_to, p.ring, p.promote_after_days, p.promote_success_percent, p.promote_min_devices, p.check_in_seconds,
      p.agent_updates, p.agent_update_days, p.denied, p.needs_approval, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;
