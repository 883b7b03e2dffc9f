-- Desk and mail.

set check_function_bodies = off;

create or replace function app.mail_ticket(company uuid, ticket uuid) returns uuid
  language sql stable set search_path = '' as $$
  select coalesce((select t.merged_into_id from public.tickets t where t.company_id = mail_ticket.company and t.id = mail_ticket.ticket), mail_ticket.ticket)
$$;
comment on function app.mail_ticket(uuid, uuid) is 'The ticket on which a reply to the mail of a ticket lands: a merged one''s is the one that took its conversation.';

create trigger time_entries_words after insert on public.time_entries for each row execute function app.note_ticket_words();

revoke all on table public.desk_settings from public, authenticated, service_role;
grant select, update (close_after_days, reopen_on_reply, reopen_days, approve_own, on_denied, unknown_senders, trust_known_senders) on public.desk_settings to authenticated;
grant select, insert, update, delete on public.desk_settings to service_role;
