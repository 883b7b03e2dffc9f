-- Names and the texts by which a device finds a service or a process have no hidden characters either.

-- Security definer, as before: whoever writes may not call the function that judges. The columns are its arguments.
create or replace function app.guard_hidden_columns() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  name text;
  value text;
begin
  foreach name in array tg_argv loop
    if tg_op = 'INSERT' or to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      value := to_jsonb(new) ->> name;
      -- A name may be in any language: Persian, Urdu and the scripts of India are written with joiners between letters.
      if name = 'name' then
        value := regexp_replace(value, '([\u0600-\u06FF\u0750-\u077F\u08A0-\u08FF\u0900-\u0DFF])[\u200C\u200D]', '\1', 'g');
      end if;
      perform app.refuse_hidden_characters(value);
    end if;
  end loop;
  return new;
end $$;
comment on function app.guard_hidden_columns() is
  'Row trigger: texts that people choose by or that devices act on, such as names and the arguments of an installer, without hidden characters.';

-- Security definer: whoever writes a script may not call the function that judges it.
create or replace function app.guard_hidden_characters() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'procedures' then
    if tg_op = 'INSERT' or new.script is distinct from old.script then
      perform app.refuse_hidden_characters(new.script);
    end if;
    if tg_op = 'INSERT' or new.parameters is distinct from old.parameters then
      perform app.refuse_hidden_characters(p #>> '{}')
      from jsonb_path_query(new.parameters, 'strict $.**') p where jsonb_typeof(p) = 'string';
      perform app.refuse_hidden_characters(k)
      from jsonb_path_query(new.parameters, 'strict $.**') p,
        jsonb_object_keys(case when jsonb_typeof(p) = 'object' then p else '{}' end) k;
    end if;
  elsif tg_table_name = 'saved_commands' then
    if tg_op = 'INSERT' or new.command is distinct from old.command then
      perform app.refuse_hidden_characters(new.command);
    end if;
  -- A command, or a test of what is not saved. A version of a script was judged when it was written.
  elsif new.kind in ('procedure', 'command') and new.procedure_version_id is null then
    perform app.refuse_hidden_characters(new.script);
  end if;
  return new;
end $$;

create trigger procedures_hidden_names before insert or update of name on public.procedures
  for each row execute function app.guard_hidden_columns('name');
create trigger saved_commands_hidden_names before insert or update of name on public.saved_commands
  for each row execute function app.guard_hidden_columns('name');
create trigger corporate_apps_hidden_names before insert or update of name on public.corporate_apps
  for each row execute function app.guard_hidden_columns('name');
create trigger monitors_hidden_names before insert or update of name, service_name, process_name, target, log_name on public.monitors
  for each row execute function app.guard_hidden_columns('name', 'service_name', 'process_name', 'target', 'log_name');
