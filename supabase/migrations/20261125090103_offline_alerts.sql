-- The alert of a device that is offline says for how long, not since when: a time of day would need a time zone.

create or replace function app.watch_offline() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device record;
  done integer := 0;
begin
  for monitor in
    select m.* from public.monitors m join public.companies c on c.id = m.company_id
    where m.type = 'Offline' and m.enabled and c.status = 'Active' order by m.id limit 1000
  loop
    for device in
      select d.id, 'failing' as state, format('Offline for %s minutes or more', monitor.offline_minutes) as message
      from public.devices d
      where d.company_id = monitor.company_id and d.status = 'offline'
        and d.offline_since <= now() - make_interval(mins => monitor.offline_minutes)
        and not exists (select 1 from public.monitor_states s
          where s.company_id = d.company_id and s.monitor_id = monitor.id and s.device_id = d.id and s.state = 'failing')
        and app.is_monitored(d.company_id, monitor.id, d.id)
      union all
      select d.id, 'ok', null
      from public.monitor_states s join public.devices d on d.company_id = s.company_id and d.id = s.device_id
      where s.company_id = monitor.company_id and s.monitor_id = monitor.id and s.state = 'failing' and d.status = 'online'
      limit 500
    loop
      perform app.take_monitor_states(monitor.company_id, device.id, jsonb_build_array(jsonb_strip_nulls(
        jsonb_build_object('monitor_id', monitor.id, 'state', device.state, 'message', device.message))));
      done := done + 1;
    end loop;
    perform app.note_checks(monitor.company_id, array[monitor.id]);
  end loop;
  return done;
end $$;
