import type { Database } from './database/database'
import { isDatabaseError } from './database/errors.mjs'
import { StartError } from './start-error'

/** Owns the schema as the `postgres` role does on hosted Supabase: no superuser, not bound by row-level security. */
export const OWNER = 'konsol_owner'

// Before PostgreSQL 16 only a superuser makes roles that bypass row-level security. Without it the secret key reads
// what its policies let it, and nothing of the console depends on that.
const ROLES = `
do $$ begin
  if not exists (select from pg_roles where rolname = 'anon') then create role anon nologin noinherit; end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then create role authenticated nologin noinherit; end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    begin
      create role service_role nologin noinherit bypassrls;
    exception when insufficient_privilege then
      create role service_role nologin noinherit;
    end;
  end if;
end $$;`

const OWNER_ROLE = `
do $$ begin
  if not exists (select from pg_roles where rolname = '${OWNER}') then create role ${OWNER} nologin bypassrls; end if;
  execute format('grant create, connect, temporary on database %I to ${OWNER}', current_database());
end $$;
grant usage, create on schema public to ${OWNER};
create schema if not exists extensions authorization ${OWNER};
grant usage on schema auth to ${OWNER};
grant all on all tables in schema auth to ${OWNER};
grant all on all routines in schema auth to ${OWNER};
grant usage, create on schema supabase_migrations to ${OWNER};
grant all on all tables in schema supabase_migrations to ${OWNER};`

// Requests change into these roles.
const MEMBERSHIP = `
do $$ declare role text; begin
  foreach role in array array['anon', 'authenticated', 'service_role'] loop
    if not pg_has_role(current_user, role, 'member') then execute format('grant %I to current_user', role); end if;
  end loop;
end $$;`

// The grants are those of hosted Supabase, without default privileges, so that every object states its own.
const GRANTS = `
create schema if not exists extensions;
create extension if not exists pgcrypto with schema extensions;
grant usage on schema public, extensions, auth to anon, authenticated, service_role;
revoke create on schema public from public;`

/**
 * The tables of Supabase Storage as hosted projects have them, as far as policies, `/storage/v1` and our functions read
 * them. Nobody without a session gets a grant, and a table without a policy lets nobody in.
 */
const STORAGE = `
create schema if not exists storage;
create table if not exists storage.buckets (
  id text primary key, name text not null unique, owner uuid, owner_id text, public boolean default false,
  avif_autodetection boolean default false, file_size_limit bigint, allowed_mime_types text[],
  created_at timestamptz default now(), updated_at timestamptz default now()
);
create table if not exists storage.objects (
  id uuid default gen_random_uuid() primary key, bucket_id text references storage.buckets (id), name text,
  owner uuid, owner_id text, metadata jsonb, user_metadata jsonb, version text,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  created_at timestamptz default now(), updated_at timestamptz default now(), last_accessed_at timestamptz default now()
);
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant usage on schema storage to authenticated, service_role;
grant select on storage.buckets to authenticated, service_role;
grant select, insert, update, delete on storage.objects to authenticated, service_role;`

/** Migrations make policies on its tables, which only an owner may. */
const STORAGE_OWNER = `
alter schema storage owner to ${OWNER};
alter table storage.buckets owner to ${OWNER};
alter table storage.objects owner to ${OWNER};`

/**
 * Roles, the grants of the `auth` schema and its tables, before any migration runs. Migrations never make these:
 * on hosted Supabase they exist already.
 */
export async function bootstrap(database: Database): Promise<void> {
  const [user] = await database.query<{ superuser: boolean }>(
    `select rolsuper as superuser from pg_roles where rolname = current_user`,
  )
  try {
    await database.script(ROLES)
    if (user?.superuser) {
      await database.script(OWNER_ROLE)
      database.owner = OWNER
    } else {
      await database.script(`create schema if not exists extensions`)
      await database.script(MEMBERSHIP)
    }
    await database.script(GRANTS, null)
    await database.script(STORAGE, null)
    if (user?.superuser) await database.script(STORAGE_OWNER, null)
  } catch (error) {
    if (isDatabaseError(error) && error.code === '42501')
      throw new StartError(
        `The user of DATABASE_URL may not prepare the database (${error.message}). ` +
          'It must be a superuser, or have CREATEROLE and own the database.',
      )
    throw error
  }
}
