revoke all on app.tick_state from public, anon, authenticated;
alter table app.tick_state enable row level security;

revoke all on app.tick_step from public, anon, authenticated;
alter table app.tick_step enable row level security;

revoke all on app.tick_log from public, anon, authenticated;
alter table app.tick_log enable row level security;
