-- Demo data, part 5: what happened over the last three weeks: jobs, logs, monitors, alerts, tokens.
set app.quiet = 'on';

-- What each script prints, where it worked and where it did not. %H is the device, %1 and %2 are figures, %3 is %1.4 in
-- percent of 468.4.
drop table if exists pg_temp.demo_outputs;
create temporary table demo_outputs as
select * from (values
('hostname', E'Hostname: %H\nSystem:   Linux 6.8.0-48-generic\nPython:   3.12.3', null),
('disk', E'/              %1.4 of    468.4 GB used (%3 %)', E'/            451.9 of    468.4 GB used (96.5 %)\nAbove the limit of 90 %'),
('largest', E'     %1.2 MB  /var/log/syslog.1\n      %2.7 MB  /var/log/auth.log', null),
('tls', E'intranet.%C.test: valid until Mar 14 09:20:11 2027 GMT (%1 days)', E'intranet.%C.test: valid until soon (11 days)'),
('uptime', E'Host:   %H\nKernel: Linux 6.8.0-48-generic\n 09:41:02 up %2 days,  3:12,  1 user,  load average: 0.%1, 0.28, 0.21\n\nSigned in:', null),
('memory', E'               total        used        free\nMem:           15873        %16        %2', null),
('failed-units', 'No failed units.', E'smartd.service loaded failed failed Self Monitoring and Reporting Technology (SMART) Daemon'),
('updates', '%2 packages can be updated.', E'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 48%2 (unattended-upgr)'),
('temp', 'Freed %1.6 MB', null),
('bitlocker', E'MountPoint VolumeStatus   ProtectionStatus EncryptionPercentage\n---------- ------------   ---------------- --------------------\nC:         FullyEncrypted               On                  100',
  E'MountPoint VolumeStatus   ProtectionStatus EncryptionPercentage\n---------- ------------   ---------------- --------------------\nC:         FullyDecrypted              Off                    0'),
('admins', E'Name                 ObjectClass PrincipalSource\n----                 ----------- ---------------\n%H\\Administrator User        Local\n%H\\itadmin       User        Local', null),
('dns', E'\nWindows IP Configuration\n\nSuccessfully flushed the DNS Resolver Cache.', null),
('ipconfig', E'Windows IP Configuration\n\n   Host Name . . . . . . . . . . . . : %H\n   Node Type . . . . . . . . . . . . : Hybrid', null)
) as o (key, good, bad);

drop table if exists pg_temp.demo_jobs;
create temporary table demo_jobs as
select c.company, j.n, p.id as procedure_id, p.company_id, p.name, p.type, p.script, p.timeout_seconds, o.key, o.good, o.bad,
  app.demo_id('job/' || c.company || '/' || j.n) as id,
  -- The last one just now, the others back over three weeks.
  now() - make_interval(mins => 11 + (j.n - 1) * c.every + app.demo_pick(c.company || j.n, 90)) as created_at,
  1 + app.demo_pick(c.company || j.n || 'size', 12) as wanted, c.company = 'acme' and j.n in (4, 9) as is_stopped
from (values ('acme', 26, 1150), ('globex', 20, 1450), ('initech', 6, 3000), ('hooli', 8, 3200), ('umbra', 2, 9000)) as c (company, jobs, every)
cross join lateral generate_series(1, c.jobs) as j (n)
cross join lateral (
  select q.*, substr(k.key, 1) as script_key from demo_outputs k
  join public.procedures q on q.id = app.demo_id('procedure/' || c.company || '/' || k.key)
  order by md5(c.company || j.n || k.key) limit 1
) p
join demo_outputs o on o.key = p.script_key;

