-- Canned placeholders.

-- Runs as the caller: row-level security decides which reply and which ticket are read.
create or replace function public.fill_canned_reply(reply uuid, ticket uuid) returns text
  language plpgsql stable set search_path = '' as $$
declare
  body text := (select r.body from public.canned_replies r where r.id = reply);
  found record;
  part record;
  filled text := '';
begin
  select t.number, t.requester_name, d.name as device, c.name as company, (select p.name from public.profiles p where p.id = app.current_user_id()) as agent
    into found from public.tickets t
    left join public.devices d on d.company_id = t.company_id and d.id = t.device_id
    left join public.companies c on c.id = t.company_id
    where t.id = ticket;
  if body is null or found.number is null then
    raise exception 'The canned reply or the ticket was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  -- In one pass: a name that looks like a placeholder stays a name.
  for part in select m[1] as before, m[2] as placeholder from regexp_matches(body || '{end}', '(.*?)\{(requester\.name|ticket\.number|device\.name|agent\.name|company\.name|end)\}', 'gs') m loop
    filled := filled || part.before || coalesce(case part.placeholder when 'requester.name' then found.requester_name when 'ticket.number' then found.number::text
      when 'device.name' then found.device when 'agent.name' then found.agent when 'company.name' then found.company when 'end' then '' end,
      '{' || part.placeholder || '}');
  end loop;
  return filled;
end $$;
comment on function public.fill_canned_reply(uuid, uuid) is
  'The text of a canned reply for a ticket, its placeholders filled in; one without a value stays as it is written.';
