revoke all on public.mail_addresses from public, anon, authenticated;
grant select, delete, insert (company_id, address, category_id), update (address, category_id) on public.mail_addresses to authenticated;
grant select, insert, update, delete on public.mail_addresses to service_role;
alter table public.mail_addresses enable row level security;
create policy mail_addresses_select_member on public.mail_addresses for select to authenticated
  using ((select app.can('mail_addresses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy mail_addresses_insert_member on public.mail_addresses for insert to authenticated
  with check ((select app.can('mail_addresses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy mail_addresses_update_member on public.mail_addresses for update to authenticated
  using ((select app.can('mail_addresses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('mail_addresses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy mail_addresses_delete_member on public.mail_addresses for delete to authenticated
  using ((select app.can('mail_addresses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.inbound_mails from public, anon, authenticated;
grant select on public.inbound_mails to authenticated;
grant select, insert, update, delete on public.inbound_mails to service_role;
alter table public.inbound_mails enable row level security;
create policy inbound_mails_select_member on public.inbound_mails for select to authenticated
  using ((select app.can('inbound_mails', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on app.inbound_raw from public, anon, authenticated;
alter table app.inbound_raw enable row level security;

revoke all on app.ticket_mails from public, anon, authenticated;
alter table app.ticket_mails enable row level security;

revoke all on app.reply_tokens from public, anon, authenticated;
alter table app.reply_tokens enable row level security;

revoke all on app.mail_state from public, anon, authenticated;
alter table app.mail_state enable row level security;

revoke all on app.test_mails from public, anon, authenticated;
alter table app.test_mails enable row level security;
