// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, describe, expect, it } from 'vitest'
import { QuickActions } from '@/pages/dashboard/quick-actions'
import { render } from '../../support/render'

afterEach(cleanup)

const Address = () => {
  const { pathname, search } = useLocation()
  return <output>{pathname + search}</output>
}
const page = (
  <>
    <QuickActions />
    <Address />
  </>
)

describe('the quick actions', () => {
  it('open what they name', async () => {
    const { user } = await render(page, { companyId: 'acme' })
    for (const name of ['Deploy Script', 'Check Updates', 'Remote Desktop']) {
      await user.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }))
      const dialog = await screen.findByRole('dialog')
      await user.click(
        within(dialog).getByRole('button', { name: name === 'Remote Desktop' ? 'Close' : 'Cancel' }),
      )
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    }
    await user.click(screen.getByRole('button', { name: /^System Health/ }))
    expect(screen.getByRole('status').textContent).toBe('/monitors?is_active=false')
  })

  it('let nobody deploy while the license is over, and say so', async () => {
    const { user } = await render(page, { can: () => ({ allowed: false, reason: 'read-only' }) })
    const tile = screen.getByRole('button', { name: /^Deploy Script/ })
    expect(tile.getAttribute('aria-disabled')).toBe('true')
    expect(tile.textContent).toMatch(/license is not active/)
    await user.click(tile)
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
