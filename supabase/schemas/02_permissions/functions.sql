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
  insert into app.permission (object, verb, role, effect, rule)
  select distinct rule.v1, rule.v2, closure.role, rule.v3, rule.v4
  from app.role_closure closure
  join app.policy_rule rule on rule.ptype = 'p' and rule.v0 = closure.ancestor;
  -- A role whose lines are gone is removed at the end of the transaction: a refill deletes lines before it inserts them.
  insert into app.role (name)
  select distinct v0 from app.policy_rule where v0 not in ('read-only', 'without-pro')
  on conflict do nothing;
  delete from app.role_include where true;
  insert into app.role_include (role, included)
  with allowed as materialized (
    select line.role, line.object, line.verb, line.rule from app.permission line
    where line.effect = 'allow' and app.allows(array[line.role], line.object, line.verb)
  )
  select one.name, other.name from app.role one cross join app.role other
  where one.name = other.name or not exists (
    select 1 from allowed where allowed.role = other.name and not (
      app.allows(array[one.name], allowed.object, allowed.verb)
      -- Some rows do not include all, nor those of another rule.
      and coalesce(allowed.rule = any (app.rules_of(array[one.name], allowed.object, allowed.verb)), true)));
  return null;
end
$$;
comment on function app.rebuild_permissions() is
  'Keeps app.role_closure, app.permission, app.role and app.role_include equal to the lines; a cycle of roles ends by itself.';

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
grant execute on function app.my_roles() to anon, authenticated, service_role;

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

create function app.rules_of(held text[], resource text, action text) returns text[]
  language plpgsql stable
  -- definer: reads app.permission
  security definer set search_path = '' as $$
declare
  verb_class text := case when action in ('list', 'show', 'export') then action else 'write' end;
begin
  return (
    select case when count(*) = 0 then '{}' when not bool_or(permission.rule = '') then array_agg(distinct permission.rule) end
    from app.permission permission
    where permission.object = any (array[resource, '*'])
      and permission.verb = any (array[action, verb_class, '*'])
      and permission.role = any (held)
      and permission.effect = 'allow'
  );
end
$$;
comment on function app.rules_of(text[], text, text) is
  'The row rules of the lines that allow this to a holder of these roles; null when one of them names none and so means all rows. Whether it '
  'is allowed at all says app.allows().';

create function app.can(resource text, action text) returns boolean
  language plpgsql stable
  -- definer: app.held_roles and app.allows are not granted to API roles
  security definer set search_path = '' as $$
begin
  return app.allows(app.held_roles(), resource, action);
end
$$;
comment on function app.can(text, text) is
  'Whether the caller may do `action` on `resource`, at least to some rows; false without a live session. In policies always (select app.can(…)): once a statement, not once a row.';
grant execute on function app.can(text, text) to anon, authenticated, service_role;

create function app.sees_rows(resource text, action text) returns boolean
  language plpgsql stable
  -- definer: app.held_roles, app.allows and app.rules_of are not granted to API roles
  security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return app.allows(held, resource, action) and app.rules_of(held, resource, action) is null;
end
$$;
comment on function app.sees_rows(text, text) is
  'Whether the caller may do `action` on every row of `resource` that they reach, not only on those of a row rule. Once a statement, like app.can().';
grant execute on function app.sees_rows(text, text) to anon, authenticated, service_role;

create function app.has_rule(resource text, action text, rule text) returns boolean
  language plpgsql stable
  -- definer: app.held_roles, app.allows and app.rules_of are not granted to API roles
  security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return app.allows(held, resource, action) and coalesce(rule = any (app.rules_of(held, resource, action)), false);
end
$$;
comment on function app.has_rule(text, text, text) is
  'Whether a line gives the caller `action` on the rows of this rule of `resource`. Once a statement, like app.can().';
grant execute on function app.has_rule(text, text, text) to anon, authenticated, service_role;

-- Runs as the caller: a row that row-level security hides is neither counted nor told of.
create function app.require_rows(resource text, action text, ids uuid[]) returns void
  language plpgsql stable security invoker set search_path = '' as $$
declare
  covers text := resource || '_covers';
  uncovered boolean := false;
