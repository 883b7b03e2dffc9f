-- Statuses.

create function app.company_language(company uuid) returns text
  language sql stable set search_path = '' as $$
  select coalesce(
    (select l.language from public.user_roles r join app.user_languages l on l.user_id = r.user_id
      where r.company_id = company group by l.language order by count(*) desc, l.language limit 1),
    (select l.language from app.user_languages l where l.user_id = app.current_user_id()),
    case when (select c.timezone from public.companies c where c.id = company) = 'Europe/Istanbul' then 'tr' else 'en' end)
$$;
comment on function app.company_language(uuid) is
  'The language of most people of a company; before it has any, of the caller, else of its time zone.';

create function app.furnish_desk() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.furnish_desk_of(new.id);
  return null;
end $$;
comment on function app.furnish_desk() is
  'Row trigger: a new company gets its statuses, business hours and settings of the desk. Definer, because whoever makes a company may not write these.';

create function app.furnish_desk_of(company uuid) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  is_turkish boolean := app.company_language(company) = 'tr';
begin
  insert into public.ticket_statuses (company_id, name, kind, color, position, is_default)
    select company, case when is_turkish then s.tr else s.en end, s.kind, s.color, s.position, true
    from (values ('new', 'New', 'Yeni', '#7a5cc0', 1), ('open', 'Open', 'Açık', '#3d6fb6', 2), ('waiting', 'Waiting', 'Beklemede', '#b8761b', 3),
      ('resolved', 'Resolved', 'Çözüldü', '#2e7d4f', 4), ('closed', 'Closed', 'Kapalı', '#5b6b7f', 5)) as s (kind, en, tr, color, position)
    where not exists (select 1 from public.ticket_statuses x where x.company_id = company and x.kind = s.kind);
  insert into public.business_calendars (company_id, name, timezone, hours, is_default)
    select company, case when is_turkish then 'Mesai saatleri' else 'Business hours' end, c.timezone,
      (select jsonb_agg(jsonb_build_object('day', d::text, 'from', h.f, 'until', h.u) order by d, h.f)
        from generate_series(1, 5) d, (values ('09:00', '12:30'), ('13:30', '18:00')) as h (f, u)), true
    from public.companies c where c.id = company and not exists (select 1 from public.business_calendars x where x.company_id = company);
  insert into public.desk_settings (company_id) values (company) on conflict (company_id) do nothing;
end $$;
comment on function app.furnish_desk_of(uuid) is
  'Gives a company the statuses, in its language, the business hours and the settings that it lacks. Granted to nobody.';

-- Security definer: requesters may change a ticket and not read every status.
create function app.follow_ticket_status() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  kind_of text;
begin
  if tg_op = 'UPDATE' and new.status is not distinct from old.status and new.status_id is not distinct from old.status_id then
    return new;
  end if;
  if new.status_id is not null then
    select s.kind into kind_of from public.ticket_statuses s where s.company_id = new.company_id and s.id = new.status_id;
    if kind_of is null then
      raise exception using errcode = '23503', table = 'tickets', schema = 'public', constraint = 'tickets_status_id_fkey',
        message = 'insert or update on table "tickets" violates foreign key constraint "tickets_status_id_fkey"',
        detail = format('Key (status_id)=(%s) is not present in table "ticket_statuses".', new.status_id);
    end if;
  end if;
  -- A status whose kind was changed keeps its tickets.
  if kind_of = new.status then
    return new;
  elsif kind_of is not null and (tg_op = 'INSERT' or new.status_id is distinct from old.status_id) then
    new.status := kind_of;
  else
    new.status_id := (select s.id from public.ticket_statuses s
      where s.company_id = new.company_id and s.kind = new.status and s.is_default);
    if new.status_id is null and new.status not in ('new', 'open', 'waiting', 'resolved', 'closed') then
      raise exception using errcode = '23514', table = 'tickets', schema = 'public', column = 'status', constraint = 'tickets_status_check',
        message = 'new row for relation "tickets" violates check constraint "tickets_status_check"';
    end if;
  end if;
  return new;
end $$;
comment on function app.follow_ticket_status() is
  'Row trigger: the kind of a ticket follows the status that is chosen, and the default status of a kind follows the kind. Definer, because '
  'the writer may not read every status.';

create function app.keep_status_default() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  row_kind text := case tg_op when 'DELETE' then old.kind else new.kind end;
  refused text;
begin
  -- They go with their company.
  if tg_op = 'DELETE' and not exists (select 1 from public.companies c where c.id = old.company_id) then
    return old;
  end if;
  -- Two sessions must not each leave the other's status as the last one of a kind.
  perform pg_advisory_xact_lock(hashtextextended('ticket_statuses/' || case tg_op when 'DELETE' then old.company_id else new.company_id end, 0));
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or new.kind <> old.kind) then
    if not exists (select 1 from public.ticket_statuses s where s.company_id = old.company_id and s.kind = old.kind and s.id <> old.id) then
      refused := 'status_last_of_kind';
    elsif tg_op = 'DELETE' and app.status_is_used(old.company_id, old.id) then
      refused := 'status_in_use';
    end if;
  end if;
  if refused is null and tg_op = 'UPDATE' and old.is_default and not new.is_default and new.kind = old.kind and pg_trigger_depth() = 1 then
    refused := 'status_default';
  end if;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'ticket_statuses', schema = 'public',
      column = case refused when 'status_default' then 'is_default' else 'kind' end,
      message = case refused
        when 'status_last_of_kind' then format('every kind has a status: this is the last one of the kind %s', old.kind)
        when 'status_in_use' then 'tickets have this status: name the one that takes them'
        else 'every kind has a default: make another status the default' end;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.kind <> old.kind then
    new.is_default := not exists (select 1 from public.ticket_statuses s where s.company_id = new.company_id and s.kind = row_kind);
  elsif not new.is_default and pg_trigger_depth() = 1 then
    new.is_default := not exists (select 1 from public.ticket_statuses s
      where s.company_id = new.company_id and s.kind = row_kind and s.id <> new.id and s.is_default);
  elsif new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update public.ticket_statuses s set is_default = false
      where s.company_id = new.company_id and s.kind = row_kind and s.is_default and s.id <> new.id;
  end if;
  return new;
