-- Search, sort keys and missing indexes for the tables of before: each list sorts by an index and finds by words.

-- Adding the columns writes each table once.
alter table public.alerts add column search text generated always as (app.fold(message)) stored;
alter table public.software
  add column name_key text generated always as (app.sort_key(name)) stored,
  add column search text generated always as (app.fold(name || ' ' || publisher)) stored;
alter table public.jobs
  add column name_key text generated always as (app.sort_key(name)) stored,
  add column search text generated always as (app.fold(name)) stored;
alter table public.enrollment_tokens
  add column name_key text generated always as (app.sort_key(name)) stored,
  add column search text generated always as (app.fold(name || ' ' || hint)) stored;

select app.keep_search('public.monitors');
select app.keep_search('public.alerts');
select app.keep_search('public.software');
select app.keep_search('public.jobs');
select app.keep_search('public.companies');
select app.keep_search('public.enrollment_tokens');

create index monitors_company_created_idx on public.monitors (company_id, created_at, id);
create index monitors_created_idx on public.monitors (created_at, id);
-- The index there is begins with the status; a list of all of them sorts by the time alone.
create index alerts_company_time_idx on public.alerts (company_id, opened_at, id);
create index alerts_time_idx on public.alerts (opened_at, id);
create index alerts_status_time_idx on public.alerts (status, opened_at, id);
create index alerts_company_resolved_idx on public.alerts (company_id, resolved_at, id);
create index alerts_resolved_idx on public.alerts (resolved_at, id);
create index software_company_name_idx on public.software (company_id, name_key, id);
create index software_name_idx on public.software (name_key, id);
create index software_company_created_idx on public.software (company_id, created_at, id);
create index software_created_idx on public.software (created_at, id);
create index jobs_company_name_idx on public.jobs (company_id, name_key, id);
create index jobs_name_idx on public.jobs (name_key, id);
-- Those there are turn the key round, and would sort every group of jobs made at one moment.
create index jobs_company_created_idx on public.jobs (company_id, created_at, id);
create index jobs_created_idx on public.jobs (created_at, id);
create index companies_license_end_idx on public.companies (license_end_date, id);
create index companies_seats_idx on public.companies (seats, id);
create index companies_created_idx on public.companies (created_at, id);
create index enrollment_tokens_company_name_idx on public.enrollment_tokens (company_id, name_key, id);
create index enrollment_tokens_name_idx on public.enrollment_tokens (name_key, id);
create index enrollment_tokens_created_idx on public.enrollment_tokens (created_at, id);
create index enrollment_tokens_company_expires_idx on public.enrollment_tokens (company_id, expires_at, id);
create index enrollment_tokens_expires_idx on public.enrollment_tokens (expires_at, id);

-- Inventory: sorted by its title and its device -------------------------------------------------------------------

-- A page sorted by what stands in another table would sort every row there is: the keys are copied, and indexed.
alter table public.device_software add column title_key text, add column device_key text;
update public.device_software i set title_key = s.name_key, device_key = d.name_key
from public.software s, public.devices d
where s.company_id = i.company_id and s.id = i.software_id and d.company_id = i.company_id and d.id = i.device_id;
comment on column public.device_software.title_key is 'Sort key of its title, which never changes. Kept by trigger.';
comment on column public.device_software.device_key is 'Sort key of its device. Kept by trigger.';
create index device_software_company_title_idx on public.device_software (company_id, title_key, id);
create index device_software_title_idx on public.device_software (title_key, id);
create index device_software_company_device_idx on public.device_software (company_id, device_key, id);
create index device_software_device_idx on public.device_software (device_key, id);
create index device_software_company_installed_idx on public.device_software (company_id, install_date, id);
create index device_software_installed_idx on public.device_software (install_date, id);

create function app.copy_software_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select s.name_key into new.title_key from public.software s where s.company_id = new.company_id and s.id = new.software_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_software_keys() is
  'Row trigger: an installation sorts as its title and its device do. Definer, because it reads both whatever the writer may.';
create trigger device_software_keys before insert on public.device_software
  for each row execute function app.copy_software_keys();

create function app.spread_device_to_software() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_software x set device_key = new.name_key where x.company_id = new.company_id and x.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_software() is
  'Row trigger: a renamed device takes its software along. Definer, because who renames it may not write inventory.';
create trigger devices_spread_to_software after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_software();

-- Found by the words of the title or those of the device, without a search column of its own on the largest table.
create function public.search_device_software(q text) returns setof public.device_software
  language sql stable rows 500 as $$
  select t.* from public.device_software t
  where case when app.search_ids('software', q) is null
      then exists (select 1 from public.software s where s.company_id = t.company_id and s.id = t.software_id
                   and s.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.software_id = any (app.search_ids('software', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_device_software(text) is
  'The installations whose title or whose device matches every word of q; filter, order and page it like the table.';
revoke execute on function public.search_device_software(text) from public, anon;
grant execute on function public.search_device_software(text) to authenticated;
