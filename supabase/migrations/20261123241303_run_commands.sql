-- Custom commands -------------------------------------------------------------------------------------------------------
-- A single command on devices. It becomes a job like that of a procedure, with a script of its own and no parameters.

create function app.queue_job(asked public.jobs, secret jsonb, device_ids uuid[]) returns uuid
  language plpgsql set search_path = '' as $$
declare
  wanted uuid[];
begin
  select array_agg(distinct d) into wanted from unnest(device_ids) d where d is not null;
  if wanted is null then
    raise exception 'Choose at least one device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  if cardinality(wanted) > 1000 then
    raise exception 'A job runs on at most 1,000 devices.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if asked.expires_at <= now() or asked.expires_at > now() + interval '31 days' then
    raise exception 'A job must expire in the future, within 31 days.' using errcode = 'check_violation', hint = 'expiry_invalid';
  end if;
  if (select count(*) from public.devices d where d.company_id = asked.company_id and d.id = any (wanted))
    <> cardinality(wanted) then
    raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total)
  values (asked.company_id, asked.kind, asked.name, asked.procedure_id, asked.procedure_version_id, asked.script_type, asked.script,
    encode(sha256(convert_to(asked.script, 'UTF8')), 'hex'), asked.timeout_seconds, coalesce(asked.parameters, '{}'),
    (select p.id from public.profiles p where p.id = app.current_user_id()), asked.expires_at, cardinality(wanted))
  returning id into asked.id;
  if secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (asked.id, asked.company_id, secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id)
    select asked.company_id, asked.id, d, asked.procedure_id from unnest(wanted) d;
  return asked.id;
end $$;
comment on function app.queue_job(public.jobs, jsonb, uuid[]) is
  'Writes a job and its runs on devices of its company, and returns its id. Its callers have checked the permission and the company.';
revoke execute on function app.queue_job(public.jobs, jsonb, uuid[]) from public;

-- Security definer: nobody may insert jobs and runs; this function checks the permission, the company and every device.
create or replace function public.run_procedure(
  procedure_id uuid, device_ids uuid[], parameters jsonb default '{}', expires_at timestamptz default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.procedures%rowtype;
  bound record;
  job public.jobs%rowtype;
  -- A driver may hand an object over as its text.
  given jsonb := case jsonb_typeof(run_procedure.parameters)
    when 'string' then (run_procedure.parameters #>> '{}')::jsonb else coalesce(run_procedure.parameters, '{}') end;
begin
  perform app.require('procedures', 'run');
  -- A procedure of another company looks exactly like one that does not exist.
  select p.* into found from public.procedures p
    where p.id = run_procedure.procedure_id and p.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  select * into bound from app.bind_parameters(found.parameters, given);
  select v.id into job.procedure_version_id from public.procedure_versions v
    where v.company_id = found.company_id and v.procedure_id = found.id and v.number = found.revision;
  job.company_id := found.company_id;
  job.kind := 'procedure';
  job.name := found.name;
  job.procedure_id := found.id;
  job.script_type := found.type;
  job.script := found.script;
  job.timeout_seconds := found.timeout_seconds;
  job.parameters := bound.plain;
  job.expires_at := coalesce(run_procedure.expires_at, now() + interval '24 hours');
  return app.queue_job(job, bound.secret, device_ids);
end $$;

-- Security definer, as run_procedure.
create function public.run_command(
  type text, command text, device_ids uuid[], name text default null, timeout_seconds integer default 300,
  expires_at timestamptz default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  perform app.require('custom-commands', 'run');
  if run_command.type is null or run_command.type not in ('CMD', 'PowerShell', 'Python', 'Bash') then
    raise exception 'A command is of type CMD, PowerShell, Python or Bash.' using errcode = 'check_violation', hint = 'type_invalid';
  end if;
  if coalesce(btrim(command, E' \t\n\r'), '') = '' then
    raise exception 'Enter a command.' using errcode = 'check_violation', hint = 'command_empty';
  end if;
  if octet_length(command) > 20000 then
    raise exception 'A command has at most 20,000 bytes. Save a longer one as a script.'
      using errcode = 'check_violation', hint = 'command_too_long';
  end if;
  if coalesce(run_command.timeout_seconds, 0) not between 1 and 86400 then
    raise exception 'The timeout is between 1 second and 1 day.' using errcode = 'check_violation', hint = 'timeout_invalid';
  end if;
  -- A device of another company looks exactly like one that does not exist.
  select d.company_id into job.company_id from public.devices d
    where d.id = any (device_ids) and d.company_id = any (app.visible_company_ids()) order by d.id limit 1;
  if job.company_id is null and cardinality(array_remove(device_ids, null)) > 0 then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  job.kind := 'command';
  job.name := left(coalesce(nullif(btrim(run_command.name), ''), split_part(btrim(command, E' \t\n\r'), E'\n', 1)), 120);
  job.script_type := case run_command.type when 'CMD' then 'Batch' else run_command.type end;
  job.script := command;
  job.timeout_seconds := run_command.timeout_seconds;
  job.expires_at := coalesce(run_command.expires_at, now() + interval '24 hours');
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function public.run_command(text, text, uuid[], text, integer, timestamptz) is
  'Asks for a single command to be run on devices of one company; returns the job. `name` is what the job is called: the command''s '
  'first line unless given. A device that is offline runs it when it comes back, until expires_at (24 hours unless given).';
revoke execute on function public.run_command(text, text, uuid[], text, integer, timestamptz) from public, anon;
grant execute on function public.run_command(text, text, uuid[], text, integer, timestamptz) to authenticated;
