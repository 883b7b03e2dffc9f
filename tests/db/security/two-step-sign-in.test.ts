import { afterAll, beforeAll, expect, it } from 'vitest'
import { findDefinition } from '@/resource/language/registry'
import type { TestBackend } from '../../support/backend'
import { sharedDemo } from '../../support/demo-backend'

let backend: TestBackend
beforeAll(async () => {
  backend = await sharedDemo()
})
afterAll(() => backend.stop())

it('no account and no screen claims a second step of signing in, which does not exist', async () => {
  const [claims] = await backend.sql<{ count: number }>(
    'select count(*)::int as count from public.user_roles where mfa_enabled',
  )
  expect(claims).toEqual({ count: 0 })
  const users = findDefinition('users')
  expect(Object.keys(users?.fields ?? {})).toContain('last_sign_in_at')
  expect(JSON.stringify(users)).not.toContain('mfa_enabled')
})

it('the session still reads the column', async () => {
  const client = await backend.client('admin@acme.test')
  const { data } = await client.auth.getUser()
  const role = await client
    .from('user_roles')
    .select('mfa_enabled')
    .eq('user_id', data.user?.id ?? '')
    .single()
  expect(role.data).toEqual({ mfa_enabled: false })
})
