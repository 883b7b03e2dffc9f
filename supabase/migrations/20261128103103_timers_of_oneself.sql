-- Timers of oneself.

create or replace function app.stamp_time_entry() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.started_at > now() + interval '5 minutes' or new.ended_at > now() + interval '5 minutes' then
    raise exception using errcode = '23514', hint = 'time_in_future', table = 'time_entries', schema = 'public', column = 'started_at',
      message = 'time is entered once it has passed';
  end if;
  -- Each person has one timer in all companies: whoever started it for another would learn whether one runs elsewhere, or block it.
  if new.ended_at is null and current_user in ('anon', 'authenticated') and new.user_id is distinct from app.current_user_id() then
    raise exception using errcode = '23514', hint = 'timer_own', table = 'time_entries', schema = 'public', column = 'ended_at',
      message = 'a timer runs for the person who starts it';
  end if;
  if coalesce(new.ended_at, now()) >= new.started_at + interval '31 days' then
    raise exception using errcode = '23514', hint = 'time_too_long', table = 'time_entries', schema = 'public',
      column = case when new.ended_at is null then 'started_at' else 'ended_at' end, message = 'an entry of time has less than 31 days';
  end if;
  new.is_long := coalesce(new.ended_at, now()) - new.started_at > interval '12 hours';
  return new;
end $$;
comment on function app.stamp_time_entry() is 'Row trigger: less than 31 days of time that has passed, marked when it took more than 12 hours. Through the API time without an end is one''s own.';

create or replace function app.check_people_of_time_entries() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
  if not exists (
    select 1 from public.user_roles r
    where r.user_id = new.user_id and (r.company_id = new.company_id
      or r.role = 'Super Admin' and (app.current_user_id() is null or app.sees_all()))
  ) then
    if is_foreign then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "time_entries"';
    end if;
    raise exception using errcode = '23503', message = 'insert or update on table "time_entries" violates foreign key constraint "time_entries_user_id_fkey"',
      detail = 'Key (user_id) is not present in the company.';
  end if;
  new.user_name := (select p.name from public.profiles p where p.id = new.user_id);
  return new;
end $$;
comment on function app.check_people_of_time_entries() is
  'Row trigger: user_id names somebody of the row''s company, or a Super Admin where a Super Admin or the server writes it; the name is stored. Definer, because the caller may not read every role.';
