-- Comments of functions.

set check_function_bodies = off;

create or replace function app.request_origin() returns text
  language plpgsql stable set search_path = '' as $$
declare
  origin text := nullif(current_setting('request.headers', true), '')::json ->> 'x-origin-id';
begin
  -- A request that has no user is an agent's or a stranger's.
  if origin ~ '^[0-9a-f]{32}$' and auth.uid() is not null then
    return origin;
  end if;
  return null;
end $$;

create or replace function app.search_ids(resource text, q text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  scope text := 'true';
  ids uuid[];
begin
  perform app.require(resource, 'list');
  if condition is null then
    return null;
  end if;
  -- A row of the platform has no company: row-level security alone decides over it.
  if not app.sees_all() and app.has_column(format('public.%I', resource)::regclass, 'company_id') then
    scope := format('company_id = %L', app.own_company());
  end if;
  -- Literals, because the plan depends on how rare the pattern and how large the company is.
  execute format('select array_agg(f.id) from (select id from public.%I where %s and %s limit %s) f',
    resource, scope, condition, max_ids + 1) into ids;
  if cardinality(ids) > max_ids then
    return null;
  end if;
  return coalesce(ids, '{}');
end $$;

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

create or replace function app.create_first_super_admin(email text, password text default null) returns uuid
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

create or replace function app.require_reach(ids uuid[]) returns void
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

-- Security definer: nobody may write auth.users; the function checks the permission and each account itself.
create or replace function public.deactivate_users(ids uuid[]) returns integer
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

create or replace function app.tell_of_seats() returns integer
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

create or replace function app.forget_security_log() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from public.security_log l where l.id in (
    select x.id from public.security_log x
    -- Entries that strangers can cause are kept for a shorter time.
    where x.at < now() - interval '730 days'
       or x.at < now() - interval '90 days' and x.event in ('sign_in_failed', 'password_link_requested', 'request_denied', 'rate_limited')
    order by x.at limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;

create or replace function app.queue_mail(kind text, email text) returns boolean
  language plpgsql volatile set search_path = '' as $$
begin
  -- A single waiting mail is enough, and the statement is the same for every address: nobody learns which has an account.
  insert into app.mail_outbox (kind, email)
  select queue_mail.kind, lower(btrim(queue_mail.email))
  where not exists (select 1 from app.mail_outbox m
                    where m.email = lower(btrim(queue_mail.email)) and m.status = 'queued' and m.attempts = 0);
  return found;
end $$;

create or replace function app.take_mails(max_rows integer default 10)
  returns table (id bigint, kind text, email text, token text)
  language plpgsql volatile set search_path = '' as $$
declare
  mail record;
begin
  for mail in
    update app.mail_outbox m
    set attempts = m.attempts + 1,
      -- This is the lease, too: a server that stops while it sends leaves the mail to a later try.
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(m.attempts + 1, 6)]
    where m.id in (
      select o.id from app.mail_outbox o where o.status = 'queued' and o.next_attempt_at <= now()
      order by o.next_attempt_at, o.id limit max_rows for update skip locked)
    returning m.id, m.kind, m.email
  loop
    id := mail.id;
    kind := mail.kind;
    email := mail.email;
    token := app.new_secret();
    update auth.users u set recovery_token = token, recovery_sent_at = now()
    where u.email = mail.email and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());
    if not found then
      token := null;
    end if;
    return next;
  end loop;
end $$;

create or replace function app.count_group_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same groups never wait for each other crosswise.
  perform 1 from public.groups g where g.id in (select distinct c.group_id from changed c)
    order by g.id for no key update;
  update public.groups g
    set device_count = g.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.group_id, count(*)::integer as devices from changed c group by c.group_id) c
    where g.id = c.group_id;
  return null;
end $$;

create or replace function public.device_timeline(
  device_id uuid, kinds text[] default null, before timestamptz default null, before_id uuid default null
) returns table (
  id uuid, at timestamptz, kind text, title text, status text, actor text, record_id uuid, action text, changes jsonb
)
  language sql stable security invoker set search_path = '' rows 50 as $$
  with device as (
    -- Materialized: the company becomes a value, and each branch an index scan.
    select d.company_id as company, d.id from public.devices d where d.id = device_timeline.device_id
  ),
  edge as (
    select coalesce(device_timeline.before, 'infinity'::timestamptz) as at,
      coalesce(device_timeline.before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) as id
  )
  select e.* from device, edge, lateral (
    (select r.id, r.queued_at, case when j.by_policy then 'policy' else 'run' end, j.name, r.status, j.actor, r.id, null::text,
       case when j.by_policy then (
         select jsonb_build_object('count', count(*), 'titles', coalesce(jsonb_agg(u.title order by u.title) filter (where u.place <= 2), '[]'))
         from (select x.title, row_number() over (order by x.title) as place
           from public.device_patches dp join public.patches x on x.company_id = dp.company_id and x.id = dp.patch_id
           where dp.company_id = device.company and dp.run_id = r.id) u) end
     from public.job_runs r
     join lateral (
       select k.name, coalesce(p.name, p.email) as actor,
         k.kind = 'task' and k.created_by is null and k.script like '%"install_patches"%' and r.automation_run_id is null as by_policy
       from public.jobs k left join public.profiles p on p.id = k.created_by
       where k.company_id = r.company_id and k.id = r.job_id) j on true
     where r.company_id = device.company and r.device_id = device.id and (r.queued_at, r.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'run' = any (device_timeline.kinds))
     order by r.queued_at desc, r.id desc limit 50)
    union all
    (select a.id, a.opened_at, 'alert', a.message, a.status, null, a.id, null, null
     from public.alerts a
     where a.company_id = device.company and a.device_id = device.id and (a.opened_at, a.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'alert' = any (device_timeline.kinds))
     order by a.opened_at desc, a.id desc limit 50)
    union all
    (select t.id, t.created_at, 'ticket', t.subject, t.status, t.requester_name, t.id, null, null
     from public.tickets t
     where t.company_id = device.company and t.device_id = device.id and (t.created_at, t.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'ticket' = any (device_timeline.kinds))
     order by t.created_at desc, t.id desc limit 50)
    union all
    (select dp.id, dp.installed_at, 'patch', u.title, dp.status, null, dp.id, null, null
     from public.device_patches dp
     join public.patches u on u.company_id = dp.company_id and u.id = dp.patch_id
     where dp.company_id = device.company and dp.device_id = device.id and dp.installed_at is not null
       and (dp.installed_at, dp.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'patch' = any (device_timeline.kinds))
     order by dp.installed_at desc, dp.id desc limit 50)
    union all
    -- The device's own rows, and its tags, which are kept under its id.
    (select c.id, c.at, case c.table_name when 'devices' then 'change' else 'tag' end,
       case when c.table_name <> 'devices' then coalesce(g.name, c.row_name) end, null,
       coalesce(p.name, c.actor_email), g.id, c.action, c.changes
     from public.audit_log c
     left join public.profiles p on p.id = c.actor_id
     left join public.tags g on c.table_name = 'device_tags' and g.company_id = c.company_id
       and g.id = coalesce(c.changes -> 'tag_id' ->> 1, c.changes -> 'tag_id' ->> 0)::uuid
     where c.row_id = device.id and c.table_name in ('devices', 'device_tags') and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- Links to groups and exceptions for this device, which are kept under the other record's id.
    (select c.id, c.at, case c.table_name when 'group_devices' then 'group' else 'exception' end, coalesce(g.name, c.row_name), null,
       coalesce(p.name, c.actor_email), case when c.table_name = 'group_devices' then g.id when x.id is not null then c.row_id end, c.action, c.changes
     from public.audit_log c
     left join public.profiles p on p.id = c.actor_id
     left join public.groups g on c.table_name = 'group_devices' and g.company_id = c.company_id and g.id = c.row_id
     left join public.patch_exceptions x on c.table_name = 'patch_exceptions' and x.company_id = c.company_id and x.id = c.row_id
     where c.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    -- A changed exception: its row has only what changed.
    (select c.id, c.at, 'exception', c.row_name, null, coalesce(p.name, c.actor_email), c.row_id, c.action, c.changes
     from public.patch_exceptions x
     join public.audit_log c on c.row_id = x.id and c.table_name = 'patch_exceptions' and c.action = 'edit' and c.device_id is null
     left join public.profiles p on p.id = c.actor_id
     where x.company_id = device.company and x.device_id = device.id and (c.at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'change' = any (device_timeline.kinds))
     order by c.at desc, c.id desc limit 50)
    union all
    (select c.id, c.changed_at, 'software', s.name || coalesce(' ' || nullif(coalesce(c.new_version, c.previous_version), ''), ''), c.change,
       null, c.software_id, null, null
     from public.software_changes c
     join public.software s on s.company_id = c.company_id and s.id = c.software_id
     where c.company_id = device.company and c.device_id = device.id and (c.changed_at, c.id) < (edge.at, edge.id)
       and (device_timeline.kinds is null or 'software' = any (device_timeline.kinds))
     order by c.changed_at desc, c.id desc limit 50)
  ) e (id, at, kind, title, status, actor, record_id, action, changes)
  order by e.at desc, e.id desc
  limit 50
$$;

-- Security definer: counted columns are not a client's to write.
create or replace function app.count_open_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n where n.status in ('open', 'acknowledged');
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status in ('open', 'acknowledged');
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id where (n.status in ('open', 'acknowledged')) <> (o.status in ('open', 'acknowledged'));
  end if;
  if touched is null then
    return null;
  end if;
  -- All lock in one order.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set open_alerts = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.alerts x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status in ('open', 'acknowledged')
    group by t.id) c
    where d.id = c.id and d.open_alerts <> c.count;
  return null;
end $$;

create or replace function app.refresh_groups() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  done integer := 0;
  began timestamptz := clock_timestamp();
  started timestamptz;
  took interval;
begin
  with due as (
    delete from app.group_changes c where c.company_id in (
      select x.company_id from app.group_changes x order by x.company_id limit 100 for update skip locked)
    returning c.company_id
  )
  update app.group_rules r set is_due = true from due where r.company_id = due.company_id and not r.is_due;
  for entry in
    select r.company_id, r.group_id, r.filter from app.group_rules r
    -- A difference that no change of a device tells, such as its load or a related record, is noticed after a quarter of an hour.
    where (r.is_due or r.evaluated_at < now() - interval '15 minutes') and (r.not_before is null or r.not_before <= now())
    order by r.is_due desc, r.evaluated_at nulls first limit 50 for update skip locked
  loop
    -- The embedded database does nothing else in the meantime. The next tick goes on with the rules that waited longest.
    exit when clock_timestamp() - began > interval '1 second';
    started := clock_timestamp();
    begin
      done := done + app.refresh_group(entry.company_id, entry.group_id, entry.filter);
    exception when others then
      -- A field that the rule names is gone: its devices stay as they are.
      insert into app.tick_log (step, error) values ('group_rules', left(entry.group_id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
      update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end;
    took := clock_timestamp() - started;
    -- It was quick when it was saved, and devices or their software have grown since: it may take a hundredth of the time.
    if took > interval '1 second' then
      update app.group_rules r set not_before = now() + took * 100 where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end if;
  end loop;
  return done;
end $$;

-- Definer, because whoever deletes a device need not be one who may edit automations.
create or replace function app.stop_without_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- The device was deleted, not the link.
  if not exists (select 1 from public.devices d where d.company_id = old.company_id and d.id = old.device_id) then
    update public.automations a set enabled = false
      where a.company_id = old.company_id and a.id = old.automation_id and a.enabled
        and not exists (select 1 from public.automation_devices d where d.company_id = a.company_id and d.automation_id = a.id)
        and not exists (select 1 from public.automation_groups g where g.company_id = a.company_id and g.automation_id = a.id);
  end if;
  return null;
end $$;

-- Security definer: the column is nobody's to write.
create or replace function app.count_tag_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same tags never wait for each other crosswise.
  perform 1 from public.tags t where t.id in (select distinct c.tag_id from changed c)
    order by t.id for no key update;
  update public.tags t
    set device_count = t.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.company_id, c.tag_id, count(*)::integer as devices from changed c group by c.company_id, c.tag_id) c
    where t.company_id = c.company_id and t.id = c.tag_id;
  return null;
end $$;

-- Security definer: which policy applies to a device is granted to nobody; checks the permission and the company itself.
create or replace function public.device_windows(device_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  device public.devices%rowtype;
  policy public.policies%rowtype;
  installs timestamptz;
  restarts timestamptz;
  updates integer;
begin
  perform app.require('policies', 'list');
  select d.* into device from public.devices d
    where d.id = device_windows.device_id and d.company_id = any (app.visible_company_ids()) and app.can('devices', 'list');
  select p.* into policy from app.policy_of(device.company_id, device.id, 'patch') p;
  if policy.id is null then
    return '[]';
  end if;
  installs := app.next_span(policy.window_weekdays, policy.window_from, policy.window_to, policy.timezone, now());
  restarts := case policy.reboot
    when 'in_window' then app.next_span(policy.reboot_weekdays, policy.reboot_from, policy.reboot_to, policy.timezone, now())
    when 'never' then null else installs end;
  -- The policy's updates are counted as app.enforce_policy() installs them.
  select count(*) into updates from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = device.company_id and t.device_id = device.id and t.status in ('missing', 'failed')
      and (t.exception = 'approved' or (t.exception is null and p.approval = 'approved' and not app.is_held(policy, t.patch_id)));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('kind', w.kind, 'policy_id', policy.id, 'name', policy.name, 'starts_at', w.starts_at,
      'updates', w.updates) order by w.starts_at, w.kind), '[]')
    from (values ('install', installs, updates), ('restart', restarts, null)) w (kind, starts_at, updates)
    where w.starts_at is not null and (w.kind = 'install' or device.reboot_required or policy.reboot = 'in_window'));
end $$;

