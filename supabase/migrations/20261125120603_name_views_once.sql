-- Two views of one person with the same name in one list cannot be told apart.

-- The older one keeps its name. A suffix may be taken itself, so it is tried until none is left.
do $$
begin
  for attempt in 1..50 loop
    update public.saved_views v set name = left(btrim(v.name), 70) || ' (' || n.place || ')'
    from (
      select s.id, row_number() over (partition by s.owner, s.resource, app.unique_key(s.name) order by s.created_at, s.id) as place
      from public.saved_views s
    ) n
    where n.id = v.id and n.place > 1;
    exit when not found;
  end loop;
end $$;
create unique index saved_views_name_key on public.saved_views (owner, resource, app.unique_key(name));