end $$;
comment on function app.keep_status_default() is
  'Row trigger: each kind keeps a status and one default; a status that tickets have is not deleted. Definer, because the former default is '
  'another row, and tickets count that the writer may not see.';

create function app.place_ticket_status() returns trigger
  language plpgsql
  -- definer: whoever may only create a status moves those behind it
  security definer set search_path = '' as $$
declare
  kinds constant text[] := array['new', 'open', 'waiting', 'resolved', 'closed'];
begin
  if new.position is null then
    -- The lock of ticket_statuses_default holds others off until the transaction ends.
    new.position := coalesce((select least(max(s.position) + 1, 10000) from public.ticket_statuses s where s.company_id = new.company_id and s.id <> new.id
      and array_position(kinds, s.kind) <= array_position(kinds, new.kind)), 0);
    update public.ticket_statuses s set position = s.position + 1
      where s.company_id = new.company_id and s.id <> new.id and s.position >= new.position and s.position < 10000
        and exists (select 1 from public.ticket_statuses x where x.company_id = new.company_id and x.id <> new.id and x.position = new.position);
  end if;
  return new;
end $$;
comment on function app.place_ticket_status() is
  'Row trigger: a status without a place comes behind the last one of its kind, and those behind make room. Definer, because they are other rows.';

-- Security definer: a ticket that the caller may not see has the status as well.
create function app.status_is_used(company uuid, wanted uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.tickets t where t.company_id = company and t.status_id = wanted)
$$;
comment on function app.status_is_used(uuid, uuid) is
  'Whether any ticket has the status. Definer, because tickets that the caller may not see count as well.';
grant execute on function app.status_is_used(uuid, uuid) to authenticated;

create function app.name_status_default() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if old.is_default and (tg_op = 'DELETE' or new.kind <> old.kind) then
    update public.ticket_statuses s set is_default = true where s.id = (
      select x.id from public.ticket_statuses x where x.company_id = old.company_id and x.kind = old.kind order by x.position, x.id limit 1);
  end if;
  return null;
end $$;
comment on function app.name_status_default() is
  'Row trigger: the first status of a kind follows a default that is gone. Definer, because deleting is another permission than editing.';

create function public.replace_ticket_status(id uuid, by uuid) returns integer
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
  -- Tickets in the trash move as well, whatever their deleted_at, so that they come back with a status that exists.
  update public.tickets t set status_id = by where t.company_id = gone.company_id and t.status_id = gone.id;
  get diagnostics moved = row_count;
  delete from public.ticket_statuses s where s.company_id = gone.company_id and s.id = gone.id;
  return moved;
end $$;
comment on function public.replace_ticket_status(uuid, uuid) is
  'Deletes a status and gives its tickets another one; returns how many. Definer, because tickets that the caller may not see move as well.';
grant execute on function public.replace_ticket_status(uuid, uuid) to authenticated;

create function app.is_day(value text) returns boolean
  language plpgsql immutable set search_path = '' as $$
begin
  return value::date is not null;
exception when others then
  return false;
end $$;
comment on function app.is_day(text) is 'Whether a text is a day that exists.';

-- Business time. A time that a clock skips is read with the offset before it, one that it shows twice as the second one.

create function app.open_spans(hours jsonb, holidays jsonb, timezone text, from_day date, until_day date) returns tstzmultirange
  language sql stable set search_path = '' as $$
  with days as (
    select d::date as day from generate_series(from_day, until_day, interval '1 day') d
  ), opened as (
    select range_agg(tstzrange(s.opens, s.closes)) as spans from (
      select (days.day + (h ->> 'from')::time) at time zone open_spans.timezone as opens,
        (days.day + case when h ->> 'until' in ('24:00', '00:00') then interval '1 day'
          when (h ->> 'until')::time <= (h ->> 'from')::time then interval '1 day' + (h ->> 'until')::time::interval
          else (h ->> 'until')::time::interval end) at time zone open_spans.timezone as closes
      from days join jsonb_array_elements(hours) h on (h ->> 'day')::integer = extract(isodow from days.day)
    ) s where s.opens < s.closes
  ), closed as (
    select range_agg(tstzrange(s.begins, s.ends)) as spans from (
      select ((h ->> 'date')::date + coalesce(nullif(h ->> 'from', ''), '00:00')::time) at time zone open_spans.timezone as begins,
        ((h ->> 'date')::date + case when coalesce(nullif(h ->> 'until', ''), '24:00') = '24:00' then interval '1 day'
          else (h ->> 'until')::time::interval end) at time zone open_spans.timezone as ends
      from jsonb_array_elements(holidays) h where (h ->> 'date')::date between from_day and until_day + 1
    ) s where s.begins < s.ends
  )
  select coalesce(opened.spans, '{}') - coalesce(closed.spans, '{}') from opened, closed
