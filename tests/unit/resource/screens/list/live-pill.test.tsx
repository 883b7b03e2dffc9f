// @vitest-environment happy-dom

import { useList } from '@refinedev/core'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { originFetch, PAGE_ORIGIN } from '@/data/origin'
import { liveProvider } from '@/refine/live-provider'
import type { Definition } from '@/resource/language/definition.generated'
import { LivePill } from '@/resource/screens/list/live-pill'
import { fakeTopics } from '../../../../support/live'
import { fakeData, render } from '../../../../support/render'

const definition: Definition = { name: 'groups', fields: { name: { type: 'text' } } }
const state = { page: 1 } as never
const data = fakeData()
let reads: number
let topics: ReturnType<typeof fakeTopics>

function List() {
  const { result } = useList({ resource: 'groups' })
  return (
    <>
      <p>{`read ${result.total}`}</p>
      <LivePill
        scope={{ companyId: 'company-1', filter: {} }}
        rows={[{ id: 'a' }]}
        {...{ definition, state }}
      />
    </>
  )
}

beforeEach(async () => {
  reads = 0
  data.getList.mockImplementation(async () => ({ data: [{ id: 'a' }], total: ++reads }))
  topics = fakeTopics()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('[]'))
  await render(<List />, { data, liveProvider })
  await screen.findByText('read 1')
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

describe('LivePill', () => {
  it('counts the change of a colleague that comes right after a write of this page', async () => {
    await originFetch('http://localhost/rest/v1/groups?id=eq.a', { method: 'PATCH' })
    topics.tell('company:company-1', { table: 'groups', op: 'update', ids: ['a'], origin: 'f'.repeat(32) })
    await screen.findByRole('button', { name: '1 change' })
    expect(screen.getByText('read 1')).toBeTruthy()
  })

  it('reads again for its own write, however late its message comes', async () => {
    topics.tell('company:company-1', { table: 'groups', op: 'update', ids: ['a'], origin: PAGE_ORIGIN })
    await screen.findByText('read 2')
    expect(screen.queryByRole('button')).toBeNull()
  })
})
