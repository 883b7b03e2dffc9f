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

  it.each([
    [
      'en',
      'Konsol: Approval needed: [#7] Printer',
      'because you were asked to approve this ticket',
      'take part',
    ],
    ['tr', 'Konsol: Onayınız gerekiyor: [#7] Printer', 'onayınız istendiğinden', 'yer aldığınız'],
  ])(
    'says that an approval is asked for in its subject, and why it was sent, in %s',
    (language, subject, asked, part) => {
      const write = (events: TicketMail['content']['events']) =>
        ticketMail(content(events), 'https://desk.test', language, { token: TOKEN, inSubject: false })
      expect(write(['approval']).subject).toBe(subject)
      expect(write(['approval']).text).toContain(asked)
      expect(write(['reply']).subject).toBe('Konsol: [#7] Printer')
      // Whoever is also written to takes part.
      for (const events of [['reply'], ['reply', 'approval']] as const) {
        expect(write([...events]).text).toContain(part)
        expect(write([...events]).text).not.toContain(asked)
      }
      expect(write(['approval']).text).not.toContain('decline')
    },
  )
})
