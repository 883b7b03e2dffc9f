select app.keep_tenant('public.mail_addresses');
select app.keep_audit('public.mail_addresses');
select app.keep_announced('public.mail_addresses');
select app.keep_search('public.mail_addresses');
create trigger mail_addresses_0_company before insert on public.mail_addresses for each row execute function app.refuse_other_company();

select app.keep_announced('public.inbound_mails');
select app.keep_search('public.inbound_mails');
create trigger inbound_mails_wake after insert or update of status on public.inbound_mails
  for each row when (new.status = 'received') execute function app.wake_mail_reader();

create trigger ticket_mails_wake after insert on app.ticket_mails for each statement execute function app.wake_mailer();
create trigger ticket_comments_mail after insert on public.ticket_comments
  for each row when (new.kind = 'reply' and new.origin is null) execute function app.mail_reply();
create trigger tickets_mail after insert or update of status, assignee_id on public.tickets
  for each row execute function app.mail_ticket_change();
create trigger tickets_tell_merged after update of merged_into_id on public.tickets
  for each row when (old.merged_into_id is null and new.merged_into_id is not null) execute function app.tell_merged_ticket();
create trigger test_mails_wake after insert on app.test_mails for each statement execute function app.wake_mailer();
