-- People: companies, profiles, roles and the accounts of the auth server behind them.

-- Companies -----------------------------------------------------------------------------------------------------------

create function app.guard_company() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') and not app.sees_all() then
    raise exception using errcode = '42501', message = 'only the platform changes the license', hint = 'role';
  end if;
  return new;
end $$;
comment on function app.guard_company() is 'Row trigger on a changed license or status: only who sees all companies may.';

create table public.companies (
  id uuid default gen_random_uuid() primary key,
  name text not null check (length(btrim(name)) between 2 and 120),
  status text not null default 'Active' check (status in ('Active', 'Expired', 'Suspended')),
  license_type text not null default 'Basic' check (license_type in ('Basic', 'Pro')),
  license_end_date timestamptz,
  seats integer check (seats between 1 and 1000000),
  -- An unknown time zone fails here (22023), not later in a schedule.
  timezone text not null default 'Europe/Istanbul' check ((timestamptz 'epoch' at time zone timezone) is not null),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.companies is
  'The tenants. license_end_date is the first instant no longer covered; null never ends. A company that still has data cannot be deleted.';

create index companies_name_key_idx on public.companies (name_key, id);
create index companies_license_end_idx on public.companies (license_end_date, id);
create index companies_seats_idx on public.companies (seats, id);
create index companies_created_idx on public.companies (created_at, id);

create trigger companies_guard before update on public.companies for each row
  when ((old.status, old.license_type, old.license_end_date, old.seats)
        is distinct from (new.status, new.license_type, new.license_end_date, new.seats))
  execute function app.guard_company();
select app.keep_tenant('public.companies');
select app.keep_audit('public.companies');
select app.keep_announced('public.companies', 'company', 'id');
select app.keep_search('public.companies');

revoke all on public.companies from public, anon, authenticated;
grant select, delete on public.companies to authenticated;
grant insert (name, status, license_type, license_end_date, seats, timezone),
  update (name, status, license_type, license_end_date, seats, timezone) on public.companies to authenticated;
grant select, insert, update, delete on public.companies to service_role;
alter table public.companies enable row level security;

-- Everyone reads their own company: the session needs its license, whatever the role.
create policy companies_select_member on public.companies for select to authenticated
  using (id = (select app.own_company()) or ((select app.can('companies', 'list')) and (select app.sees_all())));
create policy companies_insert_platform on public.companies for insert to authenticated
  with check ((select app.can('companies', 'create')) and (select app.sees_all()));
create policy companies_update_member on public.companies for update to authenticated
  using ((select app.can('companies', 'edit')) and ((select app.sees_all()) or id = (select app.own_company())))
  with check ((select app.can('companies', 'edit')) and ((select app.sees_all()) or id = (select app.own_company())));
create policy companies_delete_platform on public.companies for delete to authenticated
  using ((select app.can('companies', 'delete')) and (select app.sees_all()));

-- Profiles ------------------------------------------------------------------------------------------------------------

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
    message := jsonb_build_object('table', 'profiles', 'op', 'update', 'ids', r.ids);
    if r.target is not null then
      perform app.send_live('company:' || r.target, message);
    end if;
    perform app.send_live('platform', message);
  end loop;
  return null;
end $$;
comment on function app.announce_profiles() is
  'Statement trigger: a changed name or address is told to the company of the account, as app.announce() does for tables with a '
  'company of their own. Definer, because clients may not send on a topic.';
revoke execute on function app.announce_profiles() from public, anon, authenticated;

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  name text not null check (length(btrim(name)) between 2 and 100),
  email text not null check (length(email) <= 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || email)) stored
);
comment on table public.profiles is 'Name and e-mail of an account. The e-mail follows the account; only the name is the user''s to change.';

create unique index profiles_email_idx on public.profiles (lower(email));
create index profiles_name_key_idx on public.profiles (name_key, id);

