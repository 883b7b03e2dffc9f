-- Demo data, part 9: updates and how far each device is with them.
set app.quiet = 'on';

drop table if exists pg_temp.demo_patches;
create temporary table demo_patches as
select * from (values
  -- key, title, KB number, category, severity, size, days ago, systems, superseded, decision
  ('w11-11', '2026-11 Cumulative Update for Windows 11 Version 24H2', 'KB5046617', 'security', 'critical', 712.40, 9, 'Windows 11', false, 'pending'),
  ('w11-11b', '2026-11 Cumulative Update for Windows 11 Version 23H2', 'KB5046633', 'security', 'critical', 680.10, 9, 'Windows 11', false, 'pending'),
  ('w11-10', '2026-10 Cumulative Update for Windows 11 Version 24H2', 'KB5044284', 'security', 'critical', 705.20, 38, 'Windows 11', true, 'approved'),
  ('w11-net', '2026-11 .NET Framework 3.5 and 4.8.1 Security Update', 'KB5045993', 'security', 'important', 71.80, 9, 'Windows 11', false, 'approved'),
  ('w10-11', '2026-11 Cumulative Update for Windows 10 Version 22H2', 'KB5046613', 'security', 'critical', 645.90, 9, 'Windows 10', false, 'approved'),
  ('w10-10', '2026-10 Cumulative Update for Windows 10 Version 22H2', 'KB5044273', 'security', 'important', 641.00, 38, 'Windows 10', true, 'approved'),
  ('w10-ssu', '2026-09 Servicing Stack Update for Windows 10', 'KB5043935', 'critical', 'important', 15.20, 66, 'Windows 10', false, 'approved'),
  ('srv-11', '2026-11 Cumulative Update for Windows Server 2022', 'KB5046616', 'security', 'critical', 402.70, 9, 'Windows Server 2022', false, 'deferred'),
  ('srv-10', '2026-10 Cumulative Update for Windows Server 2022', 'KB5044281', 'security', 'important', 398.30, 38, 'Windows Server 2022', true, 'approved'),
  ('defender', 'Security Intelligence Update for Microsoft Defender Antivirus', 'KB2267602', 'definition', 'unspecified', 1.60, 1, 'Windows 11 Windows 10 Windows Server 2022', false, 'approved'),
  ('msrt', 'Windows Malicious Software Removal Tool x64', 'KB890830', 'definition', 'unspecified', 74.10, 9, 'Windows 11 Windows 10', false, 'approved'),
  ('w11-24h2', 'Feature update to Windows 11, version 24H2', 'KB5044285', 'feature', 'unspecified', 4300.00, 45, 'Windows 11', false, 'denied'),
  ('intel', 'Intel Corporation Driver Update (31.0.101.5590)', '', 'driver', 'low', 610.00, 27, 'Windows 11 Windows 10', false, 'pending'),
  ('realtek', 'Realtek Semiconductor Corp. MEDIA (6.0.9757.1)', '', 'driver', 'low', 48.90, 81, 'Windows 11', false, 'denied'),
  ('office', 'Microsoft 365 Apps Update 16.0.18129.20158', 'KB5002653', 'application', 'important', 310.00, 10, 'Windows 11 Windows 10', false, 'approved'),
  ('edge', 'Microsoft Edge-Stable Channel 131.0.2903.51', '', 'application', 'moderate', 168.00, 8, 'Windows 11 Windows 10', false, 'approved'),
  ('sql', 'SQL Server 2022 RTM Cumulative Update 16', 'KB5048033', 'other', 'moderate', 420.00, 7, 'Windows Server 2022', false, 'pending'),
  ('usn-ssl', 'openssl security update (USN-7018-1)', '', 'security', 'important', 2.40, 54, 'Ubuntu', false, 'approved'),
  ('usn-kernel', 'linux kernel security update 6.8.0-49 (USN-7089-1)', '', 'security', 'critical', 143.00, 5, 'Ubuntu', false, 'pending'),
  ('usn-curl', 'curl security update (USN-7104-1)', '', 'security', 'moderate', 0.80, 4, 'Ubuntu', false, 'pending'),
  ('usn-ssh', 'openssh-server security update (USN-6859-1)', '', 'security', 'critical', 1.90, 140, 'Ubuntu', false, 'approved'),
  ('usn-py', 'python3.12 security update (USN-7015-3)', '', 'security', 'moderate', 5.70, 51, 'Ubuntu', false, 'approved'),
  ('deb-glibc', 'DSA-5673-1 glibc security update', '', 'security', 'important', 4.20, 200, 'Debian GNU/Linux', false, 'approved'),
  ('deb-kernel', 'DSA-5800-1 linux security update', '', 'security', 'important', 68.00, 18, 'Debian GNU/Linux', false, 'pending'),
  ('mac-15', 'macOS Sequoia 15.1.1', 'HT121753', 'security', 'critical', 2100.00, 2, 'macOS', false, 'pending'),
  ('mac-14', 'macOS Sonoma 14.7.1', 'HT121570', 'security', 'important', 1500.00, 24, 'macOS', false, 'approved'),
  ('safari', 'Safari 18.1.1', 'HT121756', 'security', 'important', 150.00, 2, 'macOS', false, 'pending'),
  ('xcode', 'Command Line Tools for Xcode 16.1', '', 'application', 'low', 980.00, 25, 'macOS', false, 'deferred')
) as p (key, title, kb_number, category, severity, size_mb, days, systems, superseded, approval);

