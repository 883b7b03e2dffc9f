import type { Database } from '../database/database'
import type { Claims } from '../http/sessions'
import {
  type Access,
  accessKey,
  isRecordTopic,
  mayListen,
  type Reach,
  readAccess,
  readReach,
  seesRecord,
} from './access'
import { field } from './frames'

/** `change`: rows of a table. `console`: definitions or texts; its payload is their versions. `presence`: who is on a record. */
export type LiveEvent = 'change' | 'console' | 'presence'

/** How long a member of a record's topic passes on presence without being asked again whether they see the record. */
const PRESENCE_TRUST_MS = 5_000

/** A topic that a connection has joined. */
export interface Member {
  topic: string
  claims: Claims
  send: (payload: unknown, event?: LiveEvent) => void
  /** The member may listen no longer; it is out of the hub already. */
  dismiss: (reason: string) => void
}

/** Leaves out the ids, which may be of rows outside the member's row rules: the page reads its own rows again. */
function withoutIds(payload: unknown): unknown {
  return typeof payload === 'object' && payload !== null ? { ...payload, ids: [] } : payload
}

/**
 * The members of every topic. Messages and changes of access are processed in the order the database sent them, so
 * that no member hears of a change made after the member lost access.
 */
export class Hub {
  /** Each with how much of a table it was found to be allowed to hear of. */
  readonly #members = new Map<Member, Map<string, Reach>>()
  readonly #database: () => Database
  readonly #log: (line: string) => void
  readonly #versions: () => object | null
  /** When each member of a record's topic was last found to see the record. */
  readonly #seenAt = new WeakMap<Member, number>()
  readonly #names = new WeakMap<Member, string>()
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
      const access = await this.accessOf(member.claims)
      const mayJoin = isRecordTopic(member.topic)
        ? access !== undefined && (await this.#sees(member))
        : mayListen(access, member.topic)
      if (!mayJoin) return false
      this.#members.set(member, new Map())
      return true
    })
  }

  leave(member: Member): void {
    if (this.#members.delete(member)) this.#sayGone(member)
  }

  async #sees(member: Member): Promise<boolean> {
    const sees = await seesRecord(this.#database(), member.claims, member.topic).catch(() => false)
    if (sees) this.#seenAt.set(member, Date.now())
    return sees
  }

  /**
   * Passes on to the others on a record that a page looks or writes. The person is the one of the token: a page names no other. Both
   * sender and receivers are asked again whether they see the record, unless they were a moment ago.
   */
  passOn(sender: Member, { page, state }: { page: string; state: string }): void {
    if (!isRecordTopic(sender.topic) || !this.#members.has(sender)) return
    void this.#inOrder(async () => {
      if (!(await this.#stillSees(sender))) return
      const name = await this.#nameOf(sender)
      for (const member of [...this.#members.keys()])
        if (member !== sender && member.topic === sender.topic && (await this.#stillSees(member)))
          member.send({ user: sender.claims.userId, name, page, state }, 'presence')
    }).catch((error: unknown) => this.#log(`Presence was lost: ${(error as Error).message}`))
  }

  async #nameOf(member: Member): Promise<string> {
    const known = this.#names.get(member)
    if (known !== undefined) return known
    const [row] = await this.#database().query<{ name: string }>(
      `select coalesce(nullif(p.name, ''), p.email) as name from public.profiles p where p.id = $1`,
      [member.claims.userId],
    )
    const name = row?.name ?? ''
    this.#names.set(member, name)
    return name
  }

  async #stillSees(member: Member): Promise<boolean> {
    if (Date.now() - (this.#seenAt.get(member) ?? 0) < PRESENCE_TRUST_MS) return this.#members.has(member)
    if (await this.#sees(member)) return this.#members.has(member)
    this.#drop(member, 'You may not listen to this topic any more')
    return false
  }

  /** A page that was closed cannot say so itself. */
  #sayGone({ topic, claims }: Member): void {
    if (!isRecordTopic(topic)) return
    if (
      [...this.#members.keys()].some(
        (other) => other.topic === topic && other.claims.userId === claims.userId,
      )
    )
      return
    for (const member of this.#members.keys())
      if (member.topic === topic) member.send({ user: claims.userId, page: '*', state: 'gone' }, 'presence')
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
        else {
          const reach = await this.#reachOf(member, payload)
          if (reach !== 'none') member.send(reach === 'all' ? payload : withoutIds(payload))
        }
      }
    }).catch((error: unknown) => this.#log(`A live message was lost: ${(error as Error).message}`))
  }

  /** A role that may not read a table is not told either when its rows change. */
  async #reachOf(member: Member, payload: unknown): Promise<Reach> {
    const table = field(payload, 'table')
    if (typeof table !== 'string') return 'none'
    // Asked at each change: the record may have been given to somebody else, which no change of access tells.
    if (isRecordTopic(member.topic)) {
      if (await this.#sees(member)) return 'all'
      this.#drop(member, 'You may not listen to this topic any more')
      return 'none'
    }
    // Every session may read its own topic, its company's license and the permission lines.
    if (member.topic.startsWith('user:') || table === 'companies' || table === 'policy_rule') return 'all'
    // A member hears of its own role, even if it may not list accounts.
    const ids = field(payload, 'ids')
    if (table === 'user_roles' && Array.isArray(ids) && ids.includes(member.claims.userId)) return 'all'
    const known = this.#members.get(member)
    if (!known) return 'none'
    const reach =
      known.get(table) ?? (await readReach(this.#database(), member.claims, table).catch((): Reach => 'none'))
    known.set(table, reach)
    return reach
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
      for (const member of members) {
        const known = access.get(accessKey(member.claims))
        const mayStay = isRecordTopic(member.topic)
          ? known !== undefined && (await this.#sees(member))
          : mayListen(known, member.topic)
        if (!mayStay) this.#drop(member, 'You may not listen to this topic any more')
      }
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
    if (!this.#members.delete(member)) return
    member.dismiss(reason)
    this.#sayGone(member)
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
