-- Answers by label.

create function app.refuse_answer(tbl text, col text, form jsonb, answers jsonb, key text) returns void
  language plpgsql immutable set search_path = '' as $$
declare
  question jsonb := (select f from jsonb_array_elements(form) f where f ->> 'key' = key limit 1);
  is_missing constant boolean := question is not null and coalesce(answers -> key, 'null') in ('null', '""', 'false');
begin
  raise exception using errcode = '23514', hint = case when is_missing then 'answer_missing' else 'answers_invalid' end,
    table = tbl, schema = 'public', column = col,
    message = format('column "%s" %s: %s', col, case when is_missing then 'lacks an answer' else 'does not take this answer' end, key),
    detail = jsonb_build_object('field', coalesce(nullif(question ->> 'label', ''), key))::text;
end $$;
comment on function app.refuse_answer(text, text, jsonb, jsonb, text) is
  'Raises 23514 for what app.check_answers() found: hint answer_missing or answers_invalid; the detail has the label of the question.';
grant execute on function app.refuse_answer(text, text, jsonb, jsonb, text) to authenticated, service_role;

create or replace function app.check_ticket_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if tg_op = 'UPDATE' and (new.answers, new.category_id) is not distinct from (old.answers, old.category_id) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c where c.company_id = new.company_id and c.id = new.category_id), '[]');
  -- Another category asks other questions: answers that it does not ask for go.
  if tg_op = 'UPDATE' and new.category_id is distinct from old.category_id and new.answers = old.answers then
    new.answers := coalesce((select jsonb_object_agg(a.key, a.value) from jsonb_each(new.answers) a
      where exists (select 1 from jsonb_array_elements(form) f where f ->> 'key' = a.key)), '{}');
    key := app.check_answers(form, new.answers, false);
  else
    -- Alerts and the server answer nothing.
    key := app.check_answers(form, new.answers, not app.is_server_work() and (tg_op = 'INSERT' or new.answers <> old.answers));
  end if;
  if key is not null then
    perform app.refuse_answer('tickets', 'answers', form, new.answers, key);
  end if;
  return new;
end $$;

create or replace function app.check_monitor_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if not (app.is_server_work() or app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c
    where c.company_id = new.company_id and c.id = new.ticket_category_id), '[]');
  if tg_op = 'UPDATE' and new.ticket_answers = old.ticket_answers then
    new.ticket_answers := coalesce((select jsonb_object_agg(a.key, a.value) from jsonb_each(new.ticket_answers) a
      where exists (select 1 from jsonb_array_elements(form) f where f ->> 'key' = a.key)), '{}');
  end if;
  key := app.check_answers(form, new.ticket_answers, false);
  if key is not null then
    perform app.refuse_answer('monitors', 'ticket_answers', form, new.ticket_answers, key);
  end if;
  return new;
end $$;
