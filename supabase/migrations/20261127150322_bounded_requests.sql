-- Bounded requests.

set check_function_bodies = off;

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A joiner stays between two pictures, where it makes one of them. Looking around is slow, and few texts hold one.
    case when pg_catalog.strpos(value, U&'\200D') = 0 then value else pg_catalog.regexp_replace(value,
      '(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])', '', 'g') end,
    '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g'), 
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g')), most);

create or replace function app.clean_line(value text) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  cleaned text := value;
begin
  if app.unclean_character(value) is not null then
    cleaned := app.clean_text(value, length(value));
    -- A joiner or selector that is part of no emoji, or whose emoji was cut.
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
      -- As the table keeps it: what is compared is the same text.
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

-- Security invoker: a text that the caller may not read is no reason either.
create or replace function public.find_reasons(q text, wanted jsonb) returns table (resource text, id uuid, field text, snippet text)
  language plpgsql stable set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  patterns constant text[] := app.search_patterns(q);
  entry record;
  own regclass;
  thread jsonb;
  texts text;
  asked integer := 0;
begin
  if cardinality(patterns) = 0 then
    return;
  end if;
  if jsonb_typeof(wanted) is distinct from 'array' or jsonb_array_length(wanted) > 200 then
    raise exception using errcode = '22023', message = 'wanted is a list of at most 200 of {name, ids, fields}';
  end if;
  for entry in
    select distinct on (w.name) w.name, w.ids, w.fields from jsonb_to_recordset(wanted) as w (name text, ids uuid[], fields text[]) order by w.name
  loop
    asked := asked + cardinality(entry.ids);
    if asked > 200 then
      raise exception using errcode = '22023', message = 'at most 200 ids';
    end if;
    own := app.filter_table(entry.name);
    -- No more than find_records() gives: each text is folded again, and a body may have 50,000 letters.
    if cardinality(entry.ids) > 20 or cardinality(entry.fields) > 20 then
      raise exception using errcode = '22023', message = 'at most 20 ids and 20 fields of a resource';
    end if;
    select string_agg(format('select %s as place, t.id, %L as field, t.%I::text as value from %s t where t.id = any ($1)',
      array_position(entry.fields, a.attname::text), a.attname, a.attname, own), ' union all ')
    into texts from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    thread := app.comment_settings(entry.name);
    if (thread ->> 'search')::boolean then
      -- The stored text for searches spares folding each of the comments that do not match.
      texts := concat_ws(' union all ', texts, format(
        'select 1000 as place, c.%1$I as id, ''comments'' as field, c.body as value from public.%2$I c where c.%1$I = any ($1) and c.search operator(pg_catalog.~~) any ($2)',
        thread ->> 'record', thread ->> 'comments'));
    end if;
    continue when texts is null;
    begin
      return query execute format($query$
        select distinct on (f.id) %L::text, f.id, f.field,
          -- The folded text is about as long as the text itself, so that the match is within what is cut out.
          pg_catalog.regexp_replace(pg_catalog.substr(f.value, greatest(f.at - 40, 1), 160), '\s+', ' ', 'g')
        from (
          select x.place, x.id, x.field, x.value, x.folded,
            (select pg_catalog.min(nullif(pg_catalog.strpos(x.folded, w.word), 0)) from pg_catalog.unnest($3) as w (word)) as at
          from (select v.place, v.id, v.field, normalize(v.value, NFC) as value, app.fold(v.value) as folded from (%s) v) x) f
        where f.at is not null
        order by f.id, (f.folded operator(pg_catalog.~~) all ($2)) desc, f.place, f.at$query$, entry.name, texts)
      using entry.ids, patterns, string_to_array(app.fold(regexp_replace(btrim("left"(q, 200)), '\s+', ' ', 'g')), ' ');
    exception when insufficient_privilege then
      -- A table, or a field, that the caller may not read gives no reason.
      null;
    end;
  end loop;
end $$;
comment on function public.find_reasons(text, jsonb) is
  'Why records match the words of q: of each, the field that holds them and the text around the first. wanted: [{name, ids, fields in their '
  'order}]; the field of a comment is `comments`. Runs as the caller.';

-- Runs as the caller: row-level security decides which rows are counted.
create or replace function public.list_figures(
  resource text, figures jsonb, filter jsonb, q text default '', zone text default 'UTC'
) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '20s' as $$
declare
  figure record;
  source text;
  own text;
  part text;
  whole text;
  single text[] := '{}';
  place record;
  bucket text;
  period text;
  periods integer;
  answer jsonb;
  answers jsonb := '{}';
