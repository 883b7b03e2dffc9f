-- Trash.

set check_function_bodies = off;

drop index public.saved_commands_name_key;

alter table public.inbound_mails drop constraint inbound_mails_reason_check;
alter table public.audit_log drop constraint audit_log_action_check;
alter table public.audit_log add constraint audit_log_action_check check (action in ('create', 'edit', 'delete', 'trash', 'restore'));
alter table public.saved_commands add column deleted_at timestamptz;
alter table public.saved_commands add column deleted_by uuid;
alter table public.saved_commands add column deleted_name text;

create unique index saved_commands_name_key on public.saved_commands (company_id, app.unique_key(name)) where deleted_at is null;

alter table public.tickets add column deleted_at timestamptz;
alter table public.tickets add column deleted_by uuid;
alter table public.tickets add column deleted_name text;
alter table public.inbound_mails add constraint inbound_mails_reason_check check (reason in ('unknown_sender', 'other_sender', 'too_many', 'own', 'auto_reply', 'bounce', 'bulk', 'no_address', 'deactivated',
    'no_access', 'ticket_closed', 'ticket_in_trash', 'broken', 'no_room'));
alter table public.articles add column deleted_at timestamptz;
alter table public.articles add column deleted_by uuid;
alter table public.articles add column deleted_name text;

create or replace function app.audit() returns trigger
  language plpgsql security definer set search_path = ''
  -- Forces a hash join of old and new records: the planner cannot estimate how many there are.
  set enable_nestloop = off
  -- A join of two single rows looks so expensive that PostgreSQL compiles it: 48 ms for each run that is queued.
  set jit = off as $$
declare
  key_column text := coalesce(tg_argv[0], 'id');
  ignored text[] := array['version', 'created_at', 'updated_at', 'search', 'name_key', 'deleted_at', 'deleted_by', 'deleted_name'] || coalesce(tg_argv[1:], '{}');
  actor uuid := app.acting_user_id();
  email text;
begin
  if app.quiet() then
    return null;
  end if;
  if actor is not null then
    select p.email into email from public.profiles p where p.id = actor;
  end if;
  if tg_op = 'INSERT' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'create',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(null, app.audit_value(f.key, f.value)))
         from jsonb_each(r.after) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(n) as after from new_rows n offset 0) r;
  elsif tg_op = 'DELETE' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.before), actor, email, tg_table_name, (r.before ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.before), 'delete',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, f.value), null))
         from jsonb_each(r.before) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(o) as before from old_rows o offset 0) r;
  else
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), r.action, coalesce(r.changes, '{}')
    from (
      -- The mark of the trash is an act of its own and no change of a field.
      select n.doc as after, case when (n.doc ->> 'deleted_at') is not distinct from (o.doc ->> 'deleted_at') then 'edit'
        when n.doc ->> 'deleted_at' is null then 'restore' else 'trash' end as action, (
        select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, o.doc -> f.key), app.audit_value(f.key, f.value)))
        from jsonb_each(n.doc) f
        where f.key <> all (ignored) and f.value is distinct from o.doc -> f.key
      ) as changes
      -- offset 0: each record becomes JSON once, not once a comparison.
      from (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from new_rows x offset 0) n
      join (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from old_rows x offset 0) o on o.key = n.key
      where o.doc - ignored <> n.doc - ignored or (n.doc ->> 'deleted_at') is distinct from (o.doc ->> 'deleted_at')
    ) r
    where r.changes is not null or r.action <> 'edit';
  end if;
  return null;
end $$;

