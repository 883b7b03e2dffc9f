import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRows } from '@/data/rows'
import { findDefinition } from '@/resource/language/registry'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { type Account, createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('an approval of a ticket on %s', (driver) => {
  let { add, as, backend, bells, company, read, ticket } = {} as DeskStage
  let { desk: teknik, admin, requester: standard, second: boss, stranger } = {} as DeskStage['people']
  beforeAll(async () => {
    const stage = await deskStage(driver)
    ;({ add, as, backend, bells, company, read, ticket } = stage)
    ;({ desk: teknik, admin, requester: standard, second: boss, stranger } = stage.people)
  })
  afterAll(() => backend?.stop())

  const ask = (id: string, args: Record<string, unknown>, account = teknik) =>
    as(account).rpc('request_approval', { ids: [id], ...args })
  const decide = (ids: string[], approved: boolean, account: Account, note = 'Because') =>
    as(account).rpc('decide_approvals', { ids, approved, note })
  const cancel = (ids: string[], account = teknik) => as(account).rpc('cancel_approval_requests', { ids })
  const steps = (id: string) =>
    backend.sql<{ id: string; status: string }>(
      'select id, status from public.ticket_approvals where ticket_id = $1 order by step',
      [id],
    )
  const sees = async (account: Account, id: string) =>
    (await as(account).from('tickets').select('id').eq('id', id)).data?.length === 1

  it('is asked in order; a person who is asked sees the ticket while they are asked', async () => {
    const id = await ticket()
    expect(await sees(boss, id)).toBe(false)
    expect((await ask(id, { person_id: boss.id, question: 'May we?' })).data).toBe(1)
    expect((await ask(id, { approver_role: 'Admin' })).data).toBe(1)
    expect(await read(id)).toMatchObject({ status: 'waiting' })
    const [first, second] = await steps(id)
    expect([first?.status, second?.status]).toEqual(['asked', 'queued'])
    expect([await bells(boss, 'approval_asked'), await bells(admin, 'approval_asked')]).toEqual([1, 0])
    expect(await sees(boss, id)).toBe(true)
    // They read it and comment on it; the ticket is not theirs to write.
    await as(boss).from('tickets').update({ subject: 'Mine' }).eq('id', id)
    expect(await read(id)).toMatchObject({ subject: 'Ticket' })
    expect((await decide([second?.id ?? ''], true, admin)).error).toMatchObject({ hint: 'approval_queued' })
    expect((await decide([first?.id ?? ''], true, boss)).data).toBe(1)
    expect(await read(first?.id ?? '', 'ticket_approvals')).toMatchObject({
      status: 'approved',
      note: 'Because',
      decided_by: boss.id,
      asked_by_name: teknik.email?.split('@')[0],
    })
    expect(await sees(boss, id)).toBe(false)
    expect(await bells(admin, 'approval_asked')).toBe(1)
    expect(await read(id)).toMatchObject({ status: 'waiting' })
    expect((await decide([second?.id ?? ''], true, admin)).data).toBe(1)
    expect(await read(id)).toMatchObject({ status: 'open' })
    expect(await bells(teknik, 'approval_given')).toBe(1)
  })

  it('is decided by those alone who are asked', async () => {
    const id = await ticket({ requester_id: admin.id })
    await ask(id, { person_id: boss.id })
    const [step] = await steps(id)
    for (const account of [teknik, admin, standard, stranger])
      expect((await decide([step?.id ?? ''], true, account)).error).toMatchObject({ code: 'PT404' })
    for (const account of [boss, standard, stranger])
      expect((await ask(id, { approver_role: 'Admin' }, account)).error).not.toBeNull()
    const { error } = await as(boss)
      .from('ticket_approvals')
      .update({ status: 'approved' })
      .eq('id', step?.id ?? '')
    expect(error).toMatchObject({ code: '42501' })
    expect((await as(standard).from('ticket_approvals').select('id').eq('ticket_id', id)).data).toEqual([])
    expect(await steps(id)).toMatchObject([{ status: 'asked' }])
  })

  it('waits for a person in the list of what waits for them, whether they or their role are asked', async () => {
    const { list } = findDefinition('ticket_approvals') ?? {}
    const mine = list ? list.views?.mine?.filter : undefined
    if (!mine) throw new Error('no view of what waits for a person')
    const id = await ticket()
    await ask(id, { approver_role: 'Admin' })
    await ask(id, { person_id: admin.id })
    const waiting = async (account: Account, role: string) => {
      const where = toCrudFilters(mine, { user: { id: account?.id ?? '', role } })
      const order = [{ column: 'step', descending: false }]
      const set = { table: 'ticket_approvals', companyId: company, where, select: 'step', order, limit: 50 }
      return readRows(as(account), {
        ...set,
        where: [...where, { field: 'ticket_id', operator: 'eq', value: id }],
      })
    }
    expect(await waiting(admin, 'Admin')).toEqual([{ step: 1 }])
    expect(await waiting(teknik, 'Teknik')).toEqual([])
    const [first] = await steps(id)
    await decide([first?.id ?? ''], true, admin)
    expect(await waiting(admin, 'Admin')).toEqual([{ step: 2 }])
  })

  it('of a person’s own request is refused, unless the settings allow it', async () => {
    const id = await ticket({ requester_id: boss.id })
    expect((await ask(id, { person_id: boss.id })).error).toMatchObject({ hint: 'approval_own' })
    const mine = await ticket({ requester_id: admin.id })
    await ask(mine, { approver_role: 'Admin' })
    const [step] = await steps(mine)
    expect((await decide([step?.id ?? ''], true, admin)).error).toMatchObject({
      code: '42501',
      hint: 'approval_own',
    })
    await backend.sql('update public.desk_settings set approve_own = true where company_id = $1', [company])
    expect((await decide([step?.id ?? ''], true, admin)).data).toBe(1)
    await backend.sql('update public.desk_settings set approve_own = false where company_id = $1', [company])
  })

  it('of what somebody has asked for themself is refused, also under the name of another requester', async () => {
    const id = await ticket({ requester_id: standard.id })
    expect((await ask(id, { person_id: teknik.id })).error).toMatchObject({ hint: 'approval_own' })
    await ask(id, { approver_role: 'Admin' }, admin)
    const [step] = await steps(id)
    expect((await decide([step?.id ?? ''], true, admin)).error).toMatchObject({ hint: 'approval_own' })
  })

  it('is about what its approver has read: its requester changes no word of it, and a reply does not end the wait', async () => {
    const id = await ticket({ requester_id: standard.id, subject: 'A mouse' })
    await ask(id, { person_id: boss.id })
    const change = () => as(standard).from('tickets').update({ subject: 'A car' }).eq('id', id)
    expect((await change()).error).toMatchObject({ code: '42501', hint: 'approval_fixed' })
    const device = await add('devices', { name: 'Theirs', owner_id: standard.id })
    expect(
      (await as(standard).from('tickets').update({ device_id: device }).eq('id', id)).error,
    ).toMatchObject({ code: '42501', hint: 'approval_fixed' })
    await as(standard)
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: id, body: 'Please hurry.' })
      .throwOnError()
    expect(await read(id)).toMatchObject({ status: 'waiting', open_approvals: 1 })
    const [step] = await steps(id)
    await decide([step?.id ?? ''], true, boss)
    expect((await change()).error).toMatchObject({ hint: 'approval_fixed' })
    expect(await read(id)).toMatchObject({ subject: 'A mouse' })
  })

  it('that is denied ends the steps after it, and the settings say whether the ticket is resolved', async () => {
    for (const status of ['open', 'resolved']) {
      await backend.sql('update public.desk_settings set on_denied = $2 where company_id = $1', [
        company,
        status,
      ])
      const id = await ticket()
      await ask(id, { person_id: boss.id })
      await ask(id, { approver_role: 'Admin' })
      const [first] = await steps(id)
      expect((await decide([first?.id ?? ''], false, boss)).data).toBe(1)
      expect((await steps(id)).map((each) => each.status)).toEqual(['denied', 'canceled'])
      expect(await read(id)).toMatchObject({ status })
    }
  })

  it('for nobody, or for a person and a role, is refused and names both fields', async () => {
    const id = await ticket()
    const refusal = async (args: Record<string, unknown>) => (await ask(id, args)).error
    expect(await refusal({})).toMatchObject({
      hint: 'approval_nobody',
      message: expect.stringContaining('column "person_id" or column "approver_role"'),
    })
    expect(await refusal({ person_id: boss.id, approver_role: 'Admin' })).toMatchObject({
      hint: 'approval_whom',
      message: expect.stringContaining('column "person_id" or column "approver_role"'),
    })
    expect(await steps(id)).toEqual([])
  })

  it('is offered to the roles alone that may list every ticket', async () => {
    const roles = (account: Account, object: string) =>
      as(account).rpc('roles_that_may', { object, verb: 'list' })
    const { data } = await roles(teknik, 'tickets')
    expect(data).toEqual(expect.arrayContaining(['Admin', 'Teknik']))
    expect(data).not.toContain('Standard')
    const id = await ticket()
    expect((await ask(id, { approver_role: 'Standard' })).error).toMatchObject({ hint: 'approval_role' })
    expect((await roles(standard, 'audit_log')).error).toMatchObject({ code: '42501' })
  })

  it('that is undecided marks the ticket, and is canceled when the ticket is resolved', async () => {
    for (const status of ['resolved', 'closed']) {
      const id = await ticket()
      await add('ticket_checklist_items', { ticket_id: id, text: 'Account' })
      expect(await read(id)).toMatchObject({ unfinished: 'checklist' })
      await ask(id, { person_id: boss.id })
      await ask(id, { approver_role: 'Admin' })
      expect(await read(id)).toMatchObject({ unfinished: 'both' })
      const [first] = await steps(id)
      expect((await as(teknik).rpc('set_ticket_status', { ids: [id], status })).error).toBeNull()
      expect((await steps(id)).map((each) => each.status)).toEqual(['canceled', 'canceled'])
      expect(await sees(boss, id)).toBe(false)
      expect((await decide([first?.id ?? ''], true, boss)).error).toMatchObject({ code: 'PT404' })
      expect(await read(id)).toMatchObject({ status, unfinished: 'checklist' })
    }
  })

  it('is canceled by the desk: the next step is asked, and the ticket goes on after the last one', async () => {
    const id = await ticket()
    await ask(id, { person_id: boss.id })
    await ask(id, { approver_role: 'Admin' })
    const [first, second] = await steps(id)
    expect((await cancel([first?.id ?? ''])).data).toBe(1)
    expect((await steps(id)).map((each) => each.status)).toEqual(['canceled', 'asked'])
    expect(await sees(boss, id)).toBe(false)
    expect(await read(id)).toMatchObject({ status: 'waiting', open_approvals: 1 })
    expect((await decide([first?.id ?? ''], true, boss)).error).toMatchObject({ code: 'PT404' })
    // Somebody else at the desk cancels what Teknik has asked.
    expect((await cancel([second?.id ?? ''], admin)).data).toBe(1)
    expect(await read(id)).toMatchObject({ status: 'open', open_approvals: 0, unfinished: null })
    expect((await cancel([second?.id ?? ''])).error).toMatchObject({ hint: 'approval_decided' })
  })

  it('is canceled before it is asked, and the step that is asked stays asked', async () => {
    const id = await ticket()
    await ask(id, { person_id: boss.id })
    await ask(id, { approver_role: 'Admin' })
    const [first, second] = await steps(id)
    expect((await cancel([second?.id ?? ''])).data).toBe(1)
    expect((await steps(id)).map((each) => each.status)).toEqual(['asked', 'canceled'])
    await decide([first?.id ?? ''], true, boss)
    expect(await read(id)).toMatchObject({ status: 'open' })
  })

  it('is canceled by nobody who may not ask, nor by the requester unless they have asked', async () => {
    const id = await ticket({ requester_id: teknik.id })
    await ask(id, { person_id: boss.id }, admin)
    const [step] = await steps(id)
    for (const account of [standard, boss])
      expect((await cancel([step?.id ?? ''], account)).error).toMatchObject({ code: '42501' })
    expect((await cancel([step?.id ?? ''], stranger)).error).toMatchObject({ code: 'PT404' })
    expect((await cancel([step?.id ?? ''], teknik)).error).toMatchObject({
      code: '42501',
      hint: 'approval_cancel_own',
    })
    expect(await steps(id)).toMatchObject([{ status: 'asked' }])
    const own = await ticket({ requester_id: teknik.id })
    await ask(own, { person_id: boss.id })
    const [asked] = await steps(own)
    expect((await cancel([asked?.id ?? ''], teknik)).data).toBe(1)
  })

  it('is asked for again however often it was canceled', async () => {
    const id = await ticket()
    for (let count = 0; count < 20; count += 1) {
      await ask(id, { person_id: boss.id })
      const open = (await steps(id)).filter(({ status }) => status === 'asked')
      expect((await cancel(open.map((step) => step.id))).data).toBe(1)
    }
    expect((await ask(id, { person_id: boss.id })).data).toBe(1)
  })

  it('whose approver leaves is told to the desk', async () => {
    const leaver = await createAccount(backend, 'Standard', company)
    const id = await ticket()
    await ask(id, { person_id: leaver.id })
    const before = await bells(teknik, 'approval_left')
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [leaver.id])
    expect(await bells(teknik, 'approval_left')).toBe(before + 1)
    expect(await steps(id)).toMatchObject([{ status: 'asked' }])
  })

  it('is about the replies too: their author changes and deletes none that an approver has read', async () => {
    const id = await ticket()
    const reply = async () => {
      const row = { company_id: company, ticket_id: id, body: 'A mouse for 20' }
      return (await as(standard).from('ticket_comments').insert(row).select('id').single().throwOnError())
        .data.id as string
    }
    const edit = (comment: string, body = 'A car') =>
      as(standard).from('ticket_comments').update({ body }).eq('id', comment)
    const first = await reply()
    expect((await edit(first, 'A mouse for 21')).error).toBeNull()
    await ask(id, { person_id: boss.id })
    const fixed = { code: '42501', hint: 'approval_fixed' }
    expect((await edit(first)).error).toMatchObject(fixed)
    const [step] = await steps(id)
    await decide([step?.id ?? ''], true, boss)
    expect((await edit(first)).error).toMatchObject(fixed)
    expect((await as(standard).from('ticket_comments').delete().eq('id', first)).error).toMatchObject(fixed)
    expect(await read(first, 'ticket_comments')).toMatchObject({ body: 'A mouse for 21' })
    expect((await edit(await reply(), 'Thanks')).error).toBeNull()
  })

  it('that ended with its ticket is asked again once the ticket goes on', async () => {
    const id = await ticket()
    await ask(id, { person_id: boss.id })
    await ask(id, { approver_role: 'Admin' })
    const goesOn = async () => {
      expect((await steps(id)).map((each) => each.status)).toEqual(['asked', 'queued'])
      expect(await read(id)).toMatchObject({ status: 'waiting', open_approvals: 2 })
      expect(await sees(boss, id)).toBe(true)
    }
    const set = (status: string) => as(standard).rpc('set_own_ticket_status', { ids: [id], status })
    expect((await set('closed')).data).toBe(1)
    expect((await steps(id)).map((each) => each.status)).toEqual(['canceled', 'canceled'])
    expect((await set('open')).data).toBe(1)
    await goesOn()
    expect(
      (await as(standard).from('tickets').update({ description: 'Dearer' }).eq('id', id)).error,
    ).toMatchObject({ hint: 'approval_fixed' })
    await as(admin).from('tickets').delete().eq('id', id).throwOnError()
    expect((await steps(id)).map((each) => each.status)).toEqual(['canceled', 'canceled'])
    await as(admin)
      .rpc('restore_records', { resource: 'tickets', ids: [id] })
      .throwOnError()
    await goesOn()
    // An approval that somebody has canceled stays so.
    const [first, second] = await steps(id)
    await cancel([first?.id ?? ''], admin)
    await cancel([second?.id ?? ''], admin)
    await set('closed')
    await set('open')
    expect((await steps(id)).map((each) => each.status)).toEqual(['canceled', 'canceled'])
    expect(await read(id)).toMatchObject({ status: 'open' })
  })

  it('that is decided leaves nothing unfinished', async () => {
    const id = await ticket()
    await ask(id, { person_id: boss.id })
    expect(await read(id)).toMatchObject({ unfinished: 'approval' })
    const [first] = await steps(id)
    await decide([first?.id ?? ''], true, boss)
    expect(await read(id)).toMatchObject({ unfinished: null, status: 'open' })
  })

  it('that two people of a role decide at once is decided once', async () => {
    const second = await backend.client((await createAccount(backend, 'Admin', company)).email)
    for (let round = 0; round < 4; round += 1) {
      const id = await ticket()
      await ask(id, { approver_role: 'Admin' })
      const [step] = await steps(id)
      const answers = await Promise.all([
        decide([step?.id ?? ''], true, admin),
        second.rpc('decide_approvals', { ids: [step?.id], approved: false, note: 'Because' }),
      ])
      expect(answers.map(({ error }) => error?.hint).filter(Boolean)).toEqual(['approval_decided'])
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
    }
  })
})
