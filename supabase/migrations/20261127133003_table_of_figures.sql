-- Table of figures.

create function app.figure_table(resource text, given jsonb, source text, whole text, zone text) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  down record := app.filter_path(resource, given ->> 'by');
  across record := app.filter_path(resource, given ->> 'across');
  period text := given ->> 'every';
  periods integer := least(greatest(coalesce((given ->> 'last')::integer, 12), 1), 100);
  max_rows integer := least(greatest(coalesce((given ->> 'max')::integer, 50), 1), 50);
  bucket text := across.col || '::text';
  within text := 'true';
  first timestamp;
  after timestamp;
  keys jsonb;
  answer jsonb;
begin
  if down.via is not null or across.via is not null then
    perform app.refuse_figure(format('a table counts by two columns of %s', resource));
  end if;
  if period is not null then
    if across.kind not in ('date', 'timestamp with time zone') or period not in ('day', 'week', 'month') then
      perform app.refuse_figure('the periods of a table are the days, weeks or months of a date of the resource');
    end if;
    first := date_trunc(period, now() at time zone zone) - (periods - 1) * ('1 ' || period)::interval;
    after := first + periods * ('1 ' || period)::interval;
    -- A day has no zone; a moment is of the day that the reader's clock shows.
    bucket := format('pg_catalog.to_char(pg_catalog.date_trunc(%L, %s), ''YYYY-MM-DD'')', period,
      case across.kind when 'date' then format('%s::timestamp', across.col) else format('(%s at time zone %L)', across.col, zone) end);
    within := case across.kind
      when 'date' then format('%1$s >= %2$L::date and %1$s < %3$L::date', across.col, first, after)
      else format('%1$s >= (%2$L::timestamp at time zone %4$L) and %1$s < (%3$L::timestamp at time zone %4$L)', across.col, first, after, zone) end;
    keys := (select jsonb_agg(to_char(p.start, 'YYYY-MM-DD') order by p.start)
      from generate_series(first, after - ('1 ' || period)::interval, ('1 ' || period)::interval) as p (start));
  end if;
  -- Sums per row, per column and of all come from the rows themselves: an average of averages would be wrong.
  execute format($query$
    with found as materialized (
      select %1$s::text as down, %2$s as across, grouping(%1$s::text, %2$s) as level, %3$s as value
      from %4$s where %5$s and %6$s
      group by grouping sets ((%1$s::text, %2$s), (%1$s::text), (%2$s), ())),
    downs as (select f.down, f.value from found f where f.level = 1 order by f.value desc nulls last, f.down limit %7$s),
    acrosses as (
      select k.key as across, f.value, k.place from jsonb_array_elements_text($1) with ordinality as k (key, place)
        left join found f on f.level = 2 and f.across = k.key
      union all
      (select f.across, f.value, row_number() over (order by f.value desc nulls last, f.across) from found f
        where f.level = 2 and $1 is null order by 3 limit %7$s))
    select jsonb_build_object(
      'rows', (select coalesce(jsonb_agg(jsonb_build_object('key', d.down, 'value', d.value) order by d.value desc nulls last, d.down), '[]') from downs d),
      'columns', (select coalesce(jsonb_agg(jsonb_build_object('key', a.across, 'value', a.value) order by a.place), '[]') from acrosses a),
      'cells', (select coalesce(jsonb_agg(jsonb_build_array(f.down, f.across, f.value)), '[]') from found f
        join downs d on d.down is not distinct from f.down join acrosses a on a.across is not distinct from f.across where f.level = 0),
      'value', (select f.value from found f where f.level = 3),
      'of', (select count(*) from found f where f.level = 1))$query$,
    down.col, bucket, app.figure_measure(resource, given), source, whole, within, max_rows)
  into answer using keys;
  return answer;
end $$;
comment on function app.figure_table(text, jsonb, text, text, text) is
  'A figure by two columns, with the figure of each row, of each column and of all: {rows: [{key, value}], columns: [{key, value}], cells: '
  '[[row, column, value]], value, of: how many rows there are}. With every, the columns are the last periods of a date; otherwise '
  'the values with the largest figures. Runs as the caller, for list_figures.';
grant execute on function app.figure_table(text, jsonb, text, text, text) to authenticated;

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
        if place.via is not null or place.kind not in ('date', 'timestamp with time zone') or period not in ('day', 'week', 'month') then
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
comment on function public.list_figures(text, jsonb, jsonb, text, text) is
  'The figures of a list under its filter and search, in one request: {name: {show, measure, of, by, across, filter, part, every, last, max}}. '
  'number answers {value}, share {value, of}, top [{key, value}] with the largest first, series [{key: first day of the period, value}] up to '
  'the current one, table as app.figure_table. Paths as in app.filter_path, periods by the clock of zone. Runs as the caller; 22023 for what it does not know.';
