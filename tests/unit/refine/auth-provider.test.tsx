// @vitest-environment happy-dom
import { useGetIdentity, useIsAuthenticated, useLogout } from '@refinedev/core'
import { act, cleanup, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useIdentity } from '@/refine/auth-provider'
import { ConsoleRefine } from '@/refine/console-refine'
import type { SessionUser } from '@/session/types'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'

const ADA = { id: 'u', name: 'Ada', role: 'Admin' } as SessionUser
const signOut = vi.fn(async () => undefined)
const seen: (string | undefined)[] = []
let setUser: (user: SessionUser) => void

function Session({ children }: { children: React.ReactNode }) {
  const [user, set] = useState(ADA)
  setUser = set
  return (
    <SessionContext value={{ status: 'authenticated', user, signOut } as unknown as SessionValue}>
      <ConsoleRefine>{children}</ConsoleRefine>
    </SessionContext>
  )
}

function Person() {
  const identity = useIdentity()
  const { data: own } = useGetIdentity<SessionUser>()
  const { data: check } = useIsAuthenticated()
  const { mutate: logout } = useLogout()
  seen.push(identity?.name)
  return (
    <>
      <p>{identity?.name}</p>
      <p>{own ? `also ${own.name}` : ''}</p>
      <p>{check?.authenticated ? 'signed in' : ''}</p>
      <button type="button" onClick={() => logout()}>
        Sign out
      </button>
    </>
  )
}

const open = () =>
  render(
    <Session>
      <Person />
    </Session>,
  )

afterEach(() => {
  cleanup()
  seen.length = 0
})

describe('the identity', () => {
  it('is known at the first paint, by Refine’s own hook too', async () => {
    await open()
    expect(await screen.findByText('also Ada')).toBeTruthy()
    expect(new Set(seen)).toEqual(new Set(['Ada']))
  })

  it('follows the session', async () => {
    await open()
    act(() => setUser({ ...ADA, name: 'Ada Lovelace' }))
    expect(await screen.findByText('Ada Lovelace')).toBeTruthy()
    expect(await screen.findByText('also Ada Lovelace')).toBeTruthy()
  })
})

it('Refine’s hooks for the session work as documented', async () => {
  const { user } = await open()
  expect(await screen.findByText('signed in')).toBeTruthy()
  await user.click(screen.getByRole('button'))
  await eventually(() => expect(signOut).toHaveBeenCalledOnce())
})
