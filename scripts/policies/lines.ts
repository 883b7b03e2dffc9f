import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../resource/read-text'
import { closest } from './closest'
import { type Vocabulary, WRITE } from './vocabulary'

/** One line of policies/*.csv: `p, role, object, verb, effect` or `g, child, parent`. */
export interface PolicyLine {
  file: string
  line: number
  cells: string[]
}

export interface Problem {
  file: string
  line: number
  text: string
}

export const ROLES = ['Super Admin', 'Admin', 'Teknik', 'Standard', 'read-only', 'without-pro'] as const

/** Super Admin → super-admin.csv. */
function fileOf(role: string): string {
  return `${role.toLowerCase().replaceAll(' ', '-')}.csv`
}

export function parseLines(file: string, text: string): PolicyLine[] {
  return text
    .split(/\r?\n/)
    .map((raw, index) => ({ file, line: index + 1, raw: raw.trim() }))
    .filter(({ raw }) => raw !== '' && !raw.startsWith('#'))
    .map(({ file, line, raw }) => ({ file, line, cells: raw.split(',').map((cell) => cell.trim()) }))
}

/** All lines, the files in the order of the roles and unknown files last. */
export function readPolicies(root: string): PolicyLine[] {
  const order = ROLES.map(fileOf)
  const rank = (file: string) => (order.includes(file) ? order.indexOf(file) : order.length)
  return readdirSync(join(root, 'policies'))
    .filter((file) => file.endsWith('.csv'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'))
    .flatMap((file) => parseLines(file, readText(join(root, 'policies', file))))
}

function unknown(kind: string, word: string, known: Iterable<string>): string {
  const near = closest(word, known)
  return `unknown ${kind} "${word}"${near ? `; did you mean "${near}"?` : ''}`
}

function checkGrant({ file, cells }: PolicyLine, vocabulary: Vocabulary): string[] {
  const [, role = '', object = '', verb = '', effect = ''] = cells
  const found: string[] = []
  if (!(ROLES as readonly string[]).includes(role)) found.push(unknown('role', role, ROLES))
  else if (fileOf(role) !== file) found.push(`a line of ${role} belongs in ${fileOf(role)}`)
  if (object !== '*' && !vocabulary.objects.has(object))
    found.push(unknown('object', object, vocabulary.objects))
  if (verb !== '*' && verb !== WRITE && !vocabulary.verbs.has(verb))
    found.push(unknown('verb', verb, vocabulary.verbs))
  if (effect !== 'allow' && effect !== 'deny') found.push(unknown('effect', effect, ['allow', 'deny']))
  if (effect === 'allow' && role !== 'Super Admin' && (object === '*' || verb === '*'))
    found.push('"*" is allowed to Super Admin only; name the object and the verb')
  if (effect === 'allow' && verb === WRITE) found.push('"write" may only be denied; name the verbs to allow')
  return found
}

function checkInheritance({ file, cells }: PolicyLine): string[] {
  const [, child = '', parent = ''] = cells
  const found: string[] = []
  for (const role of [child, parent])
    if (!(ROLES as readonly string[]).includes(role)) found.push(unknown('role', role, ROLES))
  if (found.length === 0 && fileOf(child) !== file)
    found.push(`a line of ${child} belongs in ${fileOf(child)}`)
  return found
}

function checkShape(line: PolicyLine, vocabulary: Vocabulary): string[] {
  const [type, ...rest] = line.cells
  if (line.cells.some((cell) => cell === '' || /["']/.test(cell))) return ['empty or quoted cell']
  if (type === 'p')
    return rest.length === 4 ? checkGrant(line, vocabulary) : ['expected: p, role, object, verb, allow|deny']
  if (type === 'g') return rest.length === 2 ? checkInheritance(line) : ['expected: g, child, parent']
  return [`a line begins with p or g, not "${type}"`]
}

function checkRepeats(lines: PolicyLine[]): Problem[] {
  const seen = new Map<string, PolicyLine>()
  const found: Problem[] = []
  for (const line of lines) {
    // Without the effect, because an allow next to a deny of the same is an error, too.
    const key = (line.cells[0] === 'p' ? line.cells.slice(0, 4) : line.cells).join('\u0000')
    const first = seen.get(key)
    if (first) {
      const same = first.cells.join() === line.cells.join()
      const text = `${same ? 'repeats' : 'contradicts'} ${first.file}:${first.line}`
      found.push({ file: line.file, line: line.line, text })
    } else seen.set(key, line)
  }
  return found
}

function checkCycles(lines: PolicyLine[]): Problem[] {
  const edges = lines.filter((line) => line.cells[0] === 'g')
  const reaches = (from: string | undefined, to: string | undefined, seen = new Set<string>()): boolean =>
    edges.some(({ cells: [, child, parent] }) => {
      if (child !== from || parent === undefined || seen.has(parent)) return false
      return parent === to || reaches(parent, to, seen.add(parent))
    })
  return edges
    .filter(({ cells: [, child] }) => reaches(child, child))
    .map(({ file, line, cells }) => ({ file, line, text: `${cells[1]} inherits from itself` }))
}

export function checkPolicies(lines: PolicyLine[], vocabulary: Vocabulary): Problem[] {
  const wrong = lines.flatMap((line) =>
    checkShape(line, vocabulary).map((text) => ({ file: line.file, line: line.line, text })),
  )
  return [...wrong, ...checkRepeats(lines), ...checkCycles(lines)]
}

export function showProblem({ file, line, text }: Problem): string {
  return `policies/${file}:${line}: ${text}`
}
