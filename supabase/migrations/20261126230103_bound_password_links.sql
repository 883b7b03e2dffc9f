-- Password links to one person ------------------------------------------------------------------------------------------
-- Whoever may invite must not fill the mailbox of somebody: a mail was sent as soon as the one before had left.

alter table app.mail_outbox add column asked_by uuid;
alter table app.mail_outbox alter column asked_by set default app.current_user_id();
comment on column app.mail_outbox.asked_by is
  'The signed-in user who had the mail sent; null where somebody asked without a session, which never keeps a colleague from sending one.';

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
  'and no mail at all where one of them was sent 5 in the last hour. Definer, because the outbox is private; it checks permission, company '
  'and rank itself.';
