-- Policies of hidden values.

create function app.reads_hidden(object text, verb text) returns boolean
  language plpgsql stable set search_path = '' as $$
begin
  return app.can(object, verb);
end $$;
comment on function app.reads_hidden(text, text) is
  'app.can() for the policies that app.keep_hidden() makes: `npm run schema -- diff` does not know them, so a function that it drops must not be one that they use.';
grant execute on function app.reads_hidden(text, text) to authenticated;

create or replace function app.keep_hidden(tbl regclass, field text, object text, verb text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  kind regtype;
  shape text;
  mark text;
  rule record;
begin
  select a.atttypid, pg_catalog.format_type(a.atttypid, a.atttypmod) into kind, shape
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped and not a.attnotnull;
  mark := app.hidden_mark(kind);
  if mark is null or length(side) > 63 then
    raise exception using errcode = '22023', message = format('%I of %s cannot be hidden', field, tbl);
  end if;
  execute format('create table public.%1$I (company_id uuid not null references public.companies (id), id uuid primary key, %2$I %3$s, '
    'unique (company_id, id), foreign key (company_id, id) references %4$s (company_id, id) on delete cascade deferrable initially deferred)',
    side, field, shape, tbl);
  execute format('comment on table public.%I is %L', side,
    format('The values of %s.%s, for who may %s %s. Written by the trigger of that column.', name, field, verb, object));
  -- The rules of the value go with it.
  for rule in
    select k.conname, pg_catalog.pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
    where k.conrelid = tbl and k.contype = 'c' and k.conkey = array[(select a.attnum from pg_catalog.pg_attribute a
      where a.attrelid = tbl and a.attname = field)]
  loop
    execute format('alter table %s drop constraint %I', tbl, rule.conname);
    execute format('alter table public.%I add constraint %I %s', side, rule.conname, rule.text);
  end loop;
  execute format('insert into public.%1$I (company_id, id, %2$I) select t.company_id, t.id, t.%2$I from %3$s t where t.%2$I is not null',
    side, field, tbl);
  -- The deferred key of the moved rows is checked now: a table with pending checks cannot be altered.
  set constraints all immediate;
  execute format('alter table %s alter column %I set default %L', tbl, field, mark);
  -- The log of the value moves too.
  insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, action, changes, at, row_name)
    select l.company_id, l.actor_id, l.actor_email, side, l.row_id, l.action, jsonb_build_object(field, l.changes -> field), l.at, l.row_name
    from public.audit_log l where l.table_name = name and l.changes ? field;
  update public.audit_log l set changes = l.changes - field where l.table_name = name and l.changes ? field;
  -- Neither the version nor the time of a record changes because its value has moved.
  execute format('alter table %s disable trigger user', tbl);
  execute format('update %1$s t set %2$I = %3$L where t.%2$I is distinct from %3$L', tbl, field, mark);
  execute format('alter table %s enable trigger user', tbl);
  for rule in
    select t.tgname, pg_catalog.pg_get_triggerdef(t.oid) as text from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgfoid = 'app.audit()'::regprocedure
  loop
    execute format('drop trigger %I on %s', rule.tgname, tbl);
    execute left(rule.text, -1) || format(', %L)', field);
  end loop;
  -- The name sorts it behind the other triggers, which count the change and see what was written.
  execute format('create trigger %I before insert or update of %I on %s for each row execute function app.hide_value(%L, %L, %L, %L)',
    name || '_zz_hide_' || field, field, tbl, field, object, verb, mark);
  execute format('revoke all on public.%I from public, anon, authenticated', side);
  execute format('grant select on public.%I to authenticated', side);
  execute format('grant select, insert, update, delete on public.%I to service_role', side);
  execute format('alter table public.%I enable row level security', side);
  execute format('create policy %I on public.%I for select to authenticated using ((select app.reads_hidden(%L, %L)) '
    'and ((select app.sees_all()) or company_id = (select app.own_company())) '
    'and exists (select 1 from %s r where r.id = %I.id))', side || '_select_member', side, object, verb, tbl, side);
  perform app.keep_audit(format('public.%I', side)::regclass, 'id', array['id', 'company_id']);
end $$;

-- The policies that the function made before. A block, because `npm run schema` does not know these tables.
do $$
declare
  old record;
begin
  for old in
    select p.tablename, p.policyname, p.qual from pg_catalog.pg_policies p
    where p.schemaname = 'public' and p.tablename like '%\_hidden\_%' and p.policyname = p.tablename || '_select_member'
  loop
    execute format('alter policy %I on public.%I using (%s)', old.policyname, old.tablename,
      replace(replace(old.qual, 'app.can(', 'app.reads_hidden('), ' AS can)', ')'));
  end loop;
end $$;
