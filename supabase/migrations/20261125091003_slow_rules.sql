-- A rule is measured when it is saved, and may become slow later: then it is evaluated less often.

alter table app.group_rules add column not_before timestamptz;
comment on column app.group_rules.not_before is 'Until then the rule is not evaluated again: the last time took long. Null for all others.';

create or replace function app.refresh_groups() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  done integer := 0;
  began timestamptz := clock_timestamp();
  started timestamptz;
  took interval;
begin
  with due as (
    delete from app.group_changes c where c.company_id in (
      select x.company_id from app.group_changes x order by x.company_id limit 100 for update skip locked)
    returning c.company_id
  )
  update app.group_rules r set is_due = true from due where r.company_id = due.company_id and not r.is_due;
  for entry in
    select r.company_id, r.group_id, r.filter from app.group_rules r
    -- What no change of a device tells, such as its load or a related record, is noticed after a quarter of an hour.
    where (r.is_due or r.evaluated_at < now() - interval '15 minutes') and (r.not_before is null or r.not_before <= now())
    order by r.is_due desc, r.evaluated_at nulls first limit 50 for update skip locked
  loop
    -- The embedded database does nothing else in the meantime. The next tick goes on with the rules that waited longest.
    exit when clock_timestamp() - began > interval '1 second';
    started := clock_timestamp();
    begin
      done := done + app.refresh_group(entry.company_id, entry.group_id, entry.filter);
    exception when others then
      -- A field that the rule names is gone: its devices stay as they are.
      insert into app.tick_log (step, error) values ('group_rules', left(entry.group_id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
      update app.group_rules r set is_due = false, evaluated_at = now() where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end;
    took := clock_timestamp() - started;
    -- It was quick when it was saved, and devices or their software have grown since: it may take a hundredth of the time.
    if took > interval '1 second' then
      update app.group_rules r set not_before = now() + took * 100 where r.company_id = entry.company_id and r.group_id = entry.group_id;
    end if;
  end loop;
  return done;
end $$;
comment on function app.refresh_groups() is
  'Step of app.tick(): evaluates the rules of groups after a change of their company''s devices, and every 15 minutes; at most 50 a call, '
  'and no further one after a second. One that took more than a second waits for a hundred times as long. Returns how many devices '
  'came and went.';
