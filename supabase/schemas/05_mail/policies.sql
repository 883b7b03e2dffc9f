revoke all on app.mail_outbox from public, anon, authenticated;
alter table app.mail_outbox enable row level security;

revoke all on app.auth_server from public, anon, authenticated;
alter table app.auth_server enable row level security;
