-- Merged into deleted.

create or replace function app.refuse_merged(company uuid, ticket uuid, written text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  survivor record;
begin
  select s.number, s.is_trashed into survivor from app.survivor_of(company, ticket) s;
  -- Nobody is told the number of a ticket that nobody sees.
  if survivor.is_trashed then
    raise exception using errcode = '23514', hint = 'ticket_merged_gone', table = written, schema = 'public',
      message = 'the ticket was merged into one that was deleted';
  elsif survivor.number is not null then
    raise exception using errcode = '23514', hint = 'ticket_merged', table = written, schema = 'public',
      message = format('the ticket was merged into #%s', survivor.number), detail = jsonb_build_object('number', survivor.number::text)::text;
  end if;
end $$;
comment on function app.refuse_merged(uuid, uuid, text) is
  'Refuses to write in this table about a ticket that was merged, and says into which one (23514, ticket_merged), or that this one was deleted (ticket_merged_gone).';
