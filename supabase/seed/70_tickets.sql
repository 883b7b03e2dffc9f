-- Demo data, part 7: tickets with what they can be about, in the company's own language.
set app.quiet = 'on';

insert into public.ticket_categories (id, company_id, name, description, color, position, created_at)
select app.demo_id('category/' || o.company || '/' || k.key), app.demo_id('company/' || o.company),
  case o.language when 'tr' then k.tr_name else k.en_name end,
  case o.language when 'tr' then k.tr_text else k.en_text end, k.color, k.position, now() - interval '140 days'
from (values
  ('hardware', '#3d6fb6', 1, 'Hardware', 'Computers, screens and everything with a plug.', 'Donanım', 'Bilgisayar, ekran ve fişi olan her şey.'),
  ('software', '#7a5cc0', 2, 'Software', 'Programs that are missing, slow or do not start.', 'Yazılım', 'Eksik, yavaş veya açılmayan programlar.'),
  ('network', '#1f8a8a', 3, 'Network', 'Internet, Wi-Fi, VPN and shared folders.', 'Ağ ve internet', 'İnternet, kablosuz ağ, VPN ve ortak klasörler.'),
  ('access', '#b8761b', 4, 'Accounts and access', 'Passwords, new colleagues and rights.', 'Hesap ve erişim', 'Şifreler, yeni çalışanlar ve yetkiler.'),
  ('printing', '#5b6b7f', 5, 'Printing', null, 'Yazıcı', 'Yazıcı, tarayıcı ve sarf malzemesi.')
) as k (key, color, position, en_name, en_text, tr_name, tr_text)
cross join (values ('acme', 'tr'), ('globex', 'en'), ('initech', 'en'), ('hooli', 'en'), ('umbra', 'en')) as o (company, language)
on conflict do nothing;

insert into public.ticket_issues (id, company_id, category_id, name, priority, created_at)
select app.demo_id('issue/' || o.company || '/' || k.key), app.demo_id('company/' || o.company),
  app.demo_id('category/' || o.company || '/' || k.category), case o.language when 'tr' then k.tr_name else k.en_name end,
  k.priority, now() - interval '140 days'
from (values
  ('broken', 'hardware', 'high', 'Device does not start', 'Cihaz açılmıyor'),
  ('slow', 'hardware', 'normal', 'Device is slow', 'Cihaz yavaş'),
  ('peripheral', 'hardware', 'low', 'Mouse, keyboard or screen', 'Fare, klavye veya ekran'),
  ('install', 'software', 'normal', 'Install a program', 'Program kurulumu'),
  ('crash', 'software', 'high', 'Program closes by itself', 'Program kendiliğinden kapanıyor'),
  ('license', 'software', 'normal', 'License needed', 'Lisans gerekiyor'),
  ('offline', 'network', 'urgent', 'No connection', 'Bağlantı yok'),
  ('vpn', 'network', 'high', 'VPN', 'VPN'),
  ('share', 'network', 'normal', 'Shared folder', 'Ortak klasör'),
  ('password', 'access', 'high', 'Forgotten password', 'Unutulan şifre'),
  ('joiner', 'access', 'normal', 'New colleague', 'Yeni çalışan'),
  ('rights', 'access', 'normal', 'Access to a system', 'Sisteme erişim'),
  ('jam', 'printing', 'low', 'Paper jam or toner', 'Kâğıt sıkışması veya toner'),
  ('queue', 'printing', 'normal', 'Nothing comes out', 'Çıktı gelmiyor')
) as k (key, category, priority, en_name, tr_name)
cross join (values ('acme', 'tr'), ('globex', 'en'), ('initech', 'en'), ('hooli', 'en'), ('umbra', 'en')) as o (company, language)
on conflict do nothing;

