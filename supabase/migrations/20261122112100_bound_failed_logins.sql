-- Failed sign-ins are recorded by the server where there is one, and what anybody may report stays small: repeats are
-- counted in one row instead of filling the log, and a flood of reports never refuses a real one.

alter table public.failed_login_attempts
  add column source text not null default 'browser' check (source in ('browser', 'server')),
  add column attempts integer not null default 1 check (attempts > 0),
  add column last_at timestamptz not null default now();
comment on column public.failed_login_attempts.source is
  'server: seen by the server itself. browser: what a sign-in page reported, which anybody can claim.';
comment on column public.failed_login_attempts.attempts is 'How many attempts this row stands for; the last one was at last_at.';
comment on table public.failed_login_attempts is
  'Failed sign-ins, recorded by the server or reported by the sign-in page. Anybody may report, nobody but a Super Admin reads; '
  'repeats within ten minutes are counted in one row; kept 90 days.';
create index failed_login_attempts_email_idx on public.failed_login_attempts (user_email, last_at desc);
create index failed_login_attempts_source_idx on public.failed_login_attempts (source, last_at desc);

create function app.record_failed_login(email text, ip_address text, user_agent text, reason text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  address text := left(coalesce(nullif(btrim(email), ''), '-'), 255);
begin
  update public.failed_login_attempts f set attempts = f.attempts + 1, last_at = now()
  where f.id = (
    select x.id from public.failed_login_attempts x
    where x.user_email = address and x.last_at > now() - interval '10 minutes' and x.source = 'server'
      and x.ip_address is not distinct from left(record_failed_login.ip_address, 64)
      and x.failure_reason is not distinct from left(reason, 500)
    order by x.last_at desc limit 1);
  if not found then
    insert into public.failed_login_attempts (user_email, ip_address, user_agent, failure_reason, source)
    values (address, left(record_failed_login.ip_address, 64), left(record_failed_login.user_agent, 512), left(reason, 500), 'server');
  end if;
end $$;
comment on function app.record_failed_login(text, text, text, text) is
  'For the server: one row an account, address and reason in ten minutes, however many attempts. Granted to nobody.';
revoke execute on function app.record_failed_login(text, text, text, text) from public, anon, authenticated;

create or replace function app.limit_failed_logins() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  fold_into uuid;
begin
  new.last_at := new.created_at;
  if new.source = 'server' or app.quiet() then
    return new;
  end if;
  -- The server saw this very attempt: its own record says more than the page can.
  if exists (select 1 from public.failed_login_attempts f
             where f.user_email = new.user_email and f.source = 'server' and f.last_at > now() - interval '2 minutes') then
    return null;
  end if;
  -- From the sixth report of an account in ten minutes on, they are counted in the newest row.
  select case when count(*) = 5 then (array_agg(y.id order by y.last_at desc, y.id))[1] end into fold_into from (
    select x.id, x.last_at from public.failed_login_attempts x
    where x.user_email = new.user_email and x.source = 'browser' and x.last_at > now() - interval '10 minutes'
    order by x.last_at desc, x.id limit 5) y;
  -- Whatever addresses are made up, at most 600 rows an hour.
  if fold_into is null and (
    select count(*) from (
      select 1 from public.failed_login_attempts y
      where y.source = 'browser' and y.last_at > now() - interval '1 hour' limit 600) n) = 600 then
    select y.id into fold_into from public.failed_login_attempts y
    where y.source = 'browser' order by y.last_at desc, y.id limit 1;
  end if;
  if fold_into is null then
    return new;
  end if;
  update public.failed_login_attempts f set attempts = f.attempts + 1 where f.id = fold_into;
  return null;
end $$;
comment on function app.limit_failed_logins() is
  'Row trigger: bounds what anybody may report, without refusing it. A report of what the server recorded is dropped, the sixth of an '
  'account in ten minutes and the 601st of all in an hour are counted in an existing row. Definer, because the writer may not read the table.';

create function app.forget_failed_logins() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  -- Most are a stranger's; a bounded number is enough to see what happened.
  delete from public.failed_login_attempts f where f.id in (
    select x.id from public.failed_login_attempts x where x.source = 'browser'
    order by x.last_at desc, x.id offset 20000 limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_failed_logins() is
  'Step of app.tick(): keeps the newest 20,000 reports of sign-in pages; app.remove_old_rows() removes all after 90 days.';
revoke execute on function app.forget_failed_logins() from public, anon, authenticated;
insert into app.tick_step (position, name, function) values (105, 'failed_logins', 'forget_failed_logins');
