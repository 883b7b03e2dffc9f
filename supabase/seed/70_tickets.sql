-- Demo data, part 7: tickets with what they can be about, in the company's own language, and the settings of the desk.
set app.quiet = 'on';

-- Every company is made with statuses and business hours; here they get ids that every part finds.
update public.ticket_statuses s set id = app.demo_id('status/' || o.company || '/' || s.kind), name = case o.language when 'tr' then k.tr else k.en end,
  created_at = now() - interval '140 days'
from (values ('acme', 'tr'), ('globex', 'en'), ('initech', 'en'), ('hooli', 'en'), ('umbra', 'en')) as o (company, language),
  (values ('new', 'New', 'Yeni'), ('open', 'Open', 'Açık'), ('waiting', 'Waiting', 'Beklemede'), ('resolved', 'Resolved', 'Çözüldü'),
    ('closed', 'Closed', 'Kapalı')) as k (kind, en, tr)
where s.company_id = app.demo_id('company/' || o.company) and s.kind = k.kind and s.is_default
  and s.id <> app.demo_id('status/' || o.company || '/' || s.kind);
-- A ticket that waits for an approval or a person has the default one.
insert into public.ticket_statuses (id, company_id, name, kind, color, position, created_at)
select app.demo_id('status/' || k.company || '/requester'), app.demo_id('company/' || k.company), k.name, 'waiting', '#b8941b', 3, now() - interval '90 days'
from (values ('acme', 'Talep eden bekleniyor'), ('globex', 'Waiting for requester')) as k (company, name)
on conflict do nothing;
insert into public.ticket_statuses (id, company_id, name, kind, color, position, created_at)
select app.demo_id('status/acme/' || k.key), app.demo_id('company/acme'), k.name, k.kind, k.color, k.position, now() - interval '90 days'
from (values ('progress', 'İşlemde', 'open', '#1f8a8a', 2), ('supplier', 'Tedarikçi bekleniyor', 'waiting', '#a8572b', 3)) as k (key, name, kind, color, position)
on conflict do nothing;

update public.business_calendars c set id = app.demo_id('calendar/' || o.company), name = case o.language when 'tr' then 'Mesai saatleri' else 'Business hours' end,
  country = o.country, holidays = o.holidays::jsonb, filled_days = o.holidays::jsonb, created_at = now() - interval '140 days'
