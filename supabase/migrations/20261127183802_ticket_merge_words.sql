-- Ticket merge words.

set check_function_bodies = off;

alter table public.ticket_comments add column origin text check (length(origin) <= 300);
comment on column public.ticket_comments.origin is
  'The title of the record that was merged into this one and whose description these words are; only public.merge_tickets() writes it.';

alter table public.ticket_approvals add column asked_at timestamptz;
comment on column public.ticket_approvals.asked_at is 'Since when the person or the role is asked; null until the steps before it are approved.';

-- Security definer: the caller may read no names.
create or replace function app.stamp_comment() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if tg_op = 'INSERT' then
    -- Words of a merged record keep their author; no client writes the column that names it.
    if actor is not null and to_jsonb(new) ->> 'origin' is null then
      new.author_id := actor;
      new.author_name := null;
    end if;
    if new.author_name is null then
      new.author_name := (select "left"(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = new.author_id);
    end if;
    new.version := 1;
    return new;
  end if;
  new.version := old.version;
  if new.body is distinct from old.body then
    new.edited_at := now();
    new.version := old.version + 1;
  end if;
  return new;
end $$;

create or replace function app.tell_comment() returns trigger
  language plpgsql set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  object constant text := settings #>> array['kinds', new.kind, 'object'];
  record_id constant uuid := (to_jsonb(new) ->> (settings ->> 'record'))::uuid;
  mentioned uuid[];
  followers uuid[] := '{}';
  doc jsonb;
begin
  -- Only the server can be quiet, and a client may not ask.
  if current_user not in ('anon', 'authenticated') then
    if app.quiet() then
      return null;
    end if;
  end if;
  -- Words of a merged record were told when they were written.
  if to_jsonb(new) ->> 'origin' is not null then
    return null;
  end if;
  mentioned := array(select m from unnest(new.mentions) m
    where m is distinct from new.author_id and not (tg_op = 'UPDATE' and m = any (case when tg_op = 'UPDATE' then old.mentions else '{}' end)));
  if tg_op = 'INSERT' then
    execute format('select to_jsonb(r) from public.%I r where r.company_id = $1 and r.id = $2', settings ->> 'table')
      into doc using new.company_id, record_id;
    followers := array(
      select distinct p.id from (
        select (doc ->> c.name)::uuid as id from jsonb_array_elements_text(coalesce(settings -> 'people', '[]')) as c (name)
        union all select a from unnest(app.comment_authors(settings ->> 'resource', record_id)) a) p
      where p.id is not null and p.id is distinct from new.author_id and p.id <> all (mentioned));
    followers := app.people_who_see(followers, new.company_id, settings ->> 'table', record_id, object);
  end if;
  if followers <> '{}' or mentioned <> '{}' then
    perform app.ring_comment(settings, tg_table_name, new.id, followers, mentioned);
  end if;
  return null;
end $$;

create function app.count_ticket_work(ids uuid[]) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'time_entries', (select count(*) from public.time_entries e where e.ticket_id = any (ids)),
    'checklist', (select count(*) from public.ticket_checklist_items i where i.ticket_id = any (ids)),
    'approvals', (select count(*) from public.ticket_approvals a where a.ticket_id = any (ids) and a.status in ('queued', 'asked')))
$$;
comment on function app.count_ticket_work(uuid[]) is
  'For public.merge_effects(), which has asked for the permission: what app.move_ticket_work() moves of everybody, and the open approvals that it ends.';

