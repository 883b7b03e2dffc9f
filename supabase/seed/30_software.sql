-- Demo data, part 3: installed software.
set app.quiet = 'on';

drop table if exists pg_temp.demo_installed;
create temporary table demo_installed as
with titles (name, publisher, platforms, share, size_mb, versions) as (values
  ('Google Chrome', 'Google LLC', 'windows macos linux', 92, 310, '130.0.6723.117 131.0.6778.86 129.0.6668.101'),
  ('Mozilla Firefox', 'Mozilla', 'windows macos linux', 55, 240, '132.0.2 133.0 128.4.0esr'),
  ('Microsoft Edge', 'Microsoft Corporation', 'windows', 100, 420, '131.0.2903.51 130.0.2849.80'),
  ('Microsoft 365 Apps', 'Microsoft Corporation', 'windows macos', 74, 3200, '16.0.18129.20158 16.0.17928.20286'),
  ('Microsoft Teams', 'Microsoft Corporation', 'windows macos', 68, 560, '24277.3507.3205.5228 24243.1309.3132.617'),
  ('Microsoft OneDrive', 'Microsoft Corporation', 'windows macos', 70, 230, '24.211.1020.0001'),
  ('Microsoft Visual C++ 2022 Redistributable', 'Microsoft Corporation', 'windows', 96, 20, '14.40.33810 14.38.33130'),
  ('Microsoft .NET Runtime', 'Microsoft Corporation', 'windows', 60, 90, '8.0.10 8.0.8 6.0.35'),
  ('SQL Server Management Studio', 'Microsoft Corporation', 'windows', 9, 2100, '20.2.30'),
  ('Visual Studio Code', 'Microsoft Corporation', 'windows macos linux', 32, 390, '1.95.3 1.94.2'),
  ('PowerToys', 'Microsoft Corporation', 'windows', 14, 800, '0.86.0'),
  ('7-Zip', 'Igor Pavlov', 'windows', 88, 6, '24.08 23.01 22.01'),
  ('Notepad++', 'Notepad++ Team', 'windows', 62, 17, '8.7.1 8.6.9'),
  ('VLC media player', 'VideoLAN', 'windows macos linux', 34, 180, '3.0.21 3.0.20'),
  ('Adobe Acrobat Reader', 'Adobe', 'windows macos', 71, 700, '24.004.20243 24.003.20180'),
  ('Adobe Creative Cloud', 'Adobe', 'windows macos', 11, 1300, '6.4.0.361'),
  ('Zoom Workplace', 'Zoom', 'windows macos linux', 48, 320, '6.2.7 6.2.3 6.1.11'),
  ('Slack', 'Slack Technologies', 'windows macos linux', 39, 350, '4.41.96 4.40.133'),
  ('WhatsApp', 'Meta', 'windows macos', 22, 260, '2.2446.7.0'),
  ('AnyDesk', 'AnyDesk Software GmbH', 'windows macos', 18, 30, '8.1.0 7.1.13'),
  ('TeamViewer', 'TeamViewer', 'windows macos', 12, 120, '15.59.3'),
  ('FortiClient VPN', 'Fortinet Inc.', 'windows macos', 58, 190, '7.4.0.1658 7.2.4.0972'),
  ('OpenVPN Connect', 'OpenVPN Inc.', 'windows macos', 16, 140, '3.5.1'),
  ('WireGuard', 'WireGuard LLC', 'windows macos linux', 12, 12, '1.0.20210914 0.5.3'),
  ('Sophos Endpoint Agent', 'Sophos Limited', 'windows macos', 63, 640, '2024.3.2.6 2024.2.1.1'),
  ('CrowdStrike Falcon', 'CrowdStrike, Inc.', 'windows macos linux', 30, 280, '7.19.18913'),
  ('KeePassXC', 'KeePassXC Team', 'windows macos linux', 17, 110, '2.7.9'),
  ('PuTTY', 'Simon Tatham', 'windows', 24, 5, '0.81 0.80'),
  ('WinSCP', 'Martin Prikryl', 'windows', 20, 40, '6.3.5'),
  ('FileZilla', 'Tim Kosse', 'windows linux', 13, 35, '3.68.1'),
  ('Git', 'The Git Development Community', 'windows linux macos', 36, 340, '2.47.0 2.46.2'),
  ('Node.js', 'Node.js Foundation', 'windows macos linux', 19, 95, '20.18.0 22.11.0'),
  ('Python', 'Python Software Foundation', 'windows macos', 27, 130, '3.12.7 3.11.9 3.13.0'),
  ('Docker Desktop', 'Docker Inc.', 'windows macos', 12, 2600, '4.35.1'),
  ('JetBrains Toolbox', 'JetBrains s.r.o.', 'windows macos linux', 8, 300, '2.5.2'),
  ('Java SE Runtime', 'Oracle Corporation', 'windows', 33, 170, '8.0.4310.10 8.0.4210.9'),
  ('Logo Tiger 3 Enterprise', 'Logo Yazılım', 'windows', 21, 1900, '2.88.00 2.86.00'),
  ('Mikro Jump', 'Mikro Yazılım', 'windows', 7, 850, '16.24a'),
  ('e-Defter Uygulaması', 'Gelir İdaresi Başkanlığı', 'windows', 10, 210, '1.8.2'),
  ('Akınsoft Wolvox', 'AKINSOFT', 'windows', 5, 600, '9.11.03'),
  ('AutoCAD 2025', 'Autodesk, Inc.', 'windows', 8, 9300, '25.0.60.0'),
  ('SOLIDWORKS 2024', 'Dassault Systèmes', 'windows', 4, 18500, '32.4.0.78'),
  ('Wireshark', 'The Wireshark developer community', 'windows macos linux', 6, 260, '4.4.1'),
  ('Greenshot', 'Greenshot', 'windows', 23, 4, '1.3.290'),
  ('LibreOffice', 'The Document Foundation', 'linux windows', 25, 1400, '24.8.3.2 7.6.7.2'),
  ('Thunderbird', 'Mozilla', 'linux windows', 13, 260, '128.4.3'),
  ('openssh-server', 'Ubuntu Developers', 'linux', 96, 2, '1:9.6p1-3ubuntu13.5 1:8.9p1-3ubuntu0.10'),
  ('openssl', 'Ubuntu Developers', 'linux', 100, 3, '3.0.13-0ubuntu3.4 3.0.2-0ubuntu1.18'),
  ('bash', 'Ubuntu Developers', 'linux', 100, 2, '5.2.21-2ubuntu4 5.1-6ubuntu1.1'),
  ('curl', 'Ubuntu Developers', 'linux', 98, 1, '8.5.0-2ubuntu10.5 7.81.0-1ubuntu1.19'),
  ('systemd', 'Ubuntu Developers', 'linux', 100, 11, '255.4-1ubuntu8.4 249.11-0ubuntu3.12'),
  ('python3', 'Ubuntu Developers', 'linux', 100, 1, '3.12.3-0ubuntu2 3.10.6-1~22.04.1'),
  ('nginx', 'Ubuntu Developers', 'linux', 34, 4, '1.24.0-2ubuntu7.1 1.18.0-6ubuntu14.5'),
  ('postgresql-16', 'PostgreSQL Global Development Group', 'linux', 22, 60, '16.4-0ubuntu0.24.04.2'),
  ('docker-ce', 'Docker, Inc.', 'linux', 41, 105, '5:27.3.1-1 5:26.1.4-1'),
  ('linux-image-generic', 'Canonical', 'linux', 90, 330, '6.8.0-48.48 5.15.0-125.135'),
  ('unattended-upgrades', 'Ubuntu Developers', 'linux', 88, 1, '2.9.1+nmu4ubuntu1'),
  ('fail2ban', 'Ubuntu Developers', 'linux', 28, 3, '1.0.2-3'),
  ('Xcode', 'Apple', 'macos', 30, 12400, '16.1'),
  ('Homebrew', 'Homebrew', 'macos', 46, 900, '4.4.5'),
  ('Rectangle', 'Ryan Hanson', 'macos', 22, 15, '0.85'),
  ('1Password', 'AgileBits', 'macos windows', 24, 310, '8.10.52'),
  ('Figma', 'Figma, Inc.', 'macos windows', 18, 280, '124.6.5'),
  ('Spotify', 'Spotify AB', 'macos windows linux', 15, 300, '1.2.51.345')
)
select d.company_id, d.id as device_id, d.machine_id, coalesce(d.offline_since, now()) as seen_at, t.name, t.publisher, t.size_mb,
    (string_to_array(t.versions, ' '))[1 + app.demo_pick(d.machine_id || t.name || 'v', cardinality(string_to_array(t.versions, ' ')))] as version
  from public.devices d
  join titles t on t.platforms like '%' || d.platform || '%' and app.demo_pick(d.machine_id || t.name, 100) < t.share
  where d.machine_id like 'demo-%';
