// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RateDialog } from '@/pages/tickets/rate-dialog'
import { eventually } from '../../../support/eventually'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
const onClose = vi.fn()
const open = async (ticket: object) => {
  data.getOne.mockResolvedValue({
    data: { id: 't1', subject: 'Printer', rating: null, rating_note: null, ...ticket },
  })
  data.custom.mockResolvedValue({ data: 1 })
  return render(<RateDialog records={[{ id: 't1' }]} resource="tickets" action="rate" onClose={onClose} />, {
    data,
    companyId: 'c',
  })
}
const payloads = () => data.custom.mock.calls.map(([call]) => call.payload)
const button = (name: string) => screen.findByRole('button', { name })

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

describe('the rating of a ticket', () => {
  it('is sent once with its note, and the dialog closes', async () => {
    const { user } = await open({})
    expect((await button('Send')).hasAttribute('disabled')).toBe(true)
    const stars = within(screen.getByRole('group', { name: 'Rating of Printer' }))
    await user.click(stars.getByRole('button', { name: '4 of 5' }))
    expect(payloads()).toEqual([])
    await user.type(screen.getByRole('textbox'), 'Quick')
    await user.click(await button('Send'))
    await eventually(() => expect(onClose).toHaveBeenCalledOnce())
    expect(payloads()).toEqual([{ id: 't1', rating: 4, note: 'Quick' }])
  })

  it('begins with the earlier rating and note, which it changes', async () => {
    const { user } = await open({ rating: 5, rating_note: 'Great' })
    const change = await button('Change rating')
    const stars = within(screen.getByRole('group', { name: 'Rating of Printer' }))
    expect(stars.getByRole('button', { name: '5 of 5' }).getAttribute('aria-pressed')).toBe('true')
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('Great')
    await user.click(stars.getByRole('button', { name: '2 of 5' }))
    await user.click(change)
    await eventually(() => expect(onClose).toHaveBeenCalledOnce())
    expect(payloads()).toEqual([{ id: 't1', rating: 2, note: 'Great' }])
  })
})
