-- A task says which secrets it was given, after their values are gone.

alter table public.jobs add column secret_names text[] not null default '{}';
comment on column public.jobs.secret_names is
  'Parameters of kind secret that were given a value, which only app.job_secrets has, until no run is open.';

-- Required ones were given. Nobody changed these rows: no new version, no audit entry.
alter table public.jobs disable trigger user;
update public.jobs j set secret_names = array(
  select p ->> 'name' from jsonb_array_elements(v.parameters) p
  where p ->> 'kind' = 'secret' and (p ->> 'required' = 'true' or exists (
    select 1 from app.job_secrets s where s.company_id = j.company_id and s.job_id = j.id and s.parameters ? (p ->> 'name')))
  order by 1)
from public.procedure_versions v
where v.company_id = j.company_id and v.id = j.procedure_version_id and v.parameters @> '[{"kind": "secret"}]';
alter table public.jobs enable trigger user;

create or replace function app.queue_job(asked public.jobs, secret jsonb, device_ids uuid[]) returns uuid
  language plpgsql set search_path = '' as $$
declare
  wanted uuid[];
begin
  select array_agg(distinct d) into wanted from unnest(device_ids) d where d is not null;
  if wanted is null then
    raise exception 'Choose at least one device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  if cardinality(wanted) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if asked.max_running not between 1 and 1000 then
    raise exception 'A job runs on 1 to 1,000 devices at once.' using errcode = 'check_violation', hint = 'max_running_invalid';
  end if;
  if asked.expires_at <= now() or asked.expires_at > now() + interval '31 days' then
    raise exception 'A job must expire in the future, within 31 days.' using errcode = 'check_violation', hint = 'expiry_invalid';
  end if;
  -- Joined: = any () would compare each device with each of thousands of entries.
  if (select count(*) from unnest(wanted) w (id) join public.devices d on d.company_id = asked.company_id and d.id = w.id)
    <> cardinality(wanted) then
    raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, secret_names, created_by, expires_at, total, max_running)
  values (asked.company_id, asked.kind, asked.name, asked.procedure_id, asked.procedure_version_id, asked.script_type, asked.script,
    encode(sha256(convert_to(asked.script, 'UTF8')), 'hex'), asked.timeout_seconds, coalesce(asked.parameters, '{}'),
    array(select k from jsonb_object_keys(secret) k order by k),
    (select p.id from public.profiles p where p.id = app.current_user_id()), asked.expires_at, cardinality(wanted),
    -- A cap that no run could ever meet costs nothing at the check-ins.
    case when asked.max_running < cardinality(wanted) then asked.max_running end)
  returning id, max_running into asked.id, asked.max_running;
  if secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (asked.id, asked.company_id, secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped)
    select asked.company_id, asked.id, d, asked.procedure_id, asked.max_running is not null from unnest(wanted) d;
  return asked.id;
end $$;
