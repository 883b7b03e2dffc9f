-- Security: failed sign-ins, and the log of sign-ins, refusals and changes of access.

-- Failed sign-ins -----------------------------------------------------------------------------------------------------

create function app.limit_failed_logins() returns trigger
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
  -- Made-up addresses add no more than 600 rows an hour.
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

create table public.failed_login_attempts (
  id uuid default gen_random_uuid() primary key,
  user_email text not null check (length(user_email) between 1 and 255),
  ip_address text check (length(ip_address) <= 64),
  user_agent text check (length(user_agent) <= 512),
  failure_reason text check (length(failure_reason) <= 500),
  created_at timestamptz not null default now(),
  source text not null default 'browser' check (source in ('browser', 'server')),
  attempts integer not null default 1 check (attempts > 0),
  last_at timestamptz not null default now()
);
comment on table public.failed_login_attempts is
  'Failed sign-ins, recorded by the server or reported by the sign-in page. Anybody may report, nobody but a Super Admin reads; '
  'repeats within ten minutes are counted in one row; kept 90 days.';
comment on column public.failed_login_attempts.source is
  'server: seen by the server itself. browser: what a sign-in page reported, which anybody can claim.';
comment on column public.failed_login_attempts.attempts is 'Number of attempts that this row counts; the last one was at last_at.';

create index failed_login_attempts_created_at_idx on public.failed_login_attempts (created_at desc, id desc);
create index failed_login_attempts_email_idx on public.failed_login_attempts (user_email, last_at desc);
create index failed_login_attempts_source_idx on public.failed_login_attempts (source, last_at desc);

create trigger failed_login_attempts_limit before insert on public.failed_login_attempts
  for each row execute function app.limit_failed_logins();

revoke all on public.failed_login_attempts from public, anon, authenticated;
grant select on public.failed_login_attempts to authenticated;
grant insert (user_email, ip_address, user_agent, failure_reason) on public.failed_login_attempts to anon, authenticated;
grant select, insert, update, delete on public.failed_login_attempts to service_role;
alter table public.failed_login_attempts enable row level security;

create policy failed_login_attempts_select_platform on public.failed_login_attempts for select to authenticated
  using ((select app.can('failed_login_attempts', 'list')) and (select app.sees_all()));
create policy failed_login_attempts_insert_anyone on public.failed_login_attempts for insert to anon, authenticated
  with check (length(user_email) <= 255);

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

