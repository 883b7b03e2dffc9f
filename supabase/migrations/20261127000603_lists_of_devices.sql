-- Lists of devices.

set check_function_bodies = off;

drop function public.automation_matches(uuid, bool, int4, int4, bool);
drop function public.license_use(uuid, int4);

create function public.license_use(license_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with license as (
    select l.id, l.company_id, l.type from public.software_licenses l where l.id = license_use.license_id
  ), used as materialized (
    select distinct ds.company_id, ds.device_id
    from license l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
  ), seats as (
    -- One row a seat, as app.count_license() counts.
    select bool_and(coalesce(d.offline_since < now() - interval '30 days', false)) as idle
    from license l join used u on u.company_id = l.company_id
      join public.devices d on d.company_id = u.company_id and d.id = u.device_id
    group by case when l.type = 'user' then coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text) else d.id::text end
  )
  select jsonb_build_object('total', count(*), 'idle', count(*) filter (where s.idle)) from seats s
$$;
comment on function public.license_use(uuid) is
  '{total, idle}: how many seats of a license are taken, a seat of a license by user being a signed-in user, and of how many none of the devices '
  'was online for 30 days. search_license_devices() returns the devices. Runs as the caller.';
grant execute on function public.license_use(uuid) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_license_devices(license_id uuid, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_license_devices.q) d
  where d.id in (
    select ds.device_id from public.software_licenses l
      join public.software_license_titles t on t.company_id = l.company_id and t.license_id = l.id
      join public.device_software ds on ds.company_id = t.company_id and ds.software_id = t.software_id
    where l.id = search_license_devices.license_id)
$$;
comment on function public.search_license_devices(uuid, text) is
  'The devices that take the seats of a license and match q; filter, order and page it like the table. Runs as the caller.';
grant execute on function public.search_license_devices(uuid, text) to authenticated;

create function public.automation_matches(automation_id uuid, is_manual boolean default false) returns jsonb
  language sql stable set search_path = '' as $$
  with reached as (
    select r.reason, count(*) as devices
    from public.automations a
    cross join lateral app.automation_reach(a, null, not is_manual and a.trigger in ('new_device', 'alert')) r
    where a.id = automation_matches.automation_id
    group by r.reason
  )
  select jsonb_build_object(
    'matches', coalesce(sum(x.devices) filter (where x.reason is null), 0),
    'left_out', coalesce(jsonb_object_agg(x.reason, x.devices) filter (where x.reason is not null), '{}'))
  from reached x
$$;
comment on function public.automation_matches(uuid, boolean) is
  'On how many devices an automation would run now, by its trigger or, with is_manual, by hand: {matches, left_out: {reason: devices}}, with the '
  'reasons of app.automation_reach(). search_automation_devices() returns the devices. Runs as the caller.';
grant execute on function public.automation_matches(uuid, boolean) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_automation_devices(automation_id uuid, reason text, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_automation_devices.q) d
  where d.id in (
    select r.device_id from public.automations a
      cross join lateral app.automation_reach(a, null, a.trigger in ('new_device', 'alert')) r
    where a.id = search_automation_devices.automation_id
      and coalesce(r.reason, '') = search_automation_devices.reason)
$$;
comment on function public.search_automation_devices(uuid, text, text) is
  'The devices that an automation leaves out now for a reason of app.automation_reach(), or with an empty reason those on which it would run, '
  'that match q; filter, order and page it like the table. Runs as the caller.';
grant execute on function public.search_automation_devices(uuid, text, text) to authenticated;
