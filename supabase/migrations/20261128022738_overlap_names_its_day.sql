-- Overlap names its day.

create or replace function app.check_calendar() returns trigger
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
