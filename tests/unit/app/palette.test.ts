import { describe, expect, it } from 'vitest'
import { isPaletteKey, type Press, pressedKey } from '@/app/keyboard/pressed-key'
import { navigationOf, usablePages, usableViews } from '@/app/navigation'
import { type Command, type CommandGroup, matchCommands } from '@/app/palette/commands'
import { isFindable } from '@/app/palette/use-found-records'
import { consolePages } from '@/app/registry'
import type { Definition } from '@/resource/language/definition.generated'

const command = (group: CommandGroup, label: string, more: Partial<Command> = {}): Command => ({
  key: `${group}:${label}`,
  group,
  label,
  icon: null,
  run: () => undefined,
  ...more,
})
const labels = (commands: Command[], text: string) => {
  const { byName, byDetail } = matchCommands(commands, text)
  return [...byName, ...byDetail].flatMap((group) => group.commands.map(({ label }) => label))
}

describe('the commands of the palette', () => {
  it.each(['İZLEYİCİ', 'izleyıcı', 'IZLEYICI', 'izle'])('are found in Turkish by %s', (text) => {
    expect(labels([command('screens', 'İzleyiciler'), command('screens', 'Cihazlar')], text)).toEqual([
      'İzleyiciler',
    ])
  })

  it('hold every word, in any order, in the label, the detail or a keyword', () => {
    const theme = command('settings', 'Dark theme', { detail: 'Theme', keywords: 'appearance' })
    expect(labels([theme], 'theme dark')).toEqual(['Dark theme'])
    expect(labels([theme], 'appear')).toEqual(['Dark theme'])
    expect(labels([theme], 'dark light')).toEqual([])
  })

  it('come by name before those that only a description matches', () => {
    const run = command('record', 'Run script', { detail: 'ANKARA-PC-01' })
    const { byName, byDetail } = matchCommands([run, command('screens', 'Ankara devices')], 'ankara')
    expect(byName.flatMap(({ commands }) => commands)).toMatchObject([{ label: 'Ankara devices' }])
    expect(byDetail.flatMap(({ commands }) => commands)).toEqual([run])
    expect(matchCommands([run], 'script').byName).toHaveLength(1)
  })

  it('are in the order of the groups, the best match first in each', () => {
    const all = [
      command('create', 'New group'),
      command('screens', 'Regroup'),
      command('screens', 'All groups'),
      command('screens', 'Groups'),
    ]
    expect(labels(all, 'group')).toEqual(['Groups', 'All groups', 'Regroup', 'New group'])
  })

  it('come with exact names first, then names that begin so, in the reader’s language before others', () => {
    const all = [
      command('record', 'Sorunsuz'),
      command('screens', 'Bilet ayarları', { keywords: 'Ticket Settings' }),
      command('screens', 'Ayarlar', { keywords: 'Ayarlar\nSettings' }),
      command('screens', 'Çalıştırmalar', { keywords: 'Çalıştırmalar\nRuns' }),
      command('views', 'Çalıştırmalar: Başarısız', { keywords: 'failed\nRuns Failed' }),
    ]
    expect(labels(all, 'runs')).toEqual(['Çalıştırmalar', 'Çalıştırmalar: Başarısız', 'Sorunsuz'])
    expect(labels(all, 'settings')).toEqual(['Ayarlar', 'Bilet ayarları'])
    expect(labels(all, 'ayarlar')).toEqual(['Ayarlar', 'Bilet ayarları'])
    const own = [command('screens', 'Nav', { keywords: 'Run' }), command('screens', 'Run')]
    expect(labels(own, 'run')).toEqual(['Run', 'Nav'])
  })

  it('are all there before a word is typed, but of a thousand companies a few', () => {
    const companies = Array.from({ length: 1000 }, (_each, index) => command('company', `Company ${index}`))
    expect(labels([...companies, command('screens', 'Devices')], ' ')).toHaveLength(6)
    expect(labels(companies, 'company 999')).toEqual(['Company 999'])
  })
})

describe('the pages of the palette', () => {
  const everything = () => ({ allowed: true }) as const

  it('are in the order of the menu, each entry with its tabs', () => {
    const paths = usablePages(everything).map(({ path }) => path)
    expect(paths.slice(0, 5)).toEqual(['/', '/devices', '/groups', '/policies', '/tags'])
    // A tab's own tabs follow it.
    const own = consolePages().flatMap(({ parent, path }) => (parent === 'ticket-settings' ? [path] : []))
    const start = paths.indexOf('/ticket-settings') + 1
    expect(paths.slice(start, start + own.length)).toEqual(own)
    const others = paths.filter((path) => !own.includes(path))
    expect(others).toEqual(navigationOf(everything).flatMap(({ tabs }) => tabs.map(({ path }) => path)))
    expect(paths.indexOf('/users')).toBe(paths.indexOf('/settings') + 1)
  })

  it('have the views of their lists, for those who may list them', () => {
    const views = usableViews(everything).map(({ path, view }) => `${path}?view=${view}`)
    expect(views).toContain('/devices?view=offline')
    expect(views).toContain('/patch-management?view=reboot')
    const withoutDevices = usableViews((object) =>
      object === 'devices' ? { allowed: false, reason: 'role' } : { allowed: true },
    )
    expect(withoutDevices.map(({ path }) => path)).not.toContain('/devices')
    const requester = usableViews((_object, verb) =>
      verb === 'assign' ? { allowed: false, reason: 'role' } : { allowed: true },
    )
    expect(requester.flatMap(({ path, view }) => (path === '/tickets' ? [view] : []))).toEqual([
      'unresolved',
      'overdue',
      'resolved',
    ])
  })
})

describe('the keys', () => {
  const press = (key: string, more: Partial<Press> = {}): Press => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    defaultPrevented: false,
    ...more,
  })

  it('go by what they write: / and ? with Shift as on a Turkish keyboard, letters also under Caps Lock', () => {
    expect(pressedKey(press('/', { shiftKey: true }))).toBe('/')
    expect(pressedKey(press('?', { shiftKey: true }))).toBe('?')
    expect(pressedKey(press('J'))).toBe('j')
    expect(pressedKey(press('q'))).toBeNull()
  })

  it('are the browser’s with a modifier, and nobody’s while a letter is being composed', () => {
    for (const held of ['ctrlKey', 'metaKey', 'altKey', 'isComposing', 'defaultPrevented'] as const)
      expect(pressedKey(press('e', { [held]: true }))).toBeNull()
    expect(pressedKey(press('N', { shiftKey: true }))).toBeNull()
  })

  it('open the palette with Ctrl or Cmd and K alone', () => {
    expect(isPaletteKey(press('k', { ctrlKey: true }))).toBe(true)
    expect(isPaletteKey(press('K', { metaKey: true }))).toBe(true)
    expect(isPaletteKey(press('k', { ctrlKey: true, shiftKey: true }))).toBe(false)
    expect(isPaletteKey(press('k'))).toBe(false)
  })
})

describe('a resource whose records are found', () => {
  const base: Definition = { name: 'printers', fields: { name: { type: 'text', search: true } } }

  it('is searched, has a page for the record, and calls it by words', () => {
    expect(isFindable(base)).toBe(true)
    expect(isFindable({ ...base, show: false })).toBe(false)
    expect(isFindable({ ...base, list: { search: false } })).toBe(false)
    expect(isFindable({ ...base, title: '{gone}' })).toBe(false)
    const byKey: Definition = {
      ...base,
      title: '{device_id}',
      fields: { ...base.fields, device_id: { type: 'relation', to: 'devices' } },
    }
    expect(isFindable(byKey)).toBe(false)
  })
})