-- Security definer: an anonymous device has no privileges; the token or the secret in the body is the credential.
create or replace function public.agent_enroll(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' as $$
declare
  max_pending_per_token constant integer := 5;
  max_pending_per_company constant integer := 1000;
  body jsonb := app.agent_payload(payload, 16384);
  token_text text := body ->> 'token';
  -- The agent chooses its secret, so that a request whose answer was lost can be repeated.
  secret text := coalesce(body ->> 'secret', app.new_secret());
  hash bytea;
  token public.enrollment_tokens%rowtype;
  request public.enrollment_requests%rowtype;
  known record;
  answer jsonb;
begin
  if secret !~ '^[0-9a-f]{64}$' then
    raise exception 'secret must be 64 hexadecimal digits.' using errcode = 'PT400';
  end if;
  hash := app.hash_secret(secret);
  if body ->> 'secret' is not null then
    answer := app.repeated_enrollment(body, hash);
    if answer is null then
      -- Asked twice at the same moment: the second waits for the first and gets its answer.
      perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 1));
      answer := app.repeated_enrollment(body, hash);
    end if;
    if answer is not null then
      return answer || jsonb_build_object('secret', secret);
    end if;
  end if;

  if length(token_text) between 16 and 256 then
    select t.* into token
      from app.enrollment_secrets s join public.enrollment_tokens t on t.id = s.token_id
      where s.token_hash = app.hash_secret(token_text)
      for update of t;
  end if;
  -- Joining adds a device, and a company whose license has ended is read-only.
  if token.id is null or token.revoked_at is not null or token.expires_at <= now()
    or token.used_count >= token.max_uses or not app.company_runs(token.company_id)
    -- A secret belongs to one machine. Same refusal, so that nobody learns which secrets are in use.
    or exists (select 1 from app.device_secrets s where s.secret_hash = hash)
    or exists (select 1 from app.enrollment_request_secrets s where s.secret_hash = hash) then
    raise exception 'The enrollment token is not valid.' using errcode = 'PT401';
  end if;

  request.company_id := token.company_id;
  request.token_id := token.id;
  request.group_id := token.group_id;
  request.machine_id := app.short_text(body -> 'machine_id', 129);
  request.hostname := app.short_text(body -> 'hostname', 253);
  request.platform := app.short_text(body -> 'platform', 20);
  request.agent_version := app.short_text(body -> 'agent_version', 40);
  request.ip_address := app.request_address(body);
  if request.machine_id is null or length(request.machine_id) not between 8 and 128 or request.hostname is null
    or request.platform is null or request.platform not in ('linux', 'windows', 'macos') then
    raise exception 'machine_id, hostname or platform is missing or malformed.' using errcode = 'PT400';
  end if;

  perform pg_advisory_xact_lock(hashtextextended(token.company_id::text || request.machine_id, 0));
  select d.id, d.hostname,
      coalesce(p.online and p.last_seen_at > now() - make_interval(secs => 3 * coalesce(p.interval_seconds, 60) + 60), false)
        as alive
    into known
    from public.devices d
      left join public.device_presence p on p.company_id = d.company_id and p.device_id = d.id
    where d.company_id = token.company_id and d.machine_id = request.machine_id
    order by (d.hostname = request.hostname) desc, d.enrolled_at limit 1;
  -- When the known machine is alive under another name, this one is a copy and gets a device of its own.
  if known.id is not null and not (known.alive and known.hostname is distinct from request.hostname) then
    request.device_id := known.id;
  end if;

  update public.enrollment_tokens t set used_count = t.used_count + 1 where t.id = token.id;
  if request.device_id is null and not token.requires_approval then
    return jsonb_build_object('device_id', app.join_device(request, hash), 'secret', secret, 'interval', app.fleet_interval());
  end if;

  -- A flood in the name of a machine displaces its own requests only, and shuts nobody out.
  with displaced as (
    update public.enrollment_requests r set status = 'expired'
      where r.id in (
        select x.id from public.enrollment_requests x
          where x.company_id = token.company_id and x.token_id = token.id and x.machine_id = request.machine_id
            and x.status = 'pending'
          order by x.created_at desc, x.id desc offset max_pending_per_token - 1)
        and r.status = 'pending'
      returning r.id
  )
  delete from app.enrollment_request_secrets s using displaced where s.request_id = displaced.id;
  if (select count(*) from public.enrollment_requests r
      where r.company_id = token.company_id and r.status = 'pending') >= max_pending_per_company then
    raise exception 'Too many devices wait for approval.' using errcode = 'PT429';
  end if;
  insert into public.enrollment_requests (company_id, token_id, group_id, device_id, machine_id, hostname, platform,
    agent_version, ip_address)
  values (request.company_id, request.token_id, request.group_id, request.device_id, request.machine_id, request.hostname,
    request.platform, request.agent_version, request.ip_address)
  returning * into request;
  insert into app.enrollment_request_secrets (request_id, secret_hash) values (request.id, hash);
  perform app.tell_of_request(request);
  return jsonb_build_object('status', 'pending', 'secret', secret, 'interval', 5);
end $$;

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create or replace function public.agent_check_in(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 4194304);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  known record;
  changes_device boolean;
  brings_inventory boolean;
  known_hash text;
  new_hash text := app.short_text(body -> 'inventory_hash', 128);
  metrics jsonb := body -> 'metrics';
  held uuid[] := '{}';
  kept integer := 0;
  has_open boolean;
  seconds integer := app.fleet_interval();
  runs jsonb := '[]';
  stop uuid[] := '{}';
  answer jsonb;
  list_stamp bigint;
  list_hash text;
  known_stamp bigint;
  monitors jsonb;
  reported text := app.short_text(body -> 'agent_version', 40);
  update_state text;
  update_version text;
  update_reason text;
  target text;
  target_asked boolean;
  refusal text;
  is_refused boolean := false;
  sender text := app.short_text(body -> 'instance', 40);
  senders text[];
  returns integer;
  has_terminal boolean := app.has_terminal(device);
begin
  if body ? 'running' and jsonb_typeof(body -> 'running') not in ('array', 'null') then
    raise exception 'running must be a list of run ids.' using errcode = 'PT400';
  end if;
  if jsonb_typeof(body -> 'running') = 'array' then
    if jsonb_array_length(body -> 'running') > 64 then
      raise exception 'At most 64 running entries.' using errcode = 'PT413';
    end if;
    select coalesce(array_agg(distinct u.id), '{}') into held
      from jsonb_array_elements_text(body -> 'running') e, lateral (select app.lenient_uuid(e) as id) u
      where u.id is not null;
  end if;

  if body -> 'update' ->> 'state' in ('updating', 'failed') then
    update_state := body -> 'update' ->> 'state';
    update_version := app.short_text(body -> 'update' -> 'version', 40);
    update_reason := case when update_state <> 'failed' then null
      when body -> 'update' ->> 'reason' in ('no_check_in', 'ended', 'interrupted', 'signature', 'older', 'not_writable')
        then body -> 'update' ->> 'reason'
      else 'other' end;
  end if;
  select d.status, d.machine_id, d.clone_suspected, d.agent_version, d.agent_update_state, d.agent_update_version, d.agent_update_reason,
    d.inventory_refused, d.inventory_refused_at
    into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(reported, known.agent_version)
    or known.agent_update_state is distinct from update_state or known.agent_update_version is distinct from update_version
    or known.agent_update_reason is distinct from update_reason
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if body ? 'inventory_refused' then
    is_refused := true;
    refusal := coalesce(app.short_text(body -> 'inventory_refused', 300), 'The inventory was refused.');
  end if;
  if changes_device or brings_inventory or is_refused then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds), p.agent_target, p.agent_target_asked,
      p.agent_instances, p.instance_returns
    into known_hash, known_stamp, list_hash, seconds, target, target_asked, senders, returns from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(reported, d.agent_version),
        agent_update_state = update_state, agent_update_version = update_version, agent_update_reason = update_reason,
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  -- A new process of the agent has a new id. An earlier id that comes back, twice, is that of a second machine that is awake.
  if sender is not null and sender is distinct from senders[1] then
    returns := case when sender = any (senders) then least(returns + 1, 2) else 0 end;
    senders := (array_prepend(sender, array_remove(senders, sender)))[1:8];
    if returns = 2 and not known.clone_suspected then
      update public.devices d set clone_suspected = true where d.company_id = company and d.id = device and not d.clone_suspected;
    end if;
  end if;
  if brings_inventory then
    begin
      perform app.record_inventory(company, device, body -> 'inventory');
    exception when others then
      -- A busy database is asked again; what it refuses must not keep the device from its jobs.
      if sqlstate ~ '^(08|40|53|55|57|58|XX)' then
        raise;
      end if;
      is_refused := true;
      refusal := left(sqlerrm, 300);
    end;
  end if;
  if is_refused then
    update public.devices d set inventory_refused = refusal, inventory_refused_at = now()
      where d.company_id = company and d.id = device;
    known_hash := new_hash;
  elsif brings_inventory then
    if known.inventory_refused is not null then
      update public.devices d set inventory_refused = null, inventory_refused_at = null where d.company_id = company and d.id = device;
    end if;
    known_hash := new_hash;
  elsif known.inventory_refused_at < now() - interval '1 day' then
    -- A newer database may take an inventory that was refused yesterday.
    known_hash := null;
  end if;

  has_open := exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
  );
  if cardinality(held) > 0 then
    -- A lease is renewed in its last four minutes: every check-in of a long run would else rewrite the row.
    with lapsing as (
      select r.id from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held)
        and r.status in ('claimed', 'running') and r.lease_until < now() + interval '4 minutes'
      -- A run that is being reported at this moment needs no lease.
      order by r.id for update skip locked
    )
    update public.job_runs r set lease_until = now() + interval '5 minutes' from lapsing where r.id = lapsing.id;
    select count(*) filter (where r.status in ('claimed', 'running')) into kept from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held);
    -- A run that is not this device's, or no longer, is included: one that was deleted or canceled here must stop there.
    select coalesce(array_agg(h), '{}') into stop from unnest(held) h
      where not exists (
        select 1 from public.job_runs r
        where r.company_id = company and r.device_id = device and r.id = h
          and r.cancel_requested_at is null and r.status in ('claimed', 'running', 'expired')
      );
  end if;
  if has_open then
    runs := app.claim_runs(company, device, held, 4 - kept);
  end if;
  if has_terminal and runs <> '[]' then
    select jsonb_agg(e.run || jsonb_strip_nulls(jsonb_build_object('terminal', s.session)) order by e.position) into runs
      from jsonb_array_elements(runs) with ordinality e (run, position)
        join public.job_runs r on r.company_id = company and r.id = (e.run ->> 'run_id')::uuid
        left join app.terminal_jobs s on s.job_id = r.job_id;
  end if;
  -- A run that waits for its turn, its time or an approval is asked about at the usual interval: thousands may wait for hours.
  if has_open and exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
      and (r.status <> 'queued' or not (r.is_capped or r.waits_for is not null or r.start_after > now()))
  ) or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
      and not r.is_capped and r.start_after is null and r.waits_for is null
  ) then
    seconds := 5;
  end if;

  if jsonb_typeof(body -> 'samples') = 'array' then
    if jsonb_array_length(body -> 'samples') > 300 then
      raise exception 'At most 300 samples.' using errcode = 'PT413';
    end if;
    if jsonb_array_length(body -> 'samples') > 0 then
      perform app.take_samples(company, device, body -> 'samples');
    end if;
  end if;

  -- Agents of earlier versions make no checks.
  if body ? 'monitors_hash' then
    -- First what waits for locks, in one order; app.note_checks() waits for none.
    if jsonb_typeof(body -> 'monitor_states') = 'array' then
      if jsonb_array_length(body -> 'monitor_states') > 200 then
        raise exception 'At most 200 monitor states.' using errcode = 'PT413';
      end if;
      perform app.take_monitor_states(company, device, body -> 'monitor_states');
    end if;
    -- Before the list is read: a change in between makes the next check-in read it again.
    select coalesce((select s.stamp from app.monitor_stamps s where s.company_id = company), 0) into list_stamp
      where app.company_runs(company);
    if list_stamp is null then
      monitors := '[]';
    elsif list_stamp is distinct from known_stamp or list_hash is null or list_hash <> coalesce(body ->> 'monitors_hash', '') then
      monitors := app.monitors_of(company, device);
    end if;
    if monitors is not null then
      list_hash := md5(monitors::text);
    end if;
    known_stamp := list_stamp;
  end if;

  update public.device_presence p
    set last_seen_at = now(), online = true, interval_seconds = seconds, updated_at = now(),
      inventory_hash = known_hash, agent_instances = senders, instance_returns = returns, monitors_stamp = known_stamp, monitors_hash = list_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', case when has_terminal then 1 else seconds end, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if body ? 'monitors_hash' then
    if list_hash is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', list_hash);
    elsif list_hash <> md5('[]') then
      perform app.note_list(company, device, list_hash);
    end if;
  end if;
  if has_terminal then
    answer := answer || '{"terminal": true}';
  end if;
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  -- Most devices run their target, or failed to: nothing more is read for them. A version without a hash of its content is that of
  -- an agent that cannot update itself.
  if target <> reported and strpos(reported, '+') > 0 and (update_state is distinct from 'failed' or update_version is distinct from target) then
    target := app.agent_offer(company, target, target_asked);
    if target is not null then
      answer := answer || jsonb_build_object('update', target);
    end if;
  end if;
  return answer;
end $$;

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create or replace function public.agent_report(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 8388608);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  sent jsonb := body -> 'results';
  accepted uuid[];
  -- How far the device's clock is behind that of the server; null for an agent that does not say.
  behind interval := now() - app.exact_instant(body ->> 'time');
  refused jsonb;
begin
  if jsonb_typeof(sent) is distinct from 'array' then
    raise exception 'results must be a list.' using errcode = 'PT400';
  end if;
  if jsonb_array_length(sent) > 64 then
    raise exception 'At most 64 results.' using errcode = 'PT413';
  end if;

  -- The log of a finished run refers to the device: its row comes first, as everywhere.
  perform 1 from public.devices d where d.company_id = company and d.id = device for key share;
  perform 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.id in (
      select app.lenient_uuid(e ->> 'run_id') from jsonb_array_elements(sent) e where jsonb_typeof(e) = 'object'
    )
    order by r.id for update;

  with listed as materialized (
    select app.short_text(e -> 'run_id', 64) as named, app.lenient_uuid(e ->> 'run_id') as id, e as result,
      e ->> 'state' as state, position
    from jsonb_array_elements(sent) with ordinality as l (e, position)
    where jsonb_typeof(e) = 'object'
  ), judged as materialized (
    select l.named, l.id, l.result, l.state, l.position,
      case
        when r.id is null then 'not_found'
        when coalesce(l.state, '') not in
          ('running', 'succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled', 'refused') then 'unknown_state'
        when r.attempt = 0 or app.whole_number(l.result -> 'attempt') is distinct from r.attempt then 'unknown_attempt'
        when r.reported_at is not null then 'result_exists'
        when l.state = 'running' and r.status not in ('claimed', 'running') then 'not_open'
      end as reason
    from listed l
      left join public.job_runs r on r.company_id = company and r.device_id = device and r.id = l.id
  ), taken as materialized (
    -- Twice in one report: what ended outranks what runs, and the first of its kind stands.
    -- The device's clock tells how long something took and how long ago it was; when it was, the server's clock says.
    select distinct on (j.id) j.id, j.state, j.result,
      least(now(), coalesce(app.exact_instant(j.result ->> 'finished_at') + behind, now())) as ended_at
    from judged j where j.reason is null order by j.id, (j.state = 'running'), j.position
  ), written as (
    update public.job_runs r
      set status = case
          when t.state in ('interrupted', 'refused') then 'failed'
          else t.state
        end,
        started_at = coalesce(r.started_at, case
          when t.state = 'running' then now()
          when t.state = 'refused' then null
          else greatest(r.claimed_at, t.ended_at - greatest(least(
            app.exact_instant(t.result ->> 'finished_at') - app.exact_instant(t.result ->> 'started_at'),
            interval '1 day'), interval '0'))
        end),
        finished_at = case when t.state <> 'running' then greatest(t.ended_at, r.started_at, r.claimed_at) end,
        reported_at = case when t.state <> 'running' then now() end,
        lease_until = case when t.state = 'running' then now() + interval '5 minutes' end,
        exit_code = case when t.state <> 'running' then app.exit_code(t.result -> 'exit_code') end,
        -- The result replaces the output of the running script.
        output = case when jsonb_typeof(t.result -> 'output') = 'string' then app.capped_output(t.result ->> 'output')
          when t.state = 'running' then r.output end,
        output_truncated = t.state <> 'running'
          and (coalesce(t.result -> 'truncated' = 'true', false)
            or coalesce(octet_length(t.result ->> 'output') > 1048576, false)),
        error = case
          when t.state = 'failed' then app.device_reason(t.result -> 'reason')
          when t.state in ('interrupted', 'refused') then coalesce(app.device_reason(t.result -> 'reason'), t.state)
          when t.state in ('timed_out', 'cancelled') then t.state
        end
      from taken t
      where r.company_id = company and r.device_id = device and r.id = t.id
      returning r.id
  )
  select (select coalesce(array_agg(w.id order by w.id), '{}') from written w),
    (select coalesce(jsonb_agg(jsonb_build_object('run_id', j.named, 'reason', j.reason) order by j.position), '[]')
      from judged j where j.reason is not null)
  into accepted, refused;
  return jsonb_build_object('accepted', to_jsonb(accepted), 'refused', refused);