-- Security definer: comments, files and watchers of others move.
create or replace function public.merge_tickets(ids uuid[], target_id uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  target public.tickets%rowtype;
  wanted uuid[] := array(select distinct i from unnest(ids) i where i is not null order by 1);
  refused text;
  answered timestamptz;
  told uuid;
begin
  perform app.require_rows('tickets', 'assign', wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company());
  if target.id is null or wanted = '{}' or exists (
      select 1 from unnest(wanted) w where not exists (
        select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if cardinality(wanted) > 100 then
    raise exception using errcode = '22023', message = 'at most 100 tickets at a time';
  end if;
  perform app.lock_ticket_work(target.company_id);
  perform 1 from public.tickets t where t.id = any (wanted || target_id) order by t.id for update;
  select t.* into target from public.tickets t where t.id = target_id;
  refused := case
    when target_id = any (wanted) then 'merge_self'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.company_id <> target.company_id) then 'merge_company'
    when target.merged_into_id is not null then 'merge_into_merged'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.merged_into_id is not null) then 'merge_merged' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, message = case refused
      when 'merge_self' then 'a ticket is not merged into itself'
      when 'merge_company' then 'tickets of one company are merged'
      when 'merge_into_merged' then format('ticket #%s was merged itself', target.number)
      else 'one of these tickets was merged already' end,
      detail = jsonb_build_object('number', target.number::text)::text;
  end if;
  update public.ticket_comments c set ticket_id = target_id where c.company_id = target.company_id and c.ticket_id = any (wanted);
  -- A merged ticket asked for something: its words are the first ones of its part of the thread.
  insert into public.ticket_comments (company_id, ticket_id, body, author_id, author_name, created_at, origin)
    select t.company_id, target_id, case when t.description ~ '\S' then t.description else t.subject end, t.requester_id, t.requester_name, t.created_at,
      "left"(format('#%s: %s', t.number, t.subject), 300)
    from public.tickets t where t.id = any (wanted) order by t.id;
  update public.files f set record_id = target_id
    where f.company_id = target.company_id and f.resource = 'tickets' and f.record_id = any (wanted) and f.field is null;
  -- People who have left are not added again.
  insert into public.ticket_watchers (company_id, ticket_id, user_id)
    select target.company_id, target_id, p.id
    from (select w.user_id as id from public.ticket_watchers w where w.company_id = target.company_id and w.ticket_id = any (wanted)
      union select t.requester_id from public.tickets t where t.id = any (wanted)) p
    where p.id is distinct from target.requester_id and exists (select 1 from public.user_roles r
      where r.user_id = p.id and r.deactivated_at is null and (r.company_id = target.company_id or r.role = 'Super Admin'))
    on conflict do nothing;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id)
    select distinct target.company_id, target_id, l.kind, l.other_id from public.ticket_links l
    where l.company_id = target.company_id and l.ticket_id = any (wanted) and l.other_id <> target_id and l.other_id <> all (wanted)
    on conflict do nothing;
  delete from public.ticket_links l where l.company_id = target.company_id and l.ticket_id = any (wanted);
  perform app.move_ticket_work(target.company_id, wanted, target_id);
  update app.alert_tickets x set ticket_id = target_id where x.company_id = target.company_id and x.ticket_id = any (wanted);
  -- Subtickets are one level deep: those of a merged ticket go to the survivor, or to its parent.
  update public.tickets t set parent_id = null where t.id = any (wanted || target_id) and t.parent_id = any (wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id;
  update public.tickets t set parent_id = coalesce(target.parent_id, target_id)
    where t.company_id = target.company_id and t.parent_id = any (wanted);
  -- The older ones lead on to the ticket that is open.
  update public.tickets t set merged_into_id = target_id where t.company_id = target.company_id and t.merged_into_id = any (wanted);
  -- The thread of the survivor now shows the desk's answer: its requester had it when it was theirs, and reads one to somebody else from now on.
  answered := (select min(case when t.requester_id = target.requester_id then greatest(t.first_responded_at, target.created_at) else now() end)
    from public.tickets t where t.id = any (wanted) and t.first_responded_at is not null);
  if answered is not null then
    update public.tickets t set first_responded_at = least(t.first_responded_at, answered), status = case t.status when 'new' then 'open' else t.status end
      where t.id = target_id;
  end if;
  update public.tickets t set status = 'closed', merged_into_id = target_id, parent_id = null where t.id = any (wanted);
  foreach told in array wanted || target_id loop
    perform app.tell_thread(told);
  end loop;
  return cardinality(wanted);
end $$;
comment on function public.merge_tickets(uuid[], uuid) is
  'Merges tickets into another one of their company, which takes their description, comments, attachments, watchers, links, subtickets, time and checklists, and '
  'their first response; they are closed and lead to it, and their open approvals end. Returns how many. 23514 for a ticket that was merged before, on either side. Definer, because comments and files of others move.';

-- Security definer: the counts are of everybody's comments, files and time, as the merge moves them.
create function public.merge_effects(ids uuid[]) returns json
  language plpgsql stable security definer set search_path = '' as $$
declare
  found uuid[];
  work jsonb;
begin
  perform app.require_rows('tickets', 'assign', ids);
  found := array(select t.id from public.tickets t where t.id = any (ids) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()));
  if cardinality(found) = 0 or exists (select 1 from unnest(ids) w where w <> all (found)) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  work := app.count_ticket_work(found);
  -- A json keeps the order: what moves before what ends.
  return json_build_object(
    'comments', (select count(*) from public.ticket_comments c where c.ticket_id = any (found)),
    'files', (select count(*) from public.files f where f.resource = 'tickets' and f.record_id = any (found) and f.field is null and f.uploaded_at is not null),
    'time_entries', work -> 'time_entries',
    'checklist', work -> 'checklist',
    'links', (select count(*) from public.ticket_links l where l.ticket_id = any (found)),
    'subtickets', (select count(*) from public.tickets t where t.parent_id = any (found) and t.deleted_at is null),
    'watchers', (select count(distinct p.id) from (select w.user_id as id from public.ticket_watchers w where w.ticket_id = any (found)
      union select t.requester_id from public.tickets t where t.id = any (found) and t.requester_id is not null) p),
    'approvals', work -> 'approvals');
end $$;
comment on function public.merge_effects(uuid[]) is
  'What moves when these tickets are merged, and how many open approvals end, as counts by name. Definer, because the merge moves what the caller may not read.';
grant execute on function public.merge_effects(uuid[]) to authenticated;

