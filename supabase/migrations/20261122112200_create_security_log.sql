-- The security log: who signed in and out, what was refused, and who was given or lost access.

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
  actor uuid := app.current_user_id();
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

create trigger user_roles_security after insert or update of role, company_id, deactivated_at or delete on public.user_roles
  for each row execute function app.log_access_change();
create trigger enrollment_tokens_security after insert or update of revoked_at on public.enrollment_tokens
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
-- Refilling deletes and inserts: the last insert says it once.
create trigger policy_rule_security after insert on app.policy_rule
  for each statement execute function app.log_policy_change();

revoke execute on function app.log_access_change(), app.log_policy_change() from public, anon, authenticated;

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
insert into app.tick_step (position, name, function) values (106, 'security_log', 'forget_security_log');
