// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ShowTabs } from '@/resource/form/show-tabs'
import { PageHeader } from '@/ui/page-header'
import { render } from '../../support/render'

const scrollIntoView = vi.fn()
Object.defineProperties(HTMLElement.prototype, {
  scrollWidth: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 360 },
  scrollIntoView: { configurable: true, value: scrollIntoView },
})

afterEach(cleanup)

const TABS = ['overview', 'runs', 'alerts'].map((name) => ({ name, label: name }))

describe('a row of tabs that is wider than its place', () => {
  it('says at which side more tabs follow, on a record', async () => {
    await render(<ShowTabs label="Parts" tabs={TABS} current="overview" onChange={() => undefined} />)
    const list = screen.getByRole('tablist')
    expect(list.className).toContain('k-fading')
    expect(list.dataset.edge).toBe('end')
    list.scrollLeft = 100
    fireEvent.scroll(list)
    expect(list.dataset.edge).toBe('start end')
    list.scrollLeft = 240
    fireEvent.scroll(list)
    expect(list.dataset.edge).toBe('start')
  })

  it('brings the current tab into view', async () => {
    await render(<ShowTabs label="Parts" tabs={TABS} current="alerts" onChange={() => undefined} />)
    expect(scrollIntoView.mock.contexts.at(-1)).toBe(screen.getByRole('tab', { name: 'alerts' }))
  })

  it('says so over a list, too', async () => {
    await render(<PageHeader tabs={[{ to: '/devices', label: 'Devices' }]} tabsLabel="Neighbors" />)
    const link = screen.getByRole('link', { name: 'Devices' })
    expect(link.parentElement?.dataset.edge).toBe('end')
    expect(screen.getByRole('navigation', { name: 'Neighbors' }).contains(link)).toBe(true)
  })

  it('brings the tab of the page into view over a list', async () => {
    await render(
      <PageHeader
        tabs={[
          { to: '/devices', label: 'Devices' },
          { to: '/', label: 'Here' },
        ]}
      />,
    )
    expect(scrollIntoView.mock.contexts.at(-1)).toBe(screen.getByRole('link', { name: 'Here' }))
  })
})
