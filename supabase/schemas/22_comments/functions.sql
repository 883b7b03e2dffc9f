create function app.keep_comments(tbl regclass, settings jsonb) returns void
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
comment on function app.keep_comments(regclass, jsonb) is
  'For migrations, once a table of comments: its triggers, its search, and the search of the records by words of their comments. '
  'settings is what app.commented holds. The table has id, company_id, the column of the record, kind, body, author_id, author_name, '
  'mentions, once_key, search, edited_at, version and created_at.';

create function app.release_comments(tbl regclass) returns void
  language plpgsql set search_path = '' as $$
declare
  name text := (select c.relname from pg_catalog.pg_class c where c.oid = tbl);
  made record;
begin
  for made in
    select t.tgname from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = tbl and not t.tgisinternal and p.pronamespace = 'app'::regnamespace and p.proname in ('refuse_other_company',
      'guard_comment', 'stamp_comment', 'immutable_tenant', 'require_comment', 'tell_comment', 'log_comments')
  loop
    execute format('drop trigger %I on %s', made.tgname, tbl);
  end loop;
  execute format('drop function public.%I(text)', 'search_' || name);
  execute format('drop index public.%I', name || '_search_idx');
  delete from app.commented c where c.comments = name;
end $$;
comment on function app.release_comments(regclass) is
  'For the migrations of `npm run resource rename`: takes away what app.keep_comments() made, which the call with the new names makes again.';

-- Security definer: the table is private.
create function app.comment_settings(resource text) returns jsonb
  language sql stable security definer set search_path = '' as $$
  select c.settings || jsonb_build_object('comments', c.comments) from app.commented c where c.resource = comment_settings.resource
$$;
comment on function app.comment_settings(text) is 'The settings of the comments of a resource with the name of their table, or null. Definer, because app.commented is private.';
grant execute on function app.comment_settings(text) to authenticated, service_role;

create function app.require_comment() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- Whoever deletes such records also removes what was written on them.
  if current_user in ('anon', 'authenticated') and not (tg_op = 'DELETE' and app.can(tg_argv[0], 'delete')) then
    perform app.require(tg_argv[0], 'comment');
  end if;
  return null;
end $$;
comment on function app.require_comment() is
  'Before-statement trigger of a table of comments: a write without the verb comment of the resource answers 403 with its reason.';

create function app.mentioned_in(body text) returns uuid[]
  language sql immutable parallel safe set search_path = '' as $$
  select coalesce(array_agg(distinct m.found[1]::uuid), '{}')
  from (
    select x.found from regexp_matches(
      -- Text within code mentions nobody: fences, then lines that are indented after an empty one, then a span.
      -- The first quantifier of an expression decides for all of its others, so the lazy ones begin with one.
      regexp_replace(regexp_replace(regexp_replace(regexp_replace(body, '(^|\n)[ \t]*?(```|~~~).*?(\n[ \t]*?\2|$)', '\1', 'g'),
        '(^|\n[ \t]*\n)(( {4}|\t)[^\n]*(\n|$))+', '\1', 'g'), '``.*?``', '', 'g'), '`[^`]*`', '', 'g'),
      '\[@[^]\n]{1,100}\]\(mention:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)', 'g') as x (found)
    limit 20
  ) m
$$;
comment on function app.mentioned_in(text) is
  'The ids of the first 20 people that a Markdown text mentions as [@Name](mention:<id>), outside code.';
grant execute on function app.mentioned_in(text) to authenticated, service_role;

create function app.people_who_see(people uuid[], company uuid, seen text, record_id uuid, object text default null) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  previous constant text := current_setting('role');
  is_client constant boolean := current_user in ('anon', 'authenticated');
  person uuid;
  answer boolean;
  found uuid[] := '{}';
begin
  if coalesce(cardinality(people), 0) = 0 then
    return found;
  end if;
  foreach person in array people loop
    continue when person is null;
    -- An error takes the settings back with its transaction.
    perform set_config('request.jwt.claims', jsonb_build_object('sub', person, 'role', 'authenticated')::text, true),
      set_config('request.jwt.claim.sub', person::text, true);
    -- The owner of the tables is not under row-level security.
    if not is_client then
      perform set_config('role', 'authenticated', true);
    end if;
    execute format('select exists (select 1 from public.%I r where r.company_id = $1 and r.id = $2)', seen) into answer using company, record_id;
    answer := answer and (object is null or app.can(object, 'list'));
    if not is_client then
      perform set_config('role', previous, true);
    end if;
    if answer then
      found := found || person;
    end if;
  end loop;
  perform set_config('request.jwt.claims', claims, true), set_config('request.jwt.claim.sub', subject, true);
  return found;
