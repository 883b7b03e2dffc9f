-- Demo data, part 7: automations with their steps, targets and runs, and policies.
set app.quiet = 'on';

insert into public.automations (id, company_id, name, description, trigger, enabled, platform, online_only, frequency, time_of_day,
  weekdays, month_day, starts_at, created_by, created_at)
select app.demo_id('automation/' || a.company || '/' || a.key), app.demo_id('company/' || a.company), a.name, a.description, a.trigger,
  a.enabled, c.platform, coalesce(c.online_only, false), coalesce(c.frequency, 'daily'), coalesce(c.time_of_day, '03:00'),
  coalesce(c.weekdays, '{}'), c.month_day, now() + interval '12 hours', (select p.id from public.profiles p where p.email = 'admin@' || a.company || '.test'), now() - make_interval(days => a.age)
from (values
  ('acme', 'disk', 'Disk dolunca temizle', 'Sistem diski dolduğunda geçici dosyaları siler', 'alert', true, 120),
  ('acme', 'welcome', 'Yeni cihaz hazırlığı', 'Kaydolan her bilgisayarda ilk denetimler', 'new_device', true, 115),
  ('acme', 'nightly', 'Gece bakımı', 'Her gece güncelleme denetimi ve temizlik', 'schedule', true, 110),
  ('acme', 'servers', 'Server health', 'Services and disks of every server', 'schedule', true, 96),
  ('acme', 'spooler', 'Yazdırma kuyruğunu canlandır', null, 'alert', true, 90),
  ('acme', 'encryption', 'BitLocker audit', 'Reports machines whose disk is not encrypted', 'schedule', true, 71),
  ('acme', 'logon', 'Failed sign-in follow-up', 'Collects the local administrators when many sign-ins fail', 'alert', true, 64),
  ('acme', 'office', 'İstanbul ofisi sabah denetimi', null, 'schedule', false, 40),
  ('acme', 'facts', 'Collect facts', 'Run by hand before a visit', 'manual', true, 21),
  ('acme', 'accounting', 'Muhasebe programı gözetimi', 'Logo Tiger kapanırsa haber verir', 'alert', true, 12),
  ('acme', 'pilots', 'Pilot grubuna katılanlar', 'Pilot gruba giren bilgisayarın güncellemeleri denetlenir', 'enters_group', true, 9),
  ('globex', 'disk', 'Clean up full disks', 'Frees temporary files when a disk fills up', 'alert', true, 100),
  ('globex', 'welcome', 'New laptop checks', null, 'new_device', true, 98),
  ('globex', 'web', 'Shop front recovery', 'Restarts what the shop needs', 'alert', true, 60),
  ('globex', 'weekly', 'Weekly report', 'Disk, memory and updates of all servers', 'schedule', true, 44),
  ('globex', 'certificates', 'Certificates', 'Warns three weeks before one ends', 'schedule', true, 30),
  ('globex', 'backup', 'Backup agent watch', null, 'alert', false, 18),
  ('initech', 'disk', 'Disk clean-up', null, 'alert', true, 80),
  ('initech', 'tps', 'TPS report machines', 'Checked before the end of each month', 'schedule', true, 50),
  ('hooli', 'cpu', 'CPU follow-up', null, 'alert', true, 70),
  ('hooli', 'macs', 'Mac facts', 'Collected by hand', 'manual', true, 33)
) as a (company, key, name, description, trigger, enabled, age)
left join (values
  ('acme', 'servers', 'linux', true, 'daily', '06:30', null::text[], null::integer),
  ('acme', 'encryption', 'windows', false, 'weekly', '10:00', '{mon}', null),
  ('acme', 'office', 'windows', true, 'weekly', '08:30', '{mon,tue,wed,thu,fri}', null),
  ('acme', 'disk', 'windows', false, null, null, null, null),
  ('globex', 'weekly', null, false, 'weekly', '07:00', '{fri}', null),
  ('initech', 'tps', null, false, 'monthly', '09:00', null, 25)
) as c (company, key, platform, online_only, frequency, time_of_day, weekdays, month_day) on (c.company, c.key) = (a.company, a.key)
on conflict do nothing;

