-- Rows: bulk changes, imports, undo.

-- A bulk edit can be undone while its result is shown. The audit log cannot serve for that: it cuts values at 1,000 characters
-- and masks secrets. bulk_edit() therefore keeps the previous values of each row for a day, and bulk_undo() restores them in
-- rows that nobody has changed since.
create table app.bulk_change (
  job_id uuid not null,
  actor_id uuid not null default app.current_user_id(),
  resource text not null,
  row_id uuid not null,
  -- The columns the job set, with the values they had.
  before jsonb not null default '{}',
  -- The links the job made and removed: [{through, near, far, added: ids, removed: ids}].
  links jsonb not null default '[]',
  -- How the job left the row: its version, or the columns it set where the table has no version.
  version integer,
  after jsonb,
  at timestamptz not null default now(),
  undone_at timestamptz,
  primary key (row_id, job_id, actor_id, resource)
);
comment on table app.bulk_change is
  'What a row held before a bulk edit, one row a record and job, kept for a day. The job''s id is chosen by the client, so it only means '
  'something together with the actor. Without foreign keys: it is never read but by the job that wrote it.';

create index bulk_change_at_idx on app.bulk_change (at);
