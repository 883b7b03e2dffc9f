/** A live message follows its write within this time, even on a slow line. */
const ECHO_MS = 1500

let running = 0
let lastEnd = Number.NEGATIVE_INFINITY

/** Functions that only read, besides `search_…`. They use POST because of the size of their arguments. */
export const READING_FUNCTIONS: ReadonlySet<string> = new Set([
  'agent_versions',
  'dashboard',
  'device_timeline',
  'facet_counts',
  'find_records',
  'matching_ids',
  'my_list_settings',
  'my_policy',
  'record_activity',
  'record_titles',
])

/** Only what may change rows. */
export function isWrite(url: string, method: string): boolean {
  if (!url.includes('/rest/v1/') || method === 'GET' || method === 'HEAD') return false
  const name = /\/rest\/v1\/rpc\/(\w+)/.exec(url)?.[1]
  return name === undefined || !(name.startsWith('search_') || READING_FUNCTIONS.has(name))
}

/** The client's `fetch`, which records the page's own writes. */
export const trackedFetch: typeof fetch = async (input, init) => {
  const request = input instanceof Request ? input : null
  const url = request?.url ?? String(input)
  if (!isWrite(url, (init?.method ?? request?.method ?? 'GET').toUpperCase())) return fetch(input, init)
  running++
  try {
    return await fetch(input, init)
  } finally {
    running--
    lastEnd = performance.now()
  }
}

/** Whether a change announced now is, or may be, the echo of this page's own write. */
export function isOwnEcho(): boolean {
  return running > 0 || performance.now() - lastEnd < ECHO_MS
}
