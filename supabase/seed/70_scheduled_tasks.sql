-- Demo data, part 7: scheduled tasks. When they run next is the database's to say.
set app.quiet = 'on';

insert into public.scheduled_tasks (id, company_id, name, procedure_id, target_kind, group_id, device_id, frequency, every_minutes,
  time_of_day, weekdays, month_day, timezone, missed_run, enabled, starts_at, last_run_at, created_by, created_at, updated_at)
select app.demo_id('schedule/' || s.company || '/' || s.key), app.demo_id('company/' || s.company), s.name,
  app.demo_id('procedure/' || s.company || '/' || s.procedure), s.target,
  case when s.target = 'group' then app.demo_id('group/' || s.company || '/' || s.which) end,
  case when s.target = 'device' then (select d.id from public.devices d
    where d.company_id = app.demo_id('company/' || s.company) and d.machine_id like 'demo-%' order by d.name_key, d.id limit 1) end,
  s.frequency, s.every, s.time, s.weekdays::text[], s.month_day, s.zone, s.missed, s.enabled,
  -- What runs once ran at its moment; the others began long ago.
  now() - case when s.frequency = 'once' then make_interval(days => s.ran) else interval '90 days' end,
  now() - make_interval(days => s.ran) + interval '1 minute',
  (select p.id from public.profiles p where p.email = 'admin@' || s.company || '.test'),
  now() - interval '95 days', now() - interval '30 days'
from (values
  ('acme', 'disk', 'Haftalık disk raporu', 'disk', 'group', 'servers', 'weekly', null, '07:00', '{mon}', null, 'Europe/Istanbul', 'run_once', true, 3),
  ('acme', 'temp', 'Geçici dosyaları temizle', 'temp', 'group', 'istanbul', 'weekly', null, '19:30', '{fri}', null, 'Europe/Istanbul', 'skip', true, 2),
  ('acme', 'time', 'Saat eşitleme', 'time', 'all', null, 'monthly', null, '03:15', null, 1, 'Europe/Istanbul', 'run_once', true, 20),
  ('acme', 'updates', 'Bekleyen güncellemeler', 'updates', 'group', 'servers', 'daily', null, '05:30', null, null, 'Europe/Istanbul', 'skip', true, 1),
  ('acme', 'bitlocker', 'BitLocker denetimi', 'bitlocker', 'group', 'finance', 'monthly', null, '10:00', null, 15, 'Europe/Istanbul', 'run_once', true, 6),
  ('acme', 'admins', 'Yerel yöneticiler', 'admins', 'group', 'istanbul', 'monthly', null, '11:00', null, 31, 'Europe/Istanbul', 'run_once', true, 21),
  ('acme', 'failed', 'Durmuş hizmetler', 'failed-units', 'group', 'servers', 'weekly', null, '06:45', '{mon,wed,fri}', null, 'Europe/Istanbul', 'skip', true, 1),
  ('acme', 'uptime', 'Çalışma süresi', 'uptime', 'device', '0', 'weekly', null, '08:00', '{sun}', null, 'Europe/Istanbul', 'skip', false, 9),
  ('acme', 'memory', 'Bellek özeti (pilot)', 'memory', 'group', 'pilot', 'every', 720, null, null, null, 'Europe/Istanbul', 'skip', false, 5),
  ('acme', 'hostname', 'Envanter öncesi ad listesi', 'hostname', 'group', 'macs', 'once', null, null, null, null, 'Europe/Istanbul', 'skip', true, 12),
  ('acme', 'hotfix', 'Kurulu güncellemeler', 'hotfix', 'group', 'pilot', 'monthly', null, '09:00', null, 10, 'Europe/Berlin', 'run_once', true, 11),
  ('globex', 'disk', 'Weekly disk report', 'disk', 'group', 'servers', 'weekly', null, '06:00', '{mon}', null, 'Europe/London', 'run_once', true, 3),
  ('globex', 'temp', 'Clear temporary files', 'temp', 'group', 'laptops', 'weekly', null, '12:30', '{thu}', null, 'Europe/London', 'skip', true, 2),
  ('globex', 'bitlocker', 'BitLocker audit', 'bitlocker', 'group', 'laptops', 'monthly', null, '09:00', null, 1, 'Europe/London', 'run_once', true, 20),
  ('globex', 'uptime', 'Uptime of the servers', 'uptime', 'group', 'servers', 'daily', null, '04:45', null, null, 'Europe/London', 'skip', true, 1),
  ('globex', 'dns', 'Flush the DNS cache', 'dns', 'group', 'engineering', 'once', null, null, null, null, 'Europe/London', 'skip', true, 15),
  ('globex', 'admins', 'Local administrators', 'admins', 'group', 'laptops', 'monthly', null, '10:00', null, 31, 'Europe/London', 'run_once', true, 21),
  ('initech', 'temp', 'Friday clean-up', 'temp', 'group', 'all', 'weekly', null, '17:00', '{fri}', null, 'America/Chicago', 'skip', true, 16),
  ('initech', 'disk', 'Disk usage', 'disk', 'group', 'all', 'monthly', null, '08:00', null, 1, 'America/Chicago', 'skip', false, 40),
  ('hooli', 'uptime', 'Server uptime', 'uptime', 'group', 'servers', 'daily', null, '03:00', null, null, 'America/Los_Angeles', 'skip', true, 1),
  ('hooli', 'memory', 'Memory of the Macs', 'memory', 'group', 'macs', 'weekly', null, '11:00', '{tue}', null, 'America/Los_Angeles', 'skip', false, 4),
  ('umbra', 'hostname', 'Host names', 'hostname', 'all', null, 'weekly', null, '09:00', '{mon}', null, 'Europe/Berlin', 'skip', false, null)
) as s (company, key, name, procedure, target, which, frequency, every, time, weekdays, month_day, zone, missed, enabled, ran)
on conflict do nothing;

reset app.quiet;
