import type { Verdict } from '@/access/policy'

type Decide = (resource: string, action: string) => Verdict
/** The row rules of an allowed question; null when all rows are meant. */
type RulesOf = (resource: string, action: string) => readonly string[] | null

interface Answer {
  verdict: Verdict
  rules: readonly string[] | null
}

/** The verdicts of a session, read synchronously: each is decided when it is first asked for, and kept. */
export class PermissionMap {
  readonly #decide: Decide
  readonly #rulesOf: RulesOf
  readonly #answers = new Map<string, Map<string, Answer>>()

  constructor(decide: Decide, rulesOf: RulesOf = () => null) {
    this.#decide = decide
    this.#rulesOf = rulesOf
  }

  can(resource: string, action: string): Verdict {
    return this.#answer(resource, action).verdict
  }

  /** The rules that say with which rows, once `can` allows it; null for all rows. */
  rules(resource: string, action: string): readonly string[] | null {
    return this.#answer(resource, action).rules
  }

  #answer(resource: string, action: string): Answer {
    const verbs = this.#answers.get(resource) ?? new Map<string, Answer>()
    this.#answers.set(resource, verbs)
    const answer = verbs.get(action) ?? {
      verdict: this.#decide(resource, action),
      rules: this.#rulesOf(resource, action),
    }
    verbs.set(action, answer)
    return answer
  }
}

/** Denies everything: before the policy has loaded, and without a role. */
export const NOTHING_ALLOWED = new PermissionMap(() => ({ allowed: false, reason: 'role' }))
