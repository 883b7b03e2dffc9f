-- Reasons of devices ---------------------------------------------------------------------------------------------------
-- A device that is not trusted must not write that a policy, a permission or a person ended its run.

create function app.device_reason(value jsonb) returns text
  language sql immutable parallel safe
return case when jsonb_typeof(value) = 'string' and value #>> '{}' in
  ('interrupted', 'hash_mismatch', 'no_interpreter', 'start_failed', 'already_installed') then value #>> '{}' end;
comment on function app.device_reason(jsonb) is
  'Why a run ended, of the reasons that an agent gives (agent/protocol.ts); null for any other text. The server alone gives the rest.';
revoke execute on function app.device_reason(jsonb) from public;

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create or replace function public.agent_report(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 8388608);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  sent jsonb := body -> 'results';
  accepted uuid[];
  -- How far the device's clock is behind that of the server; null for an agent that does not say.
  behind interval := now() - app.exact_instant(body ->> 'time');
  refused jsonb;
begin
  if jsonb_typeof(sent) is distinct from 'array' then
    raise exception 'results must be a list.' using errcode = 'PT400';
  end if;
  if jsonb_array_length(sent) > 64 then
    raise exception 'At most 64 results.' using errcode = 'PT413';
  end if;

  -- The log of a finished run refers to the device: its row comes first, as everywhere.
  perform 1 from public.devices d where d.company_id = company and d.id = device for key share;
  perform 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.id in (
      select app.lenient_uuid(e ->> 'run_id') from jsonb_array_elements(sent) e where jsonb_typeof(e) = 'object'
    )
    order by r.id for update;

  with listed as materialized (
    select app.short_text(e -> 'run_id', 64) as named, app.lenient_uuid(e ->> 'run_id') as id, e as result,
      e ->> 'state' as state, position
    from jsonb_array_elements(sent) with ordinality as l (e, position)
    where jsonb_typeof(e) = 'object'
  ), judged as materialized (
    select l.named, l.id, l.result, l.state, l.position,
      case
        when r.id is null then 'not_found'
        when coalesce(l.state, '') not in
          ('running', 'succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled', 'refused') then 'unknown_state'
        when r.attempt = 0 or app.whole_number(l.result -> 'attempt') is distinct from r.attempt then 'unknown_attempt'
        when r.reported_at is not null then 'result_exists'
        when l.state = 'running' and r.status not in ('claimed', 'running') then 'not_open'
      end as reason
    from listed l
      left join public.job_runs r on r.company_id = company and r.device_id = device and r.id = l.id
  ), taken as materialized (
    -- Twice in one report: what ended outranks what runs, and the first of its kind stands.
    -- The device's clock tells how long something took and how long ago it was; when it was, the server's clock says.
    select distinct on (j.id) j.id, j.state, j.result,
      least(now(), coalesce(app.exact_instant(j.result ->> 'finished_at') + behind, now())) as ended_at
    from judged j where j.reason is null order by j.id, (j.state = 'running'), j.position
  ), written as (
    update public.job_runs r
      set status = case
          when t.state in ('interrupted', 'refused') then 'failed'
          else t.state
        end,
        started_at = coalesce(r.started_at, case
          when t.state = 'running' then now()
          when t.state = 'refused' then null
          else greatest(r.claimed_at, t.ended_at - greatest(least(
            app.exact_instant(t.result ->> 'finished_at') - app.exact_instant(t.result ->> 'started_at'),
            interval '1 day'), interval '0'))
        end),
        finished_at = case when t.state <> 'running' then greatest(t.ended_at, r.started_at, r.claimed_at) end,
        reported_at = case when t.state <> 'running' then now() end,
        lease_until = case when t.state = 'running' then now() + interval '5 minutes' end,
        exit_code = case when t.state <> 'running' then app.exit_code(t.result -> 'exit_code') end,
        -- What a running script has printed so far gives way to its result.
        output = case when jsonb_typeof(t.result -> 'output') = 'string' then app.capped_output(t.result ->> 'output')
          when t.state = 'running' then r.output end,
        output_truncated = t.state <> 'running'
          and (coalesce(t.result -> 'truncated' = 'true', false)
            or coalesce(octet_length(t.result ->> 'output') > 1048576, false)),
        error = case
          when t.state = 'failed' then app.device_reason(t.result -> 'reason')
          when t.state in ('interrupted', 'refused') then coalesce(app.device_reason(t.result -> 'reason'), t.state)
          when t.state in ('timed_out', 'cancelled') then t.state
        end
      from taken t
      where r.company_id = company and r.device_id = device and r.id = t.id
      returning r.id
  )
  select (select coalesce(array_agg(w.id order by w.id), '{}') from written w),
    (select coalesce(jsonb_agg(jsonb_build_object('run_id', j.named, 'reason', j.reason) order by j.position), '[]')
      from judged j where j.reason is not null)
  into accepted, refused;
  return jsonb_build_object('accepted', to_jsonb(accepted), 'refused', refused);
end $$;
