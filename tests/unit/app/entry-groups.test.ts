import { describe, expect, it } from 'vitest'
import { groupEntries } from '@/app/shell/entry-groups'

describe('the menu’s added entries', () => {
  const entries = ['printers', 'scans', 'racks', 'rooms'].map((name) => ({ name }))
  const names = (groups: ReturnType<typeof groupEntries<{ name: string }>>) =>
    groups.map(({ group, members }) => [group, members.map(({ name }) => name)])

  it('stand together by group, those without one first', () => {
    const groupOf = (name: string) => ({ printers: 'assets', racks: 'places', rooms: 'assets' })[name]
    expect(names(groupEntries(entries, groupOf))).toEqual([
      [undefined, ['scans']],
      ['assets', ['printers', 'rooms']],
      ['places', ['racks']],
    ])
  })

  it('are one list where none names a group, and nothing where there are none', () => {
    expect(groupEntries(entries, () => undefined)).toHaveLength(1)
    expect(groupEntries([], () => 'assets')).toEqual([])
  })
})
