-- What happened to one record, for its page.

create index audit_log_record_idx on public.audit_log (row_id, at desc, id desc);

create function public.record_activity(
  resource text, record_id uuid, before timestamptz default null, before_id uuid default null
) returns setof public.audit_log
  language sql stable security invoker set search_path = '' rows 50 as $$
  select a.*
  from public.audit_log a
  where a.row_id = record_activity.record_id
    -- What the console shows as one record may be written in several tables.
    and a.table_name = any (case record_activity.resource
      when 'users' then array['profiles', 'user_roles'] else array[record_activity.resource] end)
    and (record_activity.before is null or (a.at, a.id)
      < (record_activity.before, coalesce(record_activity.before_id, '00000000-0000-0000-0000-000000000000')))
  order by a.at desc, a.id desc
  limit 50
$$;
comment on function public.record_activity(text, uuid, timestamptz, uuid) is
  'The newest 50 audit rows of one record, or those before an instant (and id, among equal instants). Runs as the caller: '
  'row-level security of audit_log decides what is seen.';
revoke execute on function public.record_activity(text, uuid, timestamptz, uuid) from public, anon;
grant execute on function public.record_activity(text, uuid, timestamptz, uuid) to authenticated;
