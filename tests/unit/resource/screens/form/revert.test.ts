import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { canRestore, readRestored, valuesBefore } from '@/resource/screens/form/restored'

const printers: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text' },
    serial: { type: 'text', once: true },
    approval: { type: 'text', guard: { write: { object: 'printers', verb: 'approve' } } },
    script: { type: 'code' },
    api_token: { type: 'text' },
    number: { type: 'number', readonly: true },
    groups: { type: 'many-to-many', to: 'groups', through: 'gp', near: 'printer_id', far: 'group_id' },
  },
}
const refused = new Set(['approval'])
const was = (field: string, value: unknown) => ({ field, before: value, after: 'now' })

describe('the values before a change', () => {
  it('are those of the fields that this user may write; an empty one is a value too', () => {
    const changes = [
      was('name', 'old'),
      was('script', null),
      was('approval', 'no'),
      was('serial', 'S1'),
      was('number', 1),
      was('unknown', 'x'),
    ]
    expect(valuesBefore(printers, changes, refused)).toEqual({
      values: { name: 'old', script: null },
      left: ['approval', 'serial', 'number', 'unknown'],
    })
  })

  it('are not those that the audit log cut off or never kept', () => {
    const changes = [was('script', `${'x'.repeat(1000)}…`), was('api_token', '***'), was('name', 'x…')]
    expect(valuesBefore(printers, changes, refused)).toEqual({
      values: { name: 'x…' },
      left: ['script', 'api_token'],
    })
  })

  it('are looked over again when they come back from the browser’s history', () => {
    const at = '2026-05-04T12:00:00Z'
    const state = {
      from: '/printers',
      restore: { at, values: { name: 'a', number: 2, evil: 1 }, left: ['number'] },
    }
    expect(readRestored(state, printers, refused)).toEqual({ at, values: { name: 'a' }, left: ['number'] })
    for (const other of [null, 'x', {}, { restore: 1 }, { restore: { at, values: [] } }])
      expect(readRestored(other, printers, refused)).toBeNull()
  })

  it('need a form that they can be filled into', () => {
    expect(canRestore(printers)).toBe(true)
    expect(canRestore({ ...printers, form: false })).toBe(false)
    expect(canRestore({ ...printers, form: { component: 'own' } })).toBe(false)
  })
})