create or replace function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  if last_step >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  insert into public.ticket_approvals (company_id, ticket_id, step, person_id, person_name, role, question, status, asked_at)
    values (ticket.company_id, ticket.id, last_step + 1, person,
      (select "left"(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = person), approver_role, nullif(btrim(add_approval.question), ''),
      case when exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then 'queued' else 'asked' end,
      case when not exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then now() end)
    returning * into made;
  if made.status = 'asked' then
    perform app.tell_approval(made, 'approval_asked');
  end if;
end $$;

-- Security definer: whoever decides may not write the ticket.
create or replace function public.decide_approvals(ids uuid[], approved boolean, note text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  wanted uuid;
  approval public.ticket_approvals%rowtype;
  next_step public.ticket_approvals%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  decided integer := 0;
begin
  perform app.require('ticket_approvals', 'approve');
  for wanted in select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1 loop
    -- Two people of a role who decide at once: the second one finds it decided.
    select t.* into ticket from public.tickets t where t.id = wanted and t.deleted_at is null for no key update;
    continue when ticket.id is null or not app.tickets_covers(ticket, 'list');
    for approval in select a.* from public.ticket_approvals a where a.ticket_id = wanted and a.id = any (ids) order by a.step loop
      continue when not exists (select 1 from public.user_roles r where r.user_id = me and r.company_id = approval.company_id and r.deactivated_at is null
        and (approval.person_id = me or approval.person_id is null and r.role = approval.role) and app.ticket_approvals_covers(approval, 'approve'));
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      if ticket.requester_id = me and not coalesce(settings.approve_own, false) then
        raise exception using errcode = '42501', hint = 'approval_own', message = 'nobody approves their own request';
      end if;
      update public.ticket_approvals a set status = case when approved then 'approved' else 'denied' end, note = nullif(btrim(decide_approvals.note), ''),
          decided_at = now(), decided_by = me, decided_by_name = (select "left"(coalesce(nullif(p.name, ''), p.email), 100) from public.profiles p where p.id = me)
        where a.id = approval.id returning * into approval;
      decided := decided + 1;
      if not approved then
        update public.ticket_approvals a set status = 'canceled' where a.ticket_id = wanted and a.status = 'queued';
        update public.tickets t set status = coalesce(settings.on_denied, 'open') where t.id = wanted and t.status in ('new', 'open', 'waiting');
        perform app.tell_approval(approval, 'approval_denied');
      else
        update public.ticket_approvals a set status = 'asked', asked_at = now() where a.id = (select x.id from public.ticket_approvals x
            where x.ticket_id = wanted and x.status = 'queued' order by x.step limit 1) returning * into next_step;
        if next_step.id is not null then
          perform app.tell_approval(next_step, 'approval_asked');
        else
          update public.tickets t set status = 'open' where t.id = wanted and t.status = 'waiting';
          perform app.tell_approval(approval, 'approval_given');
        end if;
      end if;
    end loop;
  end loop;
  if decided = 0 then
    -- An approval of others and none at all get one answer.
    raise exception 'No approval of yours was found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return decided;
end $$;

create or replace function public.set_own_ticket_status(ids uuid[], status text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  action constant text := case set_own_ticket_status.status when 'closed' then 'close_own' when 'open' then 'reopen_own' end;
  changed integer;
begin
  if action is null then
    raise exception using errcode = '22023', message = 'a requester closes a ticket or opens it again';
  end if;
  perform app.require('tickets', action);
  update public.tickets t set status = set_own_ticket_status.status
  where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company() and app.tickets_covers(t, action)
    and t.merged_into_id is null and case action when 'close_own' then t.status <> 'closed'
      else t.status = 'resolved' or t.status = 'closed' and t.resolved_at > now() - make_interval(days => coalesce(
        (select s.reopen_days from public.desk_settings s where s.company_id = t.company_id), 14)) end;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'The ticket is closed, or was closed too long ago.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;

create or replace function public.rate_ticket(id uuid, rating integer, note text default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('tickets', 'rate');
  if rating is null or rating not between 1 and 5 then
    raise exception using errcode = '23514', message = 'a rating is one to five', table = 'tickets', schema = 'public', column = 'rating',
      constraint = 'tickets_rating_check';
  end if;
  update public.tickets t set rating = rate_ticket.rating, rating_note = nullif(btrim(coalesce(note, t.rating_note, '')), ''), rated_at = now()
  where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    and app.tickets_covers(t, 'rate') and t.status in ('resolved', 'closed') and t.merged_into_id is null;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'A ticket is rated once it is resolved.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.rate_ticket(uuid, integer, text) is
  'How content the requester is with a resolved ticket, one to five, with a note; it may be changed. A merged ticket is not rated: its answer is in the other one. Definer, because nobody else writes it, the desk least of all.';

create or replace trigger ticket_comments_answer after insert on public.ticket_comments
  for each row when (new.kind = 'reply' and new.origin is null) execute function app.note_comment_on_ticket();
create or replace trigger ticket_comments_mail after insert on public.ticket_comments
  for each row when (new.kind = 'reply' and new.origin is null) execute function app.mail_reply();

-- Those who were asked before this column was there, as close as it is known: when the step was made.
select set_config('app.quiet', 'on', true);
update public.ticket_approvals set asked_at = created_at where status in ('asked', 'approved', 'denied');
select set_config('app.quiet', '', true);
