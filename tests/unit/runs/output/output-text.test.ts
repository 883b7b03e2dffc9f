import { describe, expect, it } from 'vitest'
import { cutOf, displayText, findMatches, MAX_MATCHES, toParts } from '@/runs/output/output-text'
import { shortened } from '../../../../agent/run/output'

describe('output text', () => {
  it('has no colors, titles or cursor movements of a terminal', () => {
    expect(displayText('\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\x1b[2K\x1b(B')).toBe('red plain')
    expect(displayText('[31m is text')).toBe('[31m is text')
  })

  it('of a progress bar is what stood there last', () => {
    expect(displayText('get\r\n 10%\r 50%\r100%\nend\r\n')).toBe('get\n100%\nend\n')
    expect(displayText('waiting\r')).toBe('waiting')
  })

  it('knows from the agent’s note what was cut', () => {
    expect(cutOf('whole')).toBeNull()
    expect(cutOf('a\n… 123,456 bytes (2,345 lines) cut here …\nb')).toEqual({ bytes: 123_456, lines: 2_345 })
    expect(cutOf(shortened('0123456789\n'.repeat(10_000), 4_096))).toEqual({
      bytes: expect.any(Number),
      lines: expect.any(Number),
    })
  })

  it('is searched without case, Turkish letters too, and no further than can be walked', () => {
    expect(findMatches('ERROR error İstanbul ISTANBUL ıstanbul', 'istanbul')).toEqual([12, 21, 30])
    expect(findMatches('aaaa', 'aa')).toEqual([0, 2])
    expect(findMatches('(x)', '(')).toEqual([0])
    expect(findMatches('text', '')).toEqual([])
    expect(findMatches('a'.repeat(20_000), 'a')).toHaveLength(MAX_MATCHES)
  })

  it('is laid out in parts of whole lines that are the text again', () => {
    const text = `${Array.from({ length: 450 }, (_, index) => `line ${index}`).join('\n')}\n\nlast`
    const parts = toParts(text)
    expect(parts.map(({ text: part }) => part).join('')).toBe(text)
    expect(parts.map(({ lines }) => lines)).toEqual([200, 200, 52])
    expect(parts.map(({ start }) => text.slice(start, start + 4))).toEqual(['line', 'line', 'line'])
  })
})