end $$;

create or replace function app.publish_agent(release text) returns timestamptz
  language plpgsql volatile set search_path = '' as $$
declare
  published timestamptz;
begin
  -- Two servers that start at once.
  perform pg_advisory_xact_lock(hashtextextended('app.publish_agent', 0));
  select r.published_at into published from app.agent_releases r
    where r.version = release and r.published_at = (select max(x.published_at) from app.agent_releases x);
  if published is not null then
    return published;
  end if;
  -- An older release is the newest again when the operator went back. Whole milliseconds: the signature covers its text.
  insert into app.agent_releases as r (version, published_at) values (release, date_trunc('milliseconds', clock_timestamp()))
    on conflict (version) do update set published_at = excluded.published_at
    returning r.published_at into published;
  insert into app.agent_rollouts (company_id, due_at)
    select distinct p.company_id, now() from public.policies p
    where p.kind = 'agent' and p.enabled and p.agent_updates = 'automatic' order by p.company_id
    on conflict (company_id) do update set due_at = excluded.due_at;
  return published;
end $$;

-- Security definer: nobody may write versions.
create or replace function public.approve_procedure(version_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if version.approved_at is not null then
    return;
  end if;
  update public.procedure_versions v
    set approved_at = now(), approved_by = p.id, approved_name = coalesce(nullif(p.name, ''), p.email),
      declined_at = null, declined_by = null, declined_name = null, decline_reason = null
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set approved_revision = version.number, approved_at = version.approved_at, approved_name = version.approved_name,
      declined_at = null, declined_name = null, decline_reason = null, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_approved', jsonb_build_object('by', version.approved_name));
  -- The run's page says so until the device asks; it clears the others itself.
  with free as (
    select r.id from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = version.company_id and r.procedure_id = version.procedure_id and r.status = 'queued' and r.waits_for = 'approval'
      and j.procedure_version_id = version.id
    order by r.id limit 1000 for update of r skip locked
  )
  update public.job_runs r set waits_for = null from free where r.id = free.id;
end $$;

-- Security definer: nobody may write this table.
create or replace function app.count_script_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_stats as s (procedure_id, company_id, runs, succeeded, last_run_at)
    select n.procedure_id, n.company_id, count(*), count(*) filter (where n.status = 'succeeded'), max(n.finished_at)
    from new_runs n join old_runs o on o.id = n.id
    where n.procedure_id is not null and n.status in ('succeeded', 'failed', 'timed_out')
      and o.status not in ('succeeded', 'failed', 'timed_out')
      -- These runs never began, so that they say nothing about the script.
      and coalesce(n.error, '') not in ('denied', 'unapproved', 'replaced', 'declined', 'values_denied', 'no_right')
    group by n.procedure_id, n.company_id
    -- All lock in one order, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;

-- Security definer: whoever runs scripts may not read policies. It tells a number alone, of devices and a script of the caller's companies.
create or replace function app.count_unapproved(procedure_id uuid, device_ids uuid[]) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  script public.procedures%rowtype;
  waiting integer := 0;
begin
  perform app.require('procedures', 'run');
  select p.* into script from public.procedures p
    where p.id = count_unapproved.procedure_id and p.company_id = any (app.visible_company_ids());
  if script.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if cardinality(device_ids) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if not script.is_approved and exists (
    select 1 from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled and p.needs_approval
  ) then
    with wanted as materialized (
      select d.id from unnest(device_ids) w (id) join public.devices d on d.company_id = script.company_id and d.id = w.id
    ), rules as materialized (
      select p.id, p.position, p.needs_approval, not exists (
          select 1 from public.policy_groups g where g.company_id = p.company_id and g.policy_id = p.id) as is_for_all
      from public.policies p where p.company_id = script.company_id and p.kind = 'permission' and p.enabled
    ), covered as (
      select w.id as device_id, r.id, r.position, r.needs_approval from wanted w cross join (
        -- Only the first of the rules for all devices can be a device's own.
        select x.* from rules x where x.is_for_all order by x.position, x.id limit 1) r
      union all
      select w.id, r.id, r.position, r.needs_approval
      from rules r
        join public.policy_groups g on g.company_id = script.company_id and g.policy_id = r.id
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        join wanted w on w.id = m.device_id
    ), own as (
      -- As app.policy_of().
      select distinct on (c.device_id) c.needs_approval from covered c order by c.device_id, c.position, c.id
    )
    select count(*) filter (where o.needs_approval) into waiting from own o;
  end if;
  return jsonb_build_object('devices', waiting, 'number', script.revision, 'declined_by', script.declined_name);
end $$;

-- Security definer: the functions that name the usual systems are granted to nobody.
create or replace function app.fill_platforms() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  usual text[];
  before text[];
begin
  if tg_table_name = 'monitors' then
    usual := app.monitor_platforms(new);
    before := case when tg_op = 'UPDATE' then app.monitor_platforms(old) end;
  else
    usual := app.script_platforms(new.type);
    before := case when tg_op = 'UPDATE' then app.script_platforms(old.type) end;
  end if;
  -- Platforms that nobody narrowed follow the type.
  if coalesce(new.platforms, '{}') = '{}' or tg_op = 'UPDATE' and usual <> before and new.platforms = old.platforms and old.platforms = before then
    new.platforms := usual;
    return new;
  end if;
  new.platforms := array(select distinct p from unnest(new.platforms) p order by p);
  -- PowerShell is also made for other systems.
  if not new.platforms <@ usual and (to_jsonb(new) ->> 'type') not in ('PowerShell', 'Process') then
    raise exception using errcode = 'check_violation', hint = 'platform_of_type', table = tg_table_name, column = 'platforms',
      constraint = tg_table_name || '_platforms_check',
      message = format('new row for relation "%1$s" violates check constraint "%1$s_platforms_check"', tg_table_name);
  end if;
  return new;
end $$;

create or replace function app.barred_approvers(authors uuid[]) returns uuid[]
  language sql stable set search_path = '' as $$
  select coalesce(app.connected_accounts(authors), '{}')
    -- This has no end: an author never has a version approved by an account of their own making.
    || array(select s.user_id from app.account_sponsors s where s.sponsor_id = any (authors))
$$;

-- Security definer: A run also changes when a user deletes its device, and nobody may write jobs, job_secrets or
-- procedure_logs.
create or replace function app.follow_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct n.job_id) into touched
    from new_runs n join old_runs o on o.id = n.id
    where n.status is distinct from o.status or n.reported_at is distinct from o.reported_at;
  if touched is null then
    return null;
  end if;

  -- All lock in one order, or two devices that finish runs of the same two jobs would wait for each other.
  perform 1 from public.jobs j where j.id = any (touched) order by j.id for update;
  update public.jobs j
    set succeeded = j.succeeded + moved.succeeded,
      failed = j.failed + moved.failed,
      canceled = j.canceled + moved.canceled,
      status = case
        when j.status = 'running'
          and j.succeeded + j.failed + j.canceled + moved.succeeded + moved.failed + moved.canceled >= j.total then 'finished'
        else j.status
      end
    from (
      select n.job_id,
        sum((n.status = 'succeeded')::int - (o.status = 'succeeded')::int)::int as succeeded,
        sum((n.status in ('failed', 'timed_out', 'expired'))::int
          - (o.status in ('failed', 'timed_out', 'expired'))::int)::int as failed,
        sum((n.status = 'cancelled')::int - (o.status = 'cancelled')::int)::int as canceled
      from new_runs n join old_runs o on o.id = n.id
      where n.status is distinct from o.status
      group by n.job_id
    ) moved
    where j.id = moved.job_id and j.id = any (touched)
      and (moved.succeeded <> 0 or moved.failed <> 0 or moved.canceled <> 0);
  delete from app.job_secrets s using public.jobs j
    where s.job_id = j.id and j.id = any (touched) and j.succeeded + j.failed + j.canceled >= j.total;

  insert into public.procedure_logs
    (company_id, procedure_id, procedure_name, device_id, device_name, job_run_id, executed_at, status, output)
  select n.company_id, n.procedure_id, j.name, n.device_id, d.name, n.id, coalesce(n.finished_at, now()),
    case n.status when 'succeeded' then 'success' else 'error' end, left(n.output, 8000)
  from new_runs n
    join old_runs o on o.id = n.id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
    join public.devices d on d.company_id = n.company_id and d.id = n.device_id
  where o.reported_at is null and n.reported_at is not null and j.kind = 'procedure'
  on conflict (company_id, job_run_id) do nothing;
  return null;
end $$;

-- Security definer: Nobody may write jobs.
create or replace function app.forget_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- All lock in one order, as in app.follow_runs().
  perform 1 from public.jobs j
    where j.id in (select o.job_id from old_runs o where o.status in ('queued', 'claimed', 'running'))
    order by j.id for update;
  update public.jobs j
    set total = j.total - gone.open,
      status = case
        when j.status = 'running' and j.succeeded + j.failed + j.canceled >= j.total - gone.open then 'finished'
        else j.status
      end
    from (
      select o.job_id, count(*)::int as open from old_runs o
      where o.status in ('queued', 'claimed', 'running') group by o.job_id
    ) gone
    where j.id = gone.job_id;
  return null;
end $$;

create or replace function app.cancel_runs(company uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All who lock runs do so by id.
  perform 1 from public.job_runs r
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running')
    order by r.id for update;
  update public.job_runs r
    set status = case when r.status = 'queued' then 'cancelled' else r.status end,
      finished_at = case when r.status = 'queued' then now() end,
      error = case when r.status = 'queued' then 'cancelled' end,
      cancel_requested_at = coalesce(r.cancel_requested_at, now())
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running');
  perform app.settle_waiting(company, array(
    select distinct r.procedure_id from public.job_runs r where r.company_id = company and r.id = any (run_ids) and r.waits_for = 'approval'));
end $$;

create or replace function app.expire_runs() returns integer
  language plpgsql set search_path = '' as $$
declare
  moved integer;
begin
  -- A single statement locks the jobs of both kinds in one order.
  with unclaimed as (
    -- Never claimed until the job expired.
    select r.id from public.jobs j
      join public.job_runs r on r.company_id = j.company_id and r.job_id = j.id and r.status = 'queued'
    where j.status = 'running' and j.expires_at <= now()
    order by r.id limit 1000 for update of r skip locked
  ), silent as (
    -- Claimed, and the device fell silent: canceled if that was requested, given up when the script can no
    -- longer be running and the job has expired. A result that still comes is taken (reported_at is null).
    select r.id, r.cancel_requested_at is not null as is_cancelled from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.status in ('claimed', 'running') and r.lease_until < now()
      and (r.cancel_requested_at is not null or (
        j.expires_at < now()
        and coalesce(r.started_at, r.claimed_at) + make_interval(secs => j.timeout_seconds) < now() - interval '1 hour'
      ))
    order by r.id limit 1000 for update of r skip locked
  ), due as (
    select u.id, 'expired' as status, 'expired' as error from unclaimed u
    union all
    select s.id, case when s.is_cancelled then 'cancelled' else 'expired' end,
      case when s.is_cancelled then 'cancelled' else 'lost' end from silent s
  )
  update public.job_runs r set status = due.status, error = due.error, finished_at = now(), lease_until = null
    from due where r.id = due.id;
  get diagnostics moved = row_count;
  return moved;
end $$;

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
  rules record;
begin
  -- At the last moment: the policy may be younger than the job.
  select p.denied, p.needs_approval, p.denies_values into rules from app.policy_of(company, device, 'permission') p;
  if rules.denied <> '{}' then
    update public.job_runs r set status = 'failed', error = 'denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and app.job_act(j) = any (rules.denied);
  end if;
  -- Whoever asked may have lost the right while the device was away.
  update public.job_runs r set status = 'failed', error = 'no_right', finished_at = now()
    from public.jobs j
    where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
      and j.created_by is not null and not app.may_as(j.created_by, company, app.job_object(j), 'run');
  if rules.denies_values then
    update public.job_runs r set status = 'failed', error = 'values_denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and app.free_values(j) <> '{}';
  end if;
  if rules.needs_approval then
    -- A text that is no version of a script: nobody can approve it.
    update public.job_runs r set status = 'failed', error = 'unapproved', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and j.procedure_version_id is null;
    -- Nobody can approve a version that was replaced, and somebody declined this one.
    update public.job_runs r set status = 'failed', error = case when v.declined_at is null then 'replaced' else 'declined' end, finished_at = now()
      from public.jobs j
        join public.procedure_versions v on v.company_id = j.company_id and v.id = j.procedure_version_id
        join public.procedures p on p.company_id = v.company_id and p.id = v.procedure_id
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and v.approved_at is null and (v.declined_at is not null or v.number <> p.revision);
    update public.job_runs r set waits_for = case when app.is_approved(j) then null else 'approval' end
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and (r.waits_for is null) <> app.is_approved(j);
    perform app.begin_waiting(company, device);
  else
    update public.job_runs r set waits_for = null
      where r.company_id = company and r.device_id = device and r.status = 'queued' and r.waits_for = 'approval';
  end if;
  if room <= 0 then
    return '[]';
  end if;
  -- Queued ones, and those whose lease lapsed: the same attempt again, which the device answers from its journal.
  select array_agg(picked.id order by picked.queued_at, picked.id) into offered from (
    select r.id, r.queued_at
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = company and r.device_id = device and r.cancel_requested_at is null
      -- Once more: a step of an automation may have been queued by the failure above, and a lease may have lapsed before the policy.
      and (r.status = 'running' or rules.denied is null or app.job_act(j) is null or app.job_act(j) <> all (rules.denied))
      and (r.status = 'running' or rules.denies_values is not true or j.kind <> 'procedure' or app.free_values(j) = '{}')
      and (r.status = 'running' or rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now() and (r.start_after is null or r.start_after <= now())
          and (rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          ))
          and (not r.is_capped or app.has_slot(company, j.id, j.max_running)))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
      waits_for = null,
      attempt = greatest(r.attempt, 1),
      claimed_at = coalesce(r.claimed_at, now()),
      lease_until = now() + interval '5 minutes'
    where r.company_id = company and r.id = any (offered);
  return (
    select jsonb_agg(jsonb_build_object(
        'run_id', r.id, 'attempt', r.attempt, 'type', j.script_type, 'script', j.script, 'sha256', j.script_sha256,
        'parameters', j.parameters || coalesce(s.parameters, '{}') || coalesce(p.parameters, '{}'),
        'timeout_seconds', j.timeout_seconds,
        -- The device takes the values of these out of the output before it reports.
        'secrets', coalesce((select jsonb_agg(k order by k) from jsonb_object_keys(s.parameters) k), '[]')
      ) order by r.queued_at, r.id)
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join app.job_secrets s on s.job_id = j.id
      -- The updates that this device is to install: each has its own.
      left join lateral (
        select jsonb_build_object('patches', jsonb_agg(jsonb_build_object('title', u.title, 'kb_number', u.kb_number) order by u.title)::text) as parameters
        from public.device_patches t
          join public.patches u on u.company_id = t.company_id and u.id = t.patch_id
        where j.kind = 'task' and t.company_id = company and t.run_id = r.id and t.status in ('queued', 'installing')
            -- Not the copy: an exception may be as young as the row.
            and coalesce((select x.approval from app.exception_of(company, u.id, device) x), u.approval) = 'approved'
        having count(*) > 0
      ) p on true
    where r.company_id = company and r.id = any (offered)
  );
end $$;

-- Security definer: app.next_run() is granted to nobody.
create or replace function app.stamp_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null then
    -- Null comes from a deleted profile alone: the column is nobody's to write.
    new.created_by := old.created_by;
  end if;
  -- Another frequency or kind of target may have left values behind.
  new.device_time := new.device_time and new.frequency not in ('once', 'every');
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if new.frequency = 'once' and not app.is_server_work() and new.starts_at < now() - interval '5 minutes'
    and (tg_op = 'INSERT' or (new.frequency, new.starts_at) is distinct from (old.frequency, old.starts_at)) then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'starts_in_past', constraint = 'scheduled_tasks_starts_at_check',
      table = 'scheduled_tasks', schema = 'public', message = 'A task that runs once starts in the future.';
  end if;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day, new.month_week, new.month_weekday,
      new.timezone, new.device_time, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day, old.month_week, old.month_weekday,
      old.timezone, old.device_time, old.enabled) then
    return new;
  end if;
  new.set_at := now();
  new.next_run_at := case when new.enabled then app.first_run(new) end;
  return new;
