-- Users: the view through which the console reads and writes accounts, and the functions for many accounts at once.

-- Without this trigger PostgreSQL answers 55000 to a delete on the view before it checks the privileges.
create function app.refuse_user_delete() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'accounts are deactivated, not deleted', hint = 'role';
end $$;
comment on function app.refuse_user_delete() is 'Instead of deleting from the view users: nobody may.';
revoke execute on function app.refuse_user_delete() from public, anon, authenticated;

-- A comma instead of `join`: the embedded backend follows a foreign key through a view only without that word.
create view public.users with (security_invoker = true) as
select p.id, p.name, p.email, r.role, r.company_id, r.status,
  r.mfa_enabled, r.deactivated_at, app.last_sign_in_at(p.id) as last_sign_in_at,
  p.created_at, greatest(p.updated_at, r.updated_at) as updated_at, r.version, p.name_key, p.search,
  r.invited_at, case when r.invited_at is not null then app.invitation_mail(p.id) end as invitation_mail
from public.user_roles r, public.profiles p
where p.id = r.user_id and (select app.can('users', 'list'));
comment on view public.users is
  'Accounts with their role and company. A new row makes the account, without a password anybody knows: a mailed link sets it. '
  'Row-level security of profiles and user_roles decides over the rows.';

create trigger users_permission before insert or update on public.users
  for each statement execute function app.require_permission();
create trigger users_refuse_delete instead of delete on public.users
  for each row execute function app.refuse_user_delete();

revoke all on public.users from public, anon, authenticated;
grant select, insert (name, email, role, company_id), update (name, role, company_id) on public.users to authenticated;
grant select on public.users to service_role;

create function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin stands outside every company.
  company uuid := case when new.role = 'Super Admin' then null else coalesce(new.company_id, app.own_company()) end;
  saved public.users%rowtype;
begin
  perform app.acting_user_id();
  if length(btrim(coalesce(new.name, ''))) not between 2 and 100 then
    raise exception using errcode = '23514', constraint = 'users_name_check',
      message = 'new row for view "users" violates check constraint "users_name_check": a name has 2 to 100 characters';
  end if;
  if tg_op = 'INSERT' then
    begin
      new.id := app.create_auth_user(new.email, app.new_secret(), new.name);
    exception
      when unique_violation then
        raise exception using errcode = '23505', constraint = 'profiles_email_idx',
          message = 'this address has an account', detail = format('Key (email)=(%s) already exists.', lower(btrim(new.email)));
      when invalid_parameter_value then
        raise exception using errcode = '23514', constraint = 'users_email_check',
          message = 'new row for view "users" violates check constraint "users_email_check": not an e-mail address';
    end;
    insert into public.user_roles (user_id, role, company_id, invited_at) values (new.id, new.role, company, now());
    perform app.queue_mail('invitation', new.email);
  else
    perform app.require_reach(array[old.id]);
    if old.role in ('Admin', 'Super Admin') and (new.role <> old.role or company is distinct from old.company_id) then
      perform app.lock_admins(old.company_id);
      -- The wait may have been long: the caller may have signed out or lost the role during it.
      perform app.require('users', 'edit');
      perform app.require_reach(array[old.id]);
    end if;
    -- Behind a view no row is locked: the version says whether it is still the row that was read.
    update public.user_roles r set role = new.role, company_id = company where r.user_id = old.id and r.version = old.version;
    if not found then
      return null;
    end if;
    update public.profiles p set name = btrim(new.name) where p.id = old.id and p.name is distinct from btrim(new.name);
  end if;
  select u.* into saved from public.users u where u.id = new.id;
  if found then
    return saved;
  end if;
  -- Whoever gave up the own role sees nobody any more.
  return new;
end $$;
comment on function app.write_user() is
  'Instead of writing the view users: makes the account and asks for its invitation, or changes name, role and company; the triggers of '
  'user_roles say which. Definer, because accounts are made by the server alone; app.require_permission() on the view has asked before.';
revoke execute on function app.write_user() from public, anon;

