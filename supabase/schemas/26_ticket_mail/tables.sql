-- Mail of tickets: addresses that receive mail, what arrived, and what is sent to requesters and the desk.

create table public.mail_addresses (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  address text not null unique check (length(address) <= 255 and address = lower(address) and address ~ '^[^@[:space:]<>",;]+@[^@[:space:]<>",;]+$'),
  category_id uuid,
  name_key text generated always as (app.sort_key(address)) stored,
  search text generated always as (app.fold(address)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete set null (category_id)
);
comment on table public.mail_addresses is
  'The addresses whose mail opens tickets, each of one company. An address is unique over all companies, so only the operator''s own staff adds them: '
  'an admin who could claim the address of another company would read its mail.';
comment on column public.mail_addresses.category_id is 'The category of tickets that mail to this address opens.';
create index mail_addresses_company_name_idx on public.mail_addresses (company_id, name_key, id);
create index mail_addresses_name_idx on public.mail_addresses (name_key, id);
create index mail_addresses_category_idx on public.mail_addresses (company_id, category_id);

create table public.inbound_mails (
  id uuid default gen_random_uuid() primary key,
  company_id uuid references public.companies (id) on delete cascade,
  message_key text not null unique check (length(message_key) <= 64),
  source text not null check (source in ('webhook', 'imap')),
  message_id text check (length(message_id) <= 500),
  from_address text check (length(from_address) <= 255),
  from_name text check (length(from_name) <= 100),
  to_address text check (length(to_address) <= 255),
  subject text check (length(subject) <= 200),
  body text check (length(body) <= 20000),
  attachments text check (length(attachments) <= 2000),
  size integer not null check (size >= 0),
  status text not null default 'received' check (status in ('received', 'held', 'filed', 'ignored', 'refused', 'rejected', 'unreadable', 'expired')),
  reason text check (reason in ('unknown_sender', 'other_sender', 'too_many', 'own', 'auto_reply', 'bounce', 'bulk', 'no_address', 'deactivated',
    'no_access', 'ticket_closed', 'ticket_in_trash', 'broken', 'no_room')),
  error text check (length(error) <= 500),
  ticket_id uuid,
  is_approved boolean not null default false,
  sender_check text check (sender_check in ('verified', 'unverified')),
  person_id uuid references public.profiles (id) on delete set null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  decided_by uuid references public.profiles (id) on delete set null,
  decided_at timestamptz,
  search text generated always as (app.fold(coalesce(from_address, '') || ' ' || coalesce(subject, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete set null (ticket_id)
);
comment on table public.inbound_mails is
  'Mails that arrived, and the result of each: filed on a ticket, held for approval, ignored, refused, or unreadable. Without a company it went to no address '
  'of mail_addresses, and only staff of the operator sees it.';
comment on column public.inbound_mails.message_key is 'A hash of Message-ID and sender: a mail that is delivered twice is one row.';
comment on column public.inbound_mails.is_approved is 'Whether an admin has approved it: the rule for unknown senders is not asked again.';
comment on column public.inbound_mails.sender_check is
  'Whether the mail server, or a reply token that was sent to this address, proves that the mail is of its sender: the From line alone does not.';
comment on column public.inbound_mails.person_id is 'The account in whose name the mail is filed, or would be if it were approved.';
create index inbound_mails_company_created_idx on public.inbound_mails (company_id, created_at, id);
create index inbound_mails_created_idx on public.inbound_mails (created_at, id);
create index inbound_mails_company_status_idx on public.inbound_mails (company_id, status, created_at, id);
create index inbound_mails_due_idx on public.inbound_mails (next_attempt_at, id) where status = 'received';
create index inbound_mails_sender_idx on public.inbound_mails (from_address, created_at);
create index inbound_mails_ticket_idx on public.inbound_mails (company_id, ticket_id);
create index inbound_mails_decided_by_idx on public.inbound_mails (decided_by);
create index inbound_mails_person_id_idx on public.inbound_mails (person_id);

create table app.inbound_raw (
  mail_id uuid primary key references public.inbound_mails (id) on delete cascade,
  raw bytea not null,
  waits_for uuid
);
comment on table app.inbound_raw is 'The raw message of mails that are not settled: received, held or unreadable. It goes once the mail is settled, or after 30 days.';
comment on column app.inbound_raw.waits_for is 'The ticket that a held mail answers: the mail is not approved while that ticket is in the trash.';

create table app.ticket_mails (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  ticket_id uuid not null,
  user_id uuid references public.profiles (id) on delete cascade,
  email text not null check (length(email) <= 255),
  events text[] not null check (events <@ array['received', 'reply', 'mention', 'opened', 'assigned', 'resolved', 'approval', 'approval_canceled', 'merged', 'refused']),
  comment_ids uuid[] not null default '{}' check (cardinality(comment_ids) <= 20),
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  message_id text unique,
  error text check (length(error) <= 500),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.ticket_mails is
  'Mails about a ticket to one person, those within a minute in one row. Holds no text: the mail is written when it is taken. Rows stay as long as '
  'their ticket, because a reply names their Message-ID.';
create index ticket_mails_due_idx on app.ticket_mails (next_attempt_at, id) where status = 'queued';
create index ticket_mails_ticket_idx on app.ticket_mails (company_id, ticket_id, email);
create index ticket_mails_user_idx on app.ticket_mails (user_id);
create index ticket_mails_sent_idx on app.ticket_mails (email, sent_at) where sent_at is not null;

create table app.reply_tokens (
  hash text primary key,
  mail_id bigint not null references app.ticket_mails (id) on delete cascade
);
comment on table app.reply_tokens is 'The hashes of reply tokens: each was sent in one mail and names its ticket and person.';
create index reply_tokens_mail_idx on app.reply_tokens (mail_id);

create table app.mail_state (
  only_row boolean primary key default true check (only_row),
  can_send boolean not null default false,
  reads text check (reads in ('webhook', 'imap', 'both')),
  polled_at timestamptz,
  poll_error text check (length(poll_error) <= 500),
  reply_address text check (length(reply_address) <= 255),
  is_local boolean not null default false
);
comment on table app.mail_state is 'How the server sends and reads mail, and the last poll of its mailbox. The server writes it.';

create table app.test_mails (
  email text primary key check (length(email) <= 255),
  language text,
  is_taken boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table app.test_mails is 'The last test mail of each person, for a day.';
