-- Security definer: nobody may write the audit log.
create function app.log_ticket_jobs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.quiet() then
    return null;
  end if;
  -- The id alone: whoever may not list jobs reads no name of one. A job that is gone itself was not taken from the ticket.
  insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
  select n.company_id, actor, (select p.email from public.profiles p where p.id = actor),
    (select p.name from public.profiles p where p.id = actor), 'tickets', n.ticket_id,
    app.audit_name('tickets', to_jsonb(t)), 'edit', jsonb_build_object('jobs', case tg_op
      when 'INSERT' then jsonb_build_array('[]'::jsonb, jsonb_build_array(n.job_id))
      else jsonb_build_array(jsonb_build_array(n.job_id), '[]'::jsonb) end)
  from changed_rows n join public.tickets t on t.company_id = n.company_id and t.id = n.ticket_id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id;
  return null;
end $$;
comment on function app.log_ticket_jobs() is
  'Statement trigger of public.ticket_jobs: the activity of the ticket shows a job that is linked or taken away. Definer, because nobody may write the audit log.';

create function public.run_on_ticket(ticket_id uuid, call text, args jsonb default '{}') returns uuid
  language plpgsql volatile set search_path = '' set statement_timeout = '60s' as $$
declare
  devices constant uuid[] := array(select d::uuid from jsonb_array_elements_text(
    case jsonb_typeof(args -> 'device_ids') when 'array' then args -> 'device_ids' else '[]' end) as d);
  cap constant integer := (args ->> 'max_running')::integer;
  until constant timestamptz := (args ->> 'expires_at')::timestamptz;
  company uuid;
  job uuid;
begin
  perform app.require('tickets', 'edit');
  -- A ticket that the caller may not edit looks like one that does not exist.
  select t.company_id into company from public.tickets t where t.id = run_on_ticket.ticket_id for key share;
  if company is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if call is null or call not in ('run_procedure', 'run_command', 'run_task', 'run_on_target') then
    raise exception 'There is no such call.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  -- Each of these asks for its own permission.
  job := case call
    when 'run_procedure' then public.run_procedure((args ->> 'procedure_id')::uuid, devices, coalesce(args -> 'parameters', '{}'), until, cap)
    when 'run_command' then public.run_command(args ->> 'type', args ->> 'command', devices, args ->> 'name',
      coalesce((args ->> 'timeout_seconds')::integer, 300), until, cap)
    when 'run_task' then public.run_task(args ->> 'task', devices, args ->> 'name', cap)
    when 'run_on_target' then public.run_on_target(args -> 'target', args ->> 'call', coalesce(args -> 'args', '{}'))
  end;
  insert into public.ticket_jobs (company_id, ticket_id, job_id) values (company, run_on_ticket.ticket_id, job);
  return job;
end $$;
comment on function public.run_on_ticket(uuid, text, jsonb) is
  'Calls run_procedure, run_command, run_task or run_on_target with the arguments `args` and links the job to the ticket; returns the job. '
  'Runs as the caller, who needs the permission of the call and to edit the ticket; both succeed or neither.';
grant execute on function public.run_on_ticket(uuid, text, jsonb) to authenticated;

create function public.ticket_side(ticket_id uuid) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  max_rows constant integer := 5;
  unresolved constant text[] := array['new', 'open', 'waiting'];
  t public.tickets%rowtype;
begin
  select x.* into t from public.tickets x where x.id = ticket_side.ticket_id;
  if t.id is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return jsonb_build_object(
    'requester', (select jsonb_build_object('id', p.id, 'name', p.name,
        'email', (select x.email from public.profiles x where x.id = p.id))
      from public.people p where p.id = t.requester_id),
    'tickets', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select x.id, x.number, x.subject, x.status, x.created_at, s.name as status_name, s.color as status_color
      from public.tickets x
        left join public.ticket_statuses s on s.company_id = x.company_id and s.id = x.status_id
      where x.company_id = t.company_id and x.requester_id = t.requester_id and x.id <> t.id
      order by x.status = any (unresolved) desc, x.created_at desc, x.id limit max_rows) o), '[]'),
    'devices', coalesce((select jsonb_agg(o order by o.name, o.id) from (
      select d.id, d.name, d.status from public.devices d
      where d.company_id = t.company_id and d.id is distinct from t.device_id and d.id in (
        select x.device_id from public.tickets x where x.company_id = t.company_id and x.requester_id = t.requester_id and x.device_id is not null)
      order by d.name_key, d.id limit max_rows) o), '[]'),
    'device', (select jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status, 'platform', d.platform, 'os', d.os,
        'ip_address', d.ip_address, 'logged_in_user', d.logged_in_user, 'open_alerts', d.open_alerts,
        'last_seen', (select p.last_seen_at from public.device_presence p where p.company_id = d.company_id and p.device_id = d.id))
      from public.devices d where d.company_id = t.company_id and d.id = t.device_id),
    'alerts', coalesce((select jsonb_agg(o order by o.opened_at desc, o.id) from (
      select a.id, a.message, a.severity, a.opened_at from public.alerts a
      where a.company_id = t.company_id and a.device_id = t.device_id and a.status in ('open', 'acknowledged')
      order by a.opened_at desc, a.id limit max_rows) o), '[]'),
    'runs', coalesce((select jsonb_agg(o order by o.queued_at desc, o.id) from (
      select r.id, r.job_id, j.name, r.status, r.queued_at from public.job_runs r
        join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      where r.company_id = t.company_id and r.device_id = t.device_id
      order by r.queued_at desc, r.id limit max_rows) o), '[]'),
    'jobs', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select j.id, j.name, j.outcome, j.total, j.succeeded, j.failed, l.created_at,
        -- A job on one device says the same as its run does elsewhere on the page.
        (select r.status from public.job_runs r where r.company_id = j.company_id and r.job_id = j.id and j.total = 1) as run_status
      from public.ticket_jobs l
        join public.jobs j on j.company_id = l.company_id and j.id = l.job_id
      where l.company_id = t.company_id and l.ticket_id = t.id
      order by l.created_at desc, j.id limit 20) o), '[]'));
end $$;
comment on function public.ticket_side(uuid) is
  'Everything beside the conversation of a ticket in one round trip: requester with other tickets and the devices of these, device with open '
  'alerts and last runs, and the jobs that were started from the ticket. Runs as the caller: row-level security leaves out the rest.';
grant execute on function public.ticket_side(uuid) to authenticated;
