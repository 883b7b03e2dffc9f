import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs one task at a time; a task that throws does not stop the next. */
export type Exclusive = <T>(task: () => Promise<T>) => Promise<T>

const requester = new AsyncLocalStorage<string>()

/** Queues the work's tasks under an account or address; without one, tasks are the server's own. */
export const onBehalfOf = <T>(name: string, work: () => T): T => requester.run(name, work)

/**
 * PGlite is one session without a transaction mutex: two requests whose statements interleave end up in each
 * other's transaction and role. Whatever touches the database therefore goes through one queue. The server's tasks
 * come first; then each account or address in turn gets one, so that nobody waits for all the requests of another.
 */
export function createQueue(): Exclusive {
  const ofServer: (() => Promise<void>)[] = []
  /** In the order of their turns; an entry is never empty. */
  const byRequester = new Map<string, (() => Promise<void>)[]>()
  let isRunning = false

  function next(): (() => Promise<void>) | undefined {
    const own = ofServer.shift()
    if (own) return own
    for (const [name, tasks] of byRequester) {
      byRequester.delete(name)
      const task = tasks.shift()
      if (tasks.length > 0) byRequester.set(name, tasks)
      return task
    }
    return undefined
  }

  async function run(): Promise<void> {
    isRunning = true
    for (let task = next(); task; task = next()) await task()
    isRunning = false
  }

  return <T>(task: () => Promise<T>) => {
    const name = requester.getStore()
    const tasks = name === undefined ? ofServer : (byRequester.get(name) ?? [])
    const result = new Promise<T>((resolve, reject) => {
      // Whoever runs the queue may be of another request: the task keeps the context that it came in.
      tasks.push(
        AsyncLocalStorage.bind(async () => {
          try {
            resolve(await task())
          } catch (error) {
            reject(error)
          }
        }),
      )
    })
    if (name !== undefined) byRequester.set(name, tasks)
    if (!isRunning) void run()
    return result
  }
}

/** PostgreSQL brings its own pool of sessions. */
export const concurrent: Exclusive = (task) => task()
