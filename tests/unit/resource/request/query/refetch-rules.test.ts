import { describe, expect, it } from 'vitest'
import type { LiveChange } from '@/data/live'
import type { Definition } from '@/resource/language/definition.generated'
import {
  addChanges,
  concernsRecord,
  hasFigures,
  isToApply,
  NOTHING,
  nameRows,
  pendingCount,
  watchedTables,
} from '@/resource/request/query/refetch-rules'

const change = (ids: string[], more: Partial<LiveChange> = {}): LiveChange => ({
  table: 'tickets',
  op: 'update',
  ids,
  own: false,
  ...more,
})

describe('what a list says has changed', () => {
  it('is counted by rows: one that changes twice is one', () => {
    const first = addChanges(NOTHING, ['a', 'b'], false)
    expect(pendingCount(addChanges(first, ['a'], false))).toBe(2)
    expect(pendingCount(addChanges(first, ['c'], false))).toBe(3)
    expect(pendingCount(NOTHING)).toBe(0)
    // The same object: nothing is drawn anew for what does not concern the list.
    expect(addChanges(first, [], false)).toBe(first)
  })

  it('is fifty and more when a message names no rows', () => {
    const some = addChanges(NOTHING, ['a'], true)
    expect(some.isMore).toBe(true)
    expect(pendingCount(some)).toBe(50)
    const many = addChanges(
      some,
      Array.from({ length: 80 }, (_, index) => String(index)),
      false,
    )
    expect(pendingCount(many)).toBe(81)
  })

  it('is what it shows, and what it may hold by now: rows gone from elsewhere are nothing to it', () => {
    const [shown, own] = [new Set(['a', 'b']), new Set(['tickets'])]
    const named = (...changes: LiveChange[]) => nameRows(changes, shown, own)
    expect(named(change(['a', 'x']), change(['b', 'y'], { op: 'delete' }))).toEqual({
      shown: ['a', 'b'],
      others: ['x'],
      isMore: false,
    })
    // A row of a table between that is gone leaves the row of the list where it is.
    expect(named(change(['x'], { table: 'ticket_watchers', op: 'delete' })).others).toEqual(['x'])
    expect(named(change([]))).toEqual({ shown: [], others: [], isMore: true })
    const crowd = Array.from({ length: 3 }, (_, at) =>
      change(Array.from({ length: 40 }, (_, index) => `${at}-${index}`)),
    )
    expect(named(...crowd, change(['a']))).toEqual({ shown: ['a'], others: [], isMore: true })
  })

  it('is read at once after a lost connection and after an own write, and waits otherwise', () => {
    expect(isToApply([change(['a'])])).toBe(false)
    expect(isToApply([change(['a']), change(['b'], { own: true })])).toBe(true)
    expect(isToApply([change([], { table: '*', op: '*' })])).toBe(true)
  })
})

describe('a record', () => {
  it('is read again for its own row and for what its fields are read from, not for its neighbors', () => {
    const record = { tables: new Set(['tickets']), id: 'a' }
    expect(concernsRecord([change(['b'])], record)).toBe(false)
    expect(concernsRecord([change(['b', 'a'])], record)).toBe(true)
    expect(concernsRecord([change([])], record)).toBe(true)
    expect(concernsRecord([change(['x'], { table: 'ticket_watchers' })], record)).toBe(true)
  })
})

describe('a list that reads again by itself', () => {
  const tickets: Definition = { name: 'tickets', fields: { subject: { type: 'text' } } }
  it('is one of figures that machines write without a word', () => {
    expect(hasFigures(tickets)).toBe(false)
    expect(hasFigures({ ...tickets, form: false })).toBe(true)
    expect(hasFigures({ ...tickets, form: false, live: false })).toBe(false)
    const seen = { type: 'datetime', from: { table: 'device_presence', column: 'last_seen_at' } } as const
    const devices: Definition = { name: 'devices', fields: { seen } }
    expect(hasFigures(devices)).toBe(true)
    expect([...watchedTables(devices)]).toEqual(['devices', 'device_presence'])
    const users: Definition = { name: 'users', live: ['user_roles', 'profiles'], fields: {} }
    expect([...watchedTables(users)]).toEqual(['users', 'user_roles', 'profiles'])
  })
})
