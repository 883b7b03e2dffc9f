import { type Kysely, sql } from 'kysely'

// For use inside the queue: these run on lite's connection beside its own queries.

/** lite signs banned and deleted accounts in as any other. */
export async function isBanned(kysely: Kysely<unknown>, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from auth.users
    where id = ${userId} and (deleted_at is not null or banned_until > now())`.execute(kysely)
  return rows.length > 0
}

export async function clearSession(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`delete from auth.sessions where id = ${sessionId}`.execute(kysely)
}

const RECOVERY = 'recovery'

/** Kept in the database, so that a restart between link and new password changes nothing. */
export async function markRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`update auth.sessions set tag = ${RECOVERY} where id = ${sessionId}`.execute(kysely)
}

export async function isRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from auth.sessions where id = ${sessionId} and tag = ${RECOVERY}`.execute(kysely)
  return rows.length > 0
}

/** Refresh tokens go with their sessions. `except` stays signed in; null ends them all. */
export async function endUserSessions(
  kysely: Kysely<unknown>,
  userId: string,
  except: string | null,
): Promise<void> {
  await sql`
    delete from auth.sessions
    where user_id = ${userId} and (${except}::uuid is null or id <> ${except}::uuid)`.execute(kysely)
}