create index on demo_installed (company_id, name, version);
analyze demo_installed;

insert into public.software (id, company_id, name, publisher, created_at)
select distinct app.demo_id('software/' || i.company_id || '/' || i.name), i.company_id, i.name, i.publisher, now() - interval '200 days'
from demo_installed i
on conflict do nothing;

insert into public.device_software (id, company_id, device_id, software_id, version, install_date, size_mb, created_at)
select app.demo_id('installed/' || i.machine_id || '/' || i.name), i.company_id, i.device_id,
  app.demo_id('software/' || i.company_id || '/' || i.name), i.version,
  i.seen_at::date - 5 - app.demo_pick(i.machine_id || i.name || 'date', 500), i.size_mb,
  i.seen_at - make_interval(days => app.demo_pick(i.machine_id || i.name || 'date', 150))
from demo_installed i
on conflict do nothing;

-- The last months: what was new and updated, and what was removed.
insert into public.software_changes (id, company_id, device_id, software_id, change, new_version, previous_version, changed_at)
select app.demo_id('software-change/' || i.machine_id || '/' || i.name), i.company_id, i.device_id,
  app.demo_id('software/' || i.company_id || '/' || i.name), c.change, c.new_version, c.previous_version,
  i.seen_at - make_interval(days => app.demo_pick(i.machine_id || i.name || 'changed', 80), hours => app.demo_pick(i.name, 24))
