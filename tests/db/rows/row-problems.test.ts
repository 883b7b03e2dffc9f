import { beforeAll, describe, expect, it } from 'vitest'
import { type DeskStage, deskStage } from '../tickets/desk-stage'

/** A check that fails has the whole row as its detail, with columns that the caller may not read. */
describe('the problem of a row', () => {
  let stage: DeskStage
  let entry: string
  let ticket: string

  const start = '2026-01-02T08:00:00Z'
  const changes = { ended_at: '2026-01-01T08:00:00Z' }
  beforeAll(async () => {
    stage = await deskStage('pglite')
    ticket = await stage.ticket()
    const worked = { user_id: stage.deskId, started_at: start, ended_at: '2026-01-02T09:00:00Z' }
    entry = await stage.add('time_entries', { ticket_id: ticket, ...worked })
  })

  it.each<[string, () => Record<string, unknown>]>([
    ['bulk_edit', () => ({ resource: 'time_entries', ids: [entry], changes })],
    ['save_rows', () => ({ resource: 'time_entries', rows: [{ id: entry, version: 1, changes }] })],
    [
      'save_children',
      () => ({
        resource: 'time_entries',
        by: 'ticket_id',
        parent: ticket,
        rows: [{ changes: { company_id: stage.company, started_at: start, ...changes } }],
      }),
    ],
    [
      'bulk_act',
      () => ({
        resource: 'tickets',
        ids: [ticket],
        act: 'request_approval',
        args: { approver_role: 'Admin', question: 'x'.repeat(5000) },
      }),
    ],
    [
      'import_rows',
      () => ({
        resource: 'tags',
        company: stage.company,
        rows: [{ line: 1, values: { name: 'x'.repeat(50) } }],
        mode: 'insert',
      }),
    ],
  ])('holds no row in the answer of %s', async (name, args) => {
    const { data, error } = await stage.as(stage.people.admin).rpc(name, args())
    expect(error).toBeNull()
    const answer = JSON.stringify(data)
    expect(answer).toContain('23514')
    expect(answer).not.toContain('Failing row')
  })
})
