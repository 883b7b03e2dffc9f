import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines, withContext } from '@/pages/procedures/line-diff'

describe('line diff', () => {
  const marks = { same: ' ', added: '+', removed: '-' }
  const show = (before: string, after: string) =>
    diffLines(before, after).map((line) => `${marks[line.kind]}${line.text}`)

  it('shows what was added, removed and kept', () => {
    expect(show('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d'])
    expect(show('', 'a')).toEqual(['+a'])
    expect(show('a\r\nb', 'a\nb')).toEqual([' a', ' b'])
  })

  it('shows a lone carriage return as a change, because Bash does not end the line of a comment there', () => {
    expect(show('# lab\n[ -e x ]', '# lab\r[ -e x ]')).toEqual(['-# lab', '-[ -e x ]', '+# lab\r[ -e x ]'])
  })

  it('rebuilds both texts from its lines', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = diffLines(a.join('\n'), b.join('\n'))
        const of = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text)
        const empty = (list: string[]) => (list.length === 1 && list[0] === '' ? [] : list)
        expect(of('added')).toEqual(empty(a))
        expect(of('removed')).toEqual(empty(b))
      }),
    )
  })

  it('stays right, only coarser, on texts too large to compare in full', () => {
    const lines = (word: string) => Array.from({ length: 2500 }, (_, index) => `${word} ${index}`).join('\n')
    const result = diffLines(lines('old'), lines('new'))
    expect(result.filter((line) => line.kind === 'removed')).toHaveLength(2500)
    expect(result.filter((line) => line.kind === 'added')).toHaveLength(2500)
  })

  it('compares long texts with few changes in full', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`)
    const changed = lines.with(10, 'new 10').with(4990, 'new 4990')
    const result = diffLines(lines.join('\n'), changed.join('\n'))
    expect(result.filter((line) => line.kind !== 'same')).toHaveLength(4)
  })

  it('leaves out equal lines far from a change and says how many', () => {
    const text = Array.from({ length: 20 }, (_, index) => String(index))
    const chunks = withContext(diffLines(text.join('\n'), [...text, 'end'].join('\n')), 2)
    expect(chunks[0]).toMatchObject({ kind: 'gap', count: 18 })
    expect(chunks).toHaveLength(4)
    expect(withContext(diffLines('a\nb', 'a\nb'))).toMatchObject([{ kind: 'gap', count: 2 }])
  })
})
