-- What the forms say of a value, the database holds for everybody who writes.

alter table public.monitors alter column type set default 'Performance';
alter table public.procedures alter column type set default 'Python';

-- Monitors that exist may lack their target; `not valid` asks it of the next write.
alter table public.monitors
  add constraint monitors_service_name_check02
    check (not (type = 'Service') or coalesce(length(btrim(service_name)), 0) > 0) not valid,
  add constraint monitors_target_check02
    check (not (type = 'Network') or coalesce(length(btrim(target)), 0) > 0) not valid,
  add constraint monitors_process_name_check02
    check (not (type = 'Process') or coalesce(length(btrim(process_name)), 0) > 0) not valid,
  add constraint monitors_event_id_check02 check (not (type = 'Event ID') or event_id is not null) not valid,
  add constraint monitors_log_name_check02
    check (not (type = 'Event ID') or coalesce(length(btrim(log_name)), 0) > 0) not valid;

create function app.is_ip(t text) returns boolean
  language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return t ~ '^[0-9A-Fa-f:.]+$' and host(t::inet) is not null;
exception when invalid_text_representation then
  return false;
end $$;
comment on function app.is_ip(text) is 'Whether the text is one IPv4 or IPv6 address, for check constraints.';

create function app.is_timezone(t text) returns boolean
  language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return (timestamptz 'epoch' at time zone t) is not null;
exception when invalid_parameter_value then
  return false;
end $$;
comment on function app.is_timezone(text) is 'Whether PostgreSQL knows the time zone, for check constraints.';

revoke execute on function app.is_ip(text), app.is_timezone(text) from public;
grant execute on function app.is_ip(text), app.is_timezone(text) to anon, authenticated, service_role;
