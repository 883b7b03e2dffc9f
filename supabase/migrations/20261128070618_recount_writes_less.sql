-- Recount writes less.

drop index public.tickets_parent_idx;
drop index public.tickets_merged_into_idx;
drop index public.tickets_company_open_idx;
drop index public.tickets_author_idx;
drop index public.tickets_device_idx;

-- Most tickets refer to none of these, and each new due time would write their nulls again.
create index tickets_device_idx on public.tickets (company_id, device_id, created_at) where device_id is not null;

create index tickets_author_idx on public.tickets (created_by) where created_by is not null;
create index tickets_merged_into_idx on public.tickets (company_id, merged_into_id) where merged_into_id is not null;
create index tickets_parent_idx on public.tickets (company_id, parent_id) where parent_id is not null;

-- For app.recount_sla(), which walks the open tickets of a company.
create index tickets_company_open_idx on public.tickets (company_id, number) where status in ('new', 'open', 'waiting');
comment on table app.sla_recounts is
  'Companies whose open tickets get new due times after a changed calendar or policy, and the number of the last ticket that has them.';

create or replace function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  if tg_op = 'UPDATE' and old.merged_into_id is not null then
    perform app.refuse_merged(old.company_id, old.id, 'tickets');
  end if;
  -- Whoever works the desk writes everything.
  if app.tickets_covers(case tg_op when 'INSERT' then new else old end, 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'new' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null and not app.is_own_device(new.device_id, new.company_id) then 'device_id'
      when new.due_at is not null then 'due_at'
      when new.category_id is not null and not exists (select 1 from public.ticket_categories c where c.id = new.category_id) then 'category_id' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when (new.status, new.status_id) is distinct from (old.status, old.status_id) then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id
        and not coalesce(new.device_id is null or app.is_own_device(new.device_id, new.company_id), false) then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at'
      -- The questions of a category that is not theirs are none that they answer.
      when (new.category_id, new.answers) is distinct from (old.category_id, old.answers) and new.category_id is not null
        and not exists (select 1 from public.ticket_categories c where c.id = new.category_id) then 'category_id' end;
    -- An approval is about what its approver has read.
    if refused is null and (new.subject, new.description, new.category_id, new.issue_id, new.answers, new.device_id)
        is distinct from (old.subject, old.description, old.category_id, old.issue_id, old.answers, old.device_id)
      and app.has_approval(old.id) then
      raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
    end if;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;

create or replace function app.compile_calendar() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (new.hours, new.holidays, new.timezone, new.is_default) is not distinct from (old.hours, old.holidays, old.timezone, old.is_default) then
    return null;
  end if;
  delete from app.calendar_clocks c where c.calendar_id = new.id;
  if exists (select 1 from public.sla_policies p where p.company_id = new.company_id) then
    insert into app.sla_recounts (company_id) values (new.company_id)
      on conflict (company_id) do update set after_number = 0, requested_at = now();
  end if;
  return null;
end $$;

create or replace function app.request_sla_recount() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.sla_recounts (company_id) values (case tg_op when 'DELETE' then old.company_id else new.company_id end)
    on conflict (company_id) do update set after_number = 0, requested_at = now();
  return null;
end $$;

create or replace function app.recount_sla(max_rows integer default 200) returns integer
  -- A planned clock is a constant; a parameter would be copied for each search in it.
  language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  request app.sla_recounts%rowtype;
  part record;
  policy public.sla_policies;
  clock app.calendar_clocks;
  numbers integer[];
  locked integer[];
  ids uuid[];
  categories uuid[];
  held integer;
  moved integer;
  changed integer := 0;
begin
  select r.* into request from app.sla_recounts r order by r.requested_at, r.company_id limit 1 for update skip locked;
  if request.company_id is null then
    return 0;
  end if;
  -- Tickets that were made one after the other are neighbors in the table and in most of its indexes, so they go by number and not by id.
  numbers := array(select t.number from public.tickets t where t.company_id = request.company_id and t.deleted_at is null
    and t.status in ('new', 'open', 'waiting') and t.number > request.after_number order by t.number limit max_rows);
  select coalesce(array_agg(h.number), '{}'), array_agg(h.id), array_agg(h.category_id) into locked, ids, categories
    from (select t.number, t.id, t.category_id from public.tickets t
      where t.company_id = request.company_id and t.number = any (numbers) order by t.number for no key update skip locked) h;
  -- A single message tells of all of them, and no audit: nobody changed these tickets.
  perform set_config('app.quiet', 'on', true);
  -- A statement a policy, in which the planner sees the clock as a constant.
  for part in
    select p.policy, array_agg(t.id) as ids
    from unnest(ids, categories) t (id, category_id) join (
      select c.category_id, (app.sla_policy_of(request.company_id, c.category_id)).id as policy
      from (select distinct x as category_id from unnest(categories) x) c offset 0
    ) p on p.category_id is not distinct from t.category_id group by p.policy
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
  select min(n) into held from unnest(numbers) n where n <> all (locked);
  if held is null and cardinality(numbers) < max_rows then
    delete from app.sla_recounts r where r.company_id = request.company_id and r.requested_at = request.requested_at;
  else
    update app.sla_recounts r set after_number = coalesce(held - 1, numbers[cardinality(numbers)]) where r.company_id = request.company_id;
  end if;
  return cardinality(locked);
end $$;

-- Cascades and the server's own work run as the owner.
create or replace trigger tickets_guard before insert or update on public.tickets
  for each row when (current_user in ('anon', 'authenticated')) execute function app.guard_ticket();

create or replace trigger tickets_stamp before insert or update of status, status_id, priority, resolved_at on public.tickets
  for each row execute function app.stamp_ticket();
