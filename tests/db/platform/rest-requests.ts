import { afterAll, beforeAll } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'

export let backend: TestBackend
export const tokens = new Map<string, string>()

export interface Asked {
  as?: string
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** Sends a request to `/rest/v1`, signed in as a demo account or without a session. */
export async function ask(path: string, { as, method, body, headers }: Asked = {}) {
  const response = await fetch(`${backend.url}/rest/v1/${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      apikey: backend.publishableKey,
      ...(as ? { authorization: `Bearer ${tokens.get(as)}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

/** The demo data, and the tokens of four of its accounts. */
export function openRest(): void {
  beforeAll(async () => {
    backend = await testBackend()
    for (const email of ['admin@acme.test', 'admin@globex.test', 'standard@acme.test', 'super@demo.test']) {
      const { data } = await (await backend.client(email)).auth.getSession()
      tokens.set(email, data.session?.access_token ?? '')
    }
  })
  afterAll(() => backend?.stop())
}
