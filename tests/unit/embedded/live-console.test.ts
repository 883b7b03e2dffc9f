import { expect, it, vi } from 'vitest'
import type { Database } from '../../../supabase/embedded/database/database'
import { Hub } from '../../../supabase/embedded/live/hub'

it('tells each page of the console’s versions when it joins and when one changes', async () => {
  const row = { id: 's', user_id: 'u', role: 'Standard', company_id: 'c' }
  const database = { query: async () => [row] } as unknown as Database
  let versions = { definitions: 'one' }
  const hub = new Hub(
    () => database,
    () => undefined,
    () => versions,
  )
  const join = async (topic: string) => {
    const send = vi.fn()
    const claims = { userId: 'u', sessionId: 's', expiresAt: Number.POSITIVE_INFINITY } as never
    const member = { topic, claims, send, dismiss: vi.fn() }
    expect(await hub.join(member)).toBe(true)
    hub.greet(member)
    return send
  }
  const user = await join('user:u')
  const company = await join('company:c')
  expect(user.mock.calls).toEqual([[{ definitions: 'one' }, 'console']])
  versions = { definitions: 'two' }
  hub.greetAll()
  expect(user).toHaveBeenLastCalledWith({ definitions: 'two' }, 'console')
  expect(company).toHaveBeenCalledTimes(2)
})
