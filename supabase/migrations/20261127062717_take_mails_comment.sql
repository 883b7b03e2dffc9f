-- Take mails comment.

create or replace function app.take_ticket_mails(domain text, max_rows integer default 10)
  returns table (id bigint, email text, language text, content jsonb, token text, message_id text, reply_to text, thread text)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 5;
  max_mails_per_hour constant integer := 60;
  mail app.ticket_mails%rowtype;
  sent record;
begin
  -- Each row is updated once. A second update would ask for the keys of the ticket and the person again, and wait for somebody who deletes them and
  -- waits for this row.
  for mail in
    select o.* from app.ticket_mails o where o.status = 'queued' and o.next_attempt_at <= now()
    order by o.next_attempt_at, o.id limit max_rows for update skip locked
  loop
    select count(*) filter (where x.sent_at > now() - interval '1 minute') as last_minute, count(*) as last_hour into sent
    from app.ticket_mails x where x.email = mail.email and x.sent_at > now() - interval '1 hour' and x.id <> mail.id;
    if sent.last_minute >= max_mails_per_minute or sent.last_hour >= max_mails_per_hour then
      -- It stays open for what comes in the meantime.
      update app.ticket_mails m set next_attempt_at = now() + case when sent.last_hour >= max_mails_per_hour then interval '10 minutes' else interval '1 minute' end
      where m.id = mail.id;
      continue;
    end if;
    id := mail.id;
    email := mail.email;
    content := case when mail.created_at > now() - interval '1 day' then app.ticket_mail_content(mail) end;
    language := coalesce((select l.language from app.user_languages l where l.user_id = mail.user_id), app.company_language(mail.company_id));
    thread := '<ticket.' || mail.ticket_id || '@' || domain || '>';
    reply_to := coalesce((select i.message_id from public.inbound_mails i
      where i.company_id = mail.company_id and i.ticket_id = mail.ticket_id and i.from_address = mail.email and i.message_id is not null
      order by i.created_at desc limit 1), thread);
    message_id := coalesce(mail.message_id, '<ticket.' || mail.ticket_id || '.' || mail.id || '.' || "left"(app.new_secret(), 32) || '@' || domain || '>');
    token := null;
    if content is not null then
      token := app.new_secret();
      insert into app.reply_tokens (hash, mail_id) values (encode(sha256(convert_to(token, 'UTF8')), 'hex'), mail.id);
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.ticket_mails m set message_id = take_ticket_mails.message_id, sent_at = case when content is not null then now() end,
        attempts = m.attempts + 1,
        next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(m.attempts + 1, 6)]
      where m.id = mail.id;
    return next;
  end loop;
end $$;
