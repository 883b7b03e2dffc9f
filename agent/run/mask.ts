import type { Offer } from '../protocol'
import type { OutputBuffer } from './output'
import { OutputDecoder } from './output-decoder'

const MASK = Buffer.from('***')
/** Shorter lines of a multi-line secret say nothing (`}`), and masking them would garble other output. */
const MIN_LINE = 8
/** An output may end in the middle of a secret; a shorter beginning of one is an ordinary word. */
const MIN_CUT = 4

/** The values of an offer's secret parameters, in every form in which scripts usually print them. */
export function secretPatterns({ secrets, parameters }: Offer): Buffer[] {
  const patterns = new Map<string, Buffer>()
  const add = (bytes: Buffer | string): void => {
    const pattern = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    if (pattern.length > 0) patterns.set(pattern.toString('latin1'), pattern)
  }
  for (const name of secrets) {
    const value = String(parameters[name] ?? '')
    if (value === '') continue
    const lines = value.split(/\r?\n/)
    for (const text of new Set([value, ...lines.filter((line) => line.length >= MIN_LINE)])) {
      const xml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      add(text)
      add(Buffer.from(text, 'utf16le'))
      add(JSON.stringify(text).slice(1, -1))
      add(encodeURIComponent(text))
      add(encodeURIComponent(text).replaceAll('%20', '+'))
      add(xml)
      add(xml.replaceAll('"', '&quot;'))
      add(text.replaceAll("'", `'\\''`))
      add(text.replaceAll("'", "''"))
      // `echo | base64` encodes the line break too.
      for (const bytes of [Buffer.from(text), Buffer.from(`${text}\n`), Buffer.from(text, 'utf16le')]) {
        add(bytes.toString('base64').replace(/=+$/, ''))
        add(bytes.toString('base64url'))
      }
      const hex = Buffer.from(text).toString('hex')
      add(hex)
      add(hex.toUpperCase())
    }
    add(lines.join('\n'))
    add(lines.join('\r\n'))
  }
  return [...patterns.values()]
}

/** Length of the longest end of `data` that may be the beginning of a pattern. */
function pendingLength(data: Buffer, patterns: readonly Buffer[]): number {
  let longest = 0
  for (const pattern of patterns)
    for (let length = Math.min(pattern.length - 1, data.length); length > longest; length--)
      if (data.compare(pattern, 0, length, data.length - length) === 0) longest = length
  return longest
}

/** Replaces patterns in a stream of bytes, however it is cut into chunks. */
class StreamMask {
  private carry: Buffer = Buffer.alloc(0)
  /** So many bytes at the start of `carry` belong to a match that was replaced already. */
  private covered = 0
  /** Nothing was written since the last match, so an adjacent match needs no second mask. */
  private isAfterMatch = false

  constructor(private readonly patterns: readonly Buffer[]) {}

  add(chunk: Buffer): Buffer {
    if (this.patterns.length === 0) return chunk
    const data = Buffer.concat([this.carry, chunk])
    return this.take(data, data.length - pendingLength(data, this.patterns))
  }

  end(): Buffer {
    const pending = this.carry
    const isCutSecret = this.patterns.some((pattern) => {
      const least = Math.max(MIN_CUT, Math.ceil(pattern.length / 2))
      return pending.length >= least && pending.compare(pattern, 0, pending.length) === 0
    })
    if (!isCutSecret) return this.take(pending, pending.length)
    this.carry = Buffer.alloc(0)
    return this.isAfterMatch ? Buffer.alloc(0) : MASK
  }

  /** The masked first `cut` bytes of `data`; the others wait for the next chunk. */
  private take(data: Buffer, cut: number): Buffer {
    const matches: [start: number, end: number][] = []
    for (const pattern of this.patterns)
      for (let at = data.indexOf(pattern); at >= 0 && at < cut; at = data.indexOf(pattern, at + 1))
        matches.push([at, at + pattern.length])
    matches.sort(([a], [b]) => a - b)
    const parts: Buffer[] = []
    let done = this.covered
    let isAfterMatch = this.isAfterMatch
    for (const [start, end] of matches) {
      if (start > done || !isAfterMatch) parts.push(data.subarray(done, start), MASK)
      isAfterMatch = true
      done = Math.max(done, end)
    }
    if (done < cut) parts.push(data.subarray(done, cut))
    this.carry = Buffer.from(data.subarray(cut))
    this.covered = Math.max(0, done - cut)
    this.isAfterMatch = isAfterMatch && done >= cut
    return Buffer.concat(parts)
  }
}

/** Reads one stream of a script: secrets are masked before anything is cut or decoded. */
export class OutputStream {
  private readonly mask: StreamMask
  private readonly decoder = new OutputDecoder()

  constructor(
    patterns: readonly Buffer[],
    private readonly output: OutputBuffer,
  ) {
    this.mask = new StreamMask(patterns)
  }

  add(chunk: Buffer): void {
    this.write(this.decoder.add(this.mask.add(chunk)))
  }

  end(): void {
    this.write(this.decoder.add(this.mask.end()) + this.decoder.end())
  }

  private write(text: string): void {
    if (text !== '') this.output.add(Buffer.from(text))
  }
}
