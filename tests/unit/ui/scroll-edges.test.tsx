// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ShowTabs } from '@/resource/screens/form/show-tabs'
import { PageHeader } from '@/ui/page-header'
import { render } from '../../support/render'

/** A child is 100 px wide and begins where it is in its row; the row shows 360 px. */
const boxOf = (element: Element): Partial<DOMRect> => {
  const row = element.parentElement
  if (!row || !/^(tab|link)$/.test(element.getAttribute('role') ?? element.tagName.replace('A', 'link')))
    return { left: 0, right: 360 }
  const left = [...row.children].indexOf(element) * 300 - row.scrollLeft
  return { left, right: left + 100 }
}
const scrollIntoView = vi.fn()
Object.defineProperties(HTMLElement.prototype, {
  scrollWidth: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 360 },
  scrollIntoView: { configurable: true, value: scrollIntoView },
  getBoundingClientRect: {
    configurable: true,
    value(this: Element) {
      return boxOf(this)
    },
  },
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
    expect(screen.getByRole('tablist').scrollLeft).toBe(340)
    // From what it scrolls to, Chromium's Tab key would go on.
    expect(scrollIntoView).not.toHaveBeenCalled()
  })

  it('says so over a list, too', async () => {
    await render(
      <PageHeader tabs={[{ to: '/devices', label: 'Devices', isCurrent: false }]} tabsLabel="Neighbors" />,
    )
    const link = screen.getByRole('link', { name: 'Devices' })
    expect(link.parentElement?.dataset.edge).toBe('end')
    expect(screen.getByRole('navigation', { name: 'Neighbors' }).contains(link)).toBe(true)
  })

  it('brings the tab of the page into view over a list', async () => {
    await render(
      <PageHeader
        tabs={[
          { to: '/devices', label: 'Devices', isCurrent: false },
          { to: '/', label: 'Here', isCurrent: true },
        ]}
      />,
    )
    expect(screen.getByRole('link', { name: 'Here' }).parentElement?.scrollLeft).toBe(40)
    expect(scrollIntoView).not.toHaveBeenCalled()
  })
})
