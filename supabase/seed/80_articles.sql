-- Demo data, part 12: the knowledge base, who found it helpful, what requesters said of resolved tickets, and who uses which device.
set app.quiet = 'on';

insert into public.articles (id, company_id, title, body, category_id, audience, language, status, created_at, updated_at)
select app.demo_id('article/' || a.company || '/' || a.key), app.demo_id('company/' || a.company), a.title, a.body,
  app.demo_id('category/' || a.company || '/' || a.category), a.audience, a.language, a.status,
  now() - make_interval(days => a.days), now() - make_interval(days => a.days / 2)
from (values
  ('acme', 'vpn', 'network', 'everyone', 'tr', 'published', 80, 'VPN bağlantısı kurulamıyor',
'VPN çoğu zaman internet bağlantısı değiştiğinde kopar. Aşağıdaki adımlar genellikle yeterlidir.

## Önce bunları deneyin

1. Tarayıcıda bir haber sitesi açın. Açılmıyorsa sorun VPN''de değil, internet bağlantınızdadır.
2. VPN programından **Bağlantıyı kes** deyin, on saniye bekleyin ve yeniden bağlanın.
3. Otel veya kafe ağındaysanız önce ağın giriş sayfasını tarayıcıda onaylayın.
4. Telefonunuzun internetini paylaşıp bir kez de onunla deneyin.

## Hâlâ olmuyorsa

Hata iletisinin ekran görüntüsünü alın ve talebe ekleyin. Nerede olduğunuzu (ev, otel, ofis) da yazın.'),
  ('acme', 'printer', 'printing', 'everyone', 'tr', 'published', 75, 'Yazıcı yazdırmıyor veya kuyrukta bekliyor',
'## Kuyruğu temizleyin

1. **Ayarlar → Bluetooth ve cihazlar → Yazıcılar** yolunu açın.
2. Yazıcıyı seçin, **Kuyruğu aç** deyin ve bekleyen belgelerin tümünü iptal edin.
3. Yazıcıyı kapatın, otuz saniye bekleyin ve açın.

## Kâğıt sıkıştıysa

Kapağı yalnızca yazıcı durduktan sonra açın ve kâğıdı *çıkış yönünde* çekin. Yırtılan parça içeride kaldıysa zorlamayın, talep açın.

> Toner bittiyse talep açmanıza gerek yok: yedekler ikinci kattaki dolapta.'),
  ('acme', 'password', 'access', 'everyone', 'tr', 'published', 120, 'Şifremi unuttum veya hesabım kilitlendi',
'Art arda beş yanlış denemeden sonra hesap on beş dakika kilitlenir ve kendiliğinden açılır.

- **Beklemek istemiyorsanız** giriş sayfasındaki *Şifremi unuttum* bağlantısını kullanın. Bağlantı bir saat geçerlidir.
- **Telefonunuz değiştiyse** ikinci adım onayı için talep açın; kimliğinizi telefonla doğrularız.
- Şifrenizi kimseyle, destek ekibiyle bile paylaşmayın. Biz şifrenizi hiçbir zaman sormayız.'),
  ('acme', 'meeting', 'hardware', 'everyone', 'tr', 'published', 60, 'Toplantı odasındaki ekrana bağlanmak',
'| Oda | Bağlantı | Not |
|-|-|-|
| Boğaziçi | HDMI veya kablosuz | Kumanda masanın altında |
| Galata | Yalnızca USB-C | Adaptör kutuda |
| Kız Kulesi | Kablosuz | Kod ekranda yazar |

1. Ekranı kumandayla açın ve **Kaynak** düğmesiyle bağlantıyı seçin.
2. Bilgisayarda `Windows + P` tuşlarına basın ve **Yinele** deyin.
3. Ses gelmiyorsa görev çubuğundaki hoparlörden ekranı seçin.'),
  ('acme', 'phishing', 'access', 'everyone', 'tr', 'published', 45, 'Şüpheli bir e-posta aldım',
'**Bağlantıya tıklamayın, eki açmayın, yanıtlamayın.**

Şu işaretlere bakın: aciliyet duygusu, tanımadığınız bir gönderen adresi, para veya şifre isteği, yazım hataları.

Tıkladıysanız utanmayın, hemen bildirin: ilk on dakika en değerli süredir. Talebin başlığına *oltalama* yazın ve bilgisayarı ağdan ayırın.'),
  ('acme', 'laptop', 'hardware', 'desk', 'tr', 'published', 30, 'Yeni dizüstü bilgisayarın hazırlanması',
'Destek ekibi için kontrol listesi.

1. Cihazı konsola kaydedin ve **Kullanan** alanını doldurun.
2. *Standart kurulum* betiğini çalıştırın, bitmesini bekleyin.
3. Disk şifrelemesini ve kurtarma anahtarının yedeklendiğini doğrulayın.
4. Demirbaş numarasını cihazın notlarına yazın.'),
  ('acme', 'wifi', 'network', 'everyone', 'tr', 'draft', 5, 'Misafir kablosuz ağı',
'Taslak: yeni erişim noktaları kurulunca yayımlanacak.'),
  ('globex', 'vpn', 'network', 'everyone', 'en', 'published', 80, 'The VPN does not connect',
'Most dropped VPN connections come from a changed network.

1. Open any website. If it does not load, the problem is your internet connection and not the VPN.
2. Choose **Disconnect** in the VPN client, wait ten seconds and connect again.
3. In a hotel or café, accept the terms of the network in the browser first.

Still stuck? Add a screenshot of the message to your ticket, and say where you are.'),
  ('globex', 'printer', 'printing', 'everyone', 'en', 'published', 70, 'The printer does not print',
'## Clear the queue

1. Open **Settings → Bluetooth & devices → Printers**.
2. Choose the printer, open its queue and cancel all documents.
3. Switch the printer off, wait thirty seconds and switch it on.

## Paper jam

Open the cover only after the printer has stopped, and pull the paper *in the direction in which it leaves*.'),
  ('globex', 'password', 'access', 'everyone', 'en', 'published', 110, 'I forgot my password or my account is locked',
'After five wrong attempts an account is locked for fifteen minutes and then opens by itself.

- **Cannot wait?** Use *Forgot password* on the sign-in page. The link works for one hour.
- **A new phone?** Open a ticket for the second step of the sign-in; we call you back to make sure that it is you.
- We never ask for your password.'),
  ('globex', 'mailbox', 'software', 'everyone', 'en', 'published', 40, 'Ask for a shared mailbox',
'A shared mailbox needs a name, an owner and the people who may send from it. Put these three into the ticket and the owner is asked to approve it.'),
  ('globex', 'offboarding', 'access', 'desk', 'en', 'published', 25, 'When somebody leaves',
'For the desk.

1. Deactivate the account at the agreed hour, not before.
2. Reassign open tickets: the console names them.
3. Collect the device and clear **Used by**.')
) as a (company, key, category, audience, language, status, days, title, body)
on conflict do nothing;

-- Everybody of the company has an opinion on some of the articles that they read.
insert into public.article_votes (company_id, article_id, user_id, is_helpful, voted_at)
select a.company_id, a.id, r.user_id, app.demo_pick(a.title || r.user_id::text, 5) > 0, now() - make_interval(days => app.demo_pick(a.title, 20))
from public.articles a join public.user_roles r on r.company_id = a.company_id
where a.id in (select app.demo_id('article/' || k) from unnest(array['acme/vpn', 'acme/printer', 'acme/password', 'acme/meeting', 'acme/phishing',
    'globex/vpn', 'globex/printer', 'globex/password']) k)
  and app.demo_pick(r.user_id::text || a.title, 3) > 0
order by a.id, r.user_id
on conflict do nothing;

-- The rating is older than the seed: the list says when a ticket changed.
alter table public.tickets disable trigger tickets_touch;
update public.tickets t set rating = 5 - app.demo_pick(t.subject, 3), rated_at = t.resolved_at + interval '2 hours',
  rating_note = case app.demo_pick(t.subject, 4) when 0 then case t.company_id when app.demo_id('company/acme') then 'Hızlı çözüldü, teşekkürler.' else 'Quick and friendly.' end end
where t.rating is null and t.requester_id is not null and t.status = 'closed' and t.alert_id is null and app.demo_pick(t.subject, 4) > 0
  and t.company_id in (app.demo_id('company/acme'), app.demo_id('company/globex'));
alter table public.tickets enable trigger tickets_touch;

update public.devices d set owner_id = p.id
from public.profiles p, (
  select x.id, x.company_id, row_number() over (partition by x.company_id order by x.name_key, x.id) as place from public.devices x
  where x.machine_id like 'demo-%' and x.os like 'Windows 1%') n
where d.id = n.id and d.owner_id is null and n.company_id = app.demo_id('company/acme')
  and p.email = case when n.place <= 2 then 'standard@acme.test' when n.place = 3 then 'teknik@acme.test' when n.place = 4 then 'admin@acme.test' end;

reset app.quiet;
