import { type Kysely, sql } from 'kysely'

// For use inside the queue: these run on lite's connection, like its own queries.

export async function clearSession(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`delete from auth.sessions where id = ${sessionId}`.execute(kysely)
}

export const RECOVERY = 'recovery'
/** Has set its password, and needs the current one to set another. */
const SPENT = 'recovery-spent'

/** Kept in the database, so that a restart between link and new password changes nothing. */
export async function markRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`update auth.sessions set tag = ${RECOVERY} where id = ${sessionId}`.execute(kysely)
}

/** Takes the one change of password that a mailed link is good for; false when another request has taken it. */
export async function takeRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<boolean> {
  const { rows } = await sql`
    update auth.sessions set tag = ${SPENT} where id = ${sessionId} and tag = ${RECOVERY} returning id`.execute(
    kysely,
  )
  return rows.length > 0
}

/** Gives it back after a password that was refused. */
export async function releaseRecovery(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`update auth.sessions set tag = ${RECOVERY} where id = ${sessionId} and tag = ${SPENT}`.execute(
    kysely,
  )
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
 * A user who forgot a password does not know who else has it: after a reset nobody stays signed in. The page that did
 * the reset gets half a minute, in which to sign itself out rather than run into errors.
 */
export async function endRecoverySession(kysely: Kysely<unknown>, sessionId: string): Promise<void> {
  await sql`
    update auth.sessions set not_after = now() + interval '30 seconds'
    where id = ${sessionId}`.execute(kysely)
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
