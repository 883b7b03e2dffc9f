create function app.guard_company() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') and not app.sees_all() then
    raise exception using errcode = '42501', message = 'only the platform changes the license', hint = 'role';
  end if;
  return new;
end $$;
comment on function app.guard_company() is 'Row trigger on a changed license or status: only who sees all companies may.';

create function app.visible_user_ids() returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
begin
  if app.sees_all() then
    return array(select p.id from public.profiles p);
  end if;
  return array(select r.user_id from public.user_roles r where r.company_id = app.own_company());
end $$;
comment on function app.visible_user_ids() is
  'The accounts of the caller''s company (all for a Super Admin). Definer, because profiles carry no company of their own.';
grant execute on function app.visible_user_ids() to authenticated;

create function app.announce_profiles() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  message jsonb;
  told text;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in
    select m.company_id as target, case when count(*) <= 50 then to_jsonb(array_agg(n.id)) else '[]' end as ids
    from new_rows n
    join old_rows o on o.id = n.id
    join public.user_roles m on m.user_id = n.id
    where (n.name, n.email) is distinct from (o.name, o.email)
    group by 1
  loop
    -- A page that reads names alone is not told of the table behind them.
    foreach told in array array['profiles', 'people'] loop
      message := jsonb_build_object('table', told, 'op', 'update', 'ids', r.ids);
      if r.target is not null then
        perform app.send_live('company:' || r.target, message);
      end if;
      perform app.send_live('platform', message);
    end loop;
  end loop;
  return null;
end $$;
comment on function app.announce_profiles() is
  'Statement trigger: a changed name or address is told to the company of the account, as app.announce() does for tables with a '
  'company of their own. Definer, because clients may not send on a topic.';

create function app.guard_user_role() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  actor_role text;
begin
  -- The server's own work (seed, first Super Admin, cascades of a deleted account) has no actor.
  if app.is_server_work() then
    return coalesce(new, old);
  end if;
  if not app.sees_all() then
    select r.role into actor_role from public.user_roles r where r.user_id = actor;
    -- An actor who lost the role or the company during the wait compares as null and is refused.
    if actor_role is null
       or tg_op <> 'INSERT' and (not app.role_includes(actor_role, old.role) or old.company_id is distinct from app.own_company())
       or tg_op <> 'DELETE' and (not app.role_includes(actor_role, new.role) or new.company_id is distinct from app.own_company())
       -- The answer is the same for an account that does not exist and for another company's.
       or tg_op = 'INSERT' and (not exists (select 1 from public.profiles p where p.id = new.user_id)
                                or exists (select 1 from public.user_roles r where r.user_id = new.user_id))
    then
      raise exception using errcode = '42501', message = 'this role cannot be given or taken by you', hint = 'role';
    end if;
  end if;
  if tg_op <> 'INSERT' and old.role = any (app.admin_roles())
     and (tg_op = 'DELETE' or new.role <> old.role or new.company_id is distinct from old.company_id
          or old.deactivated_at is null and new.deactivated_at is not null)
     -- A Super Admin may leave a company without an admin, but not the platform without a Super Admin.
     and (old.company_id is null or old.user_id = actor or not app.sees_all()) then
    perform app.keep_an_admin(old.company_id, array[old.user_id]);
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_user_role() is
  'Row trigger: no role with a permission that one''s own lacks, none outside one''s company, and a company keeps its last admin '
  'whoever acts. Definer, because it looks at accounts the actor may not read.';

create function app.announce_leavers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in
    select o.company_id as target, case when count(*) <= 50 then to_jsonb(array_agg(o.user_id)) else '[]' end as ids
    from old_rows o
    join new_rows n on n.user_id = o.user_id
    where o.company_id is not null and n.company_id is distinct from o.company_id
    group by 1
  loop
    perform app.send_live('company:' || r.target, jsonb_build_object('table', 'user_roles', 'op', 'delete', 'ids', r.ids));
  end loop;
  return null;
end $$;
comment on function app.announce_leavers() is
  'Statement trigger: the company that an account has left is told that the row is gone from it; app.announce() tells the new one. '
  'Definer, because clients may not send on a topic.';

