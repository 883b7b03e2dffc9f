import i18next from 'i18next'
import { describe, expect, it } from 'vitest'
import { formatDateTime, formatDay } from '@/i18n/format'
import { codeLanguage } from '@/resource/fields/code/kind'
import { kindOf } from '@/resource/fields/kinds'
import { splitDuration } from '@/resource/fields/number/duration-text'
import { formatBytes } from '@/resource/fields/number/view'
import { isAddress } from '@/resource/fields/text/kind'
import type { Action, Definition } from '@/resource/language/definition.generated'
import { parseEntry } from '@/resource/language/entry'
import { createPath, editPath, relatedAt, relatedTab, singularOf } from '@/resource/language/naming'
import { actionFields, actionsOn, isOffered, rpcCalls } from '@/resource/request/filter/actions'
import { recordTitle, titleReferences, withTitleRecords } from '@/resource/request/query/title'
import { formSections } from '@/resource/screens/form/form-sections'
import { returnPath } from '@/resource/screens/form/return-path'

const printers: Definition = {
  name: 'printers',
  title: '{serial} · {model}',
  fields: {
    serial: { type: 'text' },
    model: { type: 'text' },
    pages: { type: 'number' },
    seen: { type: 'datetime', readonly: true },
    company_id: { type: 'relation', to: 'companies', readonly: true },
  },
  actions: {
    retire: { on: ['row', 'bulk'], rpc: 'retire_printer', when: { pages: { _gt: 9 } } },
    ping: {
      on: ['record'],
      rpc: 'ping',
      args: { printer: '$id' },
      policy: { object: 'devices', verb: 'run' },
    },
  },
}

describe('names', () => {
  it('are made from the resource’s own', () => {
    expect(singularOf({ name: 'companies' })).toBe('company')
    expect(singularOf({ name: 'patches' })).toBe('patch')
    expect(singularOf({ name: 'software' })).toBe('software')
    expect(createPath({ name: 'ticket_categories' })).toBe('/create-ticket-category')
    expect(editPath({ name: 'jobs', route: 'tasks' }, 'a/b')).toBe('/tasks/a%2Fb/edit')
  })
})

describe('related lists', () => {
  it('have a tab each, also where two are of one resource', () => {
    const next = { resource: 'printers', by: 'next_id' }
    const spare = { resource: 'printers', by: 'spare_id' }
    const definition: Definition = { ...printers, show: { related: [next, spare] } }
    const tabs = [next, spare].map((related) => relatedTab([next, spare], related))
    expect(tabs).toEqual(['printers', 'printers.spare_id'])
    expect(tabs.map((tab) => relatedAt(definition, tab))).toEqual([next, spare])
    expect(relatedAt(definition, 'printers.next_id')).toBeUndefined()
  })
})

describe('a record’s title', () => {
  it('fills its template and leaves no loose ends', () => {
    expect(recordTitle(printers, { id: '1', serial: 'AB', model: 'X' })).toBe('AB · X')
    expect(recordTitle(printers, { id: '1', serial: 'AB', model: null })).toBe('AB')
    expect(recordTitle(printers, { id: '12345678-9', serial: '', model: '' })).toBe('12345678')
  })

  it('says a choice by its word', async () => {
    const words = { visits: { values: { outcome: { not_home: 'Evde yok' } } } }
    await i18next.init({ lng: 'tr', resources: { tr: { resources: words } } })
    const visits: Definition = {
      name: 'visits',
      title: '{outcome}',
      fields: { outcome: { type: 'enum', values: { not_home: 'gray' } } },
    }
    expect(recordTitle(visits, { id: '1', outcome: 'not_home' })).toBe('Evde yok')
  })
})

describe('a title with times and numbers', () => {
  const visits: Definition = {
    name: 'visits',
    title: '{number} · {amount} · {on} · {at}',
    fields: {
      number: { type: 'number', grouping: false },
      amount: { type: 'number', decimals: 1 },
      on: { type: 'date' },
      at: { type: 'datetime' },
    },
  }
  const row = { id: '1', number: 12345, amount: 1234.5, on: '2026-11-27', at: '2026-11-27T06:00:00+00:00' }
  const at = (language: 'en' | 'tr') => formatDateTime(row.at, language)

  it.each([
    ['en', `12345 · 1,234.5 · 27 Nov 2026 · ${at('en')}`],
    ['tr', `12345 · 1.234,5 · 27 Kas 2026 · ${at('tr')}`],
  ])('writes them in %s as their cells do', async (lng, title) => {
    await i18next.init({ lng, resources: {} })
    expect(recordTitle(visits, row)).toBe(title)
  })
})

describe('a title that names other records', () => {
  const loans: Definition = {
    name: 'loans',
    title: '{number} · {lent_to}',
    fields: { number: { type: 'text' }, lent_to: { type: 'user' } },
  }

  it('says a person by their name, and never by their id', () => {
    const lent_to = '5f7d8a0e-0000-4000-8000-000000000001'
    expect(recordTitle(loans, { id: '1', number: '7', lent_to, lent_to_row: { name: 'Ayşe' } })).toBe(
      '7 · Ayşe',
    )
    expect(recordTitle(loans, { id: '1', number: '7', lent_to, lent_to_row: null })).toBe('7')
  })

  it('names the records to read where a function returned the row without them', () => {
    const row = { id: '1', number: '7', lent_to: 'p' }
    expect(titleReferences(loans, row)).toEqual([{ name: 'lent_to', resource: 'people', id: 'p' }])
    const whole = withTitleRecords(loans, row, ({ id }) => ({ id, name: 'Ayşe' }))
    expect(recordTitle(loans, whole)).toBe('7 · Ayşe')
  })
})

