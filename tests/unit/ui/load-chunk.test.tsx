// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { type ReactNode, Suspense } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardReload, lazyPart } from '@/ui/load-chunk'
import { LoadingState, PartLoading } from '@/ui/loading-state'
import { render } from '../../support/render'

const ENTRY = '/assets/index-one.js'
const entry = document.createElement('script')
entry.setAttribute('src', ENTRY)
const missing = () =>
  new TypeError('Failed to fetch dynamically imported module: http://localhost/assets/a.js')

/** The server's answer to the page itself; null when it cannot be reached. */
let page: string | null
/** The attempts to load the part; `isThere` decides whether its file is answered. */
let isThere: boolean
const load = vi.fn(async () => {
  if (!isThere) throw missing()
  return { default: () => <p>The part</p> }
})

function show(): ReactNode {
  const Part = lazyPart(load)
  return (
    <Suspense fallback={<PartLoading />}>
      <Part />
    </Suspense>
  )
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

beforeEach(() => {
  vi.useFakeTimers()
  page = null
  isThere = false
  load.mockClear()
  sessionStorage.clear()
  // Put into the document, the element would be executed.
  const query = document.querySelector.bind(document)
  vi.spyOn(document, 'querySelector').mockImplementation((selector: string) =>
    selector.startsWith('script') ? entry : query(selector),
  )
  vi.stubGlobal('fetch', async () => {
    if (page === null) throw new TypeError('Failed to fetch')
    return new Response(page)
  })
})
afterEach(async () => {
  // Nothing may go on waiting: what waits is shared by all parts.
  isThere = true
  await pass(5000)
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a part whose file cannot be loaded', () => {
  it('says that there is no connection, and comes by itself with the next one', async () => {
    await render(show())
    await pass(0)
    expect(screen.getByRole('status').textContent).toContain('No connection to the server')
    isThere = true
    await act(async () => {
      window.dispatchEvent(new Event('online'))
      await vi.advanceTimersByTimeAsync(0)
    })
    expect(screen.getByText('The part')).toBeTruthy()
  })

  it('is tried again at short intervals, for a server that was down', async () => {
    await render(show())
    await pass(0)
    expect(load).toHaveBeenCalledTimes(1)
    await pass(5000)
    expect(load).toHaveBeenCalledTimes(2)
    isThere = true
    await pass(5000)
    expect(screen.getByText('The part')).toBeTruthy()
  })

  it('is tried again on request', async () => {
    await render(show(), { language: 'tr' })
    await pass(0)
    isThere = true
    await act(async () => {
      screen.getByRole('button', { name: 'Yeniden dene' }).click()
      await vi.advanceTimersByTimeAsync(0)
    })
    expect(screen.getByText('The part')).toBeTruthy()
  })

  it('offers to reload when another version was installed', async () => {
    page = '<script type="module" src="/assets/index-two.js"></script>'
    await render(show())
    await pass(0)
    expect(screen.getByRole('button', { name: 'Reload the page' })).toBeTruthy()
  })

  it('is not asked for while the browser is offline, and comes with the connection', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    await render(show())
    await pass(0)
    expect(screen.getByRole('status').textContent).toContain('No connection to the server')
    expect(load).not.toHaveBeenCalled()
    online.mockReturnValue(true)
    isThere = true
    await pass(5000)
    expect(screen.getByText('The part')).toBeTruthy()
  })

  it('reloads the page once when its server is back, as no browser fetches a failed module again', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    page = `<script type="module" src="${ENTRY}"></script>`
    // antd leaves the field in which it measures a text in the document: nobody typed into it.
    const measure = document.createElement('textarea')
    measure.setAttribute('aria-hidden', 'true')
    measure.value = 'measured'
    document.body.append(measure)
    await render(show())
    await pass(0)
    measure.remove()
    expect(reload).toHaveBeenCalledOnce()
    cleanup()
    await render(show())
    await pass(0)
    expect(screen.getByRole('button', { name: 'Reload the page' })).toBeTruthy()
    expect(reload).toHaveBeenCalledOnce()
  })

  it('keeps typed input on a page before the sign-in', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    page = `<script type="module" src="${ENTRY}"></script>`
    await render(
      <>
        <input aria-label="Email" defaultValue="ada@acme.test" />
        {show()}
      </>,
    )
    await pass(0)
    expect(screen.getByRole('button', { name: 'Reload the page' })).toBeTruthy()
    expect(reload).not.toHaveBeenCalled()
  })

  it('keeps unsaved work and offers to reload', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    const release = guardReload(() => true)
    page = `<script type="module" src="${ENTRY}"></script>`
    await render(show())
    await pass(0)
    expect(screen.getByRole('button', { name: 'Reload the page' })).toBeTruthy()
    expect(reload).not.toHaveBeenCalled()
    release()
  })
})

it('a page whose part is missing leaves nothing behind on the next page', async () => {
  await render(show())
  await pass(0)
  expect(screen.getByRole('status').textContent).toContain('No connection to the server')
  cleanup()
  await render(<LoadingState />)
  expect(screen.getByRole('status').textContent).toBe('Loading…')
})

it('an error of the part itself is thrown, not waited for', async () => {
  load.mockRejectedValueOnce(new Error('x is not a function'))
  const { loadChunk } = await import('@/ui/load-chunk')
  await expect(loadChunk(load)).rejects.toThrow('x is not a function')
  expect(load).toHaveBeenCalledTimes(1)
})