-- Security definer: nobody may write jobs and runs.
create or replace function public.run_command(
  type text, command text, device_ids uuid[], name text default null, timeout_seconds integer default 300,
  expires_at timestamptz default null, max_running integer default null
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
  job.company_id := app.device_company(device_ids);
  job.kind := 'command';
  job.name := left(coalesce(nullif(btrim(run_command.name), ''), split_part(btrim(command, E' \t\n\r'), E'\n', 1)), 120);
  job.script_type := case run_command.type when 'CMD' then 'Batch' else run_command.type end;
  job.script := command;
  -- A saved command says where it runs; any other runs where its type does.
  job.platforms := coalesce((
    select array_agg(distinct x.platform order by x.platform) from public.saved_commands s cross join lateral unnest(s.platforms) x (platform)
    where s.company_id = job.company_id and s.deleted_at is null and s.type = run_command.type and s.command = run_command.command), app.script_platforms(run_command.type));
  job.timeout_seconds := run_command.timeout_seconds;
  job.expires_at := coalesce(run_command.expires_at, now() + interval '24 hours');
  job.max_running := run_command.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;

-- Security definer: a device's check-in may not write tickets.
create or replace function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
  category uuid;
  desk uuid[];
  assignee uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null,
      repair_name = null, alert_note = null, status = case when t.status in ('new', 'waiting') then t.status else 'open' end
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id and t.deleted_at is null
      -- A ticket that closed with its alert opens again when the failure comes back within a day: one flapping device is one ticket.
      and (t.status in ('new', 'open', 'waiting')
        or x.is_closed and t.status = 'closed' and (t.alert_id = new.id or t.resolved_at > now() - interval '1 day'));
  if found then
    update app.alert_tickets x set is_closed = false
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id and x.is_closed;
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  category := coalesce(monitor.ticket_category_id, (select c.id from public.ticket_categories c
    where c.company_id = new.company_id order by c.position, c.name_key, c.id limit 1));
  desk := app.desk_people(new.company_id);
  -- Whoever left the desk is assigned nothing more: the ticket goes to who has the fewest.
  assignee := case when monitor.ticket_assignee_id = any (desk) then monitor.ticket_assignee_id else (
    select p from unnest(desk) p order by (select count(*) from public.tickets t
      where t.assignee_id = p and t.company_id = new.company_id and t.deleted_at is null and t.status in ('new', 'open', 'waiting')), p limit 1) end;
  insert into public.tickets (company_id, subject, description, priority, device_id, category_id, assignee_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      coalesce(monitor.ticket_priority, case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end), new.device_id, category, assignee,
      new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id, touched_at = null, is_closed = false;
  return null;
end $$;

-- Security definer: whoever resolves an alert may not write tickets, nor may a device.
create or replace function app.note_resolution() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket record;
  follows boolean;
begin
  -- Within the cooldown nobody is told, and a ticket that opened and closed with each failure would tell everybody.
  if new.resolved_at is null and new.in_cooldown then
    return null;
  end if;
  select t.id, t.status, t.alert_resolved_at, x.touched_at, x.is_closed, x.ticket_id is not null as is_own into ticket
    from public.tickets t
    left join app.alert_tickets x on x.company_id = t.company_id and x.ticket_id = t.id
      and x.monitor_id = new.monitor_id and x.device_id = new.device_id
    where t.company_id = new.company_id and t.alert_id = new.id and t.deleted_at is null
    order by x.ticket_id is null limit 1 for no key update of t;
  if ticket.id is null then
    return null;
  end if;
  follows := ticket.is_own and case when new.resolved_at is null then ticket.is_closed and ticket.status = 'closed'
    else ticket.touched_at is null and ticket.status in ('new', 'open', 'waiting') end;
  if follows or (ticket.alert_resolved_at is null) <> (new.resolved_at is null) then
    update public.tickets t set alert_resolved_at = new.resolved_at,
        status = case when not follows then t.status when new.resolved_at is null then 'open' else 'closed' end,
        alert_note = case when new.resolved_at is null then null when follows then 'Closed with its alert: nobody had changed the ticket.'
          when t.status in ('new', 'open', 'waiting') then 'The alert is resolved. The ticket stays open because somebody has changed it.'
          else t.alert_note end
      where t.company_id = new.company_id and t.id = ticket.id;
  end if;
  if follows then
    update app.alert_tickets x set is_closed = new.resolved_at is not null
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id;
  end if;
  return null;
end $$;

create or replace function public.bulk_delete(resource text, ids uuid[])
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  there uuid[];
  done record;
begin
  perform app.check_batch(ids);
  -- A deletion that keeps the row returns nothing.
  done := app.write_batch(case when app.has_trash(own) then format('select app.trash_rows(%L::regclass, $1)', own)
    else format('with w as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(w.id) from w', own) end, ids, '{}');
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the row was not deleted');
end $$;
comment on function public.bulk_delete(text, uuid[]) is
  'Deletes up to 1,000 rows, or moves them to the trash of their table: deleted, gone (not there, or not to be seen) or refused, with the error of the row as the reason: '
  'one that others hold stays. Runs as the caller.';

-- Security definer: the counts leave row-level security out, and the scope is checked first.
create or replace function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- The answer is the same for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'unchecked', (select count(*) from public.monitors m where %1$s and m.health = 'unknown'),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'tickets', case when app.can('tickets', 'assign') and app.sees_rows('tickets', 'list') then (select jsonb_build_object(
        'warning', count(*) filter (where t.sla_state = 'warning'), 'breached', count(*) filter (where t.sla_state = 'breached'))
        from public.tickets t where %1$s and t.deleted_at is null and t.sla_state in ('warning', 'breached') and t.status in ('new', 'open', 'waiting')) end,
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where app.current_user_id() <> all (app.barred_approvers(app.authors_to_approve(v)))) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;

create or replace function public.replace_ticket_status(id uuid, by uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  gone public.ticket_statuses%rowtype;
  moved integer;
begin
  perform app.require('ticket_statuses', 'delete'), app.require('tickets', 'edit');
  if not app.sees_rows('tickets', 'edit') then
    raise exception using errcode = '42501', hint = 'rule', message = 'permission denied: edit on all tickets';
  end if;
  select s.* into gone from public.ticket_statuses s
    where s.id = replace_ticket_status.id and (app.sees_all() or s.company_id = app.own_company());
  if gone.id is null then
    raise exception 'The status was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  if by is null or by = gone.id or not exists (
      select 1 from public.ticket_statuses s where s.company_id = gone.company_id and s.id = by) then
    raise exception using errcode = '23514', hint = 'status_to_take', message = 'name another status of the company, which takes the tickets';
  end if;
  -- Asked before the tickets move: the last status of a kind stays, and so do they.
  if not exists (select 1 from public.ticket_statuses s where s.company_id = gone.company_id and s.kind = gone.kind and s.id <> gone.id) then
    raise exception using errcode = '23514', hint = 'status_last_of_kind', table = 'ticket_statuses', schema = 'public',
      message = format('every kind has a status: this is the last one of the kind %s', gone.kind);
  end if;
  -- With those in the trash, whatever their deleted_at: they come back with a status that there is.
  update public.tickets t set status_id = by where t.company_id = gone.company_id and t.status_id = gone.id;
  get diagnostics moved = row_count;
  delete from public.ticket_statuses s where s.company_id = gone.company_id and s.id = gone.id;
  return moved;
end $$;

create or replace function app.recount_sla(max_rows integer default 500) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  request app.sla_recounts%rowtype;
  policy public.sla_policies;
  clock app.calendar_clocks;
  -- Unpacked once for all tickets.
  opens double precision[];
  closes double precision[];
  before double precision[];
  known_category uuid;
  is_known boolean := false;
  calendar uuid;
  ids uuid[];
  locked uuid[];
  held uuid;
  ticket public.tickets;
  measured public.tickets;
  changed uuid[] := '{}';
  responses timestamptz[] := '{}';
  solutions timestamptz[] := '{}';
  pauses bigint[] := '{}';
  states text[] := '{}';
  nexts timestamptz[] := '{}';
  policies uuid[] := '{}';
begin
  select r.* into request from app.sla_recounts r order by r.requested_at, r.company_id limit 1 for update skip locked;
  if request.company_id is null then
    return 0;
  end if;
  ids := array(select t.id from public.tickets t where t.company_id = request.company_id and t.deleted_at is null and t.status in ('new', 'open', 'waiting')
    and (request.after_id is null or t.id > request.after_id) order by t.id limit max_rows);
  locked := array(select t.id from public.tickets t where t.company_id = request.company_id and t.id = any (ids) order by t.id for no key update skip locked);
  -- The order by category reads each policy and its clock once.
  for ticket in select t.* from public.tickets t where t.company_id = request.company_id and t.id = any (locked) order by t.category_id loop
    if not is_known or known_category is distinct from ticket.category_id then
      known_category := ticket.category_id;
      is_known := true;
      policy := app.sla_policy_of(ticket.company_id, ticket.category_id);
      if policy.id is not null then
        calendar := coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = ticket.company_id and c.is_default));
        if calendar is distinct from clock.calendar_id then
          clock := app.stored_clock(calendar);
          opens := clock.opens;
          closes := clock.closes;
          before := clock.before;
        end if;
      end if;
    end if;
    measured := app.measured_ticket(ticket, policy, opens, closes, before);
    if (measured.first_response_due_at, measured.solution_due_at, measured.paused_seconds, measured.sla_state, measured.sla_next_at, measured.sla_policy_id)
      is distinct from (ticket.first_response_due_at, ticket.solution_due_at, ticket.paused_seconds, ticket.sla_state, ticket.sla_next_at, ticket.sla_policy_id) then
      changed := changed || measured.id;
      responses := responses || measured.first_response_due_at;
      solutions := solutions || measured.solution_due_at;
      pauses := pauses || measured.paused_seconds;
      states := states || measured.sla_state;
      nexts := nexts || measured.sla_next_at;
      policies := policies || measured.sla_policy_id;
    end if;
  end loop;
  if cardinality(changed) > 0 then
    -- A single message tells of all of them, and no audit: nobody changed these tickets.
    perform set_config('app.quiet', 'on', true);
    update public.tickets t set first_response_due_at = m.response, solution_due_at = m.solution,
        paused_seconds = m.paused, sla_state = m.state, sla_next_at = m.next, sla_policy_id = m.policy
      from unnest(changed, responses, solutions, pauses, states, nexts, policies) as m (id, response, solution, paused, state, next, policy)
      where t.company_id = request.company_id and t.id = m.id;
    perform set_config('app.quiet', '', true);
    perform app.send_live('company:' || request.company_id, jsonb_build_object('table', 'tickets', 'op', 'update', 'ids', jsonb_build_array()));
  end if;
  -- The next call begins with the first ticket that somebody else holds.
  select i into held from unnest(ids) i where i <> all (locked) order by i limit 1;
  if held is null and cardinality(ids) < max_rows then
    delete from app.sla_recounts r where r.company_id = request.company_id and r.requested_at = request.requested_at;
  else
    update app.sla_recounts r set after_id = case when held is null then ids[cardinality(ids)]
        else coalesce((select i from unnest(ids) i where i < held order by i desc limit 1), r.after_id) end
      where r.company_id = request.company_id;
  end if;
  return cardinality(locked);
end $$;

create or replace function app.watch_sla() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets;
  measured public.tickets;
  done integer := 0;