end $$;

create or replace function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  -- A day by the devices' clocks counts while it lies ahead of one zone; the device itself asks for its own start.
  starts constant timestamptz := task.starts_at - app.zone_span(task);
  base timestamptz := greatest(after, starts);
  -- Where the devices' own clocks decide, the day begins on the line of the date: no zone is earlier.
  zone constant text := case when task.device_time then 'Etc/GMT-14' else task.timezone end;
  -- A day early: the zone's day may have begun before the server's.
  today date := (base at time zone zone)::date - 1;
  step interval;
  found timestamptz;
begin
  if task.frequency = 'once' then
    return case when task.starts_at > after then task.starts_at end;
  elsif task.frequency = 'every' then
    if after < task.starts_at then
      return task.starts_at;
    end if;
    step := make_interval(mins => task.every_minutes);
    return task.starts_at + step * (floor(extract(epoch from after - task.starts_at) / (task.every_minutes * 60)) + 1);
  end if;
  -- The zone's own clock decides. A time that a day leaves out (spring) is the same time after the change, a time that a day
  -- has twice (autumn) is the second: never skipped, never run twice.
  select min(c.moment) into found
  from (
    select (d.day + task.time_of_day::time) at time zone zone as moment
    from (
      select today + n as day from generate_series(0, 9) n where task.frequency in ('daily', 'weekly')
      union all
      -- The 31st is the last day where a month is shorter.
      select least(m.first + task.month_day - 1, (m.first + interval '1 month')::date - 1)
      from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
            from generate_series(0, 3) n) m
      where task.frequency = 'monthly'
      union all
      select case when task.month_week = 'last'
        then m.last - (extract(isodow from m.last)::integer - m.wanted + 7) % 7
        else m.first + (m.wanted - extract(isodow from m.first)::integer + 7) % 7
          + 7 * (array_position(array['first', 'second', 'third', 'fourth'], task.month_week) - 1) end
      from (
        select x.first, (x.first + interval '1 month')::date - 1 as last,
          array_position(array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], task.month_weekday) as wanted
        from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
              from generate_series(0, 3) n) x
      ) m
      where task.frequency = 'monthly_weekday'
    ) d
    where task.frequency <> 'weekly'
      or (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from d.day)::integer] = any (task.weekdays)
  ) c
  where c.moment > after and c.moment >= starts;
  return found;
end $$;

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  fitting record;
  job uuid;
  capped boolean;
begin
  if not app.holds(task.set_by, task.set_by_operator, task.company_id, 'procedures', 'run') then
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  end if;
  if task.target_kind in ('devices', 'groups', 'filter') and not task.set_by_operator then
    begin
      wanted := app.devices_as(task.set_by, task.company_id, app.schedule_target(task));
    exception when insufficient_privilege then
      perform app.pause_for('scheduled_tasks', task.id);
      return 'person';
    end;
  elsif task.target_kind = 'filter' then
    -- A filter is asked with somebody's permissions.
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  else
    select array_agg(d.id order by d.id) into wanted from public.devices d
    where d.company_id = task.company_id and case task.target_kind
      when 'all' then true
      when 'device' then d.id = task.device_id
      when 'devices' then d.id = any (app.target_ids(task.target, 'device_ids'))
      else exists (select 1 from public.group_devices g where g.company_id = task.company_id and g.device_id = d.id
        and g.group_id = any (case task.target_kind when 'group' then array[task.group_id] else app.target_ids(task.target, 'group_ids') end)) end;
  end if;
  if wanted is null then
    return 'no_devices';
  end if;
  if cardinality(wanted) > app.max_targets() then
    return 'devices_too_many';
  end if;
  if task.device_time then
    -- Devices whose time had passed when the schedule was set, or passed while nothing ticked, wait for the next one.
    select array_agg(d.id order by d.id) into wanted
    from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id
    where app.device_start(task, d.timezone, due) >= greatest(task.set_at, task.starts_at,
      case when task.missed_run = 'skip' then now() - interval '15 minutes' end);
    if wanted is null then
      return 'passed';
    end if;
  end if;
  select p.* into script from public.procedures p where p.company_id = task.company_id and p.id = task.procedure_id;
  fitting := app.runnable_devices(task.company_id, wanted, script.platforms, coalesce(task.set_by, task.created_by));
  wanted := fitting.devices;
  if wanted is null then
    return case when fitting.full > 0 then 'Each device has as many open runs as a device may have'
      else 'The script runs on no system of the target' end;
  end if;
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running,
     platforms, left_out, left_full)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, coalesce(task.set_by, task.created_by),
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes)
      -- The last zone's day begins 26 hours after the first one's.
      + app.zone_span(task),
    cardinality(wanted), task.id, due, case when task.max_running < cardinality(wanted) then task.max_running end,
    script.platforms, fitting.other, fitting.full
  from public.procedure_versions v
  where v.company_id = script.company_id and v.procedure_id = script.id and v.number = script.revision
  on conflict (schedule_id, due_at) do nothing
  returning id, max_running is not null into job, capped;
  if job is not null then
    if bound.secret <> '{}' then
      insert into app.job_secrets (job_id, company_id, parameters) values (job, task.company_id, bound.secret);
    end if;
    insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped, start_after)
      select task.company_id, job, d.id, script.id, capped, coalesce(
        app.spread_start(task.id, d.id, coalesce(app.device_start(task, d.timezone, due), due), task.random_delay_minutes),
        app.device_start(task, d.timezone, due))
      from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id;
  end if;
  return null;
end $$;

create or replace function app.target_query(target jsonb, out source text, out condition text)
  language plpgsql stable set search_path = '' as $$
declare
  company uuid := (target ->> 'company_id')::uuid;
  kind text := target ->> 'kind';
  filter jsonb := coalesce(target -> 'filter', '{}');
  other text;
begin
  if jsonb_typeof(target) is distinct from 'object' or octet_length(target::text) > 200000
    or kind is null or kind not in ('all', 'groups', 'filter')
    or (kind = 'groups' and jsonb_typeof(target -> 'group_ids') is distinct from 'array')
    or (target ? 'platforms' and jsonb_typeof(target -> 'platforms') not in ('array', 'null')) then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid';
  end if;
  -- The filter may ask what a list of devices asks, and nothing with long texts in it: the outputs of a few runs kept the database busy for a minute.
  if kind = 'filter' then
    select min(p.via) into other
    from jsonb_path_query(filter, 'strict $.**') as part (item)
      cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
      cross join lateral app.filter_path('devices', k.key) p
    where strpos(k.key, '.') > 0
      and p.via::regclass not in ('public.device_presence'::regclass, 'public.device_software'::regclass, 'public.device_tags'::regclass,
        'public.group_devices'::regclass, 'public.companies'::regclass);
  end if;
  if other is not null then
    raise exception 'A target cannot ask for this.' using errcode = 'check_violation', hint = 'target_of_tables';
  end if;
  source := app.matching_source('devices', filter, case kind when 'filter' then coalesce(target ->> 'q', '') else '' end);
  condition := case kind
    when 'groups' then format('t.id in (select m.device_id from public.group_devices m where m.group_id = any (%L::uuid[]))',
      array(select e::uuid from jsonb_array_elements_text(target -> 'group_ids') e limit 100))
    when 'filter' then app.filter_condition('devices', filter)
    else 'true' end;
  if company is not null then
    condition := format('t.company_id = %L::uuid and (%s)', company, condition);
  end if;
  if jsonb_typeof(target -> 'platforms') = 'array' then
    condition := format('(%s) and (t.platform is null or t.platform = any (%L::text[]))', condition,
      array(select e from jsonb_array_elements_text(target -> 'platforms') e limit 20));
  end if;
end $$;

create or replace function app.has_slot(company uuid, job uuid, max_running integer) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  busy integer;
begin
  for attempt in 1..2 loop
    -- A device that fell silent in the middle of its run does not keep the others waiting for good.
    select count(*) into busy from (
      select 1 from public.job_runs r
      where r.company_id = company and r.job_id = job and r.is_capped and r.status in ('claimed', 'running')
        and r.lease_until > now() - interval '10 minutes' limit max_running) x;
    if busy >= max_running then
      return false;
    end if;
    -- Devices pass one at a time: they are counted again under the lock, with the last one's claim. A device that finds it taken asks at its next check-in.
    if attempt = 1 and not pg_try_advisory_xact_lock(hashtextextended(job::text, 0)) then
      return false;
    end if;
  end loop;
  return true;
end $$;

create or replace function public.pause_schedules(ids uuid[], paused boolean) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('scheduled_tasks', 'edit');
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 schedules at a time';
  end if;
  update public.scheduled_tasks t set enabled = not paused where t.id = any (ids) and t.enabled = paused;
  get diagnostics changed = row_count;
  -- A schedule that is so already is unchanged.
  if changed = 0 and not exists (select 1 from public.scheduled_tasks t where t.id = any (ids)) then
    raise exception using errcode = 'PT404', message = 'no such schedule to change', hint = 'record_gone';
  end if;
  return changed;
end $$;

-- Security definer: nobody may insert jobs; app.retried_job() checks the permission and the company.
create or replace function public.retry_job(job_id uuid, failed boolean default true, canceled boolean default false) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype := app.retried_job(job_id);
  first_job uuid := coalesce(old.retry_of, old.id);
  devices uuid[];
  retry uuid;
begin
  -- The second of two people who ask at the same time sees the first one's job.
  perform 1 from public.jobs j where j.company_id = old.company_id and j.id = first_job for update;
  if app.takes_secret(old) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  devices := array(
    select t.device_id from app.retry_devices(old) t
    where case when t.is_canceled then retry_job.canceled else retry_job.failed end
  );
  if cardinality(devices) = 0 then
    raise exception 'Each device where it failed runs it again already, or has done so since.'
      using errcode = 'check_violation', hint = 'retry_none';
  end if;
  old.expires_at := now() + (old.expires_at - old.created_at);
  if old.kind = 'task' and old.script::jsonb ->> 'task' = 'install_patches' then
    -- The updates to install are with each device, not in the script.
    retry := app.queue_patches(old.company_id, old.name, array(
      select t.id from public.device_patches t
      join public.job_runs r on r.company_id = t.company_id and r.id = t.run_id
      where t.company_id = old.company_id and r.job_id = old.id and r.device_id = any (devices) and t.status in ('missing', 'failed')
    ), old.expires_at, old.max_running);
  else
    retry := app.queue_job(old, '{}', devices);
  end if;
  update public.jobs j set retry_of = first_job where j.company_id = old.company_id and j.id = retry;
  return retry;
end $$;

create or replace function app.first_run(task public.scheduled_tasks) returns timestamptz
  language sql stable set search_path = '' as $$
  select case
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when task.frequency = 'once' then case when task.last_run_at is null or task.last_run_at < task.starts_at then task.starts_at end
    -- A day by the devices' clocks that began counts while a zone has its time still ahead.
    else app.next_run(task, now() - app.zone_span(task)) end
$$;

-- Security definer: app.next_run() is granted to nobody. It reads no table: the schedule and the zones are the caller's.
create or replace function app.schedule_times(task public.scheduled_tasks, zones jsonb, max_runs integer) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- A day whose job is made counts while a device has its time still ahead.
  moment timestamptz := least(task.next_run_at, case when task.device_time then app.next_run(task, now() - app.zone_span(task)) end);
  times jsonb := '[]';
  span record;
  left_over integer := 40;
begin
  while moment is not null and left_over > 0 and jsonb_array_length(times) < least(greatest(max_runs, 1), 20) loop
    left_over := left_over - 1;
    select min(s.at) filter (where s.is_ahead) as first, max(s.at) filter (where s.is_ahead) as last,
      coalesce(sum(s.devices) filter (where s.is_ahead), 0) as ahead, coalesce(sum(s.devices), 0) as devices
    into span
    from (
      select app.device_start(task, z.zone, moment) as at, z.devices,
        app.device_start(task, z.zone, moment) >= greatest(task.set_at, task.starts_at, now()) as is_ahead
      from jsonb_to_recordset(case when task.device_time then zones else '[]' end) z (zone text, devices integer)
    ) s;
    if not task.device_time or span.ahead > 0 or (span.devices = 0 and moment + app.zone_span(task) > now()) then
      times := times || jsonb_build_object('at', moment,
        'local', case when task.device_time then to_char(moment at time zone 'Etc/GMT-14', 'YYYY-MM-DD"T"HH24:MI') end,
        'first', span.first, 'last', span.last, 'ahead', span.ahead, 'devices', span.devices);
    end if;
    moment := app.next_run(task, case when task.device_time then moment else greatest(moment, now()) end);
  end loop;
  return times;
