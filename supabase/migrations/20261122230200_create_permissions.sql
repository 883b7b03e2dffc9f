-- Permissions: who may do what.
-- app.policy_rule holds the lines of policies/*.csv. The functions here evaluate them with the model of casbin-model.conf:
-- equality before inheritance, deny overrides allow, anchored matches only, and `write` in a line means every verb except
-- list, show and export. The browser evaluates the same lines with Casbin; tests/db/differential.test.ts checks that both
-- give the same answers.
-- Functions that read user_roles and companies are plpgsql: those tables are created by the next migration and bound at the
-- first call, and a plan is kept per session (a security definer function in SQL is planned on every call).

-- Lines ---------------------------------------------------------------------------------------------------------------

create function app.rebuild_permissions() returns trigger
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
  return null;
end
$$;
comment on function app.rebuild_permissions() is
  'Keeps app.role_closure and app.permission equal to the lines; a cycle of roles ends by itself.';
revoke execute on function app.rebuild_permissions() from public;

create table app.policy_rule (
  ptype text not null check (ptype in ('p', 'g')),
  v0 text not null check (v0 <> ''),
  v1 text not null check (v1 <> ''),
  v2 text not null default '',
  v3 text not null default '',
  primary key (v0, v1, v2, v3, ptype),
  constraint policy_rule_shape check (
    (ptype = 'p' and v2 <> '' and v3 in ('allow', 'deny')) or (ptype = 'g' and v2 = '' and v3 = '')
  )
);
comment on table app.policy_rule is
  'Compiled policies/*.csv: p = role, object, verb, allow|deny; g = child role, parent role. Never edited through the API.';

create trigger policy_rule_permissions after insert or update or delete or truncate on app.policy_rule
  for each statement execute function app.rebuild_permissions();

revoke all on app.policy_rule from public, anon, authenticated;
alter table app.policy_rule enable row level security;

-- Derived from the lines by a trigger, together with app.permission, so that a check is one lookup: 15 µs instead of 120 µs
-- for walking the inheritance and joining the lines.
create table app.role_closure (
  role text not null,
  ancestor text not null,
  primary key (role, ancestor)
);
comment on table app.role_closure is 'Every role with itself and all it inherits from.';

revoke all on app.role_closure from public, anon, authenticated;
alter table app.role_closure enable row level security;

create table app.permission (
  object text not null,
  verb text not null,
  role text not null,
  effect text not null,
  primary key (object, verb, role, effect)
);
comment on table app.permission is 'The p lines, for each role with all it inherits.';

revoke all on app.permission from public, anon, authenticated;
alter table app.permission enable row level security;

-- The caller ----------------------------------------------------------------------------------------------------------

create function app.current_user_id() returns uuid
  language plpgsql stable
  -- definer: API roles may read neither auth.users nor auth.sessions
  security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  claimed_user uuid := auth.uid();
  claimed_session uuid := nullif(claims ->> 'session_id', '')::uuid;
begin
  if claimed_user is null then
    return null;
  end if;
  return (
    select account.id
    from auth.users account
    where account.id = claimed_user
      and account.deleted_at is null
      and (account.banned_until is null or account.banned_until <= now())
      and (claimed_session is null or exists (
        select 1 from auth.sessions session
        where session.id = claimed_session
          and session.user_id = account.id
          and (session.not_after is null or session.not_after > now())
      ))
  );
end
$$;
comment on function app.current_user_id() is
  'The signed-in user, or null when the account is banned or deleted or the session was ended: an access token outlives its session by up to an hour and is worth nothing from then on.';
revoke execute on function app.current_user_id() from public, anon;
-- Policies and statement triggers call these as the API role. They return only the caller's own rights, and schema app is
-- not exposed over HTTP.
grant execute on function app.current_user_id() to anon, authenticated, service_role;

create function app.held_roles() returns text[]
  language plpgsql stable
  -- definer: reads the caller's role and company without the policies, which call this function
  security definer set search_path = '' as $$
declare
  found record;
  licensed boolean;
begin
  select assigned.role, company.status, company.license_type, company.license_end_date
  into found
  from public.user_roles assigned
  left join public.companies company on company.id = assigned.company_id
  where assigned.user_id = app.current_user_id();
  if found.role is null then
    return '{}';
  end if;
  if found.role = 'Super Admin' then
    return array[found.role];
  end if;
  -- A missing company counts as unlicensed; license_end_date is the first instant no longer covered.
  licensed := coalesce(found.status = 'Active', false)
    and (found.license_end_date is null or found.license_end_date > now());
  return array[found.role]
    || case when licensed then '{}'::text[] else array['read-only'] end
    || case when licensed and found.license_type = 'Pro' then '{}'::text[] else array['without-pro'] end;
end
$$;
comment on function app.held_roles() is
  'The caller''s own role first, then read-only and without-pro as the license of the company says; empty without a live session or a role. A Super Admin never holds a license role.';
revoke execute on function app.held_roles() from public, anon;

create function app.my_roles() returns text[]
  language plpgsql stable
  -- definer: reads app.role_closure
  security definer set search_path = '' as $$
begin
  return (
    select coalesce(array_agg(distinct closure.ancestor), '{}')
    from app.role_closure closure
    where closure.role = any (app.held_roles())
  );
end
$$;
comment on function app.my_roles() is 'The caller''s roles with all they inherit from.';
revoke execute on function app.my_roles() from public, anon;
grant execute on function app.my_roles() to anon, authenticated, service_role;

-- Checks --------------------------------------------------------------------------------------------------------------

create function app.allows(held text[], resource text, action text) returns boolean
  language plpgsql stable
  -- definer: reads app.permission
  security definer set search_path = '' as $$
declare
  verb_class text := case when action in ('list', 'show', 'export') then action else 'write' end;
begin
  -- At least one line matches and none of those denies.
  return coalesce((
    select bool_and(permission.effect = 'allow')
    from app.permission permission
    where permission.object = any (array[resource, '*'])
      and permission.verb = any (array[action, verb_class, '*'])
      and permission.role = any (held)
  ), false);
end
$$;
comment on function app.allows(text[], text, text) is 'Whether a holder of these roles may do this: casbin-model.conf in SQL.';
revoke execute on function app.allows(text[], text, text) from public, anon;

create function app.can(resource text, action text) returns boolean
  language plpgsql stable
  -- definer: app.held_roles and app.allows are not granted to API roles
  security definer set search_path = '' as $$
begin
  return app.allows(app.held_roles(), resource, action);
end
$$;
comment on function app.can(text, text) is
  'Whether the caller may do `action` on `resource`; false without a live session. In policies always (select app.can(…)): once a statement, not once a row.';
revoke execute on function app.can(text, text) from public, anon;
grant execute on function app.can(text, text) to anon, authenticated, service_role;

create function app.why_not(resource text, action text) returns text
  language plpgsql stable
  -- definer: app.held_roles and app.allows are not granted to API roles
  security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  if app.allows(held, resource, action) then
    return null;
  end if;
  if not app.allows(held[1:1], resource, action) then
    return 'role';
  end if;
  if 'read-only' = any (held) and not app.allows(array[held[1], 'read-only'], resource, action) then
    return 'read-only';
  end if;
  return 'without-pro';
end
$$;
comment on function app.why_not(text, text) is
  'Null when allowed; else role (the role never may), read-only (the license has ended) or without-pro (needs a Pro license), asked in this order.';
revoke execute on function app.why_not(text, text) from public, anon;
grant execute on function app.why_not(text, text) to anon, authenticated, service_role;

create function app.require(resource text, action text) returns void
  language plpgsql stable
  security invoker set search_path = '' as $$
declare
  reason text := app.why_not(resource, action);
begin
  if reason is not null then
    raise exception using
      errcode = '42501',
      message = format('permission denied: %s on %s', action, resource),
      hint = reason;
  end if;
end
$$;
comment on function app.require(text, text) is
  'Raises 42501 with the reason as hint unless the caller may. For functions that run as their owner: neither row-level security nor app.require_permission() stands behind them.';
revoke execute on function app.require(text, text) from public, anon;
grant execute on function app.require(text, text) to anon, authenticated, service_role;

create function app.require_permission() returns trigger
  language plpgsql
  -- invoker on purpose: as definer, current_user would always be the owner
  security invoker set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require(
      coalesce(tg_argv[0], tg_table_name),
      case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'edit' else 'delete' end
    );
  end if;
  return null;
end
$$;
comment on function app.require_permission() is
  'Before-statement trigger: a write the policies deny answers 403 with its reason, where row-level security alone would answer 200 with no rows. The resource is the table unless the trigger names another.';
revoke execute on function app.require_permission() from public, anon;

create function app.sees_all() returns boolean
  language plpgsql stable
  -- definer: reads the caller's role
  security definer set search_path = '' as $$
begin
  return exists (
    select 1 from public.user_roles assigned
    where assigned.user_id = app.current_user_id() and assigned.role = 'Super Admin'
  );
end
$$;
comment on function app.sees_all() is 'Whether the caller sees every company.';
revoke execute on function app.sees_all() from public, anon;
grant execute on function app.sees_all() to anon, authenticated, service_role;

create function app.own_company() returns uuid
  language plpgsql stable
  -- definer: reads the caller's role
  security definer set search_path = '' as $$
begin
  return (
    select assigned.company_id from public.user_roles assigned
    where assigned.user_id = app.current_user_id()
  );
end
$$;
comment on function app.own_company() is 'The caller''s company; null for a Super Admin and without a live session.';
revoke execute on function app.own_company() from public, anon;
grant execute on function app.own_company() to anon, authenticated, service_role;

create function app.visible_company_ids() returns uuid[]
  language plpgsql stable
  -- definer: a Super Admin's list is needed before any policy on companies has been asked
  security definer set search_path = '' as $$
begin
  if app.sees_all() then
    return (select coalesce(array_agg(company.id), '{}') from public.companies company);
  end if;
  return array_remove(array[app.own_company()], null);
end
$$;
comment on function app.visible_company_ids() is 'All companies for a Super Admin, else the caller''s own; empty without a live session.';
revoke execute on function app.visible_company_ids() from public, anon;
grant execute on function app.visible_company_ids() to anon, authenticated, service_role;

create function app.listable_tables() returns text[]
  language plpgsql stable
  -- definer: app.held_roles and app.allows are not granted to API roles
  security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      and app.allows(held, relation.relname::text, 'list')
  );
end
$$;
comment on function app.listable_tables() is 'The tables whose rows the caller may list.';
revoke execute on function app.listable_tables() from public, anon;
grant execute on function app.listable_tables() to authenticated;

create policy audit_log_select_member on public.audit_log for select to authenticated
  using ((select app.can('audit_log', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
-- The audit log repeats values of other tables: only the entries of tables the caller may list are visible.
create policy audit_log_select_listable on public.audit_log as restrictive for select to authenticated
  using ((select app.sees_all()) or table_name = any ((select app.listable_tables())::text[]));

create function public.my_policy() returns jsonb
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
    )
  );
end
$$;
comment on function public.my_policy() is
  'For the browser: {role, companyId, roles: held directly, now: the server''s clock, until: the instant at which the license changes them or null, lines: [["p", role, object, verb, effect] | ["g", child, parent]]}.';
revoke execute on function public.my_policy() from public, anon;
grant execute on function public.my_policy() to authenticated;

-- A request whose session ends while it waits for a lock must not pass as the server's own work: only a request without
-- claims is the server's.
create function app.acting_user_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  actor uuid := app.current_user_id();
begin
  if actor is null and auth.uid() is not null then
    raise exception using errcode = '42501', message = 'the session has ended', hint = 'session';
  end if;
  return actor;
end $$;
comment on function app.acting_user_id() is
  'The user a write is made by; null for the server and for devices. Raises 42501 (hint session) when the request claims a user '
  'whose session has ended or whose account is deactivated. Definer, because API roles may not read the auth schema.';
revoke execute on function app.acting_user_id() from public;
grant execute on function app.acting_user_id() to anon, authenticated, service_role;

create function app.is_server_work() returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
begin
  return app.acting_user_id() is null
    -- The setting keeps the role of the request also inside a security definer function, where current_user is the owner.
    and coalesce(current_setting('role', true), '') not in ('anon', 'authenticated')
    and coalesce(current_setting('request.jwt.claim.role', true), '') not in ('anon', 'authenticated')
    and coalesce(claims ->> 'role', '') not in ('anon', 'authenticated');
end $$;
comment on function app.is_server_work() is
  'Whether the server itself writes (seed, tick, cascades of a deleted account): no user is claimed and the role is not one of the '
  'API''s. Raises as app.acting_user_id() does. Definer, because API roles may not read the auth schema.';
revoke execute on function app.is_server_work() from public;
grant execute on function app.is_server_work() to anon, authenticated, service_role;