end $$;
comment on function app.people_who_see(uuid[], uuid, text, uuid, text) is
  'Those of these people who see a record by the row-level security of its table, and may list the object where one is named: each is '
  'asked as themself. Invoker on purpose: a definer function could not take the role of a client.';
grant execute on function app.people_who_see(uuid[], uuid, text, uuid, text) to authenticated, service_role;

create function app.is_comment_open(settings jsonb, kind text, company uuid, record_id uuid) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  is_open boolean;
begin
  execute format('select coalesce((%s), false) from public.%I r where r.company_id = $1 and r.id = $2',
    coalesce(settings #>> array['kinds', is_comment_open.kind, 'when'], 'true'), settings ->> 'table') into is_open using company, record_id;
  return is_open;
end $$;
comment on function app.is_comment_open(jsonb, text, uuid, uuid) is
  'Whether a record takes comments of this kind, by the settings of app.commented; null for a record that the caller does not see.';
grant execute on function app.is_comment_open(jsonb, text, uuid, uuid) to authenticated, service_role;

create function app.guard_comment() returns trigger
  language plpgsql set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  is_client constant boolean := current_user in ('anon', 'authenticated');
  written jsonb;
  kind jsonb;
  record_id uuid;
  is_open boolean;
  wanted uuid[];
begin
  if tg_op = 'DELETE' and (not is_client or app.can(settings ->> 'resource', 'delete')) then
    return old;
  end if;
  written := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  kind := coalesce(settings #> array['kinds', written ->> 'kind'], '{}');
  record_id := (written ->> (settings ->> 'record'))::uuid;
  if is_client then
    if tg_op <> 'DELETE' and kind ? 'object' then
      perform app.require(kind ->> 'object', 'create');
    end if;
    if tg_op <> 'INSERT' and old.created_at <= now() - interval '15 minutes' then
      raise exception using errcode = '42501', hint = 'comment_settled',
        message = format('a comment is %s by its author within 15 minutes', case tg_op when 'DELETE' then 'deleted' else 'edited' end);
    end if;
    -- As the caller: a record of others and none at all get one answer.
    is_open := app.is_comment_open(settings, written ->> 'kind', (written ->> 'company_id')::uuid, record_id);
    if is_open is null then
      raise exception using errcode = 'PT404', hint = 'comment_gone', message = 'the record of the comment was not found';
    elsif not is_open then
      raise exception using errcode = '23514', hint = 'comment_closed', table = tg_table_name, schema = 'public',
        message = 'the record takes no more comments of this kind';
    end if;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if tg_op = 'INSERT' or new.body is distinct from old.body then
    wanted := app.mentioned_in(new.body);
    -- A stranger's name stays a word of the text.
    new.mentions := app.people_who_see(wanted, new.company_id, settings ->> 'table', record_id, kind ->> 'object');
  end if;
  return new;
end $$;
comment on function app.guard_comment() is
  'Row trigger of a table of comments: a kind with lines of its own, a record that the caller sees and that still takes such comments, 15 minutes '
  'to edit or delete, and mentions of those alone who may read the comment.';

-- Security definer: the caller may read no names.
create function app.stamp_comment() returns trigger
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
      new.author_name := (select p.name from public.profiles p where p.id = new.author_id);
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
comment on function app.stamp_comment() is
  'Row trigger of a table of comments: the author is whoever is signed in, with their name; an edit is marked. Definer, because the caller may read no names.';

-- Security definer: a person renames themself and may not write the comments.
create function app.follow_author_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  comments text;
begin
  for comments in select c.comments from app.commented c order by c.comments loop
    execute format('select from public.%I c where c.author_id = $1 order by c.id for no key update', comments) using new.id;
    execute format('update public.%I c set author_name = $1 where c.author_id = $2', comments)
      using new.name, new.id;
  end loop;
  return null;
end $$;
comment on function app.follow_author_name() is
  'Row trigger on profiles: comments show the name of today. Definer, because a person may rename themself and not write the comments.';

-- Comments are told on the topic of their record, which only those join who see it; a kind with lines of its own has a topic of its own.
-- Security definer: nobody may write the audit log or send on a topic.
create function app.log_comments() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  record_column constant text := settings ->> 'record';
  actor uuid;
  told record;
  changed text := case tg_op when 'INSERT' then 'select * from new_rows' when 'DELETE' then 'select * from old_rows'
    else 'select n.* from new_rows n join old_rows o on o.id = n.id where n.body is distinct from o.body' end;
begin
  if app.quiet() then
    return null;
  end if;
  actor := app.acting_user_id();
  -- A record that is deleted takes its comments with it; its own entry says so.
  execute format($query$
    insert into public.audit_log (company_id, actor_id, actor_email, actor_name, table_name, row_id, row_name, action, changes)
    select c.company_id, $1, (select p.email from public.profiles p where p.id = $1),
      (select p.name from public.profiles p where p.id = $1), coalesce($2 #>> array['kinds', c.kind, 'object'], %1$L),
      r.id, app.audit_name(%2$L, to_jsonb(r)), %3$L,
      jsonb_build_object('kind', case %3$L when 'create' then jsonb_build_array(null, c.kind) when 'delete' then jsonb_build_array(c.kind, null)
        else jsonb_build_array(c.kind, c.kind) end)
    from (%4$s) c join public.%2$I r on r.company_id = c.company_id and r.id = c.%5$I
    -- Words of a merged record were written before, by somebody else.
    where %3$L <> 'create' or to_jsonb(c) ->> 'origin' is null$query$,
    tg_table_name, settings ->> 'table', case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'edit' else 'delete' end, changed, record_column)
    using actor, settings;
  for told in execute format(
    'select c.%1$I as record_id, c.kind, case when count(*) <= 50 then to_jsonb(array_agg(c.id)) else ''[]'' end as ids from (%2$s) c group by 1, 2',
    record_column, changed)
  loop
    perform app.send_live('record:' || (settings ->> 'resource') || ':' || told.record_id
        || case when settings #> array['kinds', told.kind] ? 'object' then ':' || told.kind else '' end,
      jsonb_build_object('table', tg_table_name, 'op', lower(tg_op), 'ids', told.ids));
  end loop;
  return null;
end $$;
comment on function app.log_comments() is
  'Statement trigger of a table of comments: the activity of the record says that a comment was added, edited or deleted, never its words, '
  'and its topic is told. An entry about a kind with lines of its own carries their object in place of the table. Definer, because nobody '
  'may write the audit log or send on a topic.';

-- Security definer: authors of comments that the caller may not read take part as well; they are told only of those that they may.
create function app.comment_authors(resource text, record_id uuid) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  source app.commented%rowtype;
  people uuid[];
begin
  select c.* into source from app.commented c where c.resource = comment_authors.resource;
  execute format('select array_agg(distinct c.author_id) from public.%I c where c.%I = $1', source.comments, source.settings ->> 'record')
    into people using record_id;
  return coalesce(people, '{}');
end $$;
comment on function app.comment_authors(text, uuid) is
  'Who has written on a record. Definer, because the caller may not read all kinds of comments; used to tell people, never answered.';
grant execute on function app.comment_authors(text, uuid) to authenticated, service_role;

create function app.tell_comment() returns trigger
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
comment on function app.tell_comment() is
  'Row trigger of a table of comments: those who take part in the record and may read the comment hear of it, and whoever it mentions. '
  'Invoker, because each of them is asked as themself.';

-- Security definer: notices are private, and nobody may write what others are told.
create function app.ring_comment(settings jsonb, comments text, comment_id uuid, followers uuid[], mentioned uuid[]) returns void
  language plpgsql volatile security definer set search_path = '' as $$
declare
  told record;
  person uuid;
  kind text;
  notice app.notices%rowtype;
begin
  execute format('select c.company_id, c.author_id, c.author_name, c.%1$I as record_id, app.audit_name(%2$L, to_jsonb(r)) as title
    from public.%3$I c join public.%2$I r on r.company_id = c.company_id and r.id = c.%1$I where c.id = $1',
    settings ->> 'record', settings ->> 'table', comments) into told using comment_id;
  foreach person in array followers || mentioned loop
    kind := case when person = any (mentioned) then 'mentions' else 'comments' end;
    notice := app.notice_for(person, kind, told.company_id, told.record_id, array[comment_id], kind = 'mentions');
    continue when notice.id is null;
    perform app.ring(notice, case kind when 'mentions' then 'comment_mention' else 'comment_added' end,
      jsonb_build_object('title', coalesce(told.title, ''), 'author', coalesce(told.author_name, ''), 'count', notice.records),
      (settings ->> 'path') || '/' || told.record_id || '?comment=' || notice.record_ids[1]);
  end loop;
end $$;
comment on function app.ring_comment(jsonb, text, uuid, uuid[], uuid[]) is
  'The bell of a comment, those on one record within five minutes as one; a mention also goes by mail. Definer, because notices are private.';
grant execute on function app.ring_comment(jsonb, text, uuid, uuid[], uuid[]) to authenticated, service_role;

create function app.comment_notice(notice app.notices) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  source app.commented%rowtype;
  told record;
  lines jsonb := '[]';
begin
  for source in select c.* from app.commented c order by c.comments loop
    for told in execute format('select c.id, c.kind, c.author_name, c.%1$I as record_id, app.audit_name(%2$L, to_jsonb(r)) as title
      from public.%3$I c join public.%2$I r on r.company_id = c.company_id and r.id = c.%1$I
      where c.company_id = $1 and c.id = any ($2) order by c.created_at, c.id',
      source.settings ->> 'record', source.settings ->> 'table', source.comments) using notice.company_id, notice.record_ids
    loop
      -- The right to read it may have been taken since.
      continue when app.people_who_see(array[notice.user_id], notice.company_id, source.settings ->> 'table', told.record_id,
        source.settings #>> array['kinds', told.kind, 'object']) = '{}';
      -- The reply itself has gone to them by mail.
      continue when exists (select 1 from app.ticket_mails m where m.company_id = notice.company_id and m.ticket_id = told.record_id
        and m.user_id = notice.user_id and m.comment_ids @> array[told.id] and m.status in ('queued', 'sent'));
      lines := lines || jsonb_build_object('title', told.title, 'author', told.author_name,
        'link', (source.settings ->> 'path') || '/' || told.record_id || '?comment=' || told.id);
    end loop;
  end loop;
  if lines = '[]' then
    return null;
  end if;
  return jsonb_build_object('mentions', lines, 'records', notice.records, 'is_digest', notice.is_digest, 'link', lines -> 0 ->> 'link');
end $$;
comment on function app.comment_notice(app.notices) is
  'What the mail about mentions says now: the comments that are still there and that the person may still read. Null when there are none.';

create function app.comment_ids(comments text, q text, wanted text) returns uuid[]
  -- A high cost, so that no cached plan calls it once per row; immutable as app.search_ids() is.
  language plpgsql immutable cost 1000000 security definer set search_path = '' as $$
declare
  max_ids constant integer := 500;
  condition text := (select string_agg(format('search like %L', p.pattern), ' and ') from unnest(app.search_patterns(q)) as p (pattern));
  settings jsonb := (select c.settings from app.commented c where c.comments = comment_ids.comments);
  scope text := 'true';
  kinds text[];
  ids uuid[];
begin
  perform app.require(settings ->> 'resource', 'list');
  if condition is not null then
    if not app.sees_all() then
      scope := format('company_id = %L', app.own_company());
    end if;
    kinds := array(select k.key from jsonb_each(settings -> 'kinds') k where not k.value ? 'object' or app.can(k.value ->> 'object', 'list'));
    -- Literals, because the plan depends on how rare the words are.
    execute format('select array_agg(f.%1$I) from (select %1$I from public.%2$I where %3$s and %4$s and kind = any (%5$L) limit %6$s) f',
      wanted, comments, scope, condition, kinds, max_ids + 1) into ids;
  end if;
  if wanted = 'id' then
    return case when condition is not null and coalesce(cardinality(ids), 0) <= max_ids then coalesce(ids, '{}') end;
  end if;
  return case when cardinality(ids) <= max_ids then ids else '{}' end;
end $$;
comment on function app.comment_ids(text, text, text) is
  'The comments that hold every word of q, of the kinds that the caller may read: with id, null when they are more than 500, so that the '
  'search walks its list instead; with the column of the record, no records then, because words that common are searched in the records '
  'alone. Definer, because the trigram index cannot be used below row-level security, which still decides over the rows.';
grant execute on function app.comment_ids(text, text, text) to authenticated, service_role;

-- Security definer: the caller may read no list of people. The public function asks each of them whether they see the record.
create function app.company_people(company uuid, q text, known uuid[]) returns table (id uuid, name text)
  language sql stable security definer set search_path = '' rows 60 as $$
  select p.id, p.name from public.user_roles r join public.profiles p on p.id = r.user_id
  where r.company_id = company and r.deactivated_at is null
    and ((select app.can('people', 'list')) or p.id = any (known))
    and app.fold(p.name) like all (app.search_patterns(q))
  order by app.fold(p.name), p.id limit 60
$$;
comment on function app.company_people(uuid, text, uuid[]) is
  'The first 60 active people of a company whose name holds every word: all of them for whoever may list people, otherwise those that are '
  'known to the caller already. Definer, because the caller may read no list of people.';
grant execute on function app.company_people(uuid, text, uuid[]) to authenticated;

create function public.comment_people(resource text, record_id uuid, kind text default 'reply', q text default '') returns table (id uuid, name text)
  language plpgsql volatile set search_path = '' rows 8 as $$
#variable_conflict use_column
declare
  max_people constant integer := 8;
  settings constant jsonb := app.comment_settings(comment_people.resource);
  company uuid;
  person record;
  known uuid[];
  found integer := 0;
begin
  perform app.require(comment_people.resource, 'comment');
  if settings is null or not settings -> 'kinds' ? comment_people.kind then
    return;
  end if;
  if settings #> array['kinds', comment_people.kind] ? 'object' then
    perform app.require(settings #>> array['kinds', comment_people.kind, 'object'], 'create');
  end if;
  execute format('select r.company_id from public.%I r where r.id = $1', settings ->> 'table') into company using comment_people.record_id;
  if company is null then
    return;
  end if;
  -- A caller without the directory knows those whom the record and its comments name.
  if not app.can('people', 'list') then
    execute format('select array(select (to_jsonb(r) ->> c.name)::uuid from jsonb_array_elements_text($2) as c (name))
        || array(select distinct x.author_id from public.%I x where x.%I = $1) from public.%I r where r.id = $1',
      settings ->> 'comments', settings ->> 'record', settings ->> 'table')
      into known using comment_people.record_id, coalesce(settings -> 'people', '[]');
  end if;
  for person in select p.id, p.name from app.company_people(company, "left"(coalesce(q, ''), 100), known) p loop
    continue when app.people_who_see(array[person.id], company, settings ->> 'table', comment_people.record_id,
      settings #>> array['kinds', comment_people.kind, 'object']) = '{}';
    id := person.id;
    name := person.name;
    return next;
    found := found + 1;
    exit when found = max_people;
  end loop;
end $$;
comment on function public.comment_people(text, uuid, text, text) is
  'Up to 8 people whom a comment of this kind on a record can mention: those who may read it and, without the permission to list people, are '
  'named by the record or have written on it. None where the caller does not see the record.';
grant execute on function public.comment_people(text, uuid, text, text) to authenticated;

-- Security definer: the caller may read no names of people. It answers for comments that the caller was given by row-level security.
create function app.names_of(people uuid[]) returns table (id uuid, name text)
  language sql stable security definer set search_path = '' as $$
  select p.id, p.name from public.profiles p where p.id = any (people)
$$;
comment on function app.names_of(uuid[]) is
  'The names of people. Definer, because the caller may read no list of people; public functions pass only who is mentioned where the caller reads.';
grant execute on function app.names_of(uuid[]) to authenticated;

create function public.comment_names(resource text, record_id uuid) returns table (id uuid, name text)
  language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  settings constant jsonb := app.comment_settings(comment_names.resource);
  people uuid[];
begin
  if settings is null then
    return;
  end if;
  perform app.require(comment_names.resource, 'list');
  execute format('select array_agg(distinct m.id) from public.%I c cross join lateral unnest(c.mentions) as m (id)
    where c.%I = $1 and c.mentions <> ''{}''', settings ->> 'comments', settings ->> 'record') into people using comment_names.record_id;
  return query select n.id, n.name from app.names_of(coalesce(people, '{}')) n;
end $$;
comment on function public.comment_names(text, uuid) is
  'The names of today of those whom the comments on a record mention, of the comments that the caller may read.';
grant execute on function public.comment_names(text, uuid) to authenticated;
