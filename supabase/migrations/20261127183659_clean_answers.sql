-- Clean answers.

set check_function_bodies = off;

create or replace function app.is_form(form jsonb) returns boolean
  language sql immutable set search_path = '' as $$
  select jsonb_typeof(form) = 'array' and jsonb_array_length(form) <= 50
    and not exists (select 1 from jsonb_array_elements(form) f where not coalesce(jsonb_typeof(f) = 'object'
      and f - '{key,label,kind,required,options}'::text[] = '{}'
      and f ->> 'key' ~ '^[a-z][a-z0-9_]{0,40}$' and length(btrim(f ->> 'label')) between 1 and 200 and app.unclean_character(f ->> 'label') is null
      and f ->> 'kind' in ('text', 'textarea', 'number', 'date', 'enum', 'checkbox')
      and coalesce(jsonb_typeof(f -> 'required'), 'null') in ('boolean', 'null')
      and case jsonb_typeof(f -> 'options') when 'array' then jsonb_array_length(f -> 'options') <= 100
          and (f ->> 'kind' <> 'enum' or jsonb_array_length(f -> 'options') > 0)
          and not exists (select 1 from jsonb_array_elements(f -> 'options') o where not coalesce(jsonb_typeof(o) = 'string'
            and length(btrim(o #>> '{}')) between 1 and 500 and app.unclean_character(o #>> '{}') is null, false))
        else f ->> 'kind' <> 'enum' and coalesce(jsonb_typeof(f -> 'options'), 'null') = 'null' end, false))
    and (select count(*) = count(distinct f ->> 'key') from jsonb_array_elements(form) f)
$$;
comment on function app.is_form(jsonb) is
  'Whether a list of fields can be asked: each with a key of its own, a label and a kind, and choices where it is one of them; labels and choices '
  'are one line without hidden characters.';

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A joiner stays between two pictures, where it makes one of them. Looking around is slow, and few texts hold one.
    case when pg_catalog.strpos(value, U&'\200D') = 0 then value else pg_catalog.regexp_replace(value,
      '(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])', '', 'g') end,
    '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g'), 
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g'), U&' \00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\202F\205F\3000'), most);

create or replace function app.unclean_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  select case when value !~ '[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u024F\u0391-\u03CE\u0400-\u045F]' then null else coalesce(
    case when value ~ '^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+$' then 'U+' || lpad(upper(to_hex(ascii(btrim(value)))), 4, '0') end,
    app.hidden_character(' ' || regexp_replace(value, '([\u0600-\u06FF\u0750-\u077F\u08A0-\u08FF\u0900-\u0DFF])[\u200C\u200D]', '\1', 'g')),
    case substring(value from '[\t\n\r]') when E'\t' then 'U+0009' when E'\n' then 'U+000A' when E'\r' then 'U+000D' end) end
$$;
comment on function app.unclean_character(text) is
  'The first character of a short text that app.hidden_character() names, its first tab or line break, as U+000A, or the first blank of one that has '
  'nothing else; null for none. Persian, Urdu and the scripts of India are written with joiners between letters, which are none.';

create or replace function app.clean_line(value text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  cleaned text := value;
begin
  if app.unclean_character(value) is not null then
    cleaned := app.clean_text(value, length(value));
    -- A joiner or selector may be left of an emoji that was cut.
    if app.unclean_character(cleaned) is not null then
      cleaned := btrim(regexp_replace(cleaned, '[\u200D\uFE0F]+', '', 'g'));
    end if;
  end if;
  return cleaned;
end $$;

create or replace function app.match_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  knows_installed boolean := jsonb_typeof(report -> 'installed') = 'array';
  missing jsonb;
begin
  if jsonb_typeof(report -> 'missing') is distinct from 'array' then
    return;
  end if;
  if jsonb_array_length(report -> 'missing') > 1000 or (knows_installed and jsonb_array_length(report -> 'installed') > 1000) then
    raise exception 'The list of updates is too long.' using errcode = 'PT413';
  end if;
  -- The device's updates in the form of public.patches, each once.
  select coalesce(jsonb_agg(to_jsonb(m)), '[]') into missing
  from (
    select distinct on (title, kb_number) *
    from (
      -- A title is cleaned here as the table cleans it, so that one text is compared with the same one.
      select app.clean_line(btrim(app.short_text(e -> 'title', 300))) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number,
        case when e ->> 'category' in ('security', 'critical', 'feature', 'driver', 'definition', 'application') then e ->> 'category'
          else 'other' end as category,
        case when e ->> 'severity' in ('critical', 'important', 'moderate', 'low') then e ->> 'severity' else 'unspecified' end as severity,
        case when jsonb_typeof(e -> 'size_mb') = 'number' and (e ->> 'size_mb')::numeric between 0 and 1000000
          then round((e ->> 'size_mb')::numeric, 2) end as size_mb,
        (app.lenient_instant(case when e ->> 'release_date' ~ '^\d{4}-\d\d-\d\d$' then e ->> 'release_date' || 'T00:00:00Z' end)
          at time zone 'UTC')::date as release_date,
        coalesce(e -> 'reboot_required' = 'true', false) as reboot_required,
        nullif(btrim(app.short_text(e -> 'installed_version', 40)), '') as installed_version
      from jsonb_array_elements(report -> 'missing') e where jsonb_typeof(e) = 'object'
    ) listed
    where listed.title <> ''
    order by title, kb_number
  ) m;

  -- Only what is new is written: all devices of a company report the same updates. One order for all of them.
  insert into public.patches (company_id, title, kb_number, category, severity, size_mb, release_date, reported_by)
    select company, m.title, m.kb_number, m.category, m.severity, m.size_mb, m.release_date, device
    from jsonb_to_recordset(missing) m (title text, kb_number text, category text, severity text, size_mb numeric, release_date date)
    where not exists (
      select 1 from public.patches p where p.company_id = company and p.title = m.title and p.kb_number = m.kb_number)
      -- A device that invents updates fills neither the disk nor the list that all devices of the company share.
      and (select count(*) from public.patches p where p.company_id = company) < 20000
      and (select count(*) from public.patches p
        where p.company_id = company and p.reported_by = match_patches.device and p.created_at > now() - interval '1 day') < 2000
      and (select count(*) from public.device_patches t where t.company_id = company and t.device_id = device) < 3000
    order by m.title, m.kb_number
    on conflict (company_id, title, kb_number) do nothing;

  -- Replaced by a newer one of the same name: neither missing nor installed.
  with replaced as (
    delete from public.device_patches t using public.patches p
      where t.company_id = company and t.device_id = device and t.status <> 'installed'
        and p.company_id = company and p.id = t.patch_id
        and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
          where m.title = p.title and m.kb_number = p.kb_number)
        and exists (select 1 from jsonb_to_recordset(missing) m (title text) where m.title = p.title)
      returning t.patch_id
  ), due as (
    select p.id from public.patches p
      where p.company_id = company and p.id in (select r.patch_id from replaced r) and not p.superseded
        -- The device's own row is gone after this statement: for any other device it is not superseded yet.
        and not exists (select 1 from public.device_patches o
          where o.company_id = company and o.patch_id = p.id and o.device_id <> device and o.status <> 'installed')
      order by p.id for no key update
  )
  update public.patches p set superseded = true from due where p.company_id = company and p.id = due.id;

  -- Missing no longer: installed, unless the system knows better.
  with gone as (
    select t.id, not knows_installed or exists (
        select 1 from jsonb_array_elements(report -> 'installed') e
        where jsonb_typeof(e) = 'object' and e ->> 'title' = p.title and coalesce(e ->> 'kb_number', '') = p.kb_number
      ) as is_installed
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.device_id = device and t.status <> 'installed'
      and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
        where m.title = p.title and m.kb_number = p.kb_number)
  ), dropped as (
    delete from public.device_patches t using gone
      where t.company_id = company and t.id = gone.id and not gone.is_installed
  )
  update public.device_patches t set status = 'installed', installed_at = now(), error = null
    from gone where t.company_id = company and t.id = gone.id and gone.is_installed;

  insert into public.device_patches as t (company_id, device_id, patch_id, reboot_required, installed_version)
    select company, device, p.id, m.reboot_required, m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, reboot_required boolean, installed_version text)
    join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
    where (select count(*) from public.device_patches o where o.company_id = company and o.device_id = match_patches.device) < 3000
      or exists (select 1 from public.device_patches o where o.company_id = company and o.device_id = match_patches.device and o.patch_id = p.id)
    on conflict (device_id, company_id, patch_id) do update
      set status = 'missing', installed_at = null, run_id = null, error = null, reboot_required = excluded.reboot_required,
        installed_version = excluded.installed_version
      -- It was removed again.
      where t.status = 'installed';

  -- The version that an update would replace changes while the update waits.
  update public.device_patches t set installed_version = m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, installed_version text)
    join public.patches p on p.company_id = match_patches.company and p.title = m.title and p.kb_number = m.kb_number
    where t.company_id = company and t.device_id = device and t.patch_id = p.id and t.status <> 'installed'
      and t.installed_version is distinct from m.installed_version;

  -- Whatever another device said before: an update that a device lacks is not superseded.
  with lacking as (
    select p.id from jsonb_to_recordset(missing) m (title text, kb_number text)
      join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
      where p.superseded order by p.id for no key update of p
  )
  update public.patches p set superseded = false from lacking where p.company_id = company and p.id = lacking.id;

  -- The run that should have installed it is over, and it is still missing.
  update public.device_patches t set status = 'failed', error = 'still_missing'
    from public.job_runs r
    where t.company_id = company and t.device_id = device and t.status in ('queued', 'installing')
      and r.company_id = company and r.id = t.run_id and r.finished_at < now() - interval '2 minutes';
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
  -- Tickets in the trash move as well, whatever their deleted_at, so that they come back with a status that exists.
  update public.tickets t set status_id = by where t.company_id = gone.company_id and t.status_id = gone.id;
  get diagnostics moved = row_count;
  delete from public.ticket_statuses s where s.company_id = gone.company_id and s.id = gone.id;
  return moved;
end $$;

create or replace function public.fill_holidays(id uuid, country text, region text, days jsonb) returns integer
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

create or replace function app.check_answers(form jsonb, answers jsonb, is_complete boolean) returns text
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
