revoke all on public.audit_log from public, anon, authenticated;
grant select (id, company_id, actor_id, table_name, row_id, action, changes, at, row_name, actor_name, device_id) on public.audit_log to authenticated;
grant select on public.audit_log to service_role;
alter table public.audit_log enable row level security;
create policy audit_log_select_member on public.audit_log for select to authenticated
  using ((select app.can('audit_log', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
-- The audit log repeats values of other tables: only the entries of tables the caller may list are visible, and of rows that
-- a row rule or a hidden field keeps from the caller none.
create policy audit_log_select_listable on public.audit_log as restrictive for select to authenticated
  using ((select app.sees_all()) or table_name = any ((select app.listable_tables())::text[])
    or (table_name = any ((select app.partly_listable_tables())::text[]) and app.sees_audited(table_name, row_id)));

-- On hosted Supabase, row-level security on realtime.messages decides who may join a private topic.
do $$
begin
  if to_regclass('realtime.messages') is not null and to_regprocedure('realtime.topic()') is not null then
    execute 'create policy konsol_messages_select_member on realtime.messages for select to authenticated '
      || 'using ((select app.can_listen((select realtime.topic()))))';
  end if;
exception when insufficient_privilege or duplicate_object then
  raise notice 'realtime.messages keeps its policies: %', sqlerrm;
end $$;

-- Presence on a record: its page sends who looks and who writes, on the topics of records alone.
do $$
begin
  if to_regclass('realtime.messages') is not null and to_regprocedure('realtime.topic()') is not null then
    execute 'create policy konsol_messages_insert_member on realtime.messages for insert to authenticated '
      || 'with check ((select realtime.topic()) like ''record:%'' and extension = ''broadcast'' and (select app.can_listen((select realtime.topic()))))';
  end if;
exception when insufficient_privilege or duplicate_object then
  raise notice 'realtime.messages keeps its policies: %', sqlerrm;
end $$;
