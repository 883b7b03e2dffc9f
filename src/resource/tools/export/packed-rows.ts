import type { Row } from '@/data/rows'

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_ROW, CLOSE_ROW] = [...'",[\\]{}'].map((sign) =>
  sign.charCodeAt(0),
)
const ROOM = 1024 * 1024
/** The number of rows parsed at once: each access to the bytes has a fixed cost. */
const BATCH = 32 * 1024
/** The smallest number of bytes read at once, where there are as many. */
const LEAST_ROOM = 64 * 1024

/** Where the elements of a JSON list are in its bytes; null for anything else, such as a truncated list. */
function elementsOf(bytes: Uint8Array): [from: number, to: number][] | null {
  const found: [number, number][] = []
  let depth = 0
  let from = -1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte <= 32) continue
    if (depth === 0) {
      if (byte !== OPEN_LIST || from >= 0) return null
      depth = 1
      from = at + 1
    } else if (byte === QUOTE) {
      // No JSON delimiter occurs inside a multi-byte character.
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === OPEN_LIST || byte === OPEN_ROW) depth++
    else if (depth === 1 && byte === COMMA) {
      found.push([from, at])
      from = at + 1
    } else if (byte === CLOSE_LIST || byte === CLOSE_ROW) {
      depth--
      if (depth === 0 && bytes.subarray(from, at).some((each) => each > 32)) found.push([from, at])
    }
  }
  return depth === 0 && from >= 0 ? found : null
}

/** Null where the browser cannot read a response into a given buffer. */
function fillingReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: 'byob' })
  } catch {
    return null
  }
}

/**
 * Keeps responses as bytes, in one reused buffer. The client gets positions, as rows of `at`; a row is parsed
 * when it is requested, with a few that follow it. A thousand parsed rows and their text take several times
 * the memory, for long enough that the browser grows its heap.
 */
export function packedRows() {
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(ROOM)
  let length = 0
  let places: [from: number, to: number][] = []
  let batch: { first: number; rows: Row[] } = { first: 0, rows: [] }
  const decoder = new TextDecoder()

  const makeRoom = (more: number) => {
    if (length + more <= bytes.length) return
    const wider = new Uint8Array(Math.max(bytes.length * 2, length + more))
    wider.set(bytes.subarray(0, length))
    bytes = wider
  }
  const clear = () => {
    length = 0
    places = []
    batch = { first: 0, rows: [] }
  }

  /** Into the existing buffer: buffers that the browser allocates per chunk are kept for long. */
  const fill = async (reader: ReadableStreamBYOBReader) => {
    for (;;) {
      makeRoom(LEAST_ROOM)
      const part = await reader.read(bytes.subarray(length))
      if (part.value) bytes = new Uint8Array(part.value.buffer)
      if (part.done) return
      length += part.value.length
    }
  }
  const append = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      makeRoom(part.value.length)
      bytes.set(part.value, length)
      length += part.value.length
    }
  }
  const take = async (body: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const reader = fillingReader(body)
    try {
      await (reader ? fill(reader) : append(body.getReader()))
    } catch (error) {
      // The buffer was transferred with the failed answer, and its contents with it.
      clear()
      bytes = new Uint8Array(ROOM)
      throw error
    }
  }

  const packed: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !response.body) return response
    const start = length
    await take(response.body)
    const answer = { status: response.status, headers: response.headers }
    const found = elementsOf(bytes.subarray(start, length))
    // Not rows: the caller handles it.
    if (!found) return new Response(bytes.slice(start, length), answer)
    const first = places.length
    for (const [from, to] of found) places.push([start + from, start + to])
    return new Response(JSON.stringify(found.map((_place, index) => ({ at: first + index }))), answer)
  }
  /** A row and those behind it in the same answer. */
  const parse = (first: number): Row[] => {
    const [from, end] = places[first] ?? [0, 0]
    let to = end
    for (let next = first + 1; to - from < BATCH && places[next]?.[0] === to + 1; next++)
      to = places[next]?.[1] ?? to
    return JSON.parse(`[${decoder.decode(bytes.subarray(from, to))}]`) as Row[]
  }
  return {
    fetch: packed,
    unpack: (place: Row): Row => {
      const at = Number(place.at)
      const known = batch.rows[at - batch.first]
      if (known) return known
      batch = { first: at, rows: parse(at) }
      const [row] = batch.rows
      if (!row) throw new RangeError('No such row')
      return row
    },
    /** The responses so far are no longer needed. */
    clear,
  }
}
