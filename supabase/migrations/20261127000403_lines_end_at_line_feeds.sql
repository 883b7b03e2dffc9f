-- The refusal of a lone carriage return names its line, too: lines end at line feeds alone.

create or replace function app.refuse_hidden_characters(value text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  hidden text := app.hidden_character(value);
  line bigint;
begin
  if hidden is not null then
    -- A byte order mark is allowed at the beginning of the text, not of each line.
    select l.number into line
      from (select t.text, t.number, count(*) over () as total from regexp_split_to_table(value, '\n') with ordinality t (text, number)) l
      where app.hidden_character(case when l.number = 1 then '' else ' ' end || l.text || case when l.number < l.total then E'\n' else '' end) is not null
      order by l.number limit 1;
    raise exception 'The text has a hidden character (%) in line %. Write its escape instead.', hidden, line
      using errcode = 'check_violation', hint = 'hidden_characters',
        detail = jsonb_build_object('character', hidden, 'line', line)::text;
  end if;
end $$;
