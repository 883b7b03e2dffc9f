create trigger policy_rule_permissions after insert or update or delete or truncate on app.policy_rule
  for each statement execute function app.rebuild_permissions();
-- A refill deletes and inserts lines; only the insert is logged.
create trigger policy_rule_security after insert on app.policy_rule
  for each statement execute function app.log_policy_change();
create constraint trigger policy_rule_unused_role after delete or update on app.policy_rule
  deferrable initially deferred for each row execute function app.remove_unused_role();
create trigger policy_rule_announce after insert or update or delete or truncate on app.policy_rule
  for each statement execute function app.announce_policy();
