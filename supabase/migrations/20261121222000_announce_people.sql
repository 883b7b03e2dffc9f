-- Live messages reach everybody they concern: a company's topic is open to all its members, and people's names
-- and moves are announced too.

-- Which tables a member hears of is decided a message (embedded server), or by what they may read of its rows: a
-- message tells ids and no more. Definer as before: it reads the caller's role and company.
create or replace function app.can_listen(topic text) returns boolean
  language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
begin
  if me is null or topic is null then
    return false;
  elsif topic = 'platform' then
    return app.sees_all();
  elsif topic like 'user:%' then
    return topic = 'user:' || me;
  elsif topic ~ '^company:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return substr(topic, 9)::uuid = any (app.visible_company_ids());
  end if;
  return false;
end $$;

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

create trigger profiles_announce_update after update on public.profiles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_profiles();

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

create trigger user_roles_announce_leavers after update on public.user_roles
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce_leavers();

revoke execute on function app.announce_profiles(), app.announce_leavers() from public, anon, authenticated;

-- A row between two records concerns both: a device that joins a group shows on the screens of either.

create or replace function app.announce() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  audience text := coalesce(tg_argv[0], 'company');
  audience_column text := coalesce(tg_argv[1], 'company_id');
  key_columns text[] := string_to_array(coalesce(tg_argv[2], 'id'), ',');
  named text := (select string_agg(format('array_agg(%I)', k.name), ' || ') from unnest(key_columns) as k (name));
  message jsonb;
  r record;
begin
  if app.quiet() then
    return null;
  end if;
  for r in execute format(
    'select %1$I as target, case when count(*) * %2$s <= 50 then to_jsonb(%3$s) else ''[]'' end as ids from %4$s group by %1$I',
    audience_column, cardinality(key_columns), named, case when tg_op = 'DELETE' then 'old_rows' else 'new_rows' end)
  loop
    message := jsonb_build_object('table', tg_table_name, 'op', lower(tg_op), 'ids', r.ids);
    if r.target is not null then
      perform app.send_live(audience || ':' || r.target, message);
    end if;
    if audience = 'company' then
      perform app.send_live('platform', message);
    end if;
  end loop;
  return null;
end $$;
comment on function app.announce() is
  'Statement trigger: one message {table, op, ids} a company (or user) a statement; ids only up to 50. No row travels: '
  'clients fetch again through row-level security. Definer, because clients may not send on a topic. '
  'Arguments: audience (company, user), its column, the key columns with commas between: a row between two records names both.';

drop trigger group_devices_announce_insert on public.group_devices;
drop trigger group_devices_announce_update on public.group_devices;
drop trigger group_devices_announce_delete on public.group_devices;
select app.keep_announced('public.group_devices', 'company', 'company_id', 'group_id,device_id');
