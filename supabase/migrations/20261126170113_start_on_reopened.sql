-- An alert that opens again starts automations, as a new one does.

-- Security definer: devices, people and the server open alerts, and nobody may write runs.
create function app.start_on_reopened() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  for found in
    select a as automation, array_agg(n.device_id order by n.id) as devices, array_agg(n.id order by n.id) as alerts
    from new_rows n
    join old_rows o on o.id = n.id
    join public.automation_monitors m on m.company_id = n.company_id and m.monitor_id = n.monitor_id
    join public.automations a on a.company_id = m.company_id and a.id = m.automation_id
    where a.enabled and a.trigger = 'alert' and n.status = 'open' and o.status = 'resolved'
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, 'alert', found.devices, found.alerts);
  end loop;
  return null;
end $$;
comment on function app.start_on_reopened() is
  'Statement trigger of alerts: starts automations when an alert opens again, within their own limits. Definer, because nobody may write runs.';
revoke execute on function app.start_on_reopened() from public;
create trigger alerts_start_reopened after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.start_on_reopened();