insert into public.patches (id, company_id, title, kb_number, category, severity, size_mb, release_date, superseded, approval, deferred_until,
  notes, created_at)
select app.demo_id('patch/' || c.company || '/' || p.key), app.demo_id('company/' || c.company), p.title, p.kb_number, p.category, p.severity,
  p.size_mb, current_date - p.days, p.superseded, p.approval, case when p.approval = 'deferred' then current_date + 14 end,
  case when p.key = 'w11-24h2' and c.company = 'acme' then 'Logo Tiger henüz desteklemiyor; üreticiden onay bekleniyor.'
    when p.key = 'w11-24h2' then 'Waits for the new laptop image.' end,
  now() - make_interval(days => p.days)
from (values ('acme'), ('globex'), ('initech'), ('hooli')) as c (company)
cross join demo_patches p
on conflict do nothing;

-- Materialized, so that the state of a device is decided once and not for each column that depends on it.
with x as materialized (
  select d.company_id, d.id as device_id, d.machine_id, coalesce(d.offline_since, now()) as seen_at, d.reboot_required, p.id as patch_id, t.key, t.days, t.category,
    case
      when t.approval in ('denied', 'deferred') then 'missing'
      -- The older and the sooner approved, the more devices have it.
      when app.demo_pick(d.machine_id || t.key, 100) < case t.approval when 'approved' then least(95, 55 + t.days) else 18 end then 'installed'
      when app.demo_pick(d.machine_id || t.key || 'state', 100) < 6 then 'failed'
      when app.demo_pick(d.machine_id || t.key || 'state', 100) < 9 and d.status = 'online' then 'installing'
      else 'missing'
    end as status
  from demo_patches t
  join public.devices d on (' ' || t.systems || ' ') like '% ' || d.os || ' %' and app.demo_pick(d.machine_id || t.key || 'has', 100) < 70
  join (select app.demo_id('company/' || c.company) as company_id, t.key, app.demo_id('patch/' || c.company || '/' || t.key) as id
          from (values ('acme'), ('globex'), ('initech'), ('hooli')) as c (company) cross join demo_patches t offset 0) p
    on p.company_id = d.company_id and p.key = t.key
  -- A device that has been away knows nothing that came out since.
  where d.machine_id like 'demo-%' and now() - make_interval(days => t.days) <= coalesce(d.offline_since, now())
)
insert into public.device_patches (id, company_id, device_id, patch_id, status, reboot_required, installed_at, error, created_at, missing_since,
  installed_version)
select app.demo_id('patched/' || x.machine_id || '/' || x.key), x.company_id, x.device_id, x.patch_id, x.status,
  x.status = 'installed' and x.reboot_required and x.days < 60 and x.category in ('security', 'feature'),
  case when x.status = 'installed' then greatest(now() - make_interval(days => x.days),
    x.seen_at - make_interval(days => app.demo_pick(x.machine_id || x.key || 'when', 30), hours => app.demo_pick(x.machine_id || 'hour', 20))) end,
  case when x.status = 'failed' then (array['0x80070643: Fatal error during installation', '0x8024200B: The download was interrupted',
    'Not enough space on the system drive'])[1 + app.demo_pick(x.machine_id || 'error', 3)] end,
  now() - make_interval(days => x.days), now() - make_interval(days => x.days),
  case x.key when 'office' then '16.0.17928.20216' when 'edge' then '130.0.2849.80' when 'usn-ssl' then '3.0.13-0ubuntu3.3'
    when 'usn-kernel' then '6.8.0-48' when 'usn-curl' then '8.5.0-2ubuntu10.4' when 'usn-ssh' then '1:9.6p1-3ubuntu13.3'
    when 'usn-py' then '3.12.3-1ubuntu0.1' when 'mac-15' then '15.1' when 'mac-14' then '14.7' when 'safari' then '18.1' end
from x
on conflict do nothing;

drop table demo_patches;

-- Exceptions: groups and devices that do otherwise than their company.
insert into public.patch_exceptions (id, company_id, patch_id, scope, group_id, device_id, approval, deferred_until, notes, created_at)
select app.demo_id('exception/' || x.company || '/' || x.key || '/' || x.target), p.company_id, p.id, x.scope,
  case when x.scope = 'group' then app.demo_id('group/' || x.company || '/' || x.target) end,
  case when x.scope = 'device' then app.demo_id('device/' || x.company || '/' || x.target) end,
  x.approval, case when x.approval = 'deferred' then current_date + 21 end, x.notes, now() - make_interval(days => x.days)
from (values
  ('acme', 'w11-net', 'group', 'finance', 'denied', 'Muhasebe programı .NET güncellemesinden sonra açılmıyor.', 6),
  ('acme', 'w11-24h2', 'group', 'pilot', 'approved', 'Pilot grup yeni sürümü dener.', 12),
  ('acme', 'office', 'device', '3', 'deferred', 'Ay sonu kapanışından sonra.', 4),
  ('globex', 'edge', 'group', 'laptops', 'deferred', 'Waits for the new start page.', 3),
  ('globex', 'usn-ssh', 'device', '5', 'denied', null, 30)
) as x (company, key, scope, target, approval, notes, days)
join public.patches p on p.id = app.demo_id('patch/' || x.company || '/' || x.key)
where (x.scope = 'group' and exists (select 1 from public.groups g where g.id = app.demo_id('group/' || x.company || '/' || x.target)))
  or (x.scope = 'device' and exists (select 1 from public.devices d where d.id = app.demo_id('device/' || x.company || '/' || x.target)))
on conflict do nothing;
reset app.quiet;
