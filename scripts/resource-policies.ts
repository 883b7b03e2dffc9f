import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { READ_VERBS } from '@/access/policy'
import { parseLines } from './policies/lines'
import { readText } from './resource/read-text'

/** The permissions of a new resource; design: Admin everything in the company, Teknik all but deleting. */
const STARTING_VERBS = {
  Admin: ['list', 'show', 'create', 'edit', 'delete', 'import', 'export'],
  Teknik: ['list', 'show', 'create', 'edit', 'export'],
} as const

interface Wanted {
  /** Closed to companies without a Pro license. */
  needsPro?: boolean
  /** A platform resource: only a Super Admin writes it, and that line exists already. */
  isPlatform?: boolean
  /** A view, or a table that nobody writes by the API: it gets no lines that would allow nothing. */
  isReadOnly?: boolean
  /** Writes a file, relative to `root`. */
  write?: (file: string, text: string) => void
}

/**
 * Appends the starting lines of a new resource to admin.csv and teknik.csv (and without-pro.csv) and gives the files
 * it changed, relative to `root`. A file that already speaks of the resource is left alone. Run `npm run policies`
 * after.
 */
export function addResourcePolicies(root: string, resource: string, wanted: Wanted = {}): string[] {
  const changed: string[] = []
  const { write = (file, text) => writeFileSync(join(root, file), text) } = wanted
  const append = (file: string, lines: readonly string[], gap: string) => {
    const path = join(root, 'policies', file)
    // Every role but two may have been removed.
    if (!existsSync(path)) return
    const text = readText(path)
    if (parseLines(file, text).some(({ cells }) => cells[2] === resource)) return
    write(`policies/${file}`, `${text.trimEnd()}${gap}${lines.map((line) => `${line}\n`).join('')}`)
    changed.push(`policies/${file}`)
  }
  for (const [role, verbs] of Object.entries(STARTING_VERBS)) {
    const reads: readonly string[] = wanted.isPlatform ? READ_VERBS : [...READ_VERBS, 'export']
    const given = verbs.filter((verb) => !(wanted.isPlatform || wanted.isReadOnly) || reads.includes(verb))
    append(
      `${role.toLowerCase()}.csv`,
      given.map((verb) => `p, ${role}, ${resource}, ${verb}, allow`),
      '\n\n',
    )
  }
  if (wanted.needsPro) append('without-pro.csv', [`p, without-pro, ${resource}, *, deny`], '\n')
  return changed
}
