-- Ticket page.

create table public.ticket_jobs (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  job_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, ticket_id, job_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade,
  foreign key (company_id, job_id) references public.jobs (company_id, id) on delete cascade
);
comment on table public.ticket_jobs is 'The jobs that were started from a ticket. public.run_on_ticket() writes them with the job.';

create index ticket_jobs_job_idx on public.ticket_jobs (company_id, job_id);

create function public.comment_files(resource text, record_id uuid) returns setof public.files
  language plpgsql stable set search_path = '' rows 20 as $$
declare
  settings constant jsonb := app.comment_settings(comment_files.resource);
begin
  if settings is null then
    return;
  end if;
  -- As the caller: a comment that they may not read brings no file.
  return query execute format('select f.* from public.%1$I c join public.files f on f.resource = %1$L and f.record_id = c.id '
    || 'where c.%2$I = $1 and f.field is null and f.uploaded_at is not null order by f.created_at, f.id limit 2000',
    settings ->> 'comments', settings ->> 'record') using comment_files.record_id;
end $$;
comment on function public.comment_files(text, uuid) is
  'The files of the comments of one record, those that the caller may read, the oldest first. Runs as the caller.';
grant execute on function public.comment_files(text, uuid) to authenticated;

-- Security definer: nobody may send on a topic.
create function app.tell_comment_files() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  told record;
begin
  for source in select c.* from app.commented c where c.comments in (select n.resource from new_rows n) loop
    for told in execute format('select distinct c.id, c.%1$I as record_id, c.kind from new_rows n join public.%2$I c on c.id = n.record_id '
      || 'where n.resource = %2$L and n.record_id is not null', source.settings ->> 'record', source.comments)
    loop
      perform app.send_live('record:' || (source.settings ->> 'resource') || ':' || told.record_id
          || case when source.settings #> array['kinds', told.kind] ? 'object' then ':' || told.kind else '' end,
        jsonb_build_object('table', source.comments, 'op', 'update', 'ids', jsonb_build_array(told.id)));
    end loop;
  end loop;
  return null;
end $$;
comment on function app.tell_comment_files() is
  'Statement trigger of public.files: those who read a comment hear that files were attached to it. Definer, because nobody may send on a topic.';

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
  insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
  select n.company_id, actor, (select p.email from public.profiles p where p.id = actor), 'tickets', n.ticket_id,
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
    'requester', (select jsonb_build_object('id', p.id, 'name', coalesce(nullif(p.name, ''), p.email), 'email', p.email)
      from public.profiles p where p.id = t.requester_id),
    'tickets', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select x.id, x.number, x.subject, x.status, x.created_at from public.tickets x
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
      select j.id, j.name, j.outcome, j.total, j.succeeded, j.failed, l.created_at from public.ticket_jobs l
        join public.jobs j on j.company_id = l.company_id and j.id = l.job_id
      where l.company_id = t.company_id and l.ticket_id = t.id
      order by l.created_at desc, j.id limit 20) o), '[]'));
end $$;
comment on function public.ticket_side(uuid) is
  'Everything beside the conversation of a ticket in one round trip: requester with other tickets and the devices of these, device with open '
  'alerts and last runs, and the jobs that were started from the ticket. Runs as the caller: row-level security leaves out the rest.';
grant execute on function public.ticket_side(uuid) to authenticated;

create trigger files_told after update on public.files
  referencing new table as new_rows for each statement execute function app.tell_comment_files();
create trigger ticket_jobs_permission before insert or update or delete on public.ticket_jobs
  for each statement execute function app.require_edit('tickets');
create trigger ticket_jobs_log_insert after insert on public.ticket_jobs
  referencing new table as changed_rows for each statement execute function app.log_ticket_jobs();
create trigger ticket_jobs_log_delete after delete on public.ticket_jobs
  referencing old table as changed_rows for each statement execute function app.log_ticket_jobs();

select app.keep_announced('public.ticket_jobs', 'company', 'company_id', 'ticket_id');

revoke all on public.ticket_jobs from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, job_id) on public.ticket_jobs to authenticated;
grant select, insert, update, delete on public.ticket_jobs to service_role;
alter table public.ticket_jobs enable row level security;
create policy ticket_jobs_select_member on public.ticket_jobs for select to authenticated
  using ((select app.can('tickets', 'list')) and (select app.can('jobs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets t where t.company_id = ticket_jobs.company_id and t.id = ticket_jobs.ticket_id));

-- A person links only what they started, to a ticket that they see; run_on_ticket() does it in one transaction.
create policy ticket_jobs_insert_member on public.ticket_jobs for insert to authenticated
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    and exists (select 1 from public.tickets t where t.company_id = ticket_jobs.company_id and t.id = ticket_jobs.ticket_id
      and (select app.edits_record('tickets', t.id)))
    and exists (select 1 from public.jobs j where j.company_id = ticket_jobs.company_id and j.id = ticket_jobs.job_id
      and j.created_by = (select app.current_user_id())));

create policy ticket_jobs_delete_member on public.ticket_jobs for delete to authenticated
  using ((select app.can('tickets', 'edit')) and (select app.can('jobs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_jobs_select_rules on public.ticket_jobs as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id));
create policy ticket_jobs_insert_rules on public.ticket_jobs as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[])))))));
create policy ticket_jobs_delete_rules on public.ticket_jobs as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_jobs.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[])))))));