from (values ('acme', 'tr', 'TR', '[
    {"date": "2026-01-01", "name": "Yılbaşı"},
    {"date": "2026-03-20", "name": "Ramazan Bayramı"},
    {"date": "2026-03-21", "name": "Ramazan Bayramı"},
    {"date": "2026-03-22", "name": "Ramazan Bayramı"},
    {"date": "2026-04-23", "name": "Ulusal Egemenlik ve Çocuk Bayramı"},
    {"date": "2026-05-01", "name": "Emek ve Dayanışma Günü"},
    {"date": "2026-05-19", "name": "Atatürk''ü Anma Gençlik ve Spor Bayramı"},
    {"date": "2026-05-27", "name": "Kurban Bayramı"},
    {"date": "2026-05-28", "name": "Kurban Bayramı"},
    {"date": "2026-05-29", "name": "Kurban Bayramı"},
    {"date": "2026-05-30", "name": "Kurban Bayramı"},
    {"date": "2026-07-15", "name": "Demokrasi ve Millî Birlik Günü"},
    {"date": "2026-08-30", "name": "Zafer Bayramı"},
    {"date": "2026-10-29", "name": "Cumhuriyet Bayramı"},
    {"date": "2027-01-01", "name": "Yılbaşı"},
    {"date": "2027-03-09", "name": "Ramazan Bayramı"},
    {"date": "2027-03-10", "name": "Ramazan Bayramı"},
    {"date": "2027-03-11", "name": "Ramazan Bayramı"},
    {"date": "2027-04-23", "name": "Ulusal Egemenlik ve Çocuk Bayramı"},
    {"date": "2027-05-01", "name": "Emek ve Dayanışma Günü"},
    {"date": "2027-05-16", "name": "Kurban Bayramı"},
    {"date": "2027-05-17", "name": "Kurban Bayramı"},
    {"date": "2027-05-18", "name": "Kurban Bayramı"},
    {"date": "2027-05-19", "name": "Kurban Bayramı"},
    {"date": "2027-07-15", "name": "Demokrasi ve Millî Birlik Günü"},
    {"date": "2027-08-30", "name": "Zafer Bayramı"},
    {"date": "2027-10-29", "name": "Cumhuriyet Bayramı"},
    {"date": "2028-01-01", "name": "Yılbaşı"},
    {"date": "2028-02-26", "name": "Ramazan Bayramı"},
    {"date": "2028-02-27", "name": "Ramazan Bayramı"},
    {"date": "2028-02-28", "name": "Ramazan Bayramı"},
    {"date": "2028-04-23", "name": "Ulusal Egemenlik ve Çocuk Bayramı"},
    {"date": "2028-05-01", "name": "Emek ve Dayanışma Günü"},
    {"date": "2028-05-05", "name": "Kurban Bayramı"},
    {"date": "2028-05-06", "name": "Kurban Bayramı"},
    {"date": "2028-05-07", "name": "Kurban Bayramı"},
    {"date": "2028-05-08", "name": "Kurban Bayramı"},
    {"date": "2028-05-19", "name": "Atatürk''ü Anma Gençlik ve Spor Bayramı"},
    {"date": "2028-07-15", "name": "Demokrasi ve Millî Birlik Günü"},
    {"date": "2028-08-30", "name": "Zafer Bayramı"},
    {"date": "2028-10-29", "name": "Cumhuriyet Bayramı"}]'), ('globex', 'en', 'GB', '[
    {"date": "2026-01-01", "name": "New Year''s Day"},
    {"date": "2026-04-03", "name": "Good Friday"},
    {"date": "2026-04-06", "name": "Easter Monday"},
    {"date": "2026-05-04", "name": "Early May bank holiday"},
    {"date": "2026-05-25", "name": "Spring bank holiday"},
    {"date": "2026-12-25", "name": "Christmas Day"},
    {"date": "2026-12-26", "name": "Boxing Day"},
    {"date": "2026-12-28", "name": "Boxing Day (substitute day)"},
    {"date": "2027-01-01", "name": "New Year''s Day"},
    {"date": "2027-03-26", "name": "Good Friday"},
    {"date": "2027-03-29", "name": "Easter Monday"},
    {"date": "2027-05-03", "name": "Early May bank holiday"},
    {"date": "2027-05-31", "name": "Spring bank holiday"},
    {"date": "2027-12-25", "name": "Christmas Day"},
    {"date": "2027-12-26", "name": "Boxing Day"},
    {"date": "2027-12-27", "name": "Christmas Day (substitute day)"},
    {"date": "2027-12-28", "name": "Boxing Day (substitute day)"},
    {"date": "2028-01-01", "name": "New Year''s Day"},
    {"date": "2028-01-03", "name": "New Year''s Day (substitute day)"},
    {"date": "2028-04-14", "name": "Good Friday"},
    {"date": "2028-04-17", "name": "Easter Monday"},
    {"date": "2028-05-01", "name": "Early May bank holiday"},
    {"date": "2028-05-29", "name": "Spring bank holiday"},
    {"date": "2028-12-25", "name": "Christmas Day"},
    {"date": "2028-12-26", "name": "Boxing Day"}]'),
  ('initech', 'en', null, '[]'), ('hooli', 'en', null, '[]'), ('umbra', 'en', null, '[]')) as o (company, language, country, holidays)
