import { describe, expect, it } from 'vitest'
import type { LiveChange } from '@/data/live'
import { fetchNotingWrites, isEchoTime } from '@/data/own-writes'
import type { Definition } from '@/resource/definition/definition.generated'
import {
  addChanges,
  concernsRecord,
  isToApply,
  NOTHING,
  pendingCount,
  watchedTables,
} from '@/resource/queries/pending-changes'
import { hasFigures } from '@/resource/queries/refresh'

const change = (ids: string[], more: Partial<LiveChange> = {}): LiveChange => ({
  table: 'tickets',
  op: 'update',
  ids,
  own: false,
  ...more,
})

describe('what a list says has changed', () => {
  it('is counted by rows: one that changes twice is one', () => {
    const first = addChanges(NOTHING, [change(['a', 'b']), change(['a'], { op: 'delete' })])
    expect(pendingCount(first)).toBe(2)
    expect(pendingCount(addChanges(first, [change(['c'], { op: 'insert' })]))).toBe(3)
    expect(pendingCount(NOTHING)).toBe(0)
  })

  it('is fifty and more when a message names no rows', () => {
    const some = addChanges(NOTHING, [change(['a']), change([])])
    expect(some.isMore).toBe(true)
    expect(pendingCount(some)).toBe(50)
    const many = addChanges(some, [change(Array.from({ length: 80 }, (_, index) => String(index)))])
    expect(pendingCount(many)).toBe(81)
  })

  it('is read at once after a lost connection and after an own write, and waits otherwise', () => {
    expect(isToApply([change(['a'])])).toBe(false)
    expect(isToApply([change(['a']), change(['b'], { own: true })])).toBe(true)
    expect(isToApply([change([], { table: '*', op: '*' })])).toBe(true)
  })
})

describe('a record', () => {
  it('is read again for its own row and for what its fields are read from, not for its neighbours', () => {
    const record = { table: 'tickets', id: 'a' }
    expect(concernsRecord([change(['b'])], record)).toBe(false)
    expect(concernsRecord([change(['b', 'a'])], record)).toBe(true)
    expect(concernsRecord([change([])], record)).toBe(true)
    expect(concernsRecord([change(['x'], { table: 'ticket_watchers' })], record)).toBe(true)
  })
})

describe('own writes', () => {
  it('are known while they run and shortly after; reading and searching are none', async () => {
    const real = globalThis.fetch
    let seen: boolean | undefined
    globalThis.fetch = async () => {
      seen = isEchoTime()
      return new Response('[]')
    }
    try {
      await fetchNotingWrites('http://x/rest/v1/tickets?select=id')
      await fetchNotingWrites('http://x/rest/v1/rpc/search_tickets', { method: 'POST' })
      await fetchNotingWrites('http://x/auth/v1/token', { method: 'POST' })
      expect(seen).toBe(false)
      await fetchNotingWrites('http://x/rest/v1/tickets?id=eq.1', { method: 'PATCH' })
      expect(seen).toBe(true)
      expect(isEchoTime()).toBe(true)
    } finally {
      globalThis.fetch = real
    }
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
  })
})
