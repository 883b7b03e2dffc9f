-- Names are no addresses.

set check_function_bodies = off;

-- Security definer: the audit log names records that whoever writes may not read.
create or replace function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select p.name from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'device_tags' then (
      select t.name from public.tags t where t.company_id = company and t.id = (doc ->> 'tag_id')::uuid)
    when 'patch_exceptions' then (
      select p.title from public.patches p where p.company_id = company and p.id = (doc ->> 'patch_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    when 'corporate_app_files' then (
      select concat_ws(' ', a.name, doc ->> 'package_version') from public.corporate_apps a
      where a.company_id = company and a.id = (doc ->> 'corporate_app_id')::uuid)
    else case
      when table_name like 'automation\_%' then (
        select a.name from public.automations a where a.company_id = company and a.id = (doc ->> 'automation_id')::uuid)
      else coalesce(doc ->> 'name', doc ->> 'title', doc ->> 'hostname', doc ->> 'email')
    end
  end, 200);
end $$;

-- Security definer: an alert that a person resolves, or a device's report, may find a right missing.
create or replace function app.pause_for(resource text, record_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  holder uuid;
  holder_name text;
  title text;
begin
  -- A policy stays in force, so that its devices do not fall to the next one, and a monitor goes on checking: what they would do waits.
  execute format($query$
    update public.%1$I t set paused_for = coalesce((select p.name from public.profiles p where p.id = t.set_by), '–') %2$s
    where t.id = $1 and t.paused_for is null
    returning t.company_id, t.set_by, t.paused_for, t.name$query$, resource,
    case when resource in ('scheduled_tasks', 'automations') then ', enabled = false' end)
    into company, holder, holder_name, title using record_id;
  if company is null then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, company, 'right_missing', jsonb_build_object('name', title, 'person', holder_name),
    case resource when 'scheduled_tasks' then '/scheduled-tasks/' when 'automations' then '/automation/' else '/' || resource || '/' end || record_id,
    'right_missing:' || record_id || ':' || coalesce(holder::text, '') || ':' || to_char(now(), 'YYYYMMDD')
  from public.user_roles r
  where r.company_id = company and r.deactivated_at is null and r.role = any (app.roles_that_may(resource, 'edit'))
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;

create or replace function app.profile_name(name text, email text) returns text
  language sql immutable parallel safe
  return case
    when pg_catalog.length(pg_catalog.btrim(coalesce(name, ''))) >= 2 then pg_catalog."left"(pg_catalog.btrim(name), 100)
    when pg_catalog.length(pg_catalog.split_part(email, '@', 1)) >= 2 then pg_catalog."left"(pg_catalog.split_part(email, '@', 1), 100)
    else pg_catalog.split_part(email, '@', 1) || '…'
  end;
comment on function app.profile_name(text, text) is
  'A name that fits profiles.name: where none was given, the e-mail up to its @, because a name is read by people who may not read addresses.';

-- Security definer: nobody may write versions.
create or replace function public.approve_procedure(version_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if version.approved_at is not null then
    return;
  end if;
  update public.procedure_versions v
    set approved_at = now(), approved_by = p.id, approved_name = p.name,
      declined_at = null, declined_by = null, declined_name = null, decline_reason = null
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set approved_revision = version.number, approved_at = version.approved_at, approved_name = version.approved_name,
      declined_at = null, declined_name = null, decline_reason = null, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_approved', jsonb_build_object('by', version.approved_name));
  -- The run's page says so until the device asks; it clears the others itself.
  with free as (
    select r.id from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = version.company_id and r.procedure_id = version.procedure_id and r.status = 'queued' and r.waits_for = 'approval'
      and j.procedure_version_id = version.id
    order by r.id limit 1000 for update of r skip locked
  )
  update public.job_runs r set waits_for = null from free where r.id = free.id;
end $$;

-- Security definer: nobody may write versions and runs. app.version_to_decide() checks the permission, the company and the person.
create or replace function public.decline_procedure(version_id uuid, reason text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  version public.procedure_versions%rowtype := app.version_to_decide(version_id);
begin
  if coalesce(length(btrim(reason)), 0) not between 1 and 500 then
    raise exception 'A reason has 1 to 500 characters.' using errcode = 'check_violation', hint = 'reason_invalid';
  end if;
  if version.approved_at is not null or version.declined_at is not null then
    raise exception 'Somebody decided about this version already.' using errcode = 'check_violation', hint = 'version_decided';
  end if;
  update public.procedure_versions v
    set declined_at = now(), declined_by = p.id, declined_name = p.name, decline_reason = btrim(reason)
    from public.profiles p
    where p.id = app.current_user_id() and v.company_id = version.company_id and v.id = version.id
    returning v.* into version;
  update public.procedures p
    set declined_at = version.declined_at, declined_name = version.declined_name, decline_reason = version.decline_reason, waiting_since = null
    where p.company_id = version.company_id and p.id = version.procedure_id;
  perform app.tell_decision(version, 'script_declined', jsonb_build_object('by', version.declined_name, 'reason', version.decline_reason));
  perform app.end_waiting(version.company_id, version.procedure_id);
end $$;

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

-- Security definer: a person renames themself and may not write the comments.
create or replace function app.follow_author_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  comments text;
begin
  for comments in select c.comments from app.commented c order by c.comments loop
    execute format('update public.%I c set author_name = $1 where c.author_id = $2', comments)
      using new.name, new.id;
  end loop;
  return null;
end $$;

-- Security definer: the caller may read no list of people. The public function asks each of them whether they see the record.
create or replace function app.company_people(company uuid, q text, known uuid[]) returns table (id uuid, name text)
  language sql stable security definer set search_path = '' rows 60 as $$
  select p.id, p.name from public.user_roles r join public.profiles p on p.id = r.user_id
  where r.company_id = company and r.deactivated_at is null
    and ((select app.can('people', 'list')) or p.id = any (known))
    and app.fold(p.name) like all (app.search_patterns(q))
  order by app.fold(p.name), p.id limit 60
$$;

-- Security definer: the caller may read no names of people. It answers for comments that the caller was given by row-level security.
create or replace function app.names_of(people uuid[]) returns table (id uuid, name text)
  language sql stable security definer set search_path = '' as $$
  select p.id, p.name from public.profiles p where p.id = any (people)
$$;

-- Security definer: the record may be one that the writer does not see, and the quota is nobody's to read.
create or replace function app.admit_file() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  rules app.file_fields%rowtype;
  store app.file_store%rowtype;
  company uuid;
  actor uuid := app.acting_user_id();
  max_mb integer;
begin
  select f.* into rules from app.file_fields f where f.resource = new.resource and f.field = coalesce(new.field, '');
  if rules.resource is null then
    raise exception using errcode = '42501', message = 'this record has no such files', hint = 'role';
  end if;
  -- Answers with the reason; row-level security decides on the record.
  if tg_op = 'INSERT' and not app.is_server_work() and not app.may_draft_file(new.resource, new.field) then
    perform app.require(rules.object, rules.verbs[cardinality(rules.verbs)]);
  end if;
  -- Another company is answered before its quota is asked.
  if tg_op = 'INSERT' and not app.is_server_work() and not (new.company_id = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "files"';
  end if;
  if new.record_id is not null then
    execute format('select t.company_id from public.%I t where t.id = $1', new.resource) into company using new.record_id;
    if company is distinct from new.company_id then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "files"';
    end if;
  end if;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  if new.field is not null and new.record_id is not null then
    raise exception using errcode = '22023', message = 'a field takes a draft: the record names it';
  end if;
  new.created_by := coalesce(actor, new.created_by);
  new.created_by_name := (select p.name from public.profiles p where p.id = new.created_by);
  new.created_at := now();
  new.name := app.clean_text(regexp_replace(new.name, '^.*[/\\]', ''), 200);
  if new.name is null or new.name in ('', '.', '..') then
    new.name := 'file';
  end if;
  select s.* into store from app.file_store s;
  if rules.is_package then
    if store.max_package_mb is null then
      raise exception using errcode = 'check_violation', message = 'This backend takes no packages.', hint = 'upload_unavailable';
    end if;
    if length(new.name) > 120 then
      raise exception using errcode = 'check_violation', message = 'The name of the file is too long.', hint = 'upload_name_long';
    end if;
    if new.name !~ '^[[:alnum:]][[:alnum:]._+~ ()-]*$' then
      raise exception using errcode = 'check_violation', message = 'The name of the file is not accepted.', hint = 'upload_name';
    end if;
  elsif app.is_program(new.name) then
    raise exception using errcode = 'check_violation', message = 'Programs, scripts and shortcuts are not taken. Pack the file into an archive.', hint = 'file_program';
  end if;
  max_mb := case when rules.is_package then store.max_package_mb else coalesce(store.max_file_mb, 25) end;
  if new.size > least(coalesce(rules.max_mb, max_mb), max_mb) * 1048576::bigint then
    raise exception using errcode = 'check_violation', message = 'The file is larger than is allowed here.', hint = 'file_size';
  end if;
  if (select count(*) from public.files f where f.created_by = new.created_by and f.created_at > now() - interval '1 day'
      and (f.record_id is null or f.uploaded_at is null)) >= 200 then
    raise exception using errcode = 'check_violation', message = 'Too many uploads wait for their record.', hint = 'file_drafts';
  end if;
  insert into app.file_use (company_id) values (new.company_id) on conflict (company_id) do nothing;
  if rules.is_package then
    update app.file_use u set package_bytes = u.package_bytes + new.size
    where u.company_id = new.company_id and u.package_bytes + new.size <= store.max_packages_mb * 1048576::bigint;
    if not found then
      raise exception using errcode = 'check_violation', message = 'The packages of the company take all their room.', hint = 'upload_room';
    end if;
    return new;
  end if;
  update app.file_use u set bytes = u.bytes + new.size
  where u.company_id = new.company_id and u.bytes + new.size <= coalesce(store.max_company_mb, 10240) * 1048576::bigint;
  if not found then
    raise exception using errcode = 'check_violation', message = 'The files of the company take all their room.', hint = 'file_room';
  end if;
  return new;
end $$;

create or replace function app.check_people_of_time_entries() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
  if not exists (
    select 1 from public.user_roles r
    where r.user_id = new.user_id and (r.company_id = new.company_id or r.role = 'Super Admin')
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

-- Security definer: a person renames themself and may not write what others recorded.
create or replace function app.follow_work_names() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.time_entries e set user_name = new.name where e.user_id = new.id;
  update public.ticket_approvals a set person_name = new.name where a.person_id = new.id;
  return null;
end $$;

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
      (select p.name from public.profiles p where p.id = person), approver_role, nullif(btrim(add_approval.question), ''),
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
          decided_at = now(), decided_by = me, decided_by_name = (select p.name from public.profiles p where p.id = me)
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

-- Security definer: the name of whoever has done it.
create or replace function app.stamp_checklist_item() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor constant uuid := app.acting_user_id();
begin
  if not new.done then
    new.done_at := null;
    new.done_by := null;
    new.done_by_name := null;
  elsif tg_op = 'INSERT' or not old.done then
    new.done_at := now();
    new.done_by := actor;
    new.done_by_name := (select p.name from public.profiles p where p.id = actor);
  end if;
  if tg_op = 'INSERT' and new.position = 0 then
    new.position := coalesce((select max(i.position) from public.ticket_checklist_items i
      where i.company_id = new.company_id and i.ticket_id = new.ticket_id), 0) + 1;
  end if;
  return new;
end $$;

create or replace function app.move_to_trash() returns trigger
  language plpgsql
  -- definer: nobody may write the mark
  security definer set search_path = '' as $$
declare
  actor constant uuid := app.acting_user_id();
begin
  -- A row that is in the trash, and one that goes with the record it belongs to, is deleted for good.
  if old.deleted_at is not null or pg_trigger_depth() > 1 then
    return old;
  end if;
  perform app.put_in_trash(tg_relid, old.id, now(), p.id, p.name)
    from (select actor as id) a left join public.profiles p on p.id = a.id;
  return null;
end $$;

-- Whoever never had a name was called by their address.
update public.profiles p set name = app.profile_name(null, p.email) where lower(p.name) = lower("left"(p.email, 100));
