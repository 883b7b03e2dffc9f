-- Sla in sets.

set check_function_bodies = off;

drop function app.measured_ticket(tickets, sla_policies, float8[], float8[], float8[]);
comment on column public.tickets.search is
  'What is searched, folded. A trigger writes it, because a generated column is computed by every update of a table that has triggers.';

create or replace function app.search_ids(resource text, q text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  source text;
  ids uuid[];
begin
  perform app.require(resource, 'list');
  if condition is null then
    return null;
  end if;
  -- A row of the platform has no company: row-level security alone decides over it.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  source := coalesce(to_regclass(format('app.%I', resource || '_search'))::text, format('public.%I', resource));
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from %s where %s and %s limit %s) f',
    source, scope, condition, max_ids + 1) into ids;
  if cardinality(ids) > max_ids then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;

create function app.keep_search_apart(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  apart text := format('app.%I', name || '_search');
  note text := format('app.%I', 'note_' || name || '_search');
begin
  execute format('create table %s (company_id uuid not null, id uuid not null, search text not null, primary key (company_id, id), '
    || 'foreign key (company_id, id) references %s (company_id, id) on delete cascade)', apart, tbl);
  execute format('comment on table %s is %L', apart,
    format('The search texts of %s and their index, apart from the rows: every update of a row would write all parts of its text into the index again.', name));
  execute format('revoke all on %s from public, anon, authenticated', apart);
  execute format('alter table %s enable row level security', apart);
  execute format('insert into %s (id, company_id, search) select t.id, t.company_id, t.search from %s t', apart, tbl);
  execute format('drop index public.%I', name || '_search_idx');
  execute format('create index %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', apart);
  execute format($function$
    create function %1$s() returns trigger
      language plpgsql security definer set search_path = '' as $body$
      begin
        insert into %2$s (id, company_id, search) values (new.id, new.company_id, new.search)
          on conflict (company_id, id) do update set search = excluded.search;
        return null;
      end $body$
  $function$, note, apart);
  execute format('comment on function %s() is %L', note, format('Row trigger: keeps the search text in %s. Definer, because that table is private.', apart));
  execute format('create trigger %I after insert on %s for each row execute function %s()', name || '_search_insert', tbl, note);
  execute format('create trigger %I after update on %s for each row when (new.search is distinct from old.search) execute function %s()',
    name || '_search_update', tbl, note);
end $$;
comment on function app.keep_search_apart(regclass) is
  'For migrations, after app.keep_search(), for a tenant table whose rows are often updated without their text: the trigram index moves to '
  'app.<table>_search, which app.search_ids() reads.';

create function app.fold_ticket() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.search := app.fold('#' || new.number || ' ' || new.subject || ' ' || coalesce(new.requester_name, '') || ' ' || coalesce(new.description, ''));
  return new;
end $$;
comment on function app.fold_ticket() is 'Row trigger: the text of a ticket that is searched.';

create or replace function app.open_seconds(opens double precision[], closes double precision[], before double precision[], at double precision) returns double precision
  language sql immutable parallel safe
  return case when cardinality(opens) = 0 or width_bucket(at, opens) = 0 then 0
    else before[width_bucket(at, opens)] + least(at, closes[width_bucket(at, opens)]) - opens[width_bucket(at, opens)] end;
comment on function app.open_seconds(double precision[], double precision[], double precision[], double precision) is
  'The open seconds of a clock before a moment, since its first day.';

-- A span that begins just then is not needed: the one before it ends then.
create function app.open_place(before double precision[], wanted double precision) returns integer
  language sql immutable parallel safe
  return case when cardinality(before) > 0 then width_bucket(wanted, before)
    - (width_bucket(wanted, before) > 1 and before[width_bucket(wanted, before)] >= wanted)::integer end;
comment on function app.open_place(double precision[], double precision) is
  'The span of a clock in which so many open seconds since its first day have passed.';

create function app.open_moment_in(opens double precision[], closes double precision[], before double precision[], wanted double precision, place integer)
  returns double precision
  language sql immutable parallel safe
  return case when opens[place] + (wanted - before[place]) <= closes[place] then opens[place] + (wanted - before[place]) end;
comment on function app.open_moment_in(double precision[], double precision[], double precision[], double precision, integer) is
  'The moment at which so many open seconds since the first day of a clock have passed, in the span that app.open_place() found; null where the clock ends before.';

create or replace function app.open_moment(opens double precision[], closes double precision[], before double precision[], at double precision, seconds double precision)
  returns double precision
  language sql immutable parallel safe
  return case when seconds <= 0 then at
    else app.open_moment_in(opens, closes, before, app.open_seconds(opens, closes, before, at) + seconds,
      app.open_place(before, app.open_seconds(opens, closes, before, at) + seconds)) end;

create function app.sla_of(company uuid, ticket uuid, priority text, status text, created_at timestamptz, first_responded_at timestamptz,
    resolved_at timestamptz, due_at timestamptz, paused_at timestamptz, targets jsonb, opens double precision[], closes double precision[],
    before double precision[])
  returns table (response_due_at timestamptz, solution_due_at timestamptz, paused bigint, state text, next_at timestamptz)
  -- A standard body, which the planner unfolds into a statement about many tickets.
  language sql stable rows 1
  begin atomic
    select pg_catalog.to_timestamp(d.response_due), pg_catalog.to_timestamp(d.solution_due), pg_catalog.round(p.paused)::bigint,
      case when d.response_due is null and d.solution_due is null then 'none'
        when d.response_due < coalesce(n.responded, n.stopped) or d.solution_due < n.solution_now then 'breached'
        when n.is_done then 'met'
        when n.responded is null and d.response_warns <= n.stopped or d.solution_warns <= n.solution_now then 'warning'
        else 'ok' end,
      case when not n.is_done then pg_catalog.to_timestamp(least(
        case when sla_of.paused_at is null and n.responded is null and d.response_warns >= n.now_at then d.response_warns end,
        case when sla_of.paused_at is null and n.responded is null and d.response_due >= n.now_at then d.response_due end,
        case when (sla_of.paused_at is null or sla_of.due_at is not null) and d.solution_warns >= n.now_at then d.solution_warns end,
        case when (sla_of.paused_at is null or sla_of.due_at is not null) and d.solution_due >= n.now_at then d.solution_due end)) end
    from (select extract(epoch from sla_of.created_at)::double precision as created,
        extract(epoch from coalesce(sla_of.first_responded_at, sla_of.resolved_at))::double precision as responded,
        sla_of.status in ('resolved', 'closed') as is_done,
        extract(epoch from sla_of.due_at)::double precision as typed,
        extract(epoch from pg_catalog.statement_timestamp())::double precision as now_at,
        extract(epoch from coalesce(sla_of.paused_at, pg_catalog.statement_timestamp()))::double precision as stopped,
        case when sla_of.status in ('resolved', 'closed') then extract(epoch from sla_of.resolved_at)::double precision
          when sla_of.due_at is not null then extract(epoch from pg_catalog.statement_timestamp())::double precision
          else extract(epoch from coalesce(sla_of.paused_at, pg_catalog.statement_timestamp()))::double precision end as solution_now
      offset 0) n
    left join lateral (select 60 * nullif(x ->> 'first_response', '')::double precision as response, 60 * nullif(x ->> 'solution', '')::double precision as solution
      from pg_catalog.jsonb_array_elements(sla_of.targets) x where x ->> 'priority' = sla_of.priority and opens is not null limit 1) t on true
    cross join lateral (select coalesce(sum(app.open_seconds(opens, closes, before, s.ends) - app.open_seconds(opens, closes, before, s.begins)), 0) as paused,
        coalesce(sum(app.open_seconds(opens, closes, before, least(s.ends, coalesce(n.responded, s.ends))) - app.open_seconds(opens, closes, before, s.begins))
          filter (where n.responded is null or s.begins < n.responded), 0) as response_paused
      from (select extract(epoch from x.paused_at)::double precision as begins, extract(epoch from x.resumed_at)::double precision as ends
        from app.ticket_pauses x where x.company_id = sla_of.company and x.ticket_id = sla_of.ticket and coalesce(t.response, t.solution) is not null) s) p
    cross join lateral (select app.open_seconds(opens, closes, before, n.created) as since offset 0) c
    -- The open seconds that are wanted, the span in which each is reached, and the moment: every search in the clock runs once.
    cross join lateral (select t.response + p.response_paused as response_for, 0.75 * t.response + p.response_paused as response_warns_for,
      t.solution + p.paused as solution_for, 0.75 * t.solution + p.paused as solution_warns_for offset 0) w
    cross join lateral (select app.open_place(before, c.since + w.response_for) as response, app.open_place(before, c.since + w.response_warns_for) as response_warns,
      app.open_place(before, c.since + w.solution_for) as solution, app.open_place(before, c.since + w.solution_warns_for) as solution_warns offset 0) q
    cross join lateral (select app.open_moment_in(opens, closes, before, c.since + w.response_for, q.response) as response_due,
        app.open_moment_in(opens, closes, before, c.since + w.response_warns_for, q.response_warns) as response_warns,
        coalesce(n.typed, app.open_moment_in(opens, closes, before, c.since + w.solution_for, q.solution)) as solution_due,
        case when n.typed is not null then n.created + 0.75 * greatest(n.typed - n.created, 0)
          else app.open_moment_in(opens, closes, before, c.since + w.solution_warns_for, q.solution_warns) end as solution_warns
      offset 0) d;
  end;
comment on function app.sla_of(uuid, uuid, text, text, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz, jsonb, double precision[],
  double precision[], double precision[]) is
  'The due times of a ticket and the state of its service level now: what they are by the policy, the clock, its pauses and the due date typed by hand.';

create or replace function app.measure_ticket(ticket public.tickets) returns public.tickets
  language plpgsql volatile set search_path = '' as $$
declare
  result public.tickets := ticket;
  policy public.sla_policies := app.sla_policy_of(ticket.company_id, ticket.category_id);
  calendar uuid;
  clock app.calendar_clocks;
begin
  if policy.id is not null then
    calendar := coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = ticket.company_id and c.is_default));
    if calendar is not null then
      clock := app.stored_clock(calendar);
    end if;
  end if;
  select m.response_due_at, m.solution_due_at, m.paused, m.state, m.next_at
    into result.first_response_due_at, result.solution_due_at, result.paused_seconds, result.sla_state, result.sla_next_at
    from app.sla_of(ticket.company_id, ticket.id, ticket.priority, ticket.status, ticket.created_at, ticket.first_responded_at, ticket.resolved_at,
        ticket.due_at, ticket.paused_at, policy.targets, clock.opens, clock.closes, clock.before) m;
  result.sla_policy_id := policy.id;
  return result;
