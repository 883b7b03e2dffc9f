-- A character that breaks the line for one reader and not for another hides code: a lone carriage return ends the line of a
-- comment in an editor, and not in Bash. Blanks that have a glyph of no ink are hidden characters as well.

create or replace function app.hidden_character(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  with seen as (
    -- Emoji are built with joiners and selectors, and a file may begin with a byte order mark.
    select regexp_replace(regexp_replace(value, '^\uFEFF', ''),
      '[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u24C2\u25A0-\u27BF\u2934\u2935\u2B00-\u2BFF\u3030\u303D\u3297\u3299\U0001F000-\U0001FAFF]\uFE0F?'
      '(\u200D[\u2190-\u21FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]\uFE0F?)*|[0-9#*]\uFE0F\u20E3', '', 'g') as text
  ), found as (
    -- A carriage return is a part of the line break before a line feed, and of no other.
    select substring(s.text from '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F'
      '\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U00013430-\U00013455\U0001BCA0-\U0001BCA3\U0001D159'
      '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]|\r(?!\n)')
      as character from seen s
  )
  select 'U+' || lpad(upper(to_hex(ascii(f.character))), case when ascii(f.character) > 65535 then 5 else 4 end, '0') from found f
$$;
comment on function app.hidden_character(text) is
  'The first character of a text that nobody sees, that turns its direction, or that only some programs take for a line break, as U+202E; '
  'null for none. Tabs, line feeds with or without a carriage return before them, a byte order mark at the beginning and the joiners inside '
  'emoji are none.';
