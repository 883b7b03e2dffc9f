-- Split answers.

set check_function_bodies = off;

create function app.answers_for(form jsonb, answers jsonb) returns jsonb
  language sql immutable set search_path = '' as $$
  select coalesce(jsonb_object_agg(a.key, a.value), '{}') from jsonb_each(answers) a
  where exists (select 1 from jsonb_array_elements(form) f
    where f ->> 'key' = a.key and app.check_answers(jsonb_build_array(f), jsonb_build_object(a.key, a.value), false) is null)
$$;
comment on function app.answers_for(jsonb, jsonb) is 'The answers that a form takes, of those that were given to another form or to an earlier state of this one.';

create or replace function app.check_ticket_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if tg_op = 'UPDATE' and (new.answers, new.category_id) is not distinct from (old.answers, old.category_id) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c where c.company_id = new.company_id and c.id = new.category_id), '[]');
  -- Another category asks other questions: answers that it does not ask for go.
  if tg_op = 'UPDATE' and new.category_id is distinct from old.category_id and new.answers = old.answers then
    new.answers := app.answers_for(form, new.answers);
  else
    -- Alerts and the server answer nothing, and a ticket that is split off has the answers that its source has.
    key := app.check_answers(form, new.answers, not app.is_server_work() and coalesce(current_setting('app.answered_before', true), '') = ''
      and (tg_op = 'INSERT' or new.answers <> old.answers));
  end if;
  if key is not null then
    perform app.refuse_answer('tickets', 'answers', form, new.answers, key);
  end if;
  return new;
end $$;

create or replace function app.check_monitor_answers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  form jsonb;
  key text;
begin
  if not (app.is_server_work() or app.sees_all() or coalesce(new.company_id = app.own_company(), false)) then
    return new;
  end if;
  form := coalesce((select c.fields from public.ticket_categories c
    where c.company_id = new.company_id and c.id = new.ticket_category_id), '[]');
  if tg_op = 'UPDATE' and new.ticket_answers = old.ticket_answers then
    new.ticket_answers := app.answers_for(form, new.ticket_answers);
  end if;
  key := app.check_answers(form, new.ticket_answers, false);
  if key is not null then
    perform app.refuse_answer('monitors', 'ticket_answers', form, new.ticket_answers, key);
  end if;
  return new;
end $$;

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
  -- The author may have changed or deleted it, or a merge moved it, while this waited.
  select c.* into reply from public.ticket_comments c where c.company_id = source.company_id and c.ticket_id = source.id and c.id = comment_id;
  if reply.id is null then
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
  perform set_config('app.answered_before', 'on', true);
  insert into public.tickets (company_id, subject, description, category_id, issue_id, answers, requester_id, device_id)
    values (reply.company_id, split_ticket.subject, regexp_replace(reply.body, '\[(@[^]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)', '\1', 'g'),
      source.category_id, source.issue_id,
      app.answers_for(coalesce((select c.fields from public.ticket_categories c where c.company_id = source.company_id and c.id = source.category_id), '[]'),
        source.answers), requester, source.device_id)
    returning id into made;
  perform set_config('app.answered_before', '', true);
  update public.files f set resource = 'tickets', record_id = made
    where f.company_id = reply.company_id and f.resource = 'ticket_comments' and f.record_id = comment_id and f.field is null;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id) values (reply.company_id, made, 'split_from', source.id);
  insert into app.comment_splits (company_id, comment_id, ticket_id) values (reply.company_id, reply.id, made)
    on conflict on constraint comment_splits_pkey do update set ticket_id = excluded.ticket_id;
  perform app.tell_thread(source.id);
  return made;
end $$;
comment on function public.split_ticket(uuid, text) is
  'Makes a ticket from a reply and returns its id: the author asks for it where they belong to the company, the files of the reply follow, category '
  'and answers are those of its source, and both tickets are linked. 23514 for a note, and for a reply that was split before. Definer, because files of others move.';
