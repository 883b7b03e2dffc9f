-- Mail replies told.

set check_function_bodies = off;

alter table app.mail_state add column reply_address text check (length(reply_address) <= 255);

create or replace function app.read_mail_state() returns jsonb
  language plpgsql stable
  -- definer: the state of the server is private
  security definer set search_path = '' as $$
begin
  perform app.require('inbound_mails', 'list');
  return (select jsonb_build_object('can_send', s.can_send, 'reads', s.reads, 'polled_at', s.polled_at, 'poll_error', s.poll_error,
    'reply_address', s.reply_address) from app.mail_state s);
end $$;

create or replace function public.mail_state() returns jsonb
  language sql stable set search_path = '' as $$
  -- Row-level security leaves the addresses that the caller may read.
  select app.read_mail_state() || jsonb_build_object('has_address', exists (select 1 from public.mail_addresses))
$$;
comment on function public.mail_state() is 'How the server sends and reads mail, its last poll, and whether an address opens tickets.';
