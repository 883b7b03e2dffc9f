import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { insertInto } from '../support/as-user'
import { afterWaiting, type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('merged tickets on %s', (driver) => {
  let stage: DeskStage

  beforeAll(async () => {
    stage = await deskStage(driver)
  })
  afterAll(() => stage?.backend.stop())

  it('a merge moves comments, attachments, watchers, links and subtickets, and closes the merged ticket', async () => {
    const merged = await stage.ticket({ requester_id: stage.secondId })
    const target = await stage.ticket()
    const linked = await stage.ticket()
    const child = await stage.ticket({ parent_id: merged })
    const comment = await stage.add('ticket_comments', {
      ticket_id: merged,
      body: 'Moved',
      author_id: stage.secondId,
      created_at: '2026-01-02T03:04:05Z',
    })
    const note = await stage.add('ticket_comments', {
      ticket_id: merged,
      kind: 'note',
      body: 'Note',
      author_id: stage.deskId,
    })
    const file = await stage.add('files', {
      resource: 'tickets',
      record_id: merged,
      name: 'photo.png',
      size: 10,
    })
    const attached = await stage.add('files', {
      resource: 'ticket_comments',
      record_id: comment,
      name: 'log.txt',
      size: 10,
    })
    await stage.add('ticket_links', { ticket_id: merged, other_id: linked, kind: 'blocks' })
    expect((await stage.merge([merged], target)).data).toBe(1)
    expect(await stage.read(merged)).toMatchObject({ status: 'closed', merged_into_id: target })
    expect(
      await stage.backend.sql(
        'select id, kind, author_id, created_at::text from public.ticket_comments where ticket_id = $1 and origin is null order by created_at',
        [target],
      ),
    ).toMatchObject([
      {
        id: comment,
        kind: 'reply',
        author_id: stage.secondId,
        created_at: expect.stringContaining('2026-01-02'),
      },
      { id: note, kind: 'note', author_id: stage.deskId },
    ])
    expect(
      (await stage.one<{ record_id: string }>('select * from public.files where id = $1', [file])).record_id,
    ).toBe(target)
    expect(
      (await stage.one<{ record_id: string }>('select * from public.files where id = $1', [attached]))
        .record_id,
    ).toBe(comment)
    expect(
      await stage.backend.sql('select user_id from public.ticket_watchers where ticket_id = $1', [target]),
    ).toEqual([{ user_id: stage.secondId }])
    expect(
      await stage.backend.sql(
        'select ticket_id, kind, other_id from public.ticket_links where company_id = $1 order by kind',
        [stage.company],
      ),
    ).toEqual(
      [
        { ticket_id: linked, kind: 'blocked_by', other_id: target },
        { ticket_id: target, kind: 'blocks', other_id: linked },
      ].sort((a, b) => a.kind.localeCompare(b.kind)),
    )
    expect(await stage.read(child)).toMatchObject({ parent_id: target })
    expect(await stage.read(target)).toMatchObject({ subticket_count: 1 })
    expect(await stage.read(merged)).toMatchObject({ subticket_count: 0 })
    // It is still found by its number.
    const { data } = await stage.desk
      .rpc('search_tickets', { q: `#${(await stage.read(merged)).number}` })
      .select('id,merged_into_id')
    expect(data).toContainEqual({ id: merged, merged_into_id: target })
  })

  it('the words and attachments of a ticket without a requester become notes, which the requester of the survivor does not read', async () => {
    const seen = async (table: string, filter: Record<string, unknown>) =>
      (await stage.requester.from(table).select('id').match(filter).throwOnError()).data?.length
    const mailed = { requester_id: null, requester_email: 'ayse@elsewhere.test', requester_name: 'Ayşe' }
    for (const [values, kind] of [
      [{ requester_id: null }, 'note'],
      [mailed, 'note'],
      [{}, 'reply'],
    ] as const) {
      const merged = await stage.ticket({
        status: 'open',
        first_responded_at: '2026-02-03T04:05:06Z',
        ...values,
      })
      const target = await stage.ticket()
      const comment = await stage.add('ticket_comments', {
        ticket_id: merged,
        body: 'To nobody',
        author_id: stage.deskId,
      })
      const file = await stage.add('files', {
        resource: 'tickets',
        record_id: merged,
        name: 'a.png',
        size: 1,
        uploaded_at: '2026-02-03T04:05:06Z',
      })
      expect((await stage.merge([merged], target)).error).toBeNull()
      const rows = await stage.backend.sql<{ kind: string }>(
        'select kind from public.ticket_comments where ticket_id = $1',
        [target],
      )
      expect(rows).toEqual([{ kind }, { kind }])
      const isRead = kind === 'reply'
      expect(await seen('ticket_comments', { id: comment })).toBe(isRead ? 1 : 0)
      expect(await seen('files', { id: file })).toBe(isRead ? 1 : 0)
      expect((await stage.desk.from('files').select('id').eq('id', file)).data).toHaveLength(1)
      // A note does not answer the requester.
      expect((await stage.read(target)).first_responded_at !== null).toBe(isRead)
    }
    // Two mails of one address are one conversation.
    const [first, second] = [await stage.ticket(mailed), await stage.ticket(mailed)]
    await stage.merge([first], second)
    expect(
      await stage.backend.sql('select kind from public.ticket_comments where ticket_id = $1', [second]),
    ).toEqual([{ kind: 'reply' }])
    // An account that took a mailed ticket over later is somebody else than who wrote the mail.
    const taken = await stage.ticket({ ...mailed, requester_id: stage.requesterId })
    await stage.merge([await stage.ticket(mailed)], taken)
    expect(
      await stage.backend.sql('select kind from public.ticket_comments where ticket_id = $1', [taken]),
    ).toEqual([{ kind: 'note' }])
  })

  it('the description of a merged ticket is in the thread, by its requester and under its title, and mails its requester alone', async () => {
    const merged = await stage.ticket({
      requester_id: stage.secondId,
      subject: 'Printer',
      description: 'It jams.',
    })
    const empty = await stage.ticket({ requester_id: stage.secondId, subject: 'Paper' })
    const target = await stage.ticket()
    const number = async (id: string) => (await stage.read(id)).number
    const mails = () =>
      stage.backend.sql<{ user_id: string; events: string[] }>(
        'select user_id, events from app.ticket_mails where ticket_id = any ($1)',
        [[merged, empty, target]],
      )
    await stage.backend.sql('delete from app.ticket_mails where ticket_id = any ($1)', [
      [merged, empty, target],
    ])
    expect((await stage.merge([merged, empty], target)).error).toBeNull()
    const words = `select origin, body, author_id, created_at = (select t.created_at from public.tickets t where t.number = $2 and t.company_id = $3) as is_then
      from public.ticket_comments where ticket_id = $1 and origin like $4`
    const wordsOf = async (id: string) =>
      stage.backend.sql(words, [target, await number(id), stage.company, `#${await number(id)}:%`])
    expect(await wordsOf(merged)).toEqual([
      {
        origin: `#${await number(merged)}: Printer`,
        body: 'It jams.',
        author_id: stage.secondId,
        is_then: true,
      },
    ])
    // A ticket without a description asked with its subject.
    expect(await wordsOf(empty)).toMatchObject([{ body: 'Paper', author_id: stage.secondId }])
    expect(await stage.read(target)).toMatchObject({ status: 'new', first_responded_at: null })
    // That each of their tickets goes on elsewhere; the requester of the survivor is told nothing.
    const told = { user_id: stage.secondId, events: ['merged'] }
    expect(await mails()).toEqual([told, told])
    const { error } = await stage.requester
      .from('ticket_comments')
      .insert({ company_id: stage.company, ticket_id: target, body: 'Forged', origin: '#1: Forged' })
    expect(error).toMatchObject({ code: '42501' })
  })

  it('the answer of a merged ticket is the first response of the survivor: when its own requester had it, or else now', async () => {
    const answered = '2026-02-03T04:05:06+00:00'
    const cases = [
      { requester_id: stage.requesterId, created_at: '2026-02-01T00:00:00Z', is: answered },
      {
        requester_id: stage.requesterId,
        created_at: '2026-02-04T00:00:00Z',
        is: '2026-02-04T00:00:00+00:00',
      },
      { requester_id: stage.secondId, created_at: '2026-02-01T00:00:00Z', is: 'now' },
    ]
    for (const { is, ...values } of cases) {
      const target = await stage.ticket(values)
      const merged = await stage.ticket({ status: 'open', first_responded_at: answered })
      expect((await stage.merge([merged], target)).error).toBeNull()
      const { at, now, status } = await stage.one<{ at: string; now: boolean; status: string }>(
        `select to_char(first_responded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as at,
          first_responded_at > now() - interval '1 minute' as now, status from public.tickets where id = $1`,
        [target],
      )
      expect(is === 'now' ? now : at).toBe(is === 'now' ? true : is)
      expect(status).toBe('open')
    }
    const early = '2026-01-01T00:00:00Z'
    const own = await stage.ticket({ status: 'open', created_at: early, first_responded_at: early })
    const later = await stage.ticket({ status: 'open', first_responded_at: answered })
    await stage.merge([later], own)
    expect(
      await stage.one('select first_responded_at = $2 as kept from public.tickets where id = $1', [
        own,
        early,
      ]),
    ).toEqual({ kept: true })
  })

  it('the effects of a merge are counted for whoever may merge', async () => {
    const merged = await stage.ticket({ requester_id: stage.secondId })
    await stage.add('ticket_comments', { ticket_id: merged, body: 'One', author_id: stage.secondId })
    await stage.add('ticket_comments', {
      ticket_id: merged,
      kind: 'note',
      body: 'Two',
      author_id: stage.deskId,
    })
    await stage.add('time_entries', {
      ticket_id: merged,
      user_id: stage.deskId,
      started_at: '2026-01-01T00:00:00Z',
      ended_at: '2026-01-01T01:00:00Z',
    })
    await stage.add('ticket_approvals', {
      ticket_id: merged,
      step: 1,
      person_id: stage.deskId,
      status: 'asked',
    })
    const effects = (client: SupabaseClient) => client.rpc('merge_effects', { ids: [merged] })
    expect((await effects(stage.desk)).data).toMatchObject({
      comments: 2,
      time_entries: 1,
      watchers: 1,
      approvals: 1,
      files: 0,
    })
    expect((await effects(stage.stranger)).error).toMatchObject({ code: 'PT404' })
    expect((await effects(stage.requester)).error).toMatchObject({ code: '42501' })
  })

  it('a merge into itself, into a merged ticket, of a merged ticket or into another company is refused', async () => {
    const [first, second, third] = [await stage.ticket(), await stage.ticket(), await stage.ticket()]
    expect(await stage.hint(stage.merge([first], first))).toBe('merge_self')
    expect((await stage.merge([first], second)).error).toBeNull()
    expect(await stage.hint(stage.merge([second], first))).toBe('merge_into_merged')
    expect(await stage.hint(stage.merge([first], third))).toBe('merge_merged')
    const foreign = (
      await stage.one<{ id: string }>(
        `${insertInto('tickets', { company_id: stage.other, subject: 'Foreign' })} returning id`,
      )
    ).id
    expect((await stage.merge([second], foreign)).error).toMatchObject({ code: 'PT404' })
    expect((await stage.merge([foreign], second)).error).toMatchObject({ code: 'PT404' })
    expect((await stage.merge([second], third, stage.stranger)).error).toMatchObject({ code: 'PT404' })
    expect((await stage.merge([second], third, stage.requester)).error).toMatchObject({ code: '42501' })
    const platform = await createAccount(stage.backend, 'Super Admin', null)
    expect(await stage.hint(stage.merge([foreign], second, await stage.backend.client(platform.email)))).toBe(
      'merge_company',
    )
    expect(await stage.read(foreign)).toMatchObject({ merged_into_id: null, status: 'new' })
    // The older ticket leads to the one that is open.
    expect((await stage.merge([second], third)).error).toBeNull()
    expect(await stage.read(first)).toMatchObject({ merged_into_id: third })
    await expect(
      stage.backend.sql(`update public.tickets set status = 'open' where id = $1`, [first]),
    ).rejects.toThrow(/tickets_merged_into_id_check/)
  })

  it('two merges in a circle at once leave one survivor', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [first, second] = [await stage.ticket(), await stage.ticket()]
      const answers = await Promise.all([
        stage.merge([first], second),
        stage.merge([second], first, stage.colleague),
      ])
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
      expect(answers.map(({ error }) => error?.hint).filter(Boolean)).toEqual(['merge_into_merged'])
      const rows = [await stage.read(first), await stage.read(second)]
      expect(rows.filter(({ merged_into_id }) => merged_into_id !== null)).toHaveLength(1)
    }
  })

  it('a comment on a merged ticket is refused and names the ticket that took it', async () => {
    const [merged, target] = [await stage.ticket(), await stage.ticket()]
    expect((await stage.merge([merged], target)).error).toBeNull()
    for (const kind of ['reply', 'note']) {
      const { error } = await stage.desk
        .from('ticket_comments')
        .insert({ company_id: stage.company, ticket_id: merged, kind, body: 'Late' })
      expect(error).toMatchObject({ code: '23514', hint: 'ticket_merged' })
      expect(JSON.parse(error?.details ?? '')).toEqual({ number: String((await stage.read(target)).number) })
    }
    const { error } = await stage.stranger
      .from('ticket_comments')
      .insert({ company_id: stage.other, ticket_id: merged, body: 'Who is it' })
    expect(error?.hint).not.toBe('ticket_merged')
    // A reply by mail, which the server writes, is written where the conversation goes on.
    const mailed = await stage.add('ticket_comments', {
      ticket_id: merged,
      body: 'By mail',
      author_id: stage.requesterId,
    })
    expect(
      (await stage.one<{ ticket_id: string }>('select * from public.ticket_comments where id = $1', [mailed]))
        .ticket_id,
    ).toBe(target)
  })

  it('a merged ticket is changed by nobody any more', async () => {
    const [merged, target] = [await stage.ticket(), await stage.ticket()]
    const tag = await stage.add('tags', { name: `Late ${merged.slice(0, 8)}` })
    expect((await stage.merge([merged], target)).error).toBeNull()
    const row = { company_id: stage.company, ticket_id: merged }
    const { desk } = stage
    expect(await stage.hint(desk.from('tickets').update({ subject: 'Late' }).eq('id', merged))).toBe(
      'ticket_merged',
    )
    expect(
      await stage.hint(
        desk.from('ticket_links').insert({ ...row, kind: 'related', other_id: await stage.ticket() }),
      ),
    ).toBe('ticket_merged')
    expect(await stage.hint(desk.from('ticket_tags').insert({ ...row, tag_id: tag }))).toBe('ticket_merged')
  })

  it.runIf(driver === 'postgres')(
    'a ticket that is deleted while a merge waits takes no other one, and no subticket',
    async () => {
      const ticket = await stage.ticket()
      const calls = {
        merge: (target: string) => stage.merge([ticket], target),
        parent: (target: string) => stage.desk.rpc('set_ticket_parent', { ids: [ticket], parent_id: target }),
      }
      for (const call of Object.values(calls)) {
        const target = await stage.ticket()
        const answer = await afterWaiting(
          stage,
          () => call(target),
          (sql) => sql`update public.tickets set deleted_at = now() where id = ${target}`,
        )
        expect(answer.error?.hint).toBe('ticket_gone')
      }
      expect(await stage.read(ticket)).toMatchObject({ merged_into_id: null, parent_id: null })
    },
  )

  it('a note that is written while the ticket is merged moves along or is refused, and is never left behind', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [merged, target] = [await stage.ticket(), await stage.ticket()]
      const [done, written] = await Promise.all([
        stage.merge([merged], target),
        stage.colleague
          .from('ticket_comments')
          .insert({ company_id: stage.company, ticket_id: merged, kind: 'note', body: `Race ${round}` }),
      ])
      expect(done.error).toBeNull()
      const left = await stage.backend.sql('select id from public.ticket_comments where ticket_id = $1', [
        merged,
      ])
      expect(left).toEqual([])
      const moved = await stage.backend.sql(
        'select id from public.ticket_comments where ticket_id = $1 and origin is null',
        [target],
      )
      expect(moved).toHaveLength(written.error === null ? 1 : 0)
      if (written.error) expect(written.error.hint).toBe('ticket_merged')
    }
  })
})
