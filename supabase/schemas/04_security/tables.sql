-- Security: the security log and failed sign-ins.

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
