import { describe, expect, it } from 'vitest'
import { CheckError, DuplicateError, LinkError, toDataError } from '@/data/errors'
import { mayChoose, readableDefinition, refusedFields } from '@/resource/fields/guards'
import { isQuickToCreate, judgedFields, presetOf, unfitRows } from '@/resource/fields/relation/picked'
import type { Action, Definition } from '@/resource/language/definition.generated'
import { canDuplicate } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { askedAction, isImmediate } from '@/resource/request/filter/actions'
import { crossCheck } from '@/resource/screens/form/check-record'
import { formLayout, partOf } from '@/resource/screens/form/form-sections'
import { duplicateValues, filledValues, newValues, writtenFields } from '@/resource/screens/form/form-values'
import { breaksOwnRule, fieldOfError } from '@/resource/screens/form/server-errors'

const printers: Definition = {
  name: 'printers',
  title: '{name}',
  fields: {
    name: { type: 'text', required: true, max_length: 20 },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active' },
    reason: { type: 'textarea', when: { status: { _eq: 'retired' } } },
    bought_on: { type: 'date', default: '$now' },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    approval: { type: 'text', guard: { write: { object: 'printers', verb: 'approve' } } },
    salary: {
      type: 'money',
      currency: 'TRY',
      from: { table: 'printer_pay', column: 'salary' },
      guard: { read: { object: 'pay', verb: 'show' } },
    },
    timezone: { type: 'timezone' },
    number: { type: 'number', readonly: true },
    model_id: { type: 'relation', to: 'models', where: { status: { _eq: '$record.status' } } },
  },
  actions: { test: { on: ['record'], rpc: 'test_printer' }, retire: { on: ['row'], rpc: 'x', danger: true } },
}
const scope = { user: { id: 'u1' }, now: new Date('2026-05-04T12:00:00Z') }

describe('guarded fields', () => {
  it('are left out where they may not be read, and nothing is copied where all may', () => {
    const seen = readableDefinition(printers, ({ object }) => object !== 'pay')
    expect(Object.keys(seen.fields)).not.toContain('salary')
    expect(readableDefinition(printers, () => true)).toBe(printers)
  })

  it('are never sent where they may not be written', () => {
    const refused = refusedFields(printers, ({ verb }) => verb !== 'approve')
    expect([...refused]).toEqual(['approval'])
    const values = { name: 'N', status: 'active', reason: 'typed, then hidden', approval: 'x' }
    expect(writtenFields(printers, ['name', 'reason', 'approval'], values, scope, refused)).toEqual(['name'])
  })

  it('offer no choice among records that somebody may not list', () => {
    const lists =
      (...objects: string[]) =>
      ({ object, verb }: { object: string; verb: string }) =>
        verb === 'list' && objects.includes(object)
    expect(mayChoose({ type: 'relation', to: 'devices' }, lists('tickets'))).toBe(false)
    expect(mayChoose({ type: 'relation', to: 'devices' }, lists('devices'))).toBe(true)
    expect(mayChoose({ type: 'user' }, lists('devices'))).toBe(false)
    expect(mayChoose({ type: 'user' }, lists('people'))).toBe(true)
    expect(mayChoose({ type: 'text' }, lists())).toBe(true)
  })
})