end $$;

create or replace function app.recount_sla(max_rows integer default 200) returns integer
  -- A planned clock is a constant; a parameter would be copied for each search in it.
  language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  request app.sla_recounts%rowtype;
  part record;
  policy public.sla_policies;
  clock app.calendar_clocks;
  ids uuid[];
  locked uuid[];
  held uuid;
  moved integer;
  changed integer := 0;
begin
  select r.* into request from app.sla_recounts r order by r.requested_at, r.company_id limit 1 for update skip locked;
  if request.company_id is null then
    return 0;
  end if;
  ids := array(select t.id from public.tickets t where t.company_id = request.company_id and t.status in ('new', 'open', 'waiting')
    and (request.after_id is null or t.id > request.after_id) order by t.id limit max_rows);
  locked := array(select t.id from public.tickets t where t.company_id = request.company_id and t.id = any (ids) order by t.id for no key update skip locked);
  -- A single message tells of all of them, and no audit: nobody changed these tickets.
  perform set_config('app.quiet', 'on', true);
  -- A statement a policy, in which the planner sees the clock as a constant.
  for part in
    select p.policy, array_agg(t.id) as ids
    from public.tickets t join (
      select c.category_id, (app.sla_policy_of(request.company_id, c.category_id)).id as policy
      from (select distinct x.category_id from public.tickets x where x.company_id = request.company_id and x.id = any (locked)) c offset 0
    ) p on p.category_id is not distinct from t.category_id
    where t.company_id = request.company_id and t.id = any (locked) group by p.policy
  loop
    clock := null;
    select p.* into policy from public.sla_policies p where p.id = part.policy;
    if policy.id is not null then
      clock := app.stored_clock(coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = request.company_id and c.is_default)));
    end if;
    update public.tickets t set first_response_due_at = m.response_due_at, solution_due_at = m.solution_due_at,
        paused_seconds = m.paused, sla_state = m.state, sla_next_at = m.next_at, sla_policy_id = policy.id
      from public.tickets s cross join lateral app.sla_of(s.company_id, s.id, s.priority, s.status, s.created_at, s.first_responded_at, s.resolved_at,
        s.due_at, s.paused_at, policy.targets, clock.opens, clock.closes, clock.before) m
      where s.company_id = request.company_id and s.id = any (part.ids) and t.company_id = request.company_id and t.id = s.id
        and (m.response_due_at, m.solution_due_at, m.paused, m.state, m.next_at, policy.id) is distinct from
          (s.first_response_due_at, s.solution_due_at, s.paused_seconds, s.sla_state, s.sla_next_at, s.sla_policy_id);
    get diagnostics moved = row_count;
    changed := changed + moved;
  end loop;
  perform set_config('app.quiet', '', true);
  if changed > 0 then
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
comment on function app.recount_sla(integer) is
  'Step of app.tick(): new due times for the open tickets of companies with a changed calendar or policy, at most 200 a call, so that whoever writes one of '
  'them waits a moment. It waits for nobody: with a ticket that somebody writes at that moment the next call goes on.';