insert into public.automation_monitors (company_id, automation_id, monitor_id, added_at)
select a.company_id, a.id, m.id, a.created_at
from (values
  ('acme', 'disk', 'disk'), ('acme', 'servers', 'disk'), ('acme', 'servers', 'sql'), ('acme', 'servers', 'ssh'), ('acme', 'servers', 'memory'),
  ('acme', 'spooler', 'spooler'), ('acme', 'logon', 'logon'), ('acme', 'accounting', 'logo'), ('acme', 'nightly', 'crash'),
  ('globex', 'disk', 'disk'), ('globex', 'web', 'web'), ('globex', 'web', 'nginx'), ('globex', 'weekly', 'cpu'), ('globex', 'backup', 'backup'),
  ('initech', 'disk', 'disk'), ('hooli', 'cpu', 'cpu')
) as l (company, automation, monitor)
join public.automations a on a.id = app.demo_id('automation/' || l.company || '/' || l.automation)
join public.monitors m on m.company_id = a.company_id and m.id = app.demo_id('monitor/' || l.company || '/' || l.monitor)
on conflict do nothing;

insert into public.automation_steps (id, company_id, automation_id, position, procedure_id, on_failure)
select app.demo_id('automation_step/' || l.company || '/' || l.automation || '/' || l.procedure), a.company_id, a.id,
  row_number() over (partition by a.id order by l.n), p.id, case l.procedure when 'temp' then 'continue' when 'uptime' then 'continue' else 'stop' end
from (select v.*, row_number() over () as n from (values
  ('acme', 'disk', 'temp'), ('acme', 'disk', 'largest'), ('acme', 'welcome', 'hostname'), ('acme', 'welcome', 'bitlocker'), ('acme', 'welcome', 'updates'),
  ('acme', 'nightly', 'updates'), ('acme', 'nightly', 'temp'), ('acme', 'servers', 'failed-units'), ('acme', 'servers', 'disk'),
  ('acme', 'spooler', 'restart'), ('acme', 'encryption', 'bitlocker'), ('acme', 'logon', 'admins'), ('acme', 'office', 'ipconfig'),
  ('acme', 'facts', 'hostname'), ('acme', 'facts', 'uptime'), ('acme', 'facts', 'memory'), ('acme', 'pilots', 'updates'),
  ('globex', 'disk', 'temp'), ('globex', 'welcome', 'hostname'), ('globex', 'welcome', 'admins'), ('globex', 'web', 'restart'),
  ('globex', 'weekly', 'disk'), ('globex', 'weekly', 'memory'), ('globex', 'weekly', 'updates'), ('globex', 'certificates', 'tls'),
  ('initech', 'disk', 'temp'), ('initech', 'tps', 'hostname'), ('hooli', 'cpu', 'uptime'), ('hooli', 'macs', 'hostname')
) as v (company, automation, procedure)) l
join public.automations a on a.id = app.demo_id('automation/' || l.company || '/' || l.automation)
join public.procedures p on p.company_id = a.company_id and p.id = app.demo_id('procedure/' || l.company || '/' || l.procedure)
on conflict do nothing;

insert into public.automation_groups (company_id, automation_id, group_id, added_at)
select a.company_id, a.id, g.id, a.created_at
from (values
  ('acme', 'disk', 'istanbul'), ('acme', 'disk', 'finance'), ('acme', 'nightly', 'pilot'), ('acme', 'pilots', 'pilot'), ('acme', 'servers', 'servers'),
  ('acme', 'spooler', 'finance'), ('acme', 'office', 'istanbul'), ('acme', 'accounting', 'finance'), ('acme', 'facts', 'macs'), ('acme', 'welcome', 'pilot'),
  ('globex', 'disk', 'laptops'), ('globex', 'welcome', 'laptops'), ('globex', 'web', 'servers'), ('globex', 'weekly', 'servers'),
  ('globex', 'certificates', 'servers'), ('globex', 'backup', 'servers'), ('initech', 'disk', 'all'), ('initech', 'tps', 'all'),
  ('hooli', 'cpu', 'servers'), ('hooli', 'macs', 'macs')
) as l (company, automation, team)
join public.automations a on a.id = app.demo_id('automation/' || l.company || '/' || l.automation)
join public.groups g on g.company_id = a.company_id and g.id = app.demo_id('group/' || l.company || '/' || l.team)
on conflict do nothing;

insert into public.automation_devices (company_id, automation_id, device_id, added_at)
select a.company_id, a.id, d.id, a.created_at
from (values ('acme', 'facts', 1), ('acme', 'facts', 4), ('acme', 'facts', 6), ('acme', 'logon', 2), ('acme', 'logon', 3), ('acme', 'encryption', 5),
  ('globex', 'backup', 3), ('globex', 'backup', 7), ('hooli', 'cpu', 2)) as l (company, automation, n)
