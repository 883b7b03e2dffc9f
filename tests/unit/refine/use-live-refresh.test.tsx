// @vitest-environment happy-dom
import { useList } from '@refinedev/core'
import { cleanup, screen } from '@testing-library/react'
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type LiveChange, subscribeToTopic } from '@/data/live'
import { liveProvider } from '@/refine/live-provider'
import { coalesce, useLiveRefresh } from '@/refine/use-live-refresh'
import { fakeData, render } from '../../support/render'

vi.mock('@/data/live', async (load) => ({ ...(await load<object>()), subscribeToTopic: vi.fn() }))

const data = fakeData()
let tell: (change: Partial<LiveChange>) => void
let reads: Record<string, number>

function Rows({ resource, enabled = true }: { resource: string; enabled?: boolean }) {
  const { query } = useList({ resource, queryOptions: { enabled } })
  useLiveRefresh('company-1', ['devices'], resource === 'groups' ? [] : [query])
  return <p>{`${resource} ${query.data?.total ?? 'unread'}`}</p>
}

afterEach(cleanup)

describe('useLiveRefresh', () => {
  beforeEach(async () => {
    reads = {}
    data.getList.mockImplementation(async ({ resource }) => {
      reads[resource] = (reads[resource] ?? 0) + 1
      return { data: [], total: reads[resource] ?? 0 }
    })
    const listeners = new Set<(change: LiveChange) => void>()
    vi.mocked(subscribeToTopic).mockImplementation((_topic, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    })
    tell = (change) => {
      for (const listener of listeners) listener({ table: '*', op: '*', ids: [], own: false, ...change })
    }
    await render(
      <>
        <Rows resource="devices" />
        <Rows resource="groups" />
        <Rows resource="agents" enabled={false} />
      </>,
      { data, liveProvider },
    )
    await screen.findByText('devices 1')
  })

  it('reads its own queries again, and no other', async () => {
    act(() => tell({ table: 'devices' }))
    await screen.findByText('devices 2')
    expect(screen.getByText('groups 1')).toBeTruthy()
    expect(screen.getByText('agents unread')).toBeTruthy()
  })

  it('takes no notice of other tables', async () => {
    act(() => tell({ table: 'tickets' }))
    act(() => tell({ table: 'devices' }))
    await screen.findByText('devices 2')
    expect(reads).toEqual({ devices: 2, groups: 1 })
  })

  it('reads again what was read before the topic was joined', async () => {
    act(() => tell({ readUntil: 0 }))
    act(() => tell({ readUntil: Date.now() }))
    await screen.findByText('devices 2')
    expect(reads).toEqual({ devices: 2, groups: 1 })
  })
})

describe('coalescing refreshes', () => {
  it('acts at once, then at most once an interval, and never drops the last request', () => {
    vi.useFakeTimers()
    try {
      const action = vi.fn()
      const { request, stop } = coalesce(action, 1000)
      request()
      expect(action).toHaveBeenCalledTimes(1)
      for (let k = 0; k < 50; k += 1) request()
      expect(action).toHaveBeenCalledTimes(1)
      vi.advanceTimersByTime(1000)
      expect(action).toHaveBeenCalledTimes(2)
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(2)
      request()
      request()
      stop()
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