where c.company_id = app.demo_id('company/' || o.company) and c.is_default and c.id <> app.demo_id('calendar/' || o.company);
insert into public.business_calendars (id, company_id, name, timezone, hours, created_at)
select app.demo_id('calendar/acme/always'), app.demo_id('company/acme'), '7/24 destek', 'Europe/Istanbul',
  (select jsonb_agg(jsonb_build_object('day', d::text, 'from', '00:00', 'until', '24:00')) from generate_series(1, 7) d), now() - interval '90 days'
on conflict do nothing;
update public.desk_settings d set id = app.demo_id('desk/' || o.company), close_after_days = 30, created_at = now() - interval '140 days'
from (values ('acme'), ('globex'), ('initech'), ('hooli'), ('umbra')) as o (company)
where d.company_id = app.demo_id('company/' || o.company) and d.id <> app.demo_id('desk/' || o.company);

insert into public.ticket_categories (id, company_id, name, description, color, position, icon, audience, fields, created_at)
select app.demo_id('category/' || o.company || '/' || k.key), app.demo_id('company/' || o.company),
  case o.language when 'tr' then k.tr_name else k.en_name end,
  case o.language when 'tr' then k.tr_text else k.en_text end, k.color, k.position, k.icon, k.audience,
  coalesce(case o.language when 'tr' then k.tr_form else k.en_form end, '[]')::jsonb, now() - interval '140 days'
from (values
  ('hardware', '#3d6fb6', 1, 'Hardware', 'Computers, screens and everything with a plug.', 'Donanım', 'Bilgisayar, ekran ve fişi olan her şey.',
    'laptop', 'everyone', '[{"key": "asset_tag", "label": "Asset tag", "kind": "text", "required": true}, {"key": "since", "label": "Since when", "kind": "date", "required": false}, {"key": "works", "label": "I can still work", "kind": "checkbox", "required": false}]', '[{"key": "asset_tag", "label": "Demirbaş numarası", "kind": "text", "required": true}, {"key": "since", "label": "Ne zamandan beri", "kind": "date", "required": false}, {"key": "works", "label": "Çalışmaya devam edebiliyorum", "kind": "checkbox", "required": false}]'),
  ('software', '#7a5cc0', 2, 'Software', 'Programs that are missing, slow or do not start.', 'Yazılım', 'Eksik, yavaş veya açılmayan programlar.',
    'appstore', 'everyone', '[{"key": "program", "label": "Program", "kind": "text", "required": true}, {"key": "people", "label": "How many people", "kind": "number", "required": false}]', '[{"key": "program", "label": "Program", "kind": "text", "required": true}, {"key": "people", "label": "Kaç kişi", "kind": "number", "required": false}]'),
  ('network', '#1f8a8a', 3, 'Network', 'Internet, Wi-Fi, VPN and shared folders.', 'Ağ ve internet', 'İnternet, kablosuz ağ, VPN ve ortak klasörler.',
    'wifi', 'everyone', '[{"key": "place", "label": "Where", "kind": "enum", "required": false, "options": ["Office", "Home", "On the road"]}]', '[{"key": "place", "label": "Nerede", "kind": "enum", "required": false, "options": ["Ofis", "Ev", "Yolda"]}]'),
  ('access', '#b8761b', 4, 'Accounts and access', 'Passwords, new colleagues and rights.', 'Hesap ve erişim', 'Şifreler, yeni çalışanlar ve yetkiler.',
    'key', 'everyone', '[{"key": "system", "label": "System", "kind": "text", "required": false}, {"key": "reason", "label": "Reason", "kind": "textarea", "required": false}]', '[{"key": "system", "label": "Sistem", "kind": "text", "required": false}, {"key": "reason", "label": "Gerekçe", "kind": "textarea", "required": false}]'),
  ('printing', '#5b6b7f', 5, 'Printing', null, 'Yazıcı', 'Yazıcı, tarayıcı ve sarf malzemesi.',
    'printer', 'everyone', null, null)
) as k (key, color, position, en_name, en_text, tr_name, tr_text, icon, audience, en_form, tr_form)
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

