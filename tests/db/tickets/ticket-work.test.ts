import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { afterWaiting, type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('linked, split and resolved tickets on %s', (driver) => {
  let stage: DeskStage

  beforeAll(async () => {
    stage = await deskStage(driver)
  })
  afterAll(() => stage?.backend.stop())

  it('counts what a resolved ticket leaves open, in it and in its open subtickets', async () => {
    const parent = await stage.ticket({})
    const waiting = await stage.ticket({ parent_id: parent })
    await stage.ticket({ parent_id: parent })
    await stage.ticket({ parent_id: parent, status: 'resolved' })
    await stage.add('ticket_approvals', {
      ticket_id: parent,
      step: 1,
      person_id: stage.deskId,
      status: 'asked',
    })
    await stage.add('ticket_checklist_items', { ticket_id: parent, text: 'Order', done: true })
    await stage.add('ticket_checklist_items', { ticket_id: parent, text: 'Set up' })
    await stage.add('ticket_checklist_items', { ticket_id: waiting, text: 'Pick up' })
    const effects = (client: SupabaseClient) => client.rpc('resolve_effects', { ids: [parent] })
    expect((await effects(stage.desk)).data).toEqual({
      approvals: 1,
      checklist: 1,
      subtickets: 2,
      unfinished_subtickets: 1,
    })
    const nothing = { approvals: 0, checklist: 0, subtickets: 0, unfinished_subtickets: 0 }
    expect((await effects(stage.stranger)).data).toEqual(nothing)
    expect((await effects(stage.requester)).error).toMatchObject({ code: '42501' })
  })

  it('a subticket is opened under its parent, about the same device and for no requester', async () => {
    const device = await stage.add('devices', { name: 'PC' })
    const parent = await stage.ticket({ device_id: device, priority: 'high' })
    const open = (client: SupabaseClient, ticket: string) =>
      client.rpc('add_subticket', { ticket_id: ticket, subject: 'Order', assignee_id: stage.deskId })
    const { data: made } = await open(stage.desk, parent).throwOnError()
    expect(await stage.read(made as string)).toMatchObject({
      subject: 'Order',
      parent_id: parent,
      device_id: device,
      priority: 'high',
      assignee_id: stage.deskId,
      requester_id: null,
    })
    expect(await stage.hint(open(stage.desk, made as string))).toBe('parent_of_parent')
    expect((await open(stage.stranger, parent)).error).toMatchObject({ code: 'PT404' })
    expect((await open(stage.requester, parent)).error).toMatchObject({ code: '42501' })
    // A refused subticket is not left behind.
    expect(
      await stage.backend.sql(`select 1 from public.tickets where company_id = $1 and subject = 'Order'`, [
        stage.company,
      ]),
    ).toHaveLength(1)
  })

  it('a closed ticket takes no new subticket, and a merged one says where it went', async () => {
    const closed = await stage.ticket({ status: 'closed' })
    const open = (ticket: string) =>
      stage.desk.rpc('add_subticket', { ticket_id: ticket, subject: 'Too late' })
    expect(await stage.hint(open(closed))).toBe('subticket_closed')
    expect((await open(await stage.ticket({ status: 'resolved' }))).error).toBeNull()
    const merged = await stage.ticket()
    await stage.merge([merged], await stage.ticket()).throwOnError()
    expect(await stage.hint(open(merged))).toBe('merge_into_merged')
  })

  it.runIf(driver === 'postgres')(
    'whoever opens a subticket while others split and link waits without the counter of numbers',
    async () => {
      const parent = await stage.ticket()
      const opened = await afterWaiting(
        stage,
        () => stage.desk.rpc('add_subticket', { ticket_id: parent, subject: 'Waits' }),
        (sql) => sql`insert into public.tickets (company_id, subject) values (${stage.company}, 'Split')`,
      )
      expect(opened.error).toBeNull()
    },
  )

  it('two people who resolve the same tickets at once both succeed, and it was resolved once', async () => {
    const ids = [await stage.ticket(), await stage.ticket(), await stage.ticket()]
    const resolve = (client: SupabaseClient, order: string[]) =>
      client.rpc('set_ticket_status', { ids: order, status: 'resolved' })
    const answers = await Promise.all([
      resolve(stage.desk, ids),
      resolve(stage.colleague, [...ids].reverse()),
    ])
    expect(answers.map(({ data, error }) => [data, error])).toEqual([
      [3, null],
      [3, null],
    ])
    const changes = await stage.backend.sql(
      `select 1 from public.audit_log where row_id = any ($1::uuid[]) and changes ? 'status'  and action = 'edit'`,
      [ids],
    )
    expect(changes).toHaveLength(3)
  })

  it('a parent is resolved with its open subtickets, all or none', async () => {
    const parent = await stage.ticket()
    const [open, closed] = [await stage.ticket(), await stage.ticket({ status: 'closed' })]
    const set = (ids: string[], parentId: string | null, client = stage.desk) =>
      client.rpc('set_ticket_parent', parentId ? { ids, parent_id: parentId } : { ids })
    expect((await set([open, closed], parent)).data).toBe(2)
    expect(await stage.read(parent)).toMatchObject({ subticket_count: 2 })
    expect(await stage.hint(set([parent], open))).toBe('parent_of_parent')
    expect(await stage.hint(set([parent], parent))).toBe('parent_self')
    expect(await stage.hint(set([parent], await stage.ticket()))).toBe('parent_has_subtickets')
    expect((await set([open], parent, stage.requester)).error).toMatchObject({ code: '42501' })
    const { data } = await stage.desk.rpc('set_ticket_status', {
      ids: [parent],
      status: 'resolved',
      with_subtickets: true,
    })
    expect(data).toBe(2)
    expect([
      (await stage.read(parent)).status,
      (await stage.read(open)).status,
      (await stage.read(closed)).status,
    ]).toEqual(['resolved', 'resolved', 'closed'])
    expect((await set([open], null)).data).toBe(1)
    expect(await stage.read(parent)).toMatchObject({ subticket_count: 1 })
  })

  it('two tickets that become each other’s parent at once make no circle', async () => {
    const [first, second] = [await stage.ticket(), await stage.ticket()]
    const set = (id: string, parent: string, client: SupabaseClient) =>
      client.rpc('set_ticket_parent', { ids: [id], parent_id: parent })
    const answers = await Promise.all([set(first, second, stage.desk), set(second, first, stage.colleague)])
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
    expect(
      [(await stage.read(first)).parent_id, (await stage.read(second)).parent_id].filter(Boolean),
    ).toHaveLength(1)
  })

  it('a link is seen from both tickets and goes from both', async () => {
    const [first, second] = [await stage.ticket(), await stage.ticket()]
    const link = (values: Record<string, unknown>, client = stage.desk) =>
      client.from('ticket_links').insert({ company_id: stage.company, ...values })
    expect((await link({ ticket_id: first, other_id: second, kind: 'duplicates' })).error).toBeNull()
    const links = () =>
      stage.backend.sql(
        'select kind from public.ticket_links where ticket_id = any ($1::uuid[]) order by kind',
        [[first, second]],
      )
    expect(await links()).toEqual([{ kind: 'duplicated_by' }, { kind: 'duplicates' }])
    expect(await stage.hint(link({ ticket_id: first, other_id: second, kind: 'split_from' }))).toBe(
      'link_split',
    )
    expect((await link({ ticket_id: first, other_id: second }, stage.requester)).error).toMatchObject({
      code: '42501',
    })
    await stage.desk.from('ticket_links').delete().eq('ticket_id', second)
    expect(await links()).toEqual([])
    const answers = await Promise.all([
      link({ ticket_id: first, other_id: second }),
      link({ ticket_id: second, other_id: first }, stage.colleague),
    ])
    // The second one finds the row that the first one made for it.
    expect(answers.map(({ error }) => error?.code ?? 'made').sort()).toEqual(['23505', 'made'])
    expect(await links()).toEqual([{ kind: 'related' }, { kind: 'related' }])
  })

  it('a merged ticket takes nothing while its survivor is in the trash, and no link on either side', async () => {
    const { backend, company, desk, merge, ticket } = stage
    const [merged, survivor, other] = [await ticket(), await ticket(), await ticket()]
    await merge([merged], survivor)
    await backend.sql('update public.tickets set deleted_at = now() where id = $1', [survivor])
    const of = { company_id: company, ticket_id: merged }
    const refused = { hint: 'ticket_merged_gone' }
    for (const answer of [
      desk.from('tickets').update({ subject: 'Mine' }).eq('id', merged),
      desk.from('ticket_checklist_items').insert({ ...of, text: 'Item' }),
      desk.from('ticket_comments').insert({ ...of, body: 'Words' }),
      desk.rpc('start_timer', { ticket_id: merged }),
      desk.rpc('set_ticket_status', { ids: [merged], status: 'open' }),
      desk.from('ticket_links').insert({ ...of, other_id: other, kind: 'blocks' }),
      desk.from('ticket_links').insert({ ...of, ticket_id: other, other_id: merged, kind: 'blocks' }),
    ])
      expect((await answer).error).toMatchObject(refused)
    expect(await backend.sql('select 1 from public.ticket_links where ticket_id = $1', [other])).toEqual([])
    // A mail stays where it was sent to.
    await backend.sql(
      `insert into public.ticket_comments (company_id, ticket_id, body, author_name) values ($1, $2, 'By mail', 'Mail')`,
      [company, merged],
    )
    expect(
      await backend.sql(`select 1 from public.ticket_comments where ticket_id = $1 and body = 'By mail'`, [
        merged,
      ]),
    ).toHaveLength(1)
  })

  it('a reply is split into a ticket of its author, with its files, and both tickets name each other', async () => {
    const source = await stage.ticket()
    const comment = await stage.add('ticket_comments', {
      ticket_id: source,
      body: `Another matter, [@Ayşe](mention:${randomUUID()})`,
      author_id: stage.secondId,
    })
    const file = await stage.add('files', {
      resource: 'ticket_comments',
      record_id: comment,
      name: 'log.txt',
      size: 10,
    })
    const split = (id: string, client = stage.desk) =>
      client.rpc('split_ticket', { comment_id: id, subject: 'Split' })
    const answers = await Promise.all([split(comment), split(comment, stage.colleague)])
    const made = answers.find(({ error }) => error === null)?.data
    // The second one reads which ticket it is.
    const refused = answers.find(({ error }) => error !== null)?.error
    expect(refused).toMatchObject({ code: '23514', hint: 'split_done' })
    expect(JSON.parse(refused?.details ?? '')).toEqual({ number: String((await stage.read(made)).number) })
    expect(await stage.read(made)).toMatchObject({
      subject: 'Split',
      description: 'Another matter, @Ayşe',
      requester_id: stage.secondId,
      status: 'new',
      split_from_id: source,
    })
    expect(await stage.read(source)).toMatchObject({ split_from_id: null })
    expect(await stage.one('select resource, record_id from public.files where id = $1', [file])).toEqual({
      resource: 'tickets',
      record_id: made,
    })
    expect(
      await stage.backend.sql(
        'select kind, other_id from public.ticket_links where ticket_id = any ($1::uuid[]) order by kind',
        [[source, made]],
      ),
    ).toEqual([
      { kind: 'split_from', other_id: source },
      { kind: 'split_into', other_id: made },
    ])
    const note = await stage.add('ticket_comments', { ticket_id: source, kind: 'note', body: 'Secret' })
    expect(await stage.hint(split(note))).toBe('split_note')
    expect((await split(comment, stage.requester)).error).toMatchObject({ code: '42501' })
    expect((await split(comment, stage.stranger)).error).toMatchObject({ code: 'PT404' })
    // The ticket follows its link.
    await stage.desk.from('ticket_links').delete().eq('ticket_id', source)
    expect(await stage.read(made)).toMatchObject({ split_from_id: null })
    // A deleted ticket is no reason to refuse.
    await stage.backend.sql('delete from public.tickets where id = $1', [made])
    const { data: again } = await split(comment)
    expect(again).not.toBe(made)
    expect(await stage.hint(split(comment))).toBe('split_done')
  })

  it('a split ticket takes over the answers that the form of the category still takes', async () => {
    const fields = [
      { key: 'asset', label: 'Asset', kind: 'text', required: true },
      { key: 'floor', label: 'Floor', kind: 'number' },
      { key: 'size', label: 'Size', kind: 'enum', options: ['S', 'M'] },
    ]
    const category = await stage.add('ticket_categories', { name: 'Split', fields: JSON.stringify(fields) })
    const split = async (answers: object) => {
      const source = await stage.ticket({ category_id: category, answers: JSON.stringify(answers) })
      const comment = await stage.add('ticket_comments', { ticket_id: source, body: 'Another matter' })
      // The form has changed since.
      await stage.backend.sql(`update public.ticket_categories set fields = $1 where id = $2`, [
        JSON.stringify([fields[0], { ...fields[1], kind: 'text' }]),
        category,
      ])
      const { data } = await stage.desk
        .rpc('split_ticket', { comment_id: comment, subject: 'Split' })
        .throwOnError()
      await stage.backend.sql(`update public.ticket_categories set fields = $1 where id = $2`, [
        JSON.stringify(fields),
        category,
      ])
      return stage.read<Record<string, unknown>>(data)
    }
    expect(await split({ asset: 'A1', floor: 3, size: 'M' })).toMatchObject({
      category_id: category,
      answers: { asset: 'A1' },
    })
    // A mail answered nothing, and its ticket is split all the same.
    expect(await split({})).toMatchObject({ category_id: category, answers: {} })
    const create = stage.desk
      .from('tickets')
      .insert({ company_id: stage.company, subject: 'New', category_id: category })
    expect(await stage.hint(create)).toBe('answer_missing')
  })

  it.runIf(driver === 'postgres')(
    'a reply that is changed or deleted while a split waits is split as it is then',
    async () => {
      const source = await stage.ticket()
      const comment = await stage.add('ticket_comments', { ticket_id: source, body: 'Password: 1234' })
      const split = () => stage.desk.rpc('split_ticket', { comment_id: comment, subject: 'Split' })
      const made = await afterWaiting(
        stage,
        split,
        (sql) => sql`update public.ticket_comments set body = 'Removed' where id = ${comment}`,
      )
      expect(await stage.read(made.data as string)).toMatchObject({ description: 'Removed' })
      await stage.backend.sql('delete from public.tickets where id = $1', [made.data])
      const refused = await afterWaiting(
        stage,
        split,
        (sql) => sql`delete from public.ticket_comments where id = ${comment}`,
      )
      expect(refused.error).toMatchObject({ code: 'PT404', hint: 'comment_gone' })
    },
  )

  it('tickets are assigned to somebody, and to the caller by default', async () => {
    const id = await stage.ticket()
    const assign = (args: Record<string, unknown>, client = stage.desk) =>
      client.rpc('assign_tickets', { ids: [id], ...args })
    const { id: person } = await createAccount(stage.backend, 'Teknik', stage.company)
    expect((await assign({ assignee_id: person })).data).toBe(1)
    expect(await stage.read(id)).toMatchObject({ assignee_id: person })
    expect((await assign({})).data).toBe(1)
    expect(await stage.read(id)).toMatchObject({ assignee_id: stage.deskId })
    expect((await assign({}, stage.requester)).error).toMatchObject({ code: '42501' })
  })
})
