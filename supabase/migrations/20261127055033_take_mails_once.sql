-- Take mails once.

create or replace function app.take_notices(max_rows integer default 10) returns table (id bigint, kind text, email text, language text, content jsonb)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_hour constant integer := 20;
  -- The rest of the places is kept for critical alerts.
  max_other_mails constant integer := 14;
  max_mails_per_sender constant integer := 6;
  max_mails_per_token constant integer := 10;
  notice app.notices%rowtype;
  token uuid;
  sent record;
  is_held boolean;
begin
  for notice in
    update app.notices n
    set attempts = n.attempts + 1,
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(n.attempts + 1, 6)]
    where n.id in (
      -- With the keys that writing a row twice, or a digest, asks for: whoever deletes an account or a company may wait for these rows.
      select o.id from app.notices o join public.profiles p on p.id = o.user_id join public.companies c on c.id = o.company_id
      where o.status = 'queued' and o.by_mail and o.next_attempt_at <= now()
      order by o.is_critical desc, o.next_attempt_at, o.id limit max_rows for update of o skip locked for key share of p, c skip locked)
    returning n.*
  loop
    token := (select d.enrollment_token_id from public.devices d
      where notice.kind = 'alerts' and d.company_id = notice.company_id and d.id = notice.subject_id);
    select count(*) as mails, count(*) filter (where not n.is_critical) as others,
        count(*) filter (where n.kind = notice.kind and n.subject_id = notice.subject_id) as of_sender,
        -- A person who starts many devices with one token is one sender.
        count(*) filter (where token is not null and n.kind = 'alerts' and d.enrollment_token_id = token) as of_token
      into sent
      from app.notices n left join public.devices d on d.company_id = n.company_id and d.id = n.subject_id
      where n.user_id = notice.user_id and n.sent_at > now() - interval '1 hour' and not n.is_digest;
    is_held := not notice.is_digest and (sent.mails >= max_mails_per_hour or sent.of_sender >= max_mails_per_sender
      or sent.of_token >= max_mails_per_token or not notice.is_critical and sent.others >= max_other_mails);
    id := notice.id;
    kind := notice.kind;
    select p.email into email from public.profiles p where p.id = notice.user_id;
    language := (select l.language from app.user_languages l where l.user_id = notice.user_id);
    content := case when notice.created_at > now() - interval '1 day' then app.notice_content(notice) end;
    if jsonb_typeof(coalesce(content -> 'alerts', content -> 'tickets')) <> 'array' then
      content := null;
    elsif is_held and content is not null then
      perform app.hold_notice(notice);
      content := null;
    else
      is_held := false;
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.notices n set sent_at = case when content is not null then now() end,
        error = case when is_held and content is null then 'held back: in a later mail together with others' end
      where n.id = notice.id;
    return next;
  end loop;
end $$;

create or replace function app.take_ticket_mails(domain text, max_rows integer default 10)
  returns table (id bigint, email text, language text, content jsonb, token text, message_id text, reply_to text, thread text)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_minute constant integer := 5;
  max_mails_per_hour constant integer := 60;
  mail app.ticket_mails%rowtype;
  sent record;
begin
  -- One update of each row. A second one would ask for the keys of the ticket and the person again, and wait for somebody who deletes them and
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
