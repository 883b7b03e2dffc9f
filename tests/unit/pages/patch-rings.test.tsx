// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { RingsTab } from '@/pages/patches/rings-tab'
import type { TabProps } from '@/resource/engine-context'
import { HeldUpdates } from '@/runs/updates/held-updates'
import { type RingFacts, ringHold } from '@/runs/updates/ring-hold'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const facts: RingFacts = {
  ring: 2,
  tried: 4,
  succeeded: 4,
  first_at: '2026-11-20T10:00:00Z',
  after_days: 3,
  success_percent: 95,
  min_devices: 3,
}
const NOW = Date.parse('2026-11-22T10:00:00Z')
const tabOf = (approval: string) => ({ record: { id: 'p1', approval } }) as unknown as TabProps

describe('what a ring waits for', () => {
  it.each([
    [
      { tried: 2, succeeded: 0 },
      { reason: 'untried', tried: 2, needed: 3, before: 1 },
    ],
    [{ succeeded: 3 }, { reason: 'failing', tried: 4, succeeded: 3, percent: 95, before: 1 }],
    [{}, { reason: 'days', until: new Date('2026-11-23T10:00:00Z'), before: 1 }],
    [{ after_days: 2 }, { reason: 'soon', before: 1 }],
    [
      { tried: 20, succeeded: 19, after_days: 0 },
      { reason: 'soon', before: 1 },
    ],
  ])('is what the database asks first: %o', (change, hold) => {
    expect(ringHold({ ...facts, ...change }, NOW)).toEqual(hold)
  })

  it('is said for each update of a device, or for one', async () => {
    const data = fakeData()
    data.custom.mockResolvedValue({ data: [{ id: 'a', title: 'openssl', ...facts, succeeded: 3 }] })
    await render(<HeldUpdates deviceId="d1" />, { companyId: 'acme', data })
    const item = (await screen.findByRole('link', { name: 'openssl' })).closest('li')
    expect(item?.textContent).toBe('openssl – Ring 2: 3 of 4 devices of ring 1 succeeded, 95% needed')
    cleanup()
    await render(<HeldUpdates deviceId="d1" only="b" />, { companyId: 'acme', data })
    expect(await screen.findByText('No ring holds this update back on the device.')).toBeTruthy()
  })

  it('stands with each ring of an update', async () => {
    const data = fakeData()
    data.custom.mockResolvedValue({
      data: [
        { id: 'r1', name: 'Pilot', ...facts, ring: 1, released_at: null },
        { id: 'r2', name: 'Office', ...facts, released_at: '2026-11-23T10:00:00Z' },
        { id: 'r3', name: 'Servers', ...facts, ring: 3, tried: 0, succeeded: 0, released_at: null },
      ],
    })
    await render(<RingsTab {...tabOf('approved')} />, { companyId: 'acme', data })
    await screen.findByRole('link', { name: 'Pilot' })
    const [first, second, third] = within(screen.getByRole('list')).getAllByRole('listitem')
    expect(first?.textContent).toMatch(/Gets the update when it is approved/)
    expect(second?.textContent).toMatch(/Released on 23 Nov 2026.*4 of 4 devices of ring 1 succeeded/)
    expect(third?.textContent).toMatch(/Ring 3: tried on 0 of the 3 devices of ring 2 that are needed/)
    cleanup()
    await render(<RingsTab {...tabOf('denied')} />, { companyId: 'acme', data })
    expect(await screen.findAllByText('The update is not approved.')).toHaveLength(3)
  })

  it('says that there are no rings, and that reading them failed', async () => {
    const data = fakeData()
    data.custom.mockRejectedValueOnce(new Error('down')).mockResolvedValue({ data: [] })
    const { user } = await render(<RingsTab {...tabOf('approved')} />, { companyId: 'acme', data })
    await user.click(await screen.findByRole('button', { name: /again/i }))
    expect(await screen.findByText('No policy has a ring')).toBeTruthy()
  })
})
