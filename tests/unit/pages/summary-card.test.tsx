// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SummaryCard } from '@/pages/dashboard/summary-card'
import { render } from '../../support/render'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const open = (isKnown: boolean) =>
  render(
    <SummaryCard
      title="Online"
      value={1284}
      badge="Active"
      tone="success"
      icon={null}
      to="/"
      isKnown={isKnown}
    />,
  )

describe('a figure of the dashboard', () => {
  it('reads as its final value from the first paint on, while it runs up from 0', async () => {
    const { container } = await open(false)
    expect(screen.getByRole('link').textContent).toBe('Online1,284Active')
    expect(container.querySelector('[data-figure]')?.getAttribute('data-figure')).not.toBe('1,284')
  })

  it('stands still when the page opens with a figure that is known already', async () => {
    const { container } = await open(true)
    expect(screen.getByText('1,284')).toBeTruthy()
    expect(container.querySelector('[data-figure]')).toBeNull()
  })

  it('does not move for users who prefer reduced motion', async () => {
    const matchMedia = window.matchMedia.bind(window)
    vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({
      ...matchMedia(query),
      matches: query.includes('prefers-reduced-motion'),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    const { container } = await open(false)
    expect(screen.getByText('1,284')).toBeTruthy()
    expect(container.querySelector('[data-figure]')).toBeNull()
  })
})