begin
  for ticket in
    select t.* from public.tickets t where t.sla_next_at <= now() and t.deleted_at is null order by t.sla_next_at, t.id limit 500 for no key update skip locked
  loop
    measured := app.measure_ticket(ticket);
    update public.tickets t set sla_state = measured.sla_state, sla_next_at = measured.sla_next_at, solution_due_at = measured.solution_due_at,
        first_response_due_at = measured.first_response_due_at, paused_seconds = measured.paused_seconds
      where t.company_id = ticket.company_id and t.id = ticket.id;
    done := done + 1;
    if measured.sla_state in ('warning', 'breached') and measured.sla_state <> ticket.sla_state then
      perform app.tell_of_sla(measured);
    end if;
  end loop;
  return done;
end $$;

create or replace function app.close_resolved() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  closed integer;
begin
  with due as (
    select t.company_id, t.id from public.tickets t join public.desk_settings s on s.company_id = t.company_id
    where t.status = 'resolved' and t.deleted_at is null and s.close_after_days is not null and t.resolved_at < now() - make_interval(days => s.close_after_days)
    limit 500 for no key update of t skip locked
  )
  update public.tickets t set status = 'closed' from due where t.company_id = due.company_id and t.id = due.id;
  get diagnostics closed = row_count;
  return closed;
end $$;

-- Security definer: whoever opens a ticket may not read rules, groups and people.
create or replace function app.assign_by_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rule public.assignment_rules%rowtype;
  people uuid[];
  chosen uuid;
  turn uuid;
  wanted_priority text;
begin
  if tg_op = 'UPDATE' and (new.category_id, new.device_id) is not distinct from (old.category_id, old.device_id) then
    return new;
  end if;
  if new.status in ('resolved', 'closed') or not exists (select 1 from public.assignment_rules r where r.company_id = new.company_id and r.enabled) then
    return new;
  end if;
  wanted_priority := coalesce(new.priority, (select i.priority from public.ticket_issues i where i.company_id = new.company_id and i.id = new.issue_id), 'normal');
  -- The lock that numbers the tickets of the company: two tickets at once are assigned one after the other.
  insert into app.ticket_numbers (company_id, last) values (new.company_id, 0) on conflict (company_id) do nothing;
  perform 1 from app.ticket_numbers n where n.company_id = new.company_id for update;
  for rule in
    select r.* from public.assignment_rules r
    where r.company_id = new.company_id and r.enabled
      and (r.category_id is null or r.category_id = new.category_id)
      and (r.issue_id is null or r.issue_id = new.issue_id)
      and (r.priority is null or r.priority = wanted_priority)
      and (r.requester_id is null or r.requester_id = new.requester_id)
      and (r.group_id is null or exists (select 1 from public.group_devices g
        where g.company_id = new.company_id and g.group_id = r.group_id and g.device_id = new.device_id))
    order by r.position, r.id
  loop
    people := array(select p from unnest(app.desk_people(new.company_id)) p
      where (rule.assigns <> 'person' or p = rule.assignee_id)
        and (rule.role is null or rule.assigns = 'person' or exists (select 1 from public.user_roles u where u.user_id = p and u.role = rule.role))
      order by p);
    continue when people = '{}';
    if rule.assigns = 'in_turn' then
      turn := (select x.person_id from app.assignment_turns x where x.rule_id = rule.id);
      chosen := coalesce((select p from unnest(people) p where p > turn order by p limit 1), people[1]);
      insert into app.assignment_turns (rule_id, person_id) values (rule.id, chosen)
        on conflict (rule_id) do update set person_id = excluded.person_id;
    elsif rule.assigns = 'least_loaded' then
      select p into chosen from unnest(people) p order by (select count(*) from public.tickets t
        where t.assignee_id = p and t.company_id = new.company_id and t.deleted_at is null and t.status in ('new', 'open', 'waiting')), p limit 1;
    else
      chosen := people[1];
    end if;
    new.assignee_id := chosen;
    new.assignee_name := (select p.name from public.profiles p where p.id = chosen);
    new.assignment_note := left('Assigned by the rule ' || rule.name || '.', 200);
    return new;
  end loop;
  new.assignment_note := 'No assignment rule had somebody for this ticket.';
  return new;
end $$;

-- Security definer: counts tickets that the writer may not see.
create or replace function app.count_subtickets() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  parent uuid;
begin
  for parent in
    select distinct p from unnest(array[case when tg_op <> 'INSERT' then old.parent_id end, case when tg_op <> 'DELETE' then new.parent_id end]) p
    where p is not null order by p
  loop
    update public.tickets t set subticket_count = (select count(*) from public.tickets c where c.company_id = t.company_id and c.parent_id = t.id and c.deleted_at is null)
      where t.id = parent;
  end loop;
  return null;
end $$;

