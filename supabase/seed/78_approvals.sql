-- Demo data: scripts that a second person approved or declined, and what their author was told. After the people.
set app.quiet = 'on';

with decided (script, days, reason) as (values
  ('tls', 21, null),
  ('bitlocker', 20, null),
  ('admins', 20, null),
  ('register', 12, 'The API key is printed when the request fails. Mask it first.')
), found as (
  select v.id as version_id, v.company_id, v.procedure_id, v.number, x.id as person_id, x.name as person, s.name as script, d.reason,
    v.created_at + (now() - v.created_at) * (1 - d.days / 30.0) as at
  from decided d
    join public.procedures s on s.id = app.demo_id('procedure/acme/' || d.script)
    join public.procedure_versions v on v.company_id = s.company_id and v.procedure_id = s.id and v.number = s.revision
    join public.profiles x on x.email = 'ayse.demir@acme.example'
  where v.approved_at is null and v.declined_at is null and s.created_by <> x.id
), versions as (
  update public.procedure_versions v
    set approved_at = case when f.reason is null then f.at end, approved_by = case when f.reason is null then f.person_id end,
      approved_name = case when f.reason is null then f.person end,
      declined_at = case when f.reason is not null then f.at end, declined_by = case when f.reason is not null then f.person_id end,
      declined_name = case when f.reason is not null then f.person end, decline_reason = f.reason
    from found f where v.company_id = f.company_id and v.id = f.version_id
), scripts as (
  update public.procedures s
    set approved_revision = case when f.reason is null then f.number end, approved_at = case when f.reason is null then f.at end,
      approved_name = case when f.reason is null then f.person end,
      declined_at = case when f.reason is not null then f.at end, declined_name = case when f.reason is not null then f.person end,
      decline_reason = f.reason
    from found f where s.company_id = f.company_id and s.id = f.procedure_id
)
insert into public.notifications (id, user_id, company_id, kind, params, link, read_at, once_key, created_at)
select app.demo_id('notification/' || k.kind || '/' || f.version_id), s.created_by, f.company_id, k.kind,
  jsonb_strip_nulls(jsonb_build_object('script', f.script, 'number', f.number, 'by', f.person, 'reason', f.reason)),
  '/procedures/' || f.procedure_id, f.at + interval '2 hours', k.kind || ':' || f.version_id, f.at
from found f
  join public.procedures s on s.company_id = f.company_id and s.id = f.procedure_id
  cross join lateral (select case when f.reason is null then 'script_approved' else 'script_declined' end as kind) k
on conflict do nothing;

reset app.quiet;