insert into public.sla_policies (id, company_id, name, category_id, calendar_id, targets, position, created_at)
select app.demo_id('sla/' || k.company || '/' || k.key), app.demo_id('company/' || k.company), k.name,
  case when k.category is not null then app.demo_id('category/' || k.company || '/' || k.category) end,
  case when k.calendar is not null then app.demo_id('calendar/acme/' || k.calendar) end, k.targets::jsonb, k.position, now() - interval '130 days'
from (values
  ('acme', 'standard', 'Standart hizmet', null, null, 2, '[{"priority": "urgent", "first_response": 30, "solution": 240}, {"priority": "high", "first_response": 60, "solution": 480}, {"priority": "normal", "first_response": 240, "solution": 1440}, {"priority": "low", "first_response": 480, "solution": 2880}]'),
  ('acme', 'network', 'Ağ ve internet (7/24)', 'network', 'always', 1, '[{"priority": "urgent", "first_response": 15, "solution": 120}, {"priority": "high", "first_response": 30, "solution": 480}, {"priority": "normal", "first_response": 120, "solution": 1440}]'),
  ('globex', 'standard', 'Standard service', null, null, 1, '[{"priority": "urgent", "first_response": 30, "solution": 240}, {"priority": "high", "first_response": 60, "solution": 480}, {"priority": "normal", "first_response": 240, "solution": 1440}]')
) as k (company, key, name, category, calendar, position, targets)
on conflict do nothing;

insert into public.canned_replies (id, company_id, name, shortcut, body, category_id, language, scope, owner_id, created_at)
select app.demo_id('reply/' || k.company || '/' || k.key), app.demo_id('company/' || k.company), k.name, k.key, k.body,
  case when k.category is not null then app.demo_id('category/' || k.company || '/' || k.category) end, k.language, k.scope,
  (select p.id from public.profiles p where p.email = k.owner), now() - interval '100 days'
from (values
  ('acme', 'alindi', 'Talebiniz alındı', null, 'tr', 'shared', 'admin@acme.test', E'Merhaba {requester.name},\n\n#{ticket.number} numaralı talebiniz elimize ulaştı. En kısa sürede dönüş yapacağız.\n\n{agent.name}\n{company.name}'),
  ('acme', 'yeniden-baslat', 'Yeniden başlatma', 'hardware', 'tr', 'shared', 'admin@acme.test', E'Merhaba {requester.name},\n\n{device.name} cihazınızı yeniden başlatıp sonucu bize yazar mısınız?\n\n{agent.name}'),
  ('acme', 'sifre', 'Şifre sıfırlama', 'access', 'tr', 'shared', 'admin@acme.test', E'Merhaba {requester.name},\n\nŞifreniz sıfırlandı. İlk girişte yeni bir şifre belirlemeniz istenecek.\n\n{agent.name}'),
  ('acme', 'received', 'We have your request', null, 'en', 'shared', 'admin@acme.test', E'Hello {requester.name},\n\nwe have received your request #{ticket.number} and will come back to you soon.\n\n{agent.name}'),
  ('acme', 'notum', 'Kısa not', null, 'tr', 'mine', 'teknik@acme.test', E'Merhaba, bakıyorum.\n\n{agent.name}'),
  ('globex', 'received', 'We have your request', null, 'en', 'shared', 'admin@globex.test', E'Hello {requester.name},\n\nwe have received your request #{ticket.number} and will come back to you soon.\n\n{agent.name}'),
  ('globex', 'restart', 'Restart the device', 'hardware', 'en', 'shared', 'admin@globex.test', E'Hello {requester.name},\n\nplease restart {device.name} and tell us whether it helped.\n\n{agent.name}')
) as k (company, key, name, category, language, scope, owner, body)
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
      when a.hours > 90 then case when a.luck < 5 then 'resolved' when a.luck < 7 then 'waiting' else 'open' end
      else case when a.luck < 2 then 'resolved' when a.luck < 4 then 'waiting' when a.luck > 6 then 'new' else 'open' end end as status
  from asked a
)
insert into public.tickets (id, company_id, subject, description, category_id, issue_id, status, priority, requester_id, assignee_id,
  device_id, due_at, resolved_at, paused_at, created_by, created_at, updated_at)
