import type { Verdict } from '@/access/policy'

/**
 * Represents every name that no line mentions. Lines match a name exactly or by `*`, so all such names get
 * the same verdict, and this one entry answers for them.
 */
export const ANY_OTHER = ''

type VerbVerdicts = ReadonlyMap<string, Verdict>

const DENIED: Verdict = { allowed: false, reason: 'role' }

/** All verdicts of a session, computed once and read synchronously. */
export class PermissionMap {
  readonly #verdicts: ReadonlyMap<string, VerbVerdicts>

  constructor(verdicts: ReadonlyMap<string, VerbVerdicts>) {
    this.#verdicts = verdicts
  }

  can(resource: string, action: string): Verdict {
    const verbs = this.#verdicts.get(resource) ?? this.#verdicts.get(ANY_OTHER)
    return verbs?.get(action) ?? verbs?.get(ANY_OTHER) ?? DENIED
  }
}

/** Denies everything: before the policy has loaded, and without a role. */
export const NOTHING_ALLOWED = new PermissionMap(new Map())
