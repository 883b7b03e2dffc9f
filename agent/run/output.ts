/** The size of a run's output in the console, in bytes, note included. `app.capped_output` in SQL has the same. */
export const OUTPUT_LIMIT = 1_048_576
/** The first half, and the latest part, where the error usually is. */
const HEAD = 524_288
const NOTE_ROOM = 128
const TAIL = OUTPUT_LIMIT - HEAD - NOTE_ROOM
/** A cut moves to the next line break if there is one this near. */
const LINE_SEARCH = 4_096
const NEWLINE = 0x0a

const grouped = (value: number): string => value.toLocaleString('en-US')

/** The page reads the two figures from this line (`src/runs/output/output-text.ts`). */
const cutNote = (bytes: number, lines: number): string =>
  `… ${grouped(bytes)} bytes (${grouped(lines)} ${lines === 1 ? 'line' : 'lines'}) cut here …\n`

/** Collects UTF-8 text in bounded memory: all of it up to the limit, above that its beginning and its end. */
export class OutputBuffer {
  private readonly head: Buffer[] = []
  private headSize = 0
  private tail: Buffer[] = []
  private tailSize = 0
  private total = 0
  private lines = 0

  add(chunk: Buffer): void {
    this.total += chunk.length
    this.lines += newlines(chunk)
    const forHead = Math.min(chunk.length, HEAD - this.headSize)
    // Copies, because a slice would keep the whole chunk of an endless output alive.
    if (forHead > 0) {
      this.head.push(Buffer.from(chunk.subarray(0, forHead)))
      this.headSize += forHead
    }
    const rest = chunk.subarray(forHead)
    if (rest.length === 0) return
    this.tail.push(Buffer.from(rest))
    this.tailSize += rest.length
    if (this.tailSize > 2 * OUTPUT_LIMIT) {
      const kept = Buffer.from(Buffer.concat(this.tail).subarray(-OUTPUT_LIMIT))
      this.tail = [kept]
      this.tailSize = kept.length
    }
  }

  /** How many bytes were added so far. */
  get size(): number {
    return this.total
  }

  text(): { output: string; truncated: boolean } {
    const wholeHead = Buffer.concat(this.head)
    const wholeTail = Buffer.concat(this.tail)
    if (this.total <= OUTPUT_LIMIT)
      return { output: Buffer.concat([wholeHead, wholeTail]).toString(), truncated: false }
    const head = endAtLine(wholeHead)
    const tail = startAtLine(wholeTail.subarray(-TAIL))
    const note = cutNote(this.total - head.length - tail.length, this.lines - newlines(head) - newlines(tail))
    const gap = head.at(-1) === NEWLINE ? '' : '\n'
    return { output: `${head}${gap}${note}${tail}`, truncated: true }
  }
}

/** The beginning and end of a text, with the note between; for a server that takes less than the limit. */
export function shortened(output: string, bytes: number): string {
  const whole = Buffer.from(output)
  if (whole.length <= bytes) return output
  const half = Math.floor((bytes - NOTE_ROOM) / 2)
  const head = endAtLine(whole.subarray(0, half))
  const tail = startAtLine(whole.subarray(whole.length - half))
  const cut = whole.subarray(head.length, whole.length - tail.length)
  return `${head}${head.at(-1) === NEWLINE ? '' : '\n'}${cutNote(cut.length, newlines(cut))}${tail}`
}

function newlines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Drops the incomplete last line, or at least a character cut in two. */
function endAtLine(bytes: Buffer): Buffer {
  const line = bytes.lastIndexOf(NEWLINE)
  if (line >= bytes.length - LINE_SEARCH && line >= 0) return bytes.subarray(0, line + 1)
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Drops the rest of a line, or at least of a character, at the start. */
function startAtLine(bytes: Buffer): Buffer {
  const line = bytes.indexOf(NEWLINE)
  if (line >= 0 && line < LINE_SEARCH) return bytes.subarray(line + 1)
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}