begin
  perform app.require(resource, action);
  if app.sees_rows(resource, action) then
    return;
  end if;
  -- A line that names a rule which the table does not have covers nothing.
  if not exists (select 1 from pg_catalog.pg_proc p where p.pronamespace = 'app'::regnamespace and p.proname = covers) then
    uncovered := true;
  else
    execute format('select exists (select 1 from public.%I t where t.id = any ($1) and not app.%I(t, $2))', resource, covers)
      into uncovered using ids, action;
  end if;
  if uncovered then
    raise exception using errcode = '42501', hint = 'rule',
      message = format('permission denied: %s on some of these %s', action, resource);
  end if;
end
$$;
comment on function app.require_rows(text, text, uuid[]) is
  'Raises 42501 unless the caller may do `action` on each of these rows that they see: with the reason of app.require() where they may on '
  'none, with the hint rule where the row rules of their lines leave one out. For the functions of actions.';
grant execute on function app.require_rows(text, text, uuid[]) to authenticated;

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
grant execute on function app.visible_company_ids() to anon, authenticated, service_role;

-- Definer: the settings of comments are private.
create function app.record_table(table_name text) returns text
  language plpgsql stable security definer set search_path = '' as $$
begin
  -- Links without permission lines of their own are a part of the record; so are comments and the values that only some may read.
  return coalesce(
    (select source.settings ->> 'table' from app.commented source
      where source.comments = record_table.table_name or exists (
        select 1 from jsonb_each(source.settings -> 'kinds') as kind where kind.value ->> 'object' = record_table.table_name) limit 1),
    case table_name when 'device_tags' then 'devices' when 'ticket_watchers' then 'tickets' else split_part(table_name, '_hidden_', 1) end);
end $$;
comment on function app.record_table(text) is 'The table of the record to which a row of this one belongs; the table itself where it has records of its own.';
grant execute on function app.record_table(text) to authenticated;

-- Definer: app.allows, app.rules_of and the settings of comments are not granted to API roles.
create function app.listed_comments(held text[], is_part boolean) returns text[]
  language plpgsql stable security definer set search_path = '' as $$
begin
  -- An entry about a comment of such a kind carries the object of the kind, and the id of the record.
  return array(
    select kind.value ->> 'object'
    from app.commented source cross join lateral jsonb_each(source.settings -> 'kinds') as kind
    where kind.value ? 'object' and app.allows(held, source.resource, 'list') and app.allows(held, kind.value ->> 'object', 'list')
      and (app.rules_of(held, source.resource, 'list') is not null) = is_part);
end $$;
comment on function app.listed_comments(text[], boolean) is
  'The kinds of comment with lines of their own that these roles may list, by the object of the kind: those on every record that they reach, '
  'or those on records of a row rule.';

-- Definer: app.held_roles, app.allows and app.rules_of are not granted to API roles.
create function app.listable_tables() returns text[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      and relation.relname not like '%\_hidden\_%'
      and app.allows(held, app.record_table(relation.relname::text), 'list')
      and app.rules_of(held, app.record_table(relation.relname::text), 'list') is null
  ) || app.listed_comments(held, false);
end
$$;
comment on function app.listable_tables() is
  'The tables of which the caller may list every row, with the names under which the audit log keeps comments that the caller may read.';
grant execute on function app.listable_tables() to authenticated;

-- Definer: app.held_roles, app.allows and app.rules_of are not granted to API roles.
create function app.partly_listable_tables() returns text[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      and app.allows(held, app.record_table(relation.relname::text), 'list')
      and (relation.relname like '%\_hidden\_%'
        or app.rules_of(held, app.record_table(relation.relname::text), 'list') is not null)
  ) || app.listed_comments(held, true);
end
$$;
comment on function app.partly_listable_tables() is
  'The tables of which the caller may list some rows: those of a row rule, and the values of a hidden field that they may read.';
grant execute on function app.partly_listable_tables() to authenticated;

-- Runs as the caller: the row-level security of the table decides.
create function app.sees_audited(table_name text, row_id uuid) returns boolean
  language plpgsql stable security invoker cost 10000 set search_path = '' as $$
declare
  seen boolean;
