// @vitest-environment happy-dom
import type { GetListParams } from '@refinedev/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { TimerChip } from '@/pages/tickets/timer-chip'
import { TimerPanel } from '@/pages/tickets/timer-panel'
import { fakeData, render } from '../../../support/render'

const SINCE = '2026-11-28T09:00:00.123456+00:00'
const OWN = {
  id: 'entry',
  company_id: 'c',
  ticket_id: 'ticket',
  started_at: SINCE,
  note: null,
  ticket: { number: 7, subject: 'Toner' },
}

const data = fakeData()
afterEach(() => {
  cleanup()
  vi.resetAllMocks()
  window.localStorage.clear()
})

const asksMoment = ({ filters }: GetListParams) =>
  filters?.some((filter) => 'field' in filter && filter.field === 'started_at') === true

/** Answers the running timer of the user, and the user's entry of the moment that the ticket names. */
function answer({ running, ofMoment }: { running: object[]; ofMoment: () => Promise<object[]> }) {
  data.getList.mockImplementation(async (question) => {
    const rows = asksMoment(question) ? await ofMoment() : running
    return { data: rows as { id: string }[], total: rows.length }
  })
}

const panel = (record: object = {}) =>
  render(
    <TimerPanel
      record={{ id: 'ticket', merged_into_id: null, timer_started_at: SINCE, ...record }}
      resource="tickets"
    />,
    { data, companyId: 'c' },
  )

it('shows the own timer as one that runs', async () => {
  answer({ running: [OWN], ofMoment: async () => [OWN] })
  await panel()
  expect(await screen.findByRole('timer')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Stop timer' })).toBeTruthy()
  expect(screen.queryByText(/colleague/)).toBeNull()
})

it('does not call an own timer that has just started or ended a colleague’s', async () => {
  // The ticket names the moment; the answer about the running timer is older or newer than the ticket.
  answer({ running: [], ofMoment: async () => [{ id: 'entry' }] })
  await panel()
  await waitFor(() => expect(data.getList.mock.calls.some(([question]) => asksMoment(question))).toBe(true))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(screen.queryByText(/colleague/)).toBeNull()
})

it('names nobody before the answer, and a colleague after it', async () => {
  let arrive: (rows: object[]) => void = () => undefined
  answer({
    running: [],
    ofMoment: () =>
      new Promise((resolve) => {
        arrive = resolve
      }),
  })
  await panel()
  await waitFor(() => expect(data.getList.mock.calls.some(([question]) => asksMoment(question))).toBe(true))
  expect(screen.queryByText(/colleague/)).toBeNull()
  arrive([])
  expect(await screen.findByText(/^A colleague's timer runs since/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Start timer' })).toBeTruthy()
})

it('asks nothing while no timer runs on the ticket', async () => {
  answer({ running: [], ofMoment: async () => [] })
  await panel({ timer_started_at: null })
  expect(await screen.findByRole('button', { name: 'Start timer' })).toBeTruthy()
  expect(data.getList).not.toHaveBeenCalled()
})

it('has no timer on a merged ticket', async () => {
  answer({ running: [], ofMoment: async () => [] })
  await panel({ merged_into_id: 'other' })
  expect(await screen.findByText('No time is spent on a merged ticket.')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})

it('leads from the top bar to the ticket whose timer runs', async () => {
  answer({ running: [OWN], ofMoment: async () => [] })
  await render(<TimerChip />, { data, companyId: 'c' })
  const link = await screen.findByRole('link', { name: /^Timer on #7: / })
  expect(link.getAttribute('href')).toBe('/tickets/ticket')
})

it('shows nothing in the top bar without a running timer, and forgets that there was one', async () => {
  window.localStorage.setItem('konsol-timer', 'user-1')
  answer({ running: [], ofMoment: async () => [] })
  await render(<TimerChip />, { data, companyId: 'c' })
  await waitFor(() => expect(window.localStorage.getItem('konsol-timer')).toBeNull())
  expect(screen.queryByRole('link')).toBeNull()
})