select app.demo_id('ticket/' || s.company || '/' || s.subject), app.demo_id('company/' || s.company), s.subject, s.description,
  app.demo_id('category/' || s.company || '/' || s.category), app.demo_id('issue/' || s.company || '/' || s.issue), s.status,
  case when s.luck = 9 then 'urgent' end, person.id,
  case when s.status not in ('new', 'open') or s.status = 'open' and s.luck > 4 then staff.id end,
  case when s.category in ('hardware', 'software') then device.id end,
  case when s.luck < 6 and s.status in ('new', 'open', 'waiting') and s.position % 7 = 0 then now() - make_interval(hours => s.hours) + make_interval(hours => 48 + s.luck * 8) end,
  case when s.status in ('resolved', 'closed') then least(now(), now() - make_interval(hours => s.hours) + make_interval(mins => 35 + s.luck * 90)) end,
  -- A ticket that waits has waited since its last change, not since the demo data was loaded.
  case when s.status = 'waiting' then least(now(), now() - make_interval(hours => s.hours) + make_interval(mins => 35 + s.luck * 90)) end,
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

-- What people wrote on them. A ticket that nobody has taken has no answer yet, and the newest ones are in the middle of theirs.
insert into public.ticket_comments (id, company_id, ticket_id, kind, body, author_id, created_at)
select app.demo_id('comment/' || t.id || '/' || w.step), t.company_id, t.id, w.kind, case x.language when 'tr' then w.tr else w.en end,
  case w.who when 'staff' then coalesce(nullif(t.assignee_id, t.requester_id), operator.id) else t.requester_id end,
  t.created_at + (coalesce(t.resolved_at, now()) - t.created_at) * (w.step::double precision / (w.steps + 1))