begin
  execute format('select exists (select 1 from public.%I t where t.id = $1)',
    case when table_name like '%\_hidden\_%' then table_name else app.record_table(table_name) end)
    into seen using row_id;
  return seen;
exception when undefined_table or undefined_column or insufficient_privilege then
  return false;
end
$$;
comment on function app.sees_audited(text, uuid) is
  'Whether the caller sees the record of an audit row now. Costly, so the policy asks it only for tables of which the caller lists some rows.';
grant execute on function app.sees_audited(text, uuid) to authenticated;

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
            || case when rule.v4 = '' then '[]' else jsonb_build_array(rule.v4) end
          else jsonb_build_array('g', rule.v0, rule.v1)
        end order by rule.ptype, rule.v0, rule.v1, rule.v2, rule.v3, rule.v4), '[]')
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
  'For the browser: {role, companyId, roles: held directly, now: the server''s clock, until: the instant at which the license changes them or null, lines: [["p", role, object, verb, effect, row rule where it has one] | ["g", child, parent]], allRoles: [{name, isGrantable: whether the caller''s role includes it, hasCompany}], those with most permissions first}.';
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
grant execute on function app.is_server_work() to anon, authenticated, service_role;

create function app.require_edit() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require(tg_argv[0], coalesce(tg_argv[1], 'edit'));
  end if;
  return null;
end $$;
comment on function app.require_edit() is
  'Statement trigger of a table whose rows are part of another record: every write is an edit of that resource, or needs '
  'the verb that the trigger names.';

create function app.roles_that_may(resource text, action text) returns text[]
  language plpgsql stable
  -- definer: reads app.role
  security definer set search_path = '' as $$
begin
  return (select coalesce(array_agg(r.name), '{}') from app.role r
    where app.allows(array[r.name], resource, action) and app.rules_of(array[r.name], resource, action) is null);
end
$$;
comment on function app.roles_that_may(text, text) is
  'The roles whose lines allow this on every row, whatever the license says: whom a notification about a record concerns.';

-- Security definer: reads app.role.
create function public.roles_that_may(object text, verb text) returns text[]
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require(object, verb);
  return app.roles_that_may(object, verb);
end $$;
comment on function public.roles_that_may(text, text) is
  'The roles whose lines allow this on every row, for a field that names a role. The caller needs the permission too. Definer, because app.role is private.';
grant execute on function public.roles_that_may(text, text) to authenticated;

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

create function app.may_as(person uuid, company uuid, object text, verb text) returns boolean
  language sql stable set search_path = '' as $$
  select exists (
    select 1 from public.user_roles r
    where r.user_id = person and r.deactivated_at is null and (r.company_id = company or r.company_id is null)
      and r.role = any (app.roles_that_may(object, verb)))
$$;
comment on function app.may_as(uuid, uuid, text, text) is
  'Whether a person may do this in a company now, by their role alone: the license is asked elsewhere. False for a deactivated account and for null.';

create function app.holds(person uuid, by_operator boolean, company uuid, object text, verb text) returns boolean
  language sql stable set search_path = '' as $$
  select by_operator or app.may_as(person, company, object, verb)
$$;
comment on function app.holds(uuid, boolean, uuid, text, text) is
  'Whether what somebody set may still act: the operator''s always, anybody else''s while that person has the right. An account that was deleted has none.';

create function app.stamp_holder() returns trigger
  language plpgsql set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if tg_op = 'INSERT' then
    if tg_table_name <> 'scheduled_tasks' then
      new.set_by := coalesce(actor, (to_jsonb(new) ->> 'created_by')::uuid);
    end if;
    new.set_by_operator := new.set_by is null;
    new.paused_for := null;
    return new;
  end if;
  -- A pause is nobody's change, and a take-over names its own holder.
  if new.paused_for is not null and new.paused_for is distinct from old.paused_for then
    return new;
  end if;
  if new.enabled and not old.enabled then
    new.paused_for := null;
  end if;
  if actor is not null and tg_table_name <> 'scheduled_tasks' then
    new.set_by := actor;
  end if;
  if new.set_by is not null and (actor is not null or new.set_by is distinct from old.set_by) then
    new.set_by_operator := false;
  end if;
  if new.set_by is distinct from old.set_by then
    new.paused_for := null;
  end if;
  return new;