create function app.own_profile_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select p.id from public.profiles p where p.id = (select app.acting_user_id()));
end $$;
comment on function app.own_profile_id() is
  'The signed-in user, where they have a profile. Definer, because the policies of profiles ask far more than this.';
grant execute on function app.own_profile_id() to authenticated, service_role;

create function app.keep_an_admin(company uuid, leaving uuid[]) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.lock_admins(company);
  -- A new statement, so it sees what those who held the lock before have committed.
  if not exists (
    select 1 from public.user_roles r
    where r.company_id is not distinct from company and r.role = any (app.admin_roles())
      and r.deactivated_at is null and r.user_id <> all (leaving))
  then
    raise exception using errcode = '23514', constraint = 'user_roles_last_admin',
      -- Named here as well: the API passes on the text alone.
      message = 'the last admin cannot leave: constraint "user_roles_last_admin"';
  end if;
end $$;
comment on function app.keep_an_admin(uuid, uuid[]) is
  'Raises unless somebody with a role of app.admin_roles() who may sign in is left in the company (without one: on the platform) '
  'after these accounts. Definer, because it looks at accounts the actor may not read.';

create function app.lock_admins(company uuid) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  if company is null then
    perform pg_advisory_xact_lock(hashtext('app.keep_an_admin'));
  else
    perform 1 from public.companies c where c.id = company for no key update;
  end if;
end $$;
comment on function app.lock_admins(uuid) is
  'Makes changes to the admins of a company (without one: of the platform) wait for each other until the transaction ends. '
  'Called before any row of user_roles is locked, so that two such changes never wait in a circle.';

create function app.profile_name(name text, email text) returns text
  language sql immutable parallel safe
  return case
    when pg_catalog.length(pg_catalog.btrim(coalesce(name, ''))) >= 2 then pg_catalog."left"(pg_catalog.btrim(name), 100)
    when pg_catalog.length(pg_catalog.split_part(email, '@', 1)) >= 2 then pg_catalog."left"(pg_catalog.split_part(email, '@', 1), 100)
    else pg_catalog.split_part(email, '@', 1) || '…'
  end;
comment on function app.profile_name(text, text) is
  'A name that fits profiles.name: where none was given, the e-mail up to its @, because a name is read by people who may not read addresses.';

create function app.sync_profile() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if new.email is null then
    return null;
  end if;
  insert into public.profiles (id, name, email)
  values (new.id, app.profile_name(to_jsonb(new) -> 'raw_user_meta_data' ->> 'name', new.email), new.email)
  on conflict (id) do update set email = excluded.email where profiles.email is distinct from excluded.email;
  return null;
end $$;
comment on function app.sync_profile() is
  'Trigger on auth.users: an account has its profile at once, and the profile''s e-mail follows. Definer, because the auth server owns neither.';

create function app.hash_password(password text) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  pgcrypto text := (select n.nspname from pg_catalog.pg_extension e
                    join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'pgcrypto');
  hash text;
begin
  if pgcrypto is null then
    raise exception using errcode = '0A000', message = 'accounts cannot be made from SQL without the pgcrypto extension';
  end if;
  execute format('select %1$I.crypt($1, %1$I.gen_salt(''bf'', 10))', pgcrypto) into hash using password;
  return hash;
end $$;
comment on function app.hash_password(text) is 'A bcrypt hash as the auth server reads it, wherever pgcrypto is installed.';

create function app.create_auth_user(email text, password text, name text default null, password_hash text default null)
  returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  uid uuid := gen_random_uuid();
  address text := lower(btrim(email));
  doc jsonb;
  columns text;
