-- The attachments of a ticket ask app.guard_ticket_files().
drop trigger tickets_files_gone on public.tickets;
select app.keep_files('public.tickets', guard => 'guard_ticket_files');
