-- Names beside a ticket.

create or replace function public.ticket_side(ticket_id uuid) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  max_rows constant integer := 5;
  unresolved constant text[] := array['new', 'open', 'waiting'];
  t public.tickets%rowtype;
begin
  select x.* into t from public.tickets x where x.id = ticket_side.ticket_id;
  if t.id is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return jsonb_build_object(
    'requester', (select jsonb_build_object('id', p.id, 'name', p.name,
        'email', (select x.email from public.profiles x where x.id = p.id))
      from public.people p where p.id = t.requester_id),
    'tickets', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select x.id, x.number, x.subject, x.status, x.created_at, s.name as status_name, s.color as status_color
      from public.tickets x
        left join public.ticket_statuses s on s.company_id = x.company_id and s.id = x.status_id
      where x.company_id = t.company_id and x.requester_id = t.requester_id and x.id <> t.id
      order by x.status = any (unresolved) desc, x.created_at desc, x.id limit max_rows) o), '[]'),
    'devices', coalesce((select jsonb_agg(o order by o.name, o.id) from (
      select d.id, d.name, d.status from public.devices d
      where d.company_id = t.company_id and d.id is distinct from t.device_id and d.id in (
        select x.device_id from public.tickets x where x.company_id = t.company_id and x.requester_id = t.requester_id and x.device_id is not null)
      order by d.name_key, d.id limit max_rows) o), '[]'),
    'device', (select jsonb_build_object('id', d.id, 'name', d.name, 'status', d.status, 'platform', d.platform, 'os', d.os,
        'ip_address', d.ip_address, 'logged_in_user', d.logged_in_user, 'open_alerts', d.open_alerts,
        'last_seen', (select p.last_seen_at from public.device_presence p where p.company_id = d.company_id and p.device_id = d.id))
      from public.devices d where d.company_id = t.company_id and d.id = t.device_id),
    'alerts', coalesce((select jsonb_agg(o order by o.opened_at desc, o.id) from (
      select a.id, a.message, a.severity, a.opened_at from public.alerts a
      where a.company_id = t.company_id and a.device_id = t.device_id and a.status in ('open', 'acknowledged')
      order by a.opened_at desc, a.id limit max_rows) o), '[]'),
    'runs', coalesce((select jsonb_agg(o order by o.queued_at desc, o.id) from (
      select r.id, r.job_id, j.name, r.status, r.queued_at from public.job_runs r
        join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      where r.company_id = t.company_id and r.device_id = t.device_id
      order by r.queued_at desc, r.id limit max_rows) o), '[]'),
    'jobs', coalesce((select jsonb_agg(o order by o.created_at desc, o.id) from (
      select j.id, j.name, j.outcome, j.total, j.succeeded, j.failed, l.created_at,
        -- A job on one device says the same as its run does elsewhere on the page.
        (select r.status from public.job_runs r where r.company_id = j.company_id and r.job_id = j.id and j.total = 1) as run_status
      from public.ticket_jobs l
        join public.jobs j on j.company_id = l.company_id and j.id = l.job_id
      where l.company_id = t.company_id and l.ticket_id = t.id
      order by l.created_at desc, j.id limit 20) o), '[]'));
end $$;
