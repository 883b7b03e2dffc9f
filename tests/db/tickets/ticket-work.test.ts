import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

interface Ticket {
  id: string
  number: number
  status: string
  merged_into_id: string | null
  parent_id: string | null
  subticket_count: number
  first_responded_at: string | null
}

describe.each(drivers('locks'))('merged, linked and split tickets on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let other: string
  let [desk, colleague, requester, stranger] = [] as unknown as SupabaseClient[]
  let [deskId, requesterId, secondId] = [] as string[]

  const one = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row> => {
    const [row] = await backend.sql<Row>(sql, params)
    if (!row) throw new Error('no row')
    return row
  }
  const add = async (table: string, values: Record<string, unknown>) =>
    (await one<{ id: string }>(`${insertInto(table, { company_id: company, ...values })} returning id`)).id
  const ticket = (values: Record<string, unknown> = {}) =>
    add('tickets', { subject: 'Ticket', requester_id: requesterId, ...values })
  const read = (id: string) => one<Ticket>('select * from public.tickets where id = $1', [id])
  const merge = (ids: string[], target: string, client = desk) =>
    (client as SupabaseClient).rpc('merge_tickets', { ids, target_id: target })
  const hint = async (answer: PromiseLike<{ error: { hint?: string; code?: string } | null }>) =>
    (await answer).error?.hint

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    other = await createCompany(backend)
    const accounts = [
      await createAccount(backend, 'Teknik', company),
      await createAccount(backend, 'Teknik', company),
      await createAccount(backend, 'Standard', company),
      await createAccount(backend, 'Admin', other),
    ]
    ;[desk, colleague, requester, stranger] = (await Promise.all(
      accounts.map(({ email }) => backend.client(email)),
    )) as [SupabaseClient, SupabaseClient, SupabaseClient, SupabaseClient]
    ;[deskId, , requesterId] = accounts.map(({ id }) => id) as [string, string, string]
    secondId = (await createAccount(backend, 'Standard', company)).id
  })
  afterAll(() => backend?.stop())

  it('a merge moves comments, attachments, watchers, links and subtickets, and closes the merged ticket', async () => {
    const merged = await ticket({ requester_id: secondId })
    const target = await ticket()
    const linked = await ticket()
    const child = await ticket({ parent_id: merged })
    const comment = await add('ticket_comments', {
      ticket_id: merged,
      body: 'Moved',
      author_id: secondId,
      created_at: '2026-01-02T03:04:05Z',
    })
    const note = await add('ticket_comments', {
      ticket_id: merged,
      kind: 'note',
      body: 'Note',
      author_id: deskId,
    })
    const file = await add('files', { resource: 'tickets', record_id: merged, name: 'photo.png', size: 10 })
    const attached = await add('files', {
      resource: 'ticket_comments',
      record_id: comment,
      name: 'log.txt',
      size: 10,
    })
    await add('ticket_links', { ticket_id: merged, other_id: linked, kind: 'blocks' })
    expect((await merge([merged], target)).data).toBe(1)
    expect(await read(merged)).toMatchObject({ status: 'closed', merged_into_id: target })
    expect(
      await backend.sql(
        'select id, kind, author_id, created_at::text from public.ticket_comments where ticket_id = $1 and origin is null order by created_at',
        [target],
      ),
    ).toMatchObject([
      { id: comment, kind: 'reply', author_id: secondId, created_at: expect.stringContaining('2026-01-02') },
      { id: note, kind: 'note', author_id: deskId },
    ])
    expect(
      (await one<{ record_id: string }>('select * from public.files where id = $1', [file])).record_id,
    ).toBe(target)
    expect(
      (await one<{ record_id: string }>('select * from public.files where id = $1', [attached])).record_id,
    ).toBe(comment)
    expect(
      await backend.sql('select user_id from public.ticket_watchers where ticket_id = $1', [target]),
    ).toEqual([{ user_id: secondId }])
    expect(
      await backend.sql(
        'select ticket_id, kind, other_id from public.ticket_links where company_id = $1 order by kind',
        [company],
      ),
    ).toEqual(
      [
        { ticket_id: linked, kind: 'blocked_by', other_id: target },
        { ticket_id: target, kind: 'blocks', other_id: linked },
      ].sort((a, b) => a.kind.localeCompare(b.kind)),
    )
    expect(await read(child)).toMatchObject({ parent_id: target })
    expect(await read(target)).toMatchObject({ subticket_count: 1 })
    expect(await read(merged)).toMatchObject({ subticket_count: 0 })
    // It is still found by its number.
    const { data } = await (desk as SupabaseClient)
      .rpc('search_tickets', { q: `#${(await read(merged)).number}` })
      .select('id,merged_into_id')
    expect(data).toContainEqual({ id: merged, merged_into_id: target })
  })

  it('the description of a merged ticket is in the thread, by its requester and under its title, and rings for nobody', async () => {
    const merged = await ticket({ requester_id: secondId, subject: 'Printer', description: 'It jams.' })
    const empty = await ticket({ requester_id: secondId, subject: 'Paper' })
    const target = await ticket()
    const number = async (id: string) => (await read(id)).number
    const mails = () => one<{ n: string }>('select count(*) as n from app.ticket_mails')
    const before = await mails()
    expect((await merge([merged, empty], target)).error).toBeNull()
    const words = `select origin, body, author_id, created_at = (select t.created_at from public.tickets t where t.number = $2 and t.company_id = $3) as is_then
      from public.ticket_comments where ticket_id = $1 and origin like $4`
    const wordsOf = async (id: string) =>
      backend.sql(words, [target, await number(id), company, `#${await number(id)}:%`])
    expect(await wordsOf(merged)).toEqual([
      { origin: `#${await number(merged)}: Printer`, body: 'It jams.', author_id: secondId, is_then: true },
    ])
    // A ticket without a description asked with its subject.
    expect(await wordsOf(empty)).toMatchObject([{ body: 'Paper', author_id: secondId }])
    expect(await read(target)).toMatchObject({ status: 'new', first_responded_at: null })
    expect(await mails()).toEqual(before)
    const { error } = await (requester as SupabaseClient)
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: target, body: 'Forged', origin: '#1: Forged' })
    expect(error).toMatchObject({ code: '42501' })
  })

  it('the answer of a merged ticket is the first response of the survivor: when its own requester had it, or else now', async () => {
    const answered = '2026-02-03T04:05:06+00:00'
    const cases = [
      { requester_id: requesterId, created_at: '2026-02-01T00:00:00Z', is: answered },
      { requester_id: requesterId, created_at: '2026-02-04T00:00:00Z', is: '2026-02-04T00:00:00+00:00' },
      { requester_id: secondId, created_at: '2026-02-01T00:00:00Z', is: 'now' },
    ]
    for (const { is, ...values } of cases) {
      const target = await ticket(values)
      const merged = await ticket({ status: 'open', first_responded_at: answered })
      expect((await merge([merged], target)).error).toBeNull()
      const { at, now, status } = await one<{ at: string; now: boolean; status: string }>(
        `select to_char(first_responded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as at,
          first_responded_at > now() - interval '1 minute' as now, status from public.tickets where id = $1`,
        [target],
      )
      expect(is === 'now' ? now : at).toBe(is === 'now' ? true : is)
      expect(status).toBe('open')
    }
    const early = '2026-01-01T00:00:00Z'
    const own = await ticket({ status: 'open', created_at: early, first_responded_at: early })
    const later = await ticket({ status: 'open', first_responded_at: answered })
    await merge([later], own)
    expect(
      await one('select first_responded_at = $2 as kept from public.tickets where id = $1', [own, early]),
    ).toEqual({ kept: true })
  })

  it('the effects of a merge are counted for whoever may merge', async () => {
    const merged = await ticket({ requester_id: secondId })
    await add('ticket_comments', { ticket_id: merged, body: 'One', author_id: secondId })
    await add('ticket_comments', { ticket_id: merged, kind: 'note', body: 'Two', author_id: deskId })
    await add('time_entries', {
      ticket_id: merged,
      user_id: deskId,
      started_at: '2026-01-01T00:00:00Z',
      ended_at: '2026-01-01T01:00:00Z',
    })
    await add('ticket_approvals', { ticket_id: merged, step: 1, person_id: deskId, status: 'asked' })
    const effects = (client: SupabaseClient | undefined) =>
      (client as SupabaseClient).rpc('merge_effects', { ids: [merged] })
    expect((await effects(desk)).data).toMatchObject({
      comments: 2,
      time_entries: 1,
      watchers: 1,
      approvals: 1,
      files: 0,
    })
    expect((await effects(stranger)).error).toMatchObject({ code: 'PT404' })
    expect((await effects(requester)).error).toMatchObject({ code: '42501' })
  })

  it('counts what a resolved ticket leaves open, in it and in its open subtickets', async () => {
    const parent = await ticket({})
    const waiting = await ticket({ parent_id: parent })
    await ticket({ parent_id: parent })
    await ticket({ parent_id: parent, status: 'resolved' })
    await add('ticket_approvals', { ticket_id: parent, step: 1, person_id: deskId, status: 'asked' })
    await add('ticket_checklist_items', { ticket_id: parent, text: 'Order', done: true })
    await add('ticket_checklist_items', { ticket_id: parent, text: 'Set up' })
    await add('ticket_checklist_items', { ticket_id: waiting, text: 'Pick up' })
    const effects = (client: SupabaseClient | undefined) =>
      (client as SupabaseClient).rpc('resolve_effects', { ids: [parent] })
    expect((await effects(desk)).data).toEqual({
      approvals: 1,
      checklist: 1,
      subtickets: 2,
      unfinished_subtickets: 1,
    })
    const nothing = { approvals: 0, checklist: 0, subtickets: 0, unfinished_subtickets: 0 }
    expect((await effects(stranger)).data).toEqual(nothing)
    expect((await effects(requester)).error).toMatchObject({ code: '42501' })
  })

  it('a merge into itself, into a merged ticket, of a merged ticket or into another company is refused', async () => {
    const [first, second, third] = [await ticket(), await ticket(), await ticket()]
    expect(await hint(merge([first], first))).toBe('merge_self')
    expect((await merge([first], second)).error).toBeNull()
    expect(await hint(merge([second], first))).toBe('merge_into_merged')
    expect(await hint(merge([first], third))).toBe('merge_merged')
    const foreign = (
      await one<{ id: string }>(
        `${insertInto('tickets', { company_id: other, subject: 'Foreign' })} returning id`,
      )
    ).id
    expect((await merge([second], foreign)).error).toMatchObject({ code: 'PT404' })
    expect((await merge([foreign], second)).error).toMatchObject({ code: 'PT404' })
    expect((await merge([second], third, stranger)).error).toMatchObject({ code: 'PT404' })
    expect((await merge([second], third, requester)).error).toMatchObject({ code: '42501' })
    const platform = await createAccount(backend, 'Super Admin', null)
    expect(await hint(merge([foreign], second, await backend.client(platform.email)))).toBe('merge_company')
    expect(await read(foreign)).toMatchObject({ merged_into_id: null, status: 'new' })
    // The older ticket leads to the one that is open.
    expect((await merge([second], third)).error).toBeNull()
    expect(await read(first)).toMatchObject({ merged_into_id: third })
    await expect(
      backend.sql(`update public.tickets set status = 'open' where id = $1`, [first]),
    ).rejects.toThrow(/tickets_merged_into_id_check/)
  })

  it('two merges in a circle at once leave one survivor', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [first, second] = [await ticket(), await ticket()]
      const answers = await Promise.all([merge([first], second), merge([second], first, colleague)])
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
      expect(answers.map(({ error }) => error?.hint).filter(Boolean)).toEqual(['merge_into_merged'])
      const rows = [await read(first), await read(second)]
      expect(rows.filter(({ merged_into_id }) => merged_into_id !== null)).toHaveLength(1)
    }
  })

  it('a comment on a merged ticket is refused and names the ticket that took it', async () => {
    const [merged, target] = [await ticket(), await ticket()]
    expect((await merge([merged], target)).error).toBeNull()
    for (const kind of ['reply', 'note']) {
      const { error } = await (desk as SupabaseClient)
        .from('ticket_comments')
        .insert({ company_id: company, ticket_id: merged, kind, body: 'Late' })
      expect(error).toMatchObject({ code: '23514', hint: 'ticket_merged' })
      expect(JSON.parse(error?.details ?? '')).toEqual({ number: String((await read(target)).number) })
    }
    const { error } = await (stranger as SupabaseClient)
      .from('ticket_comments')
      .insert({ company_id: other, ticket_id: merged, body: 'Who is it' })
    expect(error?.hint).not.toBe('ticket_merged')
    // A reply by mail, which the server writes, is written where the conversation goes on.
    const mailed = await add('ticket_comments', {
      ticket_id: merged,
      body: 'By mail',
      author_id: requesterId,
    })
    expect(
      (await one<{ ticket_id: string }>('select * from public.ticket_comments where id = $1', [mailed]))
        .ticket_id,
    ).toBe(target)
  })

  it('a note that is written while the ticket is merged moves along or is refused, and is never left behind', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [merged, target] = [await ticket(), await ticket()]
      const [done, written] = await Promise.all([
        merge([merged], target),
        (colleague as SupabaseClient)
          .from('ticket_comments')
          .insert({ company_id: company, ticket_id: merged, kind: 'note', body: `Race ${round}` }),
      ])
      expect(done.error).toBeNull()
      const left = await backend.sql('select id from public.ticket_comments where ticket_id = $1', [merged])
      expect(left).toEqual([])
      const moved = await backend.sql(
        'select id from public.ticket_comments where ticket_id = $1 and origin is null',
        [target],
      )
      expect(moved).toHaveLength(written.error === null ? 1 : 0)
      if (written.error) expect(written.error.hint).toBe('ticket_merged')
    }
  })

  it('two people who resolve the same tickets at once both succeed, and it was resolved once', async () => {
    const ids = [await ticket(), await ticket(), await ticket()]
    const resolve = (client: SupabaseClient | undefined, order: string[]) =>
      (client as SupabaseClient).rpc('set_ticket_status', { ids: order, status: 'resolved' })
    const answers = await Promise.all([resolve(desk, ids), resolve(colleague, [...ids].reverse())])
    expect(answers.map(({ data, error }) => [data, error])).toEqual([
      [3, null],
      [3, null],
    ])
    const changes = await backend.sql(
      `select 1 from public.audit_log where row_id = any ($1::uuid[]) and changes ? 'status'  and action = 'edit'`,
      [ids],
    )
    expect(changes).toHaveLength(3)
  })

  it('a parent is resolved with its open subtickets, all or none', async () => {
    const parent = await ticket()
    const [open, closed] = [await ticket(), await ticket({ status: 'closed' })]
    const set = (ids: string[], parentId: string | null, client = desk) =>
      (client as SupabaseClient).rpc('set_ticket_parent', parentId ? { ids, parent_id: parentId } : { ids })
    expect((await set([open, closed], parent)).data).toBe(2)
    expect(await read(parent)).toMatchObject({ subticket_count: 2 })
    expect(await hint(set([parent], open))).toBe('parent_of_parent')
    expect(await hint(set([parent], parent))).toBe('parent_self')
    expect(await hint(set([parent], await ticket()))).toBe('parent_has_subtickets')
    expect((await set([open], parent, requester)).error).toMatchObject({ code: '42501' })
    const { data } = await (desk as SupabaseClient).rpc('set_ticket_status', {
      ids: [parent],
      status: 'resolved',
      with_subtickets: true,
    })
    expect(data).toBe(2)
    expect([(await read(parent)).status, (await read(open)).status, (await read(closed)).status]).toEqual([
      'resolved',
      'resolved',
      'closed',
    ])
    expect((await set([open], null)).data).toBe(1)
    expect(await read(parent)).toMatchObject({ subticket_count: 1 })
  })

  it('two tickets that become each other’s parent at once make no circle', async () => {
    const [first, second] = [await ticket(), await ticket()]
    const set = (id: string, parent: string, client: SupabaseClient | undefined) =>
      (client as SupabaseClient).rpc('set_ticket_parent', { ids: [id], parent_id: parent })
    const answers = await Promise.all([set(first, second, desk), set(second, first, colleague)])
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
    expect([(await read(first)).parent_id, (await read(second)).parent_id].filter(Boolean)).toHaveLength(1)
  })

  it('a link is seen from both tickets and goes from both', async () => {
    const [first, second] = [await ticket(), await ticket()]
    const link = (values: Record<string, unknown>, client = desk) =>
      (client as SupabaseClient).from('ticket_links').insert({ company_id: company, ...values })
    expect((await link({ ticket_id: first, other_id: second, kind: 'duplicates' })).error).toBeNull()
    const links = () =>
      backend.sql('select kind from public.ticket_links where ticket_id = any ($1::uuid[]) order by kind', [
        [first, second],
      ])
    expect(await links()).toEqual([{ kind: 'duplicated_by' }, { kind: 'duplicates' }])
    expect(await hint(link({ ticket_id: first, other_id: second, kind: 'split_from' }))).toBe('link_split')
    expect((await link({ ticket_id: first, other_id: second }, requester)).error).toMatchObject({
      code: '42501',
    })
    await (desk as SupabaseClient).from('ticket_links').delete().eq('ticket_id', second)
    expect(await links()).toEqual([])
    const answers = await Promise.all([
      link({ ticket_id: first, other_id: second }),
      link({ ticket_id: second, other_id: first }, colleague),
    ])
    // The second one finds the row that the first one made for it.
    expect(answers.map(({ error }) => error?.code ?? 'made').sort()).toEqual(['23505', 'made'])
    expect(await links()).toEqual([{ kind: 'related' }, { kind: 'related' }])
  })

  it('a reply is split into a ticket of its author, with its files, and both tickets name each other', async () => {
    const source = await ticket()
    const comment = await add('ticket_comments', {
      ticket_id: source,
      body: `Another matter, [@Ayşe](mention:${randomUUID()})`,
      author_id: secondId,
    })
    const file = await add('files', {
      resource: 'ticket_comments',
      record_id: comment,
      name: 'log.txt',
      size: 10,
    })
    const split = (id: string, client = desk) =>
      (client as SupabaseClient).rpc('split_ticket', { comment_id: id, subject: 'Split' })
    const { data: made } = await split(comment)
    expect(await read(made)).toMatchObject({
      subject: 'Split',
      description: 'Another matter, @Ayşe',
      requester_id: secondId,
      status: 'new',
    })
    expect(await one('select resource, record_id from public.files where id = $1', [file])).toEqual({
      resource: 'tickets',
      record_id: made,
    })
    expect(
      await backend.sql(
        'select kind, other_id from public.ticket_links where ticket_id = any ($1::uuid[]) order by kind',
        [[source, made]],
      ),
    ).toEqual([
      { kind: 'split_from', other_id: source },
      { kind: 'split_into', other_id: made },
    ])
    const note = await add('ticket_comments', { ticket_id: source, kind: 'note', body: 'Secret' })
    expect(await hint(split(note))).toBe('split_note')
    expect((await split(comment, requester)).error).toMatchObject({ code: '42501' })
    expect((await split(comment, stranger)).error).toMatchObject({ code: 'PT404' })
  })

  it('tickets are assigned to somebody, and to the caller by default', async () => {
    const id = await ticket()
    const assign = (args: Record<string, unknown>, client = desk) =>
      (client as SupabaseClient).rpc('assign_tickets', { ids: [id], ...args })
    const { id: person } = await createAccount(backend, 'Teknik', company)
    expect((await assign({ assignee_id: person })).data).toBe(1)
    expect(await read(id)).toMatchObject({ assignee_id: person })
    expect((await assign({})).data).toBe(1)
    expect(await read(id)).toMatchObject({ assignee_id: deskId })
    expect((await assign({}, requester)).error).toMatchObject({ code: '42501' })
  })
})
