-- The audit log names the record it speaks of, also after that record is gone.

alter table public.audit_log add column row_name text check (length(row_name) <= 200);
comment on column public.audit_log.row_name is 'The record''s name when it was changed; null where it has none.';
update public.audit_log set row_name = "left"(coalesce(changes #>> '{name,1}', changes #>> '{name,0}'), 200)
where changes ? 'name';

create function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select coalesce(p.name, p.email) from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    else case
      when table_name like 'automation\_%' then (
        select a.name from public.automations a where a.company_id = company and a.id = (doc ->> 'automation_id')::uuid)
      else coalesce(doc ->> 'name', doc ->> 'title', doc ->> 'hostname', doc ->> 'email')
    end
  end, 200);
end $$;
comment on function app.audit_name(text, jsonb) is
  'The name of an audited record: its own, or that of the record a link belongs to. Definer, because the writer of a link '
  'may not read what it links.';

-- Definer, because nobody may write audit_log.
create or replace function app.audit() returns trigger
  language plpgsql security definer set search_path = ''
  -- Old and new records meet by hash: the planner knows nothing of how many there are.
  set enable_nestloop = off as $$
declare
  key_column text := coalesce(tg_argv[0], 'id');
  ignored text[] := array['version', 'created_at', 'updated_at', 'search', 'name_key'] || coalesce(tg_argv[1:], '{}');
  actor uuid := app.current_user_id();
  email text;
begin
  if app.quiet() then
    return null;
  end if;
  if actor is not null then
    select p.email into email from public.profiles p where p.id = actor;
  end if;
  if tg_op = 'INSERT' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'create',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(null, app.audit_value(f.key, f.value)))
         from jsonb_each(r.after) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(n) as after from new_rows n offset 0) r;
  elsif tg_op = 'DELETE' then
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.before), actor, email, tg_table_name, (r.before ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.before), 'delete',
      coalesce((select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, f.value), null))
         from jsonb_each(r.before) f where f.key <> all (ignored) and f.value <> 'null'::jsonb), '{}')
    from (select to_jsonb(o) as before from old_rows o offset 0) r;
  else
    insert into public.audit_log (company_id, actor_id, actor_email, table_name, row_id, row_name, action, changes)
    select app.audit_company(tg_table_name, r.after), actor, email, tg_table_name, (r.after ->> key_column)::uuid,
      app.audit_name(tg_table_name, r.after), 'edit', r.changes
    from (
      select n.doc as after, (
        select jsonb_object_agg(f.key, jsonb_build_array(app.audit_value(f.key, o.doc -> f.key), app.audit_value(f.key, f.value)))
        from jsonb_each(n.doc) f
        where f.key <> all (ignored) and f.value is distinct from o.doc -> f.key
      ) as changes
      -- offset 0: each record becomes JSON once, not once a comparison.
      from (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from new_rows x offset 0) n
      join (select to_jsonb(x) as doc, to_jsonb(x) ->> key_column as key from old_rows x offset 0) o on o.key = n.key
      where o.doc - ignored <> n.doc - ignored
    ) r
    where r.changes is not null;
  end if;
  return null;
end $$;

revoke execute on function app.audit_name(text, jsonb) from public, anon, authenticated;
