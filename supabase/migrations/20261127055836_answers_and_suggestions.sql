-- Answers and suggestions.

set check_function_bodies = off;

alter table public.monitors add column ticket_answers jsonb not null default '{}' check (jsonb_typeof(ticket_answers) = 'object');
comment on column public.monitors.ticket_answers is 'What the tickets of its alerts answer to the form of their category.';

create function public.suggest_procedures(q text, company uuid default null) returns table (id uuid, title text)
  language sql stable set search_path = '' as $$
  with words as (
    -- The beginning of a word: Turkish adds to its end what English says by words of their own.
    select distinct left(w.word, 5) as stem from regexp_split_to_table(app.fold(left(q, 200)), '[^[:alnum:]]+') as w (word)
    where length(w.word) >= 3 limit 12
  ), scored as (
    select p.id, p.name, p.name_key,
      (select count(*) from words s where strpos(app.fold(p.name), s.stem) > 0) as hits, (select count(*) from words) as asked
    from public.procedures p
    where suggest_procedures.company is null or p.company_id = suggest_procedures.company
  )
  select s.id, s.name from scored s where s.hits > 0 and s.hits * 2 >= s.asked
  order by s.hits desc, s.name_key, s.id limit 4
$$;
comment on function public.suggest_procedures(text, uuid) is
  'Scripts whose names share at least half of the words of a text: what is offered while a script is named, so that nobody writes it again. '
  'Runs as the caller.';
grant execute on function public.suggest_procedures(text, uuid) to authenticated;

create function app.check_monitor_answers() returns trigger
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
    raise exception using errcode = '23514', hint = 'answers_invalid', table = 'monitors', schema = 'public', column = 'ticket_answers',
      message = format('the form of the category does not take this answer: %s', key), detail = jsonb_build_object('field', key)::text;
  end if;
  return new;
end $$;
comment on function app.check_monitor_answers() is
  'Row trigger: the answers for tickets of a monitor fit the form of their category. Definer, because the writer may not read every category.';

create function app.answer_for_monitor() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- The form may have changed since the monitor was set up: an alert never fails for it, the ticket then answers nothing.
  new.answers := coalesce((select m.ticket_answers from public.alerts a
    join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id and m.ticket_category_id = new.category_id
    join public.ticket_categories c on c.company_id = m.company_id and c.id = m.ticket_category_id
    where a.company_id = new.company_id and a.id = new.alert_id and app.check_answers(c.fields, m.ticket_answers, false) is null), '{}');
  return new;
end $$;
comment on function app.answer_for_monitor() is
  'Row trigger: a ticket that an alert opens answers the form of its category as the monitor says. Definer, because nobody may write for alerts.';

create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes', 'notify_role', 'ticket_category_id', 'ticket_priority',
  'ticket_answers', 'ticket_assignee_id', 'platforms');
create trigger monitors_answers before insert or update of ticket_answers, ticket_category_id on public.monitors
  for each row when (new.ticket_answers <> '{}') execute function app.check_monitor_answers();

-- It comes before the trigger that compares answers with the form.
create trigger tickets_0_answers before insert on public.tickets
  for each row when (new.alert_id is not null) execute function app.answer_for_monitor();

revoke all on table public.monitors from public, authenticated, service_role;
grant select, delete,
  insert (company_id, name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_answers, ticket_assignee_id, platforms),
  update (name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_answers, ticket_assignee_id, platforms)
  on public.monitors to authenticated;
grant select, insert, update, delete on public.monitors to service_role;
