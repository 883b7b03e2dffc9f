import { fileURLToPath } from 'node:url'
import {
  checkPolicies,
  type PolicyLine,
  parseLines,
  readPolicies,
  showProblem,
} from '../../scripts/policies/lines'
import { type Migration, planFill, renderFill } from '../../scripts/policies/migration'
import { readMigrations, readVocabulary } from '../../scripts/policies/vocabulary'
import type { TestBackend } from './backend'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Gives a backend further files of `policies/`, as `npm run policies` does: checked, compiled to a fill migration and
 * run in one transaction. Without files, the roles are again those of the repository.
 */
export function policiesOf({ sql }: Pick<TestBackend, 'sql'>) {
  const migrations: Migration[] = readMigrations(root)
  return async (files: Readonly<Record<string, string>>): Promise<PolicyLine[]> => {
    const added = Object.entries(files).flatMap(([file, text]) => parseLines(file, text))
    const lines = [...readPolicies(root), ...added]
    const problems = checkPolicies(lines, readVocabulary(root))
    if (problems.length > 0) throw new Error(problems.map(showProblem).join('\n'))
    const fill = planFill(migrations, lines)
    if (!fill) return lines
    const text = renderFill(fill)
    await sql(`do $fill$ begin\n${text}end $fill$`)
    migrations.push({ file: `${20290101000000 + migrations.length}_fill_policies.sql`, sql: text })
    return lines
  }
}
