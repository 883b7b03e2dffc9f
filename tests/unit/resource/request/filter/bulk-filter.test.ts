import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { resourceEntries } from '@/resource/language/registry'
import { rpcArguments } from '@/resource/request/filter/actions'
import { isOfColumns, matchingFilter, sqlPath } from '@/resource/request/filter/matching-filter'
import { bulkFields } from '@/resource/tools/bulk/bulk-fields'
import {
  askedDefinition,
  CHOSEN,
  CLEARED,
  editChanges,
  editSteps,
  isComplete,
  WAYS,
} from '@/resource/tools/bulk/edit-plan'

const printers: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text', required: true },
    serial: { type: 'text', once: true },
    status: { type: 'text', readonly: true },
    seen: { type: 'datetime', from: { table: 'presence', column: 'at' } },
    company_id: { type: 'relation', to: 'companies' },
    device_id: { type: 'relation', to: 'devices' },
    note: { type: 'textarea', when: { name: { _null: false } } },
    groups: {
      type: 'many-to-many',
      to: 'groups',
      through: 'group_printers',
      near: 'printer_id',
      far: 'group_id',
    },
  },
}
const scope = { user: { id: 'me', companyId: 'acme', email: 'me@acme.test' } }
const written = (filter: Parameters<typeof matchingFilter>[1], company: string | null = null) =>
  matchingFilter(printers, filter, company, scope)

describe('a filter for the database', () => {
  it('has the paths of the catalog', () => {
    expect(sqlPath(printers, 'name')).toBe('name')
    expect(sqlPath(printers, 'groups_match.group_id')).toBe('group_printers.printer_id.group_id')
    expect(sqlPath(printers, 'device_id_match.os')).toBe('device_id.os')
    expect(sqlPath(printers, 'seen_match.at')).toBe('presence.at')
  })

  it('has no variables: they are what they stand for, or nothing at all', () => {
    expect(written({ name: { _eq: '$user' } })).toEqual({ name: { _eq: 'me' } })
    expect(written({ name: { _eq: '$record.name' } })).toEqual({ _or: [] })
    expect(written({ name: { _eq: '$4.50' } })).toEqual({ name: { _eq: '$4.50' } })
    expect(written({ name: { _eq: null } })).toEqual({ name: { _null: true } })
    expect(written({ name: { _neq: null } })).toEqual({ name: { _null: false } })
  })

  it('keeps to the company in view, unless the table belongs to none', () => {
    expect(written({ name: { _contains: 'a' } }, 'acme')).toEqual({
      _and: [{ company_id: { _eq: 'acme' } }, { name: { _contains: 'a' } }],
    })
    expect(matchingFilter({ ...printers, tenant: false }, {}, 'acme', scope)).toEqual({ _and: [] })
  })

  it('narrows to where an action is offered only by columns', () => {
    expect(isOfColumns(printers, { _or: [{ status: { _eq: 'a' } }, { name: { _null: true } }] })).toBe(true)
    expect(isOfColumns(printers, { seen: { _null: true } })).toBe(false)
    expect(isOfColumns(printers, { _and: [{ groups: { _null: true } }] })).toBe(false)
    expect(isOfColumns(printers, { name: { _eq: '$record.serial' } })).toBe(false)
    expect(isOfColumns(printers, { nothing: { _eq: 1 } })).toBe(false)
  })
})

