import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../resource/read-text'
import { closest } from './closest'
import { type Vocabulary, WRITE } from './vocabulary'

/** A line of policies/*.csv: `p, role, object, verb, effect[, row rule]` or `g, child, parent`. */
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

/** Every company without a valid license, or without Pro, adds these to the roles of its users. */
export const LICENSE_ROLES = ['read-only', 'without-pro'] as const
/** The roles that the database itself needs: the platform's, and that of which each company keeps somebody. */
const BUILT_IN = ['Super Admin', 'Admin'] as const
const NAME = /^(?=.{1,40}$)[A-Z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/

/** Super Admin → super-admin.csv. */
export function fileOf(role: string): string {
  return `${role.toLowerCase().replaceAll(' ', '-')}.csv`
}

const isLicenseRole = (role: string) => (LICENSE_ROLES as readonly string[]).includes(role)

/** A role is a file: the first line that belongs in it names it. */
function declaredRoles(lines: readonly PolicyLine[]): Map<string, string> {
  const roles = new Map<string, string>(LICENSE_ROLES.map((role) => [fileOf(role), role]))
  for (const { file, cells } of lines) {
    const role = cells[1] ?? ''
    if (!roles.has(file) && NAME.test(role) && fileOf(role) === file) roles.set(file, role)
  }
  return roles
}

/** The roles that people can have, in the order of the lines. */
export function rolesOf(lines: readonly PolicyLine[]): string[] {
  return [...declaredRoles(lines).values()].filter((role) => !isLicenseRole(role))
}

export function parseLines(file: string, text: string): PolicyLine[] {
  return text
    .split(/\r?\n/)
    .map((raw, index) => ({ file, line: index + 1, raw: raw.trim() }))
    .filter(({ raw }) => raw !== '' && !raw.startsWith('#'))
    .map(({ file, line, raw }) => ({ file, line, cells: raw.split(',').map((cell) => cell.trim()) }))
}

/** All lines, file by file. */
export function readPolicies(root: string): PolicyLine[] {
  return readdirSync(join(root, 'policies'))
    .filter((file) => file.endsWith('.csv'))
    .sort()
    .flatMap((file) => parseLines(file, readText(join(root, 'policies', file))))
}

interface Words extends Vocabulary {
  /** The role of each file. */
  roles: ReadonlyMap<string, string>
}

const MAX_LISTED = 12
/** Names that other systems have for our verbs. */
const SYNONYMS = new Map(
  Object.entries({
    add: 'create',
    insert: 'create',
    update: 'edit',
    change: 'edit',
    modify: 'edit',
    remove: 'delete',
    destroy: 'delete',
    read: 'show',
    view: 'show',
    get: 'show',
    index: 'list',
    select: 'list',
  }),
)

function unknown(kind: string, word: string, known: Iterable<string>): string {
  const all = [...known]
  const near = (kind === 'verb' ? SYNONYMS.get(word.toLowerCase()) : undefined) ?? closest(word, all)
  if (near !== undefined && all.includes(near)) return `unknown ${kind} "${word}"; did you mean "${near}"?`
  const rest = all.length > MAX_LISTED ? ' and more' : ''
  return `unknown ${kind} "${word}"; use one of ${all.slice(0, MAX_LISTED).join(', ')}${rest}`
}

/** Whether the line is in the file of its role. */
function checkRole({ file, cells: [, role = ''] }: PolicyLine, { roles }: Words): string[] {
  const own = roles.get(file)
  if (own === role) return []
  if (own && [...roles.values()].includes(role)) return [`a line of ${role} belongs in ${fileOf(role)}`]
  if (own) return [`${file} is the file of ${own}: ${unknown('role', role, roles.values())}`]
  if (fileOf(role) === file || !NAME.test(role))
    return [
      `"${role}" cannot be the name of a role; write a capital first, then letters A to Z, digits and single spaces, at most 40 characters, such as "Field Auditor" in field-auditor.csv`,
    ]
  return [`a line of ${role} belongs in ${fileOf(role)}`]
}

/** Verbs that no row of the database is asked about. */
const ROWLESS = new Map([
  ['import', 'it adds and changes rows by `create` and `edit`; limit those'],
  ['export', 'it reads the rows of `list`; limit that'],
  ['show', 'it reads the rows of `list`; limit that'],
])

/** Whether the rule of a line can hold for its rows. */
function checkRowRule(line: PolicyLine, { rules }: Words): string[] {
  const [, , object = '', verb = '', effect, rule] = line.cells
  if (rule === undefined) return []
  if (effect === 'deny') return ['a deny holds for all rows; remove the rule, or allow the other rows by one']
  const known = rules.get(object)
  if (!known)
    return [
      `"${object}" has no row rules; name them under "rules" in resources/${object}.json, or remove "${rule}"`,
    ]
  const rowless = ROWLESS.get(verb)
  if (rowless) return [`"${verb}" takes no row rule: ${rowless}`]
  return known.has(rule) ? [] : [unknown('rule', rule, known)]
}

function checkGrant(line: PolicyLine, words: Words): string[] {
  const [, role = '', object = '', verb = '', effect = ''] = line.cells
  const found = [...checkRole(line, words), ...checkRowRule(line, words)]
  if (object !== '*' && !words.objects.has(object)) found.push(unknown('object', object, words.objects))
  if (verb !== '*' && verb !== WRITE && !words.verbs.has(verb)) found.push(unknown('verb', verb, words.verbs))
  const owners = words.owners.get(verb)
  if (owners && words.objects.has(object) && !owners.has(object))
    found.push(
      `"${object}" has no action "${verb}", which is one of ${[...owners].join(', ')}; remove the line`,
    )
  if (effect !== 'allow' && effect !== 'deny') found.push(unknown('effect', effect, ['allow', 'deny']))
  if (effect === 'allow' && role !== 'Super Admin' && (object === '*' || verb === '*'))
    found.push('"*" is allowed to Super Admin only; name the object and the verb')
  if (effect === 'allow' && verb === WRITE) found.push('"write" may only be denied; name the verbs to allow')
  if (effect === 'allow' && isLicenseRole(role))
    found.push(`${role} is added to the roles of a company without a license and only denies; write "deny"`)
  return found
}

function checkInheritance(line: PolicyLine, words: Words): string[] {
  const [, child = '', parent = ''] = line.cells
  const found = checkRole(line, words)
  if (![...words.roles.values()].includes(parent)) found.push(unknown('role', parent, words.roles.values()))
  if (parent === 'Super Admin')
    found.push('no role inherits from Super Admin, who sees every company; inherit from Admin')
  if (isLicenseRole(child))
    found.push(`${child} is added to the roles of a company without a license and inherits nothing`)
  return found
}

function checkShape(line: PolicyLine, words: Words): string[] {
  const [type, ...rest] = line.cells
  if (line.cells.some((cell) => /["']/.test(cell))) return ['a cell is in quotes; write it without']
  if (line.cells.includes('')) return ['a cell is empty; write `p, role, object, verb, allow`']
  if (type === 'p')
    return rest.length === 4 || rest.length === 5
      ? checkGrant(line, words)
      : ['expected: p, role, object, verb, allow|deny, or with a row rule behind it']
  if (type === 'g') return rest.length === 2 ? checkInheritance(line, words) : ['expected: g, child, parent']
  return [`a line begins with p or g, not "${type}"`]
}

function checkRepeats(lines: PolicyLine[]): Problem[] {
  const seen = new Map<string, PolicyLine>()
  const found: Problem[] = []
  for (const line of lines) {
    // The key leaves out the effect, because an allow next to a deny of the same is an error, too.
    const [type, role, object, verb, effect, rule = ''] = line.cells
    // An allow by another rule is no repetition; one for all rows makes those by a rule idle, across effects too.
    const key = (type === 'p' ? [type, role, object, verb, rule] : line.cells).join('\u0000')
    const whole =
      rule && effect === 'allow' ? seen.get([type, role, object, verb, ''].join('\u0000')) : undefined
    if (whole) {
      const text = `has no effect: ${whole.file}:${whole.line} is about all rows; remove one of the two`
      found.push({ file: line.file, line: line.line, text })
      continue
    }
    const first = seen.get(key)
    if (first) {
      const same = first.cells.join() === line.cells.join()
      const text = `${same ? 'repeats' : 'contradicts'} ${first.file}:${first.line}; remove one of the two`
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
    .map(({ file, line, cells }) => ({
      file,
      line,
      text: `${cells[1]} inherits from itself; remove one of the lines`,
    }))
}

/** Roles with those that they inherit from. */
function lineage(role: string, lines: readonly PolicyLine[], seen = new Set([role])): Set<string> {
  for (const {
    cells: [type, child, parent = ''],
  } of lines)
    if (type === 'g' && child === role && !seen.has(parent)) lineage(parent, lines, seen.add(parent))
  return seen
}

/** A record's page asks for `list` as well, since it leads back there. */
function checkShow(lines: readonly PolicyLine[]): Problem[] {
  const allows = lines.filter(({ cells }) => cells[0] === 'p' && cells[4] === 'allow')
  return allows
    .filter(({ cells: [, role = '', object, verb] }) => {
      if (verb !== 'show') return false
      const roles = lineage(role, lines)
      return !allows.some(
        ({ cells: [, other = '', each, open = ''] }) =>
          roles.has(other) && (each === object || each === '*') && (open === 'list' || open === '*'),
      )
    })
    .map(({ file, line, cells: [, role, object] }) => ({
      file,
      line,
      text: `${role} may show ${object}, and opens no page without its list; add "p, ${role}, ${object}, list, allow"`,
    }))
}

function checkBuiltIn(roles: ReadonlyMap<string, string>): Problem[] {
  return BUILT_IN.filter((role) => !roles.has(fileOf(role))).map((role) => ({
    file: fileOf(role),
    line: 1,
    text: `the console needs the role ${role}; restore its lines`,
  }))
}

/** The problems of all lines of policies/ together. */
export function checkPolicies(lines: PolicyLine[], vocabulary: Vocabulary): Problem[] {
  const roles = declaredRoles(lines)
  const words = { ...vocabulary, roles }
  const wrong = lines.flatMap((line) =>
    checkShape(line, words).map((text) => ({ file: line.file, line: line.line, text })),
  )
  return [
    ...wrong,
    ...checkRepeats(lines),
    ...checkCycles(lines),
    ...checkShow(lines),
    ...checkBuiltIn(roles),
  ]
}

export function showProblem({ file, line, text }: Problem): string {
  return `policies/${file}:${line}: ${text}`
}