begin
  if address !~ '^[^@[:space:]]+@[^@[:space:]]+$' or length(address) > 255 then
    raise exception using errcode = '22023', message = 'not an e-mail address';
  end if;
  doc := jsonb_build_object(
    'instance_id', '00000000-0000-0000-0000-000000000000', 'id', uid, 'aud', 'authenticated', 'role', 'authenticated',
    'email', address, 'encrypted_password', coalesce(password_hash, app.hash_password(password)),
    'email_confirmed_at', now(), 'confirmed_at', now(),
    'raw_app_meta_data', jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email')),
    'raw_user_meta_data', jsonb_build_object('name', app.profile_name(name, address), 'email', address,
      'email_verified', true, 'phone_verified', false, 'sub', uid),
    'created_at', now(), 'updated_at', now(),
    'confirmation_token', '', 'recovery_token', '', 'email_change_token_new', '', 'email_change', '',
    'email_change_token_current', '', 'reauthentication_token', '', 'phone_change', '', 'phone_change_token', '');
  -- Hosted and embedded auth.users differ in columns: only those that exist, and none that computes itself.
  select string_agg(quote_ident(k.name), ', ') into columns from jsonb_object_keys(doc) as k (name)
  where exists (select 1 from pg_catalog.pg_attribute a where a.attrelid = 'auth.users'::regclass
                and a.attname = k.name and a.attnum > 0 and not a.attisdropped and a.attgenerated = '');
  execute format('insert into auth.users (%1$s) select %1$s from jsonb_populate_record(null::auth.users, $1)', columns) using doc;
  insert into auth.identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
  values (gen_random_uuid(), uid, 'email', uid::text,
    jsonb_build_object('sub', uid, 'email', address, 'email_verified', true, 'phone_verified', false), now(), now(), now());
  insert into public.profiles (id, name, email) values (uid, app.profile_name(name, address), address)
  on conflict (id) do nothing;
  return uid;
end $$;
comment on function app.create_auth_user(text, text, text, text) is
  'Makes a confirmed account with its profile and returns its id. Definer, because the auth schema belongs to the auth server. '
  'Granted to nobody: callers check who may invite first.';

create function app.create_first_super_admin(email text, password text default null) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  uid uuid;
begin
  -- Two operators at once: the second waits, and is refused.
  perform pg_advisory_xact_lock(hashtext('app.create_first_super_admin'));
  if exists (select 1 from public.user_roles r where r.role = 'Super Admin') then
    raise exception using errcode = '23505', message = 'a Super Admin exists already';
  end if;
  select u.id into uid from auth.users u where lower(u.email) = lower(btrim(create_first_super_admin.email));
  if uid is null then
    -- A random password is known to nobody: the link of "forgot password" sets the first one.
    uid := app.create_auth_user(create_first_super_admin.email, coalesce(password, app.new_secret()));
  else
    insert into public.profiles (id, name, email)
    select u.id, app.profile_name(null, u.email), u.email from auth.users u where u.id = uid
    on conflict (id) do nothing;
  end if;
  insert into public.user_roles (user_id, role) values (uid, 'Super Admin')
  on conflict (user_id) do update set role = 'Super Admin', company_id = null;
  return uid;
end $$;
comment on function app.create_first_super_admin(text, text) is
  'For the operator, once: makes this address the first Super Admin and returns the account''s id; refused when there is one. '
  'Definer, because it writes accounts. Granted to nobody.';

create function app.end_sessions(user_id uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  ended integer;
begin
  delete from auth.sessions s where s.user_id = end_sessions.user_id;
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function app.end_sessions(uuid) is
  'Ends every session of an account and returns how many. Definer, because sessions belong to the auth server. Granted to the server only.';
grant execute on function app.end_sessions(uuid) to service_role;

create function app.last_sign_in_at(user_id uuid) returns timestamptz
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select u.last_sign_in_at from auth.users u where u.id = last_sign_in_at.user_id);
end $$;
comment on function app.last_sign_in_at(uuid) is
  'For the view users, whose rows have passed row-level security. Definer, because auth.users belongs to the auth server.';
grant execute on function app.last_sign_in_at(uuid) to authenticated, service_role;

create function app.expire_licenses() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  expired integer;
begin
  with due as (
    select c.id from public.companies c where c.status = 'Active' and c.license_end_date <= now()
    order by c.id limit 1000 for update skip locked
  )
  update public.companies c set status = 'Expired' from due where c.id = due.id;
  get diagnostics expired = row_count;
  return expired;
