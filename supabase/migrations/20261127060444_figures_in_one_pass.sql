-- Figures in one pass.

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
