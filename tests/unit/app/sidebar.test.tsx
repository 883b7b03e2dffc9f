// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import { findPage } from '@/app/registry'
import { engineComponents } from '@/app/resource-screens'
import { useListPrefetch } from '@/app/shell/sidebar'
import { prefetchList } from '@/resource/request/query/use-list-query'
import { render } from '../../support/render'

const scope = vi.hoisted(() => ({ companyId: 'c', filter: {} }))
vi.mock('@/app/resource-screens', () => ({
  engineComponents: { 'notifications/notifications-screen': vi.fn(async () => ({})) },
}))
vi.mock('@/resource/request/query/use-list-query', () => ({ prefetchList: vi.fn() }))
vi.mock('@/resource/request/query/use-scope', () => ({ useResourceScope: () => scope }))
vi.mock('@/resource/screens/resource-list', () => ({}))

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const ownScreen = () => engineComponents['notifications/notifications-screen']

function Entry({ path }: { path: string }) {
  const prefetch = useListPrefetch()
  const page = findPage(path)?.page
  if (!page) throw new Error(`No page ${path}`)
  return <button type="button" onClick={() => prefetch(page)} aria-label={path} />
}

/** The pointer comes to each entry in turn, and rests on the last. */
async function restOn(paths: string[], can?: Can) {
  await render(
    paths.map((path) => <Entry key={path} path={path} />),
    can ? { can } : {},
  )
  for (const path of paths) act(() => screen.getByRole('button', { name: path }).click())
  await act(() => vi.advanceTimersByTimeAsync(100))
}

it('reads the list on whose entry the pointer rests', async () => {
  await restOn(['/groups'])
  expect(vi.mocked(prefetchList).mock.calls.map(([, { name }, of]) => [name, of])).toEqual([
    ['groups', scope],
  ])
  expect(ownScreen()).not.toHaveBeenCalled()
})

it('loads the screen of a list that has its own', async () => {
  await restOn(['/notifications'])
  expect(ownScreen()).toHaveBeenCalledOnce()
  expect(prefetchList).not.toHaveBeenCalled()
})

it('asks for nothing that the user may not open', async () => {
  await restOn(['/groups'], () => ({ allowed: false, reason: 'role' }))
  expect(prefetchList).not.toHaveBeenCalled()
})
