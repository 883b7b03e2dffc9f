export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'
}

/** What the console sends and keeps is nested by a dozen levels at most. */
const MOST_LEVELS = 64

const LEVELS: Readonly<Record<number, 1 | -1>> = {
  40: 1, // (
  91: 1, // [
  123: 1, // {
  41: -1, // )
  93: -1, // ]
  125: -1, // }
}

/**
 * Whether brackets outside of quotes go deeper than anybody needs. Some recursions of PGlite end in the stack of
 * this process, after which it answers nobody any more: what is nested by the thousand must not come so far.
 */
export function isTooDeep(text: Uint8Array): boolean {
  let levels = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === 0x22) isQuoted = !isQuoted
    else if (isQuoted) {
      if (byte === 0x5c) at++
    } else {
      levels += LEVELS[byte] ?? 0
      if (levels > MOST_LEVELS) return true
    }
  }
  return false
}

/**
 * The whole body, before the request enters the queue: a client that sends slowly must not hold up everybody else.
 * @throws BodyTooLarge beyond `limit` bytes, without reading the rest.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!request.body) return null
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw new BodyTooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limit) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

export function parseJson(body: Uint8Array | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body ?? new Uint8Array()))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
