-- Live origin: a live message names the page load whose request wrote, so that a page tells its own writes from others'.

create function app.request_origin() returns text
  language plpgsql stable set search_path = '' as $$
declare
  origin text := nullif(current_setting('request.headers', true), '')::json ->> 'x-origin-id';
begin
  -- Without a user the request is an agent's or a stranger's.
  if origin ~ '^[0-9a-f]{32}$' and auth.uid() is not null then
    return origin;
  end if;
  return null;
end $$;
comment on function app.request_origin() is
  'The x-origin-id header of the current request: a random id of the page load that sent it, 32 hexadecimal digits. Null '
  'without a signed-in user, outside a request, and for any other form. It identifies a page to itself and grants nothing.';
revoke execute on function app.request_origin() from public, anon, authenticated;

create or replace function app.send_live(topic text, payload jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  message jsonb := payload || jsonb_strip_nulls(jsonb_build_object('origin', app.request_origin()));
begin
  if to_regprocedure('realtime.send(jsonb,text,text,boolean)') is not null then
    execute 'select realtime.send($1, $2, $3, true)' using message, 'change', topic;
  else
    perform pg_notify('konsol_live', jsonb_build_object('topic', topic, 'payload', message)::text);
  end if;
end $$;
comment on function app.send_live(text, jsonb) is
  'One broadcast on a private topic, with the origin of the request: through Supabase Realtime where it exists, else by '
  'pg_notify to the embedded server.';

-- The result of an invitation is announced by the server, after the request that caused it.
alter table app.mail_outbox
  add column origin text default app.request_origin() check (origin ~ '^[0-9a-f]{32}$');
comment on column app.mail_outbox.origin is 'The page load that asked for the mail, for the live message about its result.';

create or replace function app.finish_mail(id bigint, outcome text, error text default null) returns void
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
