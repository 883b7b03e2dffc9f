-- A target is found as fast as a list: it asks for nothing that a list of devices would not, within the time of any request.

create or replace function app.target_query(target jsonb, out source text, out condition text)
  language plpgsql stable set search_path = '' as $$
declare
  company uuid := (target ->> 'company_id')::uuid;
  kind text := target ->> 'kind';
  filter jsonb := coalesce(target -> 'filter', '{}');
  other text;
begin
  if jsonb_typeof(target) is distinct from 'object' or octet_length(target::text) > 200000
    or kind is null or kind not in ('all', 'groups', 'filter')
    or (kind = 'groups' and jsonb_typeof(target -> 'group_ids') is distinct from 'array')
    or (target ? 'platforms' and jsonb_typeof(target -> 'platforms') not in ('array', 'null')) then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid';
  end if;
  -- What a list of devices asks, and nothing with long texts in it: the outputs of a few runs kept the database busy for a minute.
  if kind = 'filter' then
    select min(p.via) into other
    from jsonb_path_query(filter, 'strict $.**') as part (item)
      cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
      cross join lateral app.filter_path('devices', k.key) p
    where strpos(k.key, '.') > 0
      and p.via::regclass not in ('public.device_presence'::regclass, 'public.device_software'::regclass, 'public.device_tags'::regclass,
        'public.group_devices'::regclass, 'public.companies'::regclass);
  end if;
  if other is not null then
    raise exception 'A target cannot ask for this.' using errcode = 'check_violation', hint = 'target_of_tables';
  end if;
  source := app.matching_source('devices', filter, case kind when 'filter' then coalesce(target ->> 'q', '') else '' end);
  condition := case kind
    when 'groups' then format('t.id in (select m.device_id from public.group_devices m where m.group_id = any (%L::uuid[]))',
      array(select e::uuid from jsonb_array_elements_text(target -> 'group_ids') e limit 100))
    when 'filter' then app.filter_condition('devices', filter)
    else 'true' end;
  if company is not null then
    condition := format('t.company_id = %L::uuid and (%s)', company, condition);
  end if;
  if jsonb_typeof(target -> 'platforms') = 'array' then
    condition := format('(%s) and (t.platform is null or t.platform = any (%L::text[]))', condition,
      array(select e from jsonb_array_elements_text(target -> 'platforms') e limit 20));
  end if;
end $$;

alter function public.preview_target(jsonb, integer) reset statement_timeout;
