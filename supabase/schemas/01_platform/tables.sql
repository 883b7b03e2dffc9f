-- Platform: schemas, default privileges, text keys, row triggers, the audit log, live messages and search.

-- A function may name what a later file makes.
set check_function_bodies = off;

alter default privileges revoke execute on functions from public;

-- Hosted projects created before November 2026 grant the API roles everything in public by default.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;

alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;

alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

create schema if not exists extensions;

create extension if not exists pg_trgm with schema extensions;

create schema if not exists app;

comment on schema app is 'Private helpers and secrets. Never exposed by the API; row-level security calls into it.';

-- pgcrypto hashes passwords where accounts are created from SQL. It is optional: the console runs without it.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pgcrypto')
     and not exists (select 1 from pg_catalog.pg_extension where extname = 'pgcrypto') then
    create extension pgcrypto with schema extensions;
  end if;
exception when insufficient_privilege then
  raise notice 'pgcrypto could not be installed: %', sqlerrm;
end $$;

revoke all on schema app from public;

grant usage on schema app to anon, authenticated, service_role;

grant usage on schema public to anon, authenticated, service_role;

-- Standard SQL bodies bind their names when the function is created, so no search_path can change what they mean.
create function app.fold(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.lower(pg_catalog.translate(
    pg_catalog.regexp_replace(normalize(t, NFKD), '[\u0300-\u036f]+', '', 'g'), 'ıI', 'ii'));
comment on function app.fold(text) is
  'Search key: case and accents fall away and ı, I, İ, i all meet, so that isik finds ışık and IŞIK.';
grant execute on function app.fold(text) to anon, authenticated, service_role;

create function app.sort_key(t text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A letter that Turkish sorts separately becomes the letter before it plus "~", which sorts after every letter and digit.
    pg_catalog.regexp_replace(normalize(
      pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(
        pg_catalog.lower(pg_catalog.translate(normalize(pg_catalog."left"(t, 200), NFC), 'IİÇĞÖŞÜ', 'ıiçğöşü')),
        'ç', 'c~'), 'ğ', 'g~'), 'ı', 'h~'), 'ö', 'o~'), 'ş', 's~'), 'ü', 'u~'),
      NFKD), '[\u0300-\u036f]+', '', 'g'),
    '(?<!\d)(\d{1,7})(?!\d)', '0000000\1', 'g'), '(?<!\d)0+(\d{8})(?!\d)', '\1', 'g');
comment on function app.sort_key(text) is
  'Sort key in Turkish order whatever the database''s collation (the embedded one has C), and PC-2 before PC-10.';
grant execute on function app.sort_key(text) to anon, authenticated, service_role;

create function app.request_origin() returns text
  language plpgsql stable set search_path = '' as $$
declare
  origin text := nullif(current_setting('request.headers', true), '')::json ->> 'x-origin-id';
begin
  -- A request that has no user is an agent's or a stranger's.
  if origin ~ '^[0-9a-f]{32}$' and auth.uid() is not null then
    return origin;
  end if;
  return null;
end $$;
comment on function app.request_origin() is
  'The x-origin-id header of the current request: a random id of the page load that sent it, 32 hexadecimal digits. Null '
  'without a signed-in user, outside a request, and for any other form. It identifies a page to itself and grants nothing.';

create function app.is_timezone(t text) returns boolean
  language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return (timestamptz 'epoch' at time zone t) is not null;
exception when invalid_parameter_value then
  return false;
end $$;
comment on function app.is_timezone(text) is 'Whether PostgreSQL knows the time zone, for check constraints.';
grant execute on function app.is_timezone(text) to anon, authenticated, service_role;

create function app.unique_key(t text) returns text
  language sql immutable strict parallel safe
  return (
    select case when pg_catalog.octet_length(k.key) > 600 then pg_catalog.left(k.key, 100) || pg_catalog.md5(k.key) else k.key end
    from (select pg_catalog.replace(
      pg_catalog.lower(pg_catalog.translate(normalize(pg_catalog.btrim(t, E' \t\n\r\u00a0'), NFD), 'Iı', 'ii') collate pg_catalog."C"),
      E'i\u0307', 'i') as key) k);
comment on function app.unique_key(text) is
  'What a unique text is compared by, whatever the database''s collation: without spaces around it, upper and lower case of Latin '
  'letters alike, I, İ, ı and i one letter, however an accent is composed. Accents count. Of a long text, its beginning and a hash: an index takes no more.';
grant execute on function app.unique_key(text) to anon, authenticated, service_role;

create table public.audit_log (
  id uuid default gen_random_uuid() primary key,
  company_id uuid,
  actor_id uuid,
  actor_email text,
  table_name text not null,
  row_id uuid not null,
  action text not null check (action in ('create', 'edit', 'delete', 'trash', 'restore')),
  changes jsonb not null default '{}',
  at timestamptz not null default now(),
  row_name text check (length(row_name) <= 200),
  device_id uuid generated always as (
  case when table_name in ('group_devices', 'patch_exceptions')
    then coalesce(changes -> 'device_id' ->> 1, changes -> 'device_id' ->> 0)::uuid end) stored,
  actor_name text
);
comment on table public.audit_log is
  'Who changed what: one row a changed record, written by triggers, never edited. Without foreign keys, because it '
  'outlives what it speaks of.';
comment on column public.audit_log.actor_name is 'The name of the actor when it was changed.';
comment on column public.audit_log.actor_email is
  'The address of the actor, which outlives the account. For the operator: whoever reads the log reads names, because addresses are for those who see users.';
comment on column public.audit_log.row_name is 'The record''s name when it was changed; null where it has none.';
comment on column public.audit_log.device_id is
  'The device that a link to a group or an exception for one device names: such a row is kept under the id of the other record.';

create index audit_log_company_id_at_idx on public.audit_log (company_id, at desc, id desc);
create index audit_log_at_idx on public.audit_log (at desc, id desc);
create index audit_log_row_idx on public.audit_log (company_id, table_name, row_id, at desc);
-- The history of one record, for its page.
create index audit_log_record_idx on public.audit_log (row_id, at desc, id desc);
create index audit_log_action_idx on public.audit_log (action, at, id);
create index audit_log_company_action_idx on public.audit_log (company_id, action, at, id);
-- Records of a list that are deleted have no row left that leads to their entries.
create index audit_log_deleted_idx on public.audit_log (company_id, table_name, at desc, id desc) where action = 'delete';
create index audit_log_device_idx on public.audit_log (device_id, at desc, id desc) where device_id is not null;
