-- Row rules.

set check_function_bodies = off;

drop policy audit_log_select_listable on public.audit_log;

alter table app.permission drop constraint permission_pkey;
alter table app.policy_rule drop constraint policy_rule_shape;
alter table app.policy_rule drop constraint policy_rule_pkey;
alter table app.policy_rule add column v4 text not null default '';
alter table app.policy_rule add primary key (v0, v1, v2, v3, v4, ptype);
alter table app.policy_rule add constraint policy_rule_shape check (
    (ptype = 'p' and v2 <> '' and (v3 = 'allow' or v3 = 'deny' and v4 = ''))
    or (ptype = 'g' and v2 = '' and v3 = '' and v4 = '')
  );
comment on table app.policy_rule is
  'Compiled policies/*.csv: p = role, object, verb, allow|deny, row rule or nothing; g = child role, parent role. Never edited through the API.';

alter table app.permission add column rule text not null default '';
alter table app.permission add primary key (object, verb, role, effect, rule);
comment on table app.permission is 'The p lines, for each role with all it inherits. An empty rule stands for all rows.';

create table public.ticket_watchers (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  user_id uuid not null references public.profiles (id) on delete cascade,
  primary key (company_id, ticket_id, user_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table public.ticket_watchers is
  'Who follows a ticket without having asked for it. Whoever watches a ticket sees it (the row rule own).';

create index ticket_watchers_user_id_idx on public.ticket_watchers (user_id, ticket_id);

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
comment on function app.can(text, text) is
  'Whether the caller may do `action` on `resource`, at least to some rows; false without a live session. In policies always (select app.can(…)): once a statement, not once a row.';

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

create function app.record_table(table_name text) returns text
  language sql immutable set search_path = '' as $$
  -- Links without permission lines of their own are a part of the record, and so are the values that only some may read.
  select case table_name when 'device_tags' then 'devices' when 'ticket_watchers' then 'tickets'
    else split_part(table_name, '_hidden_', 1) end
$$;
comment on function app.record_table(text) is 'The table of the record to which a row of this one belongs; the table itself where it has records of its own.';
grant execute on function app.record_table(text) to authenticated;

-- Definer: app.held_roles, app.allows and app.rules_of are not granted to API roles.
create or replace function app.listable_tables() returns text[]
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
  );
end
$$;
comment on function app.listable_tables() is 'The tables of which the caller may list every row.';

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
  );
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

create or replace function app.roles_that_may(resource text, action text) returns text[]
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

create or replace function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Cascades and the server's own work run as the owner.
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  -- Whoever works the desk writes everything.
  if app.tickets_covers(case tg_op when 'INSERT' then new else old end, 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'open' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null then 'device_id'
      when new.due_at is not null then 'due_at' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when new.status is distinct from old.status then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at' end;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;

-- Runs as the caller: row-level security decides which tickets are reached, the guard which columns are written.
create or replace function public.assign_tickets(ids uuid[]) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require_rows('tickets', 'assign', ids);
  update public.tickets t set assignee_id = app.current_user_id() where t.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create or replace function public.set_ticket_status(ids uuid[], status text) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require_rows('tickets', 'assign', ids);
  update public.tickets t set status = set_ticket_status.status where t.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create function app.guard_ticket_watchers() returns trigger
  language plpgsql set search_path = '' as $$
declare
  link public.ticket_watchers := coalesce(new, old);
begin
  -- People watch and stop watching by themselves; whoever works the desk adds and removes others.
  if current_user in ('anon', 'authenticated') and link.user_id is distinct from app.current_user_id()
     and not exists (select 1 from public.tickets t where t.id = link.ticket_id and app.tickets_covers(t, 'assign')) then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: others watch a ticket when the desk adds them';
  end if;
  return link;
end $$;
comment on function app.guard_ticket_watchers() is
  'Row trigger: without the permission to assign the ticket a person lets only themself watch it.';

create function app.check_people_of_ticket_watchers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  -- Row-level security asks after this. Of another company, both answer the same, whether or not somebody belongs to it.
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
  if new.user_id is not null and not exists (
    select 1 from public.user_roles r
    where r.user_id = new.user_id and (r.company_id = new.company_id or r.role = 'Super Admin')
  ) then
    if is_foreign then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "ticket_watchers"';
    end if;
    raise exception using errcode = '23503', message = 'insert or update on table "ticket_watchers" violates foreign key constraint "ticket_watchers_user_id_fkey"',
      detail = 'Key (user_id) is not present in the company.';
  end if;
  return new;
end $$;
comment on function app.check_people_of_ticket_watchers() is
  'Row trigger: user_id names somebody of the row''s company, or a Super Admin. Definer, because the caller may not read every role.';

-- Runs as the caller: row-level security decides which tickets are reached.
create function public.watch_tickets(ids uuid[], watching boolean default true) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require_rows('tickets', 'edit', ids);
  if watching then
    insert into public.ticket_watchers (company_id, ticket_id, user_id)
    select t.company_id, t.id, app.current_user_id() from public.tickets t where t.id = any (ids)
    on conflict do nothing;
  else
    delete from public.ticket_watchers w where w.ticket_id = any (ids) and w.user_id = app.current_user_id();
  end if;
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.watch_tickets(uuid[], boolean) is
  'Lets the caller watch these tickets, or no longer, and returns how many that changed. 42501 for tickets that the caller may not edit.';
grant execute on function public.watch_tickets(uuid[], boolean) to authenticated;

create or replace function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  select a.*
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- A record of the console may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles']
      -- Hidden fields are kept, and logged, in tables of their own.
      else record_activity.resource || array(select c.relname::text from pg_catalog.pg_class c
        where c.relnamespace = 'public'::regnamespace and starts_with(c.relname::text, record_activity.resource || '_hidden_')) end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;

create trigger ticket_watchers_permission before insert or update or delete on public.ticket_watchers
  for each statement execute function app.require_edit('tickets');
create trigger ticket_watchers_guard before insert or delete on public.ticket_watchers
  for each row execute function app.guard_ticket_watchers();
create trigger ticket_watchers_people before insert or update of company_id, user_id on public.ticket_watchers
  for each row execute function app.check_people_of_ticket_watchers();
create trigger ticket_watchers_people_active before insert on public.ticket_watchers
  for each row execute function app.refuse_deactivated_people('user_id');

select app.keep_audit('public.ticket_watchers', 'ticket_id', array['ticket_id', 'company_id']);

select app.keep_announced('public.ticket_watchers', 'company', 'company_id', 'ticket_id');

-- The audit log repeats values of other tables: only the entries of tables the caller may list are visible, and of rows that
-- a row rule or a hidden field keeps from the caller none.
create policy audit_log_select_listable on public.audit_log as restrictive for select to authenticated
  using ((select app.sees_all()) or table_name = any ((select app.listable_tables())::text[])
    or (table_name = any ((select app.partly_listable_tables())::text[]) and app.sees_audited(table_name, row_id)));


revoke all on public.ticket_watchers from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, user_id) on public.ticket_watchers to authenticated;
grant select, insert, update, delete on public.ticket_watchers to service_role;
alter table public.ticket_watchers enable row level security;
create policy ticket_watchers_select_member on public.ticket_watchers for select to authenticated
  using ((select app.can('tickets', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create policy ticket_watchers_insert_member on public.ticket_watchers for insert to authenticated
  with check ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create policy ticket_watchers_delete_member on public.ticket_watchers for delete to authenticated
  using ((select app.can('tickets', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