-- Security definer: comments, files and watchers of others move.
create or replace function public.merge_tickets(ids uuid[], target_id uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  target public.tickets%rowtype;
  wanted uuid[] := array(select distinct i from unnest(ids) i where i is not null order by 1);
  refused text;
  told uuid;
begin
  perform app.require_rows('tickets', 'assign', wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company());
  if target.id is null or wanted = '{}' or exists (
      select 1 from unnest(wanted) w where not exists (
        select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if cardinality(wanted) > 100 then
    raise exception using errcode = '22023', message = 'at most 100 tickets at a time';
  end if;
  perform app.lock_ticket_work(target.company_id);
  perform 1 from public.tickets t where t.id = any (wanted || target_id) order by t.id for update;
  select t.* into target from public.tickets t where t.id = target_id;
  refused := case
    when target_id = any (wanted) then 'merge_self'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.company_id <> target.company_id) then 'merge_company'
    when target.merged_into_id is not null then 'merge_into_merged'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.merged_into_id is not null) then 'merge_merged' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, message = case refused
      when 'merge_self' then 'a ticket is not merged into itself'
      when 'merge_company' then 'tickets of one company are merged'
      when 'merge_into_merged' then format('ticket #%s was merged itself', target.number)
      else 'one of these tickets was merged already' end,
      detail = jsonb_build_object('number', target.number::text)::text;
  end if;
  update public.ticket_comments c set ticket_id = target_id where c.company_id = target.company_id and c.ticket_id = any (wanted);
  update public.files f set record_id = target_id
    where f.company_id = target.company_id and f.resource = 'tickets' and f.record_id = any (wanted) and f.field is null;
  -- People who have left are not added again.
  insert into public.ticket_watchers (company_id, ticket_id, user_id)
    select target.company_id, target_id, p.id
    from (select w.user_id as id from public.ticket_watchers w where w.company_id = target.company_id and w.ticket_id = any (wanted)
      union select t.requester_id from public.tickets t where t.id = any (wanted)) p
    where p.id is distinct from target.requester_id and exists (select 1 from public.user_roles r
      where r.user_id = p.id and r.deactivated_at is null and (r.company_id = target.company_id or r.role = 'Super Admin'))
    on conflict do nothing;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id)
    select distinct target.company_id, target_id, l.kind, l.other_id from public.ticket_links l
    where l.company_id = target.company_id and l.ticket_id = any (wanted) and l.other_id <> target_id and l.other_id <> all (wanted)
    on conflict do nothing;
  delete from public.ticket_links l where l.company_id = target.company_id and l.ticket_id = any (wanted);
  perform app.move_ticket_work(target.company_id, wanted, target_id);
  update app.alert_tickets x set ticket_id = target_id where x.company_id = target.company_id and x.ticket_id = any (wanted);
  -- Subtickets are one level deep: those of a merged ticket go to the survivor, or to its parent.
  update public.tickets t set parent_id = null where t.id = any (wanted || target_id) and t.parent_id = any (wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id;
  update public.tickets t set parent_id = coalesce(target.parent_id, target_id)
    where t.company_id = target.company_id and t.parent_id = any (wanted);
  -- The older ones lead on to the ticket that is open.
  update public.tickets t set merged_into_id = target_id where t.company_id = target.company_id and t.merged_into_id = any (wanted);
  update public.tickets t set status = 'closed', merged_into_id = target_id, parent_id = null where t.id = any (wanted);
  foreach told in array wanted || target_id loop
    perform app.tell_thread(told);
  end loop;
  return cardinality(wanted);
end $$;

-- Security definer: the parent is written by this function alone.
create or replace function public.set_ticket_parent(ids uuid[], parent_id uuid default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  parent public.tickets%rowtype;
  company uuid;
  refused text;
  changed integer;
begin
  perform app.require_rows('tickets', 'assign', ids || set_ticket_parent.parent_id);
  if exists (select 1 from unnest(ids || set_ticket_parent.parent_id) w where w is not null and not exists (
      select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  for company in select distinct t.company_id from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id) order by 1 loop
    perform app.lock_ticket_work(company);
  end loop;
  perform 1 from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id) order by t.id for no key update;
  if set_ticket_parent.parent_id is not null then
    select t.* into parent from public.tickets t where t.id = set_ticket_parent.parent_id;
    refused := case
      when parent.id = any (ids) then 'parent_self'
      when exists (select 1 from public.tickets t where t.id = any (ids) and t.company_id <> parent.company_id) then 'merge_company'
      when parent.merged_into_id is not null then 'merge_into_merged'
      when parent.parent_id is not null then 'parent_of_parent'
      when exists (select 1 from public.tickets t where t.parent_id = any (ids)) then 'parent_has_subtickets' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, detail = jsonb_build_object('number', parent.number::text)::text,
        message = case refused when 'parent_self' then 'a ticket is not its own parent' when 'merge_company' then 'the parent is of another company'
          when 'merge_into_merged' then format('ticket #%s was merged', parent.number)
          else 'subtickets are one level deep' end;
    end if;
  end if;
  update public.tickets t set parent_id = set_ticket_parent.parent_id
    where t.id = any (ids) and t.parent_id is distinct from set_ticket_parent.parent_id and t.merged_into_id is null;
  get diagnostics changed = row_count;
  return changed;
end $$;

-- Security definer: the files of the comment move, whoever uploaded them.
create or replace function public.split_ticket(comment_id uuid, subject text) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  reply public.ticket_comments%rowtype;
  source public.tickets%rowtype;
  requester uuid;
  made uuid;
begin
  perform app.require('tickets', 'assign'), app.require('tickets', 'create');
  select c.* into reply from public.ticket_comments c
    where c.id = comment_id and (app.sees_all() or c.company_id = app.own_company()) and (c.kind <> 'note' or app.can('tickets-notes', 'list'));
  if reply.id is null then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  perform app.require_rows('tickets', 'assign', array[reply.ticket_id]);
  -- A note must not reach a requester as the text of their ticket.
  if reply.kind = 'note' then
    raise exception using errcode = '23514', hint = 'split_note', message = 'a note is not split off';
  end if;
  perform app.lock_ticket_work(reply.company_id);
  select t.* into source from public.tickets t where t.company_id = reply.company_id and t.id = reply.ticket_id and t.deleted_at is null for no key update;
  if source.id is null or exists (select 1 from public.ticket_comments c where c.id = comment_id and c.ticket_id <> source.id) then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  requester := (select r.user_id from public.user_roles r where r.company_id = reply.company_id and r.deactivated_at is null
    and r.user_id in (reply.author_id, source.requester_id) order by r.user_id is distinct from reply.author_id limit 1);
  insert into public.tickets (company_id, subject, description, category_id, issue_id, requester_id, device_id)
    values (reply.company_id, split_ticket.subject, regexp_replace(reply.body, '\[(@[^]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)', '\1', 'g'),
      source.category_id, source.issue_id, requester, source.device_id)
    returning id into made;
  update public.files f set resource = 'tickets', record_id = made
    where f.company_id = reply.company_id and f.resource = 'ticket_comments' and f.record_id = comment_id and f.field is null;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id) values (reply.company_id, made, 'split_from', source.id);
  perform app.tell_thread(source.id);
  return made;
end $$;

create function app.end_timers() returns trigger
  language plpgsql
  -- definer: the timers of others end too
  security definer set search_path = '' as $$
begin
  update public.time_entries e set ended_at = greatest(now(), e.started_at) where e.ticket_id = new.id and e.ended_at is null;
  return null;
end $$;
comment on function app.end_timers() is 'Row trigger: nobody''s timer runs on a ticket in the trash.';

-- Security definer: nobody writes approvals by hand, and whoever asks may not read roles.
create or replace function public.request_approval(ids uuid[], person_id uuid default null, approver_role text default null, question text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  refused text;
  asked integer := 0;
begin
  perform app.require_rows('tickets', 'assign', ids);
  for ticket in
    select t.* from public.tickets t where t.id = any (ids) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()) order by t.id for no key update
  loop
    refused := case
      when (request_approval.person_id is null) = (approver_role is null) then 'approval_whom'
      when ticket.status in ('resolved', 'closed') then 'approval_closed'
      when request_approval.person_id is not null and not exists (select 1 from public.user_roles r
        where r.user_id = request_approval.person_id and r.company_id = ticket.company_id and r.deactivated_at is null) then 'approval_person'
      when approver_role is not null and not (approver_role = any (app.roles_that_may('tickets', 'list'))
        and exists (select 1 from public.user_roles r
          where r.company_id = ticket.company_id and r.role = approver_role and r.deactivated_at is null)) then 'approval_role'
      when request_approval.person_id = ticket.requester_id
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = ticket.company_id), false) then 'approval_own'
      when ticket.merged_into_id is not null then 'approval_closed' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, message = 'the approval cannot be asked for: ' || refused;
    end if;
    perform app.add_approval(ticket, request_approval.person_id, approver_role, request_approval.question);
    update public.tickets t set status = 'waiting' where t.id = ticket.id and t.status in ('new', 'open');
    asked := asked + 1;
  end loop;
  if asked = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return asked;
end $$;

