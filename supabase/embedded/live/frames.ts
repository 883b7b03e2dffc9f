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