end $$;
comment on function app.expire_licenses() is 'Marks companies whose license has ended; permissions have treated them so since that instant.';

create function app.notify_licenses() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, c.id, l.kind,
    jsonb_build_object('company', c.name, 'end_date', c.license_end_date,
      'days', greatest(0, ceil(extract(epoch from c.license_end_date - now()) / 86400))),
    '/system-license', l.once_key
  from public.companies c
  cross join lateral (
    select case when c.status = 'Expired' then 'license_expired' else 'license_expiring' end as kind,
      app.license_key(c.status, c.license_end_date) as once_key
  ) l
  join public.user_roles r on r.company_id = c.id and r.role = any (app.roles_that_may('companies', 'edit'))
  where (c.status = 'Expired' or c.status = 'Active' and c.license_end_date <= now() + interval '30 days')
    and not exists (select 1 from public.notifications n where n.user_id = r.user_id and n.once_key = l.once_key)
  order by r.user_id
  limit 1000
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.notify_licenses() is
  'Tells whoever may edit a company once that its license ends within 30 days, and once that it has ended.';

create function app.license_key(status text, end_date timestamptz) returns text
  language sql immutable parallel safe
  return case when status = 'Expired' then 'license_expired:' else 'license_expiring:' end
    || coalesce(to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), 'never');
comment on function app.license_key(text, timestamptz) is 'Under which key a license notification is sent only once: a renewed license warns again.';

create function app.stamp_author() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- The server's own work (seed, restore) may say who it was.
  if new.created_by is null or current_user in ('anon', 'authenticated') then
    new.created_by := app.own_profile_id();
  end if;
  return new;
end $$;
comment on function app.stamp_author() is 'Row trigger before insert: who made a record is the signed-in user, whatever was sent.';

create function app.invitation_mail(user_id uuid) returns text
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select m.status from public.profiles p join app.mail_outbox m on m.email = lower(p.email)
    where p.id = invitation_mail.user_id order by m.id desc limit 1);
end $$;
comment on function app.invitation_mail(uuid) is
  'How the last mail to an account went: queued, sent, failed or dropped; null once forgotten. For the view users, whose rows have '
  'passed row-level security. Definer, because the outbox is private.';
grant execute on function app.invitation_mail(uuid) to authenticated, service_role;

-- PostgreSQL would answer 55000 to a delete on the view before it checks the privileges.
create function app.refuse_user_delete() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'accounts are deactivated, not deleted', hint = 'role';
end $$;
comment on function app.refuse_user_delete() is 'Instead of deleting from the view users: nobody may.';

create function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin belongs to no company.
  company uuid := case when new.role = 'Super Admin' then null else coalesce(new.company_id, app.own_company()) end;
  saved public.users%rowtype;
begin
  perform app.acting_user_id();
  if tg_op = 'INSERT' or new.name is distinct from old.name then
    perform app.refuse_unclean_line('name', new.name);
  end if;
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
    if old.role = any (app.admin_roles()) and (new.role <> old.role or company is distinct from old.company_id) then
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

