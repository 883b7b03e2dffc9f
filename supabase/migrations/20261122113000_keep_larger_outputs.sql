-- Up to 1 MB of a run's output is kept, its beginning and its end, and secrets too short to be masked are refused.

alter table public.job_runs
  drop constraint job_runs_output_check,
  add constraint job_runs_output_check check (octet_length(output) <= 1048576);
comment on column public.job_runs.output is
  'What the script printed, at most 1 MB: of a longer output its beginning and its end, with a line between that says what was cut.';

create or replace function app.capped_output(output text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  -- As in agent/run/output.ts.
  max_bytes constant integer := 1048576;
  note_bytes constant integer := 128;
  raw bytea;
  head integer := max_bytes / 2;
  tail integer;
  cut text;
  lines integer;
begin
  if output is null or octet_length(output) <= max_bytes then
    return output;
  end if;
  raw := convert_to(output, 'UTF8');
  tail := octet_length(raw) - (max_bytes - head - note_bytes);
  -- Never cut inside a character: its continuation bytes (10xxxxxx) stay with its first byte.
  while head > 0 and get_byte(raw, head) & 192 = 128 loop
    head := head - 1;
  end loop;
  while tail < octet_length(raw) and get_byte(raw, tail) & 192 = 128 loop
    tail := tail + 1;
  end loop;
  cut := convert_from(substring(raw from head + 1 for tail - head), 'UTF8');
  lines := length(cut) - length(replace(cut, E'\n', ''));
  return convert_from(substring(raw from 1 for head), 'UTF8')
    || case when get_byte(raw, head - 1) = 10 then '' else E'\n' end
    || format(E'… %s bytes (%s %s) cut here …\n', to_char(tail - head, 'FM999,999,999'), to_char(lines, 'FM999,999,999'),
      case lines when 1 then 'line' else 'lines' end)
    || convert_from(substring(raw from tail + 1), 'UTF8');
end $$;
comment on function app.capped_output(text) is
  'At most 1 MB of a text: of a longer one its beginning and its end, cut between characters, with a line between that says how much is missing.';

-- Security definer: as agent_check_in.
create or replace function public.agent_report(payload jsonb) returns jsonb
language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 8388608);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  sent jsonb := body -> 'results';
  accepted uuid[];
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
    select distinct on (j.id) j.id, j.state, j.result
    from judged j where j.reason is null order by j.id, (j.state = 'running'), j.position
  ), written as (
    update public.job_runs r
      set status = case
          when t.state in ('interrupted', 'refused') then 'failed'
          else t.state
        end,
        -- The device's clock only tells how long it took; when it was, the server's clock says.
        started_at = coalesce(r.started_at, case
          when t.state = 'running' then now()
          when t.state = 'refused' then null
          else greatest(r.claimed_at, now() - greatest(least(
            app.lenient_instant(t.result ->> 'finished_at') - app.lenient_instant(t.result ->> 'started_at'),
            interval '1 day'), interval '0'))
        end),
        finished_at = case when t.state <> 'running' then now() end,
        reported_at = case when t.state <> 'running' then now() end,
        lease_until = case when t.state = 'running' then now() + interval '5 minutes' end,
        exit_code = case when t.state <> 'running' then app.whole_number(t.result -> 'exit_code') end,
        output = case when t.state <> 'running' and jsonb_typeof(t.result -> 'output') = 'string'
          then app.capped_output(t.result ->> 'output') end,
        output_truncated = t.state <> 'running'
          and (coalesce(t.result -> 'truncated' = 'true', false)
            or coalesce(octet_length(t.result ->> 'output') > 1048576, false)),
        error = case
          when t.state = 'failed' then left(app.short_text(t.result -> 'reason', 60), 60)
          when t.state in ('interrupted', 'refused') then coalesce(app.short_text(t.result -> 'reason', 60), t.state)
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
create or replace function app.bind_parameters(definitions jsonb, given jsonb, out plain jsonb, out secret jsonb)
language plpgsql immutable set search_path = '' as $$
declare
  item jsonb;
  value jsonb;
  unknown text;
  label text;
begin
  plain := '{}';
  secret := '{}';
  if jsonb_typeof(given) is distinct from 'object' then
    raise exception 'The parameters must be an object of names and values.'
      using errcode = 'check_violation', hint = 'parameters_invalid';
  end if;
  select k into unknown from jsonb_object_keys(given) k
    where not exists (select 1 from jsonb_array_elements(definitions) d where d ->> 'name' = k) limit 1;
  if unknown is not null then
    raise exception 'The procedure has no parameter "%".', left(unknown, 60)
      using errcode = 'check_violation', hint = 'parameter_unknown';
  end if;
  for item in select * from jsonb_array_elements(definitions) loop
    label := coalesce(nullif(item ->> 'label', ''), item ->> 'name');
    value := given -> (item ->> 'name');
    if value is null or value in ('null', '""') then
      value := coalesce(item -> 'default', 'null');
    end if;
    if value in ('null', '""') then
      if coalesce((item ->> 'required')::boolean, false) then
        raise exception 'The parameter "%" is required.', label
          using errcode = 'check_violation', hint = 'parameter_required';
      end if;
      continue;
    end if;
    if jsonb_typeof(value) not in ('string', 'number', 'boolean') or length(value #>> '{}') > 4000
      or (item ->> 'kind' = 'number' and (value #>> '{}') !~ '^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$')
      or (item ->> 'kind' = 'boolean' and (value #>> '{}') not in ('true', 'false'))
      or (item ->> 'kind' = 'choice' and not (item -> 'choices') @> jsonb_build_array(value #>> '{}')) then
      raise exception 'The value of the parameter "%" does not fit.', label
        using errcode = 'check_violation', hint = 'parameter_invalid';
    end if;
    if item ->> 'kind' = 'secret' then
      -- Shorter values are parts of ordinary words: masking them would garble the output and give them away.
      if length(value #>> '{}') < 4 then
        raise exception 'The secret "%" must have at least 4 characters.', label
          using errcode = 'check_violation', hint = 'parameter_secret_short';
      end if;
      secret := secret || jsonb_build_object(item ->> 'name', value #>> '{}');
    else
      plain := plain || jsonb_build_object(item ->> 'name', value);
    end if;
  end loop;
end $$;