drop table if exists pg_temp.demo_texts;
create temporary table demo_texts as
select * from (values
  ('tr', 1, 'slow', 'hardware', 'Bilgisayarım sabahları çok yavaş açılıyor', 'Açılış yaklaşık **10 dakika** sürüyor. Dün akşamki güncellemeden beri böyle.'),
  ('tr', 2, 'broken', 'hardware', 'Dizüstü bilgisayar açılmıyor', 'Güç düğmesine basınca yalnızca ışık yanıyor, ekran karanlık kalıyor.'),
  ('tr', 3, 'peripheral', 'hardware', 'İkinci ekran algılanmıyor', 'HDMI kablosunu değiştirdim, sonuç aynı.'),
  ('tr', 4, 'install', 'software', 'Muhasebe programının yeni sürümü', E'Yıl sonu kapanışından önce kurulması gerekiyor.\n\n- Muhasebe: 4 bilgisayar\n- Finans: 2 bilgisayar'),
  ('tr', 5, 'crash', 'software', 'Excel büyük dosyada kapanıyor', '`bütçe-2026.xlsx` dosyasını açınca program kapanıyor.'),
  ('tr', 6, 'license', 'software', 'AutoCAD lisansı', 'Yeni başlayan iki mühendis için lisans gerekiyor.'),
  ('tr', 7, 'offline', 'network', 'Toplantı odasında internet yok', '3. kattaki odada hem kablo hem kablosuz çalışmıyor.'),
  ('tr', 8, 'vpn', 'network', 'Evden VPN bağlantısı kurulamıyor', 'Hata: “Sunucu yanıt vermiyor”. Dün çalışıyordu.'),
  ('tr', 9, 'share', 'network', 'Ortak klasöre erişemiyorum', E'`\\\\acme-fs01\\satis` klasörü açılmıyor.'),
  ('tr', 10, 'password', 'access', 'Şifremi unuttum', 'İzinden döndüm, şifremi hatırlamıyorum.'),
  ('tr', 11, 'joiner', 'access', 'Yeni çalışan: Ayşe Çelik', 'Pazartesi başlıyor. Dizüstü bilgisayar, e-posta ve ERP erişimi gerekiyor.'),
  ('tr', 12, 'rights', 'access', 'ERP raporlarına erişim', 'Satış raporlarını görmem gerekiyor, yöneticim onayladı.'),
  ('tr', 13, 'jam', 'printing', 'Yazıcıda kâğıt sıkıştı', '2. kat, koridordaki yazıcı. Kapağını açtım ama kâğıdı bulamadım.'),
  ('tr', 14, 'queue', 'printing', 'Çıktılar yazıcıdan gelmiyor', 'Kuyrukta 14 iş bekliyor.'),
  ('tr', 15, 'slow', 'hardware', 'Outlook donuyor', 'Arama yapınca pencere yaklaşık bir dakika yanıt vermiyor.'),
  ('tr', 16, 'peripheral', 'hardware', 'Kulaklık mikrofonu çalışmıyor', 'Teams toplantılarında sesim gitmiyor.'),
  ('tr', 17, 'install', 'software', 'PDF düzenleme programı', 'Sözleşmeleri imzalamak için gerekiyor.'),
  ('tr', 18, 'vpn', 'network', 'VPN her yarım saatte bir kopuyor', null),
  ('tr', 19, 'share', 'network', 'Silinen dosyayı geri getirme', 'Dün öğleden sonra `teklifler/İzmir.docx` dosyasını yanlışlıkla sildim.'),
  ('tr', 20, 'rights', 'access', 'Kamera sistemine erişim', 'Depo sorumlusu olarak kayıtları görmem gerekiyor.'),
  ('tr', 21, 'broken', 'hardware', 'Ekranda dikey çizgiler var', 'Fotoğrafı e-posta ile gönderdim.'),
  ('tr', 22, 'crash', 'software', 'Tarayıcı sürekli kapanıyor', 'Özellikle e-fatura sayfasında.'),
  ('tr', 23, 'offline', 'network', 'Şube bağlantısı kesildi', 'Ankara şubesi 09:40’tan beri çevrimdışı.'),
  ('tr', 24, 'password', 'access', 'Hesabım kilitlendi', 'Üç kez yanlış şifre girdim.'),
  ('tr', 25, 'joiner', 'access', 'Staj için geçici hesaplar', 'Üç stajyer, 1 Temmuz – 31 Ağustos.'),
  ('tr', 26, 'jam', 'printing', 'Toner bitti', 'Muhasebe yazıcısı.'),
  ('tr', 27, 'license', 'software', 'Office lisansı dolmuş görünüyor', 'Her açılışta uyarı çıkıyor.'),
  ('tr', 28, 'queue', 'printing', 'Barkod yazıcısı yanlış boyutta basıyor', 'Etiketin yarısı boş kalıyor.'),
  ('tr', 29, 'slow', 'hardware', 'Sanal masaüstü yavaş', null),
  ('tr', 30, 'rights', 'access', 'Eski projenin arşivi', '2023 arşivini salt okunur açabilir misiniz?'),
  ('en', 1, 'slow', 'hardware', 'Laptop takes ten minutes to start', 'Since the update of last night. The fan runs all the time.'),
  ('en', 2, 'broken', 'hardware', 'Docking station gives no picture', 'Tried **two cables** and another screen.'),
  ('en', 3, 'peripheral', 'hardware', 'Replace a worn keyboard', 'The `E` and the space bar stick.'),
  ('en', 4, 'install', 'software', 'Install the new CAD viewer', E'For the whole engineering team:\n\n- 8 laptops\n- 2 workstations'),
  ('en', 5, 'crash', 'software', 'Mail client closes when searching', 'Every time, within seconds.'),
  ('en', 6, 'license', 'software', 'Two more design licenses', 'The freelancers start on Monday.'),
  ('en', 7, 'offline', 'network', 'No network on the second floor', 'Cable and Wi-Fi both. Other floors are fine.'),
  ('en', 8, 'vpn', 'network', 'VPN refuses my password', 'The same password works in the browser.'),
  ('en', 9, 'share', 'network', 'Cannot open the sales share', E'`\\\\fs01\\sales` says access denied since this morning.'),
  ('en', 10, 'password', 'access', 'Locked out after the holidays', 'I cannot remember the new password.'),
  ('en', 11, 'joiner', 'access', 'New colleague: Tom Becker', 'Starts on the 1st. Laptop, mail, and access to the wiki.'),
  ('en', 12, 'rights', 'access', 'Access to the monthly reports', 'Approved by my manager.'),
  ('en', 13, 'jam', 'printing', 'Paper jam on the third floor', 'The printer by the kitchen.'),
  ('en', 14, 'queue', 'printing', 'Print jobs disappear', 'They leave the queue and nothing comes out.'),
  ('en', 15, 'slow', 'hardware', 'Video calls stutter', 'Only in the meeting room, never at my desk.'),
  ('en', 16, 'peripheral', 'hardware', 'Headset microphone is silent', 'Others hear nothing in calls.'),
  ('en', 17, 'install', 'software', 'Password manager for the finance team', null),
  ('en', 18, 'vpn', 'network', 'VPN drops every half an hour', 'Home office, fibre connection.'),
  ('en', 19, 'share', 'network', 'Restore a deleted folder', '`projects/atlas`, deleted yesterday afternoon.'),
  ('en', 20, 'rights', 'access', 'Read-only access to the archive', 'For the audit next week.'),
  ('en', 21, 'crash', 'software', 'Browser tab crashes on the ERP page', null),
  ('en', 22, 'offline', 'network', 'Branch office is offline', 'Since 9:40. Phones work.'),
  ('en', 23, 'jam', 'printing', 'Toner is empty', 'Finance printer.'),
  ('en', 24, 'license', 'software', 'Office says the license has ended', 'A warning at every start.')
) as t (language, position, issue, category, subject, description);

