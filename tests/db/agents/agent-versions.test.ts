import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestBackend } from '../../support/backend'
import { sharedDemo } from '../../support/demo-backend'

type Version = { agent_version: string | null; devices: number }

let backend: TestBackend
beforeAll(async () => {
  backend = await sharedDemo()
})
afterAll(() => backend.stop())

async function versions(email: string | undefined, company: string | null) {
  const client = await backend.client(email)
  const { data, error } = await client.rpc('agent_versions', { company })
  return { rows: (data ?? []) as Version[], code: error?.code }
}

const companyId = async (name: string): Promise<string> => {
  const [row] = await backend.sql<{ id: string }>('select id from public.companies where name = $1', [name])
  return row?.id ?? ''
}

const total = (rows: readonly Version[]): number => rows.reduce((sum, row) => sum + Number(row.devices), 0)

it('counts the devices of the caller’s company by version', async () => {
  const acme = await companyId('Acme')
  const [expected] = await backend.sql<{ count: string }>(
    'select count(*) from public.devices where company_id = $1',
    [acme],
  )
  const { rows } = await versions('admin@acme.test', null)
  expect(total(rows)).toBe(Number(expected?.count))
  expect((await versions('admin@acme.test', acme)).rows).toEqual(rows)
})

it('tells nothing of another company, and all to those who see all', async () => {
  const globex = await companyId('Globex')
  expect((await versions('admin@acme.test', globex)).rows).toEqual([])
  const [all] = await backend.sql<{ count: string }>('select count(*) from public.devices')
  expect(total((await versions('super@demo.test', null)).rows)).toBe(Number(all?.count))
  expect(total((await versions('super@demo.test', globex)).rows)).toBe(
    total((await versions('admin@globex.test', null)).rows),
  )
})

it('is closed to those who list no devices', async () => {
  expect((await versions('standard@acme.test', null)).rows).toEqual([])
  expect((await versions(undefined, null)).code).toBe('42501')
})
