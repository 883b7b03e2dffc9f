-- The devices without a title are read a page at a time by target_devices(); the spread of its versions counts them.

create or replace function public.software_spread(software_id uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with title as (
    select s.id, s.company_id from public.software s where s.id = software_spread.software_id
  ), installed as (
    select ds.version, ds.device_id from public.device_software ds join title t on t.company_id = ds.company_id and t.id = ds.software_id
  )
  select jsonb_build_object(
    'devices', (select count(distinct i.device_id) from installed i),
    'versions', (select coalesce(jsonb_agg(jsonb_build_object('version', v.version, 'devices', v.devices) order by v.devices desc, v.version), '[]')
      from (select i.version, count(*) as devices from installed i group by i.version order by count(*) desc, i.version limit 20) v),
    'version_count', (select count(distinct i.version) from installed i),
    'without', (select count(*) from public.devices d join title t on t.company_id = d.company_id
      where not exists (select 1 from public.device_software ds
        where ds.company_id = d.company_id and ds.software_id = t.id and ds.device_id = d.id)))
$$;
comment on function public.software_spread(uuid) is
  '{devices, versions: [{version, devices}], version_count, without} of a title: its 20 most frequent versions, and how many devices of its '
  'company have or lack it. Runs as the caller.';
