-- Ticket answers after guard.

drop trigger tickets_answers on public.tickets;

-- The name puts it behind tickets_guard: an error about a question tells nobody of a category that is not theirs.
create trigger tickets_guard_answers before insert or update of answers, category_id on public.tickets
  for each row execute function app.check_ticket_answers();
