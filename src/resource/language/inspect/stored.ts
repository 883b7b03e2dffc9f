import { findKind } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { tableOf } from '@/resource/language/naming'

/** The columns of each table and view of the database, by name. */
export type StoredColumns = ReadonlyMap<string, ReadonlySet<string>>

/** Where the column of a field is; null for one without a column. */
function placeOf(definition: Definition, name: string): { table: string; column: string } | null {
  const field = definition.fields[name]
  if (!field || findKind(field.type)?.detached) return null
  return field.from ?? { table: tableOf(definition), column: name }
}

/**
 * Finds columns that a definition reads and the database lacks. A console that showed it would get an error for
 * each of its lists, so that it waits for the migration.
 */
export function inspectStored(definition: Definition, stored: StoredColumns): PointedProblem[] {
  const table = tableOf(definition)
  const hint = `Run \`npm run resource migrate ${definition.name}\`.`
  if (!stored.has(table))
    return [{ pointer: '', message: `the database has no table or view \`${table}\` yet`, hint }]
  return Object.keys(definition.fields).flatMap((name) => {
    const place = placeOf(definition, name)
    if (!place || stored.get(place.table)?.has(place.column)) return []
    return [
      {
        pointer: `/fields/${name}`,
        message: `the table \`${place.table}\` has no column \`${place.column}\` yet`,
        hint,
      },
    ]
  })
}
