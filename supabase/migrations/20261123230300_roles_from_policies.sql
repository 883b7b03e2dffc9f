-- Roles from policies: the roles are those that permission lines name. A role includes another when it is allowed everything
-- that the other is; whoever may edit users hands out the roles that their own includes.

create table app.role (
  name text primary key
);
comment on table app.role is
  'The roles that permission lines name, without those of the license. Derived from app.policy_rule, never written by hand.';

revoke all on app.role from public, anon, authenticated;
alter table app.role enable row level security;

create table app.role_include (
  role text not null references app.role (name) on delete cascade,
  included text not null references app.role (name) on delete cascade,
  primary key (role, included)
);
comment on table app.role_include is
  'Each role with itself and every role whose permissions it has all. Derived from app.policy_rule; the license is not considered.';

create index role_include_included_idx on app.role_include (included, role);

revoke all on app.role_include from public, anon, authenticated;
alter table app.role_include enable row level security;

create or replace function app.rebuild_permissions() returns trigger
  language plpgsql
  -- definer: a caller who may change a line cannot write the tables derived from it
  security definer set search_path = '' as $$
begin
  delete from app.role_closure where true;
  insert into app.role_closure (role, ancestor)
  with recursive named as (
    select v0 as role from app.policy_rule
    union
    select v1 from app.policy_rule where ptype = 'g'
  ), walk (role, ancestor) as (
    select role, role from named
    union
    select walk.role, rule.v1
    from walk join app.policy_rule rule on rule.ptype = 'g' and rule.v0 = walk.ancestor
  )
  select role, ancestor from walk;
  delete from app.permission where true;
  insert into app.permission (object, verb, role, effect)
  select distinct rule.v1, rule.v2, closure.role, rule.v3
  from app.role_closure closure
  join app.policy_rule rule on rule.ptype = 'p' and rule.v0 = closure.ancestor;
  -- A role whose lines are gone is removed at the end of the transaction: a refill deletes lines before it inserts them.
  insert into app.role (name)
  select distinct v0 from app.policy_rule where v0 not in ('read-only', 'without-pro')
  on conflict do nothing;
  delete from app.role_include where true;
  insert into app.role_include (role, included)
  with allowed as materialized (
    select line.role, line.object, line.verb from app.permission line
    where line.effect = 'allow' and app.allows(array[line.role], line.object, line.verb)
  )
  select one.name, other.name from app.role one cross join app.role other
  where one.name = other.name or not exists (
    select 1 from allowed where allowed.role = other.name and not app.allows(array[one.name], allowed.object, allowed.verb));
  return null;
end
$$;
comment on function app.rebuild_permissions() is
  'Keeps app.role_closure, app.permission, app.role and app.role_include equal to the lines; a cycle of roles ends by itself.';

create function app.remove_unused_role() returns trigger
  language plpgsql
  -- definer: counts accounts that the caller may not read
  security definer set search_path = '' as $$
declare
  people bigint;
begin
  if exists (select 1 from app.policy_rule rule where rule.v0 = old.v0) then
    return null;
  end if;
  select count(*) into people from public.user_roles assigned where assigned.role = old.v0;
  if people > 0 then
    raise exception using errcode = '23503', constraint = 'user_roles_role_fkey',
      message = format('the role "%s" cannot be removed: accounts with it: %s', old.v0, people),
      hint = 'Give these accounts another role first, or restore the lines of the role.';
  end if;
  -- A view of a role that is gone stays with its owner.
  update public.saved_views v set scope = 'mine', company_id = null, role = null, is_default = false where v.role = old.v0;
  delete from app.role r where r.name = old.v0;
  return null;
end
$$;
comment on function app.remove_unused_role() is
  'Deferred row trigger: a role without lines is removed, unless accounts have it.';
revoke execute on function app.remove_unused_role() from public, anon, authenticated;

create constraint trigger policy_rule_unused_role after delete or update on app.policy_rule
  deferrable initially deferred for each row execute function app.remove_unused_role();

-- Derives the new tables from the lines there are.
update app.policy_rule set v3 = v3 where false;

create function app.announce_policy() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  message jsonb := jsonb_build_object('table', 'policy_rule', 'op', 'update', 'ids', '[]'::jsonb);
begin
  if app.quiet() then
    return null;
  end if;
  perform app.send_live('company:' || c.id, message) from public.companies c;
  perform app.send_live('platform', message);
  return null;
end $$;
comment on function app.announce_policy() is
  'Statement trigger: open pages read their permissions again. Definer, because clients may not send on a topic.';
revoke execute on function app.announce_policy() from public, anon, authenticated;

create trigger policy_rule_announce after insert or update or delete or truncate on app.policy_rule
  for each statement execute function app.announce_policy();

-- Columns that hold a role -------------------------------------------------------------------------------------------

alter table public.user_roles drop constraint user_roles_role_check;
alter table public.user_roles
  add constraint user_roles_role_fkey foreign key (role) references app.role (name);
create index user_roles_role_idx on public.user_roles (role, user_id);

