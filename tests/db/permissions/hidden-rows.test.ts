import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { listen } from '../support/live-ears'
import {
  type Attempt,
  admin,
  backend,
  COST,
  clerk,
  company,
  device,
  filterOn,
  leaks,
  license,
  openCaseClerk,
  own,
  rpc,
  SUBJECT,
  ticket,
  tries,
} from './case-clerk'

describe.each(drivers('listen'))('the rows outside a row rule, on %s', (driver) => {
  openCaseClerk(driver, 'hidden rows')

  it('gives a row outside the rule to nobody, whatever they ask', async () => {
    const tickets = (client: SupabaseClient) => client.from('tickets')
    const attempts: Attempt[] = [
      ['select', (c) => tickets(c).select('*')],
      ['by id', (c) => tickets(c).select('subject').eq('id', ticket)],
      ['a filter', (c) => tickets(c).select('subject').eq('subject', SUBJECT)],
      ['an or', (c) => tickets(c).select('*').or(`id.eq.${ticket},subject.like.*Kestrel*`)],
      ['an order', (c) => tickets(c).select('subject').order('subject_key').limit(100)],
      ['an embed of the device', (c) => c.from('devices').select('id,tickets(subject)').eq('id', device)],
      ['search', rpc('search_tickets', { q: 'Kestrel' })],
      [
        'the palette',
        rpc('find_records', {
          q: 'Kestrel',
          resources: [{ name: 'tickets', columns: ['subject'], company_id: company }],
        }),
      ],
      ['titles', rpc('record_titles', { wanted: { tickets: { ids: [ticket], fields: ['subject'] } } })],
      ['facets', rpc('facet_counts', { resource: 'tickets', field: 'subject', filter: {} })],
      [
        'facets of a search',
        rpc('facet_counts', { resource: 'tickets', field: 'subject', filter: {}, q: 'Kestrel' }),
      ],
      [
        'matching ids',
        rpc('matching_ids', { resource: 'tickets', filter: filterOn('subject', { _eq: SUBJECT }) }),
      ],
      ['activity', rpc('record_activity', { resource: 'tickets', record_id: ticket })],
      ['the log', (c) => c.from('audit_log').select('*').eq('row_id', ticket)],
      ['the log by its name', (c) => c.from('audit_log').select('*').like('row_name', '*Kestrel*')],
      ['the timeline of the device', rpc('device_timeline', { device_id: device, kinds: ['ticket'] })],
      ['a write', (c) => tickets(c).update({ description: 'x' }).eq('id', ticket).select('*')],
      ['a removal', (c) => tickets(c).delete().eq('id', ticket).select('*')],
      ['watchers', (c) => c.from('ticket_watchers').select('ticket_id,tickets(subject)')],
    ]
    expect(await leaks(attempts, [SUBJECT, 'Kestrel'])).toEqual([])
    // Answers that repeat an id that was asked for are told apart by their outcome.
    for (const [name, args] of [
      ['bulk_edit', { resource: 'tickets', ids: [ticket], changes: { description: 'x' } }],
      ['bulk_delete', { resource: 'tickets', ids: [ticket] }],
      [
        'save_rows',
        { resource: 'tickets', rows: [{ id: ticket, version: null, changes: { description: 'x' } }] },
      ],
    ] as const) {
      tries.count += 1
      const { data, error } = await clerk.rpc(name, args)
      expect([name, error?.code ?? (data as { outcome: string }[]).map(({ outcome }) => outcome)]).toEqual([
        name,
        name === 'bulk_delete' ? '42501' : ['gone'],
      ])
    }
    for (const ask of [
      () => clerk.rpc('assign_tickets', { ids: [ticket] }),
      () => clerk.rpc('set_ticket_status', { ids: [ticket], status: 'resolved' }),
    ]) {
      tries.count += 1
      expect((await ask()).error?.hint).toBe('ticket_gone')
    }
    tries.count += 2
    expect((await clerk.rpc('watch_tickets', { ids: [ticket] })).data).toBe(0)
    const joined = await clerk
      .from('ticket_watchers')
      .insert({ company_id: company, ticket_id: ticket, user_id: (await clerk.auth.getUser()).data.user?.id })
    expect(joined.error?.code).toBe('42501')
    tries.count += 1
    const { count } = await clerk
      .from('tickets')
      .select('id', { count: 'exact' })
      .like('subject', '*Kestrel*')
    expect(count).toBe(0)
  })

  it('covers the rows of the rule: own tickets are edited and assigned, watched ones are seen', async () => {
    expect((await clerk.rpc('assign_tickets', { ids: [own] })).data).toBe(1)
    expect((await clerk.from('audit_log').select('id').eq('row_id', own)).data?.length).toBeGreaterThan(0)
    const person = (await clerk.auth.getUser()).data.user?.id
    const watch = { company_id: company, ticket_id: ticket, user_id: person }
    expect((await admin.from('ticket_watchers').insert(watch)).error).toBeNull()
    expect((await clerk.from('tickets').select('subject').eq('id', ticket)).data).toEqual([
      { subject: SUBJECT },
    ])
    expect(
      (await clerk.rpc('record_activity', { resource: 'tickets', record_id: ticket })).data?.length,
    ).toBeGreaterThan(0)
    expect((await clerk.rpc('watch_tickets', { ids: [ticket], watching: false })).data).toBe(1)
    expect((await clerk.from('tickets').select('subject').eq('id', ticket)).data).toEqual([])
  })

  it('tells a member with a row rule that tickets changed, and not which', async () => {
    await Promise.all([clerk, admin].map((client) => client.realtime.setAuth()))
    const [ear, whole] = [
      await listen(clerk, `company:${company}`),
      await listen(admin, `company:${company}`),
    ]
    await backend.sql(`update public.tickets set description = 'live' where id = $1`, [ticket])
    await expect.poll(() => whole.heard.some(({ ids }) => ids.includes(ticket))).toBe(true)
    await expect.poll(() => ear.heard.some(({ table }) => table === 'tickets')).toBe(true)
    tries.count += 1
    expect(JSON.stringify(ear.heard)).not.toContain(ticket)
    await admin
      .from('software_licenses')
      .update({ cost: COST + 1 })
      .eq('id', license)
    await expect.poll(() => ear.heard.some(({ table }) => table === 'software_licenses')).toBe(true)
    tries.count += 1
    expect(JSON.stringify(ear.heard)).not.toMatch(/987654|hidden/)
    for (const client of [clerk, admin]) await client.removeAllChannels()
  })
})
