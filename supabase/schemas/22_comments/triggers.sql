create trigger profiles_comment_authors after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_author_name();
