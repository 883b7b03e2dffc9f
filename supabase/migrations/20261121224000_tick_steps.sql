-- What app.tick() does stands in rows: a migration that adds time-driven work inserts one, and repeats nothing.

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
  (30, 'licences', 'expire_licences'),
  (40, 'tokens', 'forget_tokens'),
  (50, 'schedules', 'run_schedules'),
  (60, 'runs', 'expire_runs'),
  (70, 'software_licenses', 'count_licenses'),
  (80, 'notifications', 'notify_licences'),
  (100, 'retention', 'remove_old_rows');

-- Where the demo data was loaded before this; its seed adds the step elsewhere.
insert into app.tick_step (position, name, function)
select 90, 'demo', 'demo_tick' where to_regprocedure('app.demo_tick()') is not null;

create or replace function app.tick() returns jsonb
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
