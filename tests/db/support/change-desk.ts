import { afterAll, beforeAll } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { type Changes, planChanges } from '../../../scripts/resource/migration/alter'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { openScratch, type Scratch } from '../../../scripts/resource/scratch'
import { askRows } from '../../../supabase/embedded/operations'
import type { Fields } from './change-cases'

export const devices: Definition = { name: 'devices', fields: { name: { type: 'text' } } }
export const plans: Definition = {
  name: 'plans',
  fields: { name: { type: 'text' }, seats: { type: 'number' }, ends_on: { type: 'date' } },
}
/** The definitions that a relation finds. */
export let known: Definition[] = []
export const know = (definitions: Definition[]) => {
  known = definitions
}
export const find = (name: string) => known.find((each) => each.name === name) ?? null

export let scratch: Scratch
let count = 0

export const define = (name: string, fields: Fields): Definition => ({ name, fields })

/** A table as `resource new` makes it. */
export async function created(fields: Fields): Promise<string> {
  const name = `things${++count}`
  await scratch.run(renderCreate(planTable(define(name, fields), find), 'Things.'))
  return name
}

export async function changesFor(definition: Definition, drop = false): Promise<Changes> {
  const catalog = await scratch.read()
  const table = catalog.tables.find(({ name }) => name === definition.name)
  if (!table) throw new Error(`no table ${definition.name}`)
  return planChanges(
    {
      definition,
      plan: planTable(definition, find),
      table,
      tables: catalog.tables.map(({ name }) => name),
      sources: catalog.triggerSources,
      isGenerated: true,
    },
    { drop },
  )
}

export async function problems(definition: Definition): Promise<string[]> {
  const catalog = await scratch.read()
  return inspectDatabase(definition, { catalog, find, isGenerated: () => true }).map(
    ({ pointer, message, hint }) => `${pointer} ${message} | ${hint ?? ''}`,
  )
}

export const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: Error) => error.message,
  )

export async function insert(table: string, values: Record<string, string>): Promise<void> {
  await scratch.run(`insert into public.companies (id, name) values ('11111111-1111-4111-8111-111111111111', 'One')
    on conflict do nothing;
    insert into public.${table} (company_id, ${Object.keys(values).join(', ')})
    values ('11111111-1111-4111-8111-111111111111', ${Object.values(values).join(', ')});`)
}

export const ask = (questions: readonly string[]) => askRows(scratch.query, questions)

/** A database to try changes in, for the tests of a file. */
export function openChangeDesk(): void {
  beforeAll(async () => {
    know([devices, plans])
    scratch = await openScratch(process.cwd())
  })
  afterAll(async () => scratch.stop())
}
