/**
 * Where a list sent its visitor from: the path with search, page and filters. Only a path of this console is
 * taken; the state of a history entry outlives releases.
 */
export function returnPath(state: unknown, fallback: string): string {
  const from: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'from') : undefined
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : fallback
}
