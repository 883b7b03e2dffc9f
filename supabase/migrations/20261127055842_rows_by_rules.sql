-- Rows by rules.

set check_function_bodies = off;

-- Security definer: of the functions that it may call, those of row rules read past row-level security.
create function app.own_ids(resource text) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  ids uuid[];
begin
  if to_regprocedure(format('app.%I()', resource || '_by_rules')) is not null then
    execute format('select app.%I()', resource || '_by_rules') into ids;
  end if;
  return case when cardinality(ids) <= max_ids then ids end;
end $$;
comment on function app.own_ids(text) is
  'The ids of the rows of a resource that the caller lists by a row rule; null for whoever lists all rows, or more than 500. Definer, because the '
  'condition of a rule is no index condition below row-level security.';
grant execute on function app.own_ids(text) to authenticated, service_role;

create or replace function app.search_ids(resource text, q text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  source text;
  own uuid[];
  ids uuid[];
begin
  perform app.require(resource, 'list');
  own := app.own_ids(resource);
  if condition is null then
    return own;
  end if;
  -- A row of the platform has no company: row-level security alone decides over it.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  -- Words that are common in the company may be rare among somebody's own rows.
  if own is not null then
    scope := scope || format(' and id = any (%L)', own);
  end if;
  source := coalesce(to_regclass(format('app.%I', resource || '_search'))::text, format('public.%I', resource));
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from %s where %s and %s limit %s) f',
    source, scope, condition, max_ids + 1) into ids;
  if cardinality(ids) > max_ids then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;
comment on function app.search_ids(text, text) is
  'The ids a search finds among the rows the caller may list, or null when they are more than 500 (or everything, for whoever lists all rows). Definer, because '
  'the trigram index cannot be used below row-level security; it checks the permission and the company itself.';

create function app.tickets_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('tickets', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.tickets t
    where ((select app.has_rule('tickets', 'list', 'own')) and ((t.requester_id = (select app.current_user_id()) or t.id = any ((select app.tickets_by_watchers())::uuid[]))))
      or ((select app.has_rule('tickets', 'list', 'asked')) and (t.id = any ((select app.tickets_by_approvers())::uuid[])))
    limit 501) f), '{}') end
$guard$;
comment on function app.tickets_by_rules() is
  'The ids of the rows of tickets that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.tickets_by_rules() to authenticated;

create or replace function app.matching_source(resource text, filter jsonb, q text) returns text
  language plpgsql stable set search_path = '' as $$
begin
  perform app.filter_table(resource), app.require(resource, 'list');
  if length(filter::text) > 100000 then
    raise exception using errcode = '22023', message = 'the filter is too long';
  end if;
  -- Whoever lists some rows reads them by their ids, as the search does.
  if cardinality(app.search_patterns(q)) = 0
    and (to_regprocedure(format('public.%I(text)', 'search_' || resource)) is null or app.own_ids(resource) is null) then
    return format('public.%I t', resource);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || resource)) is null then
    raise exception using errcode = '22023', message = format('%L cannot be searched', resource);
  end if;
  return format('public.%I(%L) t', 'search_' || resource, q);
end $$;

create or replace function app.keep_comments(tbl regclass, settings jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  resource text := settings ->> 'resource';
begin
  insert into app.commented as x (comments, resource, settings) values (name, resource, keep_comments.settings)
    on conflict (comments) do update set resource = excluded.resource, settings = excluded.settings;
  -- Triggers of one event fire by name: the company first, then the guard, then the stamp.
  execute format('create or replace trigger %I before insert on %s for each row execute function app.refuse_other_company()', name || '_0_company', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each row execute function app.guard_comment(%L)',
    name || '_guard', tbl, settings);
  execute format('create or replace trigger %I before insert or update on %s for each row execute function app.stamp_comment()', name || '_stamp', tbl);
  execute format('create or replace trigger %I before update on %s for each row when (old.company_id is distinct from new.company_id) '
    || 'execute function app.immutable_tenant()', name || '_immutable_tenant', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each statement execute function app.require_comment(%L)',
    name || '_permission', tbl, resource);
  execute format('create or replace trigger %I after insert or update of body on %s for each row execute function app.tell_comment(%L)',
    name || '_tell', tbl, settings);
  execute format('create or replace trigger %I after insert on %s referencing new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_insert', tbl, settings);
  execute format('create or replace trigger %I after update on %s referencing old table as old_rows new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_update', tbl, settings);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_delete', tbl, settings);
  execute format('create index if not exists %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', tbl);
  -- Plain SQL without SET, which the planner unfolds, as in app.keep_search().
  execute format($function$
    create or replace function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select t.* from %2$s t
      where case when app.comment_ids(%3$L, q, 'id') is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
        else t.id = any (app.comment_ids(%3$L, q, 'id')) end
    $body$
  $function$, 'search_' || name, tbl, name);
  execute format('comment on function public.%I(text) is %L', 'search_' || name,
    format('The rows of %s that match every word of q and that the caller may read; filter, order and page it like the table.', name));
  execute format('revoke execute on function public.%I(text) from public, anon', 'search_' || name);
  execute format('grant execute on function public.%I(text) to authenticated', 'search_' || name);
  if (settings ->> 'search')::boolean then
    -- coalesce tells the planner of many rows, as there are: by its own guess it would sort all of them for the first page.
    execute format($function$
      create or replace function public.%1$I(q text) returns setof public.%2$I
        language sql stable rows 500 as $body$
        select t.* from public.%2$I t
        where case when app.search_ids(%3$L, q) is null
          then coalesce(t.search operator(pg_catalog.~~) all (app.search_patterns(q)), false) or t.id = any (app.comment_ids(%4$L, q, %5$L))
          else t.id = any (app.search_ids(%3$L, q) || app.comment_ids(%4$L, q, %5$L)) end
      $body$
    $function$, 'search_' || (settings ->> 'table'), settings ->> 'table', resource, name, settings ->> 'record');
  end if;
end $$;

create function app.time_entries_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('time_entries', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.time_entries t
    where ((select app.has_rule('time_entries', 'list', 'own')) and (t.user_id = (select app.current_user_id())))
    limit 501) f), '{}') end
$guard$;
comment on function app.time_entries_by_rules() is
  'The ids of the rows of time_entries that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.time_entries_by_rules() to authenticated;

create function app.ticket_approvals_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('ticket_approvals', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.ticket_approvals t
    where ((select app.has_rule('ticket_approvals', 'list', 'own')) and (t.person_id = (select app.current_user_id())))
    limit 501) f), '{}') end
$guard$;
comment on function app.ticket_approvals_by_rules() is
  'The ids of the rows of ticket_approvals that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.ticket_approvals_by_rules() to authenticated;

create function app.articles_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('articles', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.articles t
    where ((select app.has_rule('articles', 'list', 'published')) and (t.status = 'published' and t.audience = 'everyone'))
    limit 501) f), '{}') end
$guard$;
comment on function app.articles_by_rules() is
  'The ids of the rows of articles that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.articles_by_rules() to authenticated;

-- The search of records by their comments, as app.keep_comments() writes it now.
do $$ begin perform app.keep_comments(format('public.%I', c.comments)::regclass, c.settings) from app.commented c; end $$;
