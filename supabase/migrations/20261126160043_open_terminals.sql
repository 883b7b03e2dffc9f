-- Open terminals ------------------------------------------------------------------------------------------------------
-- While somebody has the terminal of a device open, the device asks without a pause, and its commands share a working directory.

create table app.terminals (
  company_id uuid not null,
  device_id uuid not null,
  user_id uuid not null,
  open_until timestamptz not null,
  primary key (device_id, user_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table app.terminals is
  'Who has the terminal of which device open. The page renews its row, so that a closed window ends within half a minute.';
create index terminals_company_device_idx on app.terminals (company_id, device_id);
revoke all on app.terminals from public, anon, authenticated;
alter table app.terminals enable row level security;

create table app.terminal_jobs (
  job_id uuid primary key references public.jobs (id) on delete cascade,
  session uuid not null
);
comment on table app.terminal_jobs is 'The terminal session that a command belongs to: its commands share a working directory on the device.';
revoke all on app.terminal_jobs from public, anon, authenticated;
alter table app.terminal_jobs enable row level security;

create function app.has_terminal(device uuid) returns boolean
  language sql stable
  begin atomic
    select exists (select 1 from app.terminals t where t.device_id = device and t.open_until > now());
  end;
comment on function app.has_terminal(uuid) is 'Whether somebody has the terminal of a device open.';
revoke execute on function app.has_terminal(uuid) from public;

-- Security definer: app.terminals is out of the API's reach; the permission and the company are checked here.
create function public.keep_terminal(device_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  company uuid;
begin
  perform app.require('custom-commands', 'run');
  company := app.device_company(array[keep_terminal.device_id]);
  if company is null then
    raise exception 'Choose a device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  delete from app.terminals t where t.open_until < now() - interval '1 minute';
  insert into app.terminals as t (company_id, device_id, user_id, open_until)
    values (company, keep_terminal.device_id, app.current_user_id(), now() + interval '30 seconds')
    on conflict (device_id, user_id) do update set open_until = excluded.open_until;
end $$;
comment on function public.keep_terminal(uuid) is
  'Says that the caller has the terminal of a device open, for half a minute: the device then asks for commands without a pause.';
revoke execute on function public.keep_terminal(uuid) from public, anon;
grant execute on function public.keep_terminal(uuid) to authenticated;

-- Security definer, as run_command, which checks the permission and the company.
create function public.run_in_terminal(device_id uuid, session uuid, type text, command text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  job uuid;
begin
  if run_in_terminal.session is null then
    raise exception 'A terminal has a session.' using errcode = 'check_violation', hint = 'session_missing';
  end if;
  job := public.run_command(type => run_in_terminal.type, command => run_in_terminal.command,
    device_ids => array[run_in_terminal.device_id]);
  insert into app.terminal_jobs (job_id, session) values (job, run_in_terminal.session);
  return job;
end $$;
comment on function public.run_in_terminal(uuid, uuid, text, text) is
  'Runs a command as run_command does, in the working directory in which the last command of this terminal session ended; returns the job.';
revoke execute on function public.run_in_terminal(uuid, uuid, text, text) from public, anon;
grant execute on function public.run_in_terminal(uuid, uuid, text, text) to authenticated;

-- Security definer: whoever queues a run may not read who has a terminal open.
create function app.wake_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('konsol_device', t.device_id::text)
    from (select distinct t.device_id from app.terminals t where t.open_until > now()) t
    where exists (select 1 from new_rows n where n.device_id = t.device_id);
  return null;
end $$;
comment on function app.wake_devices() is
  'Tells the embedded server which devices with an open terminal got a run: it answers their waiting check-in.';
revoke execute on function app.wake_devices() from public;

create trigger job_runs_wake_devices after insert on public.job_runs
  referencing new table as new_rows for each statement execute function app.wake_devices();
