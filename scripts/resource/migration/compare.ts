import type { Field } from '@/resource/definition/definition.generated'
import type { Rules } from '@/resource/fields/field-sql'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { rulesFromChecks, rulesOf } from './rules'

/** The column of an index entry, without its direction. */
export const bare = (column: string | undefined): string =>
  (column ?? '').split(' ')[0]?.replaceAll('"', '') ?? ''

/** Whether an index begins with these columns, whichever way it runs. Where the first are unique, no more are needed. */
export function hasIndex(table: CatalogTable, columns: readonly string[]): boolean {
  return table.indexes.some((index) => {
    const needed = index.isUnique ? columns.slice(0, index.columns.length) : columns
    return !index.isPartial && needed.every((column, at) => bare(index.columns[at]) === column)
  })
}

/** Rules on which definition and database differ. `minLength` counts only where the definition asks for it. */
export function differingRules(column: string, field: Field, table: CatalogTable): (keyof Rules)[] {
  const wanted = rulesOf(field)
  const checks = table.checks.filter(({ columns }) => columns.length === 1 && columns[0] === column)
  const found = rulesFromChecks(
    column,
    checks.map(({ definition }) => definition),
  )
  const keys: (keyof Rules)[] = ['maxLength', 'values', 'min', 'max', 'pattern']
  const differs = keys.filter((key) => {
    const [a, b] = [wanted[key], found[key]]
    // What the kind implies and only the database says is no difference.
    if (a === undefined) return key === 'maxLength' && b !== undefined && field.type === 'text'
    return Array.isArray(a) && Array.isArray(b)
      ? [...a].sort().join('\n') !== [...b].sort().join('\n')
      : a !== b
  })
  // A pattern says more than a length could, in the database as here.
  if (checks.some(({ definition }) => / ~\*? '/.test(definition)))
    return differs.filter((key) => key !== 'maxLength' || found.maxLength !== undefined)
  return wanted.minLength !== undefined && found.minLength === undefined ? ['minLength', ...differs] : differs
}
