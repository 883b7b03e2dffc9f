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
  -- Rows that go because they are old are nobody's deed: no audit, no message, until the end of this step.
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
  -- The findings of an earlier tick of the same transaction are not this one's.
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
