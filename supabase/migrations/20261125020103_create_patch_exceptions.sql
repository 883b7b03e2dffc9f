-- Exceptions: a decision about an update for one group or one device, where the company decided otherwise.

create function app.settle_exception() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.scope = 'group' then
    new.device_id := null;
  else
    new.group_id := null;
  end if;
  if new.approval <> 'deferred' then
    new.deferred_until := null;
  end if;
  return new;
end $$;
comment on function app.settle_exception() is 'Row trigger: an exception has the one target of its scope, and a date only while it is deferred.';
revoke execute on function app.settle_exception() from public;

create table public.patch_exceptions (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  patch_id uuid not null,
  scope text not null default 'group' check (scope in ('group', 'device')),
  group_id uuid,
  device_id uuid,
  approval text not null default 'denied' check (approval in ('approved', 'denied', 'deferred')),
  deferred_until date,
  notes text check (length(notes) <= 500),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint patch_exceptions_patch_id_group_id_key unique (company_id, patch_id, group_id),
  constraint patch_exceptions_patch_id_device_id_key unique (company_id, patch_id, device_id),
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  constraint patch_exceptions_group_id_check check ((scope = 'group') = (group_id is not null)),
  constraint patch_exceptions_device_id_check check ((scope = 'device') = (device_id is not null)),
  constraint patch_exceptions_deferred_until_check check ((approval = 'deferred') = (deferred_until is not null))
);
comment on table public.patch_exceptions is
  'What a group or a device does with an update instead of what its company decided (patches.approval). One for a device comes before those for groups; of several groups, the strictest holds.';
create index patch_exceptions_group_idx on public.patch_exceptions (company_id, group_id);
create index patch_exceptions_device_idx on public.patch_exceptions (company_id, device_id);
create index patch_exceptions_company_created_idx on public.patch_exceptions (company_id, created_at, id);
create index patch_exceptions_created_idx on public.patch_exceptions (created_at, id);
create index patch_exceptions_until_idx on public.patch_exceptions (deferred_until) where deferred_until is not null;

create trigger patch_exceptions_a_settle before insert or update on public.patch_exceptions for each row execute function app.settle_exception();
select app.keep_tenant('public.patch_exceptions');
select app.keep_audit('public.patch_exceptions');
select app.keep_announced('public.patch_exceptions');

revoke all on public.patch_exceptions from public, anon, authenticated;
grant select, delete,
  insert (company_id, patch_id, scope, group_id, device_id, approval, deferred_until, notes),
  update (approval, deferred_until, notes)
  on public.patch_exceptions to authenticated;
grant select, insert, update, delete on public.patch_exceptions to service_role;
alter table public.patch_exceptions enable row level security;

