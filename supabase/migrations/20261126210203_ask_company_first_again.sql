-- A row for another company is refused before triggers look records up: tables whose first such trigger is new.
create trigger device_tags_0_company before insert on public.device_tags
  for each row execute function app.refuse_other_company();
create trigger procedures_0_company before insert on public.procedures
  for each row execute function app.refuse_other_company();
create trigger saved_commands_0_company before insert on public.saved_commands
  for each row execute function app.refuse_other_company();
