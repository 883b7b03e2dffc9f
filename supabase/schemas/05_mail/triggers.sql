create trigger mail_outbox_wake after insert on app.mail_outbox for each statement execute function app.wake_mailer();
create trigger mail_outbox_sponsor after insert on app.mail_outbox
  for each row execute function app.note_sponsor();

do $$
begin
  create trigger konsol_first_sign_in after update of last_sign_in_at on auth.users
    for each row when (old.last_sign_in_at is null and new.last_sign_in_at is not null)
    execute function app.note_first_sign_in();
exception when insufficient_privilege then
  raise notice 'invited accounts stay invited here: %', sqlerrm;
end $$;
