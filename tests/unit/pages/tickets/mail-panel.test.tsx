// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { MailPanel } from '@/pages/tickets/mail-panel'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

const show = async (more: object) => {
  data.custom.mockResolvedValue({
    data: { can_send: true, is_local: false, reads: 'webhook', polled_at: null, poll_error: null, ...more },
  })
  await render(<MailPanel />, { data, companyId: 'c' })
}

it('says what lacks for replies and for new tickets', async () => {
  await show({ reply_address: null, has_address: false })
  expect(await screen.findByText(/^MAIL_REPLY is not set/)).toBeTruthy()
  expect(screen.getByText(/^No address opens tickets by mail yet/)).toBeTruthy()
})

it('names the address of replies', async () => {
  await show({ reply_address: 'reply@desk.test', has_address: true })
  expect(await screen.findByText('Replies go to reply@desk.test.')).toBeTruthy()
  expect(screen.queryByText(/No address opens/)).toBeNull()
})

it('does not call a mail sent that stays in the mailbox of the server', async () => {
  await show({ is_local: true, reply_address: 'reply@desk.test', has_address: true })
  expect(await screen.findByText(/^Mail reaches nobody/)).toBeTruthy()
  expect(screen.queryByText('Mail is sent.')).toBeNull()
})