join public.automations a on a.id = app.demo_id('automation/' || l.company || '/' || l.automation)
join public.devices d on d.company_id = a.company_id and d.id = app.demo_id('device/' || l.company || '/' || l.n)
on conflict do nothing;

insert into public.automation_runs (id, company_id, automation_id, device_id, status, trigger, step, step_id, procedure_id, failed_steps,
  error, group_id, started_by, started_at, finished_at)
select app.demo_id('automation_run/' || l.company || '/' || l.automation || '/' || l.n || '/' || l.hours), a.company_id, a.id, d.id, l.status, l.cause,
  s.position, s.id, s.procedure_id, l.failed, case when l.failed > 0 then 'step_failed' end,
  case l.cause when 'enters_group' then (select g.group_id from public.automation_groups g
    where g.company_id = a.company_id and g.automation_id = a.id order by g.group_id limit 1) end,
  case l.cause when 'manual' then a.created_by end, now() - make_interval(hours => l.hours),
  now() - make_interval(hours => l.hours) + interval '4 minutes'
from (values
  ('acme', 'facts', 1, 'succeeded', 'manual', 3, 0, 2), ('acme', 'facts', 4, 'partial', 'manual', 3, 1, 2), ('acme', 'facts', 6, 'failed', 'manual', 1, 1, 2),
  ('acme', 'facts', 1, 'succeeded', 'manual', 3, 0, 170), ('acme', 'encryption', 5, 'succeeded', 'schedule', 1, 0, 50),
  ('acme', 'nightly', 2, 'succeeded', 'schedule', 2, 0, 12), ('acme', 'nightly', 3, 'cancelled', 'schedule', 1, 0, 12),
  ('acme', 'welcome', 9, 'succeeded', 'new_device', 3, 0, 90), ('acme', 'logon', 2, 'failed', 'alert', 1, 1, 30),
  ('globex', 'weekly', 2, 'succeeded', 'schedule', 3, 0, 60), ('globex', 'welcome', 4, 'failed', 'new_device', 2, 1, 40),
  ('globex', 'web', 3, 'succeeded', 'alert', 1, 0, 9), ('hooli', 'macs', 2, 'succeeded', 'manual', 1, 0, 20)
) as l (company, automation, n, status, cause, step, failed, hours)
join public.automations a on a.id = app.demo_id('automation/' || l.company || '/' || l.automation)
join public.devices d on d.company_id = a.company_id and d.id = app.demo_id('device/' || l.company || '/' || l.n)
join public.automation_steps s on s.company_id = a.company_id and s.automation_id = a.id and s.position = l.step
on conflict do nothing;

-- Policies ----------------------------------------------------------------------------------------------------------

insert into public.policies (id, company_id, name, description, kind, window_weekdays, window_from, window_to, check_in_seconds, denied,
  position, enabled, created_by, created_at)
select app.demo_id('policy/' || p.company || '/' || p.key), app.demo_id('company/' || p.company), p.name, p.description, p.kind,
  coalesce((select array_agg(left(d, 3)) from jsonb_array_elements_text(p.settings::jsonb -> 'days') d), '{}'),
  coalesce(p.settings::jsonb ->> 'from', '22:00'), coalesce(p.settings::jsonb ->> 'until', '05:00'),
  (p.settings::jsonb ->> 'interval_seconds')::integer,
  coalesce((select array_agg(d) from jsonb_array_elements_text(p.settings::jsonb -> 'deny') d where p.kind = 'permission'), '{}'),
  p.position, p.enabled, (select u.id from public.profiles u where u.email = 'admin@' || p.company || '.test'),
  now() - make_interval(days => 100 - p.position)
