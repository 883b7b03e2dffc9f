import { randomUuid } from '@/data/random-uuid'

/**
 * Identifies this page load: 32 hexadecimal digits. The database copies it from the request that writes into the live
 * message about it (`app.request_origin()`), so that the page knows its own changes.
 */
export const PAGE_ORIGIN = randomUuid().replaceAll('-', '')

/** The client's `fetch`: requests that may write carry the origin. */
export const originFetch: typeof fetch = (input, init) => {
  const request = input instanceof Request ? input : null
  const method = init?.method ?? request?.method ?? 'GET'
  // The CORS settings of hosted GoTrue refuse unknown headers; those of PostgREST allow them.
  const isWrite = (request?.url ?? String(input)).includes('/rest/v1/') && !/^(GET|HEAD)$/i.test(method)
  if (!isWrite) return fetch(input, init)
  const headers = new Headers(init?.headers ?? request?.headers)
  headers.set('x-origin-id', PAGE_ORIGIN)
  return fetch(input, { ...init, headers })
}
