-- Demo data: the address of a desk, and mails that wait for a decision or changed nothing. After the tickets.
set app.quiet = 'on';

insert into public.mail_addresses (id, company_id, address)
values (app.demo_id('mail-address/acme'), app.demo_id('company/acme'), 'destek@acme.test')
on conflict do nothing;

insert into public.inbound_mails (id, company_id, message_key, source, message_id, from_address, from_name, to_address, subject, body, size, status, reason, sender_check, created_at)
values
  (app.demo_id('inbound/1'), app.demo_id('company/acme'), 'demo-inbound-1', 'imap', '<demo-1@example.test>', 'satis@example.test', 'Örnek Tedarik',
    'destek@acme.test', 'Yazıcı bakım teklifi', 'Merhaba, geçen hafta konuştuğumuz bakım teklifini iletiyorum.', 2140, 'held', 'unknown_sender', 'unverified', now() - interval '3 hours'),
  (app.demo_id('inbound/2'), app.demo_id('company/acme'), 'demo-inbound-2', 'imap', '<demo-2@acme.test>', 'standard@acme.test', 'Şule Güneş',
    'destek@acme.test', 'Otomatik yanıt: Ofis dışındayım', 'Pazartesiye kadar ofis dışındayım.', 980, 'ignored', 'auto_reply', 'unverified', now() - interval '1 day')
on conflict do nothing;
reset app.quiet;
