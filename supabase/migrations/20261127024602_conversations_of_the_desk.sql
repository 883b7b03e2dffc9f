-- Conversations of the desk.

set check_function_bodies = off;

-- Definer: the settings of comments are private.
create or replace function app.record_table(table_name text) returns text
  language plpgsql stable security definer set search_path = '' as $$
begin
  -- Links without permission lines of their own are a part of the record; so are comments and the values that only some may read.
  return coalesce(
    (select source.settings ->> 'table' from app.commented source
      where source.comments = record_table.table_name or exists (
        select 1 from jsonb_each(source.settings -> 'kinds') as kind where kind.value ->> 'object' = record_table.table_name) limit 1),
    case table_name when 'device_tags' then 'devices' when 'ticket_watchers' then 'tickets' else split_part(table_name, '_hidden_', 1) end);
end $$;

-- Definer: app.allows, app.rules_of and the settings of comments are not granted to API roles.
create function app.listed_comments(held text[], is_part boolean) returns text[]
  language plpgsql stable security definer set search_path = '' as $$
begin
  -- An entry about a comment of such a kind carries the object of the kind, and the id of the record.
  return array(
    select kind.value ->> 'object'
    from app.commented source cross join lateral jsonb_each(source.settings -> 'kinds') as kind
    where kind.value ? 'object' and app.allows(held, source.resource, 'list') and app.allows(held, kind.value ->> 'object', 'list')
      and (app.rules_of(held, source.resource, 'list') is not null) = is_part);
end $$;
comment on function app.listed_comments(text[], boolean) is
  'The kinds of comment with lines of their own that these roles may list, by the object of the kind: those on every record that they reach, '
  'or those on records of a row rule.';

-- Definer: app.held_roles, app.allows and app.rules_of are not granted to API roles.
create or replace function app.listable_tables() returns text[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      and relation.relname not like '%\_hidden\_%'
      and app.allows(held, app.record_table(relation.relname::text), 'list')
      and app.rules_of(held, app.record_table(relation.relname::text), 'list') is null
  ) || app.listed_comments(held, false);
end
$$;
comment on function app.listable_tables() is
  'The tables of which the caller may list every row, with the names under which the audit log keeps comments that the caller may read.';

-- Definer: app.held_roles, app.allows and app.rules_of are not granted to API roles.
create or replace function app.partly_listable_tables() returns text[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  held text[] := app.held_roles();
begin
  return (
    select coalesce(array_agg(relation.relname::text), '{}')
    from pg_catalog.pg_class relation
    where relation.relnamespace = 'public'::regnamespace
      and relation.relkind in ('r', 'p')
      and app.allows(held, app.record_table(relation.relname::text), 'list')
      and (relation.relname like '%\_hidden\_%'
        or app.rules_of(held, app.record_table(relation.relname::text), 'list') is not null)
  ) || app.listed_comments(held, true);
end
$$;

create or replace function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Cascades and the server's own work run as the owner.
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  -- Whoever works the desk writes everything.
  if app.tickets_covers(case tg_op when 'INSERT' then new else old end, 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'new' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null then 'device_id'
      when new.due_at is not null then 'due_at' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when (new.status, new.status_id) is distinct from (old.status, old.status_id) then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at' end;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;

create or replace function app.notice_content(notice app.notices) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  role text := (select r.role from public.user_roles r
    where r.user_id = notice.user_id and r.company_id = notice.company_id and r.deactivated_at is null);
  lines jsonb;
begin
  if notice.kind in ('comments', 'mentions') then
    return app.comment_notice(notice);
  end if;
  -- The permission may have been taken since.
  if not coalesce(role = any (case notice.kind when 'alerts' then app.roles_that_may('alerts', 'list') else app.roles_that_may('tickets', 'assign') end), false) then
    return null;
  end if;
  if notice.kind = 'alerts' then
    select jsonb_agg(jsonb_build_object('severity', a.severity, 'message', a.message, 'monitor', m.name, 'link', '/alerts/' || a.id)
          || case when notice.is_digest then jsonb_build_object('device', d.name) else '{}' end
        order by array_position(array['critical', 'warning', 'info'], a.severity), a.opened_at, a.id) into lines
      from public.alerts a join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id
        join public.devices d on d.company_id = a.company_id and d.id = a.device_id
      where a.company_id = notice.company_id and a.id = any (notice.record_ids) and a.status = 'open';
    return jsonb_build_object('alerts', lines, 'records', notice.records, 'is_digest', notice.is_digest,
      'device', (select d.name from public.devices d where d.company_id = notice.company_id and d.id = notice.subject_id),
      'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' when notice.is_digest then '/alerts?status=open'
        else '/alerts?device_id=' || notice.subject_id || '&status=open' end);
  end if;
  select jsonb_agg(jsonb_build_object('number', t.number, 'subject', t.subject, 'requester', t.requester_name, 'priority', t.priority,
      'link', '/tickets/' || t.id) order by t.number) into lines
    from public.tickets t
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.status in ('new', 'open', 'waiting');
  return jsonb_build_object('tickets', lines, 'records', notice.records, 'is_digest', notice.is_digest,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;

create or replace function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  select a.*
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- A record of the console may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles']
      else array[record_activity.resource]
        -- Hidden fields and comments are kept, and logged, under names of their own.
        || array(select c.relname::text from pg_catalog.pg_class c
          where c.relnamespace = 'public'::regnamespace and starts_with(c.relname::text, record_activity.resource || '_hidden_'))
        || (select case when c.settings is null then '{}'::text[] else c.settings ->> 'comments' || array(
            select k.value ->> 'object' from jsonb_each(c.settings -> 'kinds') k where k.value ? 'object') end
          from (select app.comment_settings(record_activity.resource) as settings) c) end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;

create function app.note_comment_on_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Conversations that are loaded have had their effect.
  if not app.quiet() then
    perform app.note_ticket_reply(new.company_id, new.ticket_id, new.author_id, new.created_at);
  end if;
  return null;
end $$;
comment on function app.note_comment_on_ticket() is
  'Row trigger: a reply stamps the first response, opens a new ticket, or reopens one that waits. Definer, because app.note_ticket_reply() is granted to nobody.';

create trigger ticket_comments_answer after insert on public.ticket_comments
  for each row when (new.kind = 'reply') execute function app.note_comment_on_ticket();

-- A comment keeps its files before it is written: whoever may comment on the record uploads them.
select app.keep_files('public.ticket_comments', object => 'tickets', verbs => array['comment']);

select app.keep_files('public.device_comments', object => 'devices', verbs => array['comment']);
