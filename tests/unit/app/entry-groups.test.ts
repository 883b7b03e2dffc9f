import { describe, expect, it } from 'vitest'
import { groupEntries } from '@/app/shell/entry-groups'

describe('the menu’s added entries', () => {
  it('are listed by group, those without one first', () => {
    const groupOf = (name: string) => ({ printers: 'assets', racks: 'places', rooms: 'assets' })[name] ?? null
    expect(groupEntries(['printers', 'scans', 'racks', 'rooms'], groupOf)).toEqual([
      { group: null, members: ['scans'] },
      { group: 'assets', members: ['printers', 'rooms'] },
      { group: 'places', members: ['racks'] },
    ])
  })

  it('are one list where none names a group, and nothing where there are none', () => {
    expect(groupEntries(['printers', 'scans'], () => null)).toHaveLength(1)
    expect(groupEntries([], () => 'assets')).toEqual([])
  })
})
