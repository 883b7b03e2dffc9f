-- Characters that a reader does not see, or that turn the direction of a line, hide what a script compares and runs. Scripts, their
-- parameters and commands have none: whoever needs one writes the escape of the language.

create function app.hidden_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  with seen as (
    -- Emoji are built with joiners and selectors, and a file may begin with a byte order mark.
    select regexp_replace(regexp_replace(value, '^\uFEFF', ''),
      '[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u24C2\u25A0-\u27BF\u2934\u2935\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF]\uFE0F?'
      '(\u200D[\u2190-\u21FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]\uFE0F?)*|[0-9#*]\uFE0F\u20E3', '', 'g') as text
  ), found as (
    select substring(s.text from '[\u0001-\u0008\u000B\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\U000E0000-\U000E0FFF]')
      as character from seen s
  )
  select 'U+' || lpad(upper(to_hex(ascii(f.character))), case when ascii(f.character) > 65535 then 5 else 4 end, '0') from found f
$$;
comment on function app.hidden_character(text) is
  'The first character of a text that nobody sees or that turns its direction, as U+202E; null for none. Tabs, line breaks, a byte order '
  'mark at the beginning and the joiners inside emoji are none.';
revoke execute on function app.hidden_character(text) from public;

create function app.refuse_hidden_characters(value text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  hidden text := app.hidden_character(value);
begin
  if hidden is not null then
    raise exception 'The text has a hidden character (%). Write its escape instead.', hidden
      using errcode = 'check_violation', hint = 'hidden_characters', detail = jsonb_build_object('character', hidden)::text;
  end if;
end $$;
comment on function app.refuse_hidden_characters(text) is 'Raises 23514 (hint hidden_characters) for a text with app.hidden_character().';
revoke execute on function app.refuse_hidden_characters(text) from public;

-- Security definer: whoever writes a script may not call the function that judges it. A row that is older than this rule stays until its text changes.
create function app.guard_hidden_characters() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'procedures' then
    if tg_op = 'INSERT' or new.script is distinct from old.script then
      perform app.refuse_hidden_characters(new.script);
    end if;
    if tg_op = 'INSERT' or new.parameters is distinct from old.parameters then
      perform app.refuse_hidden_characters(p #>> '{}')
      from jsonb_path_query(new.parameters, 'strict $.**') p where jsonb_typeof(p) = 'string';
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
comment on function app.guard_hidden_characters() is 'Row trigger: scripts, their parameters and commands without hidden characters.';
revoke execute on function app.guard_hidden_characters() from public;

create trigger procedures_hidden_characters before insert or update of script, parameters on public.procedures
  for each row execute function app.guard_hidden_characters();
create trigger saved_commands_hidden_characters before insert or update of command on public.saved_commands
  for each row execute function app.guard_hidden_characters();
create trigger jobs_hidden_characters before insert on public.jobs
  for each row execute function app.guard_hidden_characters();
