import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../support/accounts'
import { addedTables } from '../support/added-tables'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { type AsUser, type Attempt, asUser, insertInto, literal, updateOf, whereOf } from './as-user'
import type { Command, Company, TableAccess, TableName } from './table-access/access'
import { furnishCompany } from './table-access/furnish-company'
import { keyOf, TABLES } from './table-access/tables'

interface Actor {
  name: string
  /** Null is anonymous. */
  id: string | null
  companyId: string | null
  seesAll?: boolean
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const COMMANDS: Command[] = ['select', 'insert', 'update', 'delete']
let attempts = 0

describe.each(drivers('roles'))('every table × actor × company × command on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let companies: Record<'own' | 'other' | 'expired', Company>
  let actors: Actor[]
  const verdicts = new Map<string, Promise<boolean>>()

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    as = await asUser(backend)
    const own = await furnishCompany(backend)
    const other = await furnishCompany(backend)
    const expired = await furnishCompany(backend, { status: 'Expired', endsIn: '-1 day' })
    companies = { own, other, expired }
    const actor = async (name: string, role: string | null, company: Company | null): Promise<Actor> => ({
      name,
      id: (await createAccount(backend, role, company?.id ?? null)).id,
      companyId: company?.id ?? null,
      seesAll: role === 'Super Admin',
    })
    actors = [
      await actor('Super Admin', 'Super Admin', null),
      await actor('Admin', 'Admin', own),
      await actor('Teknik', 'Teknik', own),
      await actor('Standard', 'Standard', own),
      await actor('another company’s Admin', 'Admin', other),
      await actor('Admin whose license has ended', 'Admin', expired),
      await actor('signed in without a role', null, null),
      { name: 'anonymous', id: null, companyId: null },
    ]
  })
  afterAll(async () => {
    await backend?.stop()
    console.log(`table access: ${attempts} attempts so far, ${driver} included`)
  })

  /** What the one permission truth says, asked as the actor. */
  function verdict(actor: Actor, object: string, verb: string): Promise<boolean> {
    const ask = async () => {
      const answer = await as(actor.id, `select app.can(${literal(object)}, ${literal(verb)}) as can`)
      return answer.data?.[0]?.can === true
    }
    // Every attempt is rolled back, so that the answer stays.
    const key = `${actor.name} ${object} ${verb}`
    const known = verdicts.get(key) ?? ask()
    verdicts.set(key, known)
    return known
  }

  function statementOf(command: Command, table: TableName, access: TableAccess, company: Company): string {
    const key = keyOf(table, company)
    if (command === 'select') return `select 1 from public.${table} where ${whereOf(key)}`
    if (command === 'insert') return insertInto(table, access.insert?.(company) ?? { id: company.id })
    if (command === 'update') return updateOf(table, access.update ?? { id: company.id }, key)
    return `delete from public.${table} where ${whereOf(access.deleteKey?.(company) ?? key)}`
  }

  interface Expected {
    /** Is the command granted to this kind of caller, and does the role allow it? */
    permitted: boolean
    /** Are the rows of this company the actor's to reach? */
    reaches: boolean
    granted: boolean
  }

  async function expected(
    actor: Actor,
    command: Command,
    access: TableAccess,
    company: Company,
  ): Promise<Expected> {
    const rule = access.commands[command]
    const ownOrAll = actor.seesAll === true || actor.companyId === company.id
    const isTheirs = access.isShared === true || ownOrAll
    const reachesForeign =
      command === 'insert' ||
      access.foreign === undefined ||
      (await verdict(actor, access.foreign.object, access.foreign.verb))
    const reaches = access.platformOnly?.includes(command)
      ? actor.seesAll === true
      : isTheirs && reachesForeign
    if (!rule || (actor.id === null && rule !== 'anyone'))
      return { granted: false, permitted: false, reaches }
    if (rule === 'anyone') return { granted: true, permitted: true, reaches: true }
    if (rule === 'own company') return { granted: true, permitted: true, reaches: ownOrAll }
    // No actor is the member whose rows these are: a user's own rows are closed even to a Super Admin.
    if (rule === 'self') return { granted: true, permitted: true, reaches: false }
    return { granted: true, permitted: await verdict(actor, rule.object, rule.verb), reaches }
  }

  /** Empty when the database did what it should; else what it did instead. */
  function judge(
    command: Command,
    { granted, permitted, reaches }: Expected,
    answer: Attempt,
    before: unknown,
  ): string {
    const outcome = answer.code ?? `${answer.rows} rows`
    const unchanged = JSON.stringify(answer.probe) === JSON.stringify(before)
    if (permitted && reaches) {
      if (outcome !== '1 rows') return `should work, got ${outcome} ${answer.message ?? ''}`
      return command === 'select' || !unchanged ? '' : 'says it worked and changed nothing'
    }
    if (!unchanged) return 'was denied and changed something'
    if (!granted) return outcome === '42501' ? '' : `should have no grant, got ${outcome}`
    if (command === 'select') return outcome === '0 rows' ? '' : `should see nothing, got ${outcome}`
    if (!permitted) {
      if (outcome !== '42501') return `should be refused, got ${outcome}`
      return answer.hint === 'role' || answer.hint === 'read-only' ? '' : `gives no reason: ${answer.hint}`
    }
    // Permitted in general, but not on these rows: they do not exist for the actor.
    const asIfMissing = command === 'insert' ? '42501' : '0 rows'
    return outcome === asIfMissing || outcome === '42501' ? '' : `should look as if missing, got ${outcome}`
  }

  it('is described for every table that the generator did not make', async () => {
    const tables = await backend.sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
    const added = addedTables(root)
    const described = tables.map(({ name }) => name).filter((name) => !added.has(name))
    expect(Object.keys(TABLES).sort()).toEqual(described.sort())
  })

  it('says of a row who made it, whomever the request names', async () => {
    const [, maker, other] = actors
    const tables = await backend.sql<{ name: TableName }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'created_by'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
    const wrong: string[] = []
    for (const { name } of tables) {
      const values = TABLES[name]?.insert?.(companies.own)
      if (!values) continue
      const probe = `select 1 from public.${name} where created_by = ${literal(maker?.id)}`
      for (const named of [{}, { created_by: other?.id }]) {
        const answer = await as(maker?.id ?? null, insertInto(name, { ...values, ...named }), probe)
        if (answer.code !== '42501' && answer.probe?.length !== 1)
          wrong.push(`${name}: ${answer.code ?? 'a row of somebody else'}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it.each(Object.entries(TABLES) as [TableName, TableAccess][])('%s', async (table, access) => {
    const wrong: string[] = []
    const snapshot = `select count(*) over () as total, md5(t::text) as row from public.${table} t order by 2`
    const [before] = await backend.sql<{ rows: unknown }>(
      `select jsonb_agg(to_jsonb(q)) as rows from (${snapshot}) q`,
    )
    for (const actor of actors)
      for (const [which, company] of Object.entries(companies))
        for (const command of COMMANDS) {
          attempts++
          const answer = await as(actor.id, statementOf(command, table, access, company), snapshot)
          const fault = judge(command, await expected(actor, command, access, company), answer, before?.rows)
          if (fault) wrong.push(`${actor.name}: ${command} in ${which} company ${fault}`)
        }
    expect(wrong).toEqual([])
  })
})
