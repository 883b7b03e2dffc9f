import type { DefinitionProblem } from '@/resource/definition/entry'
import { readPolicies } from '../policies/lines'
import { planFill, rowOf } from '../policies/migration'
import { readMigrations } from '../policies/vocabulary'

/** Permission lines count when a migration carries them; until then the database does not know them. */
export function inspectFill(root: string): DefinitionProblem[] {
  const lines = readPolicies(root)
  const fill = planFill(readMigrations(root), lines)
  if (!fill) return []
  const added = lines.filter((line) => fill.added.includes(rowOf(line)))
  const first = added[0] ?? lines[0]
  const removed = fill.removed === 'all' ? 0 : fill.removed.length
  return [
    {
      file: `policies/${first?.file ?? ''}`,
      line: first?.line ?? 1,
      message: `the database does not have these permission lines yet: ${added.length} added, ${removed} removed`,
      hint: '`npm run policies` writes them to a migration.',
    },
  ]
}