end $$;

-- A device may send the message of a failure again, which tells of a figure that moved: written every four minutes at most.
create or replace function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  reported record;
  monitor public.monitors%rowtype;
  known public.monitor_states%rowtype;
  maintenance text := app.maintenance_of(company, device);
begin
  if not app.company_runs(company) then
    return;
  end if;
  -- All lock in one order: an alert writes its monitor, and many devices may notice the same at once.
  for reported in
    select distinct on (s.id) s.id, s.state, nullif(s.message, '') as message
    from (
      select app.lenient_uuid(e ->> 'monitor_id') as id, e ->> 'state' as state, app.short_text(e -> 'message', 500) as message
      from jsonb_array_elements(states) e where jsonb_typeof(e) = 'object'
    ) s
    where s.id is not null and s.state in ('ok', 'failing', 'unknown')
    order by s.id
  loop
    select m.* into monitor from public.monitors m
      where m.company_id = company and m.id = reported.id and m.enabled and app.is_monitored(company, m.id, device)
      for no key update;
    continue when monitor.id is null;
    select s.* into known from public.monitor_states s
      where s.company_id = company and s.monitor_id = monitor.id and s.device_id = device;
    if known.state is distinct from reported.state then
      insert into public.monitor_states as s (company_id, monitor_id, device_id, state, message, suppressed, changed_at)
        values (company, monitor.id, device, reported.state, reported.message, reported.state = 'failing' and maintenance is not null, now())
        on conflict (company_id, monitor_id, device_id) do update
        set state = excluded.state, message = excluded.message, suppressed = excluded.suppressed, changed_at = now(), reopen_at = null;
    elsif reported.state <> 'ok' and known.message is distinct from reported.message and known.updated_at < now() - interval '4 minutes' then
      update public.monitor_states s set message = reported.message where s.company_id = company and s.id = known.id;
    end if;
    if reported.state = 'failing' and maintenance is null then
      -- After a person resolved it, app.reopen_alerts() decides when.
      if known.state is distinct from 'failing' or known.reopen_at is null then
        perform app.open_alert(monitor, device, reported.message);
      end if;
    elsif reported.state = 'failing' then
      -- A restarted agent tells every state again, and a restarted machine fails many times: one alert for a maintenance and a day.
      if known.state is distinct from 'failing' and not exists (select 1 from public.alerts a
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged'))
      then
        update public.alerts a set times = a.times + 1, message = coalesce(reported.message, monitor.name)
          where a.company_id = company and a.id = (
            select x.id from public.alerts x
            where x.company_id = company and x.monitor_id = monitor.id and x.device_id = device and x.status = 'suppressed'
              and x.suppressed_by = maintenance and x.opened_at > now() - interval '1 day'
            order by x.opened_at desc, x.id desc limit 1);
        if not found then
          insert into public.alerts (company_id, monitor_id, device_id, severity, message, status, suppressed_by)
            values (company, monitor.id, device, monitor.severity, coalesce(reported.message, monitor.name), 'suppressed', maintenance);
        end if;
      end if;
    elsif reported.state = 'ok' and monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged');
    end if;
  end loop;
end $$;

-- Security definer: a device's check-in may not write tickets.
create or replace function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
  category uuid;
  desk uuid[];
  assignee uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null,
      repair_name = null, alert_note = null, status = case t.status when 'pending' then 'pending' else 'open' end
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id
      -- A ticket that closed with this very alert opens with it again.
      and (t.status in ('open', 'pending') or x.is_closed and t.status = 'closed' and t.alert_id = new.id);
  if found then
    update app.alert_tickets x set is_closed = false
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id and x.is_closed;
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  category := coalesce(monitor.ticket_category_id, (select c.id from public.ticket_categories c
    where c.company_id = new.company_id order by c.position, c.name_key, c.id limit 1));
  desk := app.desk_people(new.company_id);
  -- Whoever left the desk is assigned nothing more: the ticket goes to who has the fewest.
  assignee := case when monitor.ticket_assignee_id = any (desk) then monitor.ticket_assignee_id else (
    select p from unnest(desk) p order by (select count(*) from public.tickets t
      where t.assignee_id = p and t.company_id = new.company_id and t.status in ('open', 'pending')), p limit 1) end;
  insert into public.tickets (company_id, subject, description, priority, device_id, category_id, assignee_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end, new.device_id, category, assignee,
      new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id, touched_at = null, is_closed = false;
  return null;
end $$;

create or replace function app.recompute_monitors(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same devices never wait for each other crosswise.
  perform 1 from public.device_presence p join public.devices d on d.company_id = p.company_id and d.id = p.device_id
    where d.id = any (devices) and p.monitors_hash is not null order by p.device_id for no key update of p;
  update public.device_presence p set monitors_hash = null
    from public.devices d
    where d.id = any (devices) and p.company_id = d.company_id and p.device_id = d.id and p.monitors_hash is not null;
end $$;

create or replace function app.note_list(company uuid, device uuid, list_hash text) returns void
  language plpgsql set search_path = '' as $$
begin
  -- A check-in costs one lookup; the monitors are read once a minute for each list.
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at >= now() - interval '1 minute';
  if found then
    return;
  end if;
  insert into app.monitor_lists (company_id, hash) values (company, list_hash) on conflict do nothing;
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at < now() - interval '1 minute' for update skip locked;
  if not found then
    return;
  end if;
  update app.monitor_lists l set noted_at = now() where l.company_id = company and l.hash = list_hash;
  perform app.note_checks(company, array(
    select (m ->> 'id')::uuid from jsonb_array_elements(app.monitors_of(company, device)) m));
end $$;

create or replace function app.open_alert(monitor public.monitors, device uuid, message text) returns void
  language plpgsql set search_path = '' as $$
declare
  -- A monitor without a cooldown keeps this pause: one that fails every few seconds is one alert.
  min_pause constant interval := interval '5 minutes';
  pause constant interval := app.cooldown_of(monitor);
  words constant text := coalesce(nullif(open_alert.message, ''), monitor.name);
  alert public.alerts%rowtype;
begin
  update public.alerts a set status = 'open', message = words, severity = monitor.severity, times = a.times + 1,
      in_cooldown = a.opened_at > now() - pause
    where a.company_id = monitor.company_id and a.id = (
      select x.id from public.alerts x
      where x.company_id = monitor.company_id and x.monitor_id = monitor.id and x.device_id = device and x.status = 'resolved'
        and x.opened_at > now() - greatest(pause, min_pause)
      order by x.opened_at desc, x.id desc limit 1)
      and not exists (select 1 from public.alerts x
        where x.company_id = monitor.company_id and x.monitor_id = monitor.id and x.device_id = device and x.status in ('open', 'acknowledged'))
    returning a.* into alert;
  if alert.id is null then
    insert into public.alerts (company_id, monitor_id, device_id, severity, message)
      values (monitor.company_id, monitor.id, device, monitor.severity, words)
      on conflict (company_id, monitor_id, device_id) where status in ('open', 'acknowledged') do nothing
      returning * into alert;
  end if;
  if alert.id is null or alert.in_cooldown then
    return;
  end if;
  perform app.tell_alert(alert, monitor);
end $$;

create or replace function app.rate_monitors(ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order. The statement after it sees what those who held the locks wrote.
  perform 1 from public.monitors m where m.id = any (ids) order by m.id for no key update;
  update public.monitors m set health = r.health, is_active = r.health <> 'failing'
    from (
      -- Each question is one step down an index, however many devices there are.
      select x.id, case
        when exists (select 1 from public.alerts a
          where a.company_id = x.company_id and a.monitor_id = x.id and a.status in ('open', 'acknowledged')) then 'failing'
        when not x.enabled then 'not_checked'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'failing' and not s.suppressed) then 'failing'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'failing') then 'suppressed'
        -- The console makes this check itself, and writes states only of devices that failed.
        when x.type = 'Offline' and x.last_check_at is not null then 'healthy'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'ok') then 'healthy'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'unknown') then 'unknown'
        else 'not_checked' end as health
      from public.monitors x where x.id = any (ids)
    ) r
    where m.id = r.id and (m.health <> r.health or m.is_active <> (r.health <> 'failing'));
end $$;

-- Security definer: no client may write inventory.
create or replace function app.apply_inventory(device_id uuid, company_id uuid, software jsonb) returns jsonb
  language plpgsql volatile security definer set search_path = ''
  -- The planner expects few rows in the list and would compare 5,000 with 5,000 in nested loops (25 s).
  set enable_nestloop = off as $$
#variable_conflict use_column
declare
  target constant uuid := apply_inventory.device_id;
  tenant constant uuid := apply_inventory.company_id;
  names text[];
  publishers text[];
  versions text[];
  dates date[];
  sizes numeric[];
  outcome jsonb;
begin
  -- A device checks in once at a time, and only under its own company.
  perform 1 from public.devices d where d.company_id = tenant and d.id = target for no key update;
  if not found or jsonb_typeof(apply_inventory.software) is distinct from 'array' then
    return jsonb_build_object('added', 0, 'changed', 0, 'removed', 0);
  end if;
  select coalesce(array_agg(i.name), '{}'), array_agg(i.publisher), array_agg(i.version), array_agg(i.install_date), array_agg(i.size_mb)
  into names, publishers, versions, dates, sizes
  from app.inventory_items(apply_inventory.software) i;
  -- A statement of its own, in key order: titles that another device adds meanwhile are seen by the next one, and no two wait crosswise.
  insert into public.software (company_id, name, publisher)
  select distinct tenant, i.name, i.publisher from unnest(names, publishers) as i (name, publisher)
  where not exists (select 1 from public.software s
                    where s.company_id = tenant and s.name = i.name and s.publisher = i.publisher)
  order by 2, 3
  on conflict do nothing;

  with found_now as materialized (
    select s.id as software_id, i.version, i.install_date, i.size_mb
    from unnest(names, publishers, versions, dates, sizes) as i (name, publisher, version, install_date, size_mb)
    join public.software s on s.company_id = tenant and s.name = i.name and s.publisher = i.publisher
  ), removed as (
    delete from public.device_software ds
    where ds.company_id = tenant and ds.device_id = target
      and not exists (select 1 from found_now f where f.software_id = ds.software_id and f.version = ds.version)
    returning ds.software_id, ds.version
  ), changed as (
    update public.device_software ds set install_date = f.install_date, size_mb = f.size_mb
    from found_now f
    where ds.company_id = tenant and ds.device_id = target and f.software_id = ds.software_id and f.version = ds.version
      and (ds.install_date, ds.size_mb) is distinct from (f.install_date, f.size_mb)
    returning 1
  ), added as (
    insert into public.device_software (company_id, device_id, software_id, version, install_date, size_mb)
    select tenant, target, f.software_id, f.version, f.install_date, f.size_mb from found_now f
    where not exists (select 1 from public.device_software ds where ds.company_id = tenant and ds.device_id = target
                      and ds.software_id = f.software_id and ds.version = f.version)
    on conflict do nothing
    returning software_id, version
  ), noticed as (
    -- Each title has one row: several versions of it may come and go at once.
    insert into public.software_changes (company_id, device_id, software_id, change, new_version, previous_version)
    select tenant, target, coalesce(a.software_id, r.software_id),
      case when r.software_id is null then 'installed' when a.software_id is null then 'removed' else 'updated' end, a.version, r.version
    from (select software_id, max(version) as version from added group by software_id) a
    full join (select software_id, max(version) as version from removed group by software_id) r on r.software_id = a.software_id
    -- Not for the first inventory: seen before this statement.
    where exists (select 1 from public.device_software ds where ds.company_id = tenant and ds.device_id = target)
    returning software_id
  ), had as (
    -- Before this statement.
    select distinct ds.software_id from public.device_software ds where ds.company_id = tenant and ds.device_id = target
  ), counted as (
    insert into app.software_deltas (company_id, software_id, kind, version, amount)
    select tenant, a.software_id, 'version', a.version, 1 from added a
    union all
    select tenant, r.software_id, 'version', r.version, -1 from removed r
    union all
    select tenant, coalesce(h.software_id, f.software_id), 'device', null, case when h.software_id is null then 1 else -1 end
      from had h full join (select distinct software_id from found_now) f on f.software_id = h.software_id
      where h.software_id is null or f.software_id is null
    union all
    select tenant, n.software_id, 'change', null, 1 from noticed n
  )
  select jsonb_build_object('added', (select count(*) from added), 'changed', (select count(*) from changed),
    'removed', (select count(*) from removed)) into outcome;
  return outcome;
end $$;

-- Security definer: who edits an app may not write its files.
create or replace function app.follow_package_source() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  file public.corporate_app_files%rowtype;
begin
  if new.source_url is not null then
    update public.corporate_app_files f set is_current = false
      where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
    return new;
  end if;
  select f.* into file from public.corporate_app_files f
    where f.company_id = new.company_id and f.corporate_app_id = new.id and f.is_current;
  -- The checksum of an app that has no address is that of the uploaded file, whatever was sent.
  new.sha256 := file.sha256;
  if file.id is not null and file.package_version <> new.package_version then
    update public.corporate_app_files f set package_version = new.package_version where f.company_id = new.company_id and f.id = file.id;
  end if;
  return new;
end $$;

-- Security definer: nobody may write uploads; checks permission, company and limits.
create or replace function public.begin_package_upload(corporate_app_id uuid, package_version text, file_name text, size_bytes bigint) returns uuid
  language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  max_versions constant integer := 20;
  max_an_hour constant integer := 30;
  owner public.corporate_apps%rowtype;
  store app.package_store%rowtype;
  name text := btrim(begin_package_upload.file_name);
  wanted text := btrim(begin_package_upload.package_version);
  upload uuid;