-- Security definer: whoever decides may not write the ticket.
create or replace function public.decide_approvals(ids uuid[], approved boolean, note text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  wanted uuid;
  approval public.ticket_approvals%rowtype;
  next_step public.ticket_approvals%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  decided integer := 0;
begin
  perform app.require('ticket_approvals', 'approve');
  for wanted in select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1 loop
    -- Two people of a role who decide at once: the second one finds it decided.
    select t.* into ticket from public.tickets t where t.id = wanted and t.deleted_at is null for no key update;
    continue when ticket.id is null or not app.tickets_covers(ticket, 'list');
    for approval in select a.* from public.ticket_approvals a where a.ticket_id = wanted and a.id = any (ids) order by a.step loop
      continue when not exists (select 1 from public.user_roles r where r.user_id = me and r.company_id = approval.company_id and r.deactivated_at is null
        and (approval.person_id = me or approval.person_id is null and r.role = approval.role) and app.ticket_approvals_covers(approval, 'approve'));
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      if ticket.requester_id = me and not coalesce(settings.approve_own, false) then
        raise exception using errcode = '42501', hint = 'approval_own', message = 'nobody approves their own request';
      end if;
      update public.ticket_approvals a set status = case when approved then 'approved' else 'denied' end, note = nullif(btrim(decide_approvals.note), ''),
          decided_at = now(), decided_by = me, decided_by_name = (select "left"(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = me)
        where a.id = approval.id returning * into approval;
      decided := decided + 1;
      if not approved then
        update public.ticket_approvals a set status = 'canceled' where a.ticket_id = wanted and a.status = 'queued';
        update public.tickets t set status = coalesce(settings.on_denied, 'open') where t.id = wanted and t.status in ('new', 'open', 'waiting');
        perform app.tell_approval(approval, 'approval_denied');
      else
        update public.ticket_approvals a set status = 'asked' where a.id = (select x.id from public.ticket_approvals x
            where x.ticket_id = wanted and x.status = 'queued' order by x.step limit 1) returning * into next_step;
        if next_step.id is not null then
          perform app.tell_approval(next_step, 'approval_asked');
        else
          update public.tickets t set status = 'open' where t.id = wanted and t.status = 'waiting';
          perform app.tell_approval(approval, 'approval_given');
        end if;
      end if;
    end loop;
  end loop;
  if decided = 0 then
    -- An approval of others and none at all get one answer.
    raise exception 'No approval of yours was found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return decided;
end $$;

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  comments jsonb;
begin
  select t.* into ticket from public.tickets t where t.company_id = mail.company_id and t.id = mail.ticket_id and t.deleted_at is null;
  if ticket.id is null then
    return null;
  end if;
  if mail.events @> array['refused'] then
    return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', '[]'::jsonb);
  end if;
  -- The right to read it may have been taken since.
  if mail.user_id is not null then
    if not exists (select 1 from public.user_roles r where r.user_id = mail.user_id and r.deactivated_at is null)
       or app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', mail.ticket_id) = '{}' then
      return null;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'author', c.author_name, 'body', c.body, 'files', (
      select coalesce(jsonb_agg(f.name order by f.created_at, f.id), '[]') from public.files f
      where f.company_id = c.company_id and f.resource = 'ticket_comments' and f.record_id = c.id and f.uploaded_at is not null))
    order by c.created_at, c.id), '[]') into comments
  from public.ticket_comments c
  where c.company_id = mail.company_id and c.ticket_id = mail.ticket_id and c.id = any (mail.comment_ids)
    and c.kind = 'reply';
  if mail.events = array['reply'] and comments = '[]' then
    return null;
  end if;
  return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', comments,
    'description', case when mail.events && array['assigned'] then "left"(ticket.description, 4000) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || ticket.id,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;

create or replace function app.judge_inbound(mail_id uuid, mail jsonb) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 20;
  sender constant text := lower(mail ->> 'from');
  arrived public.inbound_mails%rowtype;
  address public.mail_addresses%rowtype;
  answered app.ticket_mails%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  person uuid;
  company uuid;
  refused text;
begin
  select m.* into arrived from public.inbound_mails m where m.id = judge_inbound.mail_id;
  select a.* into address from public.mail_addresses a
    join jsonb_array_elements_text(mail -> 'to') with ordinality as r (address, place) on r.address = a.address order by r.place limit 1;
  select m.* into answered from app.ticket_mails m join app.reply_tokens t on t.mail_id = m.id
    where t.hash in (select encode(sha256(convert_to(x.token, 'UTF8')), 'hex') from jsonb_array_elements_text(mail -> 'tokens') as x (token))
    order by m.id desc limit 1;
  if answered.id is null then
    -- Only the recipient has seen the Message-ID, and it counts for their address alone.
    select m.* into answered from app.ticket_mails m
      where m.message_id in (select jsonb_array_elements_text(mail -> 'references')) and m.email = sender order by m.id desc limit 1;
  end if;
  company := coalesce(answered.company_id, address.company_id);
  if mail ->> 'machine' is not null then
    return jsonb_build_object('status', 'ignored', 'reason', mail ->> 'machine', 'company', company);
  end if;
  if exists (select 1 from app.ticket_mails m where m.message_id = mail ->> 'message_id') then
    return jsonb_build_object('status', 'ignored', 'reason', 'own', 'company', company);
  end if;
  if not arrived.is_approved and (select count(*) from public.inbound_mails m where m.from_address = sender
      and m.created_at > arrived.created_at - interval '1 minute' and m.created_at <= arrived.created_at and m.id <> arrived.id) >= max_mails_per_minute then
    return jsonb_build_object('status', 'held', 'reason', 'too_many', 'company', company);
  end if;
  select s.* into settings from public.desk_settings s where s.company_id = company;
  if answered.id is not null then
    select t.* into ticket from public.tickets t where t.company_id = answered.company_id and t.id = app.mail_ticket(answered.company_id, answered.ticket_id);
    -- The mail waits for the ticket: once it is restored, approving the mail files it.
    if ticket.deleted_at is not null then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_in_trash', 'company', company);
    end if;
    if answered.email <> sender then
      -- A forwarded mail holds the token of somebody else.
      if not arrived.is_approved then
        return jsonb_build_object('status', 'held', 'reason', 'other_sender', 'company', company);
      end if;
      return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id);
    end if;
    if answered.user_id is null then
      refused := case when lower(ticket.requester_email) is distinct from sender then 'no_access' end;
    elsif not exists (select 1 from public.user_roles r where r.user_id = answered.user_id and r.deactivated_at is null) then
      refused := 'deactivated';
    elsif app.people_who_see(array[answered.user_id], company, 'tickets', ticket.id) = '{}' or not app.person_may(answered.user_id, 'tickets', 'comment') then
      refused := 'no_access';
    end if;
    if refused is not null then
      return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
    end if;
    if ticket.status = 'closed' and not arrived.is_approved and not (coalesce(settings.reopen_on_reply, true)
        and coalesce(settings.reopen_days, 0) > 0 and ticket.resolved_at > now() - make_interval(days => settings.reopen_days)
        and ticket.requester_id is not distinct from answered.user_id) then
      return jsonb_build_object('status', 'held', 'reason', 'ticket_closed', 'company', company, 'ticket', ticket.id);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'ticket', ticket.id, 'person', answered.user_id);
  end if;
  if address.id is null then
    return jsonb_build_object('status', 'held', 'reason', 'no_address', 'company', null);
  end if;
  select p.id, case when r.deactivated_at is not null then 'deactivated' end into person, refused
  from public.profiles p join public.user_roles r on r.user_id = p.id
  where lower(p.email) = sender and r.company_id = company;
  if refused is not null then
    return jsonb_build_object('status', 'refused', 'reason', refused, 'company', company);
  end if;
  if person is not null and (arrived.is_approved or settings.trust_known_senders or (mail ->> 'is_authentic')::boolean) then
    if not app.person_may(person, 'tickets', 'create') then
      return jsonb_build_object('status', 'refused', 'reason', 'no_access', 'company', company);
    end if;
    return jsonb_build_object('status', 'filed', 'company', company, 'person', person, 'category', address.category_id);
  end if;
  -- The From line alone is no proof of an account, so this sender is a stranger.
  if arrived.is_approved or settings.unknown_senders = 'open' then
    return jsonb_build_object('status', 'filed', 'company', company, 'category', address.category_id);
  end if;
  return jsonb_build_object('status', case settings.unknown_senders when 'refuse' then 'refused' else 'held' end,
    'reason', 'unknown_sender', 'company', company);
end $$;

-- Security definer: votes are written by this function alone. It asks what row-level security would.
create or replace function public.vote_articles(ids uuid[], helpful boolean) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  voter constant uuid := app.current_user_id();
  reached uuid[];
  changed integer;
