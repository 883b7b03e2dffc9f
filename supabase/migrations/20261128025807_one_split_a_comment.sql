-- One split a comment.

create table app.comment_splits (
  company_id uuid not null,
  comment_id uuid not null,
  ticket_id uuid not null,
  primary key (company_id, comment_id),
  foreign key (company_id, comment_id) references public.ticket_comments (company_id, id) on delete cascade,
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.comment_splits is 'The ticket that a comment was split into: a comment is split once, unless that ticket is deleted.';

create index comment_splits_ticket_idx on app.comment_splits (company_id, ticket_id);

-- Runs as the caller: row-level security decides whether they may open a ticket.
create or replace function public.add_subticket(ticket_id uuid, subject text, description text default null, assignee_id uuid default null) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  parent public.tickets%rowtype;
  made uuid;
begin
  perform app.require_rows('tickets', 'assign', array[add_subticket.ticket_id]);
  select t.company_id into company from public.tickets t where t.id = add_subticket.ticket_id;
  -- Before the insert, which holds the counter of ticket numbers: whoever splits or merges meanwhile takes the two in this order.
  perform app.lock_ticket_work(company);
  select t.* into parent from public.tickets t where t.id = add_subticket.ticket_id for no key update;
  if parent.id is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  -- A merged ticket is closed too, and public.set_ticket_parent() says where it went.
  if parent.status = 'closed' and parent.merged_into_id is null then
    raise exception using errcode = '23514', hint = 'subticket_closed', message = 'a closed ticket takes no new subtickets';
  end if;
  insert into public.tickets (company_id, subject, description, assignee_id, device_id, priority)
    values (parent.company_id, add_subticket.subject, add_subticket.description, add_subticket.assignee_id, parent.device_id, parent.priority)
    returning id into made;
  perform public.set_ticket_parent(array[made], add_subticket.ticket_id);
  return made;
end $$;
comment on function public.add_subticket(uuid, text, text, uuid) is
  'Opens a ticket for a part of the work and returns its id: about the device of its parent, with its priority, and without a requester. 23514 for a closed parent.';

-- Security definer: the files of the comment move, whoever uploaded them.
create or replace function public.split_ticket(comment_id uuid, subject text) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  reply public.ticket_comments%rowtype;
  source public.tickets%rowtype;
  requester uuid;
  earlier integer;
  made uuid;
begin
  perform app.require('tickets', 'assign'), app.require('tickets', 'create');
  select c.* into reply from public.ticket_comments c
    where c.id = comment_id and (app.sees_all() or c.company_id = app.own_company()) and (c.kind <> 'note' or app.can('tickets-notes', 'list'));
  if reply.id is null then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  perform app.require_rows('tickets', 'assign', array[reply.ticket_id]);
  -- A note must not reach a requester as the text of their ticket.
  if reply.kind = 'note' then
    raise exception using errcode = '23514', hint = 'split_note', message = 'a note is not split off';
  end if;
  perform app.lock_ticket_work(reply.company_id);
  select t.* into source from public.tickets t where t.company_id = reply.company_id and t.id = reply.ticket_id and t.deleted_at is null for no key update;
  if source.id is null or exists (select 1 from public.ticket_comments c where c.id = comment_id and c.ticket_id <> source.id) then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  -- Two people who split one reply at once: the lock lets the second one find the ticket of the first.
  earlier := (select t.number from app.comment_splits s join public.tickets t on t.company_id = s.company_id and t.id = s.ticket_id
    where s.company_id = reply.company_id and s.comment_id = reply.id and t.deleted_at is null);
  if earlier is not null then
    raise exception using errcode = '23514', hint = 'split_done', message = format('the comment was split into #%s', earlier),
      detail = jsonb_build_object('number', earlier::text)::text;
  end if;
  requester := (select r.user_id from public.user_roles r where r.company_id = reply.company_id and r.deactivated_at is null
    and r.user_id in (reply.author_id, source.requester_id) order by r.user_id is distinct from reply.author_id limit 1);
  insert into public.tickets (company_id, subject, description, category_id, issue_id, requester_id, device_id)
    values (reply.company_id, split_ticket.subject, regexp_replace(reply.body, '\[(@[^]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)', '\1', 'g'),
      source.category_id, source.issue_id, requester, source.device_id)
    returning id into made;
  update public.files f set resource = 'tickets', record_id = made
    where f.company_id = reply.company_id and f.resource = 'ticket_comments' and f.record_id = comment_id and f.field is null;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id) values (reply.company_id, made, 'split_from', source.id);
  insert into app.comment_splits (company_id, comment_id, ticket_id) values (reply.company_id, reply.id, made)
    on conflict on constraint comment_splits_pkey do update set ticket_id = excluded.ticket_id;
  perform app.tell_thread(source.id);
  return made;
end $$;
comment on function public.split_ticket(uuid, text) is
  'Makes a ticket from a reply and returns its id: the author asks for it where they belong to the company, the files of the reply follow, and both '
  'tickets are linked. 23514 for a note, and for a reply that was split before. Definer, because files of others move.';

revoke all on app.comment_splits from public, anon, authenticated;
alter table app.comment_splits enable row level security;
