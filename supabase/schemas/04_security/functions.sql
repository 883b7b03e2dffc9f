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

create function app.forget_security_log() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from public.security_log l where l.id in (
    select x.id from public.security_log x
    -- Entries that strangers can cause are kept for a shorter time.
    where x.at < now() - interval '730 days'
       or x.at < now() - interval '90 days' and x.event in ('sign_in_failed', 'password_link_requested', 'request_denied', 'rate_limited')
    order by x.at limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_security_log() is
  'Step of app.tick(): removes security events after 2 years, failed and refused requests after 90 days; at most 5,000 a call.';

-- Security definer: the secrets of requests are private, and people are told of it.
create function app.bound_requests() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  max_per_token constant integer := 200;
  max_per_address constant integer := 100;
  displaced uuid[];
begin
  -- agent_enroll() holds the token's row. The machine id is the sender's choice, and bounds nothing.
  with waiting as (
    select r.id, r.created_at, r.ip_address is not distinct from new.ip_address as is_same,
      row_number() over (partition by r.ip_address order by r.created_at desc, r.id desc) as place
    from public.enrollment_requests r
    where r.company_id = new.company_id and r.token_id = new.token_id and r.status = 'pending'
  ), over as (
    select w.id from waiting w where w.is_same and w.place >= max_per_address
    union
    -- An address that sent more loses its requests first, so that whoever floods displaces their own.
    (select w.id from waiting w order by w.place, w.created_at desc, w.id desc offset max_per_token - 1)
  )
  select array_agg(o.id) into displaced from over o;
  if displaced is null then
    return new;
  end if;
  update public.enrollment_requests r set status = 'expired' where r.company_id = new.company_id and r.id = any (displaced) and r.status = 'pending';
  delete from app.enrollment_request_secrets s where s.request_id = any (displaced);
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, new.company_id, 'enrollment_flood', jsonb_build_object('token', t.name, 'max', max_per_token, 'address', max_per_address),
      '/enrollment-requests', format('enrollment_flood:%s:%s', t.id, current_date)
    from public.user_roles r join public.enrollment_tokens t on t.id = new.token_id
    where r.company_id = new.company_id and r.role = any (app.roles_that_may('enrollment_requests', 'approve')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  return new;
end $$;
comment on function app.bound_requests() is
  'Row trigger: at most 200 requests of a token wait for approval, 100 from one address; the oldest of the address that sent the most '
  'expire, and whoever approves is told once a token and day. Definer, because the secrets of requests are private.';

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