begin
  perform app.require('articles', 'vote_helpful');
  reached := array(select a.id from public.articles a
    where a.id = any (ids) and a.deleted_at is null and (app.sees_all() or a.company_id = app.own_company())
      and app.can('articles', 'list') and app.articles_covers(a, 'list') and app.articles_covers(a, 'vote_helpful')
    order by a.id);
  if cardinality(reached) = 0 then
    raise exception 'The article was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  if vote_articles.helpful is null then
    delete from public.article_votes v where v.article_id = any (reached) and v.user_id = voter;
  else
    insert into public.article_votes as v (company_id, article_id, user_id, is_helpful)
    select a.company_id, a.id, voter, vote_articles.helpful from public.articles a where a.id = any (reached) order by a.id
    on conflict (article_id, user_id) do update set is_helpful = excluded.is_helpful, voted_at = now()
      where v.is_helpful is distinct from excluded.is_helpful;
  end if;
  get diagnostics changed = row_count;
  return changed;
end $$;

create or replace function public.set_own_ticket_status(ids uuid[], status text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  action constant text := case set_own_ticket_status.status when 'closed' then 'close_own' when 'open' then 'reopen_own' end;
  changed integer;
begin
  if action is null then
    raise exception using errcode = '22023', message = 'a requester closes a ticket or opens it again';
  end if;
  perform app.require('tickets', action);
  update public.tickets t set status = set_own_ticket_status.status
  where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company() and app.tickets_covers(t, action)
    and case action when 'close_own' then t.status <> 'closed'
      else t.status = 'resolved' or t.status = 'closed' and t.resolved_at > now() - make_interval(days => coalesce(
        (select s.reopen_days from public.desk_settings s where s.company_id = t.company_id), 14)) end;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'The ticket is closed, or was closed too long ago.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create or replace function public.rate_ticket(id uuid, rating integer, note text default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('tickets', 'rate');
  if rating is null or rating not between 1 and 5 then
    raise exception using errcode = '23514', message = 'a rating is one to five', table = 'tickets', schema = 'public', column = 'rating',
      constraint = 'tickets_rating_check';
  end if;
  update public.tickets t set rating = rate_ticket.rating, rating_note = nullif(btrim(coalesce(note, t.rating_note, '')), ''), rated_at = now()
  where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    and app.tickets_covers(t, 'rate') and t.status in ('resolved', 'closed');
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'A ticket is rated once it is resolved.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create function app.has_trash(tbl regclass) returns boolean
  language sql stable set search_path = '' as $$
  select exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = tbl and t.tgfoid = 'app.move_to_trash()'::regprocedure)
$$;
comment on function app.has_trash(regclass) is 'Whether deleted rows of a table go to the trash.';
grant execute on function app.has_trash(regclass) to authenticated;

