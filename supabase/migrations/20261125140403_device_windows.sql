-- The next windows of a device's patch policy; pausing what is paused changes nothing.

create function app.next_span(weekdays text[], opens text, closes text, timezone text, moment timestamptz) returns timestamptz
  language sql stable set search_path = '' as $$
  select w.starts
  from (
    select (d.day + opens::time) at time zone next_span.timezone as starts,
      (d.day + (closes::time <= opens::time)::integer + closes::time) at time zone next_span.timezone as ends, d.day
    from (select (moment at time zone next_span.timezone)::date + n as day from generate_series(-1, 8) n) d
  ) w
  where w.ends > moment
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (weekdays)
  order by w.starts limit 1
$$;
comment on function app.next_span(text[], text, text, text, timestamptz) is
  'When a weekly window opens next, or opened where the moment is in it; null without weekdays.';
revoke execute on function app.next_span(text[], text, text, text, timestamptz) from public;

-- Security definer: which policy applies to a device is granted to nobody; checks the permission and the company itself.
create function public.device_windows(device_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  device public.devices%rowtype;
  policy public.policies%rowtype;
  installs timestamptz;
  restarts timestamptz;
  updates integer;
begin
  perform app.require('policies', 'list');
  select d.* into device from public.devices d
    where d.id = device_windows.device_id and d.company_id = any (app.visible_company_ids()) and app.can('devices', 'list');
  select p.* into policy from app.policy_of(device.company_id, device.id, 'patch') p;
  if policy.id is null then
    return '[]';
  end if;
  installs := app.next_span(policy.window_weekdays, policy.window_from, policy.window_to, policy.timezone, now());
  restarts := case policy.reboot
    when 'in_window' then app.next_span(policy.reboot_weekdays, policy.reboot_from, policy.reboot_to, policy.timezone, now())
    when 'never' then null else installs end;
  -- What the policy installs, as app.enforce_policy() does.
  select count(*) into updates from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = device.company_id and t.device_id = device.id and t.status in ('missing', 'failed')
      and (t.exception = 'approved' or (t.exception is null and p.approval = 'approved' and not app.is_held(policy, t.patch_id)));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('kind', w.kind, 'policy_id', policy.id, 'name', policy.name, 'starts_at', w.starts_at,
      'updates', w.updates) order by w.starts_at, w.kind), '[]')
    from (values ('install', installs, updates), ('restart', restarts, null)) w (kind, starts_at, updates)
    where w.starts_at is not null and (w.kind = 'install' or device.reboot_required or policy.reboot = 'in_window'));
end $$;
comment on function public.device_windows(uuid) is
  'When the patch policy of a device installs (kind install, with how many approved updates are due now) and restarts (kind restart) next: '
  '[{kind, policy_id, name, starts_at, updates}]. '
  'A window that is open began at starts_at. Needs policies list, and the device in a visible company.';
revoke execute on function public.device_windows(uuid) from public, anon;
grant execute on function public.device_windows(uuid) to authenticated;

create or replace function public.pause_schedules(ids uuid[], paused boolean) returns integer
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
  -- One that is so already is unchanged.
  if changed = 0 and not exists (select 1 from public.scheduled_tasks t where t.id = any (ids)) then
    raise exception using errcode = 'PT404', message = 'no such schedule to change', hint = 'record_gone';
  end if;
  return changed;
end $$;
