import { describe, expect, it } from 'vitest'
import { type TicketMail, ticketMail } from '../../../supabase/embedded/mail/ticket-texts'

const content = (events: TicketMail['content']['events']): Pick<TicketMail, 'content'> => ({
  content: { events, number: 7, subject: 'Printer', comments: [], has_account: true, link: '/tickets/7' },
})
const TOKEN = 'a'.repeat(52)

describe('the mail of a ticket', () => {
  it.each(['en', 'tr'])('invites a reply only where replies are read, in %s', (language) => {
    const write = (token: string | null) =>
      ticketMail(content(['received', 'resolved']), 'https://desk.test', language, { token, inSubject: true })
    const read = write(TOKEN)
    expect(read.text).toContain(TOKEN)
    expect(read.text).toMatch(/answer this message|iletiyi yanıtla/)
    const unread = write(null)
    expect(unread.text + unread.subject).not.toMatch(/##-|answer this message|iletiyi yanıtla/)
    expect(unread.text).toMatch(/reopen it in the console|konsolda yeniden açın/)
  })
})
