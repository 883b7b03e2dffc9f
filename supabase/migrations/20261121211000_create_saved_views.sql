-- What people keep of the lists they work in: saved views, and columns and density by list.
-- Own views and preferences are a person's, not company data: they ask no line and stay writable when a licence
-- has ended. A view shared with a role or a company belongs to the company, and sharing is a permission.

create table public.saved_views (
  id uuid default gen_random_uuid() primary key,
  -- Of shared views only: one's own follow their owner to another company, and a Super Admin has none.
  company_id uuid references public.companies (id) on delete cascade,
  owner uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  name text not null check (length(btrim(name)) between 1 and 80 and length(name) <= 80),
  scope text not null default 'mine' check (scope in ('mine', 'role', 'company')),
  role text check (role in ('Admin', 'Teknik', 'Standard')),
  state jsonb not null default '{}' check (jsonb_typeof(state) = 'object' and octet_length(state::text) <= 8192),
  is_default boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint saved_views_shared check ((scope = 'mine') = (company_id is null) and (scope = 'role') = (role is not null))
);
comment on table public.saved_views is
  'Lists as somebody wants to find them again. state.query is the list''s own URL query with columns; the console checks it against the definition when it reads it.';
comment on column public.saved_views.is_default is 'What the list opens with: one a person, one a role of a company, one a company.';
create index saved_views_owner_idx on public.saved_views (owner, resource);
create index saved_views_company_idx on public.saved_views (company_id, resource);
create unique index saved_views_default_mine_idx on public.saved_views (owner, resource) where is_default and scope = 'mine';
create unique index saved_views_default_role_idx on public.saved_views (company_id, role, resource) where is_default and scope = 'role';
create unique index saved_views_default_company_idx on public.saved_views (company_id, resource) where is_default and scope = 'company';

create table public.list_preferences (
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  -- Null is the definition's own.
  columns jsonb check (jsonb_typeof(columns) = 'array' and octet_length(columns::text) <= 8192),
  density text not null default 'comfortable' check (density in ('comfortable', 'compact')),
  updated_at timestamptz not null default now(),
  primary key (user_id, resource)
);
comment on table public.list_preferences is
  'How a person likes a list: columns is [{field, width?}] in their order, checked against the definition when read.';

create function app.require_share() returns trigger
  language plpgsql security invoker set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require('saved_views', 'share');
  end if;
  return new;
end $$;
comment on function app.require_share() is
  'Row trigger on shared views: answers 42501 with its reason, where the policy alone would give none.';

create function app.replace_default_view() returns trigger
  language plpgsql
  -- definer: the default that makes room may be a colleague's view for a role that the caller does not hold. If the
  -- caller may not write this row, its policy refuses the statement, and what happened here is undone with it.
  security definer set search_path = '' as $$
begin
  update public.saved_views v set is_default = false
  where v.is_default and v.id <> new.id and v.resource = new.resource and v.scope = new.scope
    and case new.scope
      when 'mine' then v.owner = new.owner
      when 'role' then v.company_id = new.company_id and v.role = new.role
      else v.company_id = new.company_id
    end;
  return new;
end $$;
comment on function app.replace_default_view() is 'Row trigger: a new default takes the place of the old one of the same circle.';
revoke execute on function app.require_share(), app.replace_default_view() from public, anon, authenticated;

create trigger saved_views_touch before update on public.saved_views for each row execute function app.touch();
create trigger saved_views_share before insert or update on public.saved_views for each row
  when (new.scope <> 'mine') execute function app.require_share();
create trigger saved_views_z_default before insert or update on public.saved_views for each row
  when (new.is_default) execute function app.replace_default_view();
create trigger list_preferences_touch before update on public.list_preferences for each row execute function app.touch_time();

create function public.my_list_settings() returns jsonb
  language sql stable security invoker set search_path = '' as $$
  select jsonb_build_object(
    'preferences', (
      select coalesce(jsonb_agg(jsonb_build_object('resource', p.resource, 'columns', p.columns, 'density', p.density)), '[]')
      from public.list_preferences p
    ),
    'views', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', v.id, 'resource', v.resource, 'name', v.name, 'scope', v.scope, 'role', v.role, 'state', v.state,
        'is_default', v.is_default, 'version', v.version, 'is_mine', v.owner = (select app.current_user_id())
      ) order by v.name, v.id), '[]')
      from public.saved_views v
    )
  )
$$;
comment on function public.my_list_settings() is
  'Columns, density and saved views of every list of the caller, in one round trip: {preferences: [], views: []}.';
revoke execute on function public.my_list_settings() from public, anon;
grant execute on function public.my_list_settings() to authenticated;

revoke all on public.saved_views, public.list_preferences from public, anon, authenticated;
grant select, delete on public.saved_views to authenticated;
grant insert (company_id, resource, name, scope, role, state, is_default),
  update (company_id, name, scope, role, state, is_default) on public.saved_views to authenticated;
grant select, delete on public.list_preferences to authenticated;
-- resource is among the updated ones because an upsert names its key again.
grant insert (resource, columns, density), update (resource, columns, density) on public.list_preferences to authenticated;
grant select, insert, update, delete on public.saved_views, public.list_preferences to service_role;

alter table public.saved_views enable row level security;
create policy saved_views_select_member on public.saved_views for select to authenticated
  using (
    (owner = (select app.current_user_id()) and (scope = 'mine' or (select app.sees_all())))
    or (company_id = (select app.own_company()) and (
      owner = (select app.current_user_id())
      or scope = 'company'
      or role = any ((select app.my_roles())::text[])
    ))
  );
create policy saved_views_insert_owner on public.saved_views for insert to authenticated
  with check (owner = (select app.current_user_id()) and (scope = 'mine' or (
    (select app.can('saved_views', 'share')) and ((select app.sees_all()) or company_id = (select app.own_company())))));
-- Whoever may share keeps the company's views in order, also when their owner has left.
create policy saved_views_update_sharer on public.saved_views for update to authenticated
  using (owner = (select app.current_user_id())
    or ((select app.can('saved_views', 'share')) and company_id = (select app.own_company())))
  with check ((owner = (select app.current_user_id()) and scope = 'mine') or (
    (select app.can('saved_views', 'share')) and ((select app.sees_all()) or company_id = (select app.own_company()))));
create policy saved_views_delete_sharer on public.saved_views for delete to authenticated
  using (owner = (select app.current_user_id())
    or ((select app.can('saved_views', 'share')) and company_id = (select app.own_company())));

alter table public.list_preferences enable row level security;
create policy list_preferences_select_self on public.list_preferences for select to authenticated
  using (user_id = (select app.current_user_id()));
create policy list_preferences_insert_self on public.list_preferences for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy list_preferences_update_self on public.list_preferences for update to authenticated
  using (user_id = (select app.current_user_id()))
  with check (user_id = (select app.current_user_id()));
create policy list_preferences_delete_self on public.list_preferences for delete to authenticated
  using (user_id = (select app.current_user_id()));
