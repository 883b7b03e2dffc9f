-- The devices of a target, a page at a time: before a rule is saved, and those without a software title.

create function public.target_devices(target jsonb, skip integer default 0, max_rows integer default 10) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '30s' as $$
declare
  query record := app.target_query(target);
  answer jsonb;
begin
  execute format($query$
    select jsonb_build_object(
      'count', (select count(*) from %1$s where %2$s),
      'devices', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status) order by d.name_key, d.id), '[]')
        from (select t.id, t.name, t.name_key, t.status from %1$s where %2$s order by t.name_key, t.id offset %3$s limit %4$s) d))
  $query$, query.source, query.condition, least(greatest(coalesce(skip, 0), 0), 100000), least(greatest(coalesce(max_rows, 10), 1), 100))
    into answer;
  return answer;
end $$;
comment on function public.target_devices(jsonb, integer, integer) is
  '{count, devices: [{id, name, status}]} of a target (app.target_query()): how many devices it has, and a page of at most 100 of them by '
  'name. Runs as the caller.';
revoke execute on function public.target_devices(jsonb, integer, integer) from public, anon;
grant execute on function public.target_devices(jsonb, integer, integer) to authenticated;
