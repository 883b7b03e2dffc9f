import { describe, expect, it } from 'vitest'
import {
  isTyped,
  namesShown,
  needsTyping,
  oneCompany,
  splitPlatforms,
  splitTargets,
} from '@/runs/targets/targets'

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
