import type { Verdict } from '@/access/policy'

type Decide = (resource: string, action: string) => Verdict

/** The verdicts of a session, read synchronously: each is decided when it is first asked for, and kept. */
export class PermissionMap {
  readonly #decide: Decide
  readonly #verdicts = new Map<string, Map<string, Verdict>>()

  constructor(decide: Decide) {
    this.#decide = decide
  }

  can(resource: string, action: string): Verdict {
    const verbs = this.#verdicts.get(resource) ?? new Map<string, Verdict>()
    this.#verdicts.set(resource, verbs)
    const verdict = verbs.get(action) ?? this.#decide(resource, action)
    verbs.set(action, verdict)
    return verdict
  }
}

/** Denies everything: before the policy has loaded, and without a role. */
export const NOTHING_ALLOWED = new PermissionMap(() => ({ allowed: false, reason: 'role' }))
