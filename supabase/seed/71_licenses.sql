-- Demo data, part 8: software licenses; what of them is used is counted from the inventory by trigger.
set app.quiet = 'on';

insert into public.software_licenses (id, company_id, name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule,
  notes, created_by, created_at)
select app.demo_id('license/' || l.company || '/' || l.key), app.demo_id('company/' || l.company), l.name, l.publisher, l.type, l.seats,
  l.cost, l.currency, current_date - l.bought, current_date + l.ends, l.rule, l.notes,
  (select p.id from public.profiles p where p.email = 'admin@' || l.company || '.test'), now() - make_interval(days => l.bought)
from (values
  ('acme', 'm365', 'Microsoft 365 Business Premium', 'Microsoft', 'user', 120, 648000.00, 'TRY', 330, 35, 'microsoft 365 apps', 'Yıllık, bayi üzerinden'),
  ('acme', 'acrobat', 'Adobe Acrobat', 'Adobe', 'device', 90, 214500.00, 'TRY', 200, 165, 'acrobat', 'Her cihaza bir tane'),
  ('acme', 'cc', 'Adobe Creative Cloud', 'Adobe', 'user', 15, 9870.00, 'EUR', 300, 65, 'creative cloud', null),
  ('acme', 'autocad', 'AutoCAD 2025', 'Autodesk', 'user', 8, 13900.00, 'EUR', 250, 115, 'autocad', 'Ar-Ge'),
  ('acme', 'solidworks', 'SOLIDWORKS 2024 Standard', 'Dassault Systèmes', 'device', 4, 15800.00, 'EUR', 410, -45, 'solidworks', 'Bakım sözleşmesi yenilenecek'),
  ('acme', 'tiger', 'Logo Tiger 3 Enterprise', 'Logo Yazılım', 'user', 20, 385000.00, 'TRY', 720, 10, 'logo tiger', 'LEM sözleşmesiyle birlikte'),
  ('acme', 'jump', 'Mikro Jump', 'Mikro Yazılım', 'device', 10, 96000.00, 'TRY', 180, 185, 'mikro jump', null),
  ('acme', 'wolvox', 'Akınsoft Wolvox', 'AKINSOFT', 'device', 5, 42000.00, 'TRY', 90, null, 'wolvox', 'Süresiz'),
  ('acme', 'sophos', 'Sophos Intercept X', 'Sophos', 'device', 150, 5400.00, 'USD', 340, 25, 'sophos endpoint', null),
  ('acme', 'falcon', 'CrowdStrike Falcon Go', 'CrowdStrike', 'device', 40, 2399.60, 'USD', 100, 265, 'crowdstrike falcon', 'Sunucular ve yönetim'),
  ('acme', 'forti', 'FortiClient VPN', 'Fortinet', 'site', 1, 3100.00, 'USD', 500, 230, 'forticlient', 'Merkez ofis'),
  ('acme', 'teamviewer', 'TeamViewer Business', 'TeamViewer', 'device', 5, 18900.00, 'TRY', 365, -2, 'teamviewer', 'Uzaktan destek; yenilenmeyecek'),
  ('acme', 'anydesk', 'AnyDesk Standard', 'AnyDesk', 'device', 20, 27500.00, 'TRY', 60, 305, 'anydesk', null),
  ('acme', 'onepassword', '1Password Business', 'AgileBits', 'user', 30, 2870.00, 'USD', 290, 75, '1password', null),
  ('acme', 'figma', 'Figma Organization', 'Figma', 'user', 12, 6480.00, 'USD', 150, 215, 'figma', 'Tasarım ekibi'),
  ('acme', 'zoom', 'Zoom Workplace Pro', 'Zoom', 'user', 60, 9590.40, 'USD', 320, 45, 'zoom workplace', null),
  ('acme', 'slack', 'Slack Business+', 'Slack', 'user', 100, 15000.00, 'USD', 210, 155, 'slack', null),
  ('acme', 'ssms', 'SQL Server 2022 Standard', 'Microsoft', 'device', 6, 21800.00, 'USD', 600, null, null, 'Çekirdek başına; elle sayılır'),
  ('acme', 'docker', 'Docker Team', 'Docker', 'device', 25, 2700.00, 'USD', 130, 235, 'docker desktop', null),
  ('acme', 'jetbrains', 'JetBrains All Products', 'JetBrains', 'user', 10, 7790.00, 'EUR', 260, 105, 'jetbrains', null),
  ('globex', 'm365', 'Microsoft 365 E3', 'Microsoft', 'user', 60, 25920.00, 'USD', 320, 45, 'microsoft 365 apps', null),
  ('globex', 'acrobat', 'Acrobat Reader DC (enterprise)', 'Adobe', 'device', 40, 9480.00, 'USD', 120, 245, 'acrobat', null),
  ('globex', 'figma', 'Figma Professional', 'Figma', 'user', 8, 1440.00, 'USD', 95, 270, 'figma', 'Product design'),
  ('globex', 'slack', 'Slack Pro', 'Slack', 'user', 45, 3920.00, 'USD', 210, 155, 'slack', null),
  ('globex', 'falcon', 'CrowdStrike Falcon Pro', 'CrowdStrike', 'device', 80, 7990.00, 'USD', 30, 335, 'crowdstrike', null),
  ('globex', 'docker', 'Docker Business', 'Docker', 'user', 5, 1440.00, 'USD', 350, 15, 'docker desktop', 'Auto-renews'),
  ('globex', 'onepassword', '1Password Teams', 'AgileBits', 'user', 25, 1190.00, 'GBP', 280, 85, '1password', null),
  ('globex', 'visio', 'Visio Plan 2', 'Microsoft', 'user', 10, 1800.00, 'USD', 400, -35, 'visio', 'Nobody uses it any more'),
  ('globex', 'office', 'London office VPN', 'OpenVPN', 'site', 1, 980.00, 'GBP', 220, 145, 'openvpn', null),
  ('initech', 'm365', 'Microsoft 365 Apps for business', 'Microsoft', 'user', 25, 3090.00, 'USD', 400, -20, 'microsoft 365 apps', null),
  ('initech', 'acrobat', 'Adobe Acrobat', 'Adobe', 'device', 10, 2398.00, 'USD', 160, 205, 'acrobat', null),
  ('initech', 'tps', 'TPS Cover Sheet Designer', 'Initrode', 'site', 1, 499.00, 'USD', 900, null, null, 'Did you get the memo?'),
  ('hooli', 'cc', 'Adobe Creative Cloud', 'Adobe', 'user', 4, 3360.00, 'USD', 200, 165, 'creative cloud', null),
  ('hooli', 'zoom', 'Zoom Workplace Business', 'Zoom', 'user', 20, 4398.00, 'USD', 140, 225, 'zoom', null),
  ('hooli', 'jetbrains', 'JetBrains All Products', 'JetBrains', 'user', 10, 7790.00, 'USD', 330, 30, 'jetbrains', null),
  ('umbra', 'm365', 'Microsoft 365 Business Basic', 'Microsoft', 'user', 5, 360.00, 'EUR', 275, 90, 'microsoft 365', null)
) as l (company, key, name, publisher, type, seats, cost, currency, bought, ends, rule, notes)
on conflict do nothing;

-- Free seats since some time, and the reminders that are due were sent: the bell counts what the demo says.
update public.software_licenses l set unused_since = now() - make_interval(days => 5 + app.demo_pick(l.name, 90)) where l.unused_since > now() - interval '1 hour';
insert into app.license_reminders (company_id, license_id, expires_on, days)
select l.company_id, l.id, l.expires_on, case when l.expires_on - current_date <= 1 then 1 when l.expires_on - current_date <= 7 then 7 else 30 end
from public.software_licenses l where l.expires_on between current_date and current_date + 30
on conflict do nothing;

reset app.quiet;
