-- A company keeps its last admin even when two admins demote each other at the same moment: whoever takes the role
-- from an admin, not only from themself, waits for the company's row and then counts again.

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
    -- An actor who has lost the role or the company meanwhile compares as null: refused, never let through.
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
     and (tg_op = 'DELETE' or new.role <> old.role or new.company_id is distinct from old.company_id)
     -- A Super Admin may leave a company without an admin, but not the platform without a Super Admin.
     and (old.company_id is null or old.user_id = actor or not app.sees_all()) then
    perform app.keep_an_admin(old.company_id, array[old.user_id]);
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_user_role() is
  'Row trigger: no role above one''s own, none outside one''s company, and a company keeps its last admin whoever acts. '
  'Definer, because it looks at accounts the actor may not read.';

create or replace function app.keep_an_admin(company uuid, leaving uuid[]) returns void
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
