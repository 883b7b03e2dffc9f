-- Software licenses: since when seats are unused, who uses them, and reminders of their end.

alter table public.software_licenses add column unused_since timestamptz;
comment on column public.software_licenses.unused_since is
  'Since when seats have been free without interruption; null while none is, without a match rule, and for a site. Kept by trigger.';
create index software_licenses_company_unused_idx on public.software_licenses (company_id, unused_since, id);
create index software_licenses_unused_idx on public.software_licenses (unused_since, id);

drop trigger software_licenses_audit_insert on public.software_licenses;
drop trigger software_licenses_audit_update on public.software_licenses;
drop trigger software_licenses_audit_delete on public.software_licenses;
select app.keep_audit('public.software_licenses', 'id', array['detected', 'available', 'unused_since']);

create function app.stamp_unused_license() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- `available` is generated after this trigger.
  new.unused_since := case when new.type <> 'site' and new.seats > new.detected then coalesce(new.unused_since, now()) end;
  return new;
end $$;
comment on function app.stamp_unused_license() is 'Row trigger: since when a license has free seats.';
revoke execute on function app.stamp_unused_license() from public;
create trigger software_licenses_unused before insert or update on public.software_licenses
  for each row execute function app.stamp_unused_license();
update public.software_licenses l set unused_since = l.updated_at where l.type <> 'site' and l.seats > l.detected;

create function public.license_use(license_id uuid, page integer default 1) returns jsonb
  language sql stable set search_path = '' as $$
  with license as (
    select l.id, l.company_id, l.type from public.software_licenses l where l.id = license_use.license_id
  ), used as materialized (
    select distinct ds.company_id, ds.device_id
    from license l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
  ), seats as materialized (
    -- One row a seat, as app.count_license() counts.
    select case when l.type = 'user' then coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text) else d.id::text end as seat,
      d.id, d.name, d.name_key, d.status, d.logged_in_user,
      coalesce(d.offline_since < now() - interval '30 days', false) as idle
    from license l join used u on u.company_id = l.company_id
      join public.devices d on d.company_id = u.company_id and d.id = u.device_id
  ), grouped as materialized (
    select s.seat, min(s.name_key) as name_key, min(s.logged_in_user) as "user", count(*) as device_count, bool_and(s.idle) as idle
    from seats s group by s.seat
  ), shown as (
    select g.* from grouped g order by g.name_key, g.seat limit 50 offset 50 * (least(greatest(page, 1), 20000) - 1)
  )
  select jsonb_build_object(
    'total', (select count(*) from grouped),
    'idle', (select count(*) from grouped g where g.idle),
    'rows', (select coalesce(jsonb_agg(jsonb_build_object('seat', g.seat, 'user', g.user, 'idle', g.idle, 'device_count', g.device_count,
        'devices', (select jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status) order by d.name_key, d.id)
          from (select s.* from seats s where s.seat = g.seat order by s.name_key, s.id limit 5) d))
        order by g.name_key, g.seat), '[]') from shown g))
$$;
comment on function public.license_use(uuid, integer) is
  '{total, idle, rows: [{seat, user, idle, device_count, devices: [{id, name, status}]}]}: who takes the seats of a license, 50 a page; of a '
  'license by user one row a signed-in user. idle: none of the devices was online for 30 days. Runs as the caller.';
revoke execute on function public.license_use(uuid, integer) from public, anon;
grant execute on function public.license_use(uuid, integer) to authenticated;

-- Reminders ---------------------------------------------------------------------------------------------------------------

create table app.license_reminders (
  company_id uuid not null,
  license_id uuid not null,
  expires_on date not null,
  days integer not null check (days in (30, 7, 1)),
  reminded_at timestamptz not null default now(),
  primary key (company_id, license_id, expires_on, days),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade
);
comment on table app.license_reminders is 'Which reminders of the end of a software license were sent: each once, again after a renewal.';
revoke all on app.license_reminders from public, anon, authenticated;
alter table app.license_reminders enable row level security;

create function app.remind_of_licenses() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  with due as (
    insert into app.license_reminders (company_id, license_id, expires_on, days)
    select l.company_id, l.id, l.expires_on, k.days
    from public.software_licenses l
    -- A license that is entered late gets the latest reminder alone.
    cross join lateral (select case when l.expires_on - current_date <= 1 then 1 when l.expires_on - current_date <= 7 then 7 else 30 end as days) k
    where l.expires_on between current_date and current_date + 30
      and not exists (select 1 from app.license_reminders r
        where r.company_id = l.company_id and r.license_id = l.id and r.expires_on = l.expires_on and r.days = k.days)
    order by l.expires_on, l.id limit 200
    on conflict do nothing
    returning company_id, license_id, expires_on, days
  )
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, d.company_id, 'software_license_expiring',
    jsonb_build_object('license', l.name, 'end_date', d.expires_on::timestamptz, 'days', greatest(d.expires_on - current_date, 0)),
    '/software-licenses/' || d.license_id, format('software_license:%s:%s:%s', d.license_id, d.expires_on, d.days)
  from due d
    join public.software_licenses l on l.company_id = d.company_id and l.id = d.license_id
    join public.user_roles r on r.company_id = d.company_id and r.deactivated_at is null
      and r.role = any (app.roles_that_may('software_licenses', 'edit'))
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.remind_of_licenses() is
  'Step of app.tick(): tells whoever may edit the software licenses of a company that one ends in 30, 7 and 1 days, each once; at most 200 licenses a call.';
revoke execute on function app.remind_of_licenses() from public;
insert into app.tick_step (position, name, function) values (82, 'license_reminders', 'remind_of_licenses');
