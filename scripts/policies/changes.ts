import { READ_VERBS } from '@/access/policy'
import { LICENSE_ROLES } from './lines'
import { WRITE } from './vocabulary'

/** The cells of a line: `p, role, object, verb, effect` or `g, child, parent`. */
type Cells = readonly string[]

/** Verbs by object. */
type Grants = Map<string, string[]>

export interface RoleChange {
  role: string
  kind: 'added' | 'removed' | 'changed'
  gains: Grants
  loses: Grants
}

const isLicenseRole = (role: string) => (LICENSE_ROLES as readonly string[]).includes(role)

/** The roles that people can have. */
const rolesIn = (lines: readonly Cells[]) =>
  new Set(lines.map(([, role = '']) => role).filter((role) => !isLicenseRole(role)))

/** The row rules of an allowed verb; all rows where one of its lines names none. */
type Rows = readonly string[] | 'all'

/** casbin-model.conf for one role, without those of the license. */
export function evaluator(lines: readonly Cells[], role: string): (object: string, verb: string) => boolean {
  const rowsOf = rowEvaluator(lines, role)
  return (object, verb) => rowsOf(object, verb) !== null
}

/** The rows that a role may do something with; null where it may not at all. */
function rowEvaluator(lines: readonly Cells[], role: string): (object: string, verb: string) => Rows | null {
  const closure = new Set([role])
  for (const ancestor of closure)
    for (const [type, child, parent] of lines)
      if (type === 'g' && child === ancestor && parent) closure.add(parent)
  const own = lines.filter(([type, holder]) => type === 'p' && closure.has(holder ?? ''))
  return (object, verb) => {
    const isWrite = !(READ_VERBS as readonly string[]).includes(verb)
    const matching = own.filter(
      ([, , named, meant]) =>
        (named === object || named === '*') &&
        (meant === verb || meant === '*' || (meant === WRITE && isWrite)),
    )
    if (matching.length === 0 || matching.some(([, , , , effect]) => effect === 'deny')) return null
    const rules = matching.map(([, , , , , rule = '']) => rule)
    return rules.includes('') ? 'all' : [...new Set(rules)].sort()
  }
}

/** `list` for all rows, `list (beyond own)` where it had those of a rule before, `list (own)` for those of a rule alone. */
function gained(object: string, verb: string, before: Rows | null, after: Rows | null): Cells[] {
  if (after === null || before === 'all') return []
  if (after === 'all') return [[object, before ? `${verb} (beyond ${before.join(', ')})` : verb]]
  const added = after.filter((rule) => !before?.includes(rule))
  return added.length > 0 ? [[object, `${verb} (${added.join(', ')})`]] : []
}

function grouped(pairs: readonly Cells[]): Grants {
  const grants: Grants = new Map()
  for (const [object = '', verb = ''] of pairs) grants.set(object, [...(grants.get(object) ?? []), verb])
  return grants
}

/** Lists the permissions that each role gains and loses by a change, inheritance included. */
export function roleChanges(before: readonly Cells[], after: readonly Cells[]): RoleChange[] {
  const [old, wanted] = [rolesIn(before), rolesIn(after)]
  const pairs = new Map(
    [...before, ...after]
      .filter(([type, , , verb]) => type === 'p' && verb !== WRITE)
      .map(([, , object = '', verb = '']) => [`${object} ${verb}`, [object, verb] as const]),
  )
  const asked = [...pairs.values()]
  return [...new Set([...old, ...wanted])].sort().flatMap((role) => {
    const [could, can] = [rowEvaluator(before, role), rowEvaluator(after, role)]
    const [gains, loses] = [
      grouped(
        asked.flatMap(([object, verb]) => gained(object, verb, could(object, verb), can(object, verb))),
      ),
      grouped(
        asked.flatMap(([object, verb]) => gained(object, verb, can(object, verb), could(object, verb))),
      ),
    ]
    const kind = !old.has(role) ? 'added' : wanted.has(role) ? 'changed' : 'removed'
    return kind === 'changed' && gains.size + loses.size === 0 ? [] : [{ role, kind, gains, loses }]
  })
}

const listed = (grants: Grants) =>
  [...grants].map(([object, verbs]) => `${object}: ${verbs.join(', ')}`).join('; ')

function people(count: number | undefined): string {
  if (count === undefined) return ''
  if (count === 0) return ' Nobody has this role.'
  return count === 1 ? ' 1 account has this role.' : ` ${count} accounts have this role.`
}

/** `Teknik gains devices: delete; loses tickets: export. 3 accounts have this role.` */
export function tellChange(
  { role, kind, gains, loses }: RoleChange,
  holders: ReadonlyMap<string, number> | null,
): string {
  const count = people(holders ? (holders.get(role) ?? 0) : undefined)
  if (kind === 'removed') return `${role} is removed.${count}`
  if (kind === 'added')
    return `${role} is a new role and may do ${gains.size > 0 ? listed(gains) : 'nothing yet'}.`
  const parts = [
    ...(gains.size > 0 ? [`gains ${listed(gains)}`] : []),
    ...(loses.size > 0 ? [`loses ${listed(loses)}`] : []),
  ]
  return `${role} ${parts.join('; ')}.${count}`
}

/** Lists the permissions that companies without a valid license, or without Pro, lose or regain by a change. */
export function licenseChanges(before: readonly Cells[], after: readonly Cells[]): string[] {
  const denials = (lines: readonly Cells[], role: string) =>
    lines.filter(([type, holder]) => type === 'p' && holder === role).map((cells) => cells.slice(2, 4))
  return LICENSE_ROLES.flatMap((role) => {
    const [old, wanted] = [denials(before, role), denials(after, role)]
    const without = (all: Cells[], known: Cells[]) =>
      all.filter((cells) => !known.some((each) => each.join() === cells.join()))
    const [added, gone] = [without(wanted, old), without(old, wanted)]
    return [
      ...(added.length > 0 ? [`${role} now denies ${listed(grouped(added))}.`] : []),
      ...(gone.length > 0 ? [`${role} no longer denies ${listed(grouped(gone))}.`] : []),
    ]
  })
}