create function app.require_reach(ids uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if app.is_server_work() or app.sees_all() and not exists (
    select 1 from unnest(ids) as i (id) where not exists (select 1 from public.user_roles r where r.user_id = i.id)) then
    return;
  end if;
  -- The answer is the same for an account that does not exist and for another company's.
  if exists (
    select 1 from unnest(ids) as i (id) where not exists (
      select 1 from public.user_roles r
      join public.user_roles mine on mine.user_id = actor and mine.company_id = r.company_id
      join app.role_include reach on reach.role = mine.role and reach.included = r.role
      where r.user_id = i.id))
  then
    raise exception using errcode = '42501', message = 'these accounts are not yours to change', hint = 'role';
  end if;
end $$;
comment on function app.require_reach(uuid[]) is
  'Raises 42501 unless every account is in the caller''s company with a role that the caller''s includes; a Super Admin reaches all. '
  'Definer, because it looks at accounts the caller may not read.';

-- Security definer: nobody may write auth.users; the function checks the permission and each account itself.
create function public.deactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  changed integer;
  own record;
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
  -- Work that they asked for and no device has done yet is canceled: runs first, then the job, as cancel_job().
  for own in
    select j.company_id, j.id from public.jobs j
    where j.created_by = any (ids) and j.status = 'running' and j.schedule_id is null order by j.id
  loop
    perform app.cancel_runs(own.company_id, array(
      select r.id from public.job_runs r
      where r.company_id = own.company_id and r.job_id = own.id and r.status in ('queued', 'claimed', 'running')
    ));
    update public.jobs j set status = 'cancelled' where j.company_id = own.company_id and j.id = own.id and j.status = 'running';
  end loop;
  -- Their automations too, whose next step the device's report would queue. As cancel_automation_run().
  for own in
    select r.company_id, r.id from public.automation_runs r
    where r.started_by = any (ids) and r.status = 'running' order by r.id
  loop
    for round in 1..2 loop
      perform app.cancel_runs(own.company_id, array(
        select j.id from public.job_runs j
        where j.company_id = own.company_id and j.automation_run_id = own.id and j.status in ('queued', 'claimed', 'running')
      ));
      update public.automation_runs r set status = 'cancelled', finished_at = now()
        where r.company_id = own.company_id and r.id = own.id and r.status = 'running';
    end loop;
  end loop;
  return changed;
end $$;
comment on function public.deactivate_users(uuid[]) is
  'These accounts may not sign in any more, are signed out everywhere, and the jobs and automations that they started are canceled. Definer, '
  'because accounts and sessions belong to the auth server, and nobody may update jobs; it checks permission, company and rank itself.';
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
grant execute on function public.end_user_sessions(uuid[]) to authenticated;

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

create function public.search_users(q text) returns setof public.users
  language sql stable rows 500 as $$
  select t.* from public.users t
  where case when app.search_ids('users', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('users', q)) end
$$;
comment on function public.search_users(text) is
  'The users that match every word of q, whatever its case and accents; filter, order and page it like the view.';
grant execute on function public.search_users(text) to authenticated;

-- The view reads profiles as its owner, because a policy can hide rows and not the e-mail of a row. Its own condition is the
-- policy: it asks for a permission line and for the company, and a barrier keeps conditions of callers behind it.
create view public.people with (security_barrier = true) as
select p.id, p.name, p.is_deactivated, p.name_key from public.profiles p
where p.id = (select app.current_user_id())
  or (select app.can('people', 'list'))
    and ((select app.sees_all()) or p.id in (select unnest((select app.visible_user_ids()))));
comment on view public.people is
  'Who the people of the caller''s company are, by name and without their addresses: what a field of type user shows and picks, with the '
  'permission people, list. Without it, the caller alone.';

create function public.search_people(q text) returns setof public.people
  language sql stable rows 500 as $$
  select t.* from public.people t where app.fold(t.name) operator(pg_catalog.~~) all (app.search_patterns(q))
$$;
comment on function public.search_people(text) is
  'The people whose name holds every word of q, whatever its case and accents; filter, order and page it like the view.';
grant execute on function public.search_people(text) to authenticated;

-- It is a security definer because the outbox is private.
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
grant execute on function public.send_password_links(uuid[]) to authenticated;

-- Definer, because the column is nobody's to write.
create function app.count_company_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.companies c
    set device_count = c.device_count + x.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select n.company_id, count(*) as devices from changed n group by 1) x
    where c.id = x.company_id;
  return null;
end $$;
comment on function app.count_company_devices() is 'Statement trigger: keeps companies.device_count.';

create function app.tell_of_seats() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, c.id, 'seats_exceeded', jsonb_build_object('company', c.name, 'devices', c.device_count, 'seats', c.seats),
    case when r.company_id is null then '/company-management/' || c.id else '/system-license' end, k.once_key
  from public.companies c
    cross join lateral (select format('seats:%s:%s', c.id, c.seats) as once_key) k
    -- The people of the company, and those who see all companies.
    join public.user_roles r on (r.company_id = c.id or r.company_id is null) and r.deactivated_at is null
      and r.role = any (app.roles_that_may('companies', 'edit'))
  where c.seats_left < 0
    and not exists (select 1 from public.notifications n where n.user_id = r.user_id and n.once_key = k.once_key)
  order by c.id, r.user_id limit 200
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.tell_of_seats() is
  'Step of app.tick(): tells the administrators of a company, and those who see all, once for each number of seats that it has more '
  'devices than seats. Enrollment goes on.';

