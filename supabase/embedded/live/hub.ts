import type { Database } from '../database/database'
import type { Claims } from '../http/sessions'
import { type Access, accessKey, mayList, mayListen, readAccess } from './access'
import { field } from './frames'

/** `change`: rows of a table. `console`: definitions or texts; its payload is their versions. */
export type LiveEvent = 'change' | 'console'

/** A topic that a connection has joined. */
export interface Member {
  topic: string
  claims: Claims
  send: (payload: unknown, event?: LiveEvent) => void
  /** The member may listen no longer; it is out of the hub already. */
  dismiss: (reason: string) => void
}

/**
 * The members of every topic. Messages and changes of access are processed in the order the database sent them, so
 * that no member hears of a change made after the member lost access.
 */
export class Hub {
  /** Each with the tables it was found to be allowed to hear of, or not. */
  readonly #members = new Map<Member, Map<string, boolean>>()
  readonly #database: () => Database
  readonly #log: (line: string) => void
  readonly #versions: () => object | null
  #tail: Promise<void> = Promise.resolve()
  #checkQueued = false

  constructor(
    database: () => Database,
    log: (line: string) => void,
    versions: () => object | null = () => null,
  ) {
    this.#database = database
    this.#log = log
    this.#versions = versions
  }

  async accessOf(claims: Claims): Promise<Access | undefined> {
    return (await readAccess(this.#database().query, [claims])).get(accessKey(claims))
  }

  /**
   * Joins if the member may. Waits behind pending checks, so that a right lost a moment ago is not used.
   * @returns whether it joined.
   */
  join(member: Member): Promise<boolean> {
    return this.#inOrder(async () => {
      if (!mayListen(await this.accessOf(member.claims), member.topic)) return false
      this.#members.set(member, new Map())
      return true
    })
  }

  leave(member: Member): void {
    this.#members.delete(member)
  }

  /** A message of the database: `{topic, payload}`. */
  deliver(message: string): void {
    let parsed: { topic?: unknown; payload?: unknown }
    try {
      parsed = JSON.parse(message) as typeof parsed
    } catch {
      return
    }
    const { topic, payload } = parsed
    void this.#inOrder(async () => {
      const now = Date.now() / 1000
      for (const member of [...this.#members.keys()]) {
        if (member.topic !== topic) continue
        if (member.claims.expiresAt <= now) this.#drop(member, 'The token has expired')
        else if (await this.#mayHear(member, payload)) member.send(payload)
      }
    }).catch((error: unknown) => this.#log(`A live message was lost: ${(error as Error).message}`))
  }

  /** A role that may not read a table is not told either when its rows change. */
  async #mayHear(member: Member, payload: unknown): Promise<boolean> {
    const table = field(payload, 'table')
    if (typeof table !== 'string') return false
    // Every session may read its own topic, its company's license and the permission lines.
    if (member.topic.startsWith('user:') || table === 'companies' || table === 'policy_rule') return true
    // A member hears of its own role, even if it may not list accounts.
    const ids = field(payload, 'ids')
    if (table === 'user_roles' && Array.isArray(ids) && ids.includes(member.claims.userId)) return true
    const known = this.#members.get(member)
    if (!known) return false
    const allowed =
      known.get(table) ?? (await mayList(this.#database(), member.claims, table).catch(() => false))
    known.set(table, allowed)
    return allowed
  }

  /** Tells a page what the console is like now, so that one that was away learns what it missed. */
  greet(member: Member): void {
    const versions = this.#versions()
    if (versions) member.send(versions, 'console')
  }

  greetAll(): void {
    for (const member of this.#members.keys()) this.greet(member)
  }

  /** Checks access again for everybody, once for any number of changes that arrived during the last check. */
  check(): void {
    if (this.#checkQueued) return
    this.#checkQueued = true
    void this.#inOrder(async () => {
      this.#checkQueued = false
      const members = [...this.#members.keys()]
      for (const known of this.#members.values()) known.clear()
      if (members.length === 0) return
      const access = await readAccess(
        this.#database().query,
        members.map((member) => member.claims),
      )
      for (const member of members)
        if (!mayListen(access.get(accessKey(member.claims)), member.topic))
          this.#drop(member, 'You may not listen to this topic any more')
    }).catch((error: unknown) => {
      // All members are dropped if the check failed: no message may reach a user without access.
      this.#log(`Live updates could not be checked: ${(error as Error).message}`)
      for (const member of [...this.#members.keys()]) this.#drop(member, 'Access could not be checked')
    })
  }

  /** Tokens run out without anything happening in the database. */
  expire(now = Date.now() / 1000): void {
    for (const member of [...this.#members.keys()])
      if (member.claims.expiresAt <= now) this.#drop(member, 'The token has expired')
  }

  dismissAll(reason: string): void {
    for (const member of [...this.#members.keys()]) this.#drop(member, reason)
  }

  #drop(member: Member, reason: string): void {
    if (this.#members.delete(member)) member.dismiss(reason)
  }

  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#tail.then(task, task)
    this.#tail = next.then(
      () => undefined,
      () => undefined,
    )
    return next
  }
}
