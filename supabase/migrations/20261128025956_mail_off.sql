-- Mail off.

-- It is a security definer because the outbox is private.
create or replace function public.send_password_links(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  person record;
  asked integer := 0;
begin
  perform app.require('users', 'invite');
  perform app.require_reach(ids);
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'no more than 1,000 accounts per call';
  end if;
  perform app.require_mail();
  for person in
    select p.email, r.invited_at is not null as is_invited
    from public.user_roles r join public.profiles p on p.id = r.user_id
    where r.user_id = any (ids) and r.deactivated_at is null order by p.email
    -- Two calls at the same moment would count the same mails.
    for no key update of r
  loop
    if (select count(*) from app.mail_outbox m
        where m.email = lower(person.email) and m.asked_by is not null and m.created_at > now() - interval '1 hour') >= 5 then
      raise exception 'The account was sent 5 links within an hour.'
        using errcode = 'check_violation', hint = 'links_too_many', detail = jsonb_build_object('email', person.email)::text;
    end if;
    asked := asked + app.queue_mail(case when person.is_invited then 'invitation' else 'recovery' end, person.email)::integer;
  end loop;
  return asked;
end $$;
comment on function public.send_password_links(uuid[]) is
  'Mails these accounts a link to set a password and returns how many mails were asked for; none to deactivated ones. 23514 (links_too_many) '
  'and no mail at all where one of them was sent 5 in the last hour; 23514 (mail_off) where the server sends none. Definer, because the outbox is private; it checks permission, company '
  'and rank itself.';

create function app.require_mail() returns void
  language plpgsql stable set search_path = '' as $$
begin
  -- On hosted Supabase no server says how it sends, and the auth server mails.
  if exists (select 1 from app.mail_state s where not s.can_send) then
    raise exception using errcode = '23514', hint = 'mail_off', message = 'the server sends no mail';
  end if;
end $$;
comment on function app.require_mail() is 'Refuses (23514, mail_off) to ask for a mail that somebody waits for, on a server that sends none. Granted to nobody.';

create or replace function app.queue_test_mail() returns text
  language plpgsql volatile
  -- definer: the queue of mails is private
  security definer set search_path = '' as $$
declare
  address text := (select lower(p.email) from public.profiles p where p.id = app.current_user_id());
begin
  perform app.require('inbound_mails', 'approve');
  perform app.require_mail();
  if exists (select 1 from app.test_mails m where m.email = address and m.created_at > now() - interval '1 minute') then
    raise exception using errcode = 'PT429', message = 'A test mail was sent less than a minute ago.', hint = 'mail_test_again';
  end if;
  delete from app.test_mails m where m.created_at < now() - interval '1 day' or m.email = address;
  insert into app.test_mails (email, language) values (address, (select l.language from app.user_languages l where l.user_id = app.current_user_id()));
  return address;
end $$;
