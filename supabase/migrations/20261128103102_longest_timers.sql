-- Longest timers.

create or replace function app.stamp_time_entry() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.started_at > now() + interval '5 minutes' or new.ended_at > now() + interval '5 minutes' then
    raise exception using errcode = '23514', hint = 'time_in_future', table = 'time_entries', schema = 'public', column = 'started_at',
      message = 'time is entered once it has passed';
  end if;
  if coalesce(new.ended_at, now()) >= new.started_at + interval '31 days' then
    raise exception using errcode = '23514', hint = 'time_too_long', table = 'time_entries', schema = 'public',
      column = case when new.ended_at is null then 'started_at' else 'ended_at' end, message = 'an entry of time has less than 31 days';
  end if;
  new.is_long := coalesce(new.ended_at, now()) - new.started_at > interval '12 hours';
  return new;
end $$;
comment on function app.stamp_time_entry() is 'Row trigger: less than 31 days of time that has passed, marked when it took more than 12 hours.';

create or replace function app.end_timers() returns trigger
  language plpgsql
  -- definer: the timers of others end too
  security definer set search_path = '' as $$
begin
  -- An entry that began before the longest one would ends with it, so that a forgotten timer keeps no ticket from being deleted.
  update public.time_entries e
    set ended_at = greatest(least(now(), e.started_at + interval '31 days' - interval '1 second'), e.started_at)
    where e.ticket_id = new.id and e.ended_at is null;
  return null;
end $$;

-- Runs as the caller: row-level security decides whose time is written.
create or replace function public.start_timer(ticket_id uuid) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  company uuid;
  running uuid;
begin
  perform app.require_rows('tickets', 'assign', array[start_timer.ticket_id]);
  select t.company_id into company from public.tickets t where t.id = start_timer.ticket_id;
  if company is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  -- Two starts of one person wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('timer/' || me, 0));
  select e.id into running from public.time_entries e where e.user_id = me and e.ended_at is null and e.ticket_id = start_timer.ticket_id;
  if running is not null then
    return running;
  end if;
  -- The ticket whose timer ends is written before the one whose timer begins: both are locked in the order of all others.
  perform app.lock_rows('public.tickets', array(select e.ticket_id from public.time_entries e where e.user_id = me and e.ended_at is null)
    || start_timer.ticket_id);
  -- Another start may have begun after this one, and been first.
  update public.time_entries e set ended_at = greatest(now(), e.started_at) where e.user_id = me and e.ended_at is null and not e.is_long
    and e.started_at >= now() - interval '12 hours';
  -- A timer that was forgotten is asked about first, because its end is not known.
  if exists (select 1 from public.time_entries e where e.user_id = me and e.ended_at is null) then
    raise exception using errcode = '23514', hint = 'timer_long', message = 'a timer has run for more than 12 hours: say when it ended';
  end if;
  insert into public.time_entries (company_id, ticket_id) values (company, start_timer.ticket_id) returning id into running;
  return running;
end $$;

create or replace function public.stop_timer(note text default null, ended_at timestamptz default null) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  stopped public.time_entries%rowtype;
begin
  perform pg_advisory_xact_lock(hashtextextended('timer/' || me, 0));
  select e.* into stopped from public.time_entries e where e.user_id = me and e.ended_at is null;
  if stopped.id is null then
    raise exception 'No timer runs.' using errcode = 'PT404', hint = 'timer_none';
  end if;
  if stop_timer.ended_at not between stopped.started_at and now() then
    raise exception using errcode = '23514', hint = 'timer_end', message = 'a timer ends between its start and now';
  end if;
  if stop_timer.ended_at is null and now() >= stopped.started_at + interval '31 days' then
    raise exception using errcode = '23514', hint = 'timer_long', message = 'a timer has run for more than 31 days: say when it ended';
  end if;
  update public.time_entries e set ended_at = coalesce(stop_timer.ended_at, greatest(now(), e.started_at)), note = coalesce(stop_timer.note, e.note) where e.id = stopped.id;
  return stopped.id;
end $$;
