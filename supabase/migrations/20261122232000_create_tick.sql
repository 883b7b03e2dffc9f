-- Tick: all time-driven work, run by app.tick(). It may be called at any rate and concurrently.

create table app.tick_state (
  only_row boolean primary key default true check (only_row),
  last_tick_at timestamptz,
  gap_ended_at timestamptz,
  retained_at timestamptz
);
comment on table app.tick_state is
  'One row: when the last tick was, when the last gap between ticks ended, when old rows were last removed.';

revoke all on app.tick_state from public, anon, authenticated;
alter table app.tick_state enable row level security;

-- A migration that adds time-driven work inserts one row.
create table app.tick_step (
  name text primary key check (name ~ '^[a-z_]+$'),
  position integer not null unique,
  -- Not a regprocedure: pg_upgrade refuses a database whose tables hold one.
  function text not null check (function ~ '^[a-z_]+$')
);
comment on table app.tick_step is
  'The steps of app.tick(), by position: name is the key of its answer and of app.tick_log, function the one of schema app that does it, '
  'called without arguments, returning how much it did. A step bounds its own work, and may be called by many at once. Its owner''s alone: '
  'whoever writes a row here runs with app.tick()''s rights.';
comment on column app.tick_step.position is 'Ten apart, so that one fits between two.';

revoke all on app.tick_step from public, anon, authenticated, service_role;
alter table app.tick_step enable row level security;

insert into app.tick_state (only_row) values (true);

create table app.tick_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  step text not null,
  error text not null
);
comment on table app.tick_log is 'Steps of app.tick() that failed, with the error; kept 30 days.';

create index tick_log_at_idx on app.tick_log (at);

revoke all on app.tick_log from public, anon, authenticated;
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
comment on function app.forget_tokens() is 'Forgets the hash of enrollment tokens that can never be used again.';

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
  step record;
  moved integer;
  done jsonb := '{}';
begin
  -- What an earlier tick of the same transaction found is not this one's.
  perform set_config('app.heard_since', '', true);
  for step in select s.name, s.function from app.tick_step s order by s.position loop
    begin
      execute format('select app.%I()', step.function) into moved;
      done := done || jsonb_build_object(step.name, moved);
    exception when others then
      insert into app.tick_log (step, error) values (step.name, sqlstate || ' ' || sqlerrm);
      done := done || jsonb_build_object(step.name, null);
    end;
  end loop;
  return done;
end $$;
comment on function app.tick() is
  'All time-driven work, the steps of app.tick_step one after the other: idempotent, safe to run many times at once, every step bounded '
  'and on its own; an error goes to app.tick_log and stops nothing else. Returns how much each step did, null where it failed. '
  'Definer, so that a scheduler needs no other right.';
grant execute on function app.tick() to service_role;

-- Where pg_cron exists (hosted) the database calls app.tick() every minute; elsewhere the server's timer does.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('konsol-tick', '* * * * *', 'select app.tick()');
  end if;
exception when others then
  raise notice 'pg_cron does not call app.tick() here: %', sqlerrm;
end $$;

create function app.note_gap() returns integer
  language plpgsql volatile set search_path = '' as $$
begin
  -- Until this transaction ends, and not read back from the table: of two ticks at one moment only one writes there.
  perform set_config('app.heard_since', coalesce(app.note_tick()::text, ''), true);
  return 0;
end $$;
comment on function app.note_gap() is 'Step of app.tick(): when the last gap between ticks ended, for the steps after it.';

create function app.sweep_silent() returns integer
  language sql volatile set search_path = '' as $$
  select app.sweep_offline(coalesce(nullif(current_setting('app.heard_since', true), '')::timestamptz, '-infinity'))
$$;
comment on function app.sweep_silent() is 'Step of app.tick(): app.sweep_offline() as of the gap that app.note_gap() found.';

insert into app.tick_step (position, name, function) values
  (10, 'gap', 'note_gap'),
  (20, 'presence', 'sweep_silent'),
  (30, 'licenses', 'expire_licenses'),
  (40, 'tokens', 'forget_tokens'),
  (45, 'enrollments', 'expire_enrollments'),
  (50, 'schedules', 'run_schedules'),
  (60, 'runs', 'expire_runs'),
  (70, 'software_licenses', 'count_licenses'),
  (80, 'notifications', 'notify_licenses'),
  (85, 'mails', 'hand_over_mails'),
  (97, 'bulk_changes', 'forget_bulk_changes'),
  (100, 'retention', 'remove_old_rows'),
  (105, 'failed_logins', 'forget_failed_logins'),
  (106, 'security_log', 'forget_security_log'),
  (107, 'sent_mails', 'forget_mails');
