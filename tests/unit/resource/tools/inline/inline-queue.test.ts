import { describe, expect, it } from 'vitest'
import { CheckError } from '@/data/errors'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { cellColumns, isCellOpen, neededFields, problemsOf } from '@/resource/tools/inline/check-queue'
import {
  changeCount,
  conflictsOf,
  type EditQueue,
  EMPTY_QUEUE,
  enqueue,
  keepMine,
  rebase,
  recordOf,
  removeChange,
  withOutcomes,
} from '@/resource/tools/inline/edit-queue'

const printers: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text', required: true, max_length: 10 },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' } },
    reason: { type: 'textarea', when: { status: { _eq: 'retired' } }, required: true },
    pages: { type: 'number', min: 0 },
    bought_on: { type: 'date' },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    serial: { type: 'text', once: true },
    script: { type: 'code', language: 'bash' },
    groups: { type: 'many-to-many', to: 'groups', through: 'gp', near: 'printer_id', far: 'group_id' },
    seen: { type: 'datetime', readonly: true },
    hidden: { type: 'text' },
  },
  form: { sections: { main: ['name status', 'reason pages', 'bought_on warranty', 'serial script groups'] } },
}
const row = { id: 'a', version: 3, name: 'A', status: 'active', pages: 1, bought_on: '2026-01-01' }
const other = { ...row, id: 'b', name: 'B' }
const scope = {}
const put = (queue: EditQueue, of: typeof row, name: string, value: unknown) =>
  enqueue(queue, printers, of, name, value)
const entry = (queue: EditQueue, id = 'a') => {
  const found = queue.get(id)
  if (!found) throw new Error(`${id} is not queued`)
  return found
}

describe('the queue of changes', () => {
  it('gathers by row and counts the changes', () => {
    let queue = put(EMPTY_QUEUE, row, 'pages', 2)
    queue = put(queue, other, 'pages', 5)
    queue = put(queue, row, 'name', 'AA')
    expect(queue.size).toBe(2)
    expect(changeCount(queue)).toBe(3)
    expect(recordOf(entry(queue))).toMatchObject({ name: 'AA', pages: 2, status: 'active' })
    expect(entry(queue).base).toBe(row)
  })

  it('forgets a change that is the old value again, and a row without any', () => {
    let queue = put(put(EMPTY_QUEUE, row, 'pages', 2), row, 'name', 'AA')
    queue = put(queue, row, 'pages', 1)
    expect(entry(queue).changes).toEqual({ name: 'AA' })
    expect(put(queue, row, 'name', 'A').size).toBe(0)
    expect(put(EMPTY_QUEUE, { ...row, name: '' }, 'name', '  ').size).toBe(0)
    expect(removeChange(queue, printers, 'a', 'name').size).toBe(0)
  })

  it('counts from the row as it was first read, whichever page shows it later', () => {
    const queue = put(EMPTY_QUEUE, row, 'pages', 2)
    expect(put(queue, { ...row, pages: 9 }, 'pages', 9).get('a')?.base).toBe(row)
  })
})

describe('what somebody else wrote meanwhile', () => {
  const queue = put(put(EMPTY_QUEUE, row, 'pages', 2), other, 'name', 'BB')

  it('leaves the queue as it is while nothing is newer', () => {
    expect(rebase(queue, printers, [row, { ...other, version: 2 }])).toBe(queue)
  })

  it('takes the old version’s place where it touches no change', () => {
    const next = rebase(queue, printers, [{ ...row, version: 4, name: 'theirs' }])
    expect(entry(next)).toMatchObject({ isOvertaken: true, theirs: null, changes: { pages: 2 } })
    expect(entry(next).base).toMatchObject({ version: 4, name: 'theirs' })
    expect(next.get('b')).toBe(queue.get('b'))
  })

  it('ends a change that says the same', () => {
    expect(rebase(queue, printers, [{ ...row, version: 4, pages: 2 }]).has('a')).toBe(false)
  })

  it('that says something else waits for a decision', () => {
    const theirs = { ...row, version: 4, pages: 7, name: 'theirs' }
    const next = rebase(queue, printers, [theirs])
    expect(conflictsOf(printers, entry(next))).toEqual(['pages'])
    expect(entry(next).base.version).toBe(3)
    const mine = entry(keepMine(next, printers, 'a', 'pages'))
    expect(mine).toMatchObject({ theirs: null, changes: { pages: 2 } })
    expect(mine.base).toMatchObject({ version: 4, pages: 7, name: 'theirs' })
    expect(removeChange(next, printers, 'a', 'pages').has('a')).toBe(false)
    // A still newer version is told from the one that waits.
    expect(rebase(next, printers, [theirs])).toBe(next)
    expect(rebase(next, printers, [{ ...theirs, version: 5, pages: 1 }]).get('a')?.theirs).toBeNull()
  })

  it('is not judged by a row that was read without the changed field', () => {
    expect(rebase(queue, printers, [{ id: 'a', version: 4, name: 'theirs' }])).toBe(queue)
  })
})