-- A Super Admin belongs to no company, so no view of a company is shared with that role.
alter table public.saved_views drop constraint saved_views_role_check;
alter table public.saved_views
  add constraint saved_views_role_fkey foreign key (role) references app.role (name),
  add constraint saved_views_role_check check (role <> 'Super Admin');
create index saved_views_role_idx on public.saved_views (role) where role is not null;

-- Who hands out which role -------------------------------------------------------------------------------------------

create function app.role_includes(role text, other text) returns boolean
  language plpgsql stable
  -- definer: reads app.role_include
  security definer set search_path = '' as $$
begin
  return exists (
    select 1 from app.role_include i where i.role = role_includes.role and i.included = role_includes.other);
end
$$;
comment on function app.role_includes(text, text) is
  'Whether the first role is allowed everything that the other is: nobody gives or takes a role with a permission that their own lacks.';
revoke execute on function app.role_includes(text, text) from public, anon, authenticated;

create function app.admin_roles() returns text[]
  language plpgsql stable
  -- definer: reads app.role_include
  security definer set search_path = '' as $$
begin
  return (select coalesce(array_agg(i.role), '{}') from app.role_include i where i.included = 'Admin');
end
$$;
comment on function app.admin_roles() is
  'Admin and every role that includes it: of these, each company keeps somebody who may sign in.';
revoke execute on function app.admin_roles() from public, anon, authenticated;

create function app.roles_that_may(resource text, action text) returns text[]
  language plpgsql stable
  -- definer: reads app.role
  security definer set search_path = '' as $$
begin
  return (select coalesce(array_agg(r.name), '{}') from app.role r where app.allows(array[r.name], resource, action));
end
$$;
comment on function app.roles_that_may(text, text) is
  'The roles whose lines allow this, whatever the license says: whom a notification about it concerns.';
revoke execute on function app.roles_that_may(text, text) from public, anon, authenticated;

create or replace function app.guard_user_role() returns trigger
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
       -- One answer for an account that does not exist and one that belongs to another company.
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

create or replace function app.keep_an_admin(company uuid, leaving uuid[]) returns void
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

create or replace function app.write_user() returns trigger
  language plpgsql volatile security definer set search_path = '' as $$
declare
  -- Only a Super Admin belongs to no company.
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

create or replace function app.require_reach(ids uuid[]) returns void
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

create or replace function public.deactivate_users(ids uuid[]) returns integer
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
    where r.user_id = any (ids) and r.role = any (app.admin_roles())
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
  'auth server; it checks permission, company and role itself.';

drop function app.role_rank(text);

-- Notifications reach whoever may act on them ------------------------------------------------------------------------


create or replace function app.notify_licenses() returns integer
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

create or replace function app.tell_of_request(request public.enrollment_requests) returns void
  language sql volatile set search_path = ''
  begin atomic
    insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, request.company_id, 'enrollment_waiting', jsonb_build_object('hostname', request.hostname),
      '/enrollment-requests', format('enrollment_waiting:%s:%s', request.token_id, current_date)
    from public.user_roles r
    where r.company_id = request.company_id and r.role = any (app.roles_that_may('enrollment_requests', 'approve')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  end;
comment on function app.tell_of_request(public.enrollment_requests) is
  'Tells whoever may approve it that a device waits for approval, once a token and day.';


-- The browser ----------------------------------------------------------------------------------------------------------


create or replace function public.my_policy() returns jsonb
  language plpgsql stable
  -- definer: reads the lines; answers only those of the caller's own closure
  security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
  closure text[];
  company uuid := app.own_company();
  changes_at timestamptz;
begin
  select coalesce(array_agg(distinct walked.ancestor), '{}') into closure
  from app.role_closure walked where walked.role = any (held);
  select owner.license_end_date into changes_at
  from public.companies owner
  where owner.id = company and owner.status = 'Active' and owner.license_end_date > now();
  return jsonb_build_object(
    'role', held[1],
    'companyId', company,
    'roles', to_jsonb(held),
    'now', now(),
    'until', changes_at,
    'lines', (
      select coalesce(jsonb_agg(
        case rule.ptype
          when 'p' then jsonb_build_array('p', rule.v0, rule.v1, rule.v2, rule.v3)
          else jsonb_build_array('g', rule.v0, rule.v1)
        end order by rule.ptype, rule.v0, rule.v1, rule.v2, rule.v3), '[]')
      from app.policy_rule rule
      where rule.v0 = any (closure)
    ),
    'allRoles', case when held = '{}' then '[]'::jsonb else (
      select coalesce(jsonb_agg(
        jsonb_build_object('name', role.name, 'isGrantable', app.role_includes(held[1], role.name),
          'hasCompany', role.name <> 'Super Admin')
        order by (select count(*) from app.role_include i where i.role = role.name) desc, role.name), '[]')
      from app.role
    ) end
  );
end
$$;
comment on function public.my_policy() is
  'For the browser: {role, companyId, roles: held directly, now: the server''s clock, until: the instant at which the license changes them or null, lines: [["p", role, object, verb, effect] | ["g", child, parent]], allRoles: [{name, isGrantable: whether the caller''s role includes it, hasCompany}], those with most permissions first}.';
