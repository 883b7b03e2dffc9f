-- The target of a network monitor is what its probe takes: nobody could check another one.

-- A trigger, not a constraint: monitors of before may have others, and machines write their rows too.
create function app.check_monitor_target() returns trigger
  language plpgsql set search_path = '' as $$
declare
  fits boolean := case new.probe
    when 'http' then new.target ~* '^https?://[^[:space:]/?#]+'
    when 'tcp' then new.target ~ ('^(\[[0-9A-Fa-f][0-9A-Fa-f:.]*\]|[A-Za-z0-9_][A-Za-z0-9._-]*):'
      '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$')
    when 'ping' then new.target ~ '^([A-Za-z0-9_][A-Za-z0-9._-]*|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9]+)?)$'
  end;
begin
  if not fits then
    raise exception using errcode = 'check_violation', message = format('not a target of the probe %s', new.probe),
      hint = 'target_' || new.probe, table = 'monitors', column = 'target', constraint = 'monitors_target_check';
  end if;
  return new;
end $$;
comment on function app.check_monitor_target() is
  'Row trigger of monitors: the target is a host for ping, host:port for tcp, and an http(s) address for http.';
revoke execute on function app.check_monitor_target() from public;
create trigger monitors_target_insert before insert on public.monitors
  for each row when (new.type = 'Network' and new.target is not null) execute function app.check_monitor_target();
create trigger monitors_target_update before update of type, probe, target on public.monitors
  for each row when (new.type = 'Network' and new.target is not null
    and (old.type, old.probe, old.target) is distinct from (new.type, new.probe, new.target)) execute function app.check_monitor_target();
