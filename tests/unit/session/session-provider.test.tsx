// @vitest-environment happy-dom
import { AuthApiError, type Session } from '@supabase/supabase-js'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renewingFetch } from '@/data/session-renewal'
import { SessionProvider } from '@/session/session-provider'
import { useSession } from '@/session/use-session'
import { eventually } from '../../support/eventually'

const backend = vi.hoisted(() => ({
  session: null as Session | null,
  /** The token the backend accepts; every other is refused. */
  accepted: 'first',
  renewals: 0,
  /** A sign-in and a renewal wait for this before they are answered. */
  signingIn: Promise.resolve(),
  renewing: Promise.resolve(),
  /** A sign-out waits for this before it is done. */
  leaving: Promise.resolve(),
  tell: (_event: string, _session: Session | null): void => undefined,
}))

const session = (token: string, id = 'ada') =>
  ({ access_token: token, user: { id, email: `${id}@acme.test` } }) as unknown as Session

vi.mock('@/data/client', () => ({
  supabase: {
    auth: {
      getSession: async () => ({ data: { session: backend.session }, error: null }),
      refreshSession: async () => {
        backend.renewals++
        const { session: renewed } = backend
        await backend.renewing
        if (renewed?.access_token === backend.accepted) return { data: { session: renewed }, error: null }
        backend.session = null
        backend.tell('SIGNED_OUT', null)
        return { data: { session: null }, error: new AuthApiError('gone', 400, 'session_not_found') }
      },
      signInWithPassword: async () => {
        await backend.signingIn
        backend.session = session('second')
        backend.accepted = 'second'
        return { data: { session: backend.session }, error: null }
      },
      signOut: async () => {
        await backend.leaving
        backend.session = null
        backend.tell('SIGNED_OUT', null)
        return { error: null }
      },
      onAuthStateChange: (listener: typeof backend.tell) => {
        backend.tell = listener
        listener('INITIAL_SESSION', backend.session)
        return { data: { subscription: { unsubscribe: () => undefined } } }
      },
    },
  },
}))
vi.mock('@/session/read-user', () => ({
  MissingRoleError: class extends Error {},
  readUser: async (account: { id: string; email: string }) => ({ id: account.id, email: account.email }),
}))
vi.mock('@/session/failed-attempts', () => ({ recordFailedAttempt: async () => undefined }))

function Probe() {
  const { status, isExpired, signIn, signOut } = useSession()
  return (
    <>
      <output>{isExpired ? 'expired' : status}</output>
      <button type="button" onClick={() => void signIn('ada@acme.test', 'secret')}>
        Sign in
      </button>
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  )
}

/** A write, as the console's client sends it. */
const save = () =>
  renewingFetch(async (_input, init) => {
    const isAccepted = new Headers(init?.headers).get('Authorization') === `Bearer ${backend.accepted}`
    return new Response(null, { status: isAccepted ? 201 : 401 })
  })('http://localhost/rest/v1/groups', { method: 'POST', headers: { Authorization: 'Bearer first' } })

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click())

beforeEach(async () => {
  window.localStorage.clear()
  backend.session = session('first')
  backend.accepted = 'first'
  backend.renewals = 0
  backend.signingIn = Promise.resolve()
  backend.renewing = Promise.resolve()
  backend.leaving = Promise.resolve()
  render(
    <SessionProvider>
      <Probe />
    </SessionProvider>,
  )
  await screen.findByText('authenticated')
})
afterEach(cleanup)

describe('a session that the server ended', () => {
  it('keeps its user on screen, and a refused write goes on after they sign in again', async () => {
    backend.accepted = 'none'
    const saving = save()
    await screen.findByText('expired')
    await press('Sign in')
    await screen.findByText('authenticated')
    expect((await saving).status).toBe(201)
  })

  it('lets a write go on that is refused while its user signs in again', async () => {
    backend.accepted = 'none'
    const first = save()
    await screen.findByText('expired')
    let answer = (): void => undefined
    backend.signingIn = new Promise((done) => {
      answer = done
    })
    await press('Sign in')
    const second = save()
    await new Promise((done) => setTimeout(done))
    answer()
    await screen.findByText('authenticated')
    expect((await first).status).toBe(201)
    expect((await second).status).toBe(201)
  })

  it('signs its user in after a renewal under way, whose refusal would end the new session', async () => {
    backend.accepted = 'none'
    const first = save()
    await screen.findByText('expired')
    backend.session = session('first')
    let refuse = (): void => undefined
    backend.renewing = new Promise((done) => {
      refuse = done
    })
    const second = save()
    await eventually(() => expect(backend.renewals).toBe(2))
    await press('Sign in')
    await new Promise((done) => setTimeout(done, 20))
    // A real answer comes later than the news that the old session ended.
    backend.signingIn = new Promise((done) => setTimeout(done, 20))
    refuse()
    await screen.findByText('authenticated')
    expect((await first).status).toBe(201)
    expect((await second).status).toBe(201)
    expect(screen.queryByText('expired')).toBeNull()
  })

  it('refuses the waiting write when its user leaves', async () => {
    backend.accepted = 'none'
    const saving = save()
    await screen.findByText('expired')
    await press('Sign out')
    await screen.findByText('unauthenticated')
    expect((await saving).status).toBe(401)
  })

  it('is not repeated as somebody else who signs in in another tab', async () => {
    backend.accepted = 'none'
    const saving = save()
    await screen.findByText('expired')
    backend.accepted = 'other'
    backend.session = session('other', 'bob')
    act(() => backend.tell('SIGNED_IN', backend.session))
    expect((await saving).status).toBe(401)
  })

  it('takes the token that was renewed meanwhile', async () => {
    backend.session = session('second')
    backend.accepted = 'second'
    expect((await save()).status).toBe(201)
    expect(screen.getByText('authenticated')).toBeTruthy()
  })
})

describe('signing out', () => {
  it('leaves at once', async () => {
    await press('Sign out')
    await screen.findByText('unauthenticated')
  })

  it('asks for no new token for requests that are under way', async () => {
    let leave: (() => void) | undefined
    backend.leaving = new Promise((resolve) => {
      leave = resolve
    })
    await press('Sign out')
    backend.accepted = 'none'
    expect((await save()).status).toBe(401)
    expect(backend.renewals).toBe(0)
    leave?.()
    await screen.findByText('unauthenticated')
  })

  it('leaves in every other tab, too', async () => {
    // The tab that signed out wrote this down.
    window.localStorage.setItem('konsol.signed-out', 'ada')
    backend.session = null
    act(() => backend.tell('SIGNED_OUT', null))
    await screen.findByText('unauthenticated')
  })
})
