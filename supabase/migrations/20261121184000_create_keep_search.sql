-- Search for any table in one call, as app.keep_tenant() and its sisters set up the rest of it.

-- Definer as before, for the trigram index; now also over tables that belong to the platform.
create or replace function app.search_ids(resource text, q text) returns uuid[]
  -- Dear, so that no plan is ever kept in which it is called once a row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  most constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  ids uuid[];
begin
  perform app.require(resource, 'list');
  if condition is null then
    return null;
  end if;
  -- What belongs to the platform has no company: row-level security alone decides over its rows.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from public.%I where %s and %s limit %s) f',
    resource, scope, condition, most + 1) into ids;
  if cardinality(ids) > most then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;

create function app.keep_search(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
begin
  execute format('create index %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', tbl);
  -- Plain SQL without SET, which the planner unfolds; 20261121000800_create_reads.sql says why.
  execute format($function$
    create function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select t.* from %2$s t
      where case when app.search_ids(%3$L, q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
        else t.id = any (app.search_ids(%3$L, q)) end
    $body$
  $function$, 'search_' || name, tbl, name);
  execute format('comment on function public.%I(text) is %L', 'search_' || name,
    format('The rows of %s that match every word of q, whatever its case and accents; filter, order and page it like the table.', name));
  execute format('revoke execute on function public.%I(text) from public, anon', 'search_' || name);
  execute format('grant execute on function public.%I(text) to authenticated', 'search_' || name);
end $$;
comment on function app.keep_search(regclass) is
  'Makes search_<table>(q) and the trigram index below it. The table has `search`, a generated app.fold() of what is searched, and `id uuid`.';
