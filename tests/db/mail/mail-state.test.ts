import { expect, it } from 'vitest'
import { testBackend } from '../../support/backend'

it.each([undefined, 'reply@desk.test'])(
  'says where replies go with MAIL_REPLY %s, and of the own addresses alone',
  async (mailReply) => {
    const backend = await testBackend({ driver: 'pglite', ...(mailReply ? { mailReply } : {}) })
    try {
      const state = async (email: string) =>
        (await (await backend.client(email)).rpc('mail_state').throwOnError()).data
      await backend.sql('delete from public.mail_addresses')
      expect(await state('admin@acme.test')).toMatchObject({
        reply_address: mailReply ?? null,
        has_address: false,
        // No mail server is named: a mail stays in the mailbox.
        is_local: true,
      })
      await backend.sql(
        `insert into public.mail_addresses (company_id, address) select id, 'help@acme.test' from public.companies where name = 'Acme'`,
      )
      expect(await state('admin@acme.test')).toMatchObject({ has_address: true })
      expect(await state('admin@globex.test')).toMatchObject({ has_address: false })
    } finally {
      await backend.stop()
    }
  },
)
