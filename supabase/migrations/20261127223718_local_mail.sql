-- Local mail.

alter table app.mail_state add column is_local boolean not null default false;

create or replace function app.read_mail_state() returns jsonb
  language plpgsql stable
  -- definer: the state of the server is private
  security definer set search_path = '' as $$
begin
  perform app.require('inbound_mails', 'list');
  return (select jsonb_build_object('can_send', s.can_send, 'reads', s.reads, 'polled_at', s.polled_at, 'poll_error', s.poll_error,
    'reply_address', s.reply_address, 'is_local', s.is_local) from app.mail_state s);
end $$;
