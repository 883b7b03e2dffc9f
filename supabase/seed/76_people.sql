-- Demo data: more people than the six who can sign in, more enrollment tokens, and more failed sign-ins.
set app.quiet = 'on';

-- Nobody knows their password; a link sets one, as for everybody who is invited.
with wanted (email, name, role, company) as (values
  ('ayse.demir@acme.example', 'Ayşe Demir', 'Admin', 'acme'),
  ('burak.sahin@acme.example', 'Burak Şahin', 'Teknik', 'acme'),
  ('elif.kaya@acme.example', 'Elif Kaya', 'Teknik', 'acme'),
  ('gokhan.cinar@acme.example', 'Gökhan Çınar', 'Standard', 'acme'),
  ('irem.ozdemir@acme.example', 'İrem Özdemir', 'Standard', 'acme'),
  ('kemal.aksoy@acme.example', 'Kemal Aksoy', 'Standard', 'acme'),
  ('leyla.tas@acme.example', 'Leyla Taş', 'Standard', 'acme'),
  ('murat.ilhan@acme.example', 'Murat İlhan', 'Standard', 'acme'),
  ('nazli.unal@acme.example', 'Nazlı Ünal', 'Standard', 'acme'),
  ('omer.guclu@acme.example', 'Ömer Güçlü', 'Teknik', 'acme'),
  ('pinar.yildiz@acme.example', 'Pınar Yıldız', 'Standard', 'acme'),
  ('zeynep.kurt@acme.example', 'Zeynep Kurt', 'Standard', 'acme'),
  ('oliver.wright@globex.example', 'Oliver Wright', 'Teknik', 'globex'),
  ('amelia.clarke@globex.example', 'Amelia Clarke', 'Teknik', 'globex'),
  ('jack.hughes@globex.example', 'Jack Hughes', 'Standard', 'globex'),
  ('sophie.turner@globex.example', 'Sophie Turner', 'Standard', 'globex'),
  ('harry.bennett@globex.example', 'Harry Bennett', 'Standard', 'globex'),
  ('peter.gibbons@initech.example', 'Peter Gibbons', 'Standard', 'initech'),
  ('milton.waddams@initech.example', 'Milton Waddams', 'Standard', 'initech'),
  ('gavin.belson@hooli.example', 'Gavin Belson', 'Admin', 'hooli'),
  ('jared.dunn@hooli.example', 'Jared Dunn', 'Teknik', 'hooli'),
  ('lena.vogt@umbra.example', 'Lena Vogt', 'Admin', 'umbra')
), hash as materialized (
  select app.hash_password(app.new_secret()) as value
), made as materialized (
  select w.*, app.create_auth_user(w.email, null, w.name, (select h.value from hash h)) as id
  from wanted w
  where not exists (select 1 from auth.users u where u.email = w.email)
)
insert into public.user_roles (user_id, role, company_id)
select m.id, m.role, app.demo_id('company/' || m.company) from made m
on conflict do nothing;

update auth.users u set last_sign_in_at = now() - make_interval(hours => s.hours)
from (values
  ('ayse.demir@acme.example', 3),
  ('burak.sahin@acme.example', 6),
  ('elif.kaya@acme.example', 30),
  ('gokhan.cinar@acme.example', 72),
  ('irem.ozdemir@acme.example', 20),
  ('leyla.tas@acme.example', 160),
  ('murat.ilhan@acme.example', 400),
  ('nazli.unal@acme.example', 9),
  ('omer.guclu@acme.example', 2200),
  ('pinar.yildiz@acme.example', 1800),
  ('oliver.wright@globex.example', 5),
  ('amelia.clarke@globex.example', 28),
  ('jack.hughes@globex.example', 50),
  ('sophie.turner@globex.example', 11),
  ('peter.gibbons@initech.example', 90),
  ('milton.waddams@initech.example', 3000),
  ('gavin.belson@hooli.example', 26),
  ('jared.dunn@hooli.example', 7),
  ('lena.vogt@umbra.example', 1200)
) as s (email, hours)
where u.email = s.email and u.last_sign_in_at is null;

-- They came one after the other, and not all today.
update public.profiles p set created_at = c.created_at + (now() - c.created_at) * (app.demo_pick(p.email, 80) / 100.0)
from public.user_roles r join public.companies c on c.id = r.company_id
where r.user_id = p.id and p.created_at > now() - interval '1 day';

-- Two who have left.
with gone (email, days) as (values ('omer.guclu@acme.example', 60), ('milton.waddams@initech.example', 90)), locked as (
  update auth.users u set banned_until = now() + interval '100 years' from gone g where u.email = g.email
)
update public.user_roles r set deactivated_at = now() - make_interval(days => g.days)
from gone g join public.profiles p on p.email = g.email
where r.user_id = p.id and r.deactivated_at is null;

-- Their secrets are known to nobody: they tell of devices that have enrolled, and let none in.
insert into public.enrollment_tokens (id, company_id, name, group_id, hint, expires_at, max_uses, used_count, revoked_at, created_by, created_at)
select app.demo_id('token/' || t.company || '/' || t.name), c.id, t.name,
  case when t.team is not null then app.demo_id('group/' || t.company || '/' || t.team) end, right(md5(t.company || t.name), 4),
  now() + make_interval(days => t.expires), t.most, t.used, now() - make_interval(days => t.revoked),
  (select p.id from public.profiles p where p.email = 'admin@' || t.company || '.test'), now() - make_interval(days => t.made)
from (values
  ('acme', 'İstanbul ofisi', 'istanbul', 90, 100, 64, null, 220),
  ('acme', 'Ankara ofisi', 'ankara', 30, 50, 41, null, 180),
  ('acme', 'Depo bilgisayarları', null, null, null, 23, null, 150),
  ('acme', 'Yeni çalışanlar', null, 14, 10, 4, null, 12),
  ('acme', 'Eski ofis', null, -120, 40, 38, null, 390),
  ('acme', 'Deneme', 'pilot', 60, 5, 1, 45, 75),
  ('globex', 'London office', null, 45, 80, 52, null, 200),
  ('globex', 'Warehouse', null, null, 30, 17, null, 140),
  ('globex', 'Contractors', 'laptops', -10, 10, 10, null, 100),
  ('initech', 'Main building', 'all', 120, 60, 30, null, 360)
) as t (company, name, team, expires, most, used, revoked, made)
join public.companies c on c.id = app.demo_id('company/' || t.company)
on conflict do nothing;

insert into public.failed_login_attempts (id, user_email, ip_address, user_agent, failure_reason, created_at)
select app.demo_id('failed/' || n), (array['admin@acme.test', 'elif.kaya@acme.example', 'root@acme.example', 'admin@globex.test',
    'info@hooli.example', 'gokhan.cinar@acme.example'])[1 + app.demo_pick('who' || n, 6)], 'browser',
  (array['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) Safari/605.1.15',
    'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'])[1 + app.demo_pick('with' || n, 3)],
  case when app.demo_pick('why' || n, 9) = 0 then 'User is banned' else 'Invalid login credentials' end,
  now() - make_interval(hours => n * 13 + app.demo_pick('when' || n, 11))
from generate_series(13, 48) as n
on conflict do nothing;

reset app.quiet;
