import { type Kysely, sql } from 'kysely'

// For use inside the queue: these run on lite's connection, like its own queries.

export async function clearSession(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`delete from auth.sessions where id = ${sessionId}`.execute(kysely)
}

const RECOVERY = 'recovery'

/** Kept in the database, so that a restart between link and new password changes nothing. */
export async function markRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`update auth.sessions set tag = ${RECOVERY} where id = ${sessionId}`.execute(kysely)
}

/** Refresh tokens go with their sessions. */
export async function endOtherSessions(
  kysely: Kysely<unknown>,
  userId: string,
  sessionId: string,
): Promise<void> {
  await sql`delete from auth.sessions where user_id = ${userId} and id <> ${sessionId}`.execute(kysely)
}

/**
 * Who forgot a password does not know who else has it: after a reset nobody stays signed in. The page that did it is
 * left half a minute, in which to sign itself out rather than run into errors.
 */
export async function endRecoverySession(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`
    update auth.sessions set not_after = now() + interval '30 seconds'
    where id = ${sessionId} and tag = ${RECOVERY}`.execute(kysely)
}

/** Runs tasks of one key one after the other. */
export function createTurns(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const result = (last.get(key) ?? Promise.resolve()).then(task)
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
