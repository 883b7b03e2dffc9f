-- The refusal of a hidden character names its line: nobody sees where it is.

create or replace function app.refuse_hidden_characters(value text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  hidden text := app.hidden_character(value);
  line bigint;
begin
  if hidden is not null then
    -- A byte order mark is allowed at the beginning of the text, not of each line.
    select l.number into line from regexp_split_to_table(value, '\r\n|\r|\n') with ordinality l (text, number)
      where app.hidden_character(case when l.number = 1 then l.text else ' ' || l.text end) is not null
      order by l.number limit 1;
    raise exception 'The text has a hidden character (%) in line %. Write its escape instead.', hidden, line
      using errcode = 'check_violation', hint = 'hidden_characters',
        detail = jsonb_build_object('character', hidden, 'line', line)::text;
  end if;
end $$;
comment on function app.refuse_hidden_characters(text) is
  'Raises 23514 (hint hidden_characters; the detail has character and line) for a text with app.hidden_character().';