describe('editing many rows', () => {
  it('offers what this person may write, finds a choice for, and what stays open', () => {
    expect(bulkFields(printers, new Set(), () => true)).toEqual(['device_id', 'note', 'groups'])
    const mayChoose = (field: Field) => field.type !== 'many-to-many'
    expect(bulkFields(printers, new Set(['note']), mayChoose)).toEqual(['device_id'])
  })

  it('leaves out what describes one record: unique values, texts of the title and whole documents', () => {
    const scripts: Definition = {
      name: 'scripts',
      title: '{label} · {device_id}',
      fields: {
        code: { type: 'text', unique: true },
        label: { type: 'text' },
        device_id: { type: 'relation', to: 'devices' },
        note: { type: 'text', search: true },
        body: { type: 'code' },
        inputs: { type: 'rows', fields: { key: { type: 'text' } } },
        manual: { type: 'markdown' },
      },
    }
    expect(bulkFields(scripts, new Set(), () => true)).toEqual(['device_id', 'note'])
    for (const { name, definition } of resourceEntries())
      if (definition)
        expect(
          bulkFields(definition, new Set(), () => true),
          name,
        ).not.toContain('name')
  })

  const tagged: Definition = {
    ...printers,
    fields: {
      ...printers.fields,
      days: { type: 'tags', closed: true, suggestions: ['mon', 'tue'] },
      marks: { type: 'tags' },
      leased: { type: 'boolean' },
    },
  }
  const steps = (chosen: string[], answers: Record<string, unknown> = {}) =>
    editSteps(tagged, { [CHOSEN]: chosen, ...answers })

  it('shows a chosen field whatever the values beside it, and requires a value', () => {
    expect(askedDefinition(tagged, steps(['note', 'nothing'])).fields).toEqual({
      note: { type: 'textarea', required: true },
    })
    const ways = (way: string) => ({ [WAYS]: { groups: way } })
    const needed = (way: string) =>
      askedDefinition(tagged, steps(['groups'], ways(way))).fields.groups?.required
    expect([needed('add'), needed('remove'), needed('replace'), needed('clear')]).toEqual([
      true,
      true,
      true,
      undefined,
    ])
  })

  it('is complete once every chosen field has a value or is to be cleared', () => {
    expect(isComplete(steps([]))).toBe(false)
    expect(isComplete(steps(['note']))).toBe(false)
    expect(isComplete(steps(['note'], { note: '  ' }))).toBe(false)
    expect(isComplete(steps(['note'], { [CLEARED]: { note: true } }))).toBe(true)
    expect(isComplete(steps(['note', 'device_id'], { note: 'x' }))).toBe(false)
    expect(isComplete(steps(['leased'], { leased: false }))).toBe(true)
    expect(isComplete(steps(['marks'], { marks: [] }))).toBe(false)
    expect(isComplete(steps(['marks'], { [WAYS]: { marks: 'clear' } }))).toBe(true)
  })

  it('never clears a field that is required, or has only two states', () => {
    expect(steps(['name', 'leased'], { [CLEARED]: { name: true, leased: true } })).toMatchObject([
      { name: 'name', kind: 'set' },
      { name: 'leased', kind: 'set' },
    ])
  })

  it('says of each field how it is changed, as the database takes it', () => {
    const answers = {
      name: 'x',
      note: 'typed before it was cleared',
      groups: ['g'],
      days: ['tue'],
      marks: ['old'],
      [CLEARED]: { note: true },
      [WAYS]: { groups: 'remove', days: 'clear', marks: 'drop' },
    }
    expect(editChanges(tagged, steps(['name', 'note', 'groups', 'days', 'marks'], answers))).toEqual({
      changes: { name: 'x', note: null },
      lists: [
        { how: 'remove', items: ['g'], through: 'group_printers', near: 'printer_id', far: 'group_id' },
        { how: 'replace', items: [], field: 'days', ranked: ['mon', 'tue'] },
        { how: 'add', items: ['old'], field: 'marks' },
      ],
    })
  })
})

describe('an action over many rows', () => {
  it('names the argument that takes them, whatever else it passes', () => {
    expect(rpcArguments({ on: ['bulk'], rpc: 'retire' })).toEqual({ argument: 'ids', args: {} })
    expect(rpcArguments({ on: ['bulk'], rpc: 'retire', args: { printer: '$id', why: 'old' } })).toEqual({
      argument: 'printer',
      args: { why: 'old' },
    })
  })
})