drop table if exists pg_temp.demo_runs;
create temporary table demo_runs as
select j.*, d.id as device_id, d.name as device_name, d.hostname, app.demo_id('run/' || j.id || '/' || d.id) as run_id,
  case
    -- Two tasks were stopped: some of their devices had not begun.
    when j.is_stopped and app.demo_pick(j.id::text || d.id || 'stop', 2) = 0 then 'cancelled'
    when j.bad is null or app.demo_pick(j.id::text || d.id, 6) > 0 then 'succeeded'
    when app.demo_pick(j.id::text || d.id || 'slow', 4) = 0 then 'timed_out'
    else 'failed'
  end as state,
  j.created_at + make_interval(secs => 3 + app.demo_pick(j.id::text || d.id || 'wait', 40)) as started_at,
  j.created_at + make_interval(secs => 5 + app.demo_pick(j.id::text || d.id || 'wait', 40) + app.demo_pick(j.id::text || d.id || 'took', 25)) as finished_at
from demo_jobs j
cross join lateral (
  select x.* from public.devices x
  where x.company_id = j.company_id and x.machine_id like 'demo-%'
    -- It was there: enrolled before, and not gone until a while after.
    and x.enrolled_at < j.created_at and (x.offline_since is null or x.offline_since > j.created_at + interval '5 minutes')
    and case when j.type in ('PowerShell', 'Batch') then x.platform = 'windows' when j.type = 'Bash' then x.platform <> 'windows' else true end
  order by md5(j.id::text || x.id) limit j.wanted
) d;

insert into public.jobs (id, company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
  timeout_seconds, parameters, created_by, expires_at, status, total, succeeded, failed, canceled, created_at, updated_at)
select j.id, j.company_id, 'procedure', j.name, j.procedure_id, v.id, j.type, j.script,
  encode(sha256(convert_to(j.script, 'UTF8')), 'hex'), j.timeout_seconds, '{}',
  (select p.id from public.profiles p
   where p.email = case when j.company = 'acme' and j.n % 3 = 0 then 'teknik' else 'admin' end || '@' || j.company || '.test'),
  j.created_at + interval '1 day', case when r.canceled > 0 then 'cancelled' else 'finished' end, r.total, r.succeeded,
  r.total - r.succeeded - r.canceled, r.canceled, j.created_at, r.finished_at
from demo_jobs j
join public.procedure_versions v on v.company_id = j.company_id and v.procedure_id = j.procedure_id and v.number = 1
join (select x.id, count(*) as total, count(*) filter (where x.state = 'succeeded') as succeeded,
        count(*) filter (where x.state = 'cancelled') as canceled, max(x.finished_at) as finished_at
      from demo_runs x group by x.id) r on r.id = j.id
on conflict do nothing;

drop table if exists pg_temp.demo_texts;
create temporary table demo_texts as
select r.run_id, replace(replace(replace(replace(replace(case r.state when 'succeeded' then r.good when 'failed' then r.bad end, '%H', r.hostname),
  '%C', r.company), '%1', f.first::text), '%2', f.second::text), '%3', round((f.first + 0.4) * 100 / 468.4, 1)::text) as output
from demo_runs r
cross join lateral (select 10 + app.demo_pick(r.run_id || '1', 80) as first, 3 + app.demo_pick(r.run_id || '2', 60) as second) f;

insert into public.job_runs (id, company_id, job_id, device_id, procedure_id, status, attempt, queued_at, claimed_at, started_at,
  finished_at, reported_at, cancel_requested_at, exit_code, error, output, created_at, updated_at)
select r.run_id, r.company_id, r.id, r.device_id, r.procedure_id, r.state, case when r.state = 'cancelled' then 0 else 1 end,
  r.created_at, case when r.state <> 'cancelled' then r.started_at end, case when r.state <> 'cancelled' then r.started_at end,
  r.finished_at, case when r.state <> 'cancelled' then r.finished_at end, case when r.state = 'cancelled' then r.finished_at end,
  case r.state when 'succeeded' then 0 when 'failed' then 1 end, case when r.state in ('timed_out', 'cancelled') then r.state end,
  t.output, r.created_at, r.finished_at
from demo_runs r join demo_texts t on t.run_id = r.run_id
join public.jobs j on j.id = r.id
on conflict do nothing;

