/** A message of the Phoenix protocol, in whichever of its two encodings the client speaks. */
export interface Frame {
  joinRef: string | null
  ref: string | null
  topic: string
  event: string
  payload: unknown
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Null for anything that is not a frame; never throws, whatever was sent. */
export function parseFrame(raw: string, vsn2: boolean): Frame | null {
  let message: unknown
  try {
    message = JSON.parse(raw)
  } catch {
    return null
  }
  const fields = vsn2
    ? Array.isArray(message)
      ? message
      : []
    : typeof message === 'object' && message !== null
      ? (['join_ref', 'ref', 'topic', 'event', 'payload'] as const).map(
          (key) => (message as Record<string, unknown>)[key],
        )
      : []
  const [joinRef, ref, topic, event, payload] = fields
  if (typeof topic !== 'string' || typeof event !== 'string' || topic.length > 255) return null
  return { joinRef: text(joinRef), ref: text(ref), topic, event, payload }
}

/** The kind and the encoding of the only binary frame that clients send, a broadcast with a JSON payload. */
const [PUSH_KIND, JSON_ENCODING, PUSH_HEADER] = [3, 1, 7]

/**
 * A broadcast as supabase-js writes it since version 2 of the protocol: a header of lengths, then join_ref, ref, topic, event
 * and metadata, then the payload. Null for any other bytes; never throws.
 */
export function parseBinaryFrame(bytes: Buffer): Frame | null {
  const [kind, joinLength, refLength, topicLength, eventLength, metaLength, encoding] = bytes.subarray(
    0,
    PUSH_HEADER,
  )
  if (kind !== PUSH_KIND || encoding !== JSON_ENCODING) return null
  let at = PUSH_HEADER
  const read = (length = 0): string => {
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  const [joinRef, ref, topic, event] = [
    read(joinLength),
    read(refLength),
    read(topicLength),
    read(eventLength),
  ]
  read(metaLength)
  try {
    const payload: unknown = JSON.parse(bytes.toString('utf8', at))
    return {
      joinRef: joinRef || null,
      ref: ref || null,
      topic,
      event: 'broadcast',
      payload: { type: 'broadcast', event, payload },
    }
  } catch {
    return null
  }
}

export function writeFrame({ joinRef, ref, topic, event, payload }: Frame, vsn2: boolean): string {
  return JSON.stringify(
    vsn2 ? [joinRef, ref, topic, event, payload] : { join_ref: joinRef, ref, topic, event, payload },
  )
}

export function field(payload: unknown, key: string): unknown {
  return typeof payload === 'object' && payload !== null
    ? (payload as Record<string, unknown>)[key]
    : undefined
}
