-- Searched answers.

set check_function_bodies = off;

create function app.answer_words(answers jsonb) returns text
  language sql immutable set search_path = '' as $$
  select string_agg(' ' || "left"(a.value #>> '{}', 200), '' order by a.key) from jsonb_each(answers) a
  where jsonb_typeof(a.value) in ('string', 'number') and a.value <> '""'
$$;
comment on function app.answer_words(jsonb) is
  'The answers of a ticket as they are searched, behind its other words: the first 200 characters of each, so that the index stays small.';
grant execute on function app.answer_words(jsonb) to authenticated, service_role;

create or replace function app.fold_ticket() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.search := app.fold('#' || new.number || ' ' || new.subject || ' ' || coalesce(new.requester_name, '') || ' ' || coalesce(new.description, '')
    || coalesce(app.answer_words(new.answers), ''));
  return new;
end $$;

create or replace trigger tickets_words_update before update on public.tickets for each row
  when ((new.number, new.subject, new.requester_name, new.description, new.answers)
    is distinct from (old.number, old.subject, old.requester_name, old.description, old.answers))
  execute function app.fold_ticket();

update public.tickets t set search = t.search || app.fold(app.answer_words(t.answers)) where app.answer_words(t.answers) is not null;
