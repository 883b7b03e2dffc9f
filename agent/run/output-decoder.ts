type Utf16 = 'utf-16le' | 'utf-16be'

/** Four letters of UTF-16 in a row are taken for UTF-16. */
const LOOK_AHEAD = 8
/**
 * The high byte of Latin, Greek and Cyrillic letters in UTF-16 is at most this; UTF-8 text holds no such bytes, which
 * are control characters.
 */
const MAX_HIGH = 5
const CR = 0x0d
const LF = 0x0a

/** Whether letters of UTF-16 begin at `start`; null where the data ends before that is clear. */
function isUtf16At(data: Buffer, start: number, encoding: Utf16): boolean | null {
  const highPlace = encoding === 'utf-16le' ? 1 : 0
  for (let place = 0; place < LOOK_AHEAD; place++) {
    const byte = data[start + place]
    if (byte === undefined) return null
    if (byte <= MAX_HIGH !== (place % 2 === highPlace)) return false
  }
  return true
}

interface Found {
  /** The end of the UTF-8. */
  end: number
  /** The beginning of the UTF-16. */
  start: number
  /** Null where more bytes are needed to tell. */
  encoding: Utf16 | null
}

/**
 * Where UTF-16 begins in bytes that are UTF-8 until then. `last` is the byte before `from`, which was decoded already
 * and may have been the first half of a letter.
 */
function findUtf16(data: Buffer, from: number, last: number): Found | null {
  for (let high = from; high < data.length; high++) {
    if ((data[high] ?? 0) > MAX_HIGH) continue
    const candidates: [Utf16, end: number, start: number][] = [['utf-16be', high, high]]
    if (high > from) candidates.unshift(['utf-16le', high - 1, high - 1])
    else if (last > MAX_HIGH) candidates.unshift(['utf-16le', high, high + 1])
    for (const [encoding, end, start] of candidates) {
      const found = isUtf16At(data, start, encoding)
      if (found !== false) return { end, start, encoding: found ? encoding : null }
    }
    while ((data[high + 1] ?? MAX_HIGH + 1) <= MAX_HIGH) high++
  }
  return null
}

function isUtf8(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/**
 * Makes text of what a script prints, however it is cut into chunks. Scripts print UTF-8, but Windows programs such as
 * `wsl` print UTF-16, with or without a byte order mark, also between lines of UTF-8. Bytes that are neither, and zero
 * bytes, which Postgres cannot hold, become the replacement character.
 */
export class OutputDecoder {
  private utf16: Utf16 | null = null
  private decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private carry: Buffer = Buffer.alloc(0)
  private isFirst = true
  private last = 0
  /** After a line of UTF-16, the next line may be UTF-8 again. */
  private isLineStart = false

  add(chunk: Buffer): string {
    return this.decode(this.carry.length === 0 ? chunk : Buffer.concat([this.carry, chunk]), false)
  }

  end(): string {
    return this.decode(this.carry, true) + this.use(null)
  }

  private decode(data: Buffer, isEnd: boolean): string {
    let text = ''
    let at = 0
    const take = (end: number): void => {
      text += this.decoder.decode(data.subarray(at, end), { stream: true }).replaceAll('\0', '\uFFFD')
      if (end > at) this.last = data[end - 1] ?? 0
      at = end
    }
    const keepRest = (): string => {
      // A copy, because a slice would keep the whole chunk in memory.
      this.carry = Buffer.from(data.subarray(at))
      return text
    }
    this.carry = Buffer.alloc(0)
    if (this.isFirst) {
      if (data.length === 0 || (data.length === 1 && (data[0] ?? 0) >= 0xfe && !isEnd)) return keepRest()
      this.isFirst = false
      const mark = data.length < 2 ? 0 : data.readUInt16BE(0)
      if (mark === 0xfffe || mark === 0xfeff) {
        this.use(mark === 0xfffe ? 'utf-16le' : 'utf-16be')
        at = 2
      }
    }
    while (at < data.length) {
      if (this.utf16 === null) {
        const found = findUtf16(data, at, this.last)
        const isUnclear = found !== null && found.encoding === null
        if (isUnclear && !isEnd) {
          take(found.end)
          return keepRest()
        }
        take(found === null || isUnclear ? data.length : found.end)
        if (found?.encoding) {
          text += this.use(found.encoding)
          at = found.start
        }
        continue
      }
      if (this.isLineStart) {
        const ahead = data.subarray(at, at + LOOK_AHEAD)
        if (ahead.length < LOOK_AHEAD && !isEnd) return keepRest()
        this.isLineStart = false
        if (isUtf8(ahead)) {
          text += this.use(null)
          continue
        }
      }
      const { end, isUtf8Next } = this.lineEnd(data, at)
      take(isEnd && end === data.length - 1 ? data.length : end)
      if (isUtf8Next) text += this.use(null)
      else if (!this.isLineStart) return keepRest()
    }
    return text
  }

  /** Where the line of UTF-16 that goes on at `from` ends, or its last whole letter. */
  private lineEnd(data: Buffer, from: number): { end: number; isUtf8Next: boolean } {
    const low = this.utf16 === 'utf-16le' ? 0 : 1
    let at = from
    for (; at + 1 < data.length; at += 2) {
      // PowerShell takes the output of a program for UTF-8 and puts its own line breaks between the lines.
      if (data[at] === CR && data[at + 1] === LF) return { end: at, isUtf8Next: true }
      if (data[at + low] !== LF || data[at + 1 - low] !== 0) continue
      this.isLineStart = true
      return { end: at + 2, isUtf8Next: false }
    }
    return { end: at, isUtf8Next: false }
  }

  /** Continues in another encoding, null for UTF-8. Returns what the letter that was cut off before becomes. */
  private use(utf16: Utf16 | null): string {
    const left = this.decoder.decode()
    this.utf16 = utf16
    this.isLineStart = false
    this.decoder = new TextDecoder(utf16 ?? 'utf-8', { ignoreBOM: true })
    return left
  }
}
