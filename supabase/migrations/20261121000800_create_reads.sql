-- Reads that would take many requests or a slow plan: the dashboard's figures and search.

create function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null stands for every company, and only for those who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- One answer for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company stands in the text so that the plan sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'updated_at', now())
  $query$, tenant) into answer;
  return answer;
end $$;
comment on function public.dashboard(uuid) is
  'Every figure of the dashboard in one round trip, for one company or (Super Admin, null) for all. Definer, so that counts read '
  'indexes only; it checks the permission and the company itself.';
revoke execute on function public.dashboard(uuid) from public, anon;
grant execute on function public.dashboard(uuid) to authenticated;

-- Search ----------------------------------------------------------------------------------------------------------
-- Below row-level security a trigram index is unusable (LIKE is not leakproof), so a rare word would read the whole
-- table; outside of it, in a definer function, a common word would build every match only to show fifty. So the ids of
-- a rare word come from a definer function through the trigram index, and a common word filters the ordered walk that
-- any list does. Which of the two is decided while the query is planned: the search_* functions are plain SQL without
-- SET, which the planner unfolds, and app.search_ids() is declared immutable, so that it is called then and the CASE
-- falls away. It does read the table; what it found is true for the one statement it was called for, and a plan that is
-- kept for another would have to keep the words of the search in its text. Rows pass row-level security in any case.

create function app.search_patterns(q text) returns text[]
  language sql immutable parallel safe
  begin atomic
    select coalesce(array_agg('%' || app.like_escape(w.word) || '%' order by length(w.word) desc), '{}')
    from (
      select distinct u.word from unnest(string_to_array(app.fold(
        regexp_replace(btrim("left"(coalesce(q, ''), 200)), '\s+', ' ', 'g')), ' ')) as u (word)
      where u.word <> '' limit 8
    ) w;
  end;
comment on function app.search_patterns(text) is 'The words of a search as LIKE patterns, folded as the search columns are; every word must match.';
grant execute on function app.search_patterns(text) to authenticated, service_role;

create function app.search_ids(resource text, q text) returns uuid[]
  -- Dear, so that no plan is ever kept in which it is called once a row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  most constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  ids uuid[];
begin
  perform app.require(resource, 'list');
  if condition is null then
    return null;
  end if;
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from public.%I where %s and %s limit %s) f', resource,
    case when app.sees_all() then 'true' else format('company_id = %L', app.own_company()) end, condition, most + 1) into ids;
  if cardinality(ids) > most then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;
comment on function app.search_ids(text, text) is
  'The ids a search finds among the rows the caller may list, or null when they are more than 500 (or everything). Definer, because '
  'the trigram index cannot be used below row-level security; it checks the permission and the company itself.';
grant execute on function app.search_ids(text, text) to authenticated, service_role;

create function public.search_devices(q text) returns setof public.devices
  language sql stable rows 500 as $$
  select t.* from public.devices t
  where case when app.search_ids('devices', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_devices(text) is
  'The devices that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_devices(text) from public, anon;
grant execute on function public.search_devices(text) to authenticated;

create function public.search_groups(q text) returns setof public.groups
  language sql stable rows 500 as $$
  select t.* from public.groups t
  where case when app.search_ids('groups', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('groups', q)) end
$$;
comment on function public.search_groups(text) is
  'The groups that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_groups(text) from public, anon;
grant execute on function public.search_groups(text) to authenticated;

create function public.search_procedures(q text) returns setof public.procedures
  language sql stable rows 500 as $$
  select t.* from public.procedures t
  where case when app.search_ids('procedures', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('procedures', q)) end
$$;
comment on function public.search_procedures(text) is
  'The procedures that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_procedures(text) from public, anon;
grant execute on function public.search_procedures(text) to authenticated;
