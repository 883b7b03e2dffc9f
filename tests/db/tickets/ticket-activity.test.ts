import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { type DeskStage, deskStage } from './desk-stage'

interface Entry {
  table_name: string
  row_id: string
  action: string
  actor_name: string | null
  changes: Record<string, [unknown, unknown]>
}

const LISTS = [
  'ticket_approvals.ticket_id',
  'ticket_links.ticket_id',
  'time_entries.ticket_id',
  'tickets.merged_into_id.links',
]

describe('the activity of a ticket', () => {
  let stage: DeskStage
  let admin: SupabaseClient

  const activity = async (id: string, client = admin, related = LISTS) =>
    (await client.rpc('record_activity', { resource: 'tickets', record_id: id, related }).throwOnError())
      .data as Entry[]
  const of = (entries: Entry[], table: string) =>
    entries.flatMap(({ table_name, action, changes }) => (table_name === table ? [{ action, changes }] : []))

  beforeAll(async () => {
    stage = await deskStage('pglite')
    admin = await stage.backend.client((await createAccount(stage.backend, 'Admin', stage.company)).email)
  })
  afterAll(() => stage?.backend.stop())

  it('tells of approvals that were asked for, decided with a note, and canceled', async () => {
    const id = await stage.ticket()
    const ask = () =>
      stage.desk
        .rpc('request_approval', { ids: [id], approver_role: 'Admin', question: 'May we?' })
        .throwOnError()
    await ask()
    const [first] = await stage.backend.sql<{ id: string }>(
      'select id from public.ticket_approvals where ticket_id = $1',
      [id],
    )
    await admin.rpc('decide_approvals', { ids: [first?.id], approved: true, note: 'Yes' }).throwOnError()
    await ask()
    const [second] = await stage.backend.sql<{ id: string }>(
      `select id from public.ticket_approvals where ticket_id = $1 and status = 'asked'`,
      [id],
    )
    await stage.desk.rpc('cancel_approval_requests', { ids: [second?.id] }).throwOnError()
    expect(of(await activity(id), 'ticket_approvals')).toMatchObject([
      { action: 'edit', changes: { status: ['asked', 'canceled'] } },
      { action: 'create', changes: { question: [null, 'May we?'] } },
      { action: 'edit', changes: { status: ['asked', 'approved'], note: [null, 'Yes'] } },
      { action: 'create', changes: { question: [null, 'May we?'] } },
    ])
    // Whoever reads no audit log reads none of a list.
    expect(await activity(id, stage.requester)).toEqual([])
    expect(await activity(id, stage.stranger)).toEqual([])
  })

  it('tells of a link that was added and deleted', async () => {
    const [id, other] = [await stage.ticket(), await stage.ticket()]
    const link = await stage.add('ticket_links', { ticket_id: id, other_id: other, kind: 'blocks' })
    await stage.desk.from('ticket_links').delete().eq('id', link).throwOnError()
    for (const [ticket, kind] of [
      [id, 'blocks'],
      [other, 'blocked_by'],
    ] as const)
      expect(of(await activity(ticket), 'ticket_links')).toMatchObject([
        { action: 'delete', changes: { kind: [kind, null] } },
      ])
    expect(of(await activity(await stage.ticket()), 'ticket_links')).toEqual([])
  })

  it('tells of time and of a ticket that was merged into it, and not of a comment that nobody wrote', async () => {
    const [merged, target] = [await stage.ticket(), await stage.ticket()]
    await stage.add('time_entries', {
      ticket_id: target,
      user_id: stage.deskId,
      started_at: '2026-01-02T08:00:00Z',
      ended_at: '2026-01-02T09:00:00Z',
    })
    await stage.merge([merged], target).throwOnError()
    const entries = await activity(target)
    expect(of(entries, 'time_entries')).toMatchObject([{ action: 'create' }])
    expect(entries.filter(({ row_id }) => row_id === merged)).toMatchObject([
      { table_name: 'tickets', action: 'edit', changes: { merged_into_id: [null, target] } },
    ])
    expect(of(entries, 'ticket_comments')).toEqual([])
  })

  it('takes a few lists of records, which exist', async () => {
    const id = await stage.ticket()
    const refusal = async (related: string[]) =>
      (await admin.rpc('record_activity', { resource: 'tickets', record_id: id, related })).error
    const [list = ''] = LISTS
    expect(await refusal(Array.from({ length: 21 }, () => list))).toMatchObject({ code: '22023' })
    for (const unknown of ['nowhere.ticket_id', 'time_entries.nothing', 'time_entries', ''])
      expect(await refusal([unknown])).toMatchObject({
        code: '22023',
        message: `no list of related records is '${unknown}'`,
      })
  })

  it('reads on after an entry of a list', async () => {
    const id = await stage.ticket()
    for (const hour of ['08', '10', '12'])
      await stage.add('time_entries', {
        ticket_id: id,
        user_id: stage.deskId,
        started_at: `2026-01-02T${hour}:00:00Z`,
        ended_at: `2026-01-02T${hour}:30:00Z`,
      })
    const all = (await activity(id)) as (Entry & { id: string; at: string })[]
    const { data: rest } = await admin
      .rpc('record_activity', {
        resource: 'tickets',
        record_id: id,
        related: LISTS,
        before: all[1]?.at,
        before_id: all[1]?.id,
      })
      .throwOnError()
    expect((rest as { id: string }[]).map((entry) => entry.id)).toEqual(all.slice(2).map((entry) => entry.id))
  })
})
