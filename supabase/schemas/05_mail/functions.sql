create function app.wake_mailer() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_notify('konsol_mail', '');
  return null;
end $$;
comment on function app.wake_mailer() is 'Statement trigger: tells a listening server, at commit, that mails are waiting.';

create function app.queue_mail(kind text, email text) returns boolean
  language plpgsql volatile set search_path = '' as $$
begin
  -- A single waiting mail is enough, and the statement is the same for every address: nobody learns which has an account.
  insert into app.mail_outbox (kind, email)
  select queue_mail.kind, lower(btrim(queue_mail.email))
  where not exists (select 1 from app.mail_outbox m
                    where m.email = lower(btrim(queue_mail.email)) and m.status = 'queued' and m.attempts = 0);
  return found;
end $$;
comment on function app.queue_mail(text, text) is
  'Asks for a mail with a link to set a password; false when one already waits. Granted to nobody.';

create function app.take_mails(max_rows integer default 10)
  returns table (id bigint, kind text, email text, token text)
  language plpgsql volatile set search_path = '' as $$
declare
  mail record;
begin
  for mail in
    update app.mail_outbox m
    set attempts = m.attempts + 1,
      -- This is the lease, too: a server that stops while it sends leaves the mail to a later try.
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(m.attempts + 1, 6)]
    where m.id in (
      select o.id from app.mail_outbox o where o.status = 'queued' and o.next_attempt_at <= now()
      order by o.next_attempt_at, o.id limit max_rows for update skip locked)
    returning m.id, m.kind, m.email
  loop
    id := mail.id;
    kind := mail.kind;
    email := mail.email;
    token := app.new_secret();
    update auth.users u set recovery_token = token, recovery_sent_at = now()
    where u.email = mail.email and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());
    if not found then
      token := null;
    end if;
    return next;
  end loop;
end $$;
comment on function app.take_mails(integer) is
  'For the server: mails that are due, each with the token of its link; null where no account may have it. A mail that is not '
  'finished is due again later. Granted to nobody.';

create function app.finish_mail(id bigint, outcome text, error text default null) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  invited record;
begin
  update app.mail_outbox m set
    status = case when outcome <> 'failed' then outcome when m.attempts >= 6 then 'failed' else 'queued' end,
    error = left(finish_mail.error, 500)
  where m.id = finish_mail.id;
  -- Whoever looks at the account sees how its invitation went.
  select r.user_id, r.company_id, m.origin into invited
  from app.mail_outbox m join public.profiles p on lower(p.email) = m.email join public.user_roles r on r.user_id = p.id
  where m.id = finish_mail.id and m.kind = 'invitation';
  if found then
    perform app.send_live(t.topic, jsonb_strip_nulls(jsonb_build_object(
      'table', 'user_roles', 'op', 'update', 'ids', jsonb_build_array(invited.user_id), 'origin', invited.origin)))
    from unnest(array['company:' || invited.company_id, 'platform']) as t (topic) where t.topic is not null;
  end if;
end $$;
comment on function app.finish_mail(bigint, text, text) is
  'For the server: sent, dropped, or failed with its error; a failed mail is tried six times over ten hours. Granted to nobody.';

create function app.forget_mails() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.mail_outbox m where m.id in (
    select o.id from app.mail_outbox o
    where o.status in ('sent', 'dropped') and o.created_at < now() - interval '1 day' or o.created_at < now() - interval '30 days'
    limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_mails() is 'Step of app.tick(): removes mails that were sent, dropped or given up.';

create function app.use_auth_server(url text, publishable_key text) returns void
  language sql volatile set search_path = '' as $$
  insert into app.auth_server (url, publishable_key) values (rtrim(url, '/'), publishable_key)
  on conflict (only_row) do update set url = excluded.url, publishable_key = excluded.publishable_key
$$;
comment on function app.use_auth_server(text, text) is
  'For the operator of a hosted project, once: the project''s URL and publishable key, with which app.tick() sends invitations. Granted to nobody.';

create function app.hand_over_mails() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  server record;
  mail record;
  handed integer := 0;
begin
  select a.url, a.publishable_key into server from app.auth_server a;
  if server.url is null or to_regprocedure('net.http_post(text,jsonb,jsonb,jsonb,integer)') is null then
    return 0;
  end if;
  for mail in
    update app.mail_outbox m set status = 'sent', attempts = m.attempts + 1
    where m.id in (select o.id from app.mail_outbox o where o.status = 'queued' order by o.id limit 20 for update skip locked)
    returning m.email
  loop
    execute 'select net.http_post($1, $2, $3, $4, 5000)'
      using server.url || '/auth/v1/recover', jsonb_build_object('email', mail.email), '{}'::jsonb,
        jsonb_build_object('apikey', server.publishable_key, 'content-type', 'application/json');
    handed := handed + 1;
  end loop;
  return handed;
end $$;
comment on function app.hand_over_mails() is
  'Step of app.tick(): on hosted Supabase asks the auth server for each waiting mail; elsewhere does nothing, the server sends them.';

create function app.note_first_sign_in() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.user_roles r set invited_at = null where r.user_id = new.id and r.invited_at is not null;
  return null;
end $$;
comment on function app.note_first_sign_in() is
  'Trigger on auth.users: an invited account has signed in. Definer, because the auth server may not write user_roles.';