insert into public.procedure_logs (id, company_id, procedure_id, procedure_name, device_id, device_name, job_run_id, executed_at, status, output)
select app.demo_id('log/' || r.run_id), r.company_id, r.procedure_id, r.name, r.device_id, r.device_name, r.run_id, r.finished_at,
  case r.state when 'succeeded' then 'success' else 'error' end, t.output
from demo_runs r join demo_texts t on t.run_id = r.run_id
join public.job_runs x on x.id = r.run_id
where r.state <> 'cancelled'
on conflict do nothing;

insert into public.monitors (id, company_id, name, description, type, severity, settings, threshold, service_name, target,
  process_name, event_id, log_name, enabled, last_check_at, created_at, metric, above_percent, restart, probe, process_state,
  event_minutes, event_count, platforms)
select app.demo_id('monitor/' || m.company || '/' || m.key), app.demo_id('company/' || m.company), m.name, m.description, m.type,
  m.severity, m.settings::jsonb, m.threshold, m.service_name, m.target, m.process_name, m.event_id, m.log_name,
  m.key <> 'print',
  now() - case when m.key = 'print' then interval '30 days' else make_interval(secs => 20 + app.demo_pick(m.company || m.key, 200)) end, now() - interval '140 days',
  coalesce(m.settings::jsonb ->> 'metric', 'cpu'), coalesce((m.settings::jsonb ->> 'value')::integer, 90),
  coalesce((m.settings::jsonb ->> 'restart')::boolean, false), coalesce(m.settings::jsonb ->> 'check', 'ping'),
  case m.settings::jsonb ->> 'expect' when 'not_running' then 'running' else 'stopped' end,
  case m.type when 'Event ID' then (m.settings::jsonb ->> 'minutes')::integer else 15 end, coalesce((m.settings::jsonb ->> 'count')::integer, 1),
  -- Only the office's own machines are asked for its programs and servers, which no real device that is enrolled into the demo has.
  case when m.key in ('spooler', 'sql', 'gateway', 'erp', 'rdp', 'logo', 'web', 'backup', 'fax', 'nucleus') then array['windows']
    when m.key = 'nginx' then array['linux'] else array[]::text[] end
