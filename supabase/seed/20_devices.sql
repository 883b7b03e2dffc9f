-- Demo data, part 2: 320 devices with presence and groups.
set app.quiet = 'on';

with fleet (company, devices, online) as (values
  ('acme', 180, 82), ('globex', 80, 88), ('initech', 30, 60), ('hooli', 25, 92), ('umbra', 5, 20)
), numbered as (
  select f.company, n, f.online, f.company || '/' || n as key
  from fleet f cross join lateral generate_series(1, f.devices) n
), systems as (
  select d.*,
    case
      when app.demo_pick(key || 'os', 100) < 44 then 'Windows 11'
      when app.demo_pick(key || 'os', 100) < 63 then 'Windows 10'
      when app.demo_pick(key || 'os', 100) < 82 then 'Ubuntu'
      when app.demo_pick(key || 'os', 100) < 93 then 'macOS'
      when app.demo_pick(key || 'os', 100) < 97 then 'Windows Server 2022'
      else 'Debian GNU/Linux'
    end as os
  from numbered d
), hardware as (
  select s.*,
    case when os like 'Windows%' then 'windows' when os = 'macOS' then 'macos' else 'linux' end as platform,
    os in ('Ubuntu', 'Debian GNU/Linux', 'Windows Server 2022') and app.demo_pick(key || 'server', 3) > 0 or os = 'Windows Server 2022' as is_server,
    (array['İSTANBUL', 'ANKARA', 'İZMİR', 'BURSA'])[1 + app.demo_pick(key || 'city', 4)] as city,
    (array['Muhasebe', 'Satış', 'Üretim', 'Depo', 'İnsan Kaynakları', 'Çağrı Merkezi', 'Ar-Ge', 'Işık Atölyesi'])[1 + app.demo_pick(key || 'unit', 8)] as unit,
    (array['FIN', 'SALES', 'HR', 'ENG', 'OPS', 'LAB'])[1 + app.demo_pick(key || 'unit', 6)] as team,
    (array['ayşe.kaya', 'mehmet.demir', 'fatma.şahin', 'ali.çelik', 'zeynep.yıldız', 'emre.doğan', 'elif.arslan', 'burak.koç',
           'ışıl.aksoy', 'hüseyin.kurt', 'selin.özkan', 'onur.güneş'])[1 + app.demo_pick(key || 'user', 12)] as turkish_user,
    (array['a.martin', 'j.okafor', 'l.novak', 'p.gibbons', 'm.bolton', 's.nagheenanajar', 'r.hendricks', 'd.chang', 'k.meyer',
           'e.lindqvist'])[1 + app.demo_pick(key || 'user', 10)] as english_user
  from systems s
), named as (
  select h.*,
    case
      -- A few that search and sorting must not lose.
      when key = 'acme/1' then 'ışık-masaüstü-01'
      when key = 'acme/2' then 'IŞIK-DEPO-02'
      when key = 'acme/3' then 'Işık Atölyesi Kasa 3'
      when key = 'acme/4' then 'İSTANBUL-RESEPSİYON-01'
      when key = 'acme/5' then 'istanbul-yedek-02'
      when key = 'acme/6' then 'Çağrı Merkezi 1'
      when is_server and company = 'acme' then (array['srv-erp', 'srv-dosya', 'srv-yedek', 'srv-web', 'srv-veri'])[1 + app.demo_pick(key || 'role', 5)] || '-' || lpad(n::text, 2, '0')
      when is_server then (array['db', 'web', 'build', 'files', 'backup'])[1 + app.demo_pick(key || 'role', 5)] || '-' || lpad(n::text, 2, '0') || '.' || company
      when company = 'acme' and app.demo_pick(key || 'form', 3) = 0 then unit || ' ' || (case when os = 'macOS' then 'MacBook' else 'Dizüstü' end) || ' ' || n
      when company = 'acme' then city || '-PC-' || n
      when os = 'macOS' then english_user || '''s MacBook ' || n
      else upper(company) || '-' || team || '-' || case app.demo_pick(key || 'form', 2) when 0 then 'LT' else 'PC' end || '-' || lpad(n::text, 3, '0')
    end as name
  from hardware h
), placed as (
  select x.*,
    -- Four with a full system disk, which their monitors have reported.
    key in ('acme/7', 'acme/8', 'globex/7', 'initech/7') as is_full,
    app.demo_pick(key || 'on', 100) < online or key in ('acme/7', 'acme/8', 'globex/7', 'initech/7') as is_online,
    app.demo_pick(key || 'away', 1000) as away,
    (array[4, 8, 8, 16, 16, 32])[1 + app.demo_pick(key || 'ram', 6)] * case when is_server then 2 else 1 end * 1024 as memory_mb,
    (array[256, 512, 512, 1024])[1 + app.demo_pick(key || 'disk', 4)] * 1024 as disk_mb
  from named x
), timed as (
  select p.*,
    case when is_online then null
      -- Most came home hours ago, some have been missing for weeks.
      when away < 600 then now() - make_interval(mins => 20 + away)
      when away < 900 then now() - make_interval(hours => away / 10)
      else now() - make_interval(days => away - 880) end as offline_since
  from placed p
)
insert into public.devices (id, company_id, name, hostname, status, offline_since, os, os_version, platform, make, model, serial,
  cpu, cpu_cores, gpu, memory_mb, disks, network, ip_address, logged_in_user, agent_version, machine_id, boot_time, reboot_required,
  notes, enrolled_at, created_at)
select app.demo_id('device/' || key), app.demo_id('company/' || company), name,
  left(regexp_replace(app.fold(name), '[^a-z0-9.]+', '-', 'g'), 63),
  case when is_online then 'online' else 'offline' end,
  offline_since,
  os,
  case os when 'Windows 11' then (array['23H2 (22631.4460)', '24H2 (26100.2314)'])[1 + app.demo_pick(key || 'v', 2)]
    when 'Windows 10' then '22H2 (19045.5131)' when 'Windows Server 2022' then '21H2 (20348.2849)'
    when 'Ubuntu' then (array['22.04.5 LTS', '24.04.1 LTS'])[1 + app.demo_pick(key || 'v', 2)]
    when 'macOS' then (array['14.7.1', '15.1.1'])[1 + app.demo_pick(key || 'v', 2)] else '12.8' end,
  platform,
  case when os = 'macOS' then 'Apple' else (array['Dell Inc.', 'LENOVO', 'HP', 'ASUS'])[1 + app.demo_pick(key || 'make', 4)] end,
  case when os = 'macOS' then (array['MacBook Pro 14', 'MacBook Air M2', 'Mac mini'])[1 + app.demo_pick(key || 'model', 3)]
    when is_server then (array['PowerEdge R650', 'ThinkSystem SR630', 'ProLiant DL360', 'RS700A'])[1 + app.demo_pick(key || 'make', 4)]
    else (array['Latitude 5540', 'ThinkPad T14', 'EliteBook 840', 'ExpertBook B5'])[1 + app.demo_pick(key || 'make', 4)] end,
  upper(substr(md5(key || 'serial'), 1, 10)),
  case when os = 'macOS' then 'Apple M2' when is_server then 'Intel Xeon Silver 4314 @ 2.40GHz'
    else (array['Intel Core i5-1335U', 'Intel Core i7-1355U', 'AMD Ryzen 5 PRO 7540U', 'AMD Ryzen 7 PRO 7840U'])[1 + app.demo_pick(key || 'cpu', 4)] end,
  (array[4, 8, 8, 12])[1 + app.demo_pick(key || 'cores', 4)] * case when is_server then 4 else 1 end,
  case when os = 'macOS' then 'Apple M2' when not is_server then
    (array['Intel Iris Xe Graphics', 'Intel Iris Xe Graphics, NVIDIA GeForce MX550', 'AMD Radeon 740M'])[1 + app.demo_pick(key || 'gpu', 3)] end,
  memory_mb,
  jsonb_build_array(jsonb_build_object('mount', case when platform = 'windows' then 'C:' else '/' end,
    'filesystem', case platform when 'windows' then 'NTFS' when 'macos' then 'apfs' else 'ext4' end,
    'total_mb', disk_mb, 'free_mb', disk_mb * case when is_full then 5 + n % 2 else 12 + app.demo_pick(key || 'free', 66) end / 100)),
  jsonb_build_array(jsonb_build_object('name', case platform when 'windows' then 'Ethernet' when 'macos' then 'en0' else 'eth0' end,
    'mac', '02:' || regexp_replace(substr(md5(key || 'mac'), 1, 10), '(..)(?=.)', '\1:', 'g'),
    'addresses', jsonb_build_array('10.' || (20 + ascii(company) % 30) || '.' || n / 250 || '.' || n % 250 + 2))),
  '10.' || (20 + ascii(company) % 30) || '.' || n / 250 || '.' || n % 250 + 2,
  case when is_server then null when company = 'acme' then turkish_user else english_user end,
  '0.1.0', 'demo-' || md5(key),
  coalesce(offline_since, now()) - make_interval(hours => 2 + app.demo_pick(key || 'boot', 600)),
  app.demo_pick(key || 'reboot', 12) = 0,
  case app.demo_pick(key || 'note', 25) when 0 then 'Battery to be replaced.' when 1 then 'Kasa değişti, seri no etikette.' end,
  -- Before the last boot, however long ago the device went missing.
  coalesce(offline_since, now()) - make_interval(days => 26 + app.demo_pick(key || 'age', 300)),
  coalesce(offline_since, now()) - make_interval(days => 26 + app.demo_pick(key || 'age', 300), mins => n)
from timed
on conflict do nothing;

insert into public.device_presence (company_id, device_id, last_seen_at, online, cpu_percent, memory_percent, disk_percent,
  interval_seconds, inventory_hash)
select d.company_id, d.id, coalesce(d.offline_since, now() - make_interval(secs => app.demo_pick(d.machine_id, 50))), d.status = 'online',
  case when d.status = 'online' then 2 + app.demo_pick(d.machine_id || 'cpu', 600) / 10.0 end,
  case when d.status = 'online' then 25 + app.demo_pick(d.machine_id || 'mem', 700) / 10.0 end,
  100 - round((d.disks -> 0 ->> 'free_mb')::numeric * 100 / (d.disks -> 0 ->> 'total_mb')::numeric, 1),
  60, md5(d.machine_id)
from public.devices d where d.machine_id like 'demo-%'
on conflict do nothing;

insert into public.groups (id, company_id, name, description, created_at)
select app.demo_id('group/' || g.company || '/' || g.key), app.demo_id('company/' || g.company), g.name, g.description,
  now() - interval '150 days'
from (values
  ('acme', 'servers', 'Sunucular', 'Üretimdeki bütün sunucular'),
  ('acme', 'istanbul', 'İstanbul ofisi', 'Merkez ofisteki bilgisayarlar'),
  ('acme', 'ankara', 'Ankara ofisi', 'Ankara’daki bilgisayarlar'),
  ('acme', 'finance', 'Muhasebe', 'Muhasebe ve finans'),
  ('acme', 'macs', 'Mac', 'All Apple devices'),
  ('acme', 'pilot', 'Pilot ring', 'First to receive updates'),
  ('globex', 'servers', 'Servers', 'Linux and Windows servers'),
  ('globex', 'laptops', 'Laptops', 'Everything that leaves the building'),
  ('globex', 'engineering', 'Engineering', null),
  ('initech', 'all', 'All devices', null),
  ('hooli', 'macs', 'Macs', 'Design team'),
  ('hooli', 'servers', 'Servers', null)
) as g (company, key, name, description)
on conflict do nothing;

insert into public.group_devices (company_id, group_id, device_id, added_at)
select g.company_id, g.id, d.id, now() - interval '120 days'
from public.groups g
join public.devices d on d.company_id = g.company_id and d.machine_id like 'demo-%'
where g.id in (
    app.demo_id('group/acme/servers'), app.demo_id('group/globex/servers'), app.demo_id('group/hooli/servers'))
    and (d.os in ('Windows Server 2022', 'Debian GNU/Linux', 'Ubuntu') and d.logged_in_user is null)
  or g.id = app.demo_id('group/acme/istanbul') and d.search like '%istanbul%'
  or g.id = app.demo_id('group/acme/ankara') and d.search like '%ankara%'
  or g.id = app.demo_id('group/acme/finance') and d.search like '%muhasebe%'
  or g.id in (app.demo_id('group/acme/macs'), app.demo_id('group/hooli/macs')) and d.os = 'macOS'
  or g.id = app.demo_id('group/acme/pilot') and app.demo_pick(d.machine_id || 'pilot', 12) = 0
  or g.id = app.demo_id('group/globex/laptops') and d.search like '%-lt-%'
  or g.id = app.demo_id('group/globex/engineering') and d.search like '%-eng-%'
  or g.id = app.demo_id('group/initech/all')
on conflict do nothing;

insert into public.tags (id, company_id, name)
select app.demo_id('tag/' || t.company || '/' || t.key), app.demo_id('company/' || t.company), t.name
from (values
  ('acme', 'critical', 'Kritik'), ('acme', 'shared', 'Ortak kullanım'), ('acme', 'leased', 'Kiralık'),
  ('globex', 'critical', 'Critical'), ('globex', 'leased', 'Leased'), ('hooli', 'critical', 'Critical')
) as t (company, key, name)
on conflict do nothing;

insert into public.device_tags (company_id, device_id, tag_id)
select t.company_id, d.id, t.id
from public.tags t
join public.devices d on d.company_id = t.company_id and d.machine_id like 'demo-%'
where t.id in (app.demo_id('tag/acme/critical'), app.demo_id('tag/globex/critical'), app.demo_id('tag/hooli/critical'))
    and d.os = 'Windows Server 2022'
  or t.id = app.demo_id('tag/acme/shared') and d.search like '%depo%'
  or t.id in (app.demo_id('tag/acme/leased'), app.demo_id('tag/globex/leased')) and app.demo_pick(d.machine_id || 'leased', 6) = 0
on conflict do nothing;

update public.groups g set chosen_by = 'rule', rule = '{"os": {"_eq": "macOS"}}' where g.id in (app.demo_id('group/acme/macs'), app.demo_id('group/hooli/macs'));
insert into app.group_rules (company_id, group_id, filter)
select g.company_id, g.id, g.rule from public.groups g where g.id in (app.demo_id('group/acme/macs'), app.demo_id('group/hooli/macs'))
on conflict do nothing;

update public.devices d set timezone = 'Europe/Istanbul' where d.machine_id like 'demo-%' and d.timezone is null;

-- Demo devices have no agent: this replaces their check-ins. a step of app.tick().
create or replace function app.demo_tick() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  seen integer;
begin
  update public.device_presence p set last_seen_at = now(), updated_at = now(),
    cpu_percent = 2 + app.demo_pick(p.device_id::text || date_trunc('minute', now()), 600) / 10.0,
    memory_percent = least(97, greatest(10, p.memory_percent + app.demo_pick('m' || p.device_id || date_trunc('minute', now()), 40) / 10.0 - 2))
  where p.online and p.last_seen_at < now() - interval '45 seconds'
    and p.device_id in (
      select d.id from public.devices d where d.machine_id like 'demo-%'
        and not exists (select 1 from app.device_secrets s where s.device_id = d.id));
  get diagnostics seen = row_count;
  return seen;
end $$;
comment on function app.demo_tick() is 'Demo data only: keeps the demo devices that are online present, with figures that move.';
insert into app.tick_step (position, name, function) values (90, 'demo', 'demo_tick') on conflict do nothing;

reset app.quiet;

-- Remote links --------------------------------------------------------------------------------------------------------

insert into public.remote_links (id, company_id, name, template, platform)
select app.demo_id('remote-link/' || l.company || '/' || l.key), app.demo_id('company/' || l.company), l.name, l.template, l.platform
from (values
  ('acme', 'rustdesk', 'RustDesk', 'rustdesk://{hostname}', null),
  ('acme', 'rdp', 'Uzak Masaüstü', 'rdp://full%20address=s:{ip}', 'windows'),
  ('acme', 'mesh', 'MeshCentral', 'https://mesh.acme.test/?gotodevicename={hostname}&viewmode=11', null),
  ('globex', 'rustdesk', 'RustDesk', 'rustdesk://{hostname}', null)
) as l (company, key, name, template, platform)
on conflict do nothing;
