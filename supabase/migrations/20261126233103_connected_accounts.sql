-- One person with several accounts does not approve their own script: accounts that go back to one sponsor are connected until they have
-- proven to be somebody's own.

-- Rows outlive their account: a chain of accounts is not cut by the deletion of one in its middle.
alter table app.account_sponsors drop constraint account_sponsors_user_id_fkey;

create table app.password_changes (
  user_id uuid primary key references auth.users (id) on delete cascade,
  at timestamptz not null default now()
);
comment on table app.password_changes is 'When the password of an account was last set: after an invitation, by whoever has its mailbox.';
revoke all on app.password_changes from public, anon, authenticated;
alter table app.password_changes enable row level security;

-- Security definer: the auth server may not write the table.
create function app.note_password() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.password_changes (user_id) values (new.id) on conflict (user_id) do update set at = now();
  return null;
end $$;
comment on function app.note_password() is 'Row trigger: keeps app.password_changes.';
revoke execute on function app.note_password() from public;

-- Some hosts refuse triggers on the auth schema. An account that was invited then stays connected with its sponsor.
do $$
begin
  create trigger konsol_note_password after update of encrypted_password on auth.users
    for each row when (old.encrypted_password is distinct from new.encrypted_password) execute function app.note_password();
exception when insufficient_privilege then
  raise notice 'changes of passwords are not noted here: %', sqlerrm;
end $$;

insert into app.password_changes (user_id, at)
  select p.id, max(l.at) from public.security_log l join public.profiles p on p.email = l.actor_email join auth.users u on u.id = p.id
  where l.event = 'password_changed' group by p.id;

-- Security definer: nobody may write the table.
create or replace function app.note_sponsor() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  sponsor uuid := app.current_user_id();
  account uuid;
begin
  if sponsor is null then
    return null;
  end if;
  if tg_table_name = 'mail_outbox' then
    select p.id into account from public.profiles p where lower(p.email) = new.email;
  else
    account := new.user_id;
    if tg_op = 'UPDATE' and not (old.deactivated_at is not null and new.deactivated_at is null)
      and exists (select 1 from app.role_include i where i.role = old.role and i.included = new.role) then
      return null;
    end if;
  end if;
  insert into app.account_sponsors (user_id, sponsor_id, act)
    select account, sponsor, case when tg_table_name = 'mail_outbox' then 'reset' when tg_op = 'INSERT' then 'invited' else 'raised' end
    where account <> sponsor and exists (select 1 from auth.users u where u.id = account)
  -- The last act counts.
  on conflict (user_id, sponsor_id, act) do update set at = now();
  return null;
end $$;

create function app.sponsor_days() returns integer
  language sql immutable set search_path = '' as $$ select 14 $$;
comment on function app.sponsor_days() is 'For how many days after the last act of its sponsor an account counts as the sponsor''s.';
revoke execute on function app.sponsor_days() from public;

create function app.is_connected(link app.account_sponsors) returns boolean
  language sql stable set search_path = '' as $$
  select (link.at > now() - make_interval(days => app.sponsor_days())
      -- The link in the mail was not used since: whoever asked for it may still be the only one who could.
      or link.act in ('invited', 'reset')
        and not exists (select 1 from app.password_changes p where p.user_id = link.user_id and p.at > link.at))
    -- A Super Admin invites the first people of every company, and can change its policies anyway.
    and not exists (select 1 from public.user_roles r where r.user_id = link.sponsor_id and r.role = 'Super Admin')
$$;
comment on function app.is_connected(app.account_sponsors) is
  'Whether an account may still be its sponsor''s: until its password was set after the last invitation or link, and 14 days after the last act.';
revoke execute on function app.is_connected(app.account_sponsors) from public;

create function app.connected_accounts(accounts uuid[]) returns uuid[]
  language sql stable set search_path = '' as $$
  -- Each account is reached once, so that both ways end, in a circle too.
  with recursive above (id) as (
    select a from unnest(accounts) a where a is not null
    union
    select s.sponsor_id from above x join app.account_sponsors s on s.user_id = x.id where app.is_connected(s)
  ), below (id) as (
    select a.id from above a
    union
    select s.user_id from below x join app.account_sponsors s on s.sponsor_id = x.id where app.is_connected(s)
  )
  select array_agg(b.id order by b.id) from below b
