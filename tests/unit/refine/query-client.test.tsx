// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConnectionNotice } from '@/app/shell/notices'
import { createQueryClient, reportConnection } from '@/refine/query-client'
import { ErrorState } from '@/ui/error-state'
import { guardReload, loadChunk } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import { render } from '../../support/render'

let answer: () => Promise<Response>

const banner = () => screen.queryByText('No connection to the server')
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const tell = (event: 'offline' | 'online') =>
  act(async () => {
    window.dispatchEvent(new Event(event))
    await vi.advanceTimersByTimeAsync(0)
  })
const refuse = () => Promise.reject(new TypeError('Failed to fetch'))

beforeEach(async () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => answer())
  answer = async () => new Response()
  await render(<ConnectionNotice />)
})
afterEach(async () => {
  answer = async () => new Response()
  await tell('online')
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('the banner of a lost connection', () => {
  it('comes with the browser’s offline event and goes with the online event', async () => {
    answer = refuse
    await tell('offline')
    expect(banner()).not.toBeNull()
    answer = async () => new Response()
    await tell('online')
    expect(banner()).toBeNull()
  })

  it('does not come while the backend answers, as one on this machine does', async () => {
    await tell('offline')
    expect(banner()).toBeNull()
  })

  it('comes as soon as a part of the console cannot be loaded, and data says that it waits', async () => {
    answer = refuse
    const never = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module: a.js'))
    void loadChunk(() => (answer === refuse ? never() : Promise.resolve({})))
    await pass(0)
    await render(<LoadingState />)
    await pass(0)
    expect(screen.getByText('Waiting for the connection')).toBeTruthy()
    answer = async () => new Response()
    await pass(5000)
    expect(banner()).toBeNull()
  })

  it('becomes an offer to reload a page with unsaved work once its server is back without a part of it', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    const release = guardReload(() => true)
    let isThere = false
    const missing = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module: a.js'))
    void loadChunk(() => (isThere ? Promise.resolve({}) : missing()))
    await pass(5000)
    expect(banner()).toBeNull()
    act(() => screen.getByRole('button', { name: 'Reload the page' }).click())
    await pass(0)
    expect(reload).toHaveBeenCalledOnce()
    reload.mockRestore()
    release()
    isThere = true
    await pass(5000)
    expect(screen.queryByRole('button', { name: 'Reload the page' })).toBeNull()
  })

  it('goes by itself after a lost write, with no other request', async () => {
    answer = refuse
    act(() => reportConnection(true))
    await pass(5000)
    expect(banner()).not.toBeNull()
    answer = async () => new Response()
    await pass(5000)
    expect(banner()).toBeNull()
  })
})

function Rows({ read }: { read: () => Promise<string> }) {
  const { data, error, refetch } = useQuery({ queryKey: ['rows'], queryFn: read })
  if (data) return <p>{data}</p>
  return error ? <ErrorState text="failed" onRetry={() => refetch()} /> : <LoadingState />
}

describe('a page opened without a connection', () => {
  it('says that it waits, while it tries and between the tries, and loads when the server answers', async () => {
    let isThere = false
    const read = vi.fn(async () => {
      // As long as a request takes that is tried again by itself.
      await new Promise((done) => setTimeout(done, 1000))
      if (!isThere) throw new TypeError('Failed to fetch')
      return 'The rows'
    })
    answer = refuse
    act(() => reportConnection(true))
    await render(
      <QueryClientProvider client={createQueryClient()}>
        <Rows read={read} />
      </QueryClientProvider>,
    )
    const waits = () => screen.queryByText('This loads automatically when the server responds.')
    expect(waits()).not.toBeNull()
    await pass(1000)
    expect(waits()).not.toBeNull()
    expect(screen.queryByText('failed')).toBeNull()
    await pass(5000)
    expect(read).toHaveBeenCalledTimes(2)
    expect(waits()).not.toBeNull()
    isThere = true
    answer = async () => new Response()
    await pass(7000)
    expect(screen.getByText('The rows')).toBeTruthy()
    expect(waits()).toBeNull()
  })
})