begin
  perform app.require('corporate_apps', 'edit');
  select a.* into owner from public.corporate_apps a
    where a.id = begin_package_upload.corporate_app_id and a.company_id = any (app.visible_company_ids()) for share;
  if owner.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  select s.* into store from app.package_store s;
  if store.max_file_mb is null then
    raise exception 'This backend takes no uploads.' using errcode = 'check_violation', hint = 'upload_unavailable';
  end if;
  if length(name) > 120 then
    raise exception 'The name of the file is too long.' using errcode = 'check_violation', hint = 'upload_name_long';
  end if;
  if name is null or name !~ '^[[:alnum:]][[:alnum:]._+~ ()-]{0,119}$' then
    raise exception 'The name of the file is not accepted.' using errcode = 'check_violation', hint = 'upload_name';
  end if;
  if wanted is null or length(wanted) not between 1 and 60 then
    raise exception 'A version has 1 to 60 characters.' using errcode = 'check_violation', hint = 'upload_version';
  end if;
  if size_bytes is null or size_bytes < 1 or size_bytes > store.max_file_mb * 1048576::bigint then
    raise exception 'The file is empty or too large.' using errcode = 'check_violation', hint = 'upload_size';
  end if;
  -- Two at once must not both take the last room.
  perform pg_advisory_xact_lock(hashtextextended('packages ' || owner.company_id, 0));
  if (select coalesce(sum(f.size_bytes), 0) from public.corporate_app_files f where f.company_id = owner.company_id)
      + (select coalesce(sum(u.size_bytes), 0) from app.package_uploads u
        -- A received file takes room until it is a version, or is removed.
        where u.company_id = owner.company_id and (u.sha256 is not null or u.created_at > now() - interval '1 hour'))
      + size_bytes > store.max_company_mb * 1048576::bigint then
    raise exception 'The packages of the company take all their room.' using errcode = 'check_violation', hint = 'upload_room';
  end if;
  if exists (select 1 from public.corporate_app_files f
      where f.company_id = owner.company_id and f.corporate_app_id = owner.id and f.package_version = wanted) then
    raise exception 'This version exists.' using errcode = 'check_violation', hint = 'upload_version_exists';
  end if;
  if (select count(*) from public.corporate_app_files f where f.company_id = owner.company_id and f.corporate_app_id = owner.id) >= max_versions then
    raise exception 'An app has at most 20 versions.' using errcode = 'check_violation', hint = 'upload_versions';
  end if;
  if (select count(*) from app.package_uploads u where u.user_id = app.current_user_id() and u.created_at > now() - interval '1 hour') >= max_an_hour then
    raise exception 'Too many uploads.' using errcode = 'PT429', hint = 'Wait an hour, then try again.';
  end if;
  insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes)
  values (owner.company_id, owner.id, app.current_user_id(), wanted, name, size_bytes) returning id into upload;
  insert into app.package_file_removals (id, remove_after) values (upload, now() + interval '1 day');
  return upload;
end $$;

create or replace function public.license_use(license_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with license as (
    select l.id, l.company_id, l.type from public.software_licenses l where l.id = license_use.license_id
  ), used as materialized (
    select distinct ds.company_id, ds.device_id
    from license l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
  ), seats as (
    -- Each seat has one row, as app.count_license() counts.
    select bool_and(coalesce(d.offline_since < now() - interval '30 days', false)) as idle
    from license l join used u on u.company_id = l.company_id
      join public.devices d on d.company_id = u.company_id and d.id = u.device_id
    group by case when l.type = 'user' then coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text) else d.id::text end
  )
  select jsonb_build_object('total', count(*), 'idle', count(*) filter (where s.idle)) from seats s
$$;

create or replace function app.match_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  knows_installed boolean := jsonb_typeof(report -> 'installed') = 'array';
  missing jsonb;
begin
  if jsonb_typeof(report -> 'missing') is distinct from 'array' then
    return;
  end if;
  if jsonb_array_length(report -> 'missing') > 1000 or (knows_installed and jsonb_array_length(report -> 'installed') > 1000) then
    raise exception 'The list of updates is too long.' using errcode = 'PT413';
  end if;
  -- The device's updates in the form of public.patches, each once.
  select coalesce(jsonb_agg(to_jsonb(m)), '[]') into missing
  from (
    select distinct on (title, kb_number) *
    from (
      select btrim(app.short_text(e -> 'title', 300)) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number,
        case when e ->> 'category' in ('security', 'critical', 'feature', 'driver', 'definition', 'application') then e ->> 'category'
          else 'other' end as category,
        case when e ->> 'severity' in ('critical', 'important', 'moderate', 'low') then e ->> 'severity' else 'unspecified' end as severity,
        case when jsonb_typeof(e -> 'size_mb') = 'number' and (e ->> 'size_mb')::numeric between 0 and 1000000
          then round((e ->> 'size_mb')::numeric, 2) end as size_mb,
        (app.lenient_instant(case when e ->> 'release_date' ~ '^\d{4}-\d\d-\d\d$' then e ->> 'release_date' || 'T00:00:00Z' end)
          at time zone 'UTC')::date as release_date,
        coalesce(e -> 'reboot_required' = 'true', false) as reboot_required,
        nullif(btrim(app.short_text(e -> 'installed_version', 40)), '') as installed_version
      from jsonb_array_elements(report -> 'missing') e where jsonb_typeof(e) = 'object'
    ) listed
    where listed.title <> ''
    order by title, kb_number
  ) m;

  -- Only what is new is written: all devices of a company report the same updates. One order for all of them.
  insert into public.patches (company_id, title, kb_number, category, severity, size_mb, release_date, reported_by)
    select company, m.title, m.kb_number, m.category, m.severity, m.size_mb, m.release_date, device
    from jsonb_to_recordset(missing) m (title text, kb_number text, category text, severity text, size_mb numeric, release_date date)
    where not exists (
      select 1 from public.patches p where p.company_id = company and p.title = m.title and p.kb_number = m.kb_number)
      -- A device that invents updates fills neither the disk nor the list that all devices of the company share.
      and (select count(*) from public.patches p where p.company_id = company) < 20000
      and (select count(*) from public.patches p
        where p.company_id = company and p.reported_by = match_patches.device and p.created_at > now() - interval '1 day') < 2000
      and (select count(*) from public.device_patches t where t.company_id = company and t.device_id = device) < 3000
    order by m.title, m.kb_number
    on conflict (company_id, title, kb_number) do nothing;

  -- Replaced by a newer one of the same name: neither missing nor installed.
  with replaced as (
    delete from public.device_patches t using public.patches p
      where t.company_id = company and t.device_id = device and t.status <> 'installed'
        and p.company_id = company and p.id = t.patch_id
        and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
          where m.title = p.title and m.kb_number = p.kb_number)
        and exists (select 1 from jsonb_to_recordset(missing) m (title text) where m.title = p.title)
      returning t.patch_id
  ), due as (
    select p.id from public.patches p
      where p.company_id = company and p.id in (select r.patch_id from replaced r) and not p.superseded
        -- The device's own row is gone after this statement: for any other device it is not superseded yet.
        and not exists (select 1 from public.device_patches o
          where o.company_id = company and o.patch_id = p.id and o.device_id <> device and o.status <> 'installed')
      order by p.id for no key update
  )
  update public.patches p set superseded = true from due where p.company_id = company and p.id = due.id;

  -- Missing no longer: installed, unless the system knows better.
  with gone as (
    select t.id, not knows_installed or exists (
        select 1 from jsonb_array_elements(report -> 'installed') e
        where jsonb_typeof(e) = 'object' and e ->> 'title' = p.title and coalesce(e ->> 'kb_number', '') = p.kb_number
      ) as is_installed
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.device_id = device and t.status <> 'installed'
      and not exists (select 1 from jsonb_to_recordset(missing) m (title text, kb_number text)
        where m.title = p.title and m.kb_number = p.kb_number)
  ), dropped as (
    delete from public.device_patches t using gone
      where t.company_id = company and t.id = gone.id and not gone.is_installed
  )
  update public.device_patches t set status = 'installed', installed_at = now(), error = null
    from gone where t.company_id = company and t.id = gone.id and gone.is_installed;

  insert into public.device_patches as t (company_id, device_id, patch_id, reboot_required, installed_version)
    select company, device, p.id, m.reboot_required, m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, reboot_required boolean, installed_version text)
    join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
    where (select count(*) from public.device_patches o where o.company_id = company and o.device_id = match_patches.device) < 3000
      or exists (select 1 from public.device_patches o where o.company_id = company and o.device_id = match_patches.device and o.patch_id = p.id)
    on conflict (device_id, company_id, patch_id) do update
      set status = 'missing', installed_at = null, run_id = null, error = null, reboot_required = excluded.reboot_required,
        installed_version = excluded.installed_version
      -- It was removed again.
      where t.status = 'installed';

  -- The version that an update would replace changes while the update waits.
  update public.device_patches t set installed_version = m.installed_version
    from jsonb_to_recordset(missing) m (title text, kb_number text, installed_version text)
    join public.patches p on p.company_id = match_patches.company and p.title = m.title and p.kb_number = m.kb_number
    where t.company_id = company and t.device_id = device and t.patch_id = p.id and t.status <> 'installed'
      and t.installed_version is distinct from m.installed_version;

  -- Whatever another device said before: an update that a device lacks is not superseded.
  with lacking as (
    select p.id from jsonb_to_recordset(missing) m (title text, kb_number text)
      join public.patches p on p.company_id = company and p.title = m.title and p.kb_number = m.kb_number
      where p.superseded order by p.id for no key update of p
  )
  update public.patches p set superseded = false from lacking where p.company_id = company and p.id = lacking.id;

  -- The run that should have installed it is over, and it is still missing.
  update public.device_patches t set status = 'failed', error = 'still_missing'
    from public.job_runs r
    where t.company_id = company and t.device_id = device and t.status in ('queued', 'installing')
      and r.company_id = company and r.id = t.run_id and r.finished_at < now() - interval '2 minutes';
end $$;

-- Security definer: nobody may write what is counted.
create or replace function app.count_missing_updates() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status <> 'installed';
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id
      where (n.status <> 'installed') <> (o.status <> 'installed')
        or (n.status <> 'installed' and (n.exception, n.severity, n.missing_since) is distinct from (o.exception, o.severity, o.missing_since));
  end if;
  if touched is null then
    return null;
  end if;
  -- All lock in one order.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set missing_updates = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.device_patches x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status <> 'installed'
    group by t.id) c
    where d.id = c.id and d.missing_updates <> c.count;
  perform app.rate_devices(touched);
  return null;
end $$;

