-- Notices: the bell, and mails about alerts and tickets.

create table public.notifications (
  id uuid default gen_random_uuid() primary key,
  user_id uuid not null references public.profiles (id) on delete cascade,
  company_id uuid references public.companies (id),
  kind text not null check (length(kind) between 1 and 60),
  params jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
  link text check (link ~ '^/[^/\\]' or link = '/'),
  read_at timestamptz,
  -- Identifies notifications that must be sent only once.
  once_key text check (length(once_key) <= 200),
  created_at timestamptz not null default now(),
  unique (user_id, once_key)
);
comment on table public.notifications is
  'What a user is told. kind and params are words for the locales, never text; link is a path inside the console.';

create index notifications_user_created_idx on public.notifications (user_id, created_at desc, id desc);
create index notifications_unread_idx on public.notifications (user_id) where read_at is null;
create index notifications_company_idx on public.notifications (company_id);

-- The language of a person is kept by their browser; mails need it on the server.
create table app.user_languages (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  language text not null check (language in ('en', 'tr'))
);
comment on table app.user_languages is 'The language in which a person reads the console, for mails. A person without a row gets mails in all languages.';

create table app.notices (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('alerts', 'tickets', 'comments', 'mentions')),
  user_id uuid not null references public.profiles (id) on delete cascade,
  company_id uuid not null references public.companies (id) on delete cascade,
  subject_id uuid not null,
  record_ids uuid[] not null check (cardinality(record_ids) <= 50),
  records integer not null check (records > 0),
  by_mail boolean not null,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  closes_at timestamptz not null default now() + interval '5 minutes',
  next_attempt_at timestamptz not null default now() + interval '5 minutes',
  error text check (length(error) <= 500),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  is_critical boolean not null default false,
  is_digest boolean not null default false
);
comment on table app.notices is
  'What one person is told about one device (alerts), by one person (tickets) or on one record (comments, mentions) within five minutes: one row, one bell, and one mail where '
  'by_mail says so. record_ids holds the first 50, records counts all. Holds no text: the mail is written when it is taken.';
comment on column app.notices.is_critical is 'Whether one of its alerts was critical: it leaves first, and has places of its own.';
comment on column app.notices.is_digest is 'Whether it gathers what was held back of many devices or senders: its subject is the company.';

create index notices_open_idx on app.notices (user_id, kind, subject_id, closes_at);
create index notices_sent_idx on app.notices (user_id, sent_at) where sent_at is not null;
create index notices_company_idx on app.notices (company_id);
create index notices_created_idx on app.notices (created_at);
create index notices_due_idx on app.notices (is_critical desc, next_attempt_at, id) where status = 'queued' and by_mail;
create index notices_digest_idx on app.notices (user_id, created_at) where is_digest;
