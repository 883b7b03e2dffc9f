-- How often scripts ran and how that ended, and which ones a person uses most.

create table public.procedure_stats (
  procedure_id uuid primary key,
  company_id uuid not null,
  runs integer not null default 0,
  succeeded integer not null default 0,
  success_percent numeric generated always as (case when runs > 0 then round(succeeded * 100.0 / runs) end) stored,
  last_run_at timestamptz,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
) with (fillfactor = 70);
comment on table public.procedure_stats is
  'Per script: runs that succeeded, failed or ran into their time limit, and when the last one ended. Kept by trigger; runs that are deleted stay counted.';
create index procedure_stats_company_idx on public.procedure_stats (company_id, procedure_id);
revoke all on public.procedure_stats from public, anon, authenticated;
grant select on public.procedure_stats to authenticated;
grant all on public.procedure_stats to service_role;
alter table public.procedure_stats enable row level security;
create policy procedure_stats_select_member on public.procedure_stats for select to authenticated
  using ((select app.can('procedures', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

insert into public.procedure_stats (procedure_id, company_id, runs, succeeded, last_run_at)
  select r.procedure_id, r.company_id, count(*), count(*) filter (where r.status = 'succeeded'), max(r.finished_at)
  from public.job_runs r where r.procedure_id is not null and r.status in ('succeeded', 'failed', 'timed_out')
  group by r.procedure_id, r.company_id;

-- Security definer: a run ends by a device's report, and nobody may write this table.
create function app.count_script_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_stats as s (procedure_id, company_id, runs, succeeded, last_run_at)
    select n.procedure_id, n.company_id, count(*), count(*) filter (where n.status = 'succeeded'), max(n.finished_at)
    from new_runs n join old_runs o on o.id = n.id
    where n.procedure_id is not null and n.status in ('succeeded', 'failed', 'timed_out')
      and o.status not in ('succeeded', 'failed', 'timed_out')
    group by n.procedure_id, n.company_id
    -- One order for all, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;
comment on function app.count_script_runs() is 'Statement trigger: the runs of scripts that ended are counted in procedure_stats.';
revoke execute on function app.count_script_runs() from public;
-- After job_runs_follow: the order of locks is run, job, count.
create trigger job_runs_stats after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.count_script_runs();

create table public.procedure_favorites (
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  procedure_id uuid not null,
  company_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (procedure_id, user_id),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.procedure_favorites is 'The scripts that a person marked with a star. Everybody sees their own rows alone; mark_favorite() writes them.';
create index procedure_favorites_user_idx on public.procedure_favorites (user_id, procedure_id);
create index procedure_favorites_company_idx on public.procedure_favorites (company_id, procedure_id);
revoke all on public.procedure_favorites from public, anon, authenticated;
grant select on public.procedure_favorites to authenticated;
grant all on public.procedure_favorites to service_role;
alter table public.procedure_favorites enable row level security;
create policy procedure_favorites_select_own on public.procedure_favorites for select to authenticated
  using (user_id = (select app.current_user_id()));

-- Security definer: nobody may write favorites; this function writes the caller's own, of scripts that they may list.
create function public.mark_favorite(procedure_id uuid, is_favorite boolean default true) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
begin
  perform app.require('procedures', 'list');
  select p.company_id into company from public.procedures p
    where p.id = mark_favorite.procedure_id and p.company_id = any (app.visible_company_ids());
  if company is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if is_favorite then
    insert into public.procedure_favorites (user_id, procedure_id, company_id)
      values (app.current_user_id(), mark_favorite.procedure_id, company) on conflict do nothing;
  else
    delete from public.procedure_favorites f where f.user_id = app.current_user_id() and f.procedure_id = mark_favorite.procedure_id;
  end if;
end $$;
comment on function public.mark_favorite(uuid, boolean) is
  'Marks a script with the caller''s star, or takes it off. A person''s own, so that it works in a read-only company.';
revoke execute on function public.mark_favorite(uuid, boolean) from public, anon;
grant execute on function public.mark_favorite(uuid, boolean) to authenticated;