from demo_installed i
cross join lateral (
  select case app.demo_pick(i.machine_id || i.name || 'change', 12) when 0 then 'installed' when 1 then 'updated' when 2 then 'updated' end as change
) k
cross join lateral (
  select k.change, i.version as new_version, case k.change when 'updated' then (
    select min(o.version) from demo_installed o where o.company_id = i.company_id and o.name = i.name and o.version <> i.version) end as previous_version
) c
where (k.change = 'installed' or c.previous_version is not null)
  -- Older ones are forgotten.
  and i.seen_at - make_interval(days => app.demo_pick(i.machine_id || i.name || 'changed', 80)) > now() - interval '80 days'
on conflict do nothing;

insert into public.software (id, company_id, name, publisher, created_at)
select app.demo_id('software/' || c.id || '/' || t.name), c.id, t.name, t.publisher, now() - interval '190 days'
from public.companies c
cross join (values ('Adobe Flash Player', 'Adobe', '32.0.0.465'), ('Skype', 'Skype Technologies', '8.132')) as t (name, publisher, version)
where exists (select 1 from demo_installed i where i.company_id = c.id)
on conflict do nothing;

insert into public.software_changes (id, company_id, device_id, software_id, change, previous_version, changed_at)
select app.demo_id('software-removed/' || d.machine_id || '/' || s.name), d.company_id, d.id, s.id, 'removed',
  case s.name when 'Skype' then '8.132' else '32.0.0.465' end,
  coalesce(d.offline_since, now()) - make_interval(days => 3 + app.demo_pick(d.machine_id || s.name, 70))
from public.devices d
join public.software s on s.company_id = d.company_id and s.name in ('Adobe Flash Player', 'Skype')
where d.machine_id like 'demo-%' and d.platform = 'windows' and app.demo_pick(d.machine_id || s.name || 'had', 8) = 0
  and coalesce(d.offline_since, now()) - make_interval(days => 3 + app.demo_pick(d.machine_id || s.name, 70)) > now() - interval '80 days'
on conflict do nothing;

drop table demo_installed;
select app.recount_software();
update public.software s set gone_at = c.last
from (select x.company_id, x.software_id, max(x.changed_at) as last from public.software_changes x where x.change = 'removed' group by 1, 2) c
where s.company_id = c.company_id and s.id = c.software_id and s.devices = 0;
reset app.quiet;