create function app.forget_failed_logins() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  -- Strangers cause nearly all of them; a bounded number is enough.
  delete from public.failed_login_attempts f where f.id in (
    select x.id from public.failed_login_attempts x where x.source = 'browser'
    order by x.last_at desc, x.id offset 20000 limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_failed_logins() is
  'Step of app.tick(): keeps the newest 20,000 reports of sign-in pages; app.remove_old_rows() removes all after 90 days.';
revoke execute on function app.forget_failed_logins() from public, anon, authenticated;

-- Security log --------------------------------------------------------------------------------------------------------

create table public.security_log (
  id uuid default gen_random_uuid() primary key,
  company_id uuid,
  actor_id uuid,
  actor_email text check (length(actor_email) <= 255),
  event text not null check (event in (
    'sign_in', 'sign_in_failed', 'sign_out', 'session_revoked', 'password_link_requested', 'password_changed',
    'request_denied', 'rate_limited', 'account_created', 'role_changed', 'account_removed', 'account_deactivated',
    'account_reactivated', 'enrollment_token_created', 'enrollment_token_revoked', 'permissions_changed')),
  subject text check (length(subject) <= 255),
  ip_address text check (length(ip_address) <= 64),
  user_agent text check (length(user_agent) <= 512),
  details jsonb not null default '{}',
  occurrences integer not null default 1 check (occurrences > 0),
  at timestamptz not null default now(),
  last_at timestamptz not null default now()
);
comment on table public.security_log is
  'Security events, written by the server and by triggers, never edited through the API. Repeats are counted in one row '
  '(occurrences, last_at). Without foreign keys, because it outlives what it speaks of; kept 2 years.';
comment on column public.security_log.subject is 'Whom or what the event concerns: an e-mail address, a name, a path.';

create index security_log_company_id_at_idx on public.security_log (company_id, at desc, id desc);
create index security_log_at_idx on public.security_log (at desc, id desc);
create index security_log_repeat_idx on public.security_log (event, actor_email, last_at desc);

revoke all on public.security_log from public, anon, authenticated;
grant select on public.security_log to authenticated, service_role;
alter table public.security_log enable row level security;

create policy security_log_select_member on public.security_log for select to authenticated
  using ((select app.can('security_log', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.log_security(
  event text, email text, subject text default null, ip_address text default null, user_agent text default null,
  details jsonb default '{}', occurrences integer default 1
) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  who text := left(lower(nullif(btrim(email), '')), 255);
  account record;
begin
  select p.id, r.company_id into account
  from public.profiles p left join public.user_roles r on r.user_id = p.id where lower(p.email) = who;
  update public.security_log l set occurrences = l.occurrences + log_security.occurrences, last_at = now()
  where l.id = (
    select x.id from public.security_log x
    where x.event = log_security.event and x.actor_email is not distinct from who and x.last_at > now() - interval '10 minutes'
      and x.subject is not distinct from left(log_security.subject, 255)
      and x.ip_address is not distinct from left(log_security.ip_address, 64) and x.details = log_security.details
    order by x.last_at desc limit 1)
  -- Each of these is an event of its own.
  and l.event not in ('sign_in', 'sign_out', 'session_revoked', 'password_changed');
  if not found then
    insert into public.security_log (company_id, actor_id, actor_email, event, subject, ip_address, user_agent, details, occurrences)
    values (account.company_id, account.id, who, log_security.event, left(log_security.subject, 255),
      left(log_security.ip_address, 64), left(log_security.user_agent, 512), log_security.details, log_security.occurrences);
  end if;
end $$;
comment on function app.log_security(text, text, text, text, text, jsonb, integer) is
  'For the server: one event of an account (by e-mail, which need not have one) in the security log; repeats within ten minutes are '
  'counted in one row. Granted to nobody.';
revoke execute on function app.log_security(text, text, text, text, text, jsonb, integer) from public, anon, authenticated;

create function app.log_access_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  actor_address text := (select p.email from public.profiles p where p.id = actor);
begin
  if app.quiet() then
    return null;
  end if;
  if tg_table_name = 'user_roles' then
    insert into public.security_log (company_id, actor_id, actor_email, event, subject, details)
    select coalesce(new.company_id, old.company_id), actor, actor_address, c.event,
      (select p.email from public.profiles p where p.id = coalesce(new.user_id, old.user_id)), c.details
    from (values
      ('account_created', tg_op = 'INSERT', jsonb_build_object('role', new.role)),
      ('account_removed', tg_op = 'DELETE', jsonb_build_object('role', old.role)),
      ('role_changed', tg_op = 'UPDATE' and (new.role, new.company_id) is distinct from (old.role, old.company_id),
        jsonb_strip_nulls(jsonb_build_object('from', old.role, 'to', new.role,
          'from_company', nullif(old.company_id, new.company_id), 'to_company', nullif(new.company_id, old.company_id)))),
      ('account_deactivated', tg_op = 'UPDATE' and old.deactivated_at is null and new.deactivated_at is not null, '{}'::jsonb),
      ('account_reactivated', tg_op = 'UPDATE' and old.deactivated_at is not null and new.deactivated_at is null, '{}'::jsonb)
    ) as c (event, happened, details)
    where c.happened;
  elsif tg_op = 'INSERT' or old.revoked_at is null and new.revoked_at is not null then
    insert into public.security_log (company_id, actor_id, actor_email, event, subject)
    values (new.company_id, actor, actor_address,
      case when tg_op = 'INSERT' then 'enrollment_token_created' else 'enrollment_token_revoked' end, new.name);
  end if;
  return null;
end $$;
comment on function app.log_access_change() is
  'Row trigger: who was given, changed or lost a role or an enrollment token. Definer, because nobody may write security_log.';
revoke execute on function app.log_access_change() from public, anon, authenticated;

create trigger user_roles_security after insert or update of role, company_id, deactivated_at or delete on public.user_roles
  for each row execute function app.log_access_change();

create function app.log_policy_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.security_log (actor_id, event, details)
  values (app.current_user_id(), 'permissions_changed',
    jsonb_build_object('lines', (select count(*) from app.policy_rule), 'database_user', session_user));
  return null;
end $$;
comment on function app.log_policy_change() is
  'Statement trigger: the permission lines were written. Definer, because nobody may write security_log.';
revoke execute on function app.log_policy_change() from public, anon, authenticated;

-- A refill deletes and inserts lines; only the insert is logged.
create trigger policy_rule_security after insert on app.policy_rule
  for each statement execute function app.log_policy_change();

create function app.forget_security_log() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from public.security_log l where l.id in (
    select x.id from public.security_log x
    -- What strangers can cause is kept for a shorter time.
    where x.at < now() - interval '730 days'
       or x.at < now() - interval '90 days' and x.event in ('sign_in_failed', 'password_link_requested', 'request_denied', 'rate_limited')
    order by x.at limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_security_log() is
  'Step of app.tick(): removes security events after 2 years, failed and refused requests after 90 days; at most 5,000 a call.';
revoke execute on function app.forget_security_log() from public, anon, authenticated;
