import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * A hosted Supabase project before the first migration, as far as migrations can see it: the roles, an owner
 * without superuser, the grants that projects from before November 2026 give by default, and the schemas of the auth
 * server, Realtime and pg_net.
 */
const PROJECT = `
create role project_owner login createrole createdb bypassrls password 'project';
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role supabase_auth_admin nologin;
create role supabase_realtime_admin nologin;
grant anon, authenticated, service_role, supabase_realtime_admin to project_owner with admin option;
do $$ begin execute format('alter database %I owner to project_owner', current_database()); end $$;
create schema extensions authorization project_owner;
create extension pgcrypto with schema extensions;
grant usage on schema public, extensions to anon, authenticated, service_role;
alter default privileges for role project_owner in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role project_owner in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role project_owner in schema public grant all on functions to anon, authenticated, service_role;

create schema auth;
create table auth.users (
  instance_id uuid, id uuid primary key, aud varchar(255), role varchar(255), email varchar(255), encrypted_password varchar(255),
  email_confirmed_at timestamptz, invited_at timestamptz, confirmation_token varchar(255), confirmation_sent_at timestamptz,
  recovery_token varchar(255), recovery_sent_at timestamptz, email_change_token_new varchar(255), email_change varchar(255),
  email_change_sent_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
  is_super_admin boolean, created_at timestamptz, updated_at timestamptz, phone text unique, banned_until timestamptz,
  is_sso_user boolean not null default false, deleted_at timestamptz, is_anonymous boolean not null default false
);
create table auth.sessions (
  id uuid primary key, user_id uuid not null references auth.users on delete cascade, created_at timestamptz,
  updated_at timestamptz, not_after timestamptz, user_agent text, ip inet
);
create table auth.identities (
  id uuid primary key default gen_random_uuid(), provider_id text not null, provider text not null,
  user_id uuid not null references auth.users on delete cascade, identity_data jsonb not null,
  last_sign_in_at timestamptz, created_at timestamptz, updated_at timestamptz, unique (provider_id, provider)
);
create function auth.jwt() returns jsonb language sql stable as
  $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
create function auth.uid() returns uuid language sql stable as $$ select (auth.jwt() ->> 'sub')::uuid $$;
alter table auth.users owner to supabase_auth_admin;
alter table auth.sessions owner to supabase_auth_admin;
alter table auth.identities owner to supabase_auth_admin;
grant usage on schema auth to anon, authenticated, service_role, project_owner, supabase_auth_admin;
grant all on all tables in schema auth to project_owner;

create schema realtime authorization supabase_realtime_admin;
create table realtime.messages (topic text not null, extension text not null, payload jsonb, event text, private boolean);
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;
create function realtime.topic() returns text language sql stable as $$ select current_setting('realtime.topic', true) $$;
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
  language sql as $$ insert into realtime.messages values (topic, 'broadcast', payload, event, private) $$;
grant usage on schema realtime to anon, authenticated, service_role, project_owner;

-- On a real project the owner may make policies here without owning the tables.
create schema storage authorization project_owner;
create table storage.buckets (
  id text primary key, name text not null unique, owner uuid, owner_id text, public boolean default false,
  file_size_limit bigint, allowed_mime_types text[], created_at timestamptz default now(), updated_at timestamptz default now()
);
create table storage.objects (
  id uuid primary key default gen_random_uuid(), bucket_id text references storage.buckets, name text, owner uuid, owner_id text,
  metadata jsonb, user_metadata jsonb, version text,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  created_at timestamptz default now(), updated_at timestamptz default now(), last_accessed_at timestamptz default now()
);
alter table storage.buckets owner to project_owner;
alter table storage.objects owner to project_owner;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant usage on schema storage to anon, authenticated, service_role;
grant all on all tables in schema storage to anon, authenticated, service_role;

create schema net;
create function net.http_post(url text, body jsonb, params jsonb, headers jsonb, timeout_milliseconds integer)
  returns bigint language sql as $$ select 1::bigint $$;
grant usage on schema net to project_owner;
do $$ begin
  if exists (select from pg_available_extensions where name = 'plpgsql_check') then create extension plpgsql_check; end if;
end $$;`

/** Turns an empty PostgreSQL into one that is prepared like a hosted project; the URL is that of its owner. */
export async function prepareHosted(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(PROJECT)
  } finally {
    await sql.end()
  }
  const owner = new URL(url)
  owner.username = 'project_owner'
  owner.password = 'project'
  return owner.href
}

/** The Supabase CLI: 135 MB, so no dependency of everybody; `npm i --no-save supabase` or `SUPABASE_CLI` adds it. */
function findCli(): string | undefined {
  const places = [
    process.env.SUPABASE_CLI,
    ...[join(ROOT, 'node_modules/.bin'), ...(process.env.PATH ?? '').split(delimiter)].map((place) =>
      join(place, 'supabase'),
    ),
  ]
  return places.find((place) => place !== undefined && existsSync(place))
}

const OLDEST_CLI = 3

/** Why the Supabase CLI is left out here, or null when it can run. */
export function whyNoCli(): string | null {
  const cli = findCli()
  if (!cli) return 'no Supabase CLI was found (npm i --no-save supabase, or SUPABASE_CLI)'
  const version = execFileSync(cli, ['--version'], { encoding: 'utf8' }).trim()
  return Number.parseInt(version, 10) < OLDEST_CLI ? `the Supabase CLI ${version} is too old` : null
}

/** Runs the CLI on a copy of `supabase/` against a database, and returns what it printed, also when it fails. */
export async function supabase(url: string, args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'konsol-supabase-'))
  try {
    for (const path of ['config.toml', 'migrations', 'templates'])
      cpSync(join(ROOT, 'supabase', path), join(folder, 'supabase', path), { recursive: true })
    const { stdout, stderr } = await promisify(execFile)(
      findCli() ?? 'supabase',
      [...args, `--remote=${url}?sslmode=disable`, '--workdir', folder, '--yes'],
      {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
      },
    ).catch((error: { stdout: string; stderr: string }) => error)
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
