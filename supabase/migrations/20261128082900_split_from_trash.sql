-- No ticket is split from one that is in the trash.
select app.keep_trash('public.tickets');