from (values
  ('acme', 'cpu', 'CPU yükü', 'Beş dakika boyunca yüksek işlemci', 'Performance', 'warning', '{"metric":"cpu","operator":">","value":90,"minutes":5}', '> 90 % for 5 min', null, null, null, null, null),
  ('acme', 'memory', 'Memory pressure', null, 'Performance', 'warning', '{"metric":"memory","operator":">","value":92,"minutes":10}', '> 92 % for 10 min', null, null, null, null, null),
  ('acme', 'disk', 'System disk almost full', 'Less than a tenth left', 'Performance', 'critical', '{"metric":"disk","operator":">","value":90,"minutes":1}', '> 90 %', null, null, null, null, null),
  ('acme', 'spooler', 'Print spooler', 'Restarted when it stops', 'Service', 'info', '{"restart":true}', null, 'Spooler', null, null, null, null),
  ('acme', 'sql', 'SQL Server', null, 'Service', 'critical', '{"restart":false}', null, 'MSSQLSERVER', null, null, null, null),
  ('acme', 'ssh', 'SSH service', null, 'Service', 'warning', '{"restart":true}', null, 'ssh', null, null, null, null),
  ('acme', 'gateway', 'Ağ geçidi', 'Merkez ofis yönlendiricisi', 'Network', 'critical', '{"check":"ping","timeout_ms":1000}', '3 of 5 lost', null, '10.20.0.1', null, null, null),
  ('acme', 'erp', 'ERP web', null, 'Network', 'critical', '{"check":"http","status":200}', 'HTTP 200 within 3 s', null, 'https://erp.acme.test/health', null, null, null),
  ('acme', 'rdp', 'RDP port', null, 'Network', 'info', '{"check":"tcp","port":3389}', 'port open', null, 'srv-erp:3389', null, null, null),
  ('acme', 'logo', 'Logo Tiger', 'Muhasebe programı açık olmalı', 'Process', 'warning', '{"expect":"running"}', 'running', null, null, 'LTiger.exe', null, null),
  ('acme', 'miner', 'Unwanted miner', null, 'Process', 'critical', '{"expect":"not_running"}', 'not running', null, null, 'xmrig', null, null),
  ('acme', 'logon', 'Failed sign-ins', 'Many wrong passwords within a quarter of an hour', 'Event ID', 'warning', '{"minutes":15,"count":10}', '10 in 15 min', null, null, null, 4625, 'Security'),
  ('acme', 'crash', 'Unexpected shutdown', null, 'Event ID', 'warning', '{"minutes":60,"count":1}', '1 in 60 min', null, null, null, 41, 'System'),
  ('acme', 'print', 'Print server load', 'Switched off while printers are replaced', 'Performance', 'info', '{"metric":"cpu","operator":">","value":50}', '> 50 %', null, null, null, null, null),
  ('globex', 'cpu', 'CPU load', null, 'Performance', 'warning', '{"metric":"cpu","operator":">","value":90,"minutes":5}', '> 90 % for 5 min', null, null, null, null, null),
  ('globex', 'disk', 'Disk space', null, 'Performance', 'critical', '{"metric":"disk","operator":">","value":90,"minutes":1}', '> 90 %', null, null, null, null, null),
  ('globex', 'nginx', 'nginx', null, 'Service', 'critical', '{"restart":true}', null, 'nginx', null, null, null, null),
  ('globex', 'web', 'Shop front', null, 'Network', 'critical', '{"check":"http","status":200}', 'HTTP 200 within 2 s', null, 'https://shop.globex.test/', null, null, null),
  ('globex', 'backup', 'Backup agent', null, 'Process', 'warning', '{"expect":"running"}', 'running', null, null, 'veeamagent', null, null),
  ('globex', 'audit', 'Audit log cleared', null, 'Event ID', 'critical', '{"minutes":60,"count":1}', '1 in 60 min', null, null, null, 1102, 'Security'),
  ('initech', 'disk', 'Disk space', null, 'Performance', 'critical', '{"metric":"disk","operator":">","value":90,"minutes":1}', '> 90 %', null, null, null, null, null),
  ('initech', 'fax', 'Fax service', null, 'Service', 'info', '{"restart":true}', null, 'Fax', null, null, null, null),
  ('hooli', 'cpu', 'CPU load', null, 'Performance', 'warning', '{"metric":"cpu","operator":">","value":95,"minutes":5}', '> 95 % for 5 min', null, null, null, null, null),
  ('hooli', 'nucleus', 'Nucleus', null, 'Network', 'critical', '{"check":"tcp","port":443}', 'port open', null, 'nucleus.hooli.test:443', null, null, null)
) as m (company, key, name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name)
on conflict do nothing;

insert into public.alerts (id, company_id, monitor_id, device_id, status, severity, message, opened_at, resolved_at, created_at)
select app.demo_id('alert/' || a.company || '/' || a.key || '/' || a.n), m.company_id, m.id, d.id, a.status, m.severity,
  case when a.key = 'disk' then format('System disk at %s %%, above 90 %%', d.used) else a.message end,
  now() - make_interval(mins => a.minutes), case when a.status = 'resolved' then now() - make_interval(mins => a.minutes - 35) end,
  now() - make_interval(mins => a.minutes)
