import type { RealtimeChannel } from '@supabase/supabase-js'
import { supabase } from '@/data/client'
import { PAGE_ORIGIN } from '@/data/origin'
import { noteVersions } from '@/ui/console-files'

/**
 * The server sends one message per company and statement. The message contains no rows; listeners refetch through
 * row-level security.
 */
export interface LiveChange {
  /** `*`: the connection was lost, and anything may have changed. */
  table: string
  op: 'insert' | 'update' | 'delete' | '*'
  /** At most 50; empty when there were more. */
  ids: readonly string[]
  /** Caused by a request of this page load. */
  own: boolean
  /**
   * Data read until then (`Date.now()`) may lack a change: set on the first join of a topic, and for a screen that
   * opens after the change was told.
   */
  readUntil?: number
}

/**
 * Whether a query was answered before its page subscribed. A query still in flight gets the later changes.
 */
export function isReadUntil(instant: number): (query: { state: { dataUpdatedAt: number } }) => boolean {
  return ({ state }) => state.dataUpdatedAt > 0 && state.dataUpdatedAt <= instant
}

/** A page tells the others on its record of itself: `here` asks them to answer, `page` is a page load. */
export interface Presence {
  user: string
  name: string
  page: string
  state: 'here' | 'looking' | 'writing' | 'gone'
}

type Listener = (change: LiveChange) => void
type PresenceListener = (presence: Presence | 'joined') => void

interface Watch {
  channel: RealtimeChannel
  listeners: Set<Listener>
  present: Set<PresenceListener>
  /** When others last changed each table. */
  changedAt: Map<string, number>
}

const EVERYTHING: LiveChange = { table: '*', op: '*', ids: [], own: false }
/** On navigation, a page leaves the topic and the next one joins it at once; the socket need not notice. */
const LINGER_MS = 5000

const watches = new Map<string, Watch>()

function parseChange(payload: unknown): LiveChange | null {
  if (typeof payload !== 'object' || payload === null) return null
  const { table, op, ids, origin } = payload as Record<string, unknown>
  if (typeof table !== 'string') return null
  const known = typeof op === 'string' ? op.toLowerCase() : '*'
  return {
    table,
    op: known === 'insert' || known === 'update' || known === 'delete' ? known : '*',
    ids: Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [],
    own: origin === PAGE_ORIGIN,
  }
}

const STATES: readonly unknown[] = ['here', 'looking', 'writing', 'gone'] satisfies Presence['state'][]

function parsePresence(payload: unknown): Presence | null {
  if (typeof payload !== 'object' || payload === null) return null
  const { user, name, page, state } = payload as Record<string, unknown>
  if (typeof user !== 'string' || typeof page !== 'string' || !STATES.includes(state)) return null
  return { user, page, name: typeof name === 'string' ? name : '', state: state as Presence['state'] }
}

function openWatch(topic: string): Watch {
  const listeners = new Set<Listener>()
  const present = new Set<PresenceListener>()
  const changedAt = new Map<string, number>()
  const tell = (change: LiveChange) => {
    if (!change.own) changedAt.set(change.table, Date.now())
    for (const listener of [...listeners]) listener(change)
  }
  let wasJoined = false
  // A private topic needs the session's token, which the socket does not have before the first sign-in event.
  void supabase.realtime.setAuth()
  const channel = supabase
    .channel(topic, { config: { private: true } })
    .on('broadcast', { event: 'change' }, (message) => {
      const change = parseChange(message.payload)
      if (change) tell(change)
    })
    .on('broadcast', { event: 'console' }, ({ payload }) => noteVersions(payload))
    .on('broadcast', { event: 'presence' }, ({ payload }) => {
      const presence = parsePresence(payload)
      if (presence) for (const listener of [...present]) listener(presence)
    })
    .subscribe((status) => {
      if (status !== 'SUBSCRIBED') return
      // A second join means that messages were missed, so everything is read again. Before the first join,
      // only what was read earlier is read again: on a slow line a page can be open for seconds before it
      // gets messages.
      tell(wasJoined ? EVERYTHING : { ...EVERYTHING, readUntil: Date.now() })
      wasJoined = true
      for (const listener of [...present]) listener('joined')
    })
  return { channel, listeners, present, changedAt }
}

/**
 * Subscribes to one topic: `company:<id>`, `user:<id>` or `platform`. All listeners of a topic share one
 * join. Returns the function that unsubscribes.
 */
export function subscribeToTopic(topic: string, listener: Listener): () => void {
  const { listeners } = watchOf(topic)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    window.setTimeout(() => leaveIfUnused(topic), LINGER_MS)
  }
}

function watchOf(topic: string): Watch {
  const known = watches.get(topic)
  if (known) return known
  const watch = openWatch(topic)
  watches.set(topic, watch)
  return watch
}

/**
 * Tells who else is on the record of a topic `record:<resource>:<id>`. `say` is heard by the others there; the embedded server
 * puts the person of the session in place of what the page says.
 */
export function joinPresence(
  topic: string,
  listener: PresenceListener,
): { say: (presence: Omit<Presence, 'page'>) => void; leave: () => void } {
  const { channel, present } = watchOf(topic)
  present.add(listener)
  return {
    say: (presence) => {
      // Before the join, the client would send by an address that the embedded server does not have.
      if (channel.state !== 'joined') return
      void channel.send({ type: 'broadcast', event: 'presence', payload: { ...presence, page: PAGE_ORIGIN } })
    },
    leave: () => {
      present.delete(listener)
      window.setTimeout(() => leaveIfUnused(topic), LINGER_MS)
    },
  }
}

/** When others last changed one of the tables, as far as a message of the topic told; 0 for never. */
export function lastChange(topic: string, tables: Iterable<string>): number {
  const changedAt = watches.get(topic)?.changedAt
  return Math.max(0, ...[...tables].map((table) => changedAt?.get(table) ?? 0))
}

function leaveIfUnused(topic: string): void {
  const watch = watches.get(topic)
  if (!watch || watch.listeners.size > 0 || watch.present.size > 0) return
  watches.delete(topic)
  void supabase.removeChannel(watch.channel)
}

/** The topic for a company in view; without one, what reaches a Super Admin from all companies. */
export function companyTopic(companyId: string | null): string {
  return companyId === null ? 'platform' : `company:${companyId}`
}
