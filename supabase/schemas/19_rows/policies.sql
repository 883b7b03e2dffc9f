revoke all on app.bulk_change from public, anon, authenticated;
alter table app.bulk_change enable row level security;
