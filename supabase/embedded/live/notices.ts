import type { Database } from '../database/database'

/** The channel that `app.announce()` uses where Supabase Realtime is absent. */
export const LIVE_CHANNEL = 'konsol_live'
/** Access rights to topics have changed. */
export const ACCESS_CHANNEL = 'konsol_access'

const WATCHED = [
  ['public.user_roles', 'insert or update or delete'],
  ['app.policy_rule', 'insert or update or delete'],
  ['auth.sessions', 'delete'],
  ['auth.users', 'update of banned_until, deleted_at or delete'],
] as const

/**
 * Tells this server when a session ends or a role or its permissions change, by whichever way. Local to it, hence outside the
 * migrations: on hosted Supabase, Realtime asks the policies of `realtime.messages` itself.
 */
export async function watchAccess(database: Database): Promise<void> {
  await database.script(`
    create schema if not exists konsol_local;
    create or replace function konsol_local.access_changed() returns trigger language plpgsql
      set search_path = '' as $$ begin perform pg_catalog.pg_notify('${ACCESS_CHANNEL}', ''); return null; end $$;
    do $$ begin
      ${WATCHED.map(
        ([table, events]) => `
      if to_regclass('${table}') is not null then
        create or replace trigger zz_konsol_access after ${events} on ${table}
          for each statement execute function konsol_local.access_changed();
      end if;`,
      ).join('')}
    end $$;`)
}
