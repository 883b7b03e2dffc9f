// Loaded on demand only: it brings Casbin with it. The order of the first two imports matters.
import '@/access/buffer-global'
import { newEnforcer, newModelFromString } from 'casbin'
import { NOTHING_ALLOWED, PermissionMap } from '@/access/permission-map'
import { type DenialReason, type Policy, type PolicyLine, READ_VERBS, type Verdict } from '@/access/policy'
import modelText from '../../casbin-model.conf?raw'

const ALLOWED: Verdict = { allowed: true }

interface Asker {
  name: string
  roles: readonly string[]
  /** Why it is refused when it is the first to be. */
  reason: DenialReason
}

/**
 * The subjects in the model's terms: the user with the role alone, then with the license role, then with all
 * roles. The database decides in the same order.
 */
function askersOf(roles: readonly string[]): Asker[] {
  const own = roles.filter((role) => role !== 'read-only' && role !== 'without-pro')
  const askers: Asker[] = [{ name: 'me by role', roles: own, reason: 'role' }]
  if (roles.includes('read-only'))
    askers.push({ name: 'me by license', roles: [...own, 'read-only'], reason: 'read-only' })
  if (roles.includes('without-pro')) askers.push({ name: 'me', roles, reason: 'without-pro' })
  return askers
}

function groupByObject(lines: readonly PolicyLine[]): Map<string, string[][]> {
  const groups = new Map<string, string[][]>()
  for (const [type, ...cells] of lines) {
    if (type !== 'p') continue
    const object = cells[1] ?? ''
    const group = groups.get(object)
    if (group) group.push(cells)
    else groups.set(object, [cells])
  }
  return groups
}

/**
 * Casbin reads all its lines for every question, half a millisecond for an Admin. By the model a line matches only its
 * own object, or any when it names `*`: the enforcer is given just those.
 */
async function buildEnforcer(
  askers: readonly Asker[],
  lines: readonly PolicyLine[],
): Promise<(name: string, object: string, verb: string) => boolean> {
  const model = newModelFromString(modelText)
  for (const [type, ...cells] of lines) if (type === 'g') model.addPolicy('g', 'g', cells)
  for (const { name, roles } of askers) for (const role of roles) model.addPolicy('g', 'g', [name, role])
  const enforcer = await newEnforcer(model)
  await enforcer.buildRoleLinks()
  const held = model.model.get('p')?.get('p')
  if (!held) throw new Error('casbin-model.conf defines no policy p')
  const groups = groupByObject(lines)
  const forAll = groups.get('*') ?? []
  return (name, object, verb) => {
    held.policy = [...forAll, ...(groups.get(object) ?? [])]
    return enforcer.enforceSync(name, object, verb)
  }
}

/** All roles that the held ones inherit from, and they themselves. */
function closureOf(roles: readonly string[], lines: readonly PolicyLine[]): ReadonlySet<string> {
  const closure = new Set(roles)
  for (const role of closure)
    for (const [type, child, parent] of lines)
      if (type === 'g' && child === role && parent !== undefined) closure.add(parent)
  return closure
}

/**
 * The row rules of the lines that allow something, as `app.rules_of` has them. Casbin decides whether it is allowed; the
 * lines that match tell with which rows.
 */
function rulesIn(
  roles: readonly string[],
  lines: readonly PolicyLine[],
): (resource: string, action: string) => readonly string[] | null {
  const closure = closureOf(roles, lines)
  const allows = lines.filter(
    ([type, role = '', , , effect]) => type === 'p' && effect === 'allow' && closure.has(role),
  )
  if (!allows.some(([, , , , , rule]) => rule)) return () => null
  return (resource, action) => {
    const isWrite = !(READ_VERBS as readonly string[]).includes(action)
    const rules = allows
      .filter(
        ([, , object, verb]) =>
          (object === resource || object === '*') &&
          (verb === action || verb === '*' || (verb === 'write' && isWrite)),
      )
      .map(([, , , , , rule = '']) => rule)
    return rules.includes('') ? null : [...new Set(rules)].sort()
  }
}

/** A map whose verdicts Casbin decides. All of them at once would take a tenth of the time in which a page opens. */
export async function resolvePolicy({
  roles,
  lines,
}: Pick<Policy, 'roles' | 'lines'>): Promise<PermissionMap> {
  if (roles.length === 0) return NOTHING_ALLOWED
  const askers = askersOf(roles)
  const enforce = await buildEnforcer(askers, lines)
  return new PermissionMap(
    (resource, verb) => {
      const refused = askers.find(({ name }) => !enforce(name, resource, verb))
      return refused ? { allowed: false, reason: refused.reason } : ALLOWED
    },
    rulesIn(roles, lines),
  )
}