describe('a new record', () => {
  it('starts from its defaults, a day being the reader’s own', () => {
    expect(newValues(printers, scope)).toMatchObject({
      status: 'active',
      bought_on: '2026-05-04',
      name: null,
    })
  })

  it('leaves to the database what was never filled in, but not what was emptied', () => {
    expect(
      filledValues({ name: 'N', status: null, reason: null }, { status: 'active', reason: null }),
    ).toEqual({
      name: 'N',
      status: null,
    })
  })

  it('may begin as another: marked as a copy within its length, without what is not a person’s to write', () => {
    const row = { id: 'p1', name: 'Lexmark in the hallway', status: 'retired', number: 7, version: 3 }
    const values = duplicateValues(printers, row, '(copy)')
    expect(values.name).toBe('Lexmark in th (copy)')
    expect(String(values.name)).toHaveLength(20)
    expect(values).toMatchObject({ status: 'retired' })
    for (const name of ['id', 'number', 'version', 'salary']) expect(values).not.toHaveProperty(name)
    const fixed = {
      ...printers,
      fields: { ...printers.fields, name: { type: 'text', pattern: '^[A-Z]+$' } },
    } as const
    expect(duplicateValues(fixed, row, '(copy)').name).toBeNull()
  })

  it('is offered from another unless the definition or its form says no', () => {
    expect(canDuplicate(printers)).toBe(true)
    expect(canDuplicate({ ...printers, duplicate: false })).toBe(false)
    expect(canDuplicate({ ...printers, form: { component: 'a/b' } })).toBe(false)
    expect(canDuplicate({ ...printers, form: false })).toBe(false)
  })
})

describe('a refused write', () => {
  const field = (error: unknown, values = {}) => fieldOfError(printers, error, values)

  it('lands on the field that its column or constraint names', () => {
    expect(field(new CheckError('', '23514', undefined, 'printers_name_check'))).toBe('name')
    expect(field(new CheckError('', '23502', 'status'))).toBe('status')
    expect(field(new DuplicateError('', undefined, 'printers_company_id_name_key'))).toBe('name')
    expect(field(new LinkError('', 'model_id', 'printers_company_id_model_id_fkey'))).toBe('model_id')
    expect(field(new CheckError('', '23514', undefined, 'printers_bought_on_warranty_check'))).toBe(
      'bought_on',
    )
  })

  it('lands on the compared field where the whole row was checked', () => {
    expect(field(new CheckError('', '23514', undefined, 'printers_check'))).toBe('warranty')
    expect(crossCheck(printers, 'warranty')).toEqual({ key: '_gte', values: { value: '$record.bought_on' } })
    expect(crossCheck(printers, 'name')).toBeNull()
  })

  it('of a related record lands on the compared field, and of other records on the changed one', () => {
    const related: Definition = {
      ...printers,
      fields: {
        ...printers.fields,
        number: { type: 'number', check: { _gt: '$record.name', _lte: '$record.model_id.pages' } },
      },
    }
    const own = toDataError({ code: '23514', message: 'violates check constraint "printers_number_check03"' })
    expect(fieldOfError(related, own)).toBe('number')
    expect(crossCheck(related, 'number', 'printers_number_check03')).toEqual({
      key: '_lte',
      values: { value: '$record.model_id.pages' },
    })
    expect(crossCheck(related, 'number', 'printers_number_check01')?.key).toBe('_gt')
    const other = toDataError({
      code: '23514',
      message:
        'column "number" of relation "printers" violates check constraint "jobs_pages_check03" in 3 records of "jobs"',
    })
    expect(other).toMatchObject({ blocking: { resource: 'jobs', count: 3 } })
    expect([fieldOfError(related, other), breaksOwnRule(other), breaksOwnRule(own)]).toEqual([
      'number',
      false,
      true,
    ])
  })

  it('lands on the one field with the value that the database quotes', () => {
    const zone = toDataError({ code: '22023', message: 'time zone "Mars/Phobos" not recognized' }, 400)
    expect(field(zone, { name: 'N', timezone: 'Mars/Phobos' })).toBe('timezone')
    expect(field(zone, { name: 'Mars/Phobos', timezone: 'Mars/Phobos' })).toBeUndefined()
    const long = toDataError({ code: '22001', message: 'value too long for type character varying(4)' }, 400)
    expect(field(long, { name: 'too long', reason: 'ok' })).toBe('name')
  })

  it('stays a message where it is about something else', () => {
    expect(field(new CheckError('', '23514', undefined, 'other_check'))).toBeUndefined()
    expect(field(new Error('x'))).toBeUndefined()
  })
})

