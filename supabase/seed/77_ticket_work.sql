-- Work on tickets: checklists, time, approvals, links, subtickets and a merged ticket.

set app.quiet = 'on';

create temporary table demo_desk as
select t.id, t.company_id, c.key as company, t.status, t.assignee_id, t.created_at, t.resolved_at,
  row_number() over (partition by t.company_id, t.status order by t.number desc) as place,
  row_number() over (partition by t.company_id order by t.number desc) as newest
from public.tickets t join (values ('acme'), ('globex')) as c (key) on t.company_id = app.demo_id('company/' || c.key)
where t.alert_id is null and t.number <= 400;

update public.ticket_categories c set checklist = k.items::jsonb
from (values
  ('acme', '[{"text": "Hesabı oluştur"}, {"text": "E-posta kutusunu aç"}, {"text": "Gruplara ekle"}, {"text": "Bilgisayarı hazırla"}, {"text": "İlk gün görüşmesi"}]'),
  ('globex', '[{"text": "Create the account"}, {"text": "Open the mailbox"}, {"text": "Add to groups"}, {"text": "Prepare the laptop"}]')
) as k (company, items)
where c.id = app.demo_id('category/' || k.company || '/access') and c.checklist = '[]';
insert into public.ticket_checklist_items (id, company_id, ticket_id, text, position, done, created_at)
select app.demo_id('check/' || t.id || '/' || i.place), t.company_id, t.id, i.item ->> 'text', i.place, i.place <= t.number % 5, t.created_at
from public.tickets t join public.ticket_categories c on c.company_id = t.company_id and c.id = t.category_id
cross join jsonb_array_elements(c.checklist) with ordinality as i (item, place)
where c.id in (app.demo_id('category/acme/access'), app.demo_id('category/globex/access')) and t.status in ('new', 'open', 'waiting')
  and not exists (select 1 from public.ticket_checklist_items x where x.ticket_id = t.id)
on conflict do nothing;

insert into public.time_entries (id, company_id, ticket_id, user_id, started_at, ended_at, billable, created_at)
select app.demo_id('time/' || d.id), d.company_id, d.id, d.assignee_id, d.created_at + interval '10 minutes',
  d.created_at + make_interval(mins => 22 + (d.newest * 7 % 60)::integer), d.newest % 4 <> 0, d.created_at + interval '10 minutes'
from demo_desk d
where d.status in ('resolved', 'closed') and d.assignee_id is not null and d.newest <= 80 and d.created_at < now() - interval '2 hours'
on conflict do nothing;

insert into public.ticket_approvals (id, company_id, ticket_id, step, role, status, question, asked_by_name, asked_at, created_at)
select app.demo_id('approval/' || d.id), d.company_id, d.id, 1, 'Admin', 'asked',
  case d.company when 'acme' then 'Bu satın alma için onayınız gerekiyor.' else 'This purchase needs your approval.' end,
  (select p.name from public.profiles p where p.id = d.assignee_id), d.created_at + interval '1 hour', d.created_at + interval '1 hour'
from demo_desk d
where d.status = 'waiting' and d.place <= 2 and d.created_at < now() - interval '1 hour'
on conflict do nothing;

insert into public.ticket_links (id, company_id, ticket_id, kind, other_id, created_at)
select app.demo_id('link/' || a.company || '/' || k.kind), a.company_id, a.id, k.kind, b.id, now() - interval '2 days'
from (values ('related', 1, 2), ('blocks', 3, 4)) as k (kind, one, two)
join demo_desk a on a.status = 'open' and a.place = k.one
join demo_desk b on b.company_id = a.company_id and b.status = 'open' and b.place = k.two
where not exists (select 1 from public.ticket_links l where l.id = app.demo_id('link/' || a.company || '/' || k.kind))
on conflict do nothing;

update public.tickets t set parent_id = p.id
from demo_desk d join demo_desk p on p.company_id = d.company_id and p.status = 'open' and p.place = 1
where t.id = d.id and d.status = 'open' and d.place in (4, 5) and t.parent_id is null;
update public.tickets t set merged_into_id = p.id
from demo_desk d join demo_desk p on p.company_id = d.company_id and p.status = 'open' and p.place = 2
where t.id = d.id and d.status = 'closed' and d.place = 1 and t.merged_into_id is null;

insert into public.ticket_tags (company_id, ticket_id, tag_id)
select d.company_id, d.id, t.id from demo_desk d join public.tags t on t.company_id = d.company_id
where app.demo_pick(d.id::text || t.id::text, 5) = 0 and d.newest <= 120
on conflict do nothing;

drop table demo_desk;
reset app.quiet;