-- The older, the more are done. Numbers count up with time, and a second run makes none.
with asked as (
  select o.company, t.position, t.issue, t.category, t.subject, t.description,
    (o.many - t.position) * 17 + 1 + app.demo_pick(o.company || t.subject, 15) as hours,
    app.demo_pick(o.company || t.subject || 'state', 10) as luck,
    app.demo_pick(o.company || t.subject || 'who', 10) as who
  from demo_texts t
  join (values ('acme', 'tr', 30), ('acme', 'en', 12), ('globex', 'en', 24), ('initech', 'en', 10), ('hooli', 'en', 8), ('umbra', 'en', 3))
    as o (company, language, many) on o.language = t.language and t.position <= o.many
), states as (
  select a.*, case
      when a.hours > 200 then case when a.luck < 8 then 'closed' else 'resolved' end
      when a.hours > 90 then case when a.luck < 5 then 'resolved' when a.luck < 7 then 'pending' else 'open' end
      else case when a.luck < 2 then 'resolved' when a.luck < 4 then 'pending' else 'open' end end as status
  from asked a
)
insert into public.tickets (id, company_id, subject, description, category_id, issue_id, status, priority, requester_id, assignee_id,
  device_id, due_at, resolved_at, created_by, created_at, updated_at)
select app.demo_id('ticket/' || s.company || '/' || s.subject), app.demo_id('company/' || s.company), s.subject, s.description,
  app.demo_id('category/' || s.company || '/' || s.category), app.demo_id('issue/' || s.company || '/' || s.issue), s.status,
  case when s.luck = 9 then 'urgent' end, person.id,
  case when s.status <> 'open' or s.luck > 6 then staff.id end,
  case when s.category in ('hardware', 'software') then device.id end,
  case when s.luck < 6 and s.status in ('open', 'pending') then now() - make_interval(hours => s.hours) + make_interval(hours => 48 + s.luck * 8) end,
  case when s.status in ('resolved', 'closed') then least(now(), now() - make_interval(hours => s.hours) + make_interval(mins => 35 + s.luck * 90)) end,
  person.id, now() - make_interval(hours => s.hours),
  least(now(), now() - make_interval(hours => s.hours) + make_interval(mins => 35 + s.luck * 90))
from states s
join public.profiles person on person.email = case
  when s.company = 'acme' and s.who < 5 then 'standard@acme.test'
  when s.company = 'acme' and s.who < 7 then 'teknik@acme.test'
  when s.company in ('acme', 'globex', 'initech') then 'admin@' || s.company || '.test'
  else 'super@demo.test' end
join public.profiles staff on staff.email = case
  when s.company = 'acme' and s.who % 3 > 0 then 'teknik@acme.test'
  when s.company in ('acme', 'globex', 'initech') then 'admin@' || s.company || '.test'
  else 'super@demo.test' end
left join lateral (
  select d.id from public.devices d where d.company_id = app.demo_id('company/' || s.company) and d.machine_id like 'demo-%'
  order by d.name_key, d.id offset app.demo_pick(s.subject, 5) limit 1) device on true
where not exists (select 1 from public.tickets x where x.id = app.demo_id('ticket/' || s.company || '/' || s.subject))
order by s.hours desc, s.subject;

drop table demo_texts;
reset app.quiet;
