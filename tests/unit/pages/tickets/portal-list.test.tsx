// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeniedError } from '@/data/errors'
import { PortalList } from '@/pages/tickets/portal-list'
import { eventually } from '../../../support/eventually'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
const ticket = (subject: string, more: object = {}) => ({
  id: `id-${subject}`,
  number: 7,
  subject,
  status: 'open',
  requester_id: 'user-1',
  rating: null,
  merged_into_id: null,
  created_at: '2026-03-01T10:00:00Z',
  own_status: { name: 'Open', color: '#3d6fb6' },
  ...more,
})
const rows = (...found: object[]) =>
  data.getList.mockImplementation(async () => ({ data: found as { id: string }[], total: found.length }))
const open = (path = '/tickets') => render(<PortalList />, { path, data, companyId: 'c' })

beforeEach(() => {
  data.custom.mockResolvedValue({ data: 1 })
})
afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the list of a requester', () => {
  it('shows open tickets as links, without stars', async () => {
    rows(ticket('Printer'))
    await open()
    const link = await screen.findByRole('link', { name: 'Printer' })
    expect(link.getAttribute('href')).toBe('/tickets/id-Printer')
    expect(screen.queryByRole('group', { name: 'Rating of Printer' })).toBeNull()
    expect(data.getList.mock.calls[0]?.[0]).toMatchObject({
      resource: 'tickets',
      filters: [{ field: 'status', operator: 'in', value: ['new', 'open', 'waiting'] }],
      meta: { companyId: 'c' },
    })
  })

  it('is searched, and keeps the words when the group changes', async () => {
    rows(ticket('Printer'))
    const { user } = await open()
    await user.type(await screen.findByRole('searchbox'), 'toner')
    await eventually(() =>
      expect(data.getList.mock.calls.at(-1)?.[0]).toMatchObject({ meta: { search: 'toner' } }),
    )
    rows()
    await user.click(screen.getByRole('button', { name: 'Resolved' }))
    expect(await screen.findByText('No ticket here matches “toner”')).toBeTruthy()
    expect(data.getList.mock.calls.at(-1)?.[0]).toMatchObject({
      filters: [{ field: 'status', operator: 'in', value: ['resolved', 'closed'] }],
      meta: { search: 'toner' },
    })
  })

  it('says what to do when there is no open ticket', async () => {
    rows()
    await open()
    expect(await screen.findByText('No open tickets')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'New ticket' })).toBeTruthy()
  })

  it('says why it shows nothing: denied, and failed with a way to try again', async () => {
    data.getList.mockRejectedValue(new DeniedError('no', 'role'))
    await open()
    expect(await screen.findByRole('button', { name: 'New ticket' })).toBeTruthy()
    await eventually(() => expect(screen.queryByText('No open tickets')).toBeNull())
    cleanup()
    data.getList.mockRejectedValue(new Error('cut off'))
    const { user } = await open()
    const again = await screen.findByRole('button', { name: /try again/i })
    rows(ticket('Back'))
    await user.click(again)
    expect(await screen.findByRole('link', { name: 'Back' })).toBeTruthy()
  })

  it('offers stars to the requester of a resolved ticket alone, and one press rates', async () => {
    rows(
      ticket('Mine', { status: 'resolved' }),
      ticket('Watched', { status: 'resolved', requester_id: 'somebody else' }),
    )
    const { user } = await open('/tickets?group=done')
    await screen.findByRole('link', { name: 'Watched' })
    const own = screen.queryAllByRole('group', { name: /^Rating of/ })
    expect(own.map((group) => group.getAttribute('aria-label'))).toEqual(['Rating of Mine'])
    await user.click(within(own[0] as HTMLElement).getByRole('button', { name: '4 of 5' }))
    await eventually(() =>
      expect(data.custom.mock.calls.at(-1)?.[0]).toMatchObject({
        url: 'rpc/rate_ticket',
        payload: { id: 'id-Mine', rating: 4 },
      }),
    )
  })
})
