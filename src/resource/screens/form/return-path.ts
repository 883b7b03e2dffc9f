/**
 * Where a list sent its visitor from: the path with search, page and filters. Only a path of this console is
 * taken; the state of a history entry outlives releases.
 */
export function returnPath(state: unknown, fallback: string): string {
  const from: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'from') : undefined
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : fallback
}

/** The return address for the next page; none when that page is the one to return to. */
export function keptReturn(state: unknown, path: string): { from: string } | null {
  const from = returnPath(state, '')
  return from === '' || from.split('?')[0] === path ? null : { from }
}
