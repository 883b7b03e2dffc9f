-- Mail: the queue of mails about accounts.

create table app.mail_outbox (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('invitation', 'recovery')),
  email text not null check (length(email) <= 255),
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  error text check (length(error) <= 500),
  created_at timestamptz not null default now(),
  -- The result of an invitation is announced by the server, after the request that caused it.
  origin text default app.request_origin() check (origin ~ '^[0-9a-f]{32}$'),
  asked_by uuid default app.current_user_id()
);
comment on table app.mail_outbox is
  'Mails with a link to set a password, to be sent. Holds no link: its token is drawn when the mail is taken. dropped: the address '
  'has no account that may sign in, which nobody who asked learns. Sent and dropped ones are kept a day, failed ones 30 days.';
comment on column app.mail_outbox.origin is 'The page load that asked for the mail, for the live message about its result.';
comment on column app.mail_outbox.asked_by is
  'The signed-in user who had the mail sent; null where somebody asked without a session, which never keeps a colleague from sending one.';

create index mail_outbox_due_idx on app.mail_outbox (next_attempt_at) where status = 'queued';
create index mail_outbox_email_idx on app.mail_outbox (email, id desc);

-- On hosted Supabase only the auth server can create the link; pg_net calls it.
create table app.auth_server (
  only_row boolean primary key default true check (only_row),
  url text not null check (url ~ '^https://'),
  publishable_key text not null
);
comment on table app.auth_server is 'One row where app.tick() hands mails to the auth server of hosted Supabase; empty elsewhere.';