create trigger profiles_touch before update on public.profiles for each row execute function app.touch_time();
select app.keep_audit('public.profiles');
select app.keep_search('public.profiles');
create trigger profiles_announce_update after update on public.profiles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_profiles();

revoke all on public.profiles from public, anon, authenticated;
grant select, update (name) on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
alter table public.profiles enable row level security;

-- A subquery is hashed once per statement; an array would be scanned for every profile.
create policy profiles_select_member on public.profiles for select to authenticated
  using (id = (select app.current_user_id())
         or ((select app.can('profiles', 'list'))
             and ((select app.sees_all()) or id in (select unnest((select app.visible_user_ids()))))));
create policy profiles_update_self on public.profiles for update to authenticated
  using (id = (select app.current_user_id()))
  with check (id = (select app.current_user_id()));

-- Roles ---------------------------------------------------------------------------------------------------------------

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
       or tg_op <> 'INSERT' and (app.role_rank(old.role) > app.role_rank(actor_role) or old.company_id is distinct from app.own_company())
       or tg_op <> 'DELETE' and (app.role_rank(new.role) > app.role_rank(actor_role) or new.company_id is distinct from app.own_company())
       -- One answer for an account that does not exist and one that belongs to another company.
       or tg_op = 'INSERT' and (not exists (select 1 from public.profiles p where p.id = new.user_id)
                                or exists (select 1 from public.user_roles r where r.user_id = new.user_id))
    then
      raise exception using errcode = '42501', message = 'this role cannot be given or taken by you', hint = 'role';
    end if;
  end if;
  if tg_op <> 'INSERT' and old.role in ('Admin', 'Super Admin')
     and (tg_op = 'DELETE' or new.role <> old.role or new.company_id is distinct from old.company_id
          or old.deactivated_at is null and new.deactivated_at is not null)
     -- A Super Admin may leave a company without an admin, but not the platform without a Super Admin.
     and (old.company_id is null or old.user_id = actor or not app.sees_all()) then
    perform app.keep_an_admin(old.company_id, array[old.user_id]);
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_user_role() is
  'Row trigger: no role above one''s own, none outside one''s company, and a company keeps its last admin whoever acts. '
  'Definer, because it looks at accounts the actor may not read.';

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
revoke execute on function app.announce_leavers() from public, anon, authenticated;

create table public.user_roles (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  role text not null check (role in ('Super Admin', 'Admin', 'Teknik', 'Standard')),
  company_id uuid references public.companies (id),
  mfa_enabled boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deactivated_at timestamptz,
  invited_at timestamptz,
  status text generated always as (
    case when deactivated_at is not null then 'deactivated' when invited_at is not null then 'invited' else 'active' end) stored,
  -- Only a Super Admin has no company.
  constraint user_roles_company_check check ((role = 'Super Admin') = (company_id is null))
);
comment on table public.user_roles is 'The one role and company of an account.';
comment on column public.user_roles.deactivated_at is
  'Since when the account may not sign in; set with auth.users.banned_until, and only by deactivate_users() and reactivate_users().';
comment on column public.user_roles.invited_at is
  'When the account was made, until its first sign-in; null from then on. Written by the view users and a trigger of auth.users alone.';

create index user_roles_company_id_idx on public.user_roles (company_id, role, user_id);
create index user_roles_company_status_idx on public.user_roles (company_id, status, user_id);
create index user_roles_status_idx on public.user_roles (status, user_id);

create trigger user_roles_guard before insert or update or delete on public.user_roles
  for each row execute function app.guard_user_role();
select app.keep_tenant('public.user_roles');
-- A Super Admin may move an account to another company; app.guard_user_role() restricts everyone else.
drop trigger user_roles_immutable_tenant on public.user_roles;
select app.keep_audit('public.user_roles', 'user_id', array['user_id']);
select app.keep_announced('public.user_roles', 'company', 'company_id', 'user_id');
create trigger user_roles_announce_leavers after update on public.user_roles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_leavers();