from (values
  ('acme', 'pilot', 'Önce pilot grup', 'Onaylanan güncellemeler önce pilot gruba', 'patch', '{"approve":["security","critical"],"wait_days":0}', 10, true),
  ('acme', 'security', 'Güvenlik güncellemeleri', 'Pilot gruptan sonra herkese', 'patch', '{"approve":["security","critical","definition"],"wait_days":3}', 20, true),
  ('acme', 'features', 'Feature updates', 'By hand only', 'patch', '{"approve":[],"wait_days":30}', 30, true),
  ('acme', 'servers', 'Sunucu bakım penceresi', 'Pazar gecesi', 'maintenance', '{"days":["sunday"],"from":"02:00","until":"05:00"}', 40, true),
  ('acme', 'office', 'Ofis bakım penceresi', null, 'maintenance', '{"days":["monday","tuesday","wednesday","thursday","friday"],"from":"19:00","until":"23:00"}', 50, true),
  ('acme', 'interval', 'Sık bildirim', 'Sunucular daha sık bildirir', 'agent', '{"interval_seconds":30}', 60, true),
  ('acme', 'finance', 'Muhasebede komut yok', 'Muhasebe bilgisayarlarında yalnızca onaylı betikler', 'permission', '{"deny":["command"]}', 70, true),
  ('acme', 'macs', 'Mac updates', null, 'patch', '{"approve":["security"],"wait_days":7}', 80, false),
  ('globex', 'security', 'Security updates', 'Approved by hand', 'patch', '{"approve":["security","critical"],"wait_days":2}', 10, true),
  ('globex', 'drivers', 'No drivers', 'Drivers come with the laptop image', 'patch', '{"deny":["driver"]}', 20, true),
  ('globex', 'weekend', 'Weekend window', null, 'maintenance', '{"days":["saturday","sunday"],"from":"22:00","until":"04:00"}', 30, true),
  ('globex', 'laptops', 'Laptops save battery', 'Check in less often', 'agent', '{"interval_seconds":300}', 40, true),
  ('globex', 'engineering', 'Engineers may run anything', null, 'permission', '{}', 50, true),
  ('globex', 'kiosk', 'Kiosk machines', 'Not in use yet', 'permission', '{"deny":["command","procedure","power"]}', 60, false),
  ('initech', 'security', 'Security updates', null, 'patch', '{"approve":["security"],"wait_days":14}', 10, true),
  ('initech', 'night', 'Night window', null, 'maintenance', '{"days":["friday"],"from":"23:00","until":"05:00"}', 20, true),
  ('hooli', 'fast', 'Fast ring', null, 'patch', '{"approve":["security","critical","feature"],"wait_days":0}', 10, true),
  ('hooli', 'servers', 'Server window', null, 'maintenance', '{"days":["sunday"],"from":"01:00","until":"03:00"}', 20, true),
  ('umbra', 'quiet', 'Quiet agent', null, 'agent', '{"interval_seconds":600}', 10, true)
) as p (company, key, name, description, kind, settings, position, enabled)
on conflict do nothing;

-- Only a disabled one: the demo's devices have no machines, and the demo's updates wait for a decision.
update public.policies p set approve_severities = array['critical', 'important'], approve_after_days = 7, window_weekdays = array['tue', 'sat'],
  reboot = 'if_needed'
where p.kind = 'patch' and not p.enabled and p.approve_severities = '{}';

-- Rings judge updates, and install nothing without a window.
update public.policies p set ring = r.ring, promote_after_days = r.days, promote_success_percent = r.percent, promote_min_devices = r.devices
from (values ('acme', 'pilot', 1, 3, 95, 3), ('acme', 'security', 2, 3, 90, 3), ('acme', 'macs', 3, 7, 95, 10)) as r (company, key, ring, days, percent, devices)
where p.id = app.demo_id('policy/' || r.company || '/' || r.key) and p.ring is null;
update public.policies p set reboot = 'in_window', reboot_weekdays = array['sun'], reboot_from = '03:00', reboot_to = '05:00'
where p.id = app.demo_id('policy/acme/macs') and p.reboot = 'if_needed';

insert into public.policy_groups (company_id, policy_id, group_id, added_at)
select p.company_id, p.id, g.id, p.created_at
from (values
  ('acme', 'pilot', 'pilot'), ('acme', 'servers', 'servers'), ('acme', 'office', 'istanbul'), ('acme', 'office', 'finance'),
  ('acme', 'interval', 'servers'), ('acme', 'finance', 'finance'), ('acme', 'macs', 'macs'),
  ('globex', 'drivers', 'laptops'), ('globex', 'weekend', 'servers'), ('globex', 'laptops', 'laptops'), ('globex', 'engineering', 'engineering'),
  ('initech', 'security', 'all'), ('hooli', 'fast', 'macs'), ('hooli', 'servers', 'servers')
) as l (company, policy, team)
join public.policies p on p.id = app.demo_id('policy/' || l.company || '/' || l.policy)
join public.groups g on g.company_id = p.company_id and g.id = app.demo_id('group/' || l.company || '/' || l.team)
on conflict do nothing;

reset app.quiet;