-- Security definer: counts as the trigger of a license does, which needs functions granted to nobody; checks permission and company.
create function public.license_preview(match_rule text, license_type text default 'device', company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' set statement_timeout = '5s' as $$
declare
  owner uuid := coalesce(license_preview.company, app.own_company());
  titles uuid[];
begin
  perform app.require('software_licenses', 'list');
  if owner is null or not (owner = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'not your company', hint = 'role';
  end if;
  if length(license_preview.match_rule) > 200 or cardinality(app.search_patterns(license_preview.match_rule)) = 0 then
    return jsonb_build_object('count', 0, 'titles', 0, 'names', jsonb_build_array());
  end if;
  titles := app.matching_titles(owner, license_preview.match_rule);
  return jsonb_build_object('count', app.count_license(owner, license_preview.license_type, titles), 'titles', cardinality(titles),
    'names', (select coalesce(jsonb_agg(x.name order by x.name), '[]') from (
      select s.name from public.software s where s.company_id = owner and s.id = any (titles) order by s.name limit 5) x));
end $$;
comment on function public.license_preview(text, text, uuid) is
  '{count, titles, names}: how many devices, or users, a match rule would count in a company, of how many titles, and the first five of them.';
grant execute on function public.license_preview(text, text, uuid) to authenticated;

create function app.mark_deactivated() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles p set is_deactivated = new.deactivated_at is not null
    where p.id = new.user_id and p.is_deactivated is distinct from (new.deactivated_at is not null);
  return null;
end $$;
comment on function app.mark_deactivated() is
  'Row trigger: a profile says whether its account is deactivated. Definer, because nobody may write that column.';

create function app.refuse_deactivated_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  field text;
  person uuid;
  is_deactivated boolean;
begin
  -- The server's own work keeps what it finds. Row-level security asks after the triggers: of another company, this one says nothing.
  if app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  foreach field in array tg_argv loop
    person := (to_jsonb(new) ->> field)::uuid;
    continue when person is null or tg_op = 'UPDATE' and person is not distinct from (to_jsonb(old) ->> field)::uuid;
    -- The lock waits for a deactivation that has begun, and lets the next one wait for this row.
    select r.deactivated_at is not null into is_deactivated from public.user_roles r
      where r.user_id = person and (r.company_id = new.company_id or r.company_id is null) for share;
    if is_deactivated then
      raise exception using errcode = '23514', hint = 'person_deactivated', table = tg_table_name, schema = tg_table_schema,
        column = field, message = format('column "%s" of "%s" names a deactivated account', field, tg_table_name);
    end if;
  end loop;
  return new;
end $$;
comment on function app.refuse_deactivated_people() is
  'Row trigger: the columns that its arguments name are given to no deactivated account; a value that was there before stays. Definer, '
  'because the writer may not read roles.';

-- Runs as the caller: row-level security decides what is counted.
create function public.work_held_by(ids uuid[]) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'scheduled_tasks', (select count(*) from public.scheduled_tasks t where t.set_by = any (ids) and t.enabled),
    'automations', (select count(*) from public.automations t where t.set_by = any (ids) and t.enabled),
    'monitors', (select count(*) from public.monitors t where t.set_by = any (ids) and t.enabled and t.procedure_id is not null),
    'policies', (select count(*) from public.policies t where t.set_by = any (ids) and t.enabled and t.kind = 'patch'))
$$;
comment on function public.work_held_by(uuid[]) is
  'How many schedules, automations, monitors that run a script and patch policies would lose the right of these people, of those that '
  'the caller sees: the question before the people are deactivated tells it.';
grant execute on function public.work_held_by(uuid[]) to authenticated;
