revoke all on app.policy_rule from public, anon, authenticated;
alter table app.policy_rule enable row level security;

revoke all on app.role_closure from public, anon, authenticated;
alter table app.role_closure enable row level security;

revoke all on app.permission from public, anon, authenticated;
alter table app.permission enable row level security;

revoke all on app.role from public, anon, authenticated;
alter table app.role enable row level security;

revoke all on app.role_include from public, anon, authenticated;
alter table app.role_include enable row level security;
