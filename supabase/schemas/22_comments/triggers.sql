-- After profiles_ticket_names and before profiles_work_names: a merge locks tickets, comments and time in this order.
create trigger profiles_words_authors after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_author_name();
