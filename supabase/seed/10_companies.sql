-- Demo data, part 1: companies and accounts. Idempotent: a second run changes nothing.
-- Only ever loaded into the embedded backend, or on request. Ids are hashes of names, so every part finds its rows.
set app.quiet = 'on';

create or replace function app.demo_id(name text) returns uuid
  language sql immutable parallel safe
  return overlay(overlay(md5('konsol-demo/' || name) placing '4' from 13 for 1) placing '8' from 17 for 1)::uuid;
comment on function app.demo_id(text) is 'Demo data only: the id of a named row.';

create or replace function app.demo_pick(name text, choices integer) returns integer
  language sql immutable parallel safe
  return (('x' || substr(md5(name), 1, 7))::bit(28)::integer % choices);
comment on function app.demo_pick(text, integer) is 'Demo data only: a number below choices that looks random and is always the same for a name.';

insert into public.companies (id, name, status, license_type, license_end_date, seats, timezone, created_at) values
  (app.demo_id('company/acme'), 'Acme', 'Active', 'Pro', date_trunc('day', now()) + interval '1 year', 250, 'Europe/Istanbul', now() - interval '400 days'),
  (app.demo_id('company/globex'), 'Globex', 'Active', 'Pro', now() + interval '12 days', 100, 'Europe/London', now() - interval '353 days'),
  (app.demo_id('company/initech'), 'Initech', 'Expired', 'Basic', now() - interval '9 days', 50, 'America/Chicago', now() - interval '374 days'),
  (app.demo_id('company/hooli'), 'Hooli', 'Active', 'Basic', date_trunc('day', now()) + interval '200 days', 40, 'America/Los_Angeles', now() - interval '165 days'),
  (app.demo_id('company/umbra'), 'Umbra', 'Suspended', 'Basic', date_trunc('day', now()) + interval '90 days', 10, 'Europe/Berlin', now() - interval '275 days')
on conflict do nothing;

-- One password for all, hashed once.
with wanted (email, name, role, company) as (values
  ('super@demo.test', 'Deniz Aydın', 'Super Admin', null),
  ('admin@acme.test', 'Işıl Yılmaz', 'Admin', 'acme'),
  ('teknik@acme.test', 'Çağrı Öztürk', 'Teknik', 'acme'),
  ('standard@acme.test', 'Şule Güneş', 'Standard', 'acme'),
  ('admin@globex.test', 'Hannah Price', 'Admin', 'globex'),
  ('admin@initech.test', 'Bill Lumbergh', 'Admin', 'initech')
), hash as materialized (
  select app.hash_password('Demo-Console-2026') as value
), made as materialized (
  select w.email, w.role, w.company, app.create_auth_user(w.email, null, w.name, (select h.value from hash h)) as id
  from wanted w
  where not exists (select 1 from auth.users u where u.email = w.email)
)
insert into public.user_roles (user_id, role, company_id)
select m.id, m.role, app.demo_id('company/' || m.company) from made m
on conflict do nothing;

reset app.quiet;
