import type { Role } from '@/access/roles'
import type { DenialReason } from '@/data/errors'

/** The verbs that a read-only company keeps; every other verb is a write. `app.allows` knows the same three. */
export const READ_VERBS = ['list', 'show', 'export'] as const

/**
 * Why something is refused: the role never may, the license has ended, it needs a Pro license, or the row rules of the role leave
 * this record out.
 */
export type { DenialReason }

export type Verdict = { allowed: true } | { allowed: false; reason: DenialReason }

/** A record as it was read; a row rule is evaluated on the fields that are there. */
export type RecordRead = Readonly<Record<string, unknown>>

/**
 * The question that `useCan()` gives: whether the signed-in user may do this, with this record if one is given, and if not,
 * why. Without a record it is allowed to whoever may do it with some.
 */
export type Can = (object: string, verb: string, record?: RecordRead) => Verdict

/** Whether a record is one of those that a row rule names; `undefined` when fields that it reads were not fetched. */
export type MeetsRule = (
  object: string,
  rule: string,
  record: RecordRead,
  userId: string,
) => boolean | undefined

/** Whether the role can never do it, with any license. Such actions are not shown. */
export function isOutOfRole(verdict: Verdict): boolean {
  return !verdict.allowed && verdict.reason === 'role'
}

/** A line as Casbin reads it: `p, role, object, verb, effect[, row rule]` or `g, child, parent`. */
export type PolicyLine = readonly string[]

/** The answer of `my_policy()`. */
export interface Policy {
  role: string | null
  companyId: string | null
  /** Held directly: the own role, then `read-only` and `without-pro` as the license says. */
  roles: readonly string[]
  /** The server's clock, ISO 8601: `until` is measured against it, since ours may be wrong. */
  now: string
  /** The instant at which the license changes the roles; null when nothing is going to. */
  until: string | null
  lines: readonly PolicyLine[]
  /** All roles, in descending order of permissions. */
  allRoles: readonly Role[]
}

function isRole(value: unknown): value is Role {
  if (typeof value !== 'object' || value === null) return false
  const { name, isGrantable, hasCompany } = value as Record<string, unknown>
  return isText(name) && typeof isGrantable === 'boolean' && typeof hasCompany === 'boolean'
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Throws on anything else: permissions are never derived from a partial response. */
export function readPolicy(answer: unknown): Policy {
  const source = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>
  const { role, companyId, roles, now, until, lines, allRoles } = source
  const isNullOrText = (value: unknown) => value === null || isText(value)
  const isComplete =
    isNullOrText(role) &&
    isNullOrText(companyId) &&
    isNullOrText(until) &&
    isText(now) &&
    Array.isArray(roles) &&
    roles.every(isText) &&
    Array.isArray(lines) &&
    lines.every((line) => Array.isArray(line) && line.every(isText)) &&
    Array.isArray(allRoles) &&
    allRoles.every(isRole)
  if (!isComplete) throw new Error('my_policy() did not answer with a policy')
  return source as unknown as Policy
}

/** Milliseconds until the policy changes without a reload; null when it does not. */
export function msUntilChange({ now, until }: Pick<Policy, 'now' | 'until'>): number | null {
  if (until === null) return null
  return Math.max(0, Date.parse(until) - Date.parse(now))
}
