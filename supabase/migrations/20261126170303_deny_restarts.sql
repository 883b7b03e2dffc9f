-- A permission policy may deny that a monitor starts a service: the sixth kind.

alter table public.policies drop constraint policies_denied_check;
alter table public.policies add constraint policies_denied_check
  check (denied <@ array['procedure', 'command', 'app', 'patch', 'power', 'service']::text[] and cardinality(denied) <= 100);

create or replace function app.job_act(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case when job.kind <> 'task' then job.kind else case job.script::jsonb ->> 'task'
    when 'app' then 'app' when 'corporate_app' then 'app' when 'remove_corporate_app' then 'app'
    when 'scan_patches' then 'patch' when 'install_patches' then 'patch'
    when 'reboot' then 'power' when 'shut_down' then 'power'
    -- The test of a monitor starts the service as the monitor does.
    when 'check_monitor' then case when job.script::jsonb #>> '{monitor,restart}' = 'true' then 'service' end end end
$$;

create or replace function app.monitors_of(company uuid, device uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with rules as materialized (
    select coalesce(bool_or('service' = any (p.denied)), false) as denies from app.policy_of(company, device, 'permission') p
  )
  -- The service is watched all the same, and its alert opens.
  select coalesce(jsonb_agg(case when r.denies then app.monitor_object(m) || '{"restart": false}' else app.monitor_object(m) end order by m.id), '[]')
  from public.monitors m cross join rules r
  where m.company_id = company and m.enabled and m.type <> 'Offline' and app.is_monitored(m.company_id, m.id, device)
$$;
comment on function app.monitors_of(uuid, uuid) is
  'The monitors of a device as it gets them. Where its permission policy denies it, none of them starts a service.';

-- Security definer: the stamp is the server's.
create function app.stamp_denied() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  changed record := coalesce(new, old);
begin
  if tg_table_name = 'policies' or exists (
    select 1 from public.policies p where p.company_id = changed.company_id and p.id = (to_jsonb(changed) ->> 'policy_id')::uuid and p.kind = 'permission')
  then
    insert into app.monitor_stamps as s (company_id)
      select c.id from public.companies c where c.id = changed.company_id
      on conflict (company_id) do update set stamp = s.stamp + 1;
  end if;
  return null;
end $$;
comment on function app.stamp_denied() is
  'Row trigger of policies and their groups: devices get their monitors anew, which a permission policy may keep from starting services. '
  'Definer, because the stamp is the server''s.';
revoke execute on function app.stamp_denied() from public;
create trigger policies_stamp_insert after insert on public.policies for each row when (new.kind = 'permission') execute function app.stamp_denied();
create trigger policies_stamp_delete after delete on public.policies for each row when (old.kind = 'permission') execute function app.stamp_denied();
create trigger policies_stamp_update after update on public.policies for each row
  when ('permission' in (old.kind, new.kind) and (old.kind, old.denied, old.enabled, old.position) is distinct from (new.kind, new.denied, new.enabled, new.position))
  execute function app.stamp_denied();
create trigger policy_groups_stamp after insert or delete on public.policy_groups for each row execute function app.stamp_denied();

-- Security definer, as before: nobody may write presence.
create or replace function app.regroup_monitors() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  devices uuid[];
begin
  -- A stamp for the company would make all of its devices compute their list, and enrollments wait for each other.
  select array_agg(distinct c.device_id) into devices from changed c
    where exists (select 1 from public.monitor_groups g where g.company_id = c.company_id and g.group_id = c.group_id)
      or exists (select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
        where g.company_id = c.company_id and g.group_id = c.group_id and p.kind = 'permission');
  if devices is not null then
    perform app.recompute_monitors(devices);
  end if;
  return null;
end $$;