from (values
  ('acme', 'disk', 1, 'open', null, 130), ('acme', 'disk', 2, 'acknowledged', null, 2900),
  ('acme', 'sql', 1, 'open', 'The service MSSQLSERVER is stopped', 42), ('acme', 'logon', 1, 'open', 'Event 4625 in Security: 10 or more within 15 minutes', 18),
  ('acme', 'cpu', 1, 'resolved', 'CPU at 97.3 %, above 90 %', 5200), ('acme', 'gateway', 1, 'resolved', '10.20.0.1 does not answer a ping', 8800),
  ('acme', 'crash', 1, 'resolved', 'Event 41 in System: 1 or more within 60 minutes', 12000),
  ('globex', 'disk', 1, 'open', null, 310), ('globex', 'web', 1, 'resolved', 'https://shop.globex.test/ answered with HTTP 502', 4100),
  ('globex', 'backup', 1, 'open', 'veeamagent is not running', 640),
  ('initech', 'disk', 1, 'open', null, 7700), ('hooli', 'nucleus', 1, 'open', 'nucleus.hooli.test:443 takes no connection', 95)
) as a (company, key, n, status, message, minutes)
join public.monitors m on m.id = app.demo_id('monitor/' || a.company || '/' || a.key)
cross join lateral (
  select x.id,
    round(100 - (x.disks -> 0 ->> 'free_mb')::numeric * 100 / (x.disks -> 0 ->> 'total_mb')::numeric) as used
  from public.devices x
  where x.company_id = m.company_id and x.machine_id like 'demo-%' and x.status = 'online'
    and case when a.key = 'disk' then x.id = app.demo_id('device/' || a.company || '/' || 6 + a.n)
      else x.platform = any (m.platforms) end
  order by md5(a.key || a.n || x.id) limit 1
) d
on conflict do nothing;

-- Nobody has SSH on the devices with Windows: this monitor shows what cannot be checked.
insert into public.monitor_states (company_id, monitor_id, device_id, state, message, changed_at)
select m.company_id, m.id, d.id, case when a.id is not null then 'failing' when m.service_name = 'ssh' then 'unknown' else 'ok' end,
  case when a.id is null and m.service_name = 'ssh' then 'This device has no service ssh' else a.message end,
  coalesce(a.opened_at, now() - make_interval(hours => 1 + app.demo_pick(m.id::text || d.id, 400)))
from public.monitors m
cross join lateral (
  select x.id from public.devices x
  where x.company_id = m.company_id and x.machine_id like 'demo-%' and x.status = 'online'
    and x.platform = any (m.platforms) and (m.service_name is distinct from 'ssh' or x.platform = 'windows')
  order by md5(m.id::text || x.id) limit 12
  ) d
left join public.alerts a on a.company_id = m.company_id and a.monitor_id = m.id and a.device_id = d.id and a.status <> 'resolved'
where m.enabled and exists (select 1 from (values ('acme'), ('globex'), ('initech'), ('hooli')) as c (key)
  where m.company_id = app.demo_id('company/' || c.key))
union
select a.company_id, a.monitor_id, a.device_id, 'failing', a.message, a.opened_at from public.alerts a where a.status <> 'resolved'
on conflict do nothing;

-- Nobody knows the secrets of these tokens: create a new one to enroll a machine.
insert into public.enrollment_tokens (id, company_id, name, group_id, hint, expires_at, max_uses, used_count, revoked_at, created_by, created_at)
select app.demo_id('token/' || t.company || '/' || t.key), app.demo_id('company/' || t.company), t.name,
  case when t.team is not null then app.demo_id('group/' || t.company || '/' || t.team) end, substr(md5(t.key), 1, 4),
  now() + make_interval(days => t.days), t.max_uses, t.used, case when t.is_revoked then now() - interval '20 days' end,
  (select p.id from public.profiles p where p.email = 'admin@' || t.company || '.test'), now() - make_interval(days => t.age)
from (values
  ('acme', 'head', 'Merkez ofis', 'istanbul', 60, 200, 46, false, 90), ('acme', 'servers', 'Sunucular', 'servers', 30, 20, 18, false, 60),
  ('acme', 'old', 'Eski saha token''ı', null, -5, 10, 10, true, 200), ('globex', 'laptops', 'Laptop refresh', 'laptops', 45, 100, 37, false, 45)
) as t (company, key, name, team, days, max_uses, used, is_revoked, age)
on conflict do nothing;

update public.devices d set enrollment_token_id = t.id
from public.enrollment_tokens t
join public.group_devices m on m.company_id = t.company_id and m.group_id = t.group_id
where d.company_id = m.company_id and d.id = m.device_id and d.machine_id like 'demo-%' and d.enrollment_token_id is null
  and t.id in (app.demo_id('token/acme/head'), app.demo_id('token/acme/servers'), app.demo_id('token/globex/laptops'));

