import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { type Driver, sharedBackend, type TestBackend } from '../../support/backend'
import { keepPermissionLines } from '../../support/permission-lines'
import { insertInto } from './as-user'

export let backend: TestBackend
export let company: string
export let admin: SupabaseClient
export let group: string
let restoreLines: () => Promise<void>

export const add = async (table: string, values: Record<string, unknown>, owner = company): Promise<string> =>
  (
    await backend.sql<{ id: string }>(`${insertInto(table, { company_id: owner, ...values })} returning id`)
  )[0]?.id ?? ''
export const rule = { platform: { _eq: 'linux' } }
export const set = (client = admin, asked: unknown = rule) =>
  client.rpc('set_group_rule', { group_id: group, rule: asked })
export const members = async () =>
  (
    await backend.sql<{ name: string }>(
      `select d.name from public.group_devices m join public.devices d on d.id = m.device_id where m.group_id = $1 order by 1`,
      [group],
    )
  ).map(({ name }) => name)
export const tick = () => backend.sql('select app.refresh_groups()')
/** Makes another group the one that a test sets the rule of. */
export const goOnWith = (id: string) => {
  group = id
}

/** Before each test, a company with an administrator, a group and three devices, two of them with Linux. */
export function openGroupDesk(driver: Driver): void {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    restoreLines = await keepPermissionLines(backend)
  })
  afterAll(async () => {
    await restoreLines?.()
    await backend?.stop()
  })
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    group = await add('groups', { name: 'Linux' })
    for (const [name, platform] of [
      ['a', 'linux'],
      ['b', 'linux'],
      ['c', 'windows'],
    ])
      await add('devices', { name, platform })
  })
}
