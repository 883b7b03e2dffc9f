-- Everything that happens because time passes, in one function that may be called as often and by as many as like.

create table app.tick_state (
  only_row boolean primary key default true check (only_row),
  last_tick_at timestamptz,
  gap_ended_at timestamptz,
  retained_at timestamptz
);
comment on table app.tick_state is
  'One row: when the last tick was, when the last gap between ticks ended, when old rows were last removed.';
insert into app.tick_state (only_row) values (true);

create table app.tick_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  step text not null,
  error text not null
);
comment on table app.tick_log is 'Steps of app.tick() that failed, with the error; kept 30 days.';
create index tick_log_at_idx on app.tick_log (at);
revoke all on app.tick_state, app.tick_log from public, anon, authenticated;
alter table app.tick_state enable row level security;
alter table app.tick_log enable row level security;

create function app.note_tick() returns timestamptz
  language plpgsql volatile set search_path = '' as $$
declare
  state record;
begin
  -- Whoever comes second at the same moment goes on without waiting, with the same conclusion.
  select s.last_tick_at, s.gap_ended_at into state from app.tick_state s;
  if state.last_tick_at is null or state.last_tick_at < now() - interval '150 seconds' then
    state.gap_ended_at := now();
  end if;
  perform 1 from app.tick_state s where s.only_row for update skip locked;
  if found then
    update app.tick_state s set last_tick_at = greatest(s.last_tick_at, now()), gap_ended_at = state.gap_ended_at where s.only_row;
  end if;
  return state.gap_ended_at;
end $$;
comment on function app.note_tick() is
  'Remembers this tick and returns when the last gap of more than 150 seconds ended: silence before that was ours, not the devices''.';

create function app.sweep_offline(heard_since timestamptz default '-infinity', most integer default 1000) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  flipped integer;
begin
  -- Presence before device: the order in which a check-in takes its locks. A device that is checking in is skipped.
  with silent as (
    select p.company_id, p.device_id from public.device_presence p
    where p.online
      and greatest(p.last_seen_at, heard_since) < now() - make_interval(secs => 3 * p.interval_seconds + 60)
    limit most for update skip locked
  ), noted as (
    update public.device_presence p set online = false from silent s
    where p.company_id = s.company_id and p.device_id = s.device_id
    returning p.company_id, p.device_id, p.last_seen_at
  )
  update public.devices d set status = 'offline', offline_since = n.last_seen_at
  from noted n
  where d.company_id = n.company_id and d.id = n.device_id and d.status = 'online';
  get diagnostics flipped = row_count;
  return flipped;
end $$;
comment on function app.sweep_offline(timestamptz, integer) is
  'Turns devices offline that missed three check-ins and a minute, counted at the earliest from heard_since; at most 1,000 a call. '
  'Definer, because nobody may set presence. Granted to nobody.';

create function app.expire_licences() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  expired integer;
begin
  with due as (
    select c.id from public.companies c where c.status = 'Active' and c.license_end_date <= now()
    order by c.id limit 1000 for update skip locked
  )
  update public.companies c set status = 'Expired' from due where c.id = due.id;
  get diagnostics expired = row_count;
  return expired;
end $$;
comment on function app.expire_licences() is 'Marks companies whose licence has ended; permissions have treated them so since that instant.';

create function app.forget_tokens() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  forgotten integer;
begin
  delete from app.enrollment_secrets s where s.token_id in (
    select t.id from public.enrollment_tokens t join app.enrollment_secrets x on x.token_id = t.id
    where t.revoked_at is not null or t.expires_at <= now() or t.used_count >= t.max_uses
    limit 1000);
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
comment on function app.forget_tokens() is 'Forgets the hash of enrolment tokens that can never be used again.';

create function app.notify_licences() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  told integer;
begin
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, c.id, l.kind,
    jsonb_build_object('company', c.name, 'end_date', c.license_end_date,
      'days', greatest(0, ceil(extract(epoch from c.license_end_date - now()) / 86400))),
    '/system-license', l.once_key
  from public.companies c
  cross join lateral (
    select case when c.status = 'Expired' then 'licence_expired' else 'licence_expiring' end as kind,
      app.licence_key(c.status, c.license_end_date) as once_key
  ) l
  join public.user_roles r on r.company_id = c.id and r.role = 'Admin'
  where (c.status = 'Expired' or c.status = 'Active' and c.license_end_date <= now() + interval '30 days')
    and not exists (select 1 from public.notifications n where n.user_id = r.user_id and n.once_key = l.once_key)
  order by r.user_id
  limit 1000
  on conflict (user_id, once_key) do nothing;
  get diagnostics told = row_count;
  return told;