revoke all on public.user_roles from public, anon, authenticated;
grant select, delete, insert (user_id, role, company_id), update (role, company_id) on public.user_roles to authenticated;
grant select, insert, update, delete on public.user_roles to service_role;
alter table public.user_roles enable row level security;

create policy user_roles_select_member on public.user_roles for select to authenticated
  using (user_id = (select app.current_user_id())
         or ((select app.can('user_roles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))));
create policy user_roles_insert_admin on public.user_roles for insert to authenticated
  with check ((select app.can('user_roles', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy user_roles_update_admin on public.user_roles for update to authenticated
  using ((select app.can('user_roles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('user_roles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy user_roles_delete_admin on public.user_roles for delete to authenticated
  using ((select app.can('user_roles', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.own_profile_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select p.id from public.profiles p where p.id = (select app.acting_user_id()));
end $$;
comment on function app.own_profile_id() is
  'The signed-in user, where they have a profile. Definer, because the policies of profiles ask far more than this.';
revoke execute on function app.own_profile_id() from public, anon;
grant execute on function app.own_profile_id() to authenticated, service_role;

create function app.role_rank(role text) returns integer
  language sql immutable parallel safe
  return case role when 'Super Admin' then 4 when 'Admin' then 3 when 'Teknik' then 2 when 'Standard' then 1 else 0 end;
comment on function app.role_rank(text) is 'The order of the four roles: nobody grants or takes one above their own.';

create function app.keep_an_admin(company uuid, leaving uuid[]) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.lock_admins(company);
  -- A new statement, so it sees what those who held the lock before have committed.
  if not exists (
    select 1 from public.user_roles r
    where r.company_id is not distinct from company and r.role = case when company is null then 'Super Admin' else 'Admin' end
      and r.deactivated_at is null and r.user_id <> all (leaving))
  then
    raise exception using errcode = '23514', constraint = 'user_roles_last_admin',
      -- Named here as well: the API passes on the text alone.
      message = 'the last admin cannot leave: constraint "user_roles_last_admin"';
  end if;
end $$;
comment on function app.keep_an_admin(uuid, uuid[]) is
  'Raises unless an admin who may sign in is left in the company (without one: a Super Admin on the platform) after these '
  'accounts. Definer, because it looks at accounts the actor may not read.';
revoke execute on function app.keep_an_admin(uuid, uuid[]) from public, anon;

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
revoke execute on function app.lock_admins(uuid) from public, anon, authenticated;

-- Accounts ------------------------------------------------------------------------------------------------------------

create function app.profile_name(name text, email text) returns text
  language sql immutable parallel safe
  return case
    when pg_catalog.length(pg_catalog.btrim(coalesce(name, ''))) >= 2 then pg_catalog."left"(pg_catalog.btrim(name), 100)
    else pg_catalog."left"(email, 100)
  end;
comment on function app.profile_name(text, text) is 'A name that fits profiles.name, taken from the e-mail where none was given.';

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

-- Some hosts refuse triggers on the auth schema; app.create_auth_user() therefore writes the profile as well.
do $$
begin
  create trigger konsol_sync_profile after insert or update of email on auth.users
    for each row execute function app.sync_profile();
exception when insufficient_privilege then
  raise notice 'profiles do not follow auth.users here: %', sqlerrm;
end $$;

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
    -- Without a password nobody knows it: the link of "forgot password" sets the first one.
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
revoke execute on function app.last_sign_in_at(uuid) from public, anon;
grant execute on function app.last_sign_in_at(uuid) to authenticated, service_role;

-- Licenses ------------------------------------------------------------------------------------------------------------

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
  join public.user_roles r on r.company_id = c.id and r.role = 'Admin'
  where (c.status = 'Expired' or c.status = 'Active' and c.license_end_date <= now() + interval '30 days')
    and not exists (select 1 from public.notifications n where n.user_id = r.user_id and n.once_key = l.once_key)
  order by r.user_id
  limit 1000
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.notify_licenses() is
  'Tells the admins of a company once that its license ends within 30 days, and once that it has ended.';

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
