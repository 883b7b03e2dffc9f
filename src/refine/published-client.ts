import type { SupabaseClient } from '@supabase/supabase-js'

interface Answer {
  error: object | null
  status: number
}

function withStatus(answer: Answer): Answer {
  if (answer.error) Object.assign(answer.error, { status: answer.status })
  return answer
}

/** The query, with the HTTP status in its error. Its methods give the query again, or a further one. */
function tellStatus<Query extends object>(query: Query): Query {
  return new Proxy(query, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      if (name === 'then')
        return (done: (answer: Answer) => unknown, failed: unknown) =>
          own.call(target, (answer: Answer) => done(withStatus(answer)), failed)
      return (...given: unknown[]) => {
        const next: unknown = own.apply(target, given)
        return typeof next === 'object' && next !== null ? tellStatus(next) : next
      }
    },
  })
}

/**
 * The client for the published data provider, which passes an error on without its HTTP status. Without the status, an
 * ended session (401) looks like a role that may not, and a busy server (429) or a dead one (502) like any failure.
 */
export const publishedClient = (client: SupabaseClient): SupabaseClient =>
  ({ from: (table: string) => tellStatus(client.from(table)) }) as SupabaseClient