create function app.trash_ends(deleted_at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return deleted_at + interval '30 days';
comment on function app.trash_ends(timestamptz) is 'When a record that was deleted then leaves the trash for good.';

create function app.key_condition(key oid, child text, parent text) returns text
  language sql stable set search_path = '' as $$
  select string_agg(format('%s.%I = %s.%I', child, c.attname, parent, p.attname), ' and ')
  from pg_catalog.pg_constraint k
  cross join lateral unnest(k.conkey, k.confkey) as u (child_number, parent_number)
  join pg_catalog.pg_attribute c on c.attrelid = k.conrelid and c.attnum = u.child_number
  join pg_catalog.pg_attribute p on p.attrelid = k.confrelid and p.attnum = u.parent_number
  where k.oid = key
$$;
comment on function app.key_condition(oid, text, text) is 'The join of a foreign key as SQL, with the names of both sides.';

create function app.put_in_trash(tbl regclass, record_id uuid, deleted_at timestamptz, deleted_by uuid, deleted_name text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  key record;
  is_held boolean;
  child uuid;
begin
  -- A living record that refuses the deletion of this one refuses the trash too.
  for key in
    select k.oid, k.conname, k.conrelid::regclass as child, c.relname from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype in ('a', 'r') order by k.conname
  loop
    execute format('select exists (select 1 from %s c join %s p on %s where p.id = $1%s)', key.child, tbl,
      app.key_condition(key.oid, 'c', 'p'), case when app.has_trash(key.child) then ' and c.deleted_at is null' else '' end)
      into is_held using record_id;
    if is_held then
      raise exception using errcode = '23503', schema = 'public', table = key.relname, constraint = key.conname,
        message = format('update or delete on table "%s" violates foreign key constraint "%s" on table "%s"',
          (select c.relname from pg_catalog.pg_class c where c.oid = tbl), key.conname, key.relname),
        detail = format('Key is still referenced from table "%s".', key.relname);
    end if;
  end loop;
  execute format('update %s t set deleted_at = $2, deleted_by = $3, deleted_name = $4 where t.id = $1 and t.deleted_at is null', tbl)
    using record_id, deleted_at, deleted_by, deleted_name;
  -- Records that would be deleted with this one go to the trash with it, under the same mark.
  for key in
    select k.oid, k.conrelid::regclass as child from pg_catalog.pg_constraint k
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype = 'c' and app.has_trash(k.conrelid) order by k.conname
  loop
    for child in execute format('select c.id from %s c join %s p on %s where p.id = $1 and c.deleted_at is null order by c.id',
      key.child, tbl, app.key_condition(key.oid, 'c', 'p')) using record_id
    loop
      perform app.put_in_trash(key.child, child, deleted_at, deleted_by, deleted_name);
    end loop;
  end loop;
end $$;
comment on function app.put_in_trash(regclass, uuid, timestamptz, uuid, text) is
  'Marks a row as deleted, with those that go with it; 23503 where a foreign key would refuse the deletion. Granted to nobody.';

create function app.move_to_trash() returns trigger
  language plpgsql
  -- definer: nobody may write the mark
  security definer set search_path = '' as $$
declare
  actor constant uuid := app.acting_user_id();
begin
  -- A row that is in the trash, and one that goes with the record it belongs to, is deleted for good.
  if old.deleted_at is not null or pg_trigger_depth() > 1 then
    return old;
  end if;
  perform app.put_in_trash(tg_relid, old.id, now(), p.id, "left"(coalesce(nullif(p.name, ''), p.email), 100))
    from (select actor as id) a left join public.profiles p on p.id = a.id;
  return null;
end $$;
comment on function app.move_to_trash() is
  'Row trigger before a deletion: keeps the row and marks it. Definer, because the mark is nobody''s to write.';

-- Definer: a row in the trash is hidden from everybody.
create function app.in_trash(table_name text, record_id uuid) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  answer boolean;
begin
  if to_regclass(format('public.%I', table_name)) is null or not app.has_trash(format('public.%I', table_name)::regclass) then
    return false;
  end if;
  execute format('select exists (select 1 from public.%I t where t.id = $1 and t.deleted_at is not null)', table_name)
    into answer using record_id;
  return answer;
end $$;
comment on function app.in_trash(text, uuid) is
  'Whether a record is in the trash. Definer, because nobody reads such rows; for triggers, which answer as if the record were gone.';
grant execute on function app.in_trash(text, uuid) to authenticated;

-- Invoker: as definer, current_user would always be the owner. What the server writes by itself is held by the functions that write it.
create function app.refuse_trashed() returns trigger
  language plpgsql set search_path = '' as $$
declare
  target constant uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
begin
  if current_user in ('anon', 'authenticated') and target is not null and app.in_trash(tg_argv[1], target) then
    raise exception using errcode = '23503', schema = 'public', table = tg_table_name, column = tg_argv[0],
      message = format('insert or update on table "%s" violates foreign key constraint "%s_%s_fkey"', tg_table_name, tg_table_name, tg_argv[0]),
      detail = format('Key (%s)=(%s) is not present in table "%s".', tg_argv[0], target, tg_argv[1]);
  end if;
  return new;
end $$;
comment on function app.refuse_trashed() is
  'Row trigger of a table with a foreign key: a record in the trash is refused as one that does not exist. Arguments: column, table.';

create function app.announce_with_trash() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  audience text := coalesce(tg_argv[0], 'company');
  audience_column text := coalesce(tg_argv[1], 'company_id');
  message jsonb;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in execute format(
    'select x.target, x.op, case when count(*) <= 50 then to_jsonb(array_agg(x.id)) else ''[]'' end as ids from ('
    || 'select n.%I as target, n.id, %s as op from new_rows n join old_rows o on o.id = n.id) x where x.op is not null group by x.target, x.op',
    -- A table whose trash was taken away tells every change as one.
    audience_column, case when app.has_trash(tg_relid) then 'case when n.deleted_at is null and o.deleted_at is null then ''update'' '
      || 'when o.deleted_at is null then ''delete'' when n.deleted_at is null then ''insert'' end' else '''update''' end)
  loop
    message := jsonb_build_object('table', tg_table_name, 'op', r.op, 'ids', r.ids);
    if r.target is not null then
      perform app.send_live(audience || ':' || r.target, message);
    end if;
    if audience = 'company' then
      perform app.send_live('platform', message);
    end if;
  end loop;
  return null;
end $$;
comment on function app.announce_with_trash() is
  'As app.announce() for the updates of a table with a trash: a row that goes there is told as deleted, one that comes back as new, and '
  'a change of a row in the trash is not told. Definer, because clients may not send on a topic.';

create function app.keep_trash(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  told text;
  key record;
begin
  execute format('create or replace trigger %I before delete on %s for each row execute function app.move_to_trash()', name || '_trash', tbl);
  execute format('create index if not exists %I on %s (%sdeleted_at, id) where deleted_at is not null', name || '_trash_idx', tbl,
    case when app.has_column(tbl, 'company_id') then 'company_id, ' else '' end);
  select pg_catalog.pg_get_triggerdef(t.oid) into told from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgname = name || '_announce_update';
  if told is not null then
    execute replace(replace(told, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'app.announce(', 'app.announce_with_trash(');
  end if;
  -- Whoever writes the name of a record in the trash is told that there is none.
  for key in
    select c.relname as child, a.attname as col from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    cross join lateral unnest(k.conkey) as u (number)
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number and a.attname <> 'company_id'
    where k.contype = 'f' and k.confrelid = tbl and c.relnamespace = 'public'::regnamespace and cardinality(k.conkey) <= 2
  loop
    execute format('create or replace trigger %I before insert or update of %I on public.%I for each row execute function app.refuse_trashed(%L, %L)',
      "left"(key.child || '_trashed_' || key.col, 63), key.col, key.child, key.col, name);
  end loop;
end $$;
comment on function app.keep_trash(regclass) is
  'For migrations: a deleted row of the table stays for 30 days, marked by deleted_at, deleted_by and deleted_name, which it must have. The '
  'policies <table>_select_trash, _update_trash and _delete_trash hide it. Call it after app.keep_announced(). A second call writes the same again.';

create function app.trash_rows(tbl regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
begin
  -- As the caller: row-level security decides over each row.
  execute format('delete from %s t where t.id = any ($1)', tbl) using ids;
  return app.just_trashed(tbl, ids);
end $$;
comment on function app.trash_rows(regclass, uuid[]) is
  'Deletes rows of a table with a trash, as the caller, and returns the ids of those that went there.';
grant execute on function app.trash_rows(regclass, uuid[]) to authenticated;

-- Definer: the caller no longer sees the rows that they have just deleted.
create function app.just_trashed(tbl regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile security definer set search_path = '' as $$
declare
  moved uuid[];
begin
  execute format('select array_agg(t.id) from %s t where t.id = any ($1) and t.deleted_at = now() and t.deleted_by is not distinct from $2', tbl)
    into moved using ids, app.acting_user_id();
  return coalesce(moved, '{}');
end $$;
comment on function app.just_trashed(regclass, uuid[]) is
  'The rows of these that the caller moved to the trash in this transaction. Definer, because nobody sees rows in the trash.';
grant execute on function app.just_trashed(regclass, uuid[]) to authenticated;

create function app.trash_table(resource text) returns regclass
  language plpgsql stable set search_path = '' as $$
declare
  own constant regclass := app.filter_table(resource);
begin
  if not app.has_trash(own) then
    raise exception using errcode = '22023', message = format('%L has no trash', resource);
  end if;
  -- The object of the permission is an argument of the trigger that answers a denied deletion.
  perform app.require(coalesce((
    select nullif(split_part(encode(t.tgargs, 'escape'), '\000', 1), '') from pg_catalog.pg_trigger t
    where t.tgrelid = own and t.tgfoid = 'app.require_permission()'::regprocedure limit 1), resource), 'delete');
  return own;
end $$;
comment on function app.trash_table(text) is 'The table of a resource with a trash that the caller may delete records of; 42501 with the reason otherwise.';

create function app.deletable_condition(tbl regclass) returns text
  language sql stable set search_path = '' as $$
  select coalesce(string_agg(format('(%s)', per_command.condition), ' and '), 'false')
  from (
    select coalesce('(' || string_agg(format('(%s)', r.condition), ' or ') filter (where r.permissive) || ')', 'false')
      || coalesce(' and ' || string_agg(format('(%s)', r.condition), ' and ') filter (where not r.permissive), '') as condition
    from unnest(array['r', 'd']) as command (letter)
    left join lateral (
      select p.polpermissive as permissive, coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'true') as condition
      from pg_catalog.pg_policy p
      where p.polrelid = tbl and p.polcmd::text in (command.letter, '*') and p.polname !~ '_(select|update|delete)_trash$'
        and p.polroles && array[0::oid, (select r.oid from pg_catalog.pg_roles r where r.rolname = 'authenticated')]
    ) r on true
    group by command.letter
  ) per_command
$$;
comment on function app.deletable_condition(regclass) is
  'The policies of a table for whoever reads and deletes a row, as one condition, without the mark of the trash: a record in the trash is '
  'restored by whoever might delete it if it were alive.';

create function public.trash(resource text, company uuid default null, fields text[] default '{}', ids uuid[] default null,
    after_at timestamptz default null, after_id uuid default null, max_rows integer default 50)
  returns table (id uuid, company_id uuid, deleted_at timestamptz, ends_at timestamptz, deleted_by uuid, deleted_name text, record jsonb, total bigint)
  language plpgsql stable
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(trash.resource);
  columns text;
  has_company constant boolean := app.has_column(own, 'company_id');
begin
  select string_agg(format('%L, t.%I', a.attname, a.attname), ', ') into columns from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (trash.fields) and a.attnum > 0 and not a.attisdropped;
  return query execute format(
    'select x.id, x.company_id, x.deleted_at, app.trash_ends(x.deleted_at), x.deleted_by, x.deleted_name, x.own, x.total from ('
    || 'select t.id, %1$s as company_id, t.deleted_at, t.deleted_by, t.deleted_name, jsonb_build_object(%2$s) as own, count(*) over () as total '
    || 'from (select %4$I.* from %3$s as %4$I where %4$I.deleted_at is not null and (%5$s)) t where ($1 is null or %6$s) and ($5 is null or t.id = any ($5))) x '
    || 'where $2 is null or (x.deleted_at, x.id) < ($2, $3) order by x.deleted_at desc, x.id desc limit $4',
    case when has_company then 't.company_id' else 'null::uuid' end, coalesce(columns, ''), own,
    (select c.relname from pg_catalog.pg_class c where c.oid = own), app.deletable_condition(own),
    case when has_company then 't.company_id = $1' else 'true' end)
    using trash.company, trash.after_at, coalesce(trash.after_id, '00000000-0000-0000-0000-000000000000'::uuid), least(greatest(max_rows, 0), 1000), trash.ids;
end $$;
comment on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer) is
  'The records of a resource that are in the trash, the last deleted one first, with these of their columns, or those of these ids: those that the caller might '
  'delete if they were alive. ends_at is when they go for good, total how many there are. Definer, because row-level security hides them.';
grant execute on function public.trash(text, uuid, text[], uuid[], timestamptz, uuid, integer) to authenticated;

create function app.trashed_rows(own regclass, ids uuid[]) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
declare
  relation constant text := (select c.relname from pg_catalog.pg_class c where c.oid = own);
  found_ids uuid[];
begin
  perform app.check_batch(ids);
  -- In one order, so that two people who restore the same records wait for each other instead of blocking each other.
  execute format('select array_agg(f.id) from (select %1$I.id from %2$s as %1$I where %1$I.id = any ($1) and %1$I.deleted_at is not null and (%3$s) '
    || 'order by %1$I.id for update of %1$I) f', relation, own, app.deletable_condition(own)) into found_ids using ids;
  return coalesce(found_ids, '{}');
end $$;
comment on function app.trashed_rows(regclass, uuid[]) is 'The rows of these that are in the trash and that the caller might delete, locked.';

create function app.restore_row(tbl regclass, record_id uuid) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  key record;
  child uuid;
  is_missing boolean;
  mark record;
begin
  -- A record does not come back below one that is in the trash, unless it can do without.
  for key in
    select k.oid, k.confrelid::regclass as parent, c.relname from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.confrelid
    where k.contype = 'f' and k.conrelid = tbl and k.confdeltype in ('a', 'r', 'c') and app.has_trash(k.confrelid) order by k.conname
  loop
    execute format('select exists (select 1 from %s c join %s p on %s where c.id = $1 and p.deleted_at is not null)', tbl, key.parent,
      app.key_condition(key.oid, 'c', 'p')) into is_missing using record_id;
    if is_missing then
      raise exception using errcode = '23514', hint = 'restore_parent', table = key.relname, schema = 'public',
        message = format('a record of %s that it belongs to is in the trash', key.relname), detail = jsonb_build_object('resource', key.relname)::text;
    end if;
  end loop;
  execute format('select t.deleted_at, t.deleted_by from %s t where t.id = $1', tbl) into mark using record_id;
  execute format('update %s t set deleted_at = null, deleted_by = null, deleted_name = null where t.id = $1', tbl) using record_id;
  for key in
    select k.oid, k.conrelid::regclass as child from pg_catalog.pg_constraint k
    where k.contype = 'f' and k.confrelid = tbl and k.confdeltype = 'c' and app.has_trash(k.conrelid) order by k.conname
  loop
    for child in execute format('select c.id from %s c join %s p on %s where p.id = $1 and c.deleted_at = $2 and c.deleted_by is not distinct from $3 '
      || 'order by c.id', key.child, tbl, app.key_condition(key.oid, 'c', 'p')) using record_id, mark.deleted_at, mark.deleted_by
    loop
      perform app.restore_row(key.child, child);
    end loop;
  end loop;
end $$;
comment on function app.restore_row(regclass, uuid) is
  'Takes the mark off a row, and off those that went to the trash with it. Granted to nobody.';

create function app.each_trashed(own regclass, ids uuid[], act text, out written uuid[], out refused jsonb)
  language plpgsql volatile set search_path = '' as $$
declare
  one uuid;
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  foreach one in array ids loop
    begin
      if act = 'restore' then
        perform app.restore_row(own, one);
      else
        execute format('delete from %s t where t.id = $1', own) using one;
      end if;
      written := written || one;
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail, hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      refused := refused || jsonb_build_object(one::text, jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
    end;
  end loop;
end $$;
comment on function app.each_trashed(regclass, uuid[], text) is 'Restores or deletes rows of the trash, each on its own. Granted to nobody.';

create function public.restore_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: nobody may take the mark off
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(restore_records.resource);
  there constant uuid[] := app.trashed_rows(own, restore_records.ids);
  done record;
begin
  done := app.each_trashed(own, there, 'restore');
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, '{}', done.refused, 'the record was not restored');
end $$;
comment on function public.restore_records(text, uuid[]) is
  'Takes up to 1,000 records out of the trash: changed, gone (not in the trash, or not the caller''s to restore) or refused, with the error of '
  'the record as the reason, such as 23505 where another one has taken its name. Whoever might delete it may restore it. Definer, because '
  'nobody may write the mark.';
grant execute on function public.restore_records(text, uuid[]) to authenticated;

create function public.purge_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(purge_records.resource);
  there constant uuid[] := app.trashed_rows(own, purge_records.ids);
  done record;
begin
  done := app.each_trashed(own, there, 'purge');
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the record was not deleted');
end $$;
comment on function public.purge_records(text, uuid[]) is
  'Deletes up to 1,000 records of the trash for good, with their files: deleted, gone (not in the trash, or not the caller''s to delete) or '
  'refused, with the error of the record as the reason. Definer, because row-level security hides them.';
grant execute on function public.purge_records(text, uuid[]) to authenticated;

create function app.empty_trash() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  max_rows constant integer := 500;
  own regclass;
  old_ids uuid[];
  done record;
  removed integer := 0;
begin
  for own in
    select t.tgrelid::regclass from pg_catalog.pg_trigger t where t.tgfoid = 'app.move_to_trash()'::regprocedure order by t.tgrelid::regclass::text
  loop
    execute format('select array_agg(f.id) from (select t.id from %s t where t.deleted_at is not null and app.trash_ends(t.deleted_at) <= now() '
      || 'order by t.deleted_at, t.id limit %s for update skip locked) f', own, max_rows) into old_ids;
    continue when old_ids is null;
    -- A record that others hold stays until they have gone.
    done := app.each_trashed(own, old_ids, 'purge');
    removed := removed + cardinality(done.written);
  end loop;
  return removed;
end $$;
comment on function app.empty_trash() is
  'A step of app.tick(): deletes for good, with their files, what has been in the trash for 30 days; at most 500 records a table and call.';

select app.keep_trash('public.saved_commands');

select app.keep_trash('public.tickets');

create or replace trigger tickets_subtickets after insert or update of parent_id, deleted_at or delete on public.tickets
  for each row execute function app.count_subtickets();
create trigger tickets_timers_end after update of deleted_at on public.tickets
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function app.end_timers();

select app.keep_trash('public.articles');

create policy saved_commands_select_trash on public.saved_commands as restrictive for select to authenticated
  using (deleted_at is null);
create policy saved_commands_update_trash on public.saved_commands as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy saved_commands_delete_trash on public.saved_commands as restrictive for delete to authenticated
  using (deleted_at is null);
create policy tickets_select_trash on public.tickets as restrictive for select to authenticated
  using (deleted_at is null);
create policy tickets_update_trash on public.tickets as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy tickets_delete_trash on public.tickets as restrictive for delete to authenticated
  using (deleted_at is null);
create policy articles_select_trash on public.articles as restrictive for select to authenticated
  using (deleted_at is null);
create policy articles_update_trash on public.articles as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy articles_delete_trash on public.articles as restrictive for delete to authenticated
  using (deleted_at is null);
