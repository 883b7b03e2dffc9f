-- Mails that nobody decided on expire, and old rows go.
insert into app.tick_step (position, name, function) values (108, 'inbound_mails', 'forget_inbound') on conflict do nothing;