describe('after saving', () => {
  it('what was written leaves, what was not stays with its reason until it is changed', () => {
    let queue = put(EMPTY_QUEUE, row, 'pages', 2)
    for (const id of ['b', 'c', 'd', 'e']) queue = put(queue, { ...row, id }, 'pages', 2)
    const error = new CheckError('no', '23514')
    const next = withOutcomes(queue, [
      { id: 'a', outcome: 'changed' },
      { id: 'b', outcome: 'same' },
      { id: 'c', outcome: 'gone' },
      { id: 'd', outcome: 'refused', error },
      { id: 'e', outcome: 'stale' },
    ])
    expect([...next.keys()]).toEqual(['c', 'd', 'e'])
    expect(entry(next, 'c').failure).toEqual({ kind: 'gone' })
    expect(entry(next, 'd').failure).toEqual({ kind: 'refused', error })
    expect(put(next, { ...row, id: 'd' }, 'pages', 3).get('d')?.failure).toBeNull()
  })
})

describe('the cells of a list', () => {
  it('are those the form offers and this person may write', () => {
    const names = [...Object.keys(printers.fields), 'device_id.name']
    expect([...cellColumns(printers, names, (name) => name !== 'pages')]).toEqual([
      'name',
      'status',
      'reason',
      'bought_on',
      'warranty',
    ])
  })

  it('need what their checks and conditions speak of', () => {
    expect(neededFields(printers, ['status'])).toEqual(['reason'])
    expect(neededFields(printers, ['reason', 'warranty'])).toEqual(['status', 'bought_on'])
    expect(neededFields(printers, ['name'])).toEqual([])
    const pages: Field = { type: 'number', check: { _lte: '$record.model_id.pages' } }
    const model_id: Field = { type: 'relation', to: 'models' }
    const related: Definition = { ...printers, fields: { ...printers.fields, model_id, pages } }
    expect(neededFields(related, ['pages'])).toEqual(['model_id', 'model_id.pages'])
  })

  it('follow the changes of their row, and stay closed while that cannot be told', () => {
    const open = (of: Record<string, unknown>, changes = {}) =>
      isCellOpen(
        printers,
        'reason',
        { id: 'a', base: of, changes, theirs: null, isOvertaken: false, failure: null },
        scope,
      )
    expect(open(row)).toBe(false)
    expect(open(row, { status: 'retired' })).toBe(true)
    expect(open({ id: 'a' })).toBe(false)
  })
})

describe('the definition’s own checks', () => {
  const problems = (of: Record<string, unknown>, name: string, value: unknown) =>
    problemsOf(printers, entry(enqueue(EMPTY_QUEUE, printers, of, name, value)), scope)

  it('are next to the change', () => {
    expect(problems(row, 'name', null).get('name')?.problem.key).toBe('required')
    expect(problems(row, 'name', 'far too long').get('name')?.problem.key).toBe('tooLong')
    expect(problems(row, 'pages', 4).size).toBe(0)
  })

  it('of another field are next to the change that causes them, unless they were so before', () => {
    const dated = { ...row, warranty: '2026-02-01' }
    expect(problems(dated, 'bought_on', '2026-03-01').get('bought_on')).toMatchObject({
      field: 'warranty',
      problem: { key: '_gte' },
    })
    expect(problems({ ...row, reason: null }, 'status', 'retired').get('status')?.field).toBe('reason')
    expect(problems({ ...dated, warranty: '2025-01-01' }, 'bought_on', '2026-03-01').size).toBe(0)
  })
})
