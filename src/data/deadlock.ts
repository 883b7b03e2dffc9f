const ATTEMPTS = 3
const WAIT_MS = 150

async function isDeadlock(response: Response): Promise<boolean> {
  if (response.ok) return false
  return response
    .clone()
    .json()
    .then(
      (body: { code?: unknown } | null) => body?.code === '40P01',
      () => false,
    )
}

/**
 * Wraps a `fetch`: a write that waited for another one, which waited for it, is repeated. Safe because the database has
 * rolled it back; the other one went on.
 */
export function deadlockFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(input, init)
      if (attempt === ATTEMPTS || !(await isDeadlock(response))) return response
      // A random wait lets one of two colliding writes go first, so that they do not collide again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * WAIT_MS * attempt))
      init?.signal?.throwIfAborted()
    }
  }
}
