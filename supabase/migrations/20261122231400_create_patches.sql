-- Patches: updates found missing on a company's devices, the decision about each, and its state on each device.

-- Patches -------------------------------------------------------------------------------------------------------------

create function app.guard_approval() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require('patches', 'approve');
  end if;
  return new;
end $$;
comment on function app.guard_approval() is 'Row trigger on a changed decision: editing a patch is not yet deciding about it.';

create function app.settle_deferral() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.approval <> 'deferred' then
    new.deferred_until := null;
  end if;
  return new;
end $$;
comment on function app.settle_deferral() is 'Row trigger: a patch that is no longer deferred has no date until when.';

create function app.spread_patch_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches x set title_key = new.title_key, severity = new.severity
  where x.company_id = new.company_id and x.patch_id = new.id;
  return null;
end $$;
comment on function app.spread_patch_keys() is 'Row trigger: a renamed or re-rated update takes its rows along. Definer, because nobody may write them.';

create table public.patches (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  title text not null check (length(btrim(title)) between 1 and 300),
  kb_number text not null default '' check (length(kb_number) <= 40),
  category text not null default 'security' check (category in ('security', 'critical', 'feature', 'driver', 'definition', 'application', 'other')),
  severity text not null default 'unspecified' check (severity in ('critical', 'important', 'moderate', 'low', 'unspecified')),
  size_mb numeric(12, 2) check (size_mb >= 0),
  release_date date,
  superseded boolean not null default false,
  approval text not null default 'pending' check (approval in ('pending', 'approved', 'denied', 'deferred')),
  deferred_until date,
  notes text check (length(notes) <= 2000),
  title_key text generated always as (app.sort_key(title)) stored,
  search text generated always as (app.fold(title || ' ' || kb_number)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, title, kb_number),
  constraint patches_deferred_until_check check ((approval = 'deferred') = (deferred_until is not null))
);
comment on table public.patches is
  'Updates seen on the devices of a company, with the one decision about each. What an update is comes from the machines; people decide and take notes.';

create index patches_company_title_idx on public.patches (company_id, title_key, id);
create index patches_title_idx on public.patches (title_key, id);
create index patches_company_kb_idx on public.patches (company_id, kb_number, id);
create index patches_kb_idx on public.patches (kb_number, id);
create index patches_company_release_idx on public.patches (company_id, release_date, id);
create index patches_release_idx on public.patches (release_date, id);
create index patches_company_size_idx on public.patches (company_id, size_mb, id);
create index patches_size_idx on public.patches (size_mb, id);
create index patches_company_approval_idx on public.patches (company_id, approval, severity);

create trigger patches_approval before update on public.patches for each row
  when ((old.approval, old.deferred_until) is distinct from (new.approval, new.deferred_until))
  execute function app.guard_approval();
create trigger patches_a_deferral before insert or update on public.patches for each row execute function app.settle_deferral();
-- What a machine reports neither outdates an open form nor fills the audit log.
select app.keep_tenant('public.patches', null, array['approval', 'deferred_until', 'notes']);
select app.keep_audit('public.patches', 'id', array['title', 'title_key', 'kb_number', 'category', 'severity', 'size_mb', 'release_date', 'superseded']);
select app.keep_announced('public.patches');
select app.keep_search('public.patches');
create trigger patches_spread after update on public.patches for each row
  when ((old.title_key, old.severity) is distinct from (new.title_key, new.severity)) execute function app.spread_patch_keys();

revoke all on public.patches from public, anon, authenticated;
grant select, update (approval, deferred_until, notes) on public.patches to authenticated;
grant select, insert, update, delete on public.patches to service_role;
alter table public.patches enable row level security;

