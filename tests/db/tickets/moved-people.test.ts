import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers())('a person who moves to another company, on %s,', (driver) => {
  let stage: DeskStage
  beforeAll(async () => {
    stage = await deskStage(driver)
  })
  afterAll(() => stage?.backend.stop())

  it('reads no bell of the first and is no approver there, until they come back', async () => {
    const { backend, company, other, ticket, as, people } = stage
    const mover = await createAccount(backend, 'Teknik', company)
    const client = await backend.client(mover.email)
    const id = await ticket({ subject: 'Only for Acme' })
    const asked = { ids: [id], person_id: mover.id, question: 'May we?' }
    expect((await as(people.admin).rpc('request_approval', asked)).error).toBeNull()
    await backend.sql('insert into public.notifications (user_id, kind) values ($1, $2)', [mover.id, 'x'])
    const bells = async () => {
      const { data } = await client.from('notifications').select('company_id')
      return [...new Set(data?.map((bell) => bell.company_id))].sort()
    }
    const approvers = () =>
      backend.sql('select company_id from public.ticket_approvers where user_id = $1', [mover.id])
    const move = (target: string | null, role = 'Teknik') =>
      backend.sql('update public.user_roles set company_id = $2, role = $3 where user_id = $1', [
        mover.id,
        target,
        role,
      ])
    const markRead = async () =>
      (
        await client
          .from('notifications')
          .update({ read_at: new Date().toISOString() })
          .eq('user_id', mover.id)
          .select('company_id')
      ).data
    expect(await bells()).toEqual([company, null])
    expect(await approvers()).toEqual([{ company_id: company }])

    await move(other)
    expect(await bells()).toEqual([null])
    expect(await markRead()).toEqual([{ company_id: null }])
    expect(await approvers()).toEqual([])

    await move(null, 'Super Admin')
    expect(await bells()).toHaveLength(2)

    await move(company)
    expect(await bells()).toHaveLength(2)
    expect(await approvers()).toEqual([{ company_id: company }])
  })
})