-- Machines that ask to join: a new one, one that says it is a device we know, one that was refused.
insert into public.enrollment_requests (id, company_id, status, token_id, group_id, device_id, machine_id, hostname, platform,
  agent_version, ip_address, decided_at, decided_by, created_at, last_asked_at)
select app.demo_id('request/' || r.company || '/' || r.key), app.demo_id('company/' || r.company), r.status,
  app.demo_id('token/' || r.company || '/' || r.token), t.group_id, d.id, coalesce(d.machine_id, 'demo-waiting-' || r.key),
  r.hostname, coalesce(d.platform, 'windows'), '0.1.0', r.address, case when r.status = 'rejected' then now() - interval '6 days' end,
  case when r.status = 'rejected' then (select p.id from public.profiles p where p.email = 'admin@' || r.company || '.test') end,
  now() - make_interval(hours => r.age), now() - make_interval(mins => 1)
from (values
  ('acme', 'new', 'pending', 'head', 'IZMIR-PC-07', '203.0.113.24', 3, null),
  ('acme', 'again', 'pending', 'head', 'WIN-5TQ8R1', '198.51.100.7', 1, 'BURSA-PC-32'),
  ('acme', 'refused', 'rejected', 'servers', 'kali', '192.0.2.66', 150, null),
  ('globex', 'new', 'pending', 'laptops', 'NY-LT-48', '203.0.113.90', 5, null)
) as r (company, key, status, token, hostname, address, age, replaces)
join public.enrollment_tokens t on t.id = app.demo_id('token/' || r.company || '/' || r.token)
left join lateral (
  select x.id, x.machine_id, x.platform from public.devices x
  where x.company_id = app.demo_id('company/' || r.company) and x.machine_id like 'demo-%' and r.replaces is not null
  order by (x.name = r.replaces) desc, x.name limit 1
) d on true
on conflict do nothing;

-- Secrets nobody knows: the requests can be decided, and no machine ever joins with them.
insert into app.enrollment_request_secrets (request_id, secret_hash)
select r.id, app.hash_secret(app.new_secret()) from public.enrollment_requests r
where r.status in ('pending', 'rejected') and r.id in (select app.demo_id('request/' || k.key)
  from (values ('acme/new'), ('acme/again'), ('acme/refused'), ('globex/new')) as k (key))
on conflict do nothing;

insert into public.failed_login_attempts (id, user_email, ip_address, user_agent, failure_reason, created_at)
select app.demo_id('failed/' || n), (array['admin@acme.test', 'teknik@acme.test', 'root@acme.test', 'admin@globex.test'])[1 + n % 4],
  'browser', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Invalid login credentials', now() - make_interval(hours => n * 17)
from generate_series(1, 12) n
on conflict do nothing;

-- The runs above were never under way, so that no trigger counted them.
insert into public.procedure_stats (procedure_id, company_id, runs, succeeded, last_run_at)
select r.procedure_id, r.company_id, count(*), count(*) filter (where r.status = 'succeeded'), max(r.finished_at)
from public.job_runs r where r.procedure_id is not null and r.status in ('succeeded', 'failed', 'timed_out')
group by r.procedure_id, r.company_id
on conflict (procedure_id) do nothing;

-- The other parts are quiet, so what people did before today is told here.
insert into public.audit_log (id, company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes, at)
select app.demo_id('audit/' || p.id), p.company_id, p.created_by, a.email, a.name, 'procedures', p.id, p.name, 'create',
  jsonb_build_object('name', jsonb_build_array(null, p.name), 'type', jsonb_build_array(null, p.type)), p.created_at
from public.procedures p join public.profiles a on a.id = p.created_by
where p.id in (select x.procedure_id from demo_jobs x)
on conflict do nothing;

drop table demo_outputs, demo_jobs, demo_runs, demo_texts;
reset app.quiet;
