-- The search text of a ticket is written by a trigger: a generated column is computed by every update of a table with row triggers.

alter table public.tickets alter column search drop expression;
