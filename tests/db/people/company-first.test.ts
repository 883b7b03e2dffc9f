import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'

/** A table as `resource new` makes it, whose rows name a person. */
const loans: Definition = {
  name: 'loans',
  fields: { item: { type: 'text', required: true, max_length: 40 }, lent_to: { type: 'user' } },
}

describe('a row for another company', () => {
  let backend: TestBackend
  let admin: SupabaseClient
  let company: string
  let other: string
  const person = { own: '', theirs: '', nobody: '5f7d8a0e-0000-4000-8000-000000000001' }

  beforeAll(async () => {
    backend = await testBackend({ demo: false })
    company = await createCompany(backend)
    other = await createCompany(backend)
    const own = await createAccount(backend, 'Admin', company)
    person.own = own.id
    person.theirs = (await createAccount(backend, 'Admin', other)).id
    const sql = renderCreate(
      planTable(loans, () => null),
      'Loans of a test.',
    )
    await backend.sql(`do $run$ begin execute $sql$${sql}$sql$; end $run$`)
    await backend.sql(
      `insert into app.policy_rule (ptype, v0, v1, v2, v3)
       select 'p', 'Admin', 'loans', verb, 'allow' from unnest(array['list', 'create', 'edit']) verb`,
    )
    await backend.sql(`notify pgrst, 'reload schema'`)
    admin = await backend.client(own.email)
  })
  afterAll(async () => backend.stop())

  const answers = async (write: (id: string) => PromiseLike<{ error: unknown }>) =>
    Promise.all(Object.values(person).map(async (id) => (await write(id)).error))

  it('gets one answer, whoever it names: nobody learns who belongs to that company', async () => {
    const refusal = (table: string) => ({
      code: '42501',
      message: `new row violates row-level security policy for table "${table}"`,
      details: null,
      hint: null,
    })
    expect(
      await answers((lent_to) => admin.from('loans').insert({ company_id: other, item: 'x', lent_to })),
    ).toEqual(Array(3).fill(refusal('loans')))
    expect(
      await answers((assignee_id) =>
        admin.from('tickets').insert({ company_id: other, subject: 'x', assignee_id }),
      ),
    ).toEqual(Array(3).fill(refusal('tickets')))
  })

  it('of the own company is refused alike for a stranger and for nobody', async () => {
    const [own, theirs, nobody] = await answers((lent_to) =>
      admin.from('loans').insert({ company_id: company, item: 'x', lent_to }),
    )
    expect(own).toBeNull()
    expect(theirs).toEqual(nobody)
    expect(theirs).toMatchObject({ code: '23503', details: 'Key (lent_to) is not present in the company.' })
  })

  it('of any table whose triggers look records up is refused before they do', async () => {
    const triggers = await backend.sql<{ table: string; first: string }>(
      `select c.relname as "table", min(t.tgname) filter (where true) as first
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
       where not t.tgisinternal and t.tgtype & 7 = 7 and c.relnamespace = 'public'::regnamespace
         and has_column_privilege('authenticated', c.oid, a.attnum, 'INSERT')
         and exists (select from pg_trigger d join pg_proc p on p.oid = d.tgfoid and p.prosecdef
           where d.tgrelid = c.oid and d.tgtype & 7 = 7 and not d.tgisinternal)
       group by 1 order by 1`,
    )
    // The views that people save name a company only to share, and look nothing up there.
    const asked = triggers.filter(({ table }) => !['saved_views', 'loans'].includes(table))
    expect(asked.length).toBeGreaterThan(8)
    expect(asked.map(({ first }) => first)).toEqual(asked.map(({ table }) => `${table}_0_company`))
  })
})