create function app.require_reach(ids uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.is_server_work() or app.sees_all() and not exists (
    select 1 from unnest(ids) as i (id) where not exists (select 1 from public.user_roles r where r.user_id = i.id)) then
    return;
  end if;
  -- One answer for an account that does not exist and one that belongs to another company.
  if exists (
    select 1 from unnest(ids) as i (id) where not exists (
      select 1 from public.user_roles r
      join public.user_roles mine on mine.user_id = actor
      where r.user_id = i.id and r.company_id = mine.company_id and app.role_rank(r.role) <= app.role_rank(mine.role)))
  then
    raise exception using errcode = '42501', message = 'these accounts are not yours to change', hint = 'role';
  end if;
end $$;
comment on function app.require_reach(uuid[]) is
  'Raises 42501 unless every account is in the caller''s company and not above the caller; a Super Admin reaches all. '
  'Definer, because it looks at accounts the caller may not read.';
revoke execute on function app.require_reach(uuid[]) from public, anon;

create trigger users_write instead of insert or update on public.users
  for each row execute function app.write_user();

create function public.deactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  changed integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- Whoever may switch others off never leaves a company, or the platform, without anybody who can switch them on again.
  for company in
    select distinct r.company_id from public.user_roles r
    where r.user_id = any (ids) and r.role = case when r.company_id is null then 'Super Admin' else 'Admin' end
      and (r.company_id is null or not app.sees_all())
    order by r.company_id
  loop
    perform app.keep_an_admin(company, ids);
  end loop;
  -- Again after the wait for the lock.
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- The role first: its triggers need the session of a caller who deactivates the own account.
  update public.user_roles r set deactivated_at = now() where r.user_id = any (ids) and r.deactivated_at is null;
  get diagnostics changed = row_count;
  update auth.users u set banned_until = now() + interval '100 years' where u.id = any (ids);
  delete from auth.sessions s where s.user_id = any (ids);
  return changed;
end $$;
comment on function public.deactivate_users(uuid[]) is
  'These accounts may not sign in any more, and are signed out everywhere. Definer, because accounts and sessions belong to the '
  'auth server; it checks permission, company and rank itself.';
revoke execute on function public.deactivate_users(uuid[]) from public, anon;
grant execute on function public.deactivate_users(uuid[]) to authenticated;

create function public.reactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  update public.user_roles r set deactivated_at = null where r.user_id = any (ids) and r.deactivated_at is not null;
  get diagnostics changed = row_count;
  update auth.users u set banned_until = null where u.id = any (ids);
  return changed;
end $$;
comment on function public.reactivate_users(uuid[]) is
  'These accounts may sign in again. Definer, because accounts belong to the auth server; it checks permission, company and rank itself.';
revoke execute on function public.reactivate_users(uuid[]) from public, anon;
grant execute on function public.reactivate_users(uuid[]) to authenticated;

create function public.end_user_sessions(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  delete from auth.sessions s where s.user_id = any (ids);
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function public.end_user_sessions(uuid[]) is
  'Signs these accounts out everywhere and returns how many sessions ended. Definer, because sessions belong to the auth server; '
  'it checks permission, company and rank itself.';
revoke execute on function public.end_user_sessions(uuid[]) from public, anon;
grant execute on function public.end_user_sessions(uuid[]) to authenticated;

create function public.search_users(q text) returns setof public.users
  language sql stable rows 500 as $$
  select t.* from public.users t
  where case when app.search_ids('users', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('users', q)) end
$$;
comment on function public.search_users(text) is
  'The users that match every word of q, whatever its case and accents; filter, order and page it like the view.';
revoke execute on function public.search_users(text) from public, anon;
grant execute on function public.search_users(text) to authenticated;

create function public.send_password_links(ids uuid[]) returns integer
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
  loop
    asked := asked + app.queue_mail(case when person.is_invited then 'invitation' else 'recovery' end, person.email)::integer;
  end loop;
  return asked;
end $$;
comment on function public.send_password_links(uuid[]) is
  'Mails these accounts a link to set a password and returns how many mails were asked for; none to deactivated ones. Definer, because '
  'the outbox is private; it checks permission, company and rank itself.';
revoke execute on function public.send_password_links(uuid[]) from public, anon, authenticated;
grant execute on function public.send_password_links(uuid[]) to authenticated;
