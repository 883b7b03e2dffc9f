create trigger failed_login_attempts_limit before insert on public.failed_login_attempts
  for each row execute function app.limit_failed_logins();
-- Runs before failed_login_attempts_limit, in alphabetical order.
create trigger failed_login_attempts_give_reason before insert on public.failed_login_attempts
  for each row execute function app.give_failure_reason();
