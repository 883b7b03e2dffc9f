import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MailDesk, openMailDesk } from '../support/mail-desk'

let desk: MailDesk
beforeAll(async () => {
  desk = await openMailDesk()
})
afterAll(() => desk?.stop())

async function asked() {
  const { backend, people, teknik, openTicket, mailTo } = desk
  const ticket = await openTicket()
  const question = `May I order it? ${randomUUID()}`
  await backend.sql(`update app.ticket_mails set sent_at = sent_at - interval '1 day'`)
  await teknik
    .rpc('request_approval', { ids: [ticket], person_id: people.get('admin@acme.test'), question })
    .throwOnError()
  const { replyTo } = await mailTo('admin@acme.test', question)
  const state = async () =>
    (
      await backend.sql<{ status: string; decided_by: string | null }>(
        'select status, decided_by from public.ticket_approvals where ticket_id = $1',
        [ticket],
      )
    )[0]
  return { ticket, to: replyTo as string, state }
}

const open = { status: 'asked', decided_by: null }
const words = 'Approved. Onaylandı. Yes.'

describe('a reply to the mail that asks for an approval', () => {
  it('of the approver is their answer on the ticket, once, and decides nothing', async () => {
    const { ticket, to, state } = await asked()
    const letter = { from: 'admin@acme.test', to, text: words, id: `<${randomUUID()}@acme.test>` }
    expect(await desk.arrive(letter)).toMatchObject({ status: 'filed', ticket_id: ticket })
    // The same mail on another way: its signature is new, its Message-ID is not.
    await desk.arrive({ ...letter, headers: ['X-Way: second'] })
    expect((await desk.comments(ticket)).filter(({ body }) => body === words)).toHaveLength(1)
    expect(await state()).toEqual(open)
  })

  it.each(['teknik@acme.test', 'standard@acme.test', 'admin@globex.test', 'stranger@elsewhere.test'])(
    'of %s, to whom it was forwarded, waits and decides nothing',
    async (from) => {
      const { ticket, to, state } = await asked()
      expect(await desk.arrive({ from, to, text: words })).toMatchObject({
        status: 'held',
        reason: 'other_sender',
      })
      expect((await desk.comments(ticket)).map(({ body }) => body)).not.toContain(words)
      expect(await state()).toEqual(open)
    },
  )

  it('in the name of the approver leads nowhere with a guessed token or none', async () => {
    const { ticket, state } = await asked()
    for (const to of [`reply+${'a'.repeat(52)}@desk.test`, 'reply@desk.test', 'help@acme.test']) {
      const result = await desk.arrive({ from: 'admin@acme.test', to, text: words })
      expect(result.status).toBe('held')
      expect(result.ticket_id).toBeNull()
    }
    expect((await desk.comments(ticket)).map(({ body }) => body)).not.toContain(words)
    expect(await state()).toEqual(open)
  })

  it('changes no approval that is canceled', async () => {
    const { ticket, to, state } = await asked()
    await desk.backend.sql(`update public.ticket_approvals set status = 'canceled' where ticket_id = $1`, [
      ticket,
    ])
    await desk.arrive({ from: 'admin@acme.test', to, text: words })
    expect(await state()).toEqual({ status: 'canceled', decided_by: null })
  })

  it('of an approver who was deactivated is refused', async () => {
    const { ticket, to, state } = await asked()
    const id = desk.people.get('admin@acme.test')
    await desk.backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [id])
    expect(await desk.arrive({ from: 'admin@acme.test', to, text: words })).toMatchObject({
      status: 'refused',
      reason: 'deactivated',
    })
    await desk.backend.sql('update public.user_roles set deactivated_at = null where user_id = $1', [id])
    expect((await desk.comments(ticket)).map(({ body }) => body)).not.toContain(words)
    expect(await state()).toEqual(open)
  })
})