create policy patches_select_member on public.patches for select to authenticated
  using ((select app.can('patches', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy patches_update_member on public.patches for update to authenticated
  using ((select app.can('patches', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('patches', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function public.decide_patches(ids uuid[], approval text, until date default null) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('patches', 'approve');
  if cardinality(decide_patches.ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 patches at a time';
  end if;
  if decide_patches.approval = 'deferred' and (decide_patches.until is null or decide_patches.until <= current_date) then
    raise exception using errcode = '23514', message = 'a patch is deferred until a day to come', constraint = 'patches_deferred_until_check';
  end if;
  update public.patches p set approval = decide_patches.approval,
    deferred_until = case when decide_patches.approval = 'deferred' then decide_patches.until end
  where p.id = any (decide_patches.ids);
  get diagnostics decided = row_count;
  if decided = 0 then
    raise exception using errcode = 'PT404', message = 'no such patch', hint = 'patch_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_patches(uuid[], text, date) is
  'Approves, denies or defers patches and returns how many. Row-level security says which; the permission is patches approve.';
revoke execute on function public.decide_patches(uuid[], text, date) from public, anon;
grant execute on function public.decide_patches(uuid[], text, date) to authenticated;

-- Patches of a device -------------------------------------------------------------------------------------------------

create function app.copy_patch_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select p.title_key, p.severity into new.title_key, new.severity
  from public.patches p where p.company_id = new.company_id and p.id = new.patch_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_patch_keys() is
  'Row trigger: a device''s patch sorts and filters as its update and its device do. Definer, because it reads both whatever the writer may.';

create table public.device_patches (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  patch_id uuid not null,
  status text not null default 'missing' check (status in ('missing', 'installing', 'installed', 'failed')),
  reboot_required boolean not null default false,
  installed_at timestamptz,
  error text check (length(error) <= 500),
  -- Copies of what the list sorts and filters by, so that a page walks one index. Kept by trigger.
  title_key text,
  device_key text,
  severity text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint device_patches_device_patch_key unique (device_id, company_id, patch_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade,
  constraint device_patches_installed_at_check check ((status = 'installed') = (installed_at is not null))
);
comment on table public.device_patches is 'Which update is missing, being installed or installed on which device. Written by the machines alone.';

create index device_patches_company_title_idx on public.device_patches (company_id, title_key, id);
create index device_patches_title_idx on public.device_patches (title_key, id);
create index device_patches_company_device_idx on public.device_patches (company_id, device_key, id);
create index device_patches_device_idx on public.device_patches (device_key, id);
create index device_patches_company_installed_idx on public.device_patches (company_id, installed_at, id);
create index device_patches_installed_idx on public.device_patches (installed_at, id);
-- Without these partial indexes "missing and critical" walks past all installed updates.
create index device_patches_company_status_idx on public.device_patches (company_id, status, severity, title_key, id);
create index device_patches_status_idx on public.device_patches (status, severity, title_key, id);
create index device_patches_patch_idx on public.device_patches (patch_id, company_id, device_id);
-- Few rows of many: without its own index, a page of them walks past all other rows.
create index device_patches_company_reboot_idx on public.device_patches (company_id, title_key, id) where reboot_required;
create index device_patches_reboot_idx on public.device_patches (title_key, id) where reboot_required;
-- For the exact count of a list over all companies, which otherwise reads the whole table (85 MB of device_patches). An index
-- on only what the select policy reads is 20 times smaller, because equal keys are stored once, and it answers the count
-- without the table. company_id never changes, so updates stay in place.
create index device_patches_company_idx on public.device_patches (company_id);

create trigger device_patches_keys before insert on public.device_patches for each row execute function app.copy_patch_keys();
select app.keep_tenant('public.device_patches');
select app.keep_announced('public.device_patches');

revoke all on public.device_patches from public, anon, authenticated;
grant select on public.device_patches to authenticated;
grant select, insert, update, delete on public.device_patches to service_role;
alter table public.device_patches enable row level security;

create policy device_patches_select_member on public.device_patches for select to authenticated
  using ((select app.can('device_patches', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.spread_device_to_patches() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_patches x set device_key = new.name_key where x.company_id = new.company_id and x.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_patches() is
  'Row trigger: a renamed device takes its patches along. Definer, because who renames it may not write them.';

create trigger devices_spread_to_patches after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_patches();

-- Matches the words of the update or of the device, without a search column on the largest table.
create function public.search_device_patches(q text) returns setof public.device_patches
  language sql stable rows 500 as $$
  select t.* from public.device_patches t
  where case when app.search_ids('patches', q) is null
      then exists (select 1 from public.patches p where p.company_id = t.company_id and p.id = t.patch_id
                   and p.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.patch_id = any (app.search_ids('patches', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_device_patches(text) is
  'The rows of device_patches whose update or whose device matches every word of q; filter, order and page it like the table.';
revoke execute on function public.search_device_patches(text) from public, anon;
grant execute on function public.search_device_patches(text) to authenticated;
