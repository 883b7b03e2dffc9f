import { fileURLToPath } from 'node:url'
import type { PermissionMap } from '@/access/permission-map'
import type { Can } from '@/access/policy'
import { resolvePolicy } from '@/access/resolve-policy'
import { readPolicies } from '../../scripts/policies/lines'

const root = fileURLToPath(new URL('../..', import.meta.url))
const lines = readPolicies(root).map(({ cells }) => cells)

/** The permissions of a role by policies/*.csv, as the console resolves them. */
export async function permissionsOf(
  role: string,
  { without = [], license = [] }: { without?: readonly string[]; license?: readonly string[] } = {},
): Promise<Can> {
  const kept = lines.filter((cells) => cells.join(', ') !== without.join(', '))
  const map: PermissionMap = await resolvePolicy({ roles: [role, ...license], lines: kept })
  return (object, verb) => map.can(object, verb)
}
