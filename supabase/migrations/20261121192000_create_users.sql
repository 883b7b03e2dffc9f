-- People as one list: who has an account in the console, in which role and company, and whether they may sign in.

alter table public.profiles
  add column name_key text generated always as (app.sort_key(name)) stored,
  add column search text generated always as (app.fold(name || ' ' || email)) stored;
create index profiles_name_key_idx on public.profiles (name_key, id);
select app.keep_search('public.profiles');

alter table public.user_roles add column deactivated_at timestamptz;
comment on column public.user_roles.deactivated_at is
  'Since when the account may not sign in; set with auth.users.banned_until, and only by deactivate_users() and reactivate_users().';

-- Whose role it is stands in the audit row itself.
drop trigger user_roles_audit_insert on public.user_roles;
drop trigger user_roles_audit_update on public.user_roles;
drop trigger user_roles_audit_delete on public.user_roles;
select app.keep_audit('public.user_roles', 'user_id', array['user_id']);

-- An array of every account, compared with every row, is what a Super Admin's list would be slow by.
alter policy profiles_select_member on public.profiles
  using (id = (select app.current_user_id())
         or ((select app.can('profiles', 'list'))
             and ((select app.sees_all()) or id = any ((select app.visible_user_ids())::uuid[]))));

create or replace function app.guard_user_role() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.current_user_id();
  actor_role text;
begin
  -- The server's own work (seed, first Super Admin, cascades of a deleted account) has no actor.
  if actor is null then
    return coalesce(new, old);
  end if;
  if not app.sees_all() then
    select r.role into actor_role from public.user_roles r where r.user_id = actor;
    if tg_op <> 'INSERT' and (app.role_rank(old.role) > app.role_rank(actor_role) or old.company_id is distinct from app.own_company())
       or tg_op <> 'DELETE' and (app.role_rank(new.role) > app.role_rank(actor_role) or new.company_id is distinct from app.own_company())
       -- One answer for an account that does not exist and one that belongs to another company.
       or tg_op = 'INSERT' and (not exists (select 1 from public.profiles p where p.id = new.user_id)
                                or exists (select 1 from public.user_roles r where r.user_id = new.user_id))
    then
      raise exception using errcode = '42501', message = 'this role cannot be given or taken by you', hint = 'role';
    end if;
  end if;
  if tg_op <> 'INSERT' and old.user_id = actor and old.role in ('Admin', 'Super Admin')
     and (tg_op = 'DELETE' or new.role <> old.role or new.company_id is distinct from old.company_id) then
    perform app.keep_an_admin(old.company_id, array[actor]);
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_user_role() is
  'Row trigger: no role above one''s own, none outside one''s company, and a company keeps its last admin. '
  'Definer, because it looks at accounts the actor may not read.';

create function app.keep_an_admin(company uuid, leaving uuid[]) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Two last admins who leave at the same moment wait for each other here.
  if company is null then
    perform pg_advisory_xact_lock(hashtext('app.keep_an_admin'));
  else
    perform 1 from public.companies c where c.id = company for no key update;
  end if;
  if not exists (
    select 1 from public.user_roles r
    where r.company_id is not distinct from company and r.role = case when company is null then 'Super Admin' else 'Admin' end
      and r.deactivated_at is null and r.user_id <> all (leaving))
  then
    raise exception using errcode = '23514', constraint = 'user_roles_last_admin',
      -- Named here as well: the API hands on the text alone.
      message = 'the last admin cannot leave: constraint "user_roles_last_admin"';
  end if;
end $$;
comment on function app.keep_an_admin(uuid, uuid[]) is
  'Raises unless an admin who may sign in is left in the company (without one: a Super Admin on the platform) after these '
  'accounts. Definer, because it looks at accounts the actor may not read.';

create function app.last_sign_in_at(user_id uuid) returns timestamptz
  language plpgsql stable security definer set search_path = '' as $$
begin
  return (select u.last_sign_in_at from auth.users u where u.id = last_sign_in_at.user_id);
end $$;
comment on function app.last_sign_in_at(uuid) is
  'For the view users, whose rows have passed row-level security. Definer, because auth.users belongs to the auth server.';
