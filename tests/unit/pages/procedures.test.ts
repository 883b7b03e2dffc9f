import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines, withContext } from '@/pages/procedures/line-diff'
import { initialValues, toParameters, toValues } from '@/pages/procedures/parameters'
import {
  isTyped,
  namesShown,
  needsTyping,
  oneCompany,
  splitPlatforms,
  splitTargets,
} from '@/pages/procedures/targets'

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

describe('parameters', () => {
  const stored = [
    { name: 'path', kind: 'text', label: 'Path', required: true, default: '/tmp' },
    { name: 'days', kind: 'number' },
    { name: 'force', kind: 'boolean' },
    { name: 'mode', kind: 'choice', choices: ['fast', 'slow'] },
    { name: 'password', kind: 'secret', default: 'leaked' },
    { name: 'odd', kind: 'color' },
    { kind: 'text' },
    null,
  ]
  const parameters = toParameters(stored)

  it('reads the definition', () => {
    expect(parameters.map(({ name, kind }) => `${name}:${kind}`)).toEqual([
      'path:text',
      'days:number',
      'force:boolean',
      'mode:choice',
      'password:secret',
      'odd:text',
    ])
    expect(toParameters('nonsense')).toEqual([])
  })

  it('never fills in a secret', () => {
    const values = initialValues(parameters, { path: '/var', password: 'earlier' })
    expect(values).toMatchObject({ path: '/var', force: false, password: null })
  })

  it('sends only what was filled in, typed', () => {
    expect(
      toValues(parameters, { path: 'x', days: 3, force: false, mode: '', password: null, other: 1 }),
    ).toEqual({ path: 'x', days: 3, force: false })
  })
})

describe('targets', () => {
  const target = (id: string, company_id = 'c', platform?: string) => ({ id, name: id, company_id, platform })

  it('asks for the number above 25', () => {
    expect([needsTyping(25), needsTyping(26)]).toEqual([false, true])
    expect([isTyped('1.000', 1000), isTyped(' 26 ', 26), isTyped('25', 26), isTyped('', 26)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('knows one company from several', () => {
    expect(oneCompany([target('a'), target('b')])).toBe('c')
    expect(oneCompany([target('a'), target('b', 'd')])).toBeNull()
    expect(oneCompany([])).toBeNull()
  })

  it('names the first ones and counts the rest', () => {
    expect(namesShown([target('a'), target('b'), target('c')], 2)).toEqual({ names: ['a', 'b'], left: 1 })
  })

  it('leaves out devices that cannot run the script, with the reason', () => {
    const fleet = [target('w', 'c', 'windows'), target('l', 'c', 'linux'), target('u'), target('x', 'd')]
    const split = (type: string) => {
      const { runnable, excluded } = splitTargets(fleet, { type, company_id: 'c' })
      return [runnable.map(({ id }) => id), excluded.map(({ reason, names }) => [reason, ...names])]
    }
    expect(split('Bash')).toEqual([
      ['l', 'u'],
      [
        ['company', 'x'],
        ['platform', 'w'],
      ],
    ])
    expect(split('Batch')).toEqual([
      ['w', 'u'],
      [
        ['company', 'x'],
        ['platform', 'l'],
      ],
    ])
    expect(split('Python')).toEqual([['w', 'l', 'u'], [['company', 'x']]])
    const wide = splitTargets(fleet, { type: 'PowerShell', platforms: ['linux', 'windows'], company_id: 'c' })
    expect(wide.runnable.map(({ id }) => id)).toEqual(['w', 'l', 'u'])
    const narrow = splitTargets(fleet, { type: 'Python', platforms: ['linux'], company_id: 'c' })
    expect(narrow.excluded).toEqual([
      { reason: 'company', count: 1, names: ['x'] },
      { reason: 'platform', count: 1, names: ['w'] },
    ])
    expect(splitTargets(fleet, null)).toMatchObject({ runnable: fleet, count: 4, excluded: [] })
  })

  it('leaves out whole platforms of devices that the server counted', () => {
    const counted = [
      { platform: 'linux', devices: 900, offline: 30, names: ['l-1', 'l-2'] },
      { platform: 'windows', devices: 300, offline: 20, names: ['w-1'] },
      { platform: null, devices: 5, offline: 5, names: ['u-1'] },
    ]
    expect(splitPlatforms(counted, { type: 'Bash', company_id: 'c' })).toEqual({
      count: 905,
      offline: 35,
      names: ['l-1', 'l-2', 'u-1'],
      excluded: [{ reason: 'platform', count: 300, names: ['w-1'] }],
      platforms: ['linux'],
    })
    const onWindows = ({ platform }: { platform?: string | null }) => platform === 'windows'
    expect(splitPlatforms(counted, null, onWindows)).toMatchObject({ count: 300, platforms: ['windows'] })
    // Every platform: none is named, so that one that appears meanwhile is not left out.
    expect(splitPlatforms(counted, { type: 'Python', company_id: 'c' })).toMatchObject({
      count: 1205,
      platforms: null,
    })
  })
})