create policy patch_exceptions_select_member on public.patch_exceptions for select to authenticated
  using ((select app.can('patch_exceptions', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_insert_member on public.patch_exceptions for insert to authenticated
  with check ((select app.can('patch_exceptions', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_update_member on public.patch_exceptions for update to authenticated
  using ((select app.can('patch_exceptions', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('patch_exceptions', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patch_exceptions_delete_member on public.patch_exceptions for delete to authenticated
  using ((select app.can('patch_exceptions', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

-- The exception of each row ------------------------------------------------------------------------------------------------

alter table public.device_patches add column exception text check (exception in ('approved', 'denied', 'deferred'));
alter table public.device_patches add column exception_scope text check (exception_scope in ('group', 'device'));
comment on column public.device_patches.exception is
  'What public.patch_exceptions says for this device, null where the company''s decision holds. A copy, kept by trigger: runs, lists and compliance read it.';
comment on column public.device_patches.exception_scope is 'Whether the exception is that of the device or of one of its groups.';
create index device_patches_exception_idx on public.device_patches (company_id, patch_id, exception_scope) where exception is not null;

create function app.exception_of(company uuid, patch uuid, device uuid, out approval text, out scope text)
  language sql stable set search_path = '' as $$
  select e.approval, e.scope
  from public.patch_exceptions e
  where e.company_id = company and e.patch_id = patch
    and (e.device_id = device or e.group_id in (
      select m.group_id from public.group_devices m where m.company_id = company and m.device_id = device))
  order by e.scope = 'device' desc, array_position(array['denied', 'deferred', 'approved'], e.approval) limit 1
$$;
comment on function app.exception_of(uuid, uuid, uuid) is 'The exception that holds for an update on a device; null without one.';
revoke execute on function app.exception_of(uuid, uuid, uuid) from public;

create function app.renew_exceptions(rows uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- Devices first, as a check-in does, and one order for all.
  perform 1 from public.devices d where d.id in (select t.device_id from public.device_patches t where t.id = any (rows))
    order by d.id for no key update;
  perform 1 from public.device_patches t where t.id = any (rows) order by t.id for no key update;
  update public.device_patches t
    set exception = x.approval, exception_scope = x.scope,
      -- What is approved no longer is not installed where the device has not begun.
      status = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then 'missing' else t.status end,
      run_id = case when t.status = 'queued' and coalesce(x.approval, p.approval) <> 'approved' then null else t.run_id end
    from public.device_patches s
      join public.patches p on p.company_id = s.company_id and p.id = s.patch_id
      cross join lateral app.exception_of(s.company_id, s.patch_id, s.device_id) x
    where s.id = any (rows) and t.id = s.id and t.company_id = s.company_id
      and (t.exception, t.exception_scope) is distinct from (x.approval, x.scope);
end $$;
comment on function app.renew_exceptions(uuid[]) is 'Brings the exception of rows of device_patches up to date, and takes back what is queued without an approval.';
revoke execute on function app.renew_exceptions(uuid[]) from public;

-- Security definer: who decides may not write device_patches.
create function app.spread_exceptions() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(x.id) into touched from (
    select t.id from changed c
      join public.device_patches t on t.company_id = c.company_id and t.device_id = c.device_id and t.patch_id = c.patch_id
    union
    select t.id from changed c
      join public.group_devices m on m.company_id = c.company_id and m.group_id = c.group_id
      join public.device_patches t on t.company_id = m.company_id and t.device_id = m.device_id and t.patch_id = c.patch_id
    union
    -- A group that is deleted may have lost its devices before.
    select t.id from changed c
      join public.device_patches t on t.company_id = c.company_id and t.patch_id = c.patch_id and t.exception_scope = c.scope and t.exception is not null
    where tg_op = 'DELETE' and c.scope = 'group'
  ) x;
  if touched is not null then
    perform app.renew_exceptions(touched);
  end if;
  return null;
end $$;
comment on function app.spread_exceptions() is 'Statement trigger: the rows of device_patches that an exception is about follow it.';
revoke execute on function app.spread_exceptions() from public;
create trigger patch_exceptions_spread_insert after insert on public.patch_exceptions
  referencing new table as changed for each statement execute function app.spread_exceptions();
create trigger patch_exceptions_spread_update after update on public.patch_exceptions
  referencing new table as changed for each statement execute function app.spread_exceptions();
create trigger patch_exceptions_spread_delete after delete on public.patch_exceptions
  referencing old table as changed for each statement execute function app.spread_exceptions();

-- Security definer: who changes a group may not write device_patches.
create function app.follow_group_exceptions() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct t.id) into touched from changed c
    join public.patch_exceptions e on e.company_id = c.company_id and e.group_id = c.group_id
    join public.device_patches t on t.company_id = c.company_id and t.device_id = c.device_id and t.patch_id = e.patch_id;
  if touched is not null then
    perform app.renew_exceptions(touched);
  end if;
  return null;
end $$;
comment on function app.follow_group_exceptions() is 'Statement trigger: a device takes on the exceptions of a group that it enters, and loses those of one that it leaves.';
revoke execute on function app.follow_group_exceptions() from public;
create trigger group_devices_exceptions_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.follow_group_exceptions();
create trigger group_devices_exceptions_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.follow_group_exceptions();


-- Decisions ----------------------------------------------------------------------------------------------------------------

create function public.decide_for(
  ids uuid[], scope text, approval text, group_id uuid default null, device_id uuid default null, until date default null, notes text default null
) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patch_exceptions', 'create');
  if cardinality(decide_for.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  if decide_for.approval = 'deferred' and (decide_for.until is null or decide_for.until <= current_date) then
    raise exception using errcode = '23514', message = 'an update is deferred until a day to come', constraint = 'patch_exceptions_deferred_until_check';
  end if;
  with chosen as (
    select p.company_id, p.id from public.patches p where p.id = any (decide_for.ids) order by p.id
  ), renewed as (
    update public.patch_exceptions e set approval = decide_for.approval, deferred_until = decide_for.until, notes = decide_for.notes
    from chosen c
    where e.company_id = c.company_id and e.patch_id = c.id and e.scope = decide_for.scope
      and (e.group_id = decide_for.group_id or e.device_id = decide_for.device_id)
    returning e.patch_id
  ), added as (
    insert into public.patch_exceptions (company_id, patch_id, scope, group_id, device_id, approval, deferred_until, notes)
    select c.company_id, c.id, decide_for.scope, decide_for.group_id, decide_for.device_id, decide_for.approval, decide_for.until, decide_for.notes
    from chosen c where not exists (select 1 from renewed r where r.patch_id = c.id)
    returning patch_id
  )
  select (select count(*) from renewed) + (select count(*) from added) into decided;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_for(uuid[], text, text, uuid, uuid, date, text) is
  'Decides about updates for one group or one device (scope: group or device) instead of the company; returns how many. Row-level security says which.';
revoke execute on function public.decide_for(uuid[], text, text, uuid, uuid, date, text) from public, anon;
grant execute on function public.decide_for(uuid[], text, text, uuid, uuid, date, text) to authenticated;

create function public.decide_on_devices(ids uuid[], approval text, until date default null) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patch_exceptions', 'create');
  if cardinality(decide_on_devices.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  if decide_on_devices.approval = 'deferred' and (decide_on_devices.until is null or decide_on_devices.until <= current_date) then
    raise exception using errcode = '23514', message = 'an update is deferred until a day to come', constraint = 'patch_exceptions_deferred_until_check';
  end if;
  insert into public.patch_exceptions (company_id, patch_id, scope, device_id, approval, deferred_until)
    select t.company_id, t.patch_id, 'device', t.device_id, decide_on_devices.approval, decide_on_devices.until
    from public.device_patches t where t.id = any (decide_on_devices.ids) order by t.id
    on conflict (company_id, patch_id, device_id) do update set approval = excluded.approval, deferred_until = excluded.deferred_until;
  get diagnostics decided = row_count;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_on_devices(uuid[], text, date) is
  'Decides about updates on single devices, by rows of device_patches; returns how many. Row-level security says which.';
revoke execute on function public.decide_on_devices(uuid[], text, date) from public, anon;
grant execute on function public.decide_on_devices(uuid[], text, date) to authenticated;

create function public.end_exceptions(ids uuid[]) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  ended integer;
begin
  perform app.require('patch_exceptions', 'delete');
  if cardinality(end_exceptions.ids) > 1000 then
    raise exception 'At most 1,000 updates at a time.' using errcode = 'check_violation', hint = 'too_many';
  end if;
  delete from public.patch_exceptions e using public.device_patches t
    where t.id = any (end_exceptions.ids) and e.company_id = t.company_id and e.patch_id = t.patch_id and e.device_id = t.device_id;
  get diagnostics ended = row_count;
  if ended = 0 then
    raise exception using errcode = 'PT404', message = 'no such exception', hint = 'exception_gone';
  end if;
  return ended;
end $$;
comment on function public.end_exceptions(uuid[]) is
  'Takes back the exceptions of single devices, by rows of device_patches; the decision of their groups or their company holds again. Returns how many.';
revoke execute on function public.end_exceptions(uuid[]) from public, anon;
grant execute on function public.end_exceptions(uuid[]) to authenticated;

create index patches_deferred_until_idx on public.patches (deferred_until) where deferred_until is not null;
create function app.end_deferrals() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  part integer;
  done integer;
begin
  update public.patches p set approval = 'pending' where p.id in (
    select x.id from public.patches x where x.deferred_until <= current_date order by x.id limit 1000 for no key update skip locked);
  get diagnostics done = row_count;
  delete from public.patch_exceptions e where e.id in (
    select x.id from public.patch_exceptions x where x.deferred_until <= current_date order by x.id limit 1000 for update skip locked);
  get diagnostics part = row_count;
  return done + part;
end $$;
comment on function app.end_deferrals() is
  'Step of app.tick(): an update whose deferral is over waits for a decision again, an exception whose deferral is over ends; at most 1,000 of each.';
revoke execute on function app.end_deferrals() from public;
insert into app.tick_step (position, name, function) values (49, 'deferrals', 'end_deferrals');

-- Where runs are queued and claimed ------------------------------------------------------------------------------------------

-- Security definer: who decides may not write the rows.
create or replace function app.recall_patch() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches t set status = 'missing', run_id = null
    where t.company_id = new.company_id and t.patch_id = new.id and t.status = 'queued' and t.exception is distinct from 'approved';
  return null;
end $$;