describe('a picker', () => {
  const models: Definition = {
    name: 'models',
    fields: { name: { type: 'text' }, status: { type: 'enum', values: { active: 'green' } } },
  }
  const where = { status: { _eq: '$record.status' } }
  const rows = [
    { id: 'm1', name: 'A', status: 'active' },
    { id: 'm2', name: 'B', status: 'retired' },
  ]

  it('flags what no longer fits as the other fields change', () => {
    const unfit = (status: string) =>
      unfitRows(models, where, rows, { record: { status } }).map(({ id }) => id)
    expect([unfit('active'), unfit('retired')]).toEqual([['m2'], ['m1']])
    expect(judgedFields(models, where)).toEqual(['status'])
  })

  it('leaves alone what it cannot judge by the record itself', () => {
    const beyond = { 'maker_id.name': { _eq: 'x' } }
    expect(unfitRows(models, beyond, rows, {})).toEqual([])
    expect(judgedFields(models, beyond)).toEqual([])
  })

  it('creates a simple record from what was typed, so that it fits', () => {
    expect(isQuickToCreate(models)).toBe(true)
    // A whole document is no quick matter, unless it may be left for later.
    const withBody = (required: boolean) => ({
      ...models,
      fields: { ...models.fields, body: { type: 'code' as const, required } },
    })
    expect(isQuickToCreate(withBody(true))).toBe(false)
    expect(isQuickToCreate(withBody(false))).toBe(true)
    expect(isQuickToCreate({ ...models, create: false })).toBe(false)
    expect(presetOf(models, 'X1', where, { record: { status: 'active' } })).toEqual({
      name: 'X1',
      status: 'active',
    })
  })
})

describe('a divided form', () => {
  it('knows in which step or tab a field stands', () => {
    const parts = { one: { sections: { a: ['name status'] } }, two: { sections: { b: ['reason'] } } }
    const layout = formLayout({ ...printers, form: { steps: parts } })
    expect(layout.kind).toBe('steps')
    expect(partOf(layout, 'status')?.name).toBe('one')
    expect(partOf(layout, 'reason')?.name).toBe('two')
    expect(partOf(layout, 'warranty')).toBeUndefined()
    expect(formLayout({ ...printers, form: { tabs: parts } }).kind).toBe('tabs')
    expect(formLayout(printers).parts).toHaveLength(1)
  })
})

describe('actions', () => {
  it('run at once where they ask nothing and take nothing away', () => {
    const action = (more: Partial<Action>) =>
      isImmediate({ name: 'a', object: 'x', verb: 'a', action: { on: ['row'], rpc: 'f', ...more } })
    expect(action({})).toBe(true)
    expect(action({ danger: true })).toBe(false)
    expect(action({ confirm: true })).toBe(false)
    expect(action({ params: { why: { type: 'text' } } })).toBe(false)
    expect(action({ rpc: undefined, component: 'a/b' })).toBe(false)
  })

  it('are opened by a record’s page only where the definition has them', () => {
    expect(askedAction(printers, { action: 'test' })?.name).toBe('test')
    expect(askedAction(printers, { action: 'drop' })).toBeUndefined()
    expect(askedAction(printers, null)).toBeUndefined()
  })
})

it('a ticket shows its counters and its timer to nobody who may not list what they are about', () => {
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('no definition of tickets')
  const shown = (allows: (object: string) => boolean) =>
    Object.keys(readableDefinition(tickets, ({ object }) => allows(object)).fields)
  const counters = ['checklist_progress', 'unfinished', 'timer_started_at', 'timer_state']
  expect(shown(() => true)).toEqual(expect.arrayContaining(counters))
  expect(shown(() => false).filter((name) => counters.includes(name))).toEqual([])
  expect(shown((object) => object === 'time_entries')).toEqual(
    expect.arrayContaining(['timer_started_at', 'timer_state']),
  )
  expect(shown((object) => object === 'time_entries')).not.toContain('checklist_progress')
})
