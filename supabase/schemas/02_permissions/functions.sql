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

-- Definer: app.held_roles and app.allows are not granted to API roles.
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
      -- The links to tags have no permission lines of their own: their rows are for who may list devices.
      and app.allows(held, case relation.relname when 'device_tags' then 'devices' else relation.relname::text end, 'list')
  );
end
$$;
comment on function app.listable_tables() is 'The tables whose rows the caller may list.';
grant execute on function app.listable_tables() to authenticated;

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
    perform app.require(tg_argv[0], 'edit');
  end if;
  return null;
end $$;
comment on function app.require_edit() is
  'Statement trigger of a table whose rows are part of another record: every write is an edit of that resource.';

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
    update public.%1$I t set paused_for = coalesce((select coalesce(nullif(p.name, ''), p.email) from public.profiles p where p.id = t.set_by), '–') %2$s
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
