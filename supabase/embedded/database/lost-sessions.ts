import type { createPostgresConnection } from '@supabase/lite/postgres'

type Driver = ReturnType<typeof createPostgresConnection>['driver']

/** A session that the server ended, or whose connection broke: nothing more can be asked in it. */
function isEnd(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string }
  return severity === 'FATAL' || /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/.test(code ?? '')
}

/**
 * The driver writes a rollback to the closed socket of a session that ended within its transaction, and that error
 * escapes every catch and ends the process (porsager/postgres#1208). So what comes after the end is refused here, and
 * the session is not given back: the driver has taken it out of its pool by itself.
 */
export function refuseEndedSessions(driver: Driver): void {
  const reserve = driver.reserve.bind(driver)
  driver.reserve = async () => {
    const session = await reserve()
    const ask = session.unsafe.bind(session)
    const release = session.release.bind(session)
    let end: unknown
    const unsafe = (...given: Parameters<typeof ask>) => {
      if (end !== undefined) return Promise.reject(end)
      const asked = ask(...given)
      // Heard before whoever waits for the answer: the rollback is theirs.
      asked.catch((error: unknown) => {
        if (isEnd(error)) end = error
      })
      return asked
    }
    return Object.assign(session, {
      unsafe,
      release: () => {
        if (end === undefined) release()
      },
    })
  }
}
