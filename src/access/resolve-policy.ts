// Loaded on demand only: it brings Casbin with it. The order of the first two imports matters.
import '@/access/buffer-global'
import { newEnforcer, newModelFromString } from 'casbin'
import { NOTHING_ALLOWED, PermissionMap } from '@/access/permission-map'
import type { DenialReason, Policy, PolicyLine, Verdict } from '@/access/policy'
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

/** A map whose verdicts Casbin decides. All of them at once would take a tenth of the time in which a page opens. */
export async function resolvePolicy({
  roles,
  lines,
}: Pick<Policy, 'roles' | 'lines'>): Promise<PermissionMap> {
  if (roles.length === 0) return NOTHING_ALLOWED
  const askers = askersOf(roles)
  const enforce = await buildEnforcer(askers, lines)
  return new PermissionMap((resource, verb) => {
    const refused = askers.find(({ name }) => !enforce(name, resource, verb))
    return refused ? { allowed: false, reason: refused.reason } : ALLOWED
  })
}
