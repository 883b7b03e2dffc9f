-- app.audit() turns nested loops off, so a join of two single rows looks so expensive that PostgreSQL compiles it: 48 ms for each
-- run that is queued, a minute for a job on 1,000 devices.
alter function app.audit() set jit = off;