end $$;
comment on function app.notify_licences() is
  'Tells the admins of a company once that its licence ends within 30 days, and once that it has ended.';

create function app.licence_key(status text, end_date timestamptz) returns text
  language sql immutable parallel safe
  return case when status = 'Expired' then 'licence_expired:' else 'licence_expiring:' end
    || coalesce(to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), 'never');
comment on function app.licence_key(text, timestamptz) is 'Under which key a licence notification is sent only once: a renewed licence warns again.';

create function app.remove_old_rows() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer := 0;
  part integer;
begin
  perform 1 from app.tick_state s
  where s.only_row and coalesce(s.retained_at, '-infinity') < now() - interval '1 hour' for update skip locked;
  if not found then
    return 0;
  end if;
  -- What goes because it is old is nobody's deed: no audit, no message, until the end of this step.
  perform set_config('app.quiet', 'on', true);
  delete from public.procedure_logs l where l.id in (
    select x.id from public.procedure_logs x where x.executed_at < now() - interval '365 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  -- With all their runs, so fewer at a time.
  delete from public.jobs j where j.id in (
    select x.id from public.jobs x where x.created_at < now() - interval '365 days' and x.status <> 'running' limit 50);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.failed_login_attempts f where f.id in (
    select x.id from public.failed_login_attempts x where x.created_at < now() - interval '90 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.audit_log a where a.id in (
    select x.id from public.audit_log x where x.at < now() - interval '730 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from public.notifications n where n.id in (
    select x.id from public.notifications x
    where x.created_at < now() - interval '365 days' or x.read_at < now() - interval '90 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  delete from app.tick_log t where t.id in (
    select x.id from app.tick_log x where x.at < now() - interval '30 days' limit 5000);
  get diagnostics part = row_count;
  removed := removed + part;
  perform set_config('app.quiet', '', true);
  -- Had there been more than one round takes, the next tick goes on.
  update app.tick_state s set retained_at = now() where s.only_row and removed < 5000;
  return removed;
end $$;
comment on function app.remove_old_rows() is
  'Retention, once an hour and at most 5,000 rows a table: runs and their logs a year, failed sign-ins 90 days, audit 2 years, '
  'notifications 90 days after they were read and a year in any case, tick errors 30 days.';

create function app.tick() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  heard_since timestamptz := '-infinity';
  step text;
  moved integer;
  done jsonb := '{}';
begin
  foreach step in array array['gap', 'presence', 'licences', 'tokens', 'runs', 'notifications', 'demo', 'retention'] loop
    begin
      moved := 0;
      case step
        when 'gap' then heard_since := coalesce(app.note_tick(), '-infinity');
        when 'presence' then moved := app.sweep_offline(heard_since);
        when 'licences' then moved := app.expire_licences();
        when 'tokens' then moved := app.forget_tokens();
        when 'runs' then moved := app.expire_runs();
        when 'notifications' then moved := app.notify_licences();
        -- Demo devices have no agent; where the demo data was loaded, its own function keeps them present.
        when 'demo' then
          if to_regprocedure('app.demo_tick()') is not null then
            execute 'select app.demo_tick()' into moved;
          end if;
        when 'retention' then moved := app.remove_old_rows();
      end case;
      done := done || jsonb_build_object(step, moved);
    exception when others then
      insert into app.tick_log (step, error) values (step, sqlstate || ' ' || sqlerrm);
      done := done || jsonb_build_object(step, null);
    end;
  end loop;
  return done;
end $$;
comment on function app.tick() is
  'All time-driven work: idempotent, safe to run many times at once, every step bounded and on its own; an error goes to app.tick_log '
  'and stops nothing else. Returns how much each step did, null where it failed. Definer, so that a scheduler needs no other right.';
grant execute on function app.tick() to service_role;

-- Where pg_cron exists (hosted) the database calls it every minute; elsewhere the server's timer does.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('konsol-tick', '* * * * *', 'select app.tick()');
  end if;
exception when others then
  raise notice 'pg_cron does not call app.tick() here: %', sqlerrm;
end $$;
