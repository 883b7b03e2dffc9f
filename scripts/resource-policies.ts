import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseLines } from './policies/lines'

/** What a new resource starts with; design: Admin everything in the company, Teknik all but deleting. */
const STARTING_VERBS = {
  Admin: ['list', 'show', 'create', 'edit', 'delete', 'import', 'export'],
  Teknik: ['list', 'show', 'create', 'edit', 'export'],
} as const

/**
 * Appends the starting lines of a new resource to admin.csv and teknik.csv and gives the files it changed,
 * relative to `root`. A file that already speaks of the resource is left alone. Run `npm run policies` after.
 */
export function addResourcePolicies(root: string, resource: string): string[] {
  const changed: string[] = []
  for (const [role, verbs] of Object.entries(STARTING_VERBS)) {
    const file = `${role.toLowerCase()}.csv`
    const path = join(root, 'policies', file)
    const text = readFileSync(path, 'utf8')
    if (parseLines(file, text).some(({ cells }) => cells[2] === resource)) continue
    const lines = verbs.map((verb) => `p, ${role}, ${resource}, ${verb}, allow\n`)
    writeFileSync(path, `${text.trimEnd()}\n\n${lines.join('')}`)
    changed.push(`policies/${file}`)
  }
  return changed
}
