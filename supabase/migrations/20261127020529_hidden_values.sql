-- Hidden values.

create function app.hidden_mark(kind regtype) returns text
  language plpgsql immutable set search_path = '' as $$
begin
  return case
    when kind in ('numeric'::regtype, 'real'::regtype, 'double precision'::regtype) then 'NaN'
    when kind = 'smallint'::regtype then '-32768'
    when kind = 'integer'::regtype then '-2147483648'
    when kind = 'bigint'::regtype then '-9223372036854775808'
    when kind in ('date'::regtype, 'timestamptz'::regtype) then '-infinity'
    when kind = 'text'::regtype then U&'\E000' end;
end $$;
comment on function app.hidden_mark(regtype) is
  'The value of the column of a hidden field in every row, whatever its value is: writing it back changes nothing. Null for a type '
  'that has none.';

-- Security definer: nobody may write the table of the values; the trigger asks for the permission itself.
create function app.hide_value() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  field constant text := tg_argv[0];
  mark constant text := tg_argv[3];
  given constant text := to_jsonb(new) ->> field;
  reason text;
begin
  if given is not distinct from mark or (tg_op = 'INSERT' and given is null) then
    return jsonb_populate_record(new, jsonb_build_object(field, mark));
  end if;
  if not app.is_server_work() then
    reason := app.why_not(tg_argv[1], tg_argv[2]);
    if reason is not null then
      raise exception using errcode = '42501', hint = reason, column = field, table = tg_table_name, schema = tg_table_schema,
        message = format('permission denied: %s on %s', tg_argv[2], tg_argv[1]);
    end if;
    -- Row-level security of the record asks after the triggers, and this table's never.
    if not (app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
      raise exception using errcode = '42501', message = format('new row violates row-level security policy for table "%s"', tg_table_name);
    end if;
  end if;
  execute format('insert into public.%1$I (company_id, id, %2$I) select $1, $2, r.%2$I from jsonb_populate_record(null::public.%1$I, $3) r
    on conflict (id) do update set %2$I = excluded.%2$I', tg_table_name || '_hidden_' || field, field)
    using new.company_id, new.id, jsonb_build_object(field, to_jsonb(new) -> field);
  return jsonb_populate_record(new, jsonb_build_object(field, mark));
end $$;
comment on function app.hide_value() is
  'Row trigger of a table with a hidden field (field, permission object, verb, mark): keeps what was written in <table>_hidden_<field> and '
  'leaves the mark. 42501 for a writer who may not read the field.';

create function app.keep_hidden(tbl regclass, field text, object text, verb text) returns void
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
  execute format('create policy %I on public.%I for select to authenticated using ((select app.can(%L, %L)) '
    'and ((select app.sees_all()) or company_id = (select app.own_company())) '
    'and exists (select 1 from %s r where r.id = %I.id))', side || '_select_member', side, object, verb, tbl, side);
  perform app.keep_audit(format('public.%I', side)::regclass, 'id', array['id', 'company_id']);
end $$;
comment on function app.keep_hidden(regclass, text, text, text) is
  'For migrations: moves the values of a column to <table>_hidden_<column>, with their rules and their log, where only those read them who '
  'may do `verb` on `object` and see the record. The column takes new values and holds a mark.';