describe('actions', () => {
  it('stand where the definition puts them, with the permission they need', () => {
    expect(actionsOn(printers, 'bulk').map(({ name }) => name)).toEqual(['retire'])
    expect(actionsOn(printers, 'record')[0]).toMatchObject({ object: 'devices', verb: 'run' })
  })

  it('are offered by what the record says, numbers as numbers', () => {
    const [retire] = actionsOn(printers, 'row')
    if (!retire) throw new Error('no action')
    expect(isOffered(printers, retire.action, { pages: 10 }, {})).toBe(true)
    expect(isOffered(printers, retire.action, { pages: 9 }, {})).toBe(false)
    const linked: Definition = {
      name: 'scripts',
      fields: { stars: { type: 'many-to-many', to: 'users', through: 's', near: 'a', far: 'b' } },
    }
    const unmark: Action = { on: ['row'], when: { stars: { _null: false } } }
    expect(isOffered(linked, unmark, { stars_row: [{ row: { id: 'u' } }] }, {})).toBe(true)
    expect(isOffered(linked, unmark, { stars_row: [] }, {})).toBe(false)
    expect(actionFields(printers)).toEqual(['pages'])
  })

  it('call once for many records, or once a record where the function takes one', () => {
    const rows = [{ id: 'a' }, { id: 'b' }]
    const { retire, ping } = printers.actions ?? {}
    if (!retire || !ping) throw new Error('no actions')
    expect(rpcCalls(retire, rows, { reason: 'old' })).toEqual([{ ids: ['a', 'b'], reason: 'old' }])
    expect(rpcCalls(ping, rows, {})).toEqual([{ printer: 'a' }, { printer: 'b' }])
  })
})

describe('a form without sections', () => {
  it('has every field that can be filled in', () => {
    expect(formSections(printers)).toEqual({ main: ['serial', 'model', 'pages'] })
  })
})

describe('the way back', () => {
  it('is the list as it was, and never another site', () => {
    expect(returnPath({ from: '/devices?page=2' }, '/devices')).toBe('/devices?page=2')
    for (const from of ['//evil.test', '/\\evil.test', 'https://evil.test', 5, undefined])
      expect(returnPath({ from }, '/devices')).toBe('/devices')
  })
})

describe('a file of resources/', () => {
  it('has an entry even when it is no definition', () => {
    expect(parseEntry('resources/a.json', '{')).toMatchObject({ name: 'a', definition: null })
    expect(parseEntry('resources/a.json', '{"name":"a","fields":{"x":5}}').definition).toBeNull()
    expect(parseEntry('resources/a.json', '{"name":"b","fields":{}}')).toMatchObject({ name: 'b' })
  })
})

describe('how values read', () => {
  it('bytes in the unit that fits', () => {
    expect(formatBytes(16_384, 'MB', 'en')).toBe('16 GB')
    expect(formatBytes(1536, 'B', 'tr')).toBe('1,5 kB')
    expect(formatBytes(0.05, 'MB', 'en')).toBe('51 kB')
    expect(formatBytes(0, 'MB', 'en')).toBe('0 MB')
  })

  it('a span in its two largest units', () => {
    expect(splitDuration(3725)).toEqual([
      { unit: 'h', amount: 1 },
      { unit: 'min', amount: 2 },
    ])
    // Nobody asks for the seconds of hours of work.
    expect(splitDuration(41_430)).toEqual([
      { unit: 'h', amount: 11 },
      { unit: 'min', amount: 30 },
    ])
    expect(splitDuration(39_630)).toEqual([{ unit: 'h', amount: 11 }])
    expect(splitDuration(90)).toEqual([
      { unit: 'min', amount: 1 },
      { unit: 's', amount: 30 },
    ])
    expect(splitDuration(0)).toEqual([{ unit: 's', amount: 0 }])
    expect(splitDuration(0.85)).toEqual([{ unit: 'ms', amount: 850 }])
    expect(splitDuration(1.54)).toEqual([{ unit: 's', amount: 1.5 }])
    expect(splitDuration(9.97)).toEqual([{ unit: 's', amount: 10 }])
  })

  it('a day is the same day everywhere', () => {
    expect(formatDay('2027-03-12', 'tr')).toBe('12 Mar 2027')
  })

  it('code in the language that another field names', () => {
    expect(codeLanguage('$record.type', { type: 'PowerShell' })).toBe('powershell')
    expect(codeLanguage('$record.type', { type: 'Bash' })).toBe('shell')
    expect(codeLanguage(undefined, {})).toBe('plain')
  })
})

describe('field kinds', () => {
  it('know an address', () => {
    for (const good of [
      '10.0.0.1',
      '255.255.255.255',
      '::1',
      'fe80::1',
      '2001:db8:0:0:0:0:2:1',
      '::ffff:10.0.0.1',
    ])
      expect(isAddress(good), good).toBe(true)
    for (const bad of ['10.0.0', '256.1.1.1', ':::', '1::2::3', 'g::1', ''])
      expect(isAddress(bad), bad).toBe(false)
  })

  it('never link what is not a web address', () => {
    const check = (value: string) => kindOf('url').validate?.(value, { type: 'url' })
    expect(check('https://example.com/a')).toBeNull()
    expect(check('javascript:alert(1)')).toEqual({ key: 'url' })
  })

  it('count characters, not code units', () => {
    const field = { type: 'text', max_length: 2 } as const
    expect(kindOf('text').validate?.('😀😀', field)).toBeNull()
    expect(kindOf('text').validate?.('abc', field)).toMatchObject({ key: 'tooLong' })
  })
})
