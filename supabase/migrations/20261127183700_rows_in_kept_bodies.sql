-- Rows in kept bodies: since its releases of November 2026 PostgreSQL gives a table no further column while a function whose body it keeps parsed takes
-- rows of the table.

create or replace function app.show_hidden(tbl regclass, field text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  shape text;
  is_text boolean;
  value text;
begin
  select pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypid = 'text'::regtype into shape, is_text
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped;
  if length(field) > 52 then
    raise exception using errcode = '22023', message = format('the name %I is too long to be hidden', field);
  end if;
  -- SQL that runs as the caller and that the planner unfolds: a filter or an order by it is one by the value. As a text, because PostgreSQL gives
  -- a table no further column while a body that it keeps parsed takes its rows.
  value := format('(select h.%1$I from public.%2$I h where h.company_id operator(pg_catalog.=) r.company_id and h.id operator(pg_catalog.=) r.id)',
    field, side);
  execute format('create or replace function public.%I(r %s) returns %s language sql stable as %L', 'hidden_' || field, tbl, shape, 'select ' || value);
  execute format('comment on function public.%I(%s) is %L', 'hidden_' || field, tbl,
    format('%s.%s as the caller may read it, to filter and order by; null for everybody else.', name, field));
  execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field, tbl);
  execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field, tbl);
  if is_text then
    execute format('create or replace function public.%I(r %s) returns text language sql stable as %L',
      'hidden_' || field || '_key', tbl, format('select app.sort_key(%s)', value));
    execute format('comment on function public.%I(%s) is %L', 'hidden_' || field || '_key', tbl, format('The order of %s.%s.', name, field));
    execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field || '_key', tbl);
    execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field || '_key', tbl);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || name)) is not null then
    perform app.keep_hidden_search(tbl, null);
  end if;
end $$;

create or replace function app.tell_of_request(request public.enrollment_requests) returns void
  language sql volatile set search_path = '' as $$
    insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, request.company_id, 'enrollment_waiting', jsonb_build_object('hostname', request.hostname),
      '/enrollment-requests', format('enrollment_waiting:%s:%s', request.token_id, current_date)
    from public.user_roles r
    where r.company_id = request.company_id and r.role = any (app.roles_that_may('enrollment_requests', 'approve')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
$$;

do $$
declare
  hidden record;
begin
  for hidden in
    select distinct t.tgrelid::regclass as tbl, c.field from pg_catalog.pg_trigger t cross join lateral app.hidden_columns(t.tgrelid) c
    where t.tgfoid = 'app.hide_value()'::regprocedure
  loop
    perform app.show_hidden(hidden.tbl, hidden.field);
  end loop;
end $$;