$$;
comment on function app.connected_accounts(uuid[]) is
  'These accounts, their sponsors, the sponsors of those, and every account that goes back to one of them, over links with app.is_connected(). '
  'Two sponsors of one account are not connected by it. Null for no accounts.';
revoke execute on function app.connected_accounts(uuid[]) from public;

create table app.version_authors (
  version_id uuid primary key references public.procedure_versions (id) on delete cascade,
  author_id uuid not null
);
comment on table app.version_authors is 'Who wrote a version of a script, also after the account was deleted: its sponsor must not approve it then.';
revoke all on app.version_authors from public, anon, authenticated;
alter table app.version_authors enable row level security;
insert into app.version_authors (version_id, author_id)
  select v.id, v.created_by from public.procedure_versions v where v.created_by is not null;

-- Security definer: nobody may write the table.
create function app.note_author() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.version_authors (version_id, author_id) values (new.id, new.created_by);
  return null;
end $$;
comment on function app.note_author() is 'Row trigger: keeps app.version_authors.';
revoke execute on function app.note_author() from public;
create trigger procedure_versions_author after insert on public.procedure_versions
  for each row when (new.created_by is not null) execute function app.note_author();

create function app.authors_to_approve(version public.procedure_versions) returns uuid[]
  language sql stable set search_path = '' as $$
  select array_agg(distinct w.author_id) from public.procedure_versions v join app.version_authors w on w.version_id = v.id
  where v.company_id = version.company_id and v.procedure_id = version.procedure_id and v.number <= version.number
    and v.number > coalesce((select max(a.number) from public.procedure_versions a
      where a.company_id = version.company_id and a.procedure_id = version.procedure_id and a.approved_at is not null and a.id <> version.id), 0)
$$;
comment on function app.authors_to_approve(public.procedure_versions) is 'Who wrote a version, and those before it since the last approval.';
revoke execute on function app.authors_to_approve(public.procedure_versions) from public;

create function app.barred_approvers(authors uuid[]) returns uuid[]
  language sql stable set search_path = '' as $$
  select coalesce(app.connected_accounts(authors), '{}')
    -- Without an end: an author never has a version approved by an account of their own making.
    || array(select s.user_id from app.account_sponsors s where s.sponsor_id = any (authors))
$$;
comment on function app.barred_approvers(uuid[]) is
  'The accounts that approve and decline nothing that these wrote: themselves, connected ones, and all that one of them sponsored, however long ago.';
revoke execute on function app.barred_approvers(uuid[]) from public;

create or replace function app.version_to_decide(version_id uuid) returns public.procedure_versions
  language plpgsql set search_path = '' as $$
declare
  found public.procedure_versions%rowtype;
  script public.procedures%rowtype;
  authors uuid[];
begin
  perform app.require('procedures', 'approve');
  select v.* into found from public.procedure_versions v
    where v.id = version_id and v.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  select p.* into script from public.procedures p where p.company_id = found.company_id and p.id = found.procedure_id for no key update;
  if found.number <> script.revision then
    raise exception 'The script was changed meanwhile.' using errcode = 'check_violation', hint = 'version_replaced';
  end if;
  -- Nor by who wrote a part of it since the last approval: a colleague who changed the time limit has not read the text.
  authors := app.authors_to_approve(found);
  if app.current_user_id() = any (authors) then
    raise exception 'A script is approved by another person than its authors.' using errcode = '42501', hint = 'own_version';
  end if;
  -- A second account of the same person: whoever made an account, gave it its role or sent its password link may sign in with it.
  if app.current_user_id() = any (app.barred_approvers(authors)) then
    raise exception 'The account is connected with that of an author of the version.'
      using errcode = 'check_violation', hint = 'approver_of_author';
  end if;
  -- Again: somebody may have decided before the lock.
  select v.* into found from public.procedure_versions v where v.company_id = found.company_id and v.id = found.id;
  return found;
end $$;

-- Security definer: nobody may read who sponsored whom. It tells a code about the caller's own account alone.
create function public.approval_conflict(version_id uuid) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype;
  authors uuid[];
