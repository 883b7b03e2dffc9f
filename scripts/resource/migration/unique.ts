import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { uniqueSets } from '@/resource/language/unique'
import type { CatalogIndex, CatalogTable } from '../../../supabase/embedded/catalog'
import { bare, plain } from './expressions'
import type { Probe } from './probes'
import { named } from './sql'
import { LIVING } from './trash'

/** Fields whose values together are those of one record of a company. */
export interface UniquePlan {
  name: string
  fields: string[]
  /** The expressions of the index; text by `app.unique_key`, by which the form looks for another record too. */
  columns: string[]
  /** Whether records in the trash do not count. */
  isOfLiving?: true
}

export function uniquesOf(definition: Definition): UniquePlan[] {
  const table = tableOf(definition)
  const company = definition.tenant === false ? [] : ['company_id']
  return uniqueSets(definition).map((fields) => ({
    name: named(table, ...fields, 'key'),
    fields,
    ...(definition.trash ? { isOfLiving: true as const } : {}),
    columns: [
      ...company,
      ...fields.map((name) => {
        const field = definition.fields[name]
        return field && kindOf(field.type).isText ? `app.unique_key(${name})` : name
      }),
    ],
  }))
}

export function uniqueSql(table: string, { name, columns, isOfLiving }: UniquePlan): string {
  return `create unique index ${name} on public.${table} (${columns.join(', ')})${isOfLiving ? ` where ${LIVING}` : ''};`
}

const key = (columns: readonly string[]): string => columns.map(plain).sort().join()

export function uniqueDifferences(
  plans: readonly UniquePlan[],
  table: CatalogTable,
  isGenerated: boolean,
): { missing: UniquePlan[]; stale: string[] } {
  const isLiving = ({ isPartial, predicate }: CatalogIndex) =>
    isPartial && plain(predicate ?? '') === plain(LIVING)
  const found = table.indexes.filter((index) => index.isUnique && (!index.isPartial || isLiving(index)))
  const folded = (columns: readonly string[]) =>
    key(columns.map((column) => plain(column).replace(/^(?:lower|app\.unique_key)/, '')))
  // An index written by hand may compare text as it is written.
  const holds = (plan: UniquePlan, columns: readonly string[]) =>
    key(columns) === key(plan.columns) || (!isGenerated && folded(columns) === folded(plan.columns))
  const isOurs = (name: string, columns: readonly string[]) =>
    name === named(table.name, ...columns.map(bareField).filter((each) => each !== 'company_id'), 'key')
  return {
    missing: plans.filter(
      (plan) =>
        !found.some((index) => isLiving(index) === (plan.isOfLiving === true) && holds(plan, index.columns)),
    ),
    stale: found
      .filter(
        (index) =>
          // An index of the same name is in the way of the one that counts the other records.
          (isGenerated || plans.some(({ name }) => name === index.name)) &&
          isOurs(index.name, index.columns) &&
          !plans.some(
            (plan) =>
              key(plan.columns) === key(index.columns) && isLiving(index) === (plan.isOfLiving === true),
          ),
      )
      .map(({ name }) => name),
  }
}

const bareField = (column: string): string =>
  /^(?:lower|app\.unique_key)\(+"?(\w+)/.exec(column)?.[1] ?? bare(column)

/** The rows that have the same values as another one. @param isMarked whether the table has rows in the trash, which do not count */
export function duplicates(table: string, { fields, columns }: UniquePlan, isMarked = false): Probe {
  const of = (row: string) => columns.map((column) => column.replace(/(\w+)(\)?)$/, `${row}.$1$2`))
  const [other, own] = [of('x'), of('r')]
  const same = other.map((column, index) => `${column} = ${own[index]}`).join(' and ')
  const living = (row: string, before: string, after: string) =>
    isMarked ? `${before}${row}.${LIVING}${after}` : ''
  return {
    table,
    where: `${living('r', '', ' and ')}(select count(*) from public.${table} x where ${same}${living('x', ' and ', '')}) > 1`,
    problem: `have the same ${fields.map((name) => `\`${name}\``).join(' and ')} as another one`,
    remedy: 'Change or delete all but one of them',
  }
}
