-- Company first.

create trigger ticket_watchers_0_company before insert on public.ticket_watchers
  for each row execute function app.refuse_other_company();
create trigger files_0_company before insert on public.files for each row execute function app.refuse_other_company();
