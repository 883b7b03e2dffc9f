-- A canceled run is no failure: tasks count it apart, and say how they ended.

alter table public.jobs add column canceled integer not null default 0;
comment on column public.jobs.canceled is 'Runs that were canceled.';
comment on column public.jobs.failed is
  'Runs that ended without success and were not canceled: failed, timed out or expired. No run is open when '
  'succeeded + failed + canceled = total.';

-- Runs whose device was deleted are gone, and stay counted as failed. Nobody changed these rows: no new version, no audit entry.
alter table public.jobs disable trigger user;
update public.jobs j set canceled = least(c.runs, j.failed), failed = j.failed - least(c.runs, j.failed)
from (
  select r.company_id, r.job_id, count(*)::integer as runs from public.job_runs r where r.status = 'cancelled' group by r.company_id, r.job_id
) c
where j.company_id = c.company_id and j.id = c.job_id;
alter table public.jobs enable trigger user;

alter table public.jobs add column outcome text not null generated always as (
  case
    when status = 'running' then 'running'
    when failed > 0 and succeeded > 0 then 'partly_failed'
    when failed > 0 then 'failed'
    when status = 'cancelled' or canceled > 0 or succeeded = 0 then 'canceled'
    else 'succeeded'
  end
) stored;
comment on column public.jobs.outcome is
  'How the job ended, as lists show it: running, succeeded (on each device), partly_failed (succeeded elsewhere), failed, or canceled '
  '(without a failure). A job that was canceled has its outcome although devices may still stop runs.';
create index jobs_company_outcome_idx on public.jobs (company_id, outcome, created_at, id);
create index jobs_outcome_idx on public.jobs (outcome, created_at, id);

drop trigger jobs_audit_insert on public.jobs;
drop trigger jobs_audit_update on public.jobs;
drop trigger jobs_audit_delete on public.jobs;
select app.keep_audit('public.jobs', 'id', array['total', 'succeeded', 'failed', 'canceled', 'outcome']);

-- Security definer: as before. A run also changes when a user deletes its device, and nobody may write jobs, job_secrets or
-- procedure_logs.
create or replace function app.follow_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct n.job_id) into touched
    from new_runs n join old_runs o on o.id = n.id
    where n.status is distinct from o.status or n.reported_at is distinct from o.reported_at;
  if touched is null then
    return null;
  end if;

  -- One order for all, or two devices that finish runs of the same two jobs would wait for each other.
  perform 1 from public.jobs j where j.id = any (touched) order by j.id for update;
  update public.jobs j
    set succeeded = j.succeeded + moved.succeeded,
      failed = j.failed + moved.failed,
      canceled = j.canceled + moved.canceled,
      status = case
        when j.status = 'running'
          and j.succeeded + j.failed + j.canceled + moved.succeeded + moved.failed + moved.canceled >= j.total then 'finished'
        else j.status
      end
    from (
      select n.job_id,
        sum((n.status = 'succeeded')::int - (o.status = 'succeeded')::int)::int as succeeded,
        sum((n.status in ('failed', 'timed_out', 'expired'))::int
          - (o.status in ('failed', 'timed_out', 'expired'))::int)::int as failed,
        sum((n.status = 'cancelled')::int - (o.status = 'cancelled')::int)::int as canceled
      from new_runs n join old_runs o on o.id = n.id
      where n.status is distinct from o.status
      group by n.job_id
    ) moved
    where j.id = moved.job_id and j.id = any (touched)
      and (moved.succeeded <> 0 or moved.failed <> 0 or moved.canceled <> 0);
  delete from app.job_secrets s using public.jobs j
    where s.job_id = j.id and j.id = any (touched) and j.succeeded + j.failed + j.canceled >= j.total;

  insert into public.procedure_logs
    (company_id, procedure_id, procedure_name, device_id, device_name, job_run_id, executed_at, status, output)
  select n.company_id, n.procedure_id, j.name, n.device_id, d.name, n.id, coalesce(n.finished_at, now()),
    case n.status when 'succeeded' then 'success' else 'error' end, left(n.output, 8000)
  from new_runs n
    join old_runs o on o.id = n.id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
    join public.devices d on d.company_id = n.company_id and d.id = n.device_id
  where o.reported_at is null and n.reported_at is not null and j.kind = 'procedure'
  on conflict (company_id, job_run_id) do nothing;
  return null;
end $$;

-- Security definer: as before. Nobody may write jobs.
create or replace function app.forget_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- One order for all, as in app.follow_runs().
  perform 1 from public.jobs j
    where j.id in (select o.job_id from old_runs o where o.status in ('queued', 'claimed', 'running'))
    order by j.id for update;
  update public.jobs j
    set total = j.total - gone.open,
      status = case
        when j.status = 'running' and j.succeeded + j.failed + j.canceled >= j.total - gone.open then 'finished'
        else j.status
      end
    from (
      select o.job_id, count(*)::int as open from old_runs o
      where o.status in ('queued', 'claimed', 'running') group by o.job_id
    ) gone
    where j.id = gone.job_id;
  return null;
end $$;

-- Security definer: as before. Reads titles and tasks through their indexes, past row-level security; checks permission and company itself.
create or replace function public.app_store_state(app_ids uuid[], company uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('apps', 'list');
  if company is null or not (company = any (app.visible_company_ids())) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'devices', f.devices, 'outdated', f.outdated, 'job', j.job)), '[]')
    from (select x.* from public.apps x where x.id = any (app_ids[1:100])) a
    cross join lateral (
      select coalesce(sum(s.devices), 0) as devices, coalesce(sum(s.outdated), 0) as outdated
      from public.software s where s.company_id = company and s.id = any (app.titles_of_app(company, a.name, a.publisher, a.apt_id))
        and app.can('software', 'list')
    ) f
    left join lateral (
      -- The newest of its tasks under way.
      select jsonb_build_object('id', t.id, 'act', t.script::jsonb ->> 'act', 'done', t.succeeded + t.failed + t.canceled, 'total', t.total) as job
      from (select o.* from public.jobs o where o.company_id = company and o.status = 'running' and o.kind = 'task'
        order by o.created_at desc limit 200) t
      where t.script::jsonb ->> 'app_id' = a.id::text and app.can('jobs', 'list')
      order by t.created_at desc limit 1
    ) j on true);
end $$;
