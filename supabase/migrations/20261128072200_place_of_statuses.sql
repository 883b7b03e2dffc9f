-- Place of statuses.

alter table public.ticket_statuses alter column position drop default;
comment on column public.ticket_statuses.position is 'Left out, a status comes behind the last one of its kind.';

create function app.place_ticket_status() returns trigger
  language plpgsql
  -- definer: whoever may only create a status moves those behind it
  security definer set search_path = '' as $$
declare
  kinds constant text[] := array['new', 'open', 'waiting', 'resolved', 'closed'];
begin
  if new.position is null then
    -- The lock of ticket_statuses_default holds others off until the transaction ends.
    new.position := coalesce((select least(max(s.position) + 1, 10000) from public.ticket_statuses s where s.company_id = new.company_id and s.id <> new.id
      and array_position(kinds, s.kind) <= array_position(kinds, new.kind)), 0);
    update public.ticket_statuses s set position = s.position + 1
      where s.company_id = new.company_id and s.id <> new.id and s.position >= new.position and s.position < 10000
        and exists (select 1 from public.ticket_statuses x where x.company_id = new.company_id and x.id <> new.id and x.position = new.position);
  end if;
  return new;
end $$;
comment on function app.place_ticket_status() is
  'Row trigger: a status without a place comes behind the last one of its kind, and those behind make room. Definer, because they are other rows.';

-- After ticket_statuses_default, which locks.
create trigger ticket_statuses_place before insert or update of position on public.ticket_statuses
  for each row execute function app.place_ticket_status();
