import { fileURLToPath } from 'node:url'
import type { readPolicy } from '@/access/policy'
import { resolvePolicy } from '@/access/resolve-policy'
import { parseLines, readPolicies, rolesOf } from '../../../scripts/policies/lines'
import { policiesOf } from '../../support/added-roles'
import { type Driver, type TestBackend, testBackend } from '../../support/backend'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Roles that policies/ does not have: one inherits two others and denies what one of them allows; one has row rules for some
 * verbs, and one inherits a rule and adds a line for all rows.
 */
export const ADDED = {
  'field-auditor.csv': `
g, Field Auditor, Teknik
g, Field Auditor, read-only
p, Field Auditor, security_log, list, allow
p, Field Auditor, tickets, list, deny
p, Field Auditor, groups, edit, allow`,
  'row-clerk.csv': `
p, Row Clerk, tickets, list, allow, own
p, Row Clerk, tickets, edit, allow
p, Row Clerk, tickets, delete, allow, own
p, Row Clerk, tickets, assign, allow, own`,
  'front-desk.csv': `
g, Front Desk, Standard
p, Front Desk, tickets, list, allow`,
}

export const LINES = [
  ...readPolicies(root),
  ...Object.entries(ADDED).flatMap(([file, text]) => parseLines(file, text)),
]
/** The roles that belong to a company. */
export const ROLES = rolesOf(LINES).filter((role) => role !== 'Super Admin')

/** The browser's maps by all that they are made of: what was resolved from the same lines is not resolved again. */
const maps = new Map<string, ReturnType<typeof resolvePolicy>>()
export function mapOf({ roles, lines }: ReturnType<typeof readPolicy>): ReturnType<typeof resolvePolicy> {
  const key = JSON.stringify([roles, lines])
  const map = maps.get(key) ?? resolvePolicy({ roles, lines })
  maps.set(key, map)
  return map
}

/** A backend that holds the added lines as well. */
export async function differentialBackend(driver: Driver): Promise<TestBackend> {
  const backend = await testBackend({ driver, demo: false })
  await policiesOf(backend)(ADDED)
  return backend
}