begin
  if jsonb_typeof(figures) is distinct from 'object' or (select count(*) from jsonb_object_keys(figures)) > 24 then
    perform app.refuse_figure('figures must be an object with 24 entries or fewer');
  end if;
  -- The limits of a filter hold for all figures of a request together.
  perform app.check_filter(jsonb_build_object('_and', jsonb_build_array(filter) || coalesce((
    select jsonb_agg(w.condition) from jsonb_each(figures) as e
      cross join lateral (values (e.value -> 'filter'), (e.value -> 'part')) as w (condition)
    where jsonb_typeof(w.condition) = 'object'), '[]')));
  source := app.matching_source(resource, filter, q);
  own := app.filter_condition(resource, filter);
  for figure in select e.key as name, e.value as given from jsonb_each(figures) as e loop
    part := app.filter_condition(resource, coalesce(figure.given -> 'filter', '{}'));
    whole := own || ' and ' || part;
    answer := null;
    case figure.given ->> 'show'
      when 'number' then
        single := single || format('%L, jsonb_build_object(''value'', %s filter (where %s))',
          figure.name, app.figure_measure(resource, figure.given), part);
      when 'share' then
        single := single || format('%L, jsonb_build_object(''value'', pg_catalog.count(*) filter (where %s and %s), ''of'', pg_catalog.count(*) filter (where %s))',
          figure.name, part, app.filter_condition(resource, coalesce(figure.given -> 'part', '{}')), part);
      when 'top' then
        place := app.filter_path(resource, figure.given ->> 'by');
        if place.via is not null then
          perform app.refuse_figure(format('%L is not a column of %s', figure.given ->> 'by', resource));
        end if;
        execute format('select coalesce(jsonb_agg(jsonb_build_object(''key'', r.key, ''value'', r.value) order by r.value desc nulls last, r.key), ''[]'')
          from (select %s::text as key, %s as value from %s where %s group by 1 order by 2 desc nulls last, 1 limit %s) r',
          place.col, app.figure_measure(resource, figure.given), source, whole,
          least(greatest(coalesce((figure.given ->> 'max')::integer, 5), 1), 50)) into answer;
      when 'series' then
        place := app.filter_path(resource, figure.given ->> 'by');
        period := figure.given ->> 'every';
        periods := least(greatest(coalesce((figure.given ->> 'last')::integer, 12), 1), 100);
        if place.via is not null or place.kind not in ('date', 'timestamp with time zone') or coalesce(period, '') not in ('day', 'week', 'month') then
          perform app.refuse_figure('a series counts the days, weeks or months of a date of the resource');
        end if;
        -- A day has no zone; a moment is of the day that the reader's clock shows.
        bucket := case place.kind when 'date' then format('%s::timestamp', place.col)
          else format('%s at time zone %L', place.col, zone) end;
        execute format($query$
          with edge as (select date_trunc(%1$L, now() at time zone %2$L) - (%3$s - 1) * interval %4$L as first),
          found as (
            select date_trunc(%1$L, %5$s) as start, %6$s as value from %7$s cross join edge
            where %8$s and %9$s >= %10$s group by 1)
          select jsonb_agg(jsonb_build_object('key', to_char(p.start, 'YYYY-MM-DD'), 'value', f.value) order by p.start)
          from edge cross join lateral generate_series(edge.first, edge.first + (%3$s - 1) * interval %4$L, interval %4$L) as p (start)
          left join found f on f.start = p.start $query$,
          period, zone, periods, '1 ' || period, bucket, app.figure_measure(resource, figure.given), source, whole, place.col,
          case place.kind when 'date' then 'edge.first::date' else format('(edge.first at time zone %L)', zone) end) into answer;
      when 'table' then
        answer := app.figure_table(resource, figure.given, source, whole, zone);
      else perform app.refuse_figure(format('unknown figure %L', figure.given ->> 'show'));
    end case;
    answers := answers || jsonb_build_object(figure.name, answer);
  end loop;
  -- Single values in one pass over the rows.
  if cardinality(single) > 0 then
    execute format('select jsonb_build_object(%s) from %s where %s', array_to_string(single, ', '), source, own) into answer;
    answers := answers || answer;
  end if;
  return answers;
end $$;
