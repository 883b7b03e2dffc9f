import { afterAll, beforeAll, expect, it } from 'vitest'
import { findDefinition } from '@/resource/language/registry'
import { countEmbed } from '@/resource/request/query/select'
import { type TestBackend, testBackend } from '../../support/backend'

let backend: TestBackend
beforeAll(async () => {
  backend = await testBackend()
})
afterAll(() => backend?.stop())

it('the records that refer to a category are counted as far as the user may see them', async () => {
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('No definition of tickets')
  const select = `id,${countEmbed('held', tickets, 'category_id', findDefinition)}`
  const [category] = await backend.sql<{ id: string; tickets: number }>(
    `select t.category_id as id, count(*)::int as tickets from public.tickets t join public.companies c on c.id = t.company_id
     where c.name = 'Acme' and t.deleted_at is null group by 1 order by 2 desc limit 1`,
  )
  const count = async (email: string) => {
    const client = await backend.client(email)
    const { data } = await client
      .from('ticket_categories')
      .select(select)
      .eq('id', category?.id ?? '')
      .throwOnError()
    return (data as unknown as { held: [{ count: number }] }[]).map(({ held }) => held[0].count)
  }
  expect(await count('admin@acme.test')).toEqual([category?.tickets])
  const [own] = await count('standard@acme.test')
  expect(own).toBeLessThan(category?.tickets ?? 0)
  expect(await count('admin@globex.test')).toEqual([])
})
