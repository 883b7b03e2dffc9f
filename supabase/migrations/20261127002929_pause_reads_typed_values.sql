-- Pause reads typed values.

-- Security definer: an alert that a person resolves, or a device's report, may find a right missing.
create or replace function app.pause_for(resource text, record_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  holder uuid;
  holder_name text;
  title text;
begin
  -- A policy stays in force, so that its devices do not fall to the next one, and a monitor goes on checking: what they would do waits.
  execute format($query$
    update public.%1$I t set paused_for = coalesce((select coalesce(nullif(p.name, ''), p.email) from public.profiles p where p.id = t.set_by), '–') %2$s
    where t.id = $1 and t.paused_for is null
    returning t.company_id, t.set_by, t.paused_for, t.name$query$, resource,
    case when resource in ('scheduled_tasks', 'automations') then ', enabled = false' end)
    into company, holder, holder_name, title using record_id;
  if company is null then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'right_missing', jsonb_build_object('name', title, 'person', holder_name),
    case resource when 'scheduled_tasks' then '/scheduled-tasks/' when 'automations' then '/automation/' else '/' || resource || '/' end || record_id,
    'right_missing:' || record_id || ':' || coalesce(holder::text, '') || ':' || to_char(now(), 'YYYYMMDD')
  from public.user_roles r
  where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may(resource, 'edit'))
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;
