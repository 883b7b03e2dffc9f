import { describe, expect, it } from 'vitest'
import { codePointName, linesOf, textParts, withoutHidden } from '@/ui/hidden-characters'

describe('the parts of a text', () => {
  it('are the text itself where nothing hides', () => {
    for (const text of ['', 'id\n\tdate', 'ışık ⚠️ 👩‍💻 1️⃣', ' '.repeat(39)])
      expect(textParts(text)).toEqual([{ kind: 'text', text }])
  })

  it('name a character that turns the direction, one without width, and one of two code units', () => {
    const parts = textParts('a\u202Eb\u200B\u{E0041}')
    expect(parts.map(({ kind, text }) => (kind === 'hidden' ? codePointName(text) : text))).toEqual([
      'a',
      'U+202E',
      'b',
      'U+200B',
      'U+E0041',
    ])
  })

  it('count blanks that push the rest of a line away', () => {
    expect(textParts(`id${' '.repeat(299)}\t; rm`)).toEqual([
      { kind: 'text', text: 'id' },
      { kind: 'blanks', text: `${' '.repeat(299)}\t`, count: 300 },
      { kind: 'text', text: '; rm' },
    ])
  })

  it('mark a joiner that joins no emoji', () => {
    expect(textParts('us\u200Der').map(({ kind }) => kind)).toEqual(['text', 'hidden', 'text'])
  })

  it('mark a carriage return without a line feed, and not the line breaks of Windows', () => {
    expect(textParts('# lab\r\nid').map(({ kind }) => kind)).toEqual(['text'])
    expect(textParts('# lab\rid').map(({ text }) => text)).toEqual(['# lab', '\r', 'id'])
    expect(textParts('id\r\r\n').map(({ kind }) => kind)).toEqual(['text', 'hidden', 'text'])
  })
})

describe('the lines of a script', () => {
  it('end as in Bash: at a line feed, and never at a lone carriage return', () => {
    expect(linesOf('# lab\r[ -e x ]\r\nid\n')).toEqual(['# lab\r[ -e x ]', 'id', ''])
  })
})

describe('a text without what hides in it', () => {
  it('keeps emoji, blanks and line breaks', () => {
    const text = `a\u202Eb\u200B\n\t👩‍💻 1️⃣${' '.repeat(60)}us\u200Der\u{E0041}`
    expect(withoutHidden(text)).toBe(`ab\n\t👩‍💻 1️⃣${' '.repeat(60)}user`)
  })
})
