import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('an approval of one’s own request on %s', (driver) => {
  let { as, backend, company, ticket } = {} as DeskStage
  let { desk: teknik, admin, requester: standard, second: boss } = {} as DeskStage['people']
  beforeAll(async () => {
    const stage = await deskStage(driver)
    ;({ as, backend, company, ticket } = stage)
    ;({ desk: teknik, admin, requester: standard, second: boss } = stage.people)
  })
  afterAll(() => backend?.stop())

  const ask = (id: string, args: Record<string, unknown>, account = teknik) =>
    as(account).rpc('request_approval', { ids: [id], ...args })
  const decide = (ids: string[], approved: boolean, account = teknik) =>
    as(account).rpc('decide_approvals', { ids, approved, note: 'Because' })
  const cancel = (ids: string[], account = teknik) => as(account).rpc('cancel_approval_requests', { ids })
  const steps = (id: string) =>
    backend.sql<{ id: string; status: string }>(
      'select id, status from public.ticket_approvals where ticket_id = $1 order by step',
      [id],
    )
  /** An open approval of whoever works the desk, asked by the Admin. */
  const askDesk = async (id: string) => {
    await ask(id, { approver_role: 'Teknik' }, admin).throwOnError()
    return (await steps(id)).map((step) => step.id)
  }
  const own = { hint: 'approval_own' }

  it('is decided and canceled by nobody whose request it was at any time', async () => {
    const id = await ticket({ requester_id: teknik.id })
    const hand = (to: string | null) =>
      as(teknik).from('tickets').update({ requester_id: to }).eq('id', id).throwOnError()
    await hand(standard.id)
    expect((await ask(id, { person_id: teknik.id }, admin)).error).toMatchObject({ hint: 'approval_own' })
    await ask(id, { approver_role: 'Teknik' }, admin)
    const ids = (await steps(id)).map((step) => step.id)
    for (const requester of [standard.id, null, teknik.id, standard.id]) {
      await hand(requester)
      expect((await decide(ids, true, teknik)).error).toMatchObject({ hint: 'approval_own' })
      expect((await cancel(ids, teknik)).error).toMatchObject({ hint: 'approval_cancel_own' })
    }
  })

  it('does not end by a merge of one’s own request, also after it was resolved', async () => {
    const id = await ticket({ requester_id: teknik.id })
    await ask(id, { person_id: boss.id }, admin)
    const merge = { ids: [id], target_id: await ticket() }
    const refused = { hint: 'approval_cancel_own' }
    expect((await as(teknik).rpc('merge_tickets', merge)).error).toMatchObject(refused)
    await as(teknik)
      .rpc('set_ticket_status', { ids: [id], status: 'resolved' })
      .throwOnError()
    expect((await as(teknik).rpc('merge_tickets', merge)).error).toMatchObject(refused)
    await as(admin).rpc('merge_tickets', merge).throwOnError()
    // The ticket keeps the requesters of those that were merged into it.
    await ask(merge.target_id, { approver_role: 'Teknik' }, admin)
    const [step] = await steps(merge.target_id)
    expect((await decide([step?.id ?? ''], true, teknik)).error).toMatchObject({ hint: 'approval_own' })
  })

  it('is not decided by whoever wrote it by mail without an account that the mail proves', async () => {
    const mailed = { requester_id: null, requester_email: teknik.email?.toUpperCase() }
    const id = await ticket(mailed)
    expect((await ask(id, { person_id: teknik.id }, admin)).error).toMatchObject(own)
    expect((await decide(await askDesk(id), true)).error).toMatchObject(own)
    // Neither once it is somebody else's, nor within another ticket.
    await as(admin).from('tickets').update({ requester_id: standard.id }).eq('id', id).throwOnError()
    await backend.sql('update public.tickets set requester_email = null where id = $1', [id])
    const ids = (await steps(id)).map((step) => step.id)
    expect((await decide(ids, true)).error).toMatchObject(own)
    const target = await ticket()
    await as(admin)
      .rpc('merge_tickets', { ids: [await ticket(mailed)], target_id: target })
      .throwOnError()
    expect((await decide(await askDesk(target), true)).error).toMatchObject(own)
  })

  it('is not decided by whoever opened it in somebody else’s name, who still writes its words', async () => {
    const open = async () => {
      const row = { company_id: company, subject: 'A car', requester_id: standard.id }
      const made = await as(teknik).from('tickets').insert(row).select('id').single().throwOnError()
      return made.data.id as string
    }
    const id = await open()
    expect((await ask(id, { person_id: teknik.id }, admin)).error).toMatchObject(own)
    expect((await decide(await askDesk(id), true)).error).toMatchObject(own)
    await as(teknik).from('tickets').update({ subject: 'A red car' }).eq('id', id).throwOnError()
    const target = await ticket()
    await as(teknik)
      .rpc('merge_tickets', { ids: [await open()], target_id: target })
      .throwOnError()
    expect((await decide(await askDesk(target), true)).error).toMatchObject(own)
  })

  it('does not come about after the decision: whoever approved becomes no requester, by hand or by a merge', async () => {
    const approved = async () => {
      const id = await ticket()
      expect((await decide(await askDesk(id), true)).data).toBe(1)
      return id
    }
    const id = await approved()
    const refused = {
      code: '23514',
      hint: 'approval_decider',
      details: expect.stringContaining(`"${teknik.email?.split('@')[0]}"`),
    }
    const merge = { ids: [await ticket({ requester_id: teknik.id })], target_id: id }
    for (const account of [teknik, admin]) {
      expect((await as(account).rpc('merge_tickets', merge)).error).toMatchObject(refused)
      const given = await as(account).from('tickets').update({ requester_id: teknik.id }).eq('id', id)
      expect(given.error).toMatchObject(refused)
    }
    // A request of somebody else, and one whose approval somebody else decided, go on.
    await as(teknik)
      .rpc('merge_tickets', { ids: [await ticket()], target_id: id })
      .throwOnError()
    await as(admin).from('tickets').update({ requester_id: boss.id }).eq('id', id).throwOnError()
    await backend.sql('update public.desk_settings set approve_own = true where company_id = $1', [company])
    await as(admin)
      .from('tickets')
      .update({ requester_id: teknik.id })
      .eq('id', await approved())
      .throwOnError()
    await backend.sql('update public.desk_settings set approve_own = false where company_id = $1', [company])
  })

  it('is about words that the requester does not change, also where they work the desk', async () => {
    const id = await ticket({ requester_id: teknik.id })
    const reply = await as(teknik)
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: id, body: 'One laptop' })
      .select('id')
      .single()
      .throwOnError()
    const write = (account: typeof teknik, values: Record<string, unknown>) =>
      as(account).from('tickets').update(values).eq('id', id)
    await ask(id, { person_id: boss.id }, admin).throwOnError()
    for (const isApproved of [false, true]) {
      if (isApproved)
        await decide(
          (await steps(id)).map((step) => step.id),
          true,
          boss,
        ).throwOnError()
      expect((await write(teknik, { description: 'A hundred laptops' })).error).toMatchObject({
        code: '42501',
        hint: 'approval_fixed',
      })
      const edited = await as(teknik)
        .from('ticket_comments')
        .update({ body: 'A hundred laptops' })
        .eq('id', reply.data.id)
      expect(edited.error).toMatchObject({ hint: 'approval_fixed' })
      // Their work on it goes on, and the rest of the desk writes it.
      await write(teknik, { priority: 'high' }).throwOnError()
      await write(admin, { description: 'Two laptops' }).throwOnError()
    }
  })
})