revoke execute on function app.last_sign_in_at(uuid) from public, anon;
grant execute on function app.last_sign_in_at(uuid) to authenticated, service_role;

-- With a comma, not `join`: the embedded backend follows a foreign key (to companies) only through a view without that word.
create view public.users with (security_invoker = true) as
select p.id, p.name, p.email, r.role, r.company_id,
  case when r.deactivated_at is null then 'active' else 'deactivated' end as status,
  r.mfa_enabled, r.deactivated_at, app.last_sign_in_at(p.id) as last_sign_in_at,
  p.created_at, greatest(p.updated_at, r.updated_at) as updated_at, r.version, p.name_key, p.search
from public.user_roles r, public.profiles p
where p.id = r.user_id and (select app.can('users', 'list'));
comment on view public.users is
  'Accounts with their role and company. A new row makes the account, without a password anybody knows: a mailed link sets it. '
  'Row-level security of profiles and user_roles decides over the rows.';

create function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin stands outside every company.
  company uuid := case when new.role = 'Super Admin' then null else coalesce(new.company_id, app.own_company()) end;
  saved public.users%rowtype;
begin
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
    insert into public.user_roles (user_id, role, company_id) values (new.id, new.role, company);
  else
    perform app.require_reach(array[old.id]);
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
  'Instead of writing the view users: makes the account, or changes name, role and company; the triggers of user_roles say which. '
  'Definer, because accounts are made by the server alone; app.require_permission() on the view has asked before.';

create function app.require_reach(ids uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.current_user_id();
begin
  if actor is null or app.sees_all() and not exists (
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

create trigger users_permission before insert or update on public.users
  for each statement execute function app.require_permission();
create trigger users_write instead of insert or update on public.users
  for each row execute function app.write_user();

create function public.deactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  actor uuid := app.current_user_id();
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
  update auth.users u set banned_until = now() + interval '100 years' where u.id = any (ids);
  update public.user_roles r set deactivated_at = now() where r.user_id = any (ids) and r.deactivated_at is null;
  get diagnostics changed = row_count;
  delete from auth.sessions s where s.user_id = any (ids);
  return changed;
end $$;
comment on function public.deactivate_users(uuid[]) is
  'These accounts may not sign in any more, and are signed out everywhere. Definer, because accounts and sessions belong to the '
  'auth server; it checks permission, company and rank itself.';

create function public.reactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  update auth.users u set banned_until = null where u.id = any (ids);
  update public.user_roles r set deactivated_at = null where r.user_id = any (ids) and r.deactivated_at is not null;
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.reactivate_users(uuid[]) is
  'These accounts may sign in again. Definer, because accounts belong to the auth server; it checks permission, company and rank itself.';

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

create function public.search_users(q text) returns setof public.users
  language sql stable rows 500 as $$
  select t.* from public.users t
  where case when app.search_ids('users', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('users', q)) end
$$;
comment on function public.search_users(text) is
  'The users that match every word of q, whatever its case and accents; filter, order and page it like the view.';

revoke execute on function app.keep_an_admin(uuid, uuid[]), app.write_user(), app.require_reach(uuid[]),
  public.deactivate_users(uuid[]), public.reactivate_users(uuid[]), public.end_user_sessions(uuid[]), public.search_users(text)
  from public, anon;
grant execute on function public.deactivate_users(uuid[]), public.reactivate_users(uuid[]), public.end_user_sessions(uuid[]),
  public.search_users(text) to authenticated;

revoke all on public.users from public, anon, authenticated;
grant select, insert (name, email, role, company_id), update (name, role, company_id) on public.users to authenticated;
grant select on public.users to service_role;

-- Who made a token, so that lists can show the name. Accounts that are gone leave the token.
update public.enrollment_tokens t set created_by = null
where t.created_by is not null and not exists (select 1 from public.profiles p where p.id = t.created_by);
alter table public.enrollment_tokens
  add constraint enrollment_tokens_created_by_fkey foreign key (created_by) references public.profiles (id) on delete set null;
create index enrollment_tokens_created_by_idx on public.enrollment_tokens (created_by);
