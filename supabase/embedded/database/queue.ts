/** Runs one task after the other; a task that throws does not stop the next. */
export type Exclusive = <T>(task: () => Promise<T>) => Promise<T>

/**
 * PGlite is one session without a transaction mutex: two requests whose statements interleave end up in each
 * other's transaction and role. Whatever touches the database therefore goes through one queue.
 */
export function createQueue(): Exclusive {
  let tail: Promise<unknown> = Promise.resolve()
  return (task) => {
    const next = tail.then(task, task)
    tail = next.catch(() => undefined)
    return next
  }
}

/** PostgreSQL brings its own pool of sessions. */
export const concurrent: Exclusive = (task) => task()
