import type { Query } from '../database/database'
import type { Claims } from '../http/sessions'
import { type Access, accessKey, mayListen, readAccess } from './access'

/** One joined topic of one connection. */
export interface Member {
  topic: string
  claims: Claims
  send: (payload: unknown) => void
  /** The member may listen no longer; it is out of the hub already. */
  dismiss: (reason: string) => void
}

/**
 * Who listens to what. Messages and changes of access are worked off in the order the database sent them, so that
 * nobody hears what happened after they lost the right to.
 */
export class Hub {
  readonly #members = new Set<Member>()
  readonly #query: () => Query
  readonly #log: (line: string) => void
  #tail: Promise<void> = Promise.resolve()
  #checkQueued = false

  constructor(query: () => Query, log: (line: string) => void) {
    this.#query = query
    this.#log = log
  }

  async accessOf(claims: Claims): Promise<Access | undefined> {
    return (await readAccess(this.#query(), [claims])).get(accessKey(claims))
  }

  /**
   * Joins if the member may. Waits behind pending checks, so that a right lost a moment ago is not used.
   * @returns whether it joined.
   */
  join(member: Member): Promise<boolean> {
    return this.#inOrder(async () => {
      if (!mayListen(await this.accessOf(member.claims), member.topic)) return false
      this.#members.add(member)
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
      for (const member of [...this.#members]) {
        if (member.topic !== topic) continue
        if (member.claims.expiresAt <= now) this.#drop(member, 'The token has expired')
        else member.send(payload)
      }
    })
  }

  /** Asks again for everybody, once for any number of changes that came meanwhile. */
  check(): void {
    if (this.#checkQueued) return
    this.#checkQueued = true
    void this.#inOrder(async () => {
      this.#checkQueued = false
      const members = [...this.#members]
      if (members.length === 0) return
      const access = await readAccess(
        this.#query(),
        members.map((member) => member.claims),
      )
      for (const member of members)
        if (!mayListen(access.get(accessKey(member.claims)), member.topic))
          this.#drop(member, 'You may not listen to this topic any more')
    }).catch((error: unknown) => {
      // Better silence than a message to somebody who may not have it.
      this.#log(`Live updates could not be checked: ${(error as Error).message}`)
      for (const member of [...this.#members]) this.#drop(member, 'Access could not be checked')
    })
  }

  /** Tokens run out without anything happening in the database. */
  expire(now = Date.now() / 1000): void {
    for (const member of [...this.#members])
      if (member.claims.expiresAt <= now) this.#drop(member, 'The token has expired')
  }

  dismissAll(reason: string): void {
    for (const member of [...this.#members]) this.#drop(member, reason)
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