-- New due times after a changed calendar are no change of the tickets: version and time stay, and 50,000 rows are not compared as JSON.
create or replace trigger tickets_touch before update on public.tickets for each row
  when ((old.first_response_due_at, old.solution_due_at, old.paused_seconds, old.sla_state, old.sla_next_at, old.sla_policy_id)
      is not distinct from (new.first_response_due_at, new.solution_due_at, new.paused_seconds, new.sla_state, new.sla_next_at, new.sla_policy_id)
    or (old.subject, old.description, old.category_id, old.issue_id, old.priority, old.status, old.status_id, old.answers, old.requester_id,
        old.assignee_id, old.device_id, old.due_at, old.version)
      is distinct from (new.subject, new.description, new.category_id, new.issue_id, new.priority, new.status, new.status_id, new.answers, new.requester_id,
        new.assignee_id, new.device_id, new.due_at, new.version))
  execute function app.touch('subject', 'description', 'category_id', 'issue_id', 'priority', 'status', 'status_id', 'answers', 'requester_id',
    'assignee_id', 'device_id', 'due_at');

select app.keep_search_apart('public.tickets');

-- After tickets_people and tickets_stamp, which fill in name and number.
create trigger tickets_words before insert on public.tickets
  for each row execute function app.fold_ticket();

create trigger tickets_words_update before update on public.tickets for each row
  when ((new.number, new.subject, new.requester_name, new.description) is distinct from (old.number, old.subject, old.requester_name, old.description))
  execute function app.fold_ticket();