from public.tickets t
join demo_texts x on x.subject = t.subject
join (values
  ('hardware', 1, 5, 'staff', 'reply', 'Thanks for reporting this. Since when does it happen, and did anything change on the device before?', 'Bildirdiğiniz için teşekkürler. Sorun ne zamandan beri var, öncesinde cihazda bir değişiklik oldu mu?'),
  ('hardware', 2, 5, 'asker', 'reply', 'Since **Monday**. Nothing changed that I know of; a restart helps for about an hour.', '**Pazartesiden** beri. Bildiğim kadarıyla bir değişiklik olmadı; yeniden başlatınca bir saat kadar düzeliyor.'),
  ('hardware', 3, 5, 'staff', 'note', 'Third report for this model this month. If the disk check is bad again, replace it under warranty instead of repairing.', 'Bu modelde bu ay üçüncü bildirim. Disk testi yine kötü çıkarsa onarmak yerine garantiden değiştirelim.'),
  ('hardware', 4, 5, 'staff', 'reply', E'I have started a check on the device. It takes about 20 minutes:\n\n1. Leave it plugged in.\n2. Please do not close the lid.', E'Cihazda bir denetim başlattım, yaklaşık 20 dakika sürer:\n\n1. Cihazı prize takılı bırakın.\n2. Lütfen kapağını kapatmayın.'),
  ('hardware', 5, 5, 'asker', 'reply', 'Done, it looks much better now.', 'Tamamlandı, şimdi çok daha iyi görünüyor.'),
  ('software', 1, 4, 'staff', 'reply', 'Which version do you see under *Help › About*?', '*Yardım › Hakkında* altında hangi sürüm yazıyor?'),
  ('software', 2, 4, 'asker', 'reply', 'It says `16.0.4266`.', '`16.0.4266` yazıyor.'),
  ('software', 3, 4, 'staff', 'note', 'Known fault of that build. The update is approved for ring 2 only, move the device to ring 1 first.', 'Bu derlemenin bilinen hatası. Güncelleme yalnızca 2. halka için onaylı, önce cihazı 1. halkaya alın.'),
  ('software', 4, 4, 'staff', 'reply', 'The update is being installed tonight between 22:00 and 23:00. Please leave the computer on.', 'Güncelleme bu gece 22.00 ile 23.00 arasında kurulacak. Lütfen bilgisayarı açık bırakın.'),
  ('network', 1, 4, 'staff', 'reply', 'Does another device work in the same place?', 'Aynı yerde başka bir cihaz çalışıyor mu?'),
  ('network', 2, 4, 'asker', 'reply', 'My phone works on Wi-Fi, the laptop does not.', 'Telefonum kablosuz ağa bağlanıyor, dizüstü bilgisayar bağlanmıyor.'),
  ('network', 3, 4, 'staff', 'note', 'Switch port 14 shows CRC errors since the move. Cable ordered.', 'Taşınmadan beri 14 numaralı anahtar portunda CRC hataları var. Kablo sipariş edildi.'),
  ('network', 4, 4, 'staff', 'reply', 'We found a faulty cable and will replace it today. Until then the Wi-Fi *Guest* works.', 'Arızalı bir kablo bulduk, bugün değiştireceğiz. O zamana kadar *Misafir* kablosuz ağı kullanılabilir.'),
  ('access', 1, 3, 'staff', 'note', 'Waiting for the approval of the line manager, asked by phone.', 'Bağlı olduğu yöneticinin onayı bekleniyor, telefonla soruldu.'),
  ('access', 2, 3, 'staff', 'reply', 'The account is ready. You will be asked to choose a new password at the first sign-in.', 'Hesap hazır. İlk girişte yeni bir şifre belirlemeniz istenecek.'),
  ('access', 3, 3, 'asker', 'reply', 'It works, thank you!', 'Çalışıyor, teşekkürler!'),
  ('printing', 1, 2, 'staff', 'reply', 'A colleague is on the way. Please use the printer by the stairs meanwhile.', 'Bir arkadaşımız yolda. Bu arada lütfen merdivenin yanındaki yazıcıyı kullanın.'),
  ('printing', 2, 2, 'asker', 'reply', 'Thanks, that one prints.', 'Teşekkürler, o yazıcı çalışıyor.')
) as w (category, step, steps, who, kind, en, tr) on w.category = x.category
-- Where a company has one person alone, the operator answers.
join public.profiles operator on operator.email = 'super@demo.test'
where t.assignee_id is not null and t.requester_id is not null
  and (t.resolved_at is not null or w.step <= 1 + app.demo_pick(t.subject || 'talk', w.steps))
on conflict do nothing;

-- The desk has answered what it works on.
insert into public.ticket_comments (id, company_id, ticket_id, kind, body, author_id, created_at)
select app.demo_id('comment/' || t.id || '/first'), t.company_id, t.id, 'reply',
  case x.language when 'tr' then 'Teşekkürler, talebinizi aldık ve inceliyoruz.' else 'Thank you, we have your request and are looking into it.' end,
  coalesce(nullif(t.assignee_id, t.requester_id), operator.id),
  least(t.created_at + interval '25 minutes', t.created_at + (coalesce(t.resolved_at, now()) - t.created_at) / 10)
from public.tickets t
join demo_texts x on x.subject = t.subject
join public.profiles operator on operator.email = 'super@demo.test'
where t.status <> 'new' and t.requester_id is not null
on conflict do nothing;
update public.tickets t set first_responded_at = c.answered
from (select k.ticket_id, min(k.created_at) as answered from public.ticket_comments k join public.tickets x on x.id = k.ticket_id
  where k.kind = 'reply' and k.author_id <> x.requester_id group by k.ticket_id) c
