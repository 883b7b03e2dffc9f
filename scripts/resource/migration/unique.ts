import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { uniqueSets } from '@/resource/language/unique'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { bare, plain } from './expressions'
import type { Probe } from './probes'
import { named } from './sql'

/** Fields whose values together are those of one record of a company. */
export interface UniquePlan {
  name: string
  fields: string[]
  /** The expressions of the index; text by `app.unique_key`, by which the form looks for another record too. */
  columns: string[]
}

export function uniquesOf(definition: Definition): UniquePlan[] {
  const table = tableOf(definition)
  const company = definition.tenant === false ? [] : ['company_id']
  return uniqueSets(definition).map((fields) => ({
    name: named(table, ...fields, 'key'),
    fields,
    columns: [
      ...company,
      ...fields.map((name) => {
        const field = definition.fields[name]
        return field && kindOf(field.type).isText ? `app.unique_key(${name})` : name
      }),
    ],
  }))
}

export function uniqueSql(table: string, { name, columns }: UniquePlan): string {
  return `create unique index ${name} on public.${table} (${columns.join(', ')});`
}

const key = (columns: readonly string[]): string => columns.map(plain).sort().join()

export function uniqueDifferences(
  plans: readonly UniquePlan[],
  table: CatalogTable,
  isGenerated: boolean,
): { missing: UniquePlan[]; stale: string[] } {
  const found = table.indexes.filter(({ isUnique, isPartial }) => isUnique && !isPartial)
  const folded = (columns: readonly string[]) =>
    key(columns.map((column) => plain(column).replace(/^(?:lower|app\.unique_key)/, '')))
  // An index written by hand may compare text as it is written.
  const holds = (plan: UniquePlan, columns: readonly string[]) =>
    key(columns) === key(plan.columns) || (!isGenerated && folded(columns) === folded(plan.columns))
  const isOurs = (name: string, columns: readonly string[]) =>
    name === named(table.name, ...columns.map(bareField).filter((each) => each !== 'company_id'), 'key')
  return {
    missing: plans.filter((plan) => !found.some(({ columns }) => holds(plan, columns))),
    stale: found
      .filter(
        ({ name, columns }) =>
          isGenerated && isOurs(name, columns) && !plans.some((plan) => key(plan.columns) === key(columns)),
      )
      .map(({ name }) => name),
  }
}

const bareField = (column: string): string =>
  /^(?:lower|app\.unique_key)\(+"?(\w+)/.exec(column)?.[1] ?? bare(column)

/** The rows that have the same values as another one. */
export function duplicates(table: string, { fields, columns }: UniquePlan): Probe {
  const of = (row: string) => columns.map((column) => column.replace(/(\w+)(\)?)$/, `${row}.$1$2`))
  const [other, own] = [of('x'), of('r')]
  const same = other.map((column, index) => `${column} = ${own[index]}`).join(' and ')
  return {
    table,
    where: `(select count(*) from public.${table} x where ${same}) > 1`,
    problem: `have the same ${fields.map((name) => `\`${name}\``).join(' and ')} as another one`,
    remedy: 'Change or delete all but one of them',
  }
}
