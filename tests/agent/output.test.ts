import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OUTPUT_LIMIT, OutputBuffer, readable } from '../../agent/run/output'

const collect = (...chunks: (string | Buffer)[]) => {
  const buffer = new OutputBuffer()
  for (const chunk of chunks) buffer.add(Buffer.from(chunk))
  return buffer.text()
}

describe('output', () => {
  it('comes back as it was printed, characters cut between two chunks too', () => {
    const bytes = Buffer.from('ışık €𝄞')
    for (let at = 0; at <= bytes.length; at++)
      expect(collect(bytes.subarray(0, at), bytes.subarray(at))).toEqual({
        output: 'ışık €𝄞',
        truncated: false,
      })
  })

  it('keeps its beginning and its end, with a mark between that says how much is missing', () => {
    const { output, truncated } = collect('first line\n', 'ş'.repeat(100_000), '\nlast line')
    expect(truncated).toBe(true)
    expect(output.startsWith('first line\n')).toBe(true)
    expect(output.endsWith('\nlast line')).toBe(true)
    expect(output).toMatch(/\n\[\.\.\. \d+ bytes of output left out \.\.\.\]\n/)
    expect(output).not.toContain('\uFFFD')
  })

  it('never holds NUL, and marks what is no text', () => {
    expect(collect(Buffer.from([0x61, 0, 0xff, 0x62]))).toEqual({
      output: 'a\uFFFD\uFFFDb',
      truncated: false,
    })
    expect(readable(Buffer.from([0xef, 0xbb, 0xbf, 0x61]))).toBe('\uFEFFa')
  })

  it('never exceeds its limit, whatever is printed in whatever pieces', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 4000 })),
          { maxLength: 8 },
        ),
        (pieces) => {
          const buffer = new OutputBuffer()
          let total = 0
          for (const [piece, times] of pieces) {
            const chunk = Buffer.concat(Array.from({ length: times }, () => piece))
            total += chunk.length
            buffer.add(chunk)
          }
          const { output, truncated } = buffer.text()
          expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_LIMIT)
          expect(output).not.toContain('\0')
          if (!truncated) expect(total).toBeLessThanOrEqual(OUTPUT_LIMIT)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of binary data, which grows when it is made readable, is cut a second time', () => {
    const { output, truncated } = collect(Buffer.alloc(60_000, 0xff))
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_LIMIT)
    expect(output).toContain('output cut here')
  })
})
