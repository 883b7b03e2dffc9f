-- Trash tells what may be read.

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
    where t.company_id = notice.company_id and t.id = any (notice.record_ids) and t.deleted_at is null and t.status in ('new', 'open', 'waiting');
  return jsonb_build_object('tickets', lines, 'records', notice.records, 'is_digest', notice.is_digest,
    'link', case when jsonb_array_length(lines) = 1 then lines -> 0 ->> 'link' else '/tickets' end);
end $$;

create or replace function public.trash(resource text, company uuid default null, fields text[] default '{}', ids uuid[] default null,
    after_at timestamptz default null, after_id uuid default null, max_rows integer default 50)
  returns table (id uuid, company_id uuid, deleted_at timestamptz, ends_at timestamptz, deleted_by uuid, deleted_name text, record jsonb, total bigint)
  language plpgsql stable
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(trash.resource);
  columns text;
  has_company constant boolean := app.has_column(own, 'company_id');
begin
  select string_agg(format('%L, t.%I', a.attname, a.attname), ', ') into columns from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (trash.fields) and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege('authenticated', own, a.attnum, 'select');
  return query execute format(
    'select x.id, x.company_id, x.deleted_at, app.trash_ends(x.deleted_at), x.deleted_by, x.deleted_name, x.own, x.total from ('
    || 'select t.id, %1$s as company_id, t.deleted_at, t.deleted_by, t.deleted_name, jsonb_build_object(%2$s) as own, count(*) over () as total '
    || 'from (select %4$I.* from %3$s as %4$I where %4$I.deleted_at is not null and (%5$s)) t where ($1 is null or %6$s) and ($5 is null or t.id = any ($5))) x '
    || 'where $2 is null or (x.deleted_at, x.id) < ($2, $3) order by x.deleted_at desc, x.id desc limit $4',
    case when has_company then 't.company_id' else 'null::uuid' end, coalesce(columns, ''), own,
    (select c.relname from pg_catalog.pg_class c where c.oid = own), app.deletable_condition(own),
    case when has_company then 't.company_id = $1' else 'true' end)
    using trash.company, trash.after_at, coalesce(trash.after_id, '00000000-0000-0000-0000-000000000000'::uuid), least(greatest(max_rows, 0), 1000), trash.ids;
end $$;
