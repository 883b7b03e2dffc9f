import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Each driver sends the arguments of functions in its own way. */
describe.each(drivers('types'))('an argument of another type, on %s,', (driver) => {
  let backend: TestBackend
  let client: SupabaseClient
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    const company = await createCompany(backend)
    client = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })
  afterAll(() => backend?.stop())

  it.each<[string, string, Record<string, unknown>]>([
    ['a number for text[]', 'record_activity', { resource: 'tickets', record_id: NOBODY, related: 5 }],
    [
      'an object for text[]',
      'record_activity',
      { resource: 'tickets', record_id: NOBODY, related: { a: 1 } },
    ],
    ['a text for text[]', 'record_activity', { resource: 'tickets', record_id: NOBODY, related: 'x' }],
    ['a negative number for text[]', 'is_taken', { resource: 'tickets', fields: -1, record: {} }],
    ['a number for keys', 'import_rows', { resource: 'tickets', rows: [], keys: 5 }],
    ['a number for fields', 'trash', { resource: 'tickets', fields: 5 }],
    ['a number for uuid[]', 'merge_tickets', { ids: 5, target_id: NOBODY }],
    ['a list half nested', 'trash', { resource: 'tickets', fields: [['x'], 2] }],
    ['a list for uuid', 'merge_tickets', { ids: [], target_id: [1] }],
    ['a text for date', 'decide_patches', { ids: [NOBODY], approval: 'deferred', until: 'soon' }],
    ['an object for timestamptz', 'stop_timer', { ended_at: { a: 1 } }],
    ['an object without a text for uuid', 'merge_tickets', { ids: [NOBODY], target_id: { toString: 1 } }],
    ['objects without a text for uuid[]', 'merge_tickets', { ids: [{ toString: 1 }], target_id: NOBODY }],
    [
      'an object without a text for integer',
      'suggest_articles',
      { q: 'x', most: { toString: null, valueOf: 1 } },
    ],
    ['a number too large for timestamptz', 'stop_timer', { ended_at: 1e308 }],
    ['a list nested too deep for uuid[]', 'merge_tickets', { ids: [[[[[[[NOBODY]]]]]]], target_id: NOBODY }],
    ['an object without a text for timestamptz', 'stop_timer', { ended_at: { toString: 1 } }],
  ])('is refused: %s', async (_name, call, args) => {
    const { error, status } = await client.rpc(call, args)
    expect([status, error?.code]).toEqual([400, expect.stringMatching(/^(22P02|2200[78]|54000|PGRST100)$/)])
  })

  it('an object without a text is a text like any other', async () => {
    const people = await client.rpc('search_people', { q: { toString: 1 } })
    expect(people).toMatchObject({ status: 200, data: [] })
    const table = await client
      .from('tickets')
      .update({ subject: { toString: 1 } })
      .eq('id', NOBODY)
    expect(table.status).toBe(204)
  })

  it('a long text that cannot be read is quoted in part', async () => {
    const { error } = await client.rpc('merge_tickets', { ids: 'y'.repeat(100_000), target_id: NOBODY })
    expect(error?.code).toBe('22P02')
    expect(error?.message.length).toBeLessThan(2100)
  })

  it.each([
    ['without an id', ['ticket_tags.ticket_id']],
    ['with a null', [null]],
    ['of no such table', ['nothing.ticket_id']],
    ['of no such column', ['tickets.nothing']],
    ['of a moment', ['tickets.created_at']],
    ['without a dot', ['tickets']],
  ])('record_activity refuses a related list %s in plain words', async (_name, related) => {
    const args = { resource: 'tickets', record_id: NOBODY, related }
    const { error } = await client.rpc('record_activity', args)
    expect(error).toMatchObject({ code: '22023' })
    expect(error?.message).not.toMatch(/t\.id|identifier/)
  })
})
