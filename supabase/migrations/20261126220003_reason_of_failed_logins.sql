-- A failed sign-in always has a reason: an answer without a body left it empty or `{}`.

update public.failed_login_attempts f set failure_reason = 'Login failed'
  where f.failure_reason is null or btrim(f.failure_reason) in ('', '{}');

create function app.give_failure_reason() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.failure_reason is null or btrim(new.failure_reason) in ('', '{}') then
    new.failure_reason := 'Login failed';
  end if;
  return new;
end $$;
comment on function app.give_failure_reason() is
  'Row trigger: an attempt that was reported without a reason gets the text that its user read. It is not refused, so that no attempt is lost.';
revoke execute on function app.give_failure_reason() from public;

-- Runs before failed_login_attempts_limit, in alphabetical order.
create trigger failed_login_attempts_give_reason before insert on public.failed_login_attempts
  for each row execute function app.give_failure_reason();