end $$;
comment on function app.stamp_holder() is
  'Row trigger: whoever sets a record answers for it. scheduled_tasks has its own rule for set_by (app.settle_schedule_target()).';

-- Security definer: whoever changes a step or a group answers for the record, whose column set_by nobody may write.
create function app.stamp_holder_of() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  link jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  -- Not where the record itself goes, and not for what a deleted device or group takes with it.
  if actor is not null and pg_trigger_depth() = 1 then
    execute format('update public.%I t set set_by = $1 where t.company_id = $2 and t.id = $3 and t.set_by is distinct from $1', tg_argv[0])
      using actor, (link ->> 'company_id')::uuid, (link ->> tg_argv[1])::uuid;
  end if;
  return null;
end $$;
comment on function app.stamp_holder_of() is 'Row trigger of what belongs to a record (table, column): whoever changes it has set the record.';

-- Security definer: an alert that a person resolves, or a device's report, may find a right missing.
create function app.pause_for(resource text, record_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  holder uuid;
  holder_name text;
  title text;
begin
  -- A policy stays in force, so that its devices do not fall to the next one, and a monitor goes on checking: what they would do waits.
  execute format($query$
    update public.%1$I t set paused_for = coalesce((select p.name from public.profiles p where p.id = t.set_by), '–') %2$s
    where t.id = $1 and t.paused_for is null
    returning t.company_id, t.set_by, t.paused_for, t.name$query$, resource,
    case when resource in ('scheduled_tasks', 'automations') then ', enabled = false' end)
    into company, holder, holder_name, title using record_id;
  if company is null then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'right_missing', jsonb_build_object('name', title, 'person', holder_name),
    case resource when 'scheduled_tasks' then '/scheduled-tasks/' when 'automations' then '/automation/' else '/' || resource || '/' end || record_id,
    'right_missing:' || record_id || ':' || coalesce(holder::text, '') || ':' || to_char(now(), 'YYYYMMDD')
  from public.user_roles r
  where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may(resource, 'edit'))
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;
comment on function app.pause_for(text, uuid) is
  'Pauses a schedule, an automation, the installations of a policy or the repairs of a monitor whose holder lost the right, and tells whoever may edit it, once.';

