-- Demo data, part 6: what each account is told. Two unread ones each: the bell counts the real ones.
set app.quiet = 'on';

insert into public.notifications (id, user_id, company_id, kind, params, link, read_at, once_key, created_at)
select app.demo_id('notification/' || n.email || '/' || n.position), p.id, c.id, n.kind,
  case when n.kind like 'license%'
    then jsonb_build_object('company', c.name, 'end_date', c.license_end_date,
      'days', greatest(0, ceil(extract(epoch from c.license_end_date - now()) / 86400)))
    when j.id is not null then jsonb_build_object('name', j.name, 'succeeded', j.succeeded, 'failed', j.failed, 'canceled', j.canceled)
    else n.params::jsonb || case when a.message is null then '{}' else jsonb_build_object('message', a.message) end end,
  -- An alert and a finished job lead to their own pages.
  coalesce('/alerts/' || a.id, '/tasks/' || j.id, n.link), case when n.hours > 100 then now() - make_interval(hours => n.hours - 20) end,
  -- The key app.tick() would use, so that it does not tell the same thing again.
  case when n.kind like 'license%' then app.license_key(c.status, c.license_end_date) else 'demo:' || n.position end,
  coalesce(a.opened_at, j.updated_at, now() - make_interval(hours => n.hours))
from (values
  ('super@demo.test', 1, 'initech', 'company_expired', '{"company":"Initech"}', '/company-management', 30),
  ('super@demo.test', 2, 'umbra', 'company_suspended', '{"company":"Umbra"}', '/company-management', 52),
  ('super@demo.test', 3, null, 'welcome', '{}', '/settings', 700),
  ('admin@acme.test', 1, 'acme', 'alert_opened', '{"monitor":"SQL Server","message":"The service MSSQLSERVER is stopped","severity":"critical"}', '/monitors', 1),
  ('admin@acme.test', 2, 'acme', 'job_finished', '{}', '/tasks', 5),
  ('admin@acme.test', 3, 'acme', 'welcome', '{}', '/settings', 700),
  ('teknik@acme.test', 1, 'acme', 'alert_opened', '{"monitor":"Failed sign-ins","message":"Event 4625 in Security: 10 or more within 15 minutes","severity":"warning"}', '/monitors', 1),
  ('teknik@acme.test', 2, 'acme', 'job_finished', '{}', '/tasks', 8),
  ('standard@acme.test', 1, 'acme', 'welcome', '{}', '/tickets', 26),
  ('standard@acme.test', 2, 'acme', 'password_advice', '{}', '/tickets', 25),
  ('admin@globex.test', 1, 'globex', 'license_expiring', '{}', '/system-license', 10),
  ('admin@globex.test', 2, 'globex', 'alert_opened', '{"monitor":"Backup agent","message":"veeamagent is not running","severity":"warning"}', '/monitors', 11),
  ('admin@initech.test', 1, 'initech', 'license_expired', '{}', '/system-license', 80),
  ('admin@initech.test', 2, 'initech', 'alert_opened', '{"monitor":"Disk space","message":"System disk at 97 %, above 90 %","severity":"critical"}', '/monitors', 90)
) as n (email, position, company, kind, params, link, hours)
join public.profiles p on p.email = n.email
left join public.companies c on c.id = app.demo_id('company/' || n.company)
-- An alert is told in its own words, when it opened.
left join lateral (
  select x.id, x.message, x.opened_at from public.alerts x join public.monitors m on m.company_id = x.company_id and m.id = x.monitor_id
  where n.kind = 'alert_opened' and x.company_id = c.id and m.name = n.params::jsonb ->> 'monitor'
  order by x.opened_at desc limit 1
) a on true
-- The last job of the one who is told.
left join lateral (
  select x.id, x.name, x.succeeded, x.failed, x.canceled, x.updated_at from public.jobs x
  where n.kind = 'job_finished' and x.company_id = c.id and x.created_by = p.id and x.status = 'finished'
  order by x.created_at desc limit 1
) j on true
on conflict do nothing;

reset app.quiet;
