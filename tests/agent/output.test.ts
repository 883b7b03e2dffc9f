import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OutputStream, secretPatterns } from '../../agent/run/mask'
import { OUTPUT_LIMIT, OutputBuffer, shortened } from '../../agent/run/output'

type Chunk = string | Uint8Array

const offer = (secrets: Record<string, string>) => ({
  runId: 'r',
  attempt: 1,
  type: 'Bash',
  script: '',
  sha256: '',
  timeoutSeconds: 1,
  parameters: { ...secrets, user: 'ayse' },
  secrets: [...Object.keys(secrets), 'gone'],
})

/** The output kept of the chunks that one stream of a script prints. */
function collect(chunks: readonly Chunk[], secrets: Record<string, string> = {}) {
  const buffer = new OutputBuffer()
  const stream = new OutputStream(secretPatterns(offer(secrets)), buffer)
  for (const chunk of chunks) stream.add(Buffer.from(chunk as string))
  stream.end()
  return buffer.text()
}

/** The text in chunks of so many bytes. */
const inPieces = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

describe('output', () => {
  it('comes back as it was printed, also where a character is cut between two chunks', () => {
    const bytes = Buffer.from('ışık €𝄞')
    for (let at = 0; at <= bytes.length; at++)
      expect(collect([bytes.subarray(0, at), bytes.subarray(at)])).toEqual({
        output: 'ışık €𝄞',
        truncated: false,
      })
  })

  it('of two streams is kept in order, without a character broken by the other stream', () => {
    const buffer = new OutputBuffer()
    const [out, error] = [new OutputStream([], buffer), new OutputStream([], buffer)]
    const letter = Buffer.from('ş')
    out.add(letter.subarray(0, 1))
    error.add(Buffer.from('!'))
    out.add(letter.subarray(1))
    expect(buffer.text().output).toBe('!ş')
  })

  it('of 4,000 lines, and of a whole megabyte, is kept whole', () => {
    const lines = Array.from({ length: 4_000 }, (_, index) => `${index} ${'x'.repeat(100)}\n`).join('')
    expect(collect(inPieces(lines, 65_536))).toEqual({ output: lines, truncated: false })
    const megabyte = `${'y'.repeat(OUTPUT_LIMIT - 1)}\n`
    expect(collect([megabyte])).toEqual({ output: megabyte, truncated: false })
  })

  it('above a megabyte keeps whole lines of its beginning and end, and says exactly what was cut', () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index} with ışık\n`)
    const all = lines.join('')
    const { output, truncated } = collect(inPieces(all, 50_000))
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_LIMIT)
    expect(Buffer.byteLength(output)).toBeGreaterThan(OUTPUT_LIMIT - 10_000)
    const [head = '', bytes = '', count = '', tail = ''] = output.split(
      /^… ([\d,]+) bytes \(([\d,]+) lines\) cut here …\n/m,
    )
    expect(all.startsWith(head)).toBe(true)
    expect(all.endsWith(tail)).toBe(true)
    expect(head.endsWith('\n')).toBe(true)
    expect(tail.startsWith('line ')).toBe(true)
    const cut = all.slice(head.length, all.length - tail.length)
    expect(Number(bytes.replaceAll(',', ''))).toBe(Buffer.byteLength(cut))
    expect(Number(count.replaceAll(',', ''))).toBe(cut.split('\n').length - 1)
  })

  it('without line breaks is cut between characters', () => {
    const { output } = collect(['a', 'ş'.repeat(1_000_000), 'b'])
    expect(output).toMatch(/^aş+\n… [\d,]+ bytes \(0 lines\) cut here …\nş+b$/)
  })

  it('never holds NUL, and marks what is no text', () => {
    expect(collect([Buffer.from([0x61, 0, 0xff, 0x62])])).toEqual({
      output: 'a\uFFFD\uFFFDb',
      truncated: false,
    })
    expect(collect([Buffer.from([0xef, 0xbb, 0xbf, 0x61])]).output).toBe('\uFEFFa')
  })

  it.each([
    ['without a mark', 'NAME\r\nUbuntu', '', 'utf16le'],
    ['with a mark', 'Şehir', '\uFEFF', 'utf16le'],
    ['with letters beyond Latin after the first word', 'Adı Şehir 中国 😀\r\nson', '', 'utf16le'],
  ] as const)('in UTF-16 is read, wherever it is cut: %s', (_name, text, mark, encoding) => {
    const bytes = Buffer.from(mark + text, encoding)
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(collect(pieces).output).toBe(text)
    }
  })

  it('in UTF-16 with the high byte first is read', () => {
    expect(collect([Buffer.from('NAME\nşık', 'utf16le').swap16()]).output).toBe('NAME\nşık')
    expect(collect([Buffer.from('\uFEFFşık', 'utf16le').swap16()]).output).toBe('şık')
  })

  it('may change between UTF-8 and UTF-16 at each line, wherever it is cut', () => {
    const bytes = Buffer.concat([
      Buffer.from('önce\n'),
      Buffer.from('NAME\r\nUbuntu\r\n', 'utf16le'),
      Buffer.from('ışık, sonra\n'),
      Buffer.from('Debian\r\n', 'utf16le'),
    ])
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(collect(pieces).output).toBe('önce\nNAME\r\nUbuntu\r\nışık, sonra\nDebian\r\n')
    }
  })

  it('in UTF-16 that PowerShell broke into lines of its own is read', () => {
    const lines = Buffer.from('Debian\r\nUbuntu\r\n', 'utf16le').toString('latin1').split('\n')
    const { output } = collect([Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1')])
    expect(output.replaceAll('\uFFFD', '').split(/[\r\n]+/)).toEqual(['Debian', 'Ubuntu', ''])
  })

  it('with names that zero bytes separate stays UTF-8', () => {
    expect(collect(['./a\0./b\0']).output).toBe('./a\uFFFD./b\uFFFD')
    expect(collect([Buffer.alloc(5)]).output).toBe('\uFFFD'.repeat(5))
  })

  it('never exceeds its limit, whatever is printed in whatever pieces', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60_000 })),
          { maxLength: 4 },
        ),
        (pieces) => {
          const { output } = collect(
            pieces.map(([piece, times]) => Buffer.alloc(piece.length * times, piece)),
          )
          expect(Buffer.byteLength(output)).toBeLessThanOrEqual(OUTPUT_LIMIT)
          expect(output).not.toContain('\0')
        },
      ),
      { numRuns: 20 },
    )
  })

  it('is shortened for a server that takes less', () => {
    expect(shortened('short', 1_000)).toBe('short')
    const text = shortened('0123456789\n'.repeat(10_000), 4_096)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096)
    expect(text).toMatch(/^(0123456789\n)+… 10\d,\d+ bytes \(9,\d+ lines\) cut here …\n(0123456789\n)+$/)
  })
})

describe('secrets in the output', () => {
  const secret = 'p4ss+(wörd) "x" & more'

  it('are masked wherever the chunks are cut', () => {
    for (let size = 1; size <= 24; size++)
      expect(collect(inPieces(`a ${secret}\n${secret}${secret} z`, size), { secret }).output).toBe(
        'a ***\n*** z',
      )
  })

  it('are masked however short they are', () => {
    expect(collect(['ayse: 12, 7 and 127'], { pin: '12', digit: '7' }).output).toBe('ayse: ***, *** and ***')
  })

  it('are masked where one is part of another, or overlaps it', () => {
    expect(collect(['[secret-long] [secret]'], { a: 'secret', b: 'secret-long' }).output).toBe('[***] [***]')
    for (const size of [1, 2, 3, 8])
      expect(collect(inPieces('[aabcc]', size), { a: 'aab', b: 'abcc' }).output).toBe('[***]')
    expect(collect(inPieces('a'.repeat(10_000), 64), { a: 'aaa' }).output).toBe('***')
  })

  it('are masked at the border of what is kept', () => {
    const half = OUTPUT_LIMIT / 2
    for (let shift = 0; shift <= secret.length; shift++) {
      const { output } = collect(
        [
          `${'x'.repeat(half - shift)}${secret}${'x'.repeat(OUTPUT_LIMIT)}${secret}${'x'.repeat(half - shift)}`,
        ],
        { secret },
      )
      expect(output).not.toMatch(/p4s|more/)
    }
  })

  it('are masked where the output ends in the middle of one', () => {
    expect(collect(['the secret is p4ss+(wörd) "x'], { secret }).output).toBe('the secret is ***')
    expect(collect(['stop'], { secret }).output).toBe('stop')
  })

  it.each([
    ['base64', (text: string) => Buffer.from(text).toString('base64')],
    ['base64 of a line', (text: string) => Buffer.from(`${text}\n`).toString('base64')],
    ['base64 of UTF-16', (text: string) => Buffer.from(text, 'utf16le').toString('base64')],
    ['hexadecimal', (text: string) => Buffer.from(text).toString('hex')],
    ['JSON', (text: string) => JSON.stringify(text)],
    ['an address', (text: string) => `https://a.example/?q=${encodeURIComponent(text)}`],
    ['a form', (text: string) => `q=${encodeURIComponent(text).replaceAll('%20', '+')}`],
    ['XML', (text: string) => text.replaceAll('&', '&amp;')],
  ])('are masked in %s', (_form, encode) => {
    const { output } = collect([`<${encode(secret)}>`], { secret })
    expect(output).toContain('***')
    expect(output).not.toContain(encode(secret).slice(-20, -4))
  })

  it('are masked line by line where they have several', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----'
    const { output } = collect([`  MIIEvQIBADANBg\r\n${key.replaceAll('\n', '\r\n')}`], { key })
    expect(output).toBe('  ***\r\n***')
  })

  it('are masked in any text, cut into any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[ab]{1,5}$/), { minLength: 1, maxLength: 3 }),
        fc.stringMatching(/^[abc]{0,60}$/),
        fc.integer({ min: 1, max: 7 }),
        (values, text, size) => {
          const secrets = Object.fromEntries(values.map((value, index) => [`s${index}`, value]))
          const { output } = collect(inPieces(`${text}c`, size), secrets)
          for (const value of values) expect(output).not.toContain(value)
          // Only what belongs to a secret is replaced: every c is still there.
          expect(output.replaceAll(/[^c]/g, '')).toBe(`${text}c`.replaceAll(/[^c]/g, ''))
        },
      ),
    )
  })
})
