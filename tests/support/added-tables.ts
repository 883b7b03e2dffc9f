import { publicRelations, readMigrations } from '../../scripts/policies/vocabulary'
import { GENERATED_MARK } from '../../scripts/resource/migration/create'

/** How `resource migrate` begins, which makes the tables between that a new many-to-many field needs. */
const CHANGED_MARK = /^-- .* as their definition has them now\.$/m

/**
 * Tables that `npm run resource` made and keeps: their access is what the generator writes for every such table, so no
 * file here describes them one by one.
 */
export function addedTables(root: string): Set<string> {
  const tables = new Set<string>()
  for (const { sql } of readMigrations(root)) {
    if (sql.includes(GENERATED_MARK) || CHANGED_MARK.test(sql))
      for (const name of publicRelations(sql)) tables.add(name)
    for (const [, verb, from = '', to = ''] of sql.matchAll(
      /^(alter|drop) table public\.(\w+)(?: rename to (\w+))?;$/gm,
    )) {
      const isAdded = tables.delete(from)
      if (isAdded && verb === 'alter') tables.add(to)
    }
  }
  return tables
}