begin
  perform app.require('procedures', 'approve');
  select v.* into version from public.procedure_versions v
    where v.id = approval_conflict.version_id and v.company_id = any (app.visible_company_ids());
  if version.id is null then
    raise exception 'The version was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  authors := app.authors_to_approve(version);
  return case
    when app.current_user_id() = any (authors) then 'own_version'
    when app.current_user_id() = any (app.barred_approvers(authors)) then 'approver_of_author' end;
end $$;
comment on function public.approval_conflict(uuid) is
  'Why the caller may not approve or decline a version, before they try: own_version, approver_of_author (app.barred_approvers()), or null. '
  'Definer, because nobody may read who sponsored whom.';
revoke execute on function public.approval_conflict(uuid) from public, anon;
grant execute on function public.approval_conflict(uuid) to authenticated;

create or replace function app.begin_waiting(company uuid, device uuid) returns void
  language plpgsql set search_path = '' as $$
begin
  if not app.company_runs(company) then
    return;
  end if;
  with due as (
    select p.id from public.procedures p
    where p.company_id = company and p.waiting_since is null and not p.is_approved and p.id in (
      select r.procedure_id from public.job_runs r
      where r.company_id = company and r.device_id = device and r.status = 'queued' and r.waits_for = 'approval')
    -- As in app.settle_waiting(): the next check-in finds it.
    order by p.id limit 10 for no key update skip locked
  ), begun as (
    update public.procedures p set waiting_since = now() from due where p.company_id = company and p.id = due.id
    returning p.id, p.name, p.revision
  ), versions as materialized (
    select b.name, b.revision, v.procedure_id, v.id, app.barred_approvers(app.authors_to_approve(v)) as barred
    from begun b join public.procedure_versions v on v.company_id = company and v.procedure_id = b.id and v.number = b.revision
  )
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'script_waiting', jsonb_build_object('script', v.name, 'number', v.revision), '/procedures/' || v.procedure_id,
    'script_waiting:' || v.id
  from versions v
    join public.user_roles r on r.company_id = company and r.role = any (app.roles_that_may('procedures', 'approve'))
      and r.deactivated_at is null and r.user_id <> all (v.barred)
  -- A policy that is new may hold hundreds of scripts: the list and the dashboard have them all.
  where (select count(*) from (select 1 from public.notifications n
    where n.user_id = r.user_id and n.read_at is null and n.kind = 'script_waiting' limit 10) unread) < 10
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;

-- Security definer: whoever edits policies may not read every person's role. It tells a number alone.
create or replace function public.count_approvers(company uuid) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('policies', 'list');
  if company is null or company <> all (app.visible_company_ids()) then
    raise exception 'The company was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- Accounts that go back to one sponsor count as one person.
  return (select count(distinct (
      with recursive above (id) as (
        select r.user_id
        union
        select s.sponsor_id from above x join app.account_sponsors s on s.user_id = x.id where app.is_connected(s)
      )
      select coalesce(min(a.id::text) filter (where not exists (
        select 1 from app.account_sponsors s where s.user_id = a.id and app.is_connected(s))), min(a.id::text)) from above a))
    from public.user_roles r
    where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may('procedures', 'approve')));
end $$;
comment on function public.count_approvers(uuid) is
  'How many people of a company may approve scripts and sign in; accounts that go back to one sponsor (app.is_connected()) count as one. With '
  'one alone, nobody approves what that person writes.';

create function app.forget_sponsors() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.account_sponsors s where (s.user_id, s.sponsor_id, s.act) in (
    select o.user_id, o.sponsor_id, o.act from app.account_sponsors o
    where o.at < now() - make_interval(days => app.sponsor_days()) and not exists (select 1 from auth.users u where u.id = o.user_id)
    limit 5000);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_sponsors() is
  'Step of app.tick(): removes the sponsors of accounts that were deleted, once they connect nothing any more; at most 5,000 a call.';
revoke execute on function app.forget_sponsors() from public;
insert into app.tick_step (position, name, function) values (117, 'sponsors', 'forget_sponsors');

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
    -- One answer for another's company and for one that does not exist.
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
