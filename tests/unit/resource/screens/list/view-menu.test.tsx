// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Can } from '@/access/policy'
import type { SavedView } from '@/resource/request/query/saved-views'
import { ViewMenu } from '@/resource/screens/list/views/view-controls'
import { render } from '../../../../support/render'

afterEach(cleanup)

const VIEW: SavedView = {
  id: 'v1',
  resource: 'tickets',
  name: 'Mine',
  scope: 'mine',
  role: null,
  state: {},
  is_default: false,
  version: 1,
  is_mine: true,
}

async function items(can: Can, { companyId = 'acme' as string | null, view = VIEW } = {}) {
  const { user } = await render(
    <ViewMenu view={view} companyId={companyId} isChanged isSmall={false} onTask={() => undefined} />,
    { can },
  )
  await user.click(screen.getByRole('button', { name: 'Actions for the view “Mine”' }))
  await screen.findByRole('menuitem', { name: 'Rename…' })
  return screen.getAllByRole('menuitem').map(({ textContent }) => textContent)
}
const cannotShare: Can = (_object, verb) =>
  verb === 'share' ? { allowed: false, reason: 'role' } : { allowed: true }

it('sharing a view is not offered to a role that may not', async () => {
  expect(await items(() => ({ allowed: true }))).toContain('Share…')
  cleanup()
  expect((await items(cannotShare)).join()).not.toContain('Share')
})

it('says why an own view cannot be shared where no company is in view', async () => {
  const all = await items(() => ({ allowed: true }), { companyId: null })
  expect(all).toContain('Share…Choose one company first. A view is shared within a company.')
})

it('lets a shared view be taken back where no company is in view', async () => {
  const all = await items(() => ({ allowed: true }), { companyId: null, view: { ...VIEW, scope: 'company' } })
  expect(all).toContain('Share…')
})