where c.ticket_id = t.id and t.first_responded_at is null;

insert into public.device_comments (id, company_id, device_id, body, author_id, created_at)
select app.demo_id('comment/' || d.id || '/' || w.step), d.company_id, d.id, case c.name when 'Acme' then w.tr else w.en end, staff.id,
  now() - make_interval(days => 40 - w.step * 9, hours => app.demo_pick(d.name || w.step, 20))
from public.devices d
join public.companies c on c.id = d.company_id
join (values
  (1, 'Fan replaced, thermal paste renewed. Temperature under load is **71 °C** now.', 'Fan değiştirildi, termal macun yenilendi. Yük altındaki sıcaklık artık **71 °C**.'),
  (2, 'The docking station only works in the *left* port.', 'Bağlantı istasyonu yalnızca *soldaki* girişte çalışıyor.'),
  (3, 'Promised as a replacement device from next month on: do not lend it out.', 'Önümüzdeki aydan itibaren yedek cihaz olarak ayrıldı: ödünç vermeyin.')
) as w (step, en, tr) on w.step = 1 + app.demo_pick(d.name || 'remark', 6)
join public.profiles staff on staff.email = case c.name when 'Acme' then 'teknik@acme.test' else 'admin@' || lower(c.name) || '.test' end
where d.machine_id like 'demo-%'
on conflict do nothing;
insert into public.assignment_rules (id, company_id, name, position, category_id, priority, assigns, assignee_id, role, created_at)
select app.demo_id('rule/' || k.company || '/' || k.key), app.demo_id('company/' || k.company), k.name, k.position,
  case when k.category is not null then app.demo_id('category/' || k.company || '/' || k.category) end, k.priority, k.assigns,
  (select p.id from public.profiles p where p.email = k.person), k.role, now() - interval '80 days'
from (values
  ('acme', 'urgent', 'Acil talepler', 1, null, 'urgent', 'person', 'admin@acme.test', null),
  ('acme', 'network', 'Ağ sorunları sırayla', 2, 'network', null, 'in_turn', null, 'Teknik'),
  ('acme', 'rest', 'Diğerleri: yükü en az olan', 3, null, null, 'least_loaded', null, null),
  ('globex', 'rest', 'Least loaded', 1, null, null, 'least_loaded', null, null)
) as k (company, key, name, position, category, priority, assigns, person, role)
on conflict do nothing;

-- Two tickets are near their targets and two have missed them, whenever the data is loaded.
update public.tickets t set status_id = app.demo_id('status/acme/supplier')
where t.company_id = app.demo_id('company/acme') and t.status = 'waiting' and t.number % 2 = 0 and t.status_id <> app.demo_id('status/acme/supplier');
update public.tickets t set status_id = app.demo_id('status/' || k.company || '/requester')
from (values ('acme'), ('globex')) as k (company)
where t.company_id = app.demo_id('company/' || k.company) and t.status = 'waiting' and t.status_id = app.demo_id('status/' || k.company || '/waiting');
update public.tickets t set due_at = now() + make_interval(mins => 20 + 15 * n.place::integer)
from (select x.id, row_number() over (partition by x.company_id order by x.number desc) as place from public.tickets x
  where x.company_id in (app.demo_id('company/acme'), app.demo_id('company/globex')) and x.status = 'open' and x.due_at is null) n
where t.id = n.id and n.place <= 2 and not exists (select 1 from public.tickets y where y.company_id = t.company_id and y.sla_state = 'warning');

-- The tickets above have their targets already.
delete from app.sla_recounts r where r.company_id in (app.demo_id('company/acme'), app.demo_id('company/globex'));

drop table demo_texts;
reset app.quiet;
