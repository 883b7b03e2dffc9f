-- Periodic work: the steps of app.tick().

create table app.tick_state (
  only_row boolean primary key default true check (only_row),
  last_tick_at timestamptz,
  gap_ended_at timestamptz,
  retained_at timestamptz
);
comment on table app.tick_state is
  'One row: when the last tick was, when the last gap between ticks ended, when old rows were last removed.';

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

create table app.tick_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  step text not null,
  error text not null
);
comment on table app.tick_log is 'Steps of app.tick() that failed, with the error; kept 30 days.';

create index tick_log_at_idx on app.tick_log (at);
