// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reportConnection } from '@/app/connection'
import { ConnectionNotice } from '@/app/shell/connection-notice'
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
afterEach(() => {
  act(() => reportConnection(false))
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
