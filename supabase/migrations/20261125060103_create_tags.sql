-- Tags of a company.

create table public.tags (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 40),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.tags is 'Tags of a company.';
create index tags_company_name_key_idx on public.tags (company_id, name_key, id);
create index tags_name_key_idx on public.tags (name_key, id);
create index tags_company_created_at_idx on public.tags (company_id, created_at, id);
create index tags_created_at_idx on public.tags (created_at, id);

select app.keep_tenant('public.tags');
select app.keep_audit('public.tags');
select app.keep_announced('public.tags');
select app.keep_search('public.tags');

revoke all on public.tags from public, anon, authenticated;
grant select, delete,
  insert (company_id, name),
  update (name)
  on public.tags to authenticated;
grant select, insert, update, delete on public.tags to service_role;

alter table public.tags enable row level security;
create policy tags_select_member on public.tags for select to authenticated
  using ((select app.can('tags', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_insert_member on public.tags for insert to authenticated
  with check ((select app.can('tags', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_update_member on public.tags for update to authenticated
  using ((select app.can('tags', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('tags', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy tags_delete_member on public.tags for delete to authenticated
  using ((select app.can('tags', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create unique index tags_name_key on public.tags (company_id, app.unique_key(name));
