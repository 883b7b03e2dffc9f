revoke all on app.commented from public, anon, authenticated;
alter table app.commented enable row level security;
