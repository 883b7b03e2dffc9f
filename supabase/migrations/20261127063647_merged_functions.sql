-- Merged functions.

set check_function_bodies = off;

create or replace function app.take_notices(max_rows integer default 10) returns table (id bigint, kind text, email text, language text, content jsonb)
  language plpgsql volatile set search_path = '' as $$
declare
  max_mails_per_hour constant integer := 20;
  -- The rest of the places is kept for critical alerts.
  max_other_mails constant integer := 14;
  max_mails_per_sender constant integer := 6;
  max_mails_per_token constant integer := 10;
  notice app.notices%rowtype;
  token uuid;
  sent record;
  is_held boolean;
  opened uuid;
begin
  for notice in
    update app.notices n
    set attempts = n.attempts + 1,
      next_attempt_at = now() + (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours']::interval[])[least(n.attempts + 1, 6)]
    where n.id in (
      -- With the keys that writing a row twice, or a digest, asks for: whoever deletes an account or a company may wait for these rows.
      select o.id from app.notices o join public.profiles p on p.id = o.user_id join public.companies c on c.id = o.company_id
      where o.status = 'queued' and o.by_mail and o.next_attempt_at <= now()
      order by o.is_critical desc, o.next_attempt_at, o.id limit max_rows for update of o skip locked for key share of p, c skip locked)
    returning n.*
  loop
    token := (select d.enrollment_token_id from public.devices d
      where notice.kind = 'alerts' and d.company_id = notice.company_id and d.id = notice.subject_id);
    select count(*) as mails, count(*) filter (where not n.is_critical) as others,
        count(*) filter (where n.kind = notice.kind and n.subject_id = notice.subject_id) as of_sender,
        -- A person who starts many devices with one token is one sender.
        count(*) filter (where token is not null and n.kind = 'alerts' and d.enrollment_token_id = token) as of_token
      into sent
      from app.notices n left join public.devices d on d.company_id = n.company_id and d.id = n.subject_id
      where n.user_id = notice.user_id and n.sent_at > now() - interval '1 hour' and not n.is_digest;
    is_held := not notice.is_digest and (sent.mails >= max_mails_per_hour or sent.of_sender >= max_mails_per_sender
      or sent.of_token >= max_mails_per_token or not notice.is_critical and sent.others >= max_other_mails);
    id := notice.id;
    kind := notice.kind;
    select p.email into email from public.profiles p where p.id = notice.user_id;
    language := (select l.language from app.user_languages l where l.user_id = notice.user_id);
    content := case when notice.created_at > now() - interval '1 day' then app.notice_content(notice) end;
    if jsonb_typeof(coalesce(content -> 'alerts', content -> 'tickets')) <> 'array' then
      content := null;
    elsif is_held and content is not null then
      perform app.hold_notice(notice);
      content := null;
    else
      is_held := false;
    end if;
    if notice.kind = 'tickets' and jsonb_array_length(content -> 'tickets') = 1 then
      -- A single ticket can be answered: its mail has the words of the requester and takes a reply.
      opened := split_part(content #>> '{tickets,0,link}', '/', 3)::uuid;
      perform app.queue_ticket_mail(notice.company_id, opened, notice.user_id, null, case when exists (
        select 1 from public.tickets t where t.company_id = notice.company_id and t.id = opened and t.assignee_id = notice.user_id)
        then 'assigned' else 'opened' end);
      update app.notices n set status = 'sent', sent_at = now() where n.id = notice.id;
      continue;
    end if;
    -- Counted when it is taken, so that a batch keeps the limit.
    update app.notices n set sent_at = case when content is not null then now() end,
        error = case when is_held and content is null then 'held back: in a later mail together with others' end
      where n.id = notice.id;
    return next;
  end loop;
end $$;

create or replace function app.keep_comments(tbl regclass, settings jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  resource text := settings ->> 'resource';
begin
  insert into app.commented as x (comments, resource, settings) values (name, resource, keep_comments.settings)
    on conflict (comments) do update set resource = excluded.resource, settings = excluded.settings;
  -- Triggers of one event fire by name: the company first, then the guard, then the stamp.
  execute format('create or replace trigger %I before insert on %s for each row execute function app.refuse_other_company()', name || '_0_company', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each row execute function app.guard_comment(%L)',
    name || '_guard', tbl, settings);
  execute format('create or replace trigger %I before insert or update on %s for each row execute function app.stamp_comment()', name || '_stamp', tbl);
  execute format('create or replace trigger %I before update on %s for each row when (old.company_id is distinct from new.company_id) '
    || 'execute function app.immutable_tenant()', name || '_immutable_tenant', tbl);
  execute format('create or replace trigger %I before insert or update or delete on %s for each statement execute function app.require_comment(%L)',
    name || '_permission', tbl, resource);
  execute format('create or replace trigger %I after insert or update of body on %s for each row execute function app.tell_comment(%L)',
    name || '_tell', tbl, settings);
  execute format('create or replace trigger %I after insert on %s referencing new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_insert', tbl, settings);
  execute format('create or replace trigger %I after update on %s referencing old table as old_rows new table as new_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_update', tbl, settings);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows '
    || 'for each statement execute function app.log_comments(%L)', name || '_log_delete', tbl, settings);
  execute format('create index if not exists %I on %s using gin (search extensions.gin_trgm_ops)', name || '_search_idx', tbl);
  -- Plain SQL without SET, which the planner unfolds, as in app.keep_search().
  execute format($function$
    create or replace function public.%1$I(q text) returns setof %2$s
      language sql stable rows 500 as $body$
      select t.* from %2$s t
      where case when app.comment_ids(%3$L, q, 'id') is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
        else t.id = any (app.comment_ids(%3$L, q, 'id')) end
    $body$
  $function$, 'search_' || name, tbl, name);
  execute format('comment on function public.%I(text) is %L', 'search_' || name,
    format('The rows of %s that match every word of q and that the caller may read; filter, order and page it like the table.', name));
  execute format('revoke execute on function public.%I(text) from public, anon', 'search_' || name);
  execute format('grant execute on function public.%I(text) to authenticated', 'search_' || name);
  if (settings ->> 'search')::boolean then
    -- coalesce tells the planner of many rows, as there are: by its own guess it would sort all of them for the first page.
    execute format($function$
      create or replace function public.%1$I(q text) returns setof public.%2$I
        language sql stable rows 500 as $body$
        select t.* from public.%2$I t
        where case when app.search_ids(%3$L, q) is null
          then coalesce(t.search operator(pg_catalog.~~) all (app.search_patterns(q)), false) or t.id = any (app.comment_ids(%4$L, q, %5$L))
          else t.id = any (app.search_ids(%3$L, q) || app.comment_ids(%4$L, q, %5$L)) end
      $body$
    $function$, 'search_' || (settings ->> 'table'), settings ->> 'table', resource, name, settings ->> 'record');
    -- The search of a table with hidden fields is one text for both.
    if exists (select 1 from app.hidden_columns(format('public.%I', settings ->> 'table')::regclass)) then
      perform app.keep_hidden_search(format('public.%I', settings ->> 'table')::regclass, null);
    end if;
  end if;
end $$;

create or replace function app.recount_sla(max_rows integer default 200) returns integer
  -- A planned clock is a constant; a parameter would be copied for each search in it.
  language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  request app.sla_recounts%rowtype;
  part record;
  policy public.sla_policies;
  clock app.calendar_clocks;
  ids uuid[];
  locked uuid[];
  held uuid;
  moved integer;
  changed integer := 0;
begin
  select r.* into request from app.sla_recounts r order by r.requested_at, r.company_id limit 1 for update skip locked;
  if request.company_id is null then
    return 0;
  end if;
  ids := array(select t.id from public.tickets t where t.company_id = request.company_id and t.deleted_at is null and t.status in ('new', 'open', 'waiting')
    and (request.after_id is null or t.id > request.after_id) order by t.id limit max_rows);
  locked := array(select t.id from public.tickets t where t.company_id = request.company_id and t.id = any (ids) order by t.id for no key update skip locked);
  -- A single message tells of all of them, and no audit: nobody changed these tickets.
  perform set_config('app.quiet', 'on', true);
  -- A statement a policy, in which the planner sees the clock as a constant.
  for part in
    select p.policy, array_agg(t.id) as ids
    from public.tickets t join (
      select c.category_id, (app.sla_policy_of(request.company_id, c.category_id)).id as policy
      from (select distinct x.category_id from public.tickets x where x.company_id = request.company_id and x.id = any (locked)) c offset 0
    ) p on p.category_id is not distinct from t.category_id
    where t.company_id = request.company_id and t.id = any (locked) group by p.policy
  loop
    clock := null;
    select p.* into policy from public.sla_policies p where p.id = part.policy;
    if policy.id is not null then
      clock := app.stored_clock(coalesce(policy.calendar_id, (select c.id from public.business_calendars c where c.company_id = request.company_id and c.is_default)));
    end if;
    update public.tickets t set first_response_due_at = m.response_due_at, solution_due_at = m.solution_due_at,
        paused_seconds = m.paused, sla_state = m.state, sla_next_at = m.next_at, sla_policy_id = policy.id
      from public.tickets s cross join lateral app.sla_of(s.company_id, s.id, s.priority, s.status, s.created_at, s.first_responded_at, s.resolved_at,
        s.due_at, s.paused_at, policy.targets, clock.opens, clock.closes, clock.before) m
      where s.company_id = request.company_id and s.id = any (part.ids) and t.company_id = request.company_id and t.id = s.id
        and (m.response_due_at, m.solution_due_at, m.paused, m.state, m.next_at, policy.id) is distinct from
          (s.first_response_due_at, s.solution_due_at, s.paused_seconds, s.sla_state, s.sla_next_at, s.sla_policy_id);
    get diagnostics moved = row_count;
    changed := changed + moved;
  end loop;
  perform set_config('app.quiet', '', true);
  if changed > 0 then
    perform app.send_live('company:' || request.company_id, jsonb_build_object('table', 'tickets', 'op', 'update', 'ids', jsonb_build_array()));
  end if;
  -- The next call begins with the first ticket that somebody else holds.
  select i into held from unnest(ids) i where i <> all (locked) order by i limit 1;
  if held is null and cardinality(ids) < max_rows then
    delete from app.sla_recounts r where r.company_id = request.company_id and r.requested_at = request.requested_at;
  else
    update app.sla_recounts r set after_id = case when held is null then ids[cardinality(ids)]
        else coalesce((select i from unnest(ids) i where i < held order by i desc limit 1), r.after_id) end
      where r.company_id = request.company_id;
  end if;
  return cardinality(locked);
end $$;

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  comments jsonb;
begin
  select t.* into ticket from public.tickets t where t.company_id = mail.company_id and t.id = mail.ticket_id and t.deleted_at is null;
  if ticket.id is null then
    return null;
  end if;
  if mail.events @> array['refused'] then
    return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', '[]'::jsonb);
  end if;
  -- The right to read it may have been taken since.
  if mail.user_id is not null then
    if not exists (select 1 from public.user_roles r where r.user_id = mail.user_id and r.deactivated_at is null)
       or app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', mail.ticket_id) = '{}' then
      return null;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'author', c.author_name, 'body', c.body, 'files', (
      select coalesce(jsonb_agg(f.name order by f.created_at, f.id), '[]') from public.files f
      where f.company_id = c.company_id and f.resource = 'ticket_comments' and f.record_id = c.id and f.uploaded_at is not null))
    order by c.created_at, c.id), '[]') into comments
  from public.ticket_comments c
  where c.company_id = mail.company_id and c.ticket_id = mail.ticket_id and c.id = any (mail.comment_ids)
    and c.kind = 'reply';
  if mail.events = array['approval'] and not exists (select 1 from public.ticket_approvals a
       where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked')
     or mail.events <@ array['reply', 'mention'] and comments = '[]' then
    return null;
  end if;
  return jsonb_build_object('events', mail.events, 'number', ticket.number, 'subject', ticket.subject, 'comments', comments,
    'description', case when mail.events && array['opened', 'assigned', 'approval'] then "left"(ticket.description, 4000) end,
    'question', case when mail.events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || ticket.id,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;
