-- What the lists of 100,000 rows were found to lack: `npm run bench -- lists`.

-- A list orders by its column and by id in the same direction; the other way round a run of equal values has to be sorted.
drop index public.procedures_by_change;
drop index public.procedures_by_change_everywhere;
create index procedures_company_updated_idx on public.procedures (company_id, updated_at, id);
create index procedures_updated_idx on public.procedures (updated_at, id);

create index groups_created_idx on public.groups (created_at, id);

create index audit_log_action_idx on public.audit_log (action, at, id);
create index audit_log_company_action_idx on public.audit_log (company_id, action, at, id);

-- Compared with an array, every profile walks through it; a subquery is hashed once a statement.
alter policy profiles_select_member on public.profiles
  using (id = (select app.current_user_id())
         or ((select app.can('profiles', 'list'))
             and ((select app.sees_all()) or id in (select unnest((select app.visible_user_ids()))))));
