/** What the console keeps of a run's output, mark included. */
export const OUTPUT_LIMIT = 65_536
const HEAD = 40_000
const TAIL = 24_000

/**
 * Collects what a script prints, both streams in the order they arrive, in bounded memory: the beginning, and the
 * latest part, where the error usually stands.
 */
export class OutputBuffer {
  private readonly head: Buffer[] = []
  private headSize = 0
  private tail: Buffer[] = []
  private tailSize = 0
  private total = 0

  add(chunk: Buffer): void {
    this.total += chunk.length
    const forHead = Math.min(chunk.length, HEAD - this.headSize)
    // Copies, because a slice would keep the whole chunk of an endless output alive.
    if (forHead > 0) {
      this.head.push(Buffer.from(chunk.subarray(0, forHead)))
      this.headSize += forHead
    }
    const rest = chunk.subarray(Math.max(0, forHead))
    if (rest.length === 0) return
    this.tail.push(Buffer.from(rest.length > TAIL ? rest.subarray(rest.length - TAIL) : rest))
    this.tailSize += this.tail.at(-1)?.length ?? 0
    if (this.tailSize > 4 * TAIL) {
      const kept = Buffer.concat(this.tail).subarray(-TAIL)
      this.tail = [Buffer.from(kept)]
      this.tailSize = kept.length
    }
  }

  text(): { output: string; truncated: boolean } {
    const head = Buffer.concat(this.head)
    const tail = Buffer.concat(this.tail).subarray(-TAIL)
    const left = this.total - head.length - tail.length
    if (left <= 0) return fitted(readable(Buffer.concat([head, tail])), false)
    const mark = `\n[... ${left} bytes of output left out ...]\n`
    return fitted(readable(wholeEnd(head)) + mark + readable(wholeStart(tail)), true)
  }
}

/** Text Postgres can hold: what is not UTF-8, and NUL, become the replacement character. */
export function readable(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\0', '\uFFFD')
}

/** Replacement characters are three bytes long, so binary output can outgrow the limit after it was decoded. */
function fitted(text: string, truncated: boolean): { output: string; truncated: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= OUTPUT_LIMIT) return { output: text, truncated }
  const mark = '\n[... output cut here ...]\n'
  return { output: readable(wholeEnd(bytes.subarray(0, OUTPUT_LIMIT - mark.length))) + mark, truncated: true }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Without a character cut in two at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  let end = bytes.length
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    if (length > back) end = bytes.length - back
    break
  }
  return bytes.subarray(0, end)
}

/** Without the rest of a character at the start. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}