$$;
comment on function app.open_spans(jsonb, jsonb, text, date, date) is
  'The spans in which business hours that begin on these days are open, without holidays.';

create function app.compiled_clock(calendar uuid, from_day date, until_day date) returns app.calendar_clocks
  language sql stable set search_path = '' as $$
  select row(calendar, from_day, until_day, coalesce(array_agg(s.opens order by s.opens), '{}'), coalesce(array_agg(s.closes order by s.opens), '{}'),
    coalesce(array_agg(s.before order by s.opens), '{}'))::app.calendar_clocks
  from (
    select x.opens, x.closes, coalesce(sum(x.closes - x.opens) over (order by x.opens rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select extract(epoch from lower(r))::double precision as opens, extract(epoch from upper(r))::double precision as closes
      from public.business_calendars c, unnest(app.open_spans(c.hours, c.holidays, c.timezone, from_day, until_day)) r
      where c.id = calendar
    ) x
  ) s
$$;
comment on function app.compiled_clock(uuid, date, date) is 'The clock of a calendar between two days.';

create function app.clock_of(calendar uuid, at timestamptz, until timestamptz) returns app.calendar_clocks
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  select c.* into clock from app.calendar_clocks c where c.calendar_id = calendar;
  -- Two days more on each side: a span of the night before, and time zones far from UTC.
  if clock.calendar_id is null or at < clock.from_day + 2 or until > clock.until_day - 2 then
    clock := app.compiled_clock(calendar, (at - interval '3 days')::date, (until + interval '3 days')::date);
  end if;
  return clock;
end $$;
comment on function app.clock_of(uuid, timestamptz, timestamptz) is
  'The stored clock of a calendar where it reaches from one moment to the other, else one that is made for this call.';

-- Standard SQL, which the planner unfolds: a call would unpack the arrays of five years, and that took most of the time of a recount.

create function app.open_seconds(opens double precision[], closes double precision[], before double precision[], at double precision) returns double precision
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

create function app.open_moment(opens double precision[], closes double precision[], before double precision[], at double precision, seconds double precision)
  returns double precision
  language sql immutable parallel safe
  return case when seconds <= 0 then at
    else app.open_moment_in(opens, closes, before, app.open_seconds(opens, closes, before, at) + seconds,
      app.open_place(before, app.open_seconds(opens, closes, before, at) + seconds)) end;
comment on function app.open_moment(double precision[], double precision[], double precision[], double precision, double precision) is
  'The first moment by which so many open seconds have passed; null where the clock ends before.';

create function app.business_time_between(calendar uuid, from_at timestamptz, until_at timestamptz) returns double precision
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  if from_at is null or until_at is null or until_at <= from_at then
    return 0;
  end if;
  clock := app.clock_of(calendar, from_at, until_at);
  return app.open_seconds(clock.opens, clock.closes, clock.before, extract(epoch from until_at)::double precision)
    - app.open_seconds(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision);
end $$;
comment on function app.business_time_between(uuid, timestamptz, timestamptz) is 'The seconds of business time between two moments.';

create function app.add_business_time(calendar uuid, from_at timestamptz, seconds double precision) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  clock app.calendar_clocks := app.clock_of(calendar, from_at, from_at + interval '30 days');
  found double precision;
  days integer := 180;
begin
  found := app.open_moment(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision, seconds);
  -- A span that reaches over the last day of the clock may be cut by a holiday after it.
  while (found is null or found > extract(epoch from (clock.until_day - 2)::timestamptz)) and days <= 25000 loop
    clock := app.compiled_clock(calendar, (from_at - interval '3 days')::date, (from_at + make_interval(days => days))::date);
    found := app.open_moment(clock.opens, clock.closes, clock.before, extract(epoch from from_at)::double precision, seconds);
    days := days * 5;
  end loop;
  return to_timestamp(found);
end $$;
comment on function app.add_business_time(uuid, timestamptz, double precision) is
  'The first moment at which so many seconds of business time have passed since another; null where that takes more than 61 years.';

create function app.check_calendar() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  refused text;
  clash text;
  bad jsonb;
  own uuid := case tg_op when 'INSERT' then new.id else old.id end;
begin
  if tg_op = 'DELETE' then
    if old.is_default and exists (select 1 from public.companies c where c.id = old.company_id) then
      raise exception using errcode = '23514', hint = 'calendar_default', table = 'business_calendars', schema = 'public',
        message = 'a company keeps its default calendar: make another one the default first';
    end if;
    return old;
  end if;
  if not exists (select 1 from public.business_calendars c where c.company_id = new.company_id and c.is_default and c.id <> own) then
    if tg_op = 'UPDATE' and old.is_default and not new.is_default then
      raise exception using errcode = '23514', hint = 'calendar_default', table = 'business_calendars', schema = 'public', column = 'is_default',
        message = 'a company keeps its default calendar: make another one the default first';
    end if;
    new.is_default := true;
  elsif new.is_default then
    update public.business_calendars c set is_default = false where c.company_id = new.company_id and c.is_default and c.id <> own;
  end if;
  select h into bad from jsonb_array_elements(new.hours) h where not coalesce(jsonb_typeof(h) = 'object' and h ->> 'day' ~ '^[1-7]$'
    and h ->> 'from' ~ '^([01]\d|2[0-3]):[0-5]\d$' and h ->> 'until' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$'
    and h ->> 'from' <> h ->> 'until', false) limit 1;
  if bad is not null then
    refused := 'hours_invalid';
  elsif jsonb_array_length(new.hours) = 0 then
    refused := 'hours_none';
  else
    -- Minutes of a week; an end on the next day goes on, and the end of Sunday meets the start of Monday.
    with spans as (
      select row_number() over () as place, s.day, begins + w.shift as begins, ends + w.shift as ends from (
        select h ->> 'day' as day, ((h ->> 'day')::integer - 1) * 1440 + extract(epoch from (h ->> 'from')::time)::integer / 60 as begins,
          ((h ->> 'day')::integer - 1) * 1440 + case when h ->> 'until' = '24:00' then 1440 else extract(epoch from (h ->> 'until')::time)::integer / 60 end
            + case when h ->> 'until' <> '24:00' and h ->> 'until' <= h ->> 'from' then 1440 else 0 end as ends
        from jsonb_array_elements(new.hours) h) s, (values (0), (10080)) as w (shift))
    select b.day into clash from spans a join spans b on a.place < b.place and a.begins < b.ends and b.begins < a.ends order by b.place limit 1;
    if clash is not null then
      refused := 'hours_overlap';
    end if;
  end if;
  if refused is null then
    select h into bad from jsonb_array_elements(new.holidays) h where not coalesce(jsonb_typeof(h) = 'object'
      and h ->> 'date' ~ '^\d{4}-\d\d-\d\d$' and app.is_day(h ->> 'date')
      and (coalesce(h ->> 'from', '') = '' or h ->> 'from' ~ '^([01]\d|2[0-3]):[0-5]\d$')
      and (coalesce(h ->> 'until', '') = '' or h ->> 'until' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$')
      and coalesce(nullif(h ->> 'from', ''), '00:00') < coalesce(nullif(h ->> 'until', ''), '24:00'), false) limit 1;
    if bad is not null then
      refused := 'holidays_invalid';
    end if;
  end if;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'business_calendars', schema = 'public',
      column = case refused when 'holidays_invalid' then 'holidays' else 'hours' end,
      detail = case refused when 'hours_overlap' then jsonb_build_object('day', clash)::text else '' end,
      message = case refused
        when 'hours_none' then 'a calendar has at least one open hour'
        when 'hours_overlap' then 'business hours of a calendar do not overlap'
        when 'hours_invalid' then format('a row of hours names a day from 1 to 7 and times as HH:MM: %s', bad)
        else format('a holiday names a date, and times as HH:MM of which the first is before the second: %s', bad) end;
  end if;
  return new;
end $$;
comment on function app.check_calendar() is
  'Row trigger: a calendar has open hours that do not overlap, correct holidays, and each company one default. Definer, because the former default '
  'is another row.';

create function app.compile_calendar() returns trigger
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
comment on function app.compile_calendar() is
  'Row trigger: a changed calendar gives up its compiled clock, and the open tickets of its company are counted again. Definer, because both are private.';

create function app.stored_clock(calendar uuid) returns app.calendar_clocks
  language plpgsql volatile set search_path = '' as $$
declare
  clock app.calendar_clocks;
begin
  select c.* into clock from app.calendar_clocks c where c.calendar_id = calendar;
  if clock.calendar_id is null or clock.until_day < current_date + 800 then
    clock := app.compiled_clock(calendar, current_date - 730, current_date + 1100);
    insert into app.calendar_clocks select (clock).*
      on conflict (calendar_id) do update set from_day = excluded.from_day, until_day = excluded.until_day,
        opens = excluded.opens, closes = excluded.closes, before = excluded.before;
  end if;
  return clock;
end $$;
comment on function app.stored_clock(uuid) is 'The clock of a calendar, compiled for two years back and three ahead where it is missing or ends soon.';

create function public.fill_holidays(id uuid, country text, region text, days jsonb) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  calendar public.business_calendars%rowtype;
  filled jsonb;
  merged jsonb;
begin
  perform app.require('business_calendars', 'edit');
  if jsonb_typeof(days) is distinct from 'array' or jsonb_array_length(days) > 1000 then
    raise exception using errcode = '22023', message = 'days is a list of at most 1,000 holidays';
  end if;
  select c.* into calendar from public.business_calendars c where c.id = fill_holidays.id for update;
  if calendar.id is null then
    raise exception 'The calendar was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- Each date once: two holidays of one day close it once.
  select coalesce(jsonb_agg(d.day order by d.day ->> 'date'), '[]') into filled from (
    select distinct on (x ->> 'date') jsonb_strip_nulls(jsonb_build_object('date', x ->> 'date', 'name', left(x ->> 'name', 120), 'from', nullif(x ->> 'from', ''),
      'until', nullif(x ->> 'until', ''))) as day from jsonb_array_elements(days) x order by x ->> 'date', coalesce(x ->> 'from', '')) d;
  select coalesce(jsonb_agg(m.day order by m.day ->> 'date', coalesce(m.day ->> 'from', '')), '[]') into merged from (
    -- Days that were typed or edited by hand stay, and so do those that have passed.
    select c.day from (select jsonb_strip_nulls(jsonb_build_object('date', x ->> 'date', 'name', x ->> 'name', 'from', nullif(x ->> 'from', ''),
        'until', nullif(x ->> 'until', ''))) as day from jsonb_array_elements(calendar.holidays) x) c
      where not calendar.filled_days @> jsonb_build_array(c.day) or (c.day ->> 'date')::date < current_date
        or filled @> jsonb_build_array(c.day)
    union
    -- A day of the country is added unless its date is there, or somebody deleted or moved it after an earlier fill.
    select f from jsonb_array_elements(filled) f
      where not exists (select 1 from jsonb_array_elements(calendar.holidays) x where x ->> 'date' = f ->> 'date')
        and not exists (select 1 from jsonb_array_elements(calendar.filled_days) x where x ->> 'date' = f ->> 'date' and fill_holidays.country = calendar.country
          and fill_holidays.region is not distinct from calendar.region)
  ) m;
  update public.business_calendars c set holidays = merged, country = fill_holidays.country, region = nullif(fill_holidays.region, '')
    where c.id = calendar.id;
  perform app.note_filled_days(calendar.id, filled);
  return jsonb_array_length(merged);
end $$;
comment on function public.fill_holidays(uuid, text, text, jsonb) is
  'Writes the holidays of a country into a calendar and returns how many it has now. Days that were added, changed or deleted by hand stay so.';
grant execute on function public.fill_holidays(uuid, text, text, jsonb) to authenticated;

create function app.note_filled_days(calendar uuid, days jsonb) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require('business_calendars', 'edit');
  update public.business_calendars c set filled_days = days where c.id = calendar and (app.sees_all() or c.company_id = app.own_company());
end $$;
comment on function app.note_filled_days(uuid, jsonb) is
  'Remembers what fill_holidays() wrote. Definer, because nobody writes that column by hand; it asks for the permission and the company itself.';
grant execute on function app.note_filled_days(uuid, jsonb) to authenticated;

-- Service levels.

create function app.check_sla_targets() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text := case
    when jsonb_array_length(new.targets) = 0 then 'targets_none'
    when exists (select 1 from jsonb_array_elements(new.targets) x where not coalesce(jsonb_typeof(x) = 'object'
      and x ->> 'priority' in ('low', 'normal', 'high', 'urgent')
      and (coalesce(x ->> 'first_response', '') = '' or (x ->> 'first_response') ~ '^[1-9]\d{0,6}$')
      and (coalesce(x ->> 'solution', '') = '' or (x ->> 'solution') ~ '^[1-9]\d{0,6}$')
      and coalesce(nullif(x ->> 'first_response', ''), nullif(x ->> 'solution', '')) is not null, false)) then 'targets_invalid'
    when (select count(*) <> count(distinct x ->> 'priority') from jsonb_array_elements(new.targets) x) then 'targets_twice' end;
begin
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'sla_policies', schema = 'public', column = 'targets',
      message = case refused when 'targets_none' then 'a policy names at least one target' when 'targets_twice' then 'a policy names each priority once'
        else 'a target names a priority and whole minutes, from 1 to 9,999,999' end;
  end if;
  return new;
end $$;
comment on function app.check_sla_targets() is 'Row trigger: the targets of a policy are minutes, for each priority once.';

create function app.request_sla_recount() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.sla_recounts (company_id) values (case tg_op when 'DELETE' then old.company_id else new.company_id end)
    on conflict (company_id) do update set after_number = 0, requested_at = now();
  return null;
end $$;
comment on function app.request_sla_recount() is
  'Row trigger: a changed policy has the open tickets of its company counted again. Definer, because the queue is private.';

create function app.sla_policy_of(company uuid, category uuid) returns public.sla_policies
  language sql stable set search_path = '' as $$
  select p.* from public.sla_policies p
  where p.company_id = company and p.enabled and (p.category_id is null or p.category_id = category)
  order by p.category_id is null, p.position, p.id limit 1
$$;
comment on function app.sla_policy_of(uuid, uuid) is 'The policy for tickets of a category: its own before one for all, then by position.';

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

create function app.measure_ticket(ticket public.tickets) returns public.tickets
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
comment on function app.measure_ticket(public.tickets) is 'A ticket with its due times, by the policy of its category and the calendar of that.';

-- Security definer: whoever writes a ticket may not read policies and calendars.
create function app.stamp_ticket_sla() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  was_running boolean := tg_op = 'UPDATE' and old.status in ('new', 'open');
  person uuid := app.acting_user_id();
begin
  -- Somebody took it up. A rule that assigns a new ticket has not done so yet.
  if person is not null and new.assignee_id is not null and (tg_op = 'INSERT' and new.assignment_note is null
    or tg_op = 'UPDATE' and new.assignee_id is distinct from old.assignee_id and new.assignment_note is not distinct from old.assignment_note) then
    new.assignment_note := null;
    if new.status = 'new' then
      new.status := 'open';
      new.status_id := (select s.id from public.ticket_statuses s where s.company_id = new.company_id and s.kind = 'open' and s.is_default);
    end if;
  end if;
  if tg_op = 'INSERT' then
    new.paused_at := case when new.status in ('new', 'open') then null else coalesce(new.paused_at, new.resolved_at, now()) end;
  elsif new.status in ('new', 'open') then
    if old.paused_at < now() then
      insert into app.ticket_pauses (company_id, ticket_id, paused_at, resumed_at) values (new.company_id, new.id, old.paused_at, now());
    end if;
    new.paused_at := null;
  elsif was_running then
    new.paused_at := coalesce(new.resolved_at, now());
  end if;
  if tg_op = 'UPDATE' and (new.status, new.priority, new.category_id, new.due_at, new.first_responded_at, new.paused_at)
    is not distinct from (old.status, old.priority, old.category_id, old.due_at, old.first_responded_at, old.paused_at) then
    return new;
  end if;
  return app.measure_ticket(new);
end $$;
comment on function app.stamp_ticket_sla() is
  'Row trigger: a ticket that somebody took up is open; its clocks stand still while it waits or is done; its due times follow what they depend on. '
  'Definer, because whoever writes a ticket may not read policies and calendars.';

create function app.recount_sla(max_rows integer default 200) returns integer
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
comment on function app.recount_sla(integer) is
  'Step of app.tick(): new due times for the open tickets of companies with a changed calendar or policy, at most 200 a call, so that whoever writes one of '
  'them waits a moment. It waits for nobody: with a ticket that somebody writes at that moment the next call goes on.';

create function app.watch_sla() returns integer
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
comment on function app.watch_sla() is
  'Step of app.tick(): tickets whose clock has reached three quarters or the end of a target change their state, and the desk is told; at most 500 a call.';

create function app.tell_of_sla(ticket public.tickets) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  person uuid;
  notice app.notices%rowtype;
  is_late boolean := ticket.sla_state = 'breached';
begin
  foreach person in array app.desk_people(ticket.company_id) loop
    -- A single bell rings for all tickets of these minutes, and no mail leaves for each clock.
    notice := app.notice_for(person, 'tickets', ticket.company_id, md5('sla/' || ticket.sla_state || '/' || ticket.company_id)::uuid, array[ticket.id], false);
    continue when notice.id is null;
    if notice.records = 1 then
      perform app.ring(notice, case when is_late then 'sla_breached' else 'sla_warning' end,
        jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject, 'assignee', coalesce(ticket.assignee_name, '')), '/tickets/' || ticket.id);
    else
      perform app.ring(notice, case when is_late then 'sla_breaches' else 'sla_warnings' end,
        jsonb_build_object('count', notice.records, 'subject', ticket.subject), '/tickets?view=' || case when is_late then 'breached' else 'near_breach' end);
    end if;
  end loop;
end $$;
comment on function app.tell_of_sla(public.tickets) is
  'Tells the desk, and so the assignee, that a ticket is near its target or beyond it; several of five minutes ring once.';

create function app.note_ticket_reply(company uuid, ticket uuid, author uuid, at timestamptz) returns void
  language plpgsql volatile security definer set search_path = '' as $$
declare
  found public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  is_desk boolean := author = any (app.desk_people(company))
    or exists (select 1 from public.user_roles r where r.user_id = author and r.role = 'Super Admin' and r.deactivated_at is null);
begin
  select t.* into found from public.tickets t where t.company_id = company and t.id = ticket for no key update;
  if found.id is null then
    return;
  end if;
  if author is distinct from found.requester_id and is_desk then
    update public.tickets t set first_responded_at = coalesce(t.first_responded_at, at), status = case t.status when 'new' then 'open' else t.status end
      where t.company_id = company and t.id = ticket and (t.first_responded_at is null or t.status = 'new');
  elsif author = found.requester_id then
    select s.* into settings from public.desk_settings s where s.company_id = company;
    if coalesce(settings.reopen_on_reply, true) and (found.status = 'waiting' and found.open_approvals = 0 or found.status = 'resolved'
      or found.status = 'closed' and coalesce(settings.reopen_days, 0) > 0 and found.resolved_at > at - make_interval(days => settings.reopen_days)) then
      update public.tickets t set status = 'open' where t.company_id = company and t.id = ticket;
    end if;
  end if;
end $$;
comment on function app.note_ticket_reply(uuid, uuid, uuid, timestamptz) is
  'A reply was written on a ticket: the desk''s first one stamps the first response and opens a new ticket, one of the requester opens a ticket that '
  'waits or is resolved. Definer, because requesters may not write these columns. Granted to nobody: triggers call it.';

create function app.close_resolved() returns integer
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
comment on function app.close_resolved() is
  'Step of app.tick(): closes tickets that have been resolved for as many days as their company says; at most 500 a call.';

-- Assignment.

create function app.check_assignment_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  refused text;
begin
  if app.is_server_work() then
    return new;
  end if;
  refused := case
    when new.assigns = 'person' and new.assignee_id is null then 'rule_without_person'
    when new.assigns = 'person' and new.assignee_id is not null and not new.assignee_id = any (app.desk_people(new.company_id))
      and (tg_op = 'INSERT' or new.assignee_id is distinct from old.assignee_id) then 'rule_person'
    when new.role is not null and not new.role = any (app.roles_that_may('tickets', 'assign')) then 'rule_role'
    when new.requester_id is not null and (tg_op = 'INSERT' or new.requester_id is distinct from old.requester_id)
      and not exists (select 1 from public.user_roles r where r.user_id = new.requester_id and r.company_id = new.company_id) then 'rule_requester'
    when new.issue_id is not null and new.category_id is not null and not exists (
      select 1 from public.ticket_issues i where i.company_id = new.company_id and i.id = new.issue_id and i.category_id = new.category_id) then 'rule_issue' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, table = 'assignment_rules', schema = 'public',
      column = case refused when 'rule_role' then 'role' when 'rule_issue' then 'issue_id' when 'rule_requester' then 'requester_id' else 'assignee_id' end,
      message = case refused when 'rule_role' then 'people of this role are assigned no tickets' when 'rule_issue' then 'the issue type is of another category'
        when 'rule_without_person' then 'the rule names nobody to assign to' when 'rule_requester' then 'the requester is of another company'
        else 'this person does not work the tickets of the company' end;
  end if;
  return new;
end $$;
comment on function app.check_assignment_rule() is
  'Row trigger: a rule assigns to people who work the desk. Definer, because it reads roles and people that the writer may not.';

-- Security definer: nobody writes the note by hand, and a rule changes those of the rules after it.
create function app.note_rule_reach() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  company constant uuid := case tg_op when 'DELETE' then old.company_id else new.company_id end;
begin
  update public.assignment_rules r set reach_note = x.note
  from (
    select o.id, (
      select "left"(format('Never reached: %s takes every ticket', c.name), 200) from public.assignment_rules c
      where o.enabled and c.enabled and c.company_id = company and (c.position, c.id) < (o.position, o.id)
        and num_nonnulls(c.category_id, c.issue_id, c.priority, c.group_id, c.requester_id) = 0
        and case c.assigns when 'person' then c.assignee_id is not null
          else c.role is null or exists (select 1 from public.user_roles u where u.company_id = company and u.role = c.role and u.deactivated_at is null) end
      order by c.position, c.id limit 1) as note
    from public.assignment_rules o where o.company_id = company
  ) x
  where r.id = x.id and r.reach_note is distinct from x.note;
  return null;
end $$;
comment on function app.note_rule_reach() is
  'Row trigger: rules behind one without a condition say that they are never reached. Definer, because nobody writes the note by hand.';

-- Security definer: whoever opens a ticket may not read rules, groups and people.
create function app.assign_by_rule() returns trigger
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
comment on function app.assign_by_rule() is
  'Row trigger: an unassigned ticket goes to whom the first rule names that it meets and that has somebody who works the desk now; the ticket says which, '
  'or that none did. Definer, because whoever opens a ticket may not read rules, groups and people.';

-- Forms of a category and the answers of a ticket.

create function app.check_answers(form jsonb, answers jsonb, is_complete boolean) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  field jsonb;
  value jsonb;
  key text;
begin
  if jsonb_typeof(answers) is distinct from 'object' or length(answers::text) > 100000 then
    return '';
  end if;
  for key in select k from jsonb_object_keys(answers) k loop
    if not exists (select 1 from jsonb_array_elements(form) f where f ->> 'key' = key) then
      return key;
    end if;
  end loop;
  for field in select f from jsonb_array_elements(form) f loop
    key := field ->> 'key';
    value := answers -> key;
    if value is null or value = 'null' or value = '""' then
      if is_complete and coalesce((field ->> 'required')::boolean, false) then
        return key;
      end if;
      continue;
    end if;
    if not coalesce(case field ->> 'kind'
      when 'text' then jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 500 and app.unclean_character(value #>> '{}') is null
      when 'textarea' then jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 10000 and app.hidden_character(value #>> '{}') is null
      when 'number' then jsonb_typeof(value) = 'number'
      when 'date' then jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^\d{4}-\d\d-\d\d$' and app.is_day(value #>> '{}')
      when 'enum' then jsonb_typeof(value) = 'string' and field -> 'options' ? (value #>> '{}')
      when 'checkbox' then jsonb_typeof(value) = 'boolean' and (value = 'true' or not (is_complete and coalesce((field ->> 'required')::boolean, false)))
      end, false) then
      return key;
    end if;
  end loop;
  return null;
end $$;
comment on function app.check_answers(jsonb, jsonb, boolean) is
  'The key of the first answer that a form does not take, or null. A form is rows of {key, label, kind, required, options}.';

create function app.answers_for(form jsonb, answers jsonb) returns jsonb
  language sql immutable set search_path = '' as $$
  select coalesce(jsonb_object_agg(a.key, a.value), '{}') from jsonb_each(answers) a
  where exists (select 1 from jsonb_array_elements(form) f
    where f ->> 'key' = a.key and app.check_answers(jsonb_build_array(f), jsonb_build_object(a.key, a.value), false) is null)
$$;
comment on function app.answers_for(jsonb, jsonb) is 'The answers that a form takes, of those that were given to another form or to an earlier state of this one.';

create function app.refuse_answer(tbl text, col text, form jsonb, answers jsonb, key text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  question jsonb := (select f from jsonb_array_elements(form) f where f ->> 'key' = key limit 1);
  is_missing constant boolean := question is not null and coalesce(answers -> key, 'null') in ('null', '""', 'false');
begin
  raise exception using errcode = '23514', hint = case when is_missing then 'answer_missing' else 'answers_invalid' end,
    table = tbl, schema = 'public', column = col,
    message = format('column "%s" %s: %s', col, case when is_missing then 'lacks an answer' else 'does not take this answer' end, key),
    detail = jsonb_build_object('field', coalesce(nullif(question ->> 'label', ''), key))::text;
end $$;
comment on function app.refuse_answer(text, text, jsonb, jsonb, text) is
  'Raises 23514 for what app.check_answers() found: hint answer_missing or answers_invalid; the detail has the label of the question.';
grant execute on function app.refuse_answer(text, text, jsonb, jsonb, text) to authenticated, service_role;

create function app.check_ticket_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if tg_op = 'UPDATE' and (new.answers, new.category_id) is not distinct from (old.answers, old.category_id) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c where c.company_id = new.company_id and c.id = new.category_id), '[]');
  -- Another category asks other questions: answers that it does not ask for go.
  if tg_op = 'UPDATE' and new.category_id is distinct from old.category_id and new.answers = old.answers then
    new.answers := app.answers_for(form, new.answers);
  else
    -- Alerts and the server answer nothing, and a ticket that is split off has the answers that its source has.
    key := app.check_answers(form, new.answers, not app.is_server_work() and coalesce(current_setting('app.answered_before', true), '') = ''
      and (tg_op = 'INSERT' or new.answers <> old.answers));
  end if;
  if key is not null then
    perform app.refuse_answer('tickets', 'answers', form, new.answers, key);
  end if;
  return new;
end $$;
comment on function app.check_ticket_answers() is
  'Row trigger: the answers of a ticket fit the form of its category. Definer, because the writer may not read every category.';

create function app.check_monitor_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if not (app.is_server_work() or app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c
    where c.company_id = new.company_id and c.id = new.ticket_category_id), '[]');
  if tg_op = 'UPDATE' and new.ticket_answers = old.ticket_answers then
    new.ticket_answers := app.answers_for(form, new.ticket_answers);
  end if;
  key := app.check_answers(form, new.ticket_answers, false);
  if key is not null then
    perform app.refuse_answer('monitors', 'ticket_answers', form, new.ticket_answers, key);
  end if;
  return new;
end $$;
comment on function app.check_monitor_answers() is
  'Row trigger: the answers for tickets of a monitor fit the form of their category. Definer, because the writer may not read every category.';

create function app.answer_for_monitor() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- The form may have changed since the monitor was set up: an alert never fails for it, the ticket then answers nothing.
  new.answers := coalesce((select m.ticket_answers from public.alerts a
    join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id and m.ticket_category_id = new.category_id
    join public.ticket_categories c on c.company_id = m.company_id and c.id = m.ticket_category_id
    where a.company_id = new.company_id and a.id = new.alert_id and app.check_answers(c.fields, m.ticket_answers, false) is null), '{}');
  return new;
end $$;
comment on function app.answer_for_monitor() is
  'Row trigger: a ticket that an alert opens answers the form of its category as the monitor says. Definer, because nobody may write for alerts.';

-- Canned replies.

create function app.check_canned_reply() returns trigger
  language plpgsql set search_path = '' as $$
declare
  unknown text := (select m[1] from regexp_matches(new.body, '\{([a-zA-Z_]+(?:\.[a-zA-Z_]+)*)\}', 'g') m
    where m[1] not in ('requester.name', 'ticket.number', 'device.name', 'agent.name', 'company.name') limit 1);
begin
  if unknown is not null then
    raise exception using errcode = '23514', hint = 'placeholder_unknown', table = 'canned_replies', schema = 'public', column = 'body',
      message = format('there is no placeholder {%s}', unknown), detail = jsonb_build_object('placeholder', '{' || unknown || '}')::text;
  end if;
  return new;
end $$;
comment on function app.check_canned_reply() is 'Row trigger: a text names known placeholders only.';

-- Runs as the caller: row-level security decides which reply and which ticket are read.
create function public.fill_canned_reply(reply uuid, ticket uuid) returns text
  language plpgsql stable set search_path = '' as $$
declare
  body text := (select r.body from public.canned_replies r where r.id = reply);
  found record;
  part record;
  filled text := '';
begin
  select t.number, t.requester_name, d.name as device, c.name as company, (select p.name from public.profiles p where p.id = app.current_user_id()) as agent
    into found from public.tickets t
    left join public.devices d on d.company_id = t.company_id and d.id = t.device_id
    left join public.companies c on c.id = t.company_id
    where t.id = ticket;
  if body is null or found.number is null then
    raise exception 'The canned reply or the ticket was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- In one pass: a name that looks like a placeholder stays a name.
  for part in select m[1] as before, m[2] as placeholder from regexp_matches(body || '{end}', '(.*?)\{(requester\.name|ticket\.number|device\.name|agent\.name|company\.name|end)\}', 'gs') m loop
    filled := filled || part.before || coalesce(case part.placeholder when 'requester.name' then found.requester_name when 'ticket.number' then found.number::text
      when 'device.name' then found.device when 'agent.name' then found.agent when 'company.name' then found.company when 'end' then '' end,
      '{' || part.placeholder || '}');
  end loop;
  return filled;
end $$;
comment on function public.fill_canned_reply(uuid, uuid) is
  'The text of a canned reply for a ticket, its placeholders filled in; one without a value stays as it is written.';
grant execute on function public.fill_canned_reply(uuid, uuid) to authenticated;

create function app.note_comment_on_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Conversations that are loaded have had their effect. In the order in which tickets are locked.
  if not app.quiet() then
    perform app.note_ticket_reply(n.company_id, n.ticket_id, n.author_id, n.created_at)
      from (select r.* from new_rows r where r.kind = 'reply' and r.origin is null order by r.ticket_id, r.created_at) n;
  end if;
  return null;
end $$;
comment on function app.note_comment_on_ticket() is
  'Statement trigger: a reply stamps the first response, opens a new ticket, or reopens one that waits. Definer, because app.note_ticket_reply() is granted to nobody.';
