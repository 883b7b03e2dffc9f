-- Seats of companies and of software licenses: who has more than they are licensed for learns of it.

alter table public.companies add column device_count integer not null default 0;
comment on column public.companies.device_count is 'Devices of the company. Kept by trigger.';
alter table public.companies add column seats_left integer generated always as (seats - device_count) stored;
comment on column public.companies.seats_left is 'Below zero when the company has more devices than seats; null without a limit.';
update public.companies c set device_count = x.count from (select d.company_id, count(*) as count from public.devices d group by 1) x
  where c.id = x.company_id;
create index companies_seats_left_idx on public.companies (seats_left, id);
create index companies_device_count_idx on public.companies (device_count, id);
-- An enrollment must not outdate an open form, and is not a change to log.
drop trigger companies_touch on public.companies;
create trigger companies_touch before update on public.companies for each row
  execute function app.touch('name', 'status', 'license_type', 'license_end_date', 'seats', 'timezone');
drop trigger companies_audit_insert on public.companies;
drop trigger companies_audit_update on public.companies;
drop trigger companies_audit_delete on public.companies;
select app.keep_audit('public.companies', 'id', array['device_count', 'seats_left']);

-- Definer, because the column is nobody's to write.
create function app.count_company_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.companies c
    set device_count = c.device_count + x.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select n.company_id, count(*) as devices from changed n group by 1) x
    where c.id = x.company_id;
  return null;
end $$;
comment on function app.count_company_devices() is 'Statement trigger: keeps companies.device_count.';
revoke execute on function app.count_company_devices() from public;
create trigger devices_of_company_insert after insert on public.devices referencing new table as changed
  for each statement execute function app.count_company_devices();
create trigger devices_of_company_delete after delete on public.devices referencing old table as changed
  for each statement execute function app.count_company_devices();

create function app.tell_of_seats() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, c.id, 'seats_exceeded', jsonb_build_object('company', c.name, 'devices', c.device_count, 'seats', c.seats),
    case when r.company_id is null then '/company-management/' || c.id else '/system-license' end, k.once_key
  from public.companies c
    cross join lateral (select format('seats:%s:%s', c.id, c.seats) as once_key) k
    -- Those of the company, and those who see all companies.
    join public.user_roles r on (r.company_id = c.id or r.company_id is null) and r.deactivated_at is null
      and r.role = any (app.roles_that_may('companies', 'edit'))
  where c.seats_left < 0
    and not exists (select 1 from public.notifications n where n.user_id = r.user_id and n.once_key = k.once_key)
  order by c.id, r.user_id limit 200
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.tell_of_seats() is
  'Step of app.tick(): tells the administrators of a company, and those who see all, once for each number of seats that it has more '
  'devices than seats. Enrollment goes on.';
revoke execute on function app.tell_of_seats() from public;
insert into app.tick_step (position, name, function) values (83, 'seats', 'tell_of_seats');

-- Software licenses ----------------------------------------------------------------------------------------------------------

alter table public.software_licenses add column remind_days integer not null default 30 check (remind_days between 1 and 365);
comment on column public.software_licenses.remind_days is 'How many days before its end the first reminder is sent.';
grant insert (remind_days), update (remind_days) on public.software_licenses to authenticated;
alter table app.license_reminders drop constraint license_reminders_days_check;
alter table app.license_reminders add constraint license_reminders_days_check check (days between 1 and 365);
create index software_licenses_ending_idx on public.software_licenses (expires_on, id) where expires_on is not null;

create or replace function app.remind_of_licenses() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  with due as (
    insert into app.license_reminders (company_id, license_id, expires_on, days)
    select l.company_id, l.id, l.expires_on, k.days
    from public.software_licenses l
    -- A license that is entered late gets the latest reminder alone.
    cross join lateral (select case when l.expires_on - current_date <= 1 then 1
      when l.expires_on - current_date <= 7 and l.remind_days >= 7 then 7 else l.remind_days end as days) k
    where l.expires_on between current_date and current_date + 365 and l.expires_on <= current_date + l.remind_days
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
  'Step of app.tick(): tells whoever may edit the software licenses of a company that one ends in remind_days, 7 and 1 days, each once; '
  'at most 200 licenses a call.';

-- Security definer: counts as the trigger of a license does, which needs functions granted to nobody; checks permission and company.
create function public.license_preview(match_rule text, license_type text default 'device', company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' set statement_timeout = '5s' as $$
declare
  owner uuid := coalesce(license_preview.company, app.own_company());
  titles uuid[];
begin
  perform app.require('software_licenses', 'list');
  if owner is null or not (owner = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'not your company', hint = 'role';
  end if;
  if length(license_preview.match_rule) > 200 or cardinality(app.search_patterns(license_preview.match_rule)) = 0 then
    return jsonb_build_object('count', 0, 'titles', 0, 'names', jsonb_build_array());
  end if;
  titles := app.matching_titles(owner, license_preview.match_rule);
  return jsonb_build_object('count', app.count_license(owner, license_preview.license_type, titles), 'titles', cardinality(titles),
    'names', (select coalesce(jsonb_agg(x.name order by x.name), '[]') from (
      select s.name from public.software s where s.company_id = owner and s.id = any (titles) order by s.name limit 5) x));
end $$;
comment on function public.license_preview(text, text, uuid) is
  '{count, titles, names}: how many devices, or users, a match rule would count in a company, of how many titles, and the first five of them.';
revoke execute on function public.license_preview(text, text, uuid) from public, anon;
grant execute on function public.license_preview(text, text, uuid) to authenticated;
