import type { Connection } from '@supabase/lite'
import type { Api } from './api-thread'
import type { EngineState } from './engine'
import type { Exclusive } from './queue'

export type Row = Record<string, unknown>
export type Query = <R = Row>(sql: string, params?: readonly unknown[]) => Promise<R[]>

/** A database, independent of the driver. */
export interface Database {
  kind: 'pglite' | 'postgres'
  /** lite's own connection; its user must hold the queue. */
  connection: Connection
  /** `/rest/v1`, answered in the thread of the database. */
  api: Api
  /** The role that owns the schema; null when the connecting user itself does. */
  owner: string | null
  exclusive: Exclusive
  /** Runs a statement in the queue. Never call `query` inside `exclusive`. */
  query: Query
  /** As last known; asks nothing and waits for nobody. */
  state: () => EngineState
  /** Several statements, without parameters, in one transaction and as `role`; in the queue. */
  script: (sql: string, role?: string | null) => Promise<void>
  /** `onGap`: the connection was lost and is back; messages in between are gone. */
  listen: (channel: string, onMessage: (payload: string) => void, onGap?: () => void) => Promise<void>
  /** Runs the work while no other server does so on this database. */
  alone: <R>(work: () => Promise<R>) => Promise<R>
  /** The packed data directory, of the embedded database alone; in the queue. */
  dump?: () => Promise<ArrayBuffer>
  close: () => Promise<void>
}
