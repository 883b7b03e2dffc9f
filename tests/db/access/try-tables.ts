import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { addedTables } from '../../support/added-tables'
import { type Attempt, insertInto, literal, updateOf, whereOf } from '../support/as-user'
import type { Command, Company, TableAccess, TableName, Verb } from './access'
import type { Actor, Stage } from './stage'
import { keyOf, TABLES } from './tables'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const COMMANDS: Command[] = ['select', 'insert', 'update', 'delete']
const COMPANIES = ['own', 'other', 'expired'] as const
const NOT_ASKED = ['Admin without Pro', 'Admin of a suspended company']

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

function expected(
  actor: Actor,
  may: (verb: Verb) => boolean,
  command: Command,
  access: TableAccess,
  company: Company,
): Expected {
  const rule = access.commands[command]
  const onRecord = access.perRecord?.[command]
  const ownOrAll = actor.seesAll === true || actor.companyId === company.id
  const isTheirs = access.isShared === true || ownOrAll
  const reachesForeign =
    (command === 'insert' && !access.isOfRecord) || access.foreign === undefined || may(access.foreign)
  const author = access.byAuthor?.[command]
  const reachesAuthors = author === undefined || (author !== 'nobody' && may(author))
  const reaches = access.platformOnly?.includes(command)
    ? actor.seesAll === true
    : isTheirs && reachesForeign && reachesAuthors
  if (onRecord && actor.id !== null)
    return { granted: true, permitted: true, reaches: ownOrAll && may(onRecord) }
  if (!rule || (actor.id === null && rule !== 'anyone')) return { granted: false, permitted: false, reaches }
  if (rule === 'anyone') return { granted: true, permitted: true, reaches: true }
  if (rule === 'own company') return { granted: true, permitted: true, reaches: ownOrAll }
  // No actor is the member whose rows these are: a user's own rows are closed even to a Super Admin.
  if (rule === 'self') return { granted: true, permitted: true, reaches: false }
  // A new row for another company may be refused before anybody asks what the role may do.
  const isElsewhere = command === 'insert' && !isTheirs
  return { granted: true, permitted: may(rule) || isElsewhere, reaches }
}

/** Empty when the database did what it should; else what it did instead. */
function judge(
  command: Command,
  { granted, permitted, reaches }: Expected,
  answer: Attempt,
  before: unknown,
  hasTrash = false,
): string {
  const outcome = answer.code ?? `${answer.rows} rows`
  // The database itself takes back a statement that failed.
  const unchanged = answer.code !== undefined || answer.probe?.[0]?.state === before
  if (permitted && reaches) {
    if (outcome !== (command === 'delete' && hasTrash ? '0 rows' : '1 rows'))
      return `should work, got ${outcome} ${answer.message ?? ''}`
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
  return outcome === asIfMissing || ['42501', 'PT404'].includes(outcome)
    ? ''
    : `should look as if missing, got ${outcome}`
}

const VERBS: Verb[] = Object.values(TABLES).flatMap(({ commands, foreign, byAuthor, perRecord = {} }) =>
  [...Object.values(commands), ...Object.values(byAuthor ?? {}), ...Object.values(perRecord), foreign].filter(
    (rule) => typeof rule === 'object',
  ),
)

/** Every table × actor × company × command. Gives how many were tried. */
export function tryTables(stage: () => Stage): () => number {
  let attempts = 0
  let asked: { actor: Actor; may: (verb: Verb) => boolean }[]

  beforeAll(async () => {
    const { actors, verdictsOf } = stage()
    const chosen = actors.filter(({ name }) => !NOT_ASKED.includes(name))
    asked = await Promise.all(chosen.map(async (actor) => ({ actor, may: await verdictsOf(actor, VERBS) })))
  })

  it('is described for every table that the generator did not make', async () => {
    const tables = await stage().backend.sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
    const added = addedTables(root)
    const described = tables.map(({ name }) => name).filter((name) => !added.has(name))
    expect(Object.keys(TABLES).sort()).toEqual(described.sort())
  })

  it('says of a row who made it, whomever the request names', async () => {
    const { companies, actors, backend } = stage()
    const [, maker, other] = actors
    const tables = await backend.sql<{ name: TableName }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'created_by'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
    const named = tables.flatMap(({ name }) => {
      const values = TABLES[name]?.insert?.(companies.own)
      const probe = `select 1 from public.${name} where created_by = ${literal(maker?.id)}`
      return values
        ? [{}, { created_by: other?.id }].map((by) => ({ name, probe, values: { ...values, ...by } }))
        : []
    })
    const answers = await stage().tryAll(
      named.map(({ name, values, probe }) => ({
        who: maker?.id ?? null,
        statement: insertInto(name, values),
        probe,
      })),
    )
    const wrong = answers.flatMap(({ code, probe }, index) =>
      code === '42501' || probe?.length === 1
        ? []
        : [`${named[index]?.name}: ${code ?? 'a row of somebody else'}`],
    )
    expect(wrong).toEqual([])
    expect(answers.length).toBeGreaterThan(0)
  })

  it.each(Object.entries(TABLES) as [TableName, TableAccess][])('%s', async (table, access) => {
    const { backend, tryAll, companies } = stage()
    const snapshot = `select md5(string_agg(t::text, '|' order by t::text)) as state from public.${table} t`
    const [before] = await backend.sql<{ state: string }>(snapshot)
    const tried = asked.flatMap(({ actor, may }) =>
      COMPANIES.flatMap((which) => COMMANDS.map((command) => ({ actor, may, which, command }))),
    )
    const answers = await tryAll(
      tried.map(({ actor, which, command }) => ({
        who: actor.id,
        statement: statementOf(command, table, access, companies[which]),
        probe: snapshot,
      })),
    )
    attempts += answers.length
    const wrong = tried.flatMap(({ actor, may, which, command }, index) => {
      const fault = judge(
        command,
        expected(actor, may, command, access, companies[which]),
        answers[index] ?? {},
        before?.state,
        access.hasTrash,
      )
      return fault ? [`${actor.name}: ${command} in ${which} company ${fault}`] : []
    })
    expect(wrong).toEqual([])
    expect(answers).toHaveLength(tried.length)
  })

  return () => attempts
}
