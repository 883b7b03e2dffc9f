select app.keep_tenant('public.procedures');
select app.keep_audit('public.procedures', 'id', array['waiting_since']);
select app.keep_announced('public.procedures');
create trigger procedures_stamp before insert or update on public.procedures
  for each row execute function app.stamp_procedure();
create trigger procedures_first_version after insert on public.procedures
  for each row execute function app.keep_procedure_version();
create trigger procedures_next_version after update on public.procedures
  for each row when (old.revision is distinct from new.revision) execute function app.keep_procedure_version();
-- A decision, or a run that waits, does not make an open form out of date.
create or replace trigger procedures_touch before update on public.procedures for each row
  when (old.revision is distinct from new.revision or (old.waiting_since, old.approved_at, old.declined_at)
    is not distinct from (new.waiting_since, new.approved_at, new.declined_at))
  execute function app.touch();
-- After procedures_next_version.
create trigger procedures_replaced after update on public.procedures
  for each row when (old.revision is distinct from new.revision) execute function app.end_replaced();
create trigger procedures_platforms before insert or update on public.procedures for each row execute function app.fill_platforms();
create trigger procedures_hidden_characters before insert or update of script, parameters on public.procedures
  for each row execute function app.guard_hidden_characters();
create trigger procedures_0_company before insert on public.procedures
  for each row execute function app.refuse_other_company();
create trigger procedures_hidden_names before insert or update of name on public.procedures
  for each row execute function app.guard_hidden_columns('name');
create trigger procedures_automation_systems after update of platforms, type on public.procedures
  for each row when (old.platforms is distinct from new.platforms) execute function app.follow_automation_systems();

select app.keep_tenant('public.procedure_versions');
create trigger procedure_versions_immutable before update on public.procedure_versions
  for each row when (
    (old.procedure_id, old.number, old.type, old.script, old.parameters, old.timeout_seconds, old.platforms)
    is distinct from (new.procedure_id, new.number, new.type, new.script, new.parameters, new.timeout_seconds, new.platforms)
  ) execute function app.refuse_version_change();
create trigger procedure_versions_author after insert on public.procedure_versions
  for each row when (new.created_by is not null) execute function app.note_author();

select app.keep_tenant('public.procedure_logs');
select app.keep_announced('public.procedure_logs');

select app.keep_tenant('public.saved_commands');
select app.keep_audit('public.saved_commands');
select app.keep_announced('public.saved_commands');
select app.keep_search('public.saved_commands');
select app.keep_trash('public.saved_commands');
create trigger saved_commands_platforms before insert or update on public.saved_commands for each row execute function app.fill_platforms();
create trigger saved_commands_hidden_characters before insert or update of command on public.saved_commands
  for each row execute function app.guard_hidden_characters();
create trigger saved_commands_0_company before insert on public.saved_commands
  for each row execute function app.refuse_other_company();
create trigger saved_commands_hidden_names before insert or update of name on public.saved_commands
  for each row execute function app.guard_hidden_columns('name');

create trigger procedure_favorites_a_bound before insert on public.procedure_favorites
  for each row execute function app.bound_own_rows('user_id', 'user_id', 'favorites_too_many');
