-- Alerts are acknowledged and resolved, schedules paused and resumed, by an action.

create function public.decide_alerts(ids uuid[], status text) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('alerts', 'edit');
  if cardinality(decide_alerts.ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 alerts at a time';
  end if;
  if decide_alerts.status is null or decide_alerts.status not in ('acknowledged', 'resolved') then
    raise exception using errcode = '22023', message = 'an alert is acknowledged or resolved';
  end if;
  update public.alerts a set status = decide_alerts.status
    where a.id = any (decide_alerts.ids) and a.status in ('open', case decide_alerts.status when 'resolved' then 'acknowledged' else 'open' end);
  get diagnostics decided = row_count;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such alert is open', hint = 'record_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_alerts(uuid[], text) is
  'Acknowledges open alerts, or resolves open and acknowledged ones, and returns how many. Row-level security says which; the permission is alerts edit.';
revoke execute on function public.decide_alerts(uuid[], text) from public, anon;
grant execute on function public.decide_alerts(uuid[], text) to authenticated;

create function public.pause_schedules(ids uuid[], paused boolean) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('scheduled_tasks', 'edit');
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 schedules at a time';
  end if;
  update public.scheduled_tasks t set enabled = not paused where t.id = any (ids) and t.enabled = paused;
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception using errcode = 'PT404', message = 'no such schedule to change', hint = 'record_gone';
  end if;
  return changed;
end $$;
comment on function public.pause_schedules(uuid[], boolean) is
  'Pauses schedules, or resumes them, and returns how many. Row-level security says which; the permission is scheduled_tasks edit.';
revoke execute on function public.pause_schedules(uuid[], boolean) from public, anon;
grant execute on function public.pause_schedules(uuid[], boolean) to authenticated;