create or replace function app.renew_exceptions(rows uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- Devices first, as a check-in does, and one order for all.
  perform 1 from public.devices d where d.id in (select t.device_id from public.device_patches t where t.id = any (rows))
    order by d.id for no key update;
  perform 1 from public.device_patches t where t.id = any (rows) order by t.id for no key update;
  update public.device_patches t
    set exception = x.approval, exception_scope = x.scope,
      -- An update that is approved no longer is not installed where the device has not begun.
      status = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then 'missing' else t.status end,
      run_id = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then null else t.run_id end
    from public.device_patches s
      join public.patches p on p.company_id = s.company_id and p.id = s.patch_id
      cross join lateral app.exception_of(s.company_id, s.patch_id, s.device_id) x
    where s.id = any (rows) and t.id = s.id and t.company_id = s.company_id
      and (t.exception, t.exception_scope) is distinct from (x.approval, x.scope);
end $$;

create or replace function app.rate_devices(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order.
  perform 1 from public.devices d where d.id = any (devices) order by d.id for no key update;
  update public.devices d
    set outdated_since = x.since, updates_known = not d.updates_cut,
      outdated_severity = (array['critical', 'important', 'moderate', 'low', 'unspecified'])[x.rank]
    from (
      select o.id, min(t.missing_since) filter (where t.lacks) as since, min(t.rank) filter (where t.lacks) as rank
      from public.devices o
        left join lateral (
          select s.missing_since, array_position(array['critical', 'important', 'moderate', 'low', 'unspecified'], s.severity) as rank,
            s.status <> 'installed' and app.should_have(coalesce(s.exception, p.approval), p.category, p.superseded) as lacks
          from public.device_patches s join public.patches p on p.company_id = s.company_id and p.id = s.patch_id
          where s.company_id = o.company_id and s.device_id = o.id
        ) t on true
      where o.id = any (devices) group by o.id
    ) x
    where d.id = x.id and (d.outdated_since, d.outdated_severity, d.updates_known)
      is distinct from (x.since, (array['critical', 'important', 'moderate', 'low', 'unspecified'])[x.rank], not d.updates_cut);
end $$;

-- Security definer: counts read indexes only; it checks the permission and the company itself.
create or replace function public.patch_compliance(company uuid default null, days integer default 30) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  scope uuid := patch_compliance.company;
begin
  perform app.require('device_patches', 'list');
  if days is null or days not between 1 and 365 then
    raise exception 'Compliance is counted for 1 to 365 days.' using errcode = 'check_violation', hint = 'compliance_days';
  end if;
  if not app.sees_all() then
    -- The answer is the same for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  return app.compliance(scope, days);
end $$;

-- Security definer: who edits policies may not write the table.
create or replace function app.renew_releases() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Waiting updates are counted at the next tick; another ring decides anew.
  if new.ring is distinct from old.ring then
    delete from app.patch_releases r where r.company_id = new.company_id and r.policy_id = new.id;
  else
    update app.patch_releases r set evaluated_at = '-infinity' where r.company_id = new.company_id and r.policy_id = new.id and r.released_at is null;
  end if;
  return null;
end $$;

create or replace function app.queue_patches(company uuid, name text, patch_rows uuid[], until timestamptz, max_running integer default null)
  returns uuid
  language plpgsql set search_path = '' as $$
declare
  -- The list that a device gets in one environment variable stays under 128 kB.
  max_per_device constant integer := 300;
  chosen uuid[];
  devices uuid[];
  job uuid;
begin
  select array_agg(x.id), array_agg(distinct x.device_id) into chosen, devices
  from (
    select t.id, t.device_id, row_number() over (partition by t.device_id order by t.title_key, t.id) as place
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.id = any (patch_rows) and t.status in ('missing', 'failed') and coalesce(t.exception, p.approval) = 'approved'
  ) x
  where x.place <= max_per_device;
  if chosen is null then
    raise exception 'No approved update is missing there.' using errcode = 'check_violation', hint = 'patches_none';
  end if;
  job := app.queue_task(company, name, '{"task": "install_patches"}', devices, 7200, until, max_running);
  update public.device_patches t set status = 'queued', run_id = r.id, error = null
    from public.job_runs r
    where r.company_id = company and r.job_id = job and t.company_id = company and t.device_id = r.device_id and t.id = any (chosen);
  return job;
end $$;

create or replace function app.queue_step(automation public.automations, after_position integer, after_id uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
declare
  next_step public.automation_steps%rowtype;
  script public.procedures%rowtype;
  made record;
  queued uuid;
  part record;
  lost uuid[];
  misfits uuid[];
begin
  if not app.automations_run(automation.company_id) then
    update public.automation_runs r set status = 'failed', error = 'license', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (run_ids);
    return;
  end if;
  if not automation.enabled then
    update public.automation_runs r set status = 'cancelled', error = 'disabled', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (run_ids);
    return;
  end if;
  -- A run that a person started needs the right of that person; the others need that of whoever set the automation.
  select array_agg(r.id) into lost from public.automation_runs r
  where r.company_id = automation.company_id and r.id = any (run_ids) and not case
    when r.trigger = 'manual' and r.started_by is not null then app.holds(r.started_by, false, r.company_id, 'automations', 'run')
    else app.holds(automation.set_by, automation.set_by_operator, r.company_id, 'automations', 'run') end;
  if lost is not null then
    update public.automation_runs r set status = 'failed', error = 'person', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (lost);
    if not app.holds(automation.set_by, automation.set_by_operator, automation.company_id, 'automations', 'run') then
      perform app.pause_for('automations', automation.id);
    end if;
    run_ids := array(select u from unnest(run_ids) u where u <> all (lost));
    if run_ids = '{}' then
      return;
    end if;
  end if;
  loop
    select s.* into next_step from public.automation_steps s
      where s.company_id = automation.company_id and s.automation_id = automation.id
        and (s.position, s.id) > (coalesce(after_position, 0), coalesce(after_id, '00000000-0000-0000-0000-000000000000'))
      order by s.position, s.id limit 1;
    if next_step.id is null then
      update public.automation_runs r
        set status = case when r.failed_steps = 0 then 'succeeded' else 'partial' end, finished_at = now()
        where r.company_id = automation.company_id and r.id = any (run_ids);
      return;
    end if;
    select p.* into script from public.procedures p where p.company_id = next_step.company_id and p.id = next_step.procedure_id;
    -- A device of another system goes on with the step after it.
    misfits := array(select r.id from public.automation_runs r join public.devices d on d.company_id = r.company_id and d.id = r.device_id
      where r.company_id = automation.company_id and r.id = any (run_ids) and not coalesce(d.platform = any (script.platforms), true) order by r.id);
    if misfits <> '{}' then
      perform app.queue_step(automation, next_step.position, next_step.id, misfits);
      run_ids := array(select i from unnest(run_ids) i where i <> all (misfits));
      if run_ids = '{}' then
        return;
      end if;
    end if;
    begin
      made := app.procedure_job(script);
      exit;
    exception when check_violation then
      -- It asks for a value that nobody gives here.
      update public.automation_runs r
        set step = next_step.position, step_id = next_step.id, procedure_id = script.id,
          failed_steps = r.failed_steps + 1, error = 'parameters',
          status = case next_step.on_failure when 'stop' then 'failed' else r.status end,
          finished_at = case next_step.on_failure when 'stop' then now() end
        where r.company_id = automation.company_id and r.id = any (run_ids);
      if next_step.on_failure = 'stop' then
        return;
      end if;
      after_position := next_step.position;
      after_id := next_step.id;
    end;
  end loop;
  update public.automation_runs r set step = next_step.position, step_id = next_step.id, procedure_id = script.id
    where r.company_id = automation.company_id and r.id = any (run_ids);
  -- A job takes at most 1,000 devices.
  for part in
    select array_agg(n.id order by n.id) as run_ids, array_agg(n.device_id order by n.id) as device_ids
    from (
      select r.id, r.device_id, (row_number() over (order by r.id) - 1) / 1000 as number from public.automation_runs r
      where r.company_id = automation.company_id and r.id = any (run_ids)
    ) n group by n.number order by n.number
  loop
    begin
      queued := app.queue_job(made.job, made.secret, part.device_ids);
    exception when check_violation then
      queued := null;
    end;
    -- A device with too many open runs takes no further one, and its run of the automation ends.
    update public.automation_runs r set status = 'failed', failed_steps = r.failed_steps + 1, error = 'runs_too_many', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (part.run_ids)
        and not exists (select 1 from public.job_runs j where j.company_id = r.company_id and j.job_id = queued and j.device_id = r.device_id);
    continue when queued is null;
    update public.jobs j set automation_id = automation.id where j.company_id = automation.company_id and j.id = queued;
    update public.job_runs j set automation_run_id = n.run_id from unnest(part.run_ids, part.device_ids) n (run_id, device_id)
      where j.company_id = automation.company_id and j.job_id = queued and j.device_id = n.device_id;
  end loop;
end $$;

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
  if app.can('tickets', 'assign') then
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

create or replace function app.member_name(person uuid, company uuid, reference text) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  found text;
begin
  if person is null then
    return null;
  end if;
  select p.name into found from public.profiles p join public.user_roles r on r.user_id = p.id
    where p.id = person and (r.company_id = company or r.role = 'Super Admin');
  if found is null then
    -- A stranger and nobody get the same answer: the one a missing record gives.
    raise exception using errcode = '23503', constraint = reference, table = 'tickets', schema = 'public',
      message = format('insert or update on table "tickets" violates foreign key constraint "%s"', reference),
      detail = format('Key (%s)=(%s) is not present in table "profiles".',
        regexp_replace(reference, '^tickets_(.*)_fkey$', '\1'), person);
  end if;
  return found;
end $$;

-- The palette lists up to five records per resource. Records whose title contains the words come before records that match
-- in another searched field.
-- Security invoker: it finds only what search_<resource>() and row-level security give the caller. The client sends the
-- names, so each is looked up in the catalog before it becomes part of a statement; unknown resources and those the caller
-- may not list are skipped.
create or replace function public.find_records(q text, resources jsonb, max_rows integer default 5)
  returns table (resource text, id uuid, title jsonb)
  language plpgsql stable security invoker set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  -- A word that a whole table holds finds the best of this many, not the best of all.
  considered constant integer := 200;
  per_resource constant integer := least(greatest(coalesce(max_rows, 5), 1), 20);
  start constant text := app.like_escape(app.fold(btrim("left"(coalesce(q, ''), 200)))) || '%';
  wanted record;
  relation oid;
  filter text;
begin
  if cardinality(app.search_patterns(q)) = 0 then
    return;
  end if;
  if jsonb_typeof(resources) is distinct from 'array' or jsonb_array_length(resources) > 200 then
    raise exception 'resources is a list of at most 200 of {name, columns, company_id}' using errcode = '22023';
  end if;
  for wanted in
    select distinct on (r.name) r.name, r.columns, r.company_id
    from jsonb_to_recordset(resources) as r (name text, columns text[], company_id uuid)
    where r.name is not null and cardinality(r.columns) between 1 and 8
    order by r.name
  loop
    relation := (
      select t.typrelid from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid = p.prorettype
      where p.oid = to_regprocedure(format('public.%I(text)', 'search_' || wanted.name)) and p.proretset and t.typrelid <> 0);
    continue when relation is null or not app.can(wanted.name, 'list');
    continue when exists (
      select 1 from unnest(wanted.columns || array['id']) as c (name)
      where not exists (select 1 from pg_catalog.pg_attribute a
        where a.attrelid = relation and a.attname = c.name and a.attnum > 0 and not a.attisdropped));
    -- A table without companies is the same whichever company is in view.
    filter := case when wanted.company_id is not null and exists (
      select 1 from pg_catalog.pg_attribute a
      where a.attrelid = relation and a.attname = 'company_id' and a.attnum > 0 and not a.attisdropped)
      then format('t.company_id = %L', wanted.company_id) else 'true' end;
    -- Literals, because the plan of a search depends on its words; see search_devices().
    return query execute format(
      'select %L::text, f.id, f.title
       from (select t.id, jsonb_build_object(%s) as title, app.fold(concat_ws('' '', %s)) as key
             from public.%I(%L) t where %s limit %s) f
       order by f.key like %L desc, f.key like all (%L::text[]) desc, length(f.key), f.key, f.id limit %s',
      wanted.name,
      (select string_agg(format('%L, t.%I', c.name, c.name), ', ') from unnest(wanted.columns) as c (name)),
      (select string_agg(format('t.%I', c.name), ', ' order by c.place) from unnest(wanted.columns) with ordinality as c (name, place)),
      'search_' || wanted.name, q, filter, considered, start, app.search_patterns(q), per_resource);
  end loop;
end $$;

-- A filter may name a column of a related table, such as the presence of a device, by the name of that table when no column
-- of the resource leads there.
create or replace function app.filter_path(
  resource text, path text, out col text, out kind text, out is_text boolean, out via text, out joined text
)
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  steps text[] := string_to_array(path, '.');
  target regclass := own;
begin
  if cardinality(steps) = 2 then
    -- The one of several references over the same column is taken that carries the company along.
    select k.confrelid::regclass, string_agg(format('j.%I = t.%I', theirs.attname, ours.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.confrelid and c.relnamespace = 'public'::regnamespace
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.conrelid = own
    group by k.oid, k.confrelid
    having bool_or(ours.attname = steps[1]) and bool_and(ours.attname in (steps[1], 'company_id'))
    order by count(*) desc, k.oid limit 1;
    if target is null then
      -- A table beside this one: `table` or `table!constraint`, whichever of the two holds the reference.
      select c.oid::regclass, string_agg(format('j.%I = t.%I',
        case when k.conrelid = own then theirs.attname else ours.attname end,
        case when k.conrelid = own then ours.attname else theirs.attname end), ' and ')
      into target, joined
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class c on c.oid = case when k.conrelid = own then k.confrelid else k.conrelid end
        and c.oid <> own and c.relnamespace = 'public'::regnamespace and c.relname = split_part(steps[1], '!', 1)
      cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
      join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
      join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
      where k.contype = 'f' and own in (k.conrelid, k.confrelid) and split_part(steps[1], '!', 2) in ('', k.conname)
      group by k.oid, c.oid
      order by count(*) desc, k.oid limit 1;
    end if;
  elsif cardinality(steps) = 3 then
    select k.conrelid::regclass, string_agg(format('j.%I = t.%I', ours.attname, theirs.attname), ' and ')
    into target, joined
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid and c.relnamespace = 'public'::regnamespace and c.relname = steps[1]
    cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
    where k.contype = 'f' and k.confrelid = own
    group by k.oid, k.conrelid
    having bool_or(ours.attname = steps[2]) and bool_and(ours.attname in (steps[2], 'company_id'))
    order by count(*) desc, k.oid limit 1;
  elsif cardinality(steps) <> 1 then
    target := null;
  end if;
  if target is not null then
    via := case when cardinality(steps) > 1 then target::text end;
    select format('%s.%I', case when via is null then 't' else 'j' end, a.attname),
      pg_catalog.format_type(a.atttypid, null), y.typcategory = 'S'
    into col, kind, is_text
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type y on y.oid = a.atttypid
    where a.attrelid = target and a.attname = steps[cardinality(steps)] and a.attnum > 0 and not a.attisdropped;
  end if;
  if col is null then
    raise exception using errcode = '22023', message = format('%L has no field %L', resource, path);
  end if;
end $$;

create or replace function app.value_condition(col text, kind text, is_text boolean, op text, operand jsonb) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  sign text := case op when '_eq' then '=' when '_neq' then '<>' when '_lt' then '<' when '_lte' then '<='
    when '_gt' then '>' when '_gte' then '>=' end;
  shape text := jsonb_typeof(operand);
  given text := operand #>> '{}';
  listed text;
  has_null boolean;
begin
  if op in ('_has_any', '_has_all', '_empty') then
    if kind like '%[]' and op = '_empty' and shape = 'boolean' then
      return format(case when operand = 'true' then '(%1$s is null or %1$s = ''{}'')' else '%1$s <> ''{}''' end, col);
    elsif kind like '%[]' and op <> '_empty' and shape = 'array' then
      return format('%s operator(pg_catalog.%s) %L::%s', col, case op when '_has_any' then '&&' else '@>' end,
        array(select e.item from jsonb_array_elements_text(operand) as e (item)), kind);
    end if;
    raise exception using errcode = '22023', message = format('%s takes a column of lists', op);
  end if;
  if op in ('_in', '_nin') and shape = 'array' then
    select string_agg(format('%L::%s', e.item #>> '{}', kind), ', ') filter (where jsonb_typeof(e.item) <> 'null'),
      coalesce(bool_or(jsonb_typeof(e.item) = 'null'), false)
    into listed, has_null
    from jsonb_array_elements(operand) as e (item);
    if op = '_in' then
      return format('(%s%s)', coalesce(col || ' in (' || listed || ')', 'false'),
        case when has_null then format(' or %s is null', col) else '' end);
    end if;
    return format('(%s%s)', coalesce(col || ' not in (' || listed || ')', 'true'),
      case when has_null then format(' and %s is not null', col) else '' end);
  elsif op = '_null' and shape = 'boolean' then
    return format('%s is %s', col, case when operand = 'true' then 'null' else 'not null' end);
  elsif (op = '_contains' or sign is not null) and shape in ('string', 'number', 'boolean', 'null') then
    if shape = 'null' then
      -- Written out, null asks for emptiness; an order relation with it has no answer.
      return case op when '_eq' then format('%s is null', col) when '_neq' then format('%s is not null', col)
        else 'false' end;
    end if;
    if op = '_contains' then
      if length(given) > 200 then
        raise exception using errcode = '22023', message = 'a text to search for has at most 200 characters';
      end if;
      return format('%s::text ilike %L', col, '%' || app.like_escape(given) || '%');
    end if;
    -- Texts compare by code point, whatever the collation of the database, as the console compares in memory.
    return format('%s%s %s %L::%s', col,
      case when is_text and op not in ('_eq', '_neq') then ' collate pg_catalog."C"' else '' end, sign, given, kind);
  end if;
  raise exception using errcode = '22023', message = format('there is no condition %L with such a value', op);
end $$;

create or replace function public.record_titles(wanted jsonb) returns table (resource text, id uuid, fields jsonb)
  language plpgsql stable set search_path = '' as $$
declare
  entry record;
  own regclass;
  columns text;
begin
  if jsonb_typeof(wanted) is distinct from 'object' or (select count(*) from jsonb_object_keys(wanted)) > 50 then
    raise exception using errcode = '22023', message = 'wanted must be an object with 50 resources or fewer';
  end if;
  for entry in select e.key, array(select x.item::uuid from jsonb_array_elements_text(e.value -> 'ids') as x (item)) as ids,
      array(select x.item from jsonb_array_elements_text(e.value -> 'fields') as x (item)) as fields
    from jsonb_each(wanted) as e loop
    own := app.filter_table(entry.key);
    perform app.check_batch(entry.ids);
    select string_agg(format('%L, t.%I', a.attname, a.attname), ', ') into columns from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    begin
      return query execute format('select %L, t.id, jsonb_build_object(%s) from %s t where t.id = any ($1)',
        entry.key, coalesce(columns, ''), own) using entry.ids;
    exception when insufficient_privilege then
      -- A record that the caller may not read has no title for them.
      null;
    end;
  end loop;
end $$;

create or replace function app.write_batch(statement text, ids uuid[], changes jsonb, out written uuid[], out refused jsonb)
  language plpgsql set search_path = '' as $$
declare
  one uuid;
  ids_written uuid[];
  code text; said text; detailed text; hinted text;
begin
  written := '{}';
  refused := '{}';
  -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for the whole batch.
  execute statement into ids_written using '{}'::uuid[], changes;
  begin
    execute statement into ids_written using ids, changes;
    written := coalesce(ids_written, '{}');
    return;
  exception when others then
    if not app.concerns_row(sqlstate) then
      raise;
    end if;
  end;
  foreach one in array ids loop
    begin
      execute statement into ids_written using array[one], changes;
      written := written || coalesce(ids_written, '{}');
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      refused := refused || jsonb_build_object(one::text,
        jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted));
    end;
  end loop;
end $$;

create or replace function public.bulk_act(
  resource text, ids uuid[], act text, argument text default 'ids', args jsonb default '{}', condition jsonb default '{}'
) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  call record := app.act_statement(act, argument, args);
  fit uuid[];
  there uuid[];
  unfit jsonb;
  done record;
begin
  perform app.check_batch(ids);
  -- The statement writes no row and is taken back: a refusal of the caller is one for the whole batch, any other is about the missing row.
  begin
    execute call.statement using '{}'::uuid[], args;
    raise exception using errcode = 'PT000', message = 'only asked';
  exception when others then
    if sqlstate = '42501' then
      raise;
    end if;
  end;
  execute format('select array_agg(t.id order by t.id) filter (where %s), '
    'jsonb_object_agg(t.id, jsonb_build_object(''code'', ''PT412'', ''message'', ''the row has changed and no longer allows this'')) filter (where (%1$s) is not true) '
    'from %s t where t.id = any ($1)', app.filter_condition(resource, condition), own) into fit, unfit using ids;
  done := app.act_batch(call.statement, coalesce(fit, '{}'), args, call.is_single);
  execute format('select array_agg(t.id) from %s t where t.id = any ($1)', own) into there using ids;
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, fit, done.refused || coalesce(unfit, '{}'), '');
end $$;

create or replace function app.import_reference(own regclass, col text, by_col text, out target text, out far text, out in_company boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- The one of several references over the same column is taken that carries the company along: as app.filter_path() chooses.
  select k.confrelid::regclass::text, min(theirs.attname) filter (where ours.attname = col), exists (
      select 1 from pg_catalog.pg_attribute a
      where a.attrelid = k.confrelid and a.attname = 'company_id' and a.attnum > 0 and not a.attisdropped)
  into target, far, in_company
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.confrelid and c.relnamespace = 'public'::regnamespace
  cross join lateral unnest(k.conkey, k.confkey) as pair (here, there)
  join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = pair.here
  join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = pair.there
  where k.contype = 'f' and k.conrelid = own and exists (
    select 1 from pg_catalog.pg_attribute a
    where a.attrelid = k.confrelid and a.attname = by_col and a.attnum > 0 and not a.attisdropped)
  group by k.oid, k.confrelid
  having bool_or(ours.attname = col) and bool_and(ours.attname in (col, 'company_id'))
  order by count(*) desc, k.oid limit 1;
  if target is null then
    raise exception using errcode = '22023', hint = 'lookup_refused', detail = col,
      message = format('%L of %s is no reference to something with %L', col, own, by_col);
  end if;
end $$;

create or replace function public.import_rows(
  resource text, rows jsonb, company uuid default null, keys text[] default '{}', lookups jsonb default '{}',
  mode text default 'upsert', dry_run boolean default true
) returns jsonb
  language plpgsql set search_path = '' set statement_timeout = '60s' set jit = off as $$
declare
  own regclass := app.filter_table(resource);
  -- Time in which to look for errors: whoever is told of some can mend those first.
  until timestamptz := clock_timestamp() + interval '15 seconds';
  known_by text[] := coalesce(keys, '{}');
  named_by jsonb := coalesce(lookups, '{}');
  vals jsonb[];
  lines integer[];
  used text[];
  good integer[];
  good_vals jsonb[];
  may record;
  bad record;
  plan record;
  writing record;
  entry record;
  problems jsonb := '[]';
  statements text[];
  statement text;
  chosen record;
  inserted integer := 0;
  updated integer := 0;
  same integer := 0;
begin
  perform app.require(resource, 'import'), app.import_check(rows, known_by, named_by, mode);
  select coalesce(array_agg(e.item -> 'values' order by e.n), '{}'), coalesce(array_agg((e.item ->> 'line')::integer order by e.n), '{}')
  into vals, lines from jsonb_array_elements(rows) with ordinality as e (item, n);
  used := array(select k.name from unnest(vals) as s (v), jsonb_object_keys(s.v) as k (name)
                union select unnest(known_by) union select jsonb_object_keys(named_by));
  may := app.import_columns(resource, known_by, used);
  if may.is_tenant <> (company is not null) then
    raise exception using errcode = '22023', message = format(
      case when may.is_tenant then 'name the company whose %s these are' else '%s belong to no company' end, resource);
  end if;
  if not company = any (app.visible_company_ids()) then
    -- The answer is the same for a company that is another's and for one that is not there.
    raise exception using errcode = '42501', message = 'permission denied: not your company', hint = 'role';
  end if;
  -- Two imports at once would both find a key missing, and both add it.
  perform pg_advisory_xact_lock(hashtextextended(format('import %s %s', own, company), 0));

  for entry in select l.key as col, l.value #>> '{}' as by_col from jsonb_each(named_by) as l loop
    select x.vals, x.problems into vals, problems
    from app.import_look_up(own, company, entry.col, entry.by_col, vals, problems) as x;
  end loop;
  bad := app.import_find_bad(own, vals, used, until);
  problems := problems || bad.problems;
  if not bad.more and cardinality(known_by) > 0 then
    problems := problems || app.import_find_keys(own, vals, known_by, problems);
  end if;
  if bad.more or jsonb_array_length(problems) > 200 or cardinality(vals) = 0 then
    return app.import_report(problems, lines, 0, 0, 0, not dry_run and problems = '[]');
  end if;

  -- A row that has a problem already is not written, but the others are tried: a person mends a file once, not once a kind of fault.
  select coalesce(array_agg(s.v order by s.at), '{}'), coalesce(array_agg(s.at order by s.at), '{}') into good_vals, good
  from unnest(vals) with ordinality as s (v, at)
  where s.at <> all (array(select (p.problem ->> 'at')::integer from jsonb_array_elements(problems) as p (problem)));
  plan := app.import_match(own, company, good_vals, known_by, may.insertable, may.updatable, used, mode);
  problems := problems || coalesce((
    select jsonb_agg(jsonb_build_object('at', k.at, 'code', case when k.kind = 'denied' then '42501' else '22023' end,
      'column', case when k.kind = 'denied' then k.col when cardinality(known_by) = 1 then known_by[1] end,
      'hint', case when k.kind = 'denied' then 'role' else k.kind end, 'details', left(k.shown, 200),
      'message', case k.kind when 'denied' then 'permission denied: this field cannot be written'
        when 'ambiguous_key' then 'more than one row has this key' when 'key_exists' then 'a row has this key already'
        else 'no row has this key' end))
    from unnest(plan.kinds, plan.columns, plan.shown, good) as k (kind, col, shown, at)
    where k.kind not in ('insert', 'update', 'same')), '[]');
  select coalesce(array_agg(k.v order by k.at), '{}') as vals, coalesce(array_agg(k.target order by k.at), '{}') as targets,
    coalesce(array_agg(k.at order by k.at), '{}') as places, count(*) filter (where k.kind = 'insert') as inserts,
    count(*) filter (where k.kind = 'update') as updates
  into chosen from unnest(plan.kinds, plan.targets, good, good_vals) as k (kind, target, at, v) where k.kind in ('insert', 'update');
  same := (select count(*) from unnest(plan.kinds) as k (kind) where k.kind = 'same');
  writing := app.import_statements(own, company, may.writes_company, may.insertable, may.updatable);
  statements := case when chosen.inserts > 0 then array[writing.inserting] else '{}' end
    || case when chosen.updates > 0 then array[writing.updating] else '{}' end;
  begin
    -- The statements match no row and only ask whether the caller may at all: a refusal here is one for the whole file.
    foreach statement in array statements loop
      execute statement using company, '{}'::jsonb[], '{}'::uuid[];
    end loop;
    if cardinality(statements) > 0 then
      problems := problems || app.import_halve(statements, own, company, chosen.vals, chosen.targets, chosen.places, null,
        201 - jsonb_array_length(problems), until);
    end if;
    if coalesce(dry_run, true) or problems <> '[]' then
      raise exception using errcode = 'KUNDO';
    end if;
  exception when sqlstate 'KUNDO' then
    -- Rows, audit log and live messages: as if it had never been.
    null;
  end;
  select chosen.inserts - count(*) filter (where plan.kinds[array_position(good, f.at)] = 'insert'),
    chosen.updates - count(*) filter (where plan.kinds[array_position(good, f.at)] = 'update')
  into inserted, updated
  from (select distinct (p.problem ->> 'at')::integer as at from jsonb_array_elements(problems) as p (problem)) f;
  return app.import_report(problems, lines, inserted, updated, same, not coalesce(dry_run, true) and problems = '[]');
end $$;

create or replace function public.save_rows(resource text, rows jsonb)
  returns table (id uuid, outcome text, reason jsonb)
  language plpgsql set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  locks boolean := exists (select 1 from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = 'version' and a.attnum > 0 and not a.attisdropped);
  unknown text;
  writable text;
  one record;
  assigned text;
  differing text;
  differs boolean;
  held integer;
  written integer;
  code text; said text; detailed text; hinted text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_array_length(rows) > 1000 then
    raise exception using errcode = '22023', message = 'the rows are a list of at most 1,000';
  end if;
  if exists (select 1 from jsonb_array_elements(rows) as e (item)
    where jsonb_typeof(e.item -> 'id') is distinct from 'string' or jsonb_typeof(e.item -> 'changes') is distinct from 'object'
      or e.item -> 'changes' = '{}' or coalesce(jsonb_typeof(e.item -> 'version'), 'null') not in ('number', 'null')) then
    raise exception using errcode = '22023', message = 'a row is an id, the version it was read with, and changes of a field or more';
  end if;
  select min(k.name) filter (where a.attname is null or k.name in ('id', 'company_id', 'version')),
    min(k.name) filter (where has_column_privilege(own, a.attnum, 'update'))
  into unknown, writable
  from jsonb_array_elements(rows) as e (item)
  cross join lateral jsonb_object_keys(e.item -> 'changes') as k (name)
  left join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = k.name and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '';
  if unknown is not null then
    raise exception using errcode = '22023', message = format('%L has no field %L to edit', resource, unknown);
  end if;
  if writable is not null then
    -- The statement matches no row and only asks whether the caller may at all: a refusal here is one for all rows.
    execute format('update %1$s t set %2$I = t.%2$I where false', own, writable);
  end if;
  for one in
    select (e.item ->> 'id')::uuid as key, e.item -> 'changes' as changes,
      case when locks then (e.item ->> 'version')::integer end as version
    from jsonb_array_elements(rows) with ordinality as e (item, n) order by e.n
  loop
    id := one.key;
    reason := null;
    begin
      select string_agg(format('%1$I = r.%1$I', k.name), ', '),
        string_agg(format('t.%1$I is distinct from r.%1$I', k.name), ' or ')
      into assigned, differing from jsonb_object_keys(one.changes) as k (name);
      execute format('select %s, %s from %s t, (select * from jsonb_populate_record(null::%3$s, $2) offset 0) r where t.id = $1',
        case when locks then 't.version' else 'null::integer' end, differing, own)
      into held, differs using one.key, one.changes;
      outcome := case when differs is null then 'gone' when not differs then 'same' when held <> one.version then 'stale' end;
      if outcome is null then
        execute format('update %1$s t set %2$s from (select * from jsonb_populate_record(null::%1$s, $2) offset 0) r where t.id = $1%3$s',
          own, assigned, case when one.version is null then '' else ' and t.version = $3' end)
        using one.key, one.changes, one.version;
        get diagnostics written = row_count;
        outcome := case when written > 0 then 'changed' else 'refused' end;
        if written = 0 and one.version is not null then
          -- Somebody may have been first between the reading and the writing.
          execute format('select t.version from %s t where t.id = $1', own) into held using one.key;
          outcome := case when held is null then 'gone' when held <> one.version then 'stale' else 'refused' end;
        end if;
        if outcome = 'refused' then
          reason := '{"code": "42501", "message": "the row was not changed", "hint": "role"}';
        end if;
      end if;
    exception when others then
      get stacked diagnostics code = returned_sqlstate, said = message_text, detailed = pg_exception_detail,
        hinted = pg_exception_hint;
      if not app.concerns_row(code) then
        raise;
      end if;
      outcome := 'refused';
      reason := jsonb_build_object('code', code, 'message', said, 'details', detailed, 'hint', hinted);
    end;
    return next;
  end loop;
end $$;

-- Security definer: the counts leave row-level security out, and the scope is checked first.
create or replace function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- The answer is the same for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'unchecked', (select count(*) from public.monitors m where %1$s and m.health = 'unknown'),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'approvals', case when app.can('procedures', 'approve') then (
        select count(*) from (select p.* from public.procedures p where %1$s and p.waiting_since is not null order by p.name_key, p.id limit 1000) w
          join public.procedure_versions v on v.company_id = w.company_id and v.procedure_id = w.id and v.number = w.revision
        where app.current_user_id() <> all (app.barred_approvers(app.authors_to_approve(v)))) end,
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;

create or replace function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  select a.*
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- A record of the console may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles'] else array[record_activity.resource] end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;

create or replace function app.remove_old_rows() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer := 0;
  part integer;
begin
  perform 1 from app.tick_state s
  where s.only_row and coalesce(s.retained_at, '-infinity') < now() - interval '1 hour' for update skip locked;
  if not found then
    return 0;
  end if;
  -- Rows that go because they are old are nobody's deed: no audit, no message, until the end of this step.
  perform set_config('app.quiet', 'on', true);
  delete from public.procedure_logs l where l.id in (
    select x.id from public.procedure_logs x where x.executed_at < now() - interval '365 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  -- With all their runs, so fewer at a time.
  delete from public.jobs j where j.id in (
    select x.id from public.jobs x where x.created_at < now() - interval '365 days' and x.status <> 'running' limit 50);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.failed_login_attempts f where f.id in (
    select x.id from public.failed_login_attempts x where x.created_at < now() - interval '90 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.audit_log a where a.id in (
    select x.id from public.audit_log x where x.at < now() - interval '730 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.notifications n where n.id in (
    select x.id from public.notifications x
    where x.created_at < now() - interval '365 days' or x.read_at < now() - interval '90 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from app.tick_log t where t.id in (
    select x.id from app.tick_log x where x.at < now() - interval '30 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  perform set_config('app.quiet', '', true);
  -- Had there been more than one round takes, the next tick goes on.
  update app.tick_state s set retained_at = now() where s.only_row and removed < 5000;
  return removed;
end $$;

create or replace function app.tick() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  step record;
  moved integer;
  done jsonb := '{}';
begin
  -- The findings of an earlier tick of the same transaction are not this one's.
  perform set_config('app.heard_since', '', true);
  for step in select s.name, s.function from app.tick_step s order by s.position loop
    begin
      execute format('select app.%I()', step.function) into moved;
      done := done || jsonb_build_object(step.name, moved);
    exception when others then
      insert into app.tick_log (step, error) values (step.name, sqlstate || ' ' || sqlerrm);
      done := done || jsonb_build_object(step.name, null);
    end;
  end loop;
  return done;
end $$;
