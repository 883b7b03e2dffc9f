// @vitest-environment happy-dom

import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { AccessProvider } from '@/access/access-provider'
import { useAllRoles } from '@/access/roles'
import { useCan } from '@/access/use-can'
import { supabase } from '@/data/client'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { fakeTopics } from '../../support/live'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const policy = (verbs: string[], roles: string[]) => ({
  role: 'Auditor',
  companyId: 'c1',
  roles: ['Auditor'],
  now: new Date().toISOString(),
  until: null,
  lines: verbs.map((verb) => ['p', 'Auditor', 'tickets', verb, 'allow']),
  allRoles: roles.map((name) => ({ name, isGrantable: false, hasCompany: true })),
})

function Shown() {
  const can = useCan()
  const verbs = ['list', 'edit'].filter((verb) => can('tickets', verb).allowed)
  const roles = useAllRoles().map(({ name }) => name)
  return <p>{[...verbs, ...roles].join(' ')}</p>
}

it('reads the permissions again when their lines changed, for a role that may list no device', async () => {
  const { tell } = fakeTopics()
  const rpc = vi.spyOn(supabase, 'rpc')
  const answer = (data: object) => rpc.mockResolvedValue({ data, error: null, status: 200 } as never)
  answer(policy(['list'], ['Auditor']))
  const reloadUser = vi.fn(async () => undefined)
  const session = { status: 'authenticated', user: { id: 'u1', companyId: 'c1' }, reloadUser }
  render(
    <SessionContext.Provider value={session as unknown as SessionValue}>
      <AccessProvider meetsRule={() => undefined}>
        <Shown />
      </AccessProvider>
    </SessionContext.Provider>,
  )
  await screen.findByText('list Auditor')
  answer(policy(['list', 'edit'], ['Auditor', 'Clerk']))
  tell('company:c1', { table: 'tickets', op: 'update', ids: [] })
  expect(rpc).toHaveBeenCalledTimes(1)
  tell('company:c1', { table: 'policy_rule', op: 'update', ids: [] })
  await screen.findByText('list edit Auditor Clerk')
  expect(rpc).toHaveBeenCalledTimes(2)
  // The account is the same: only its permissions are read.
  expect(reloadUser).not.toHaveBeenCalled()
})