-- Security definer: nobody may write set_by. It asks for the right to edit the record and the one that the record uses, in the caller's companies.
create function public.take_over(resource text, ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  if resource is null or resource not in ('scheduled_tasks', 'automations', 'policies', 'monitors') then
    raise exception using errcode = '22023', message = 'nobody takes over a record of this kind';
  end if;
  perform app.require(resource, 'edit');
  if resource <> 'policies' then
    perform app.require(case resource when 'automations' then 'automations' else 'procedures' end, 'run');
  end if;
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 records at a time';
  end if;
  if resource = 'scheduled_tasks' then
    -- The filter is asked with the permissions of its holder.
    perform app.require_filter(app.schedule_target(t)) from public.scheduled_tasks t
      where t.id = any (ids) and t.company_id = any (app.visible_company_ids());
  end if;
  execute format('update public.%I t set set_by = $1, paused_for = null %s where t.id = any ($2) and t.company_id = any ($3)', resource,
    case resource when 'scheduled_tasks' then ', last_error = case when t.paused_for is null then t.last_error end, enabled = t.enabled or t.paused_for is not null'
      when 'automations' then ', enabled = t.enabled or t.paused_for is not null' end)
    using app.current_user_id(), ids, app.visible_company_ids();
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception using errcode = 'PT404', message = 'no such record to take over', hint = 'record_gone';
  end if;
  return changed;
end $$;
comment on function public.take_over(text, uuid[]) is
  'Makes the caller the holder of schedules, automations, policies or monitors: from then on the caller''s right counts, and what was paused for '
  'a missing right goes on. 42501 without the right to edit them, or without the one that they use; 404 where none was found.';
grant execute on function public.take_over(text, uuid[]) to authenticated;

create function app.refuse_other_company() returns trigger
  language plpgsql security invoker set search_path = '' as $$
begin
  -- Functions of the console write as their owner and decide for themselves.
  if current_user in ('anon', 'authenticated') and new.company_id is not null
     and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
    raise exception using errcode = '42501',
      message = format('new row violates row-level security policy for table "%s"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.refuse_other_company() is
  'Row trigger before all others of a table: answers for another company what row-level security answers, whoever and whatever the row names.';

create function app.hidden_mark(kind regtype) returns text
  language plpgsql immutable set search_path = '' as $$
begin
  return case
    when kind in ('numeric'::regtype, 'real'::regtype, 'double precision'::regtype) then 'NaN'
    when kind = 'smallint'::regtype then '-32768'
    when kind = 'integer'::regtype then '-2147483648'
    when kind = 'bigint'::regtype then '-9223372036854775808'
    when kind in ('date'::regtype, 'timestamptz'::regtype) then '-infinity'
    when kind = 'text'::regtype then U&'\E000' end;
end $$;
comment on function app.hidden_mark(regtype) is
  'The value of the column of a hidden field in every row, whatever its value is: writing it back changes nothing. Null for a type '
  'that has none.';

-- Security definer: nobody may write the table of the values; the trigger asks for the permission itself.
create function app.hide_value() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  field constant text := tg_argv[0];
  mark constant text := tg_argv[3];
  given constant text := to_jsonb(new) ->> field;
  reason text;
begin
  if given is not distinct from mark or (tg_op = 'INSERT' and given is null) then
    return jsonb_populate_record(new, jsonb_build_object(field, mark));
  end if;
  if not app.is_server_work() then
    reason := app.why_not(tg_argv[1], tg_argv[2]);
    if reason is not null then
      raise exception using errcode = '42501', hint = reason, column = field, table = tg_table_name, schema = tg_table_schema,
        message = format('permission denied: %s on %s', tg_argv[2], tg_argv[1]);
    end if;
    -- Row-level security of the record asks after the triggers, and this table's never.
    if not (app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
      raise exception using errcode = '42501', message = format('new row violates row-level security policy for table "%s"', tg_table_name);
    end if;
  end if;
  execute format('insert into public.%1$I (company_id, id, %2$I) select $1, $2, r.%2$I from jsonb_populate_record(null::public.%1$I, $3) r
    on conflict (id) do update set %2$I = excluded.%2$I', tg_table_name || '_hidden_' || field, field)
    using new.company_id, new.id, jsonb_build_object(field, to_jsonb(new) -> field);
  return jsonb_populate_record(new, jsonb_build_object(field, mark));
end $$;
comment on function app.hide_value() is
  'Row trigger of a table with a hidden field (field, permission object, verb, mark): keeps what was written in <table>_hidden_<field> and '
  'leaves the mark. 42501 for a writer who may not read the field.';

create function app.reads_hidden(object text, verb text) returns boolean
  language plpgsql stable set search_path = '' as $$
begin
  return app.can(object, verb);
end $$;
comment on function app.reads_hidden(text, text) is
  'app.can() for the policies that app.keep_hidden() makes: `npm run schema -- diff` does not know them, so a function that it drops must not be one that they use.';
grant execute on function app.reads_hidden(text, text) to authenticated;

create function app.hidden_field(tbl regclass, field text, out object text, out verb text)
  language sql stable set search_path = '' as $$
  select max(split_part(a.args, '\000', 2)), max(split_part(a.args, '\000', 3))
  from pg_catalog.pg_trigger t cross join lateral encode(t.tgargs, 'escape') as a (args)
  where t.tgrelid = tbl and t.tgfoid = 'app.hide_value()'::regprocedure and split_part(a.args, '\000', 1) = field
$$;
comment on function app.hidden_field(regclass, text) is 'Who may read a hidden field: one row, with nulls for a field that is not hidden.';
grant execute on function app.hidden_field(regclass, text) to authenticated;

create function app.shown_column(tbl regclass, alias text, field text) returns text
  language sql stable set search_path = '' as $$
  select case when (app.hidden_field(tbl, field)).object is null then format('%s.%I', alias, field)
    else format('public.%I(%s)', 'hidden_' || field, alias) end
$$;
comment on function app.shown_column(regclass, text, text) is
  'The value of a field of a row, as the caller may read it: the column, or for a hidden field the function that reads its value.';
grant execute on function app.shown_column(regclass, text, text) to authenticated;

create function app.show_hidden(tbl regclass, field text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  shape text;
  is_text boolean;
  value text;
begin
  select pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypid = 'text'::regtype into shape, is_text
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped;
  if length(field) > 52 then
    raise exception using errcode = '22023', message = format('the name %I is too long to be hidden', field);
  end if;
  -- SQL that runs as the caller and that the planner unfolds: a filter or an order by it is one by the value. As a text, because PostgreSQL gives
  -- a table no further column while a body that it keeps parsed takes its rows.
  value := format('(select h.%1$I from public.%2$I h where h.company_id operator(pg_catalog.=) r.company_id and h.id operator(pg_catalog.=) r.id)',
    field, side);
  execute format('create or replace function public.%I(r %s) returns %s language sql stable as %L', 'hidden_' || field, tbl, shape, 'select ' || value);
  execute format('comment on function public.%I(%s) is %L', 'hidden_' || field, tbl,
    format('%s.%s as the caller may read it, to filter and order by; null for everybody else.', name, field));
  execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field, tbl);
  execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field, tbl);
  if is_text then
    execute format('create or replace function public.%I(r %s) returns text language sql stable as %L',
      'hidden_' || field || '_key', tbl, format('select app.sort_key(%s)', value));
    execute format('comment on function public.%I(%s) is %L', 'hidden_' || field || '_key', tbl, format('The order of %s.%s.', name, field));
    execute format('revoke execute on function public.%I(%s) from public, anon', 'hidden_' || field || '_key', tbl);
    execute format('grant execute on function public.%I(%s) to authenticated', 'hidden_' || field || '_key', tbl);
  end if;
  if to_regprocedure(format('public.%I(text)', 'search_' || name)) is not null then
    perform app.keep_hidden_search(tbl, null);
  end if;
end $$;
comment on function app.show_hidden(regclass, text) is
  'For migrations: makes hidden_<field>(row), by which those who may read a hidden field filter and order, and lets a search of the table find '
  'rows with its values. app.keep_hidden() calls it.';

create function app.hidden_columns(tbl regclass) returns table (field text, object text, verb text)
  language sql stable set search_path = '' as $$
  select split_part(a.args, '\000', 1), split_part(a.args, '\000', 2), split_part(a.args, '\000', 3)
  from pg_catalog.pg_trigger t cross join lateral encode(t.tgargs, 'escape') as a (args)
  where t.tgrelid = tbl and t.tgfoid = 'app.hide_value()'::regprocedure order by 1
$$;
comment on function app.hidden_columns(regclass) is 'The hidden fields of a table, and who may read them.';

create function app.keep_hidden_search(tbl regclass, searched text[] default '{}') returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  hidden record;
  place integer := 0;
  has_search boolean;
  joined text := '';
  given text := '';
  texts text := 'b.search';
  reads text := '';
  thread text := '';
  wanted text[] := searched;
begin
  wanted := coalesce(wanted, array(select h.field from app.hidden_columns(tbl) h where exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || h.field)) and a.attname = 'search' and not a.attisdropped)));
  select format('app.comment_ids(%L, q, %L)', c.comments, c.settings ->> 'record') into thread
    from app.commented c where c.settings ->> 'table' = name and (c.settings ->> 'search')::boolean;
  for hidden in select * from app.hidden_columns(tbl) loop
    has_search := exists (select 1 from pg_catalog.pg_attribute a
      where a.attrelid = to_regclass(format('public.%I', name || '_hidden_' || hidden.field)) and a.attname = 'search' and not a.attisdropped);
    if has_search <> (hidden.field = any (wanted)) then
      execute format(case when has_search then 'alter table public.%I drop column search'
        else 'alter table public.%I add column search text generated always as (app.fold(coalesce(%I::text, ''''))) stored' end,
        name || '_hidden_' || hidden.field, hidden.field);
    end if;
    place := place + 1;
    joined := joined || format(' left join public.%I h%s on h%s.company_id = t.company_id and h%s.id = t.id',
      name || '_hidden_' || hidden.field, place, place, place);
    given := given || format(', %L, case when (select app.reads_hidden(%L, %L)) then to_jsonb(h%s.%I) else to_jsonb(t.%I) end',
      hidden.field, hidden.object, hidden.verb, place, hidden.field, hidden.field);
    if hidden.field = any (wanted) then
      texts := texts || format(' || '' '' || coalesce((select s.search from public.%I s where s.company_id = b.company_id and s.id = b.id), '''')',
        name || '_hidden_' || hidden.field);
      reads := reads || format(' or (select app.reads_hidden(%L, %L))', hidden.object, hidden.verb);
    end if;
  end loop;
  -- Plain SQL without SET, which the planner unfolds. Rows are found first: the values are read for these alone.
  execute format($function$
    create or replace function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select r.* from %2$s t%4$s
        cross join lateral pg_catalog.jsonb_populate_record(t, pg_catalog.jsonb_build_object(%5$s)) as r
      where t.id in (
        select b.id from %2$s b
        where case when app.search_ids(%3$L, q) is null then b.search operator(pg_catalog.~~) all (app.search_patterns(q))%7$s
          else b.id = any (app.search_ids(%3$L, q)%8$s) end%6$s)
    $body$
  $function$, 'search_' || name, tbl, name, joined, ltrim(given, ', '),
    case when reads = '' then '' else format('
        union all
        select b.id from %s b where (%s) and (%s) operator(pg_catalog.~~) all (app.search_patterns(q))', tbl, ltrim(reads, ' or'), texts) end,
    ' or b.id = any (' || thread || ')', ' || ' || thread);
end $$;
comment on function app.keep_hidden_search(regclass, text[]) is
  'For migrations: the search of a table with hidden fields, of which some are searched (null: as before). Those who may read '
  'them get their values with its rows, and find rows by those that are searched; for everybody else it is the search without them.';

create function app.keep_hidden(tbl regclass, field text, object text, verb text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  kind regtype;
  shape text;
  mark text;
  rule record;
begin
  select a.atttypid, pg_catalog.format_type(a.atttypid, a.atttypmod) into kind, shape
    from pg_catalog.pg_attribute a where a.attrelid = tbl and a.attname = field and not a.attisdropped and not a.attnotnull;
  mark := app.hidden_mark(kind);
  if mark is null or length(side) > 63 then
    raise exception using errcode = '22023', message = format('%I of %s cannot be hidden', field, tbl);
  end if;
  -- A field that was renamed has its values there already.
  if to_regclass(format('public.%I', side)) is null then
    execute format('create table public.%1$I (company_id uuid not null references public.companies (id), id uuid primary key, %2$I %3$s, '
      'unique (company_id, id), foreign key (company_id, id) references %4$s (company_id, id) on delete cascade deferrable initially deferred)',
      side, field, shape, tbl);
    execute format('comment on table public.%I is %L', side,
      format('The values of %s.%s, for who may %s %s. Written by the trigger of that column.', name, field, verb, object));
    -- The rules of the value go with it.
    for rule in
      select k.conname, pg_catalog.pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
      where k.conrelid = tbl and k.contype = 'c' and k.conkey = array[(select a.attnum from pg_catalog.pg_attribute a
        where a.attrelid = tbl and a.attname = field)]
    loop
      execute format('alter table %s drop constraint %I', tbl, rule.conname);
      execute format('alter table public.%I add constraint %I %s', side, rule.conname, rule.text);
    end loop;
    execute format('insert into public.%1$I (company_id, id, %2$I) select t.company_id, t.id, t.%2$I from %3$s t where t.%2$I is not null',
      side, field, tbl);
    -- The deferred key of the moved rows is checked now: a table with pending checks cannot be altered.
    set constraints all immediate;
    execute format('alter table %s alter column %I set default %L', tbl, field, mark);
    -- The log of the value moves too.
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, action, changes, at, row_name)
      select l.company_id, l.actor_id, l.actor_email, l.actor_name, side, l.row_id, l.action, jsonb_build_object(field, l.changes -> field), l.at, l.row_name
      from public.audit_log l where l.table_name = name and l.changes ? field;
    update public.audit_log l set changes = l.changes - field where l.table_name = name and l.changes ? field;
    -- Neither the version nor the time of a record changes because its value has moved.
    execute format('alter table %s disable trigger user', tbl);
    execute format('update %1$s t set %2$I = %3$L where t.%2$I is distinct from %3$L', tbl, field, mark);
    execute format('alter table %s enable trigger user', tbl);
  end if;
  for rule in
    select t.tgname, pg_catalog.pg_get_triggerdef(t.oid) as text from pg_catalog.pg_trigger t
    where t.tgrelid = tbl and t.tgfoid = 'app.audit()'::regprocedure
      and field <> all (string_to_array(encode(t.tgargs, 'escape'), '\000'))
  loop
    execute format('drop trigger %I on %s', rule.tgname, tbl);
    execute left(rule.text, -1) || format(', %L)', field);
  end loop;
  -- The name sorts it behind the other triggers, which count the change and see what was written.
  execute format('create trigger %I before insert or update of %I on %s for each row execute function app.hide_value(%L, %L, %L, %L)',
    name || '_zz_hide_' || field, field, tbl, field, object, verb, mark);
  execute format('revoke all on public.%I from public, anon, authenticated', side);
  execute format('grant select on public.%I to authenticated', side);
  execute format('grant select, insert, update, delete on public.%I to service_role', side);
  execute format('alter table public.%I enable row level security', side);
  execute format('create policy %I on public.%I for select to authenticated using ((select app.reads_hidden(%L, %L)) '
    'and ((select app.sees_all()) or company_id = (select app.own_company())) '
    'and exists (select 1 from %s r where r.id = %I.id))', side || '_select_member', side, object, verb, tbl, side);
  perform app.keep_audit(format('public.%I', side)::regclass, 'id', array['id', 'company_id']);
  perform app.show_hidden(tbl, field);
end $$;
comment on function app.keep_hidden(regclass, text, text, text) is
  'For migrations: moves the values of a column to <table>_hidden_<column>, with their rules and their log, where only those read them who '
  'may do `verb` on `object` and see the record. The column takes new values and holds a mark.';

create function app.rename_hidden(tbl regclass, field text, next_table text, next_field text) returns void
  language plpgsql set search_path = '' as $$
declare
  name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  side constant text := name || '_hidden_' || field;
  next_side constant text := next_table || '_hidden_' || next_field;
  known record;
  given text;
begin
  execute format('drop function if exists public.%I(%s)', 'hidden_' || field || '_key', tbl);
  execute format('drop function public.%I(%s)', 'hidden_' || field, tbl);
  for known in select p.polname from pg_catalog.pg_policy p where p.polrelid = format('public.%I', side)::regclass loop
    execute format('drop policy %I on public.%I', known.polname, side);
  end loop;
  for known in select t.tgname from pg_catalog.pg_trigger t where t.tgrelid = format('public.%I', side)::regclass and t.tgfoid = 'app.audit()'::regprocedure
  loop
    execute format('drop trigger %I on public.%I', known.tgname, side);
  end loop;
  for known in
    select k.conname from pg_catalog.pg_constraint k where k.conrelid = format('public.%I', side)::regclass and k.contype <> 'n'
  loop
    given := case when starts_with(known.conname, side) then next_side || substr(known.conname, length(side) + 1)
      when starts_with(known.conname, name || '_' || field) then next_table || '_' || next_field || substr(known.conname, length(name || '_' || field) + 1)
      else known.conname end;
    if given <> known.conname then
      execute format('alter table public.%I rename constraint %I to %I', side, known.conname, left(given, 63));
    end if;
  end loop;
  if field <> next_field then
    execute format('alter table public.%I rename column %I to %I', side, field, next_field);
  end if;
  if side <> next_side then
    execute format('alter table public.%I rename to %I', side, next_side);
    update public.audit_log l set table_name = next_side, changes = case when l.changes ? field
        then l.changes - field || jsonb_build_object(next_field, l.changes -> field) else l.changes end
      where l.table_name = side;
  end if;
end $$;
comment on function app.rename_hidden(regclass, text, text, text) is
  'For the migrations of `npm run resource rename`, before the table and its column change their names: the table of the values takes its new '
  'name, and what is made again by app.keep_hidden() goes.';
