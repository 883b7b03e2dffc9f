import type { DatabaseError } from './errors.mjs'

/** The keys by which a thread identifies the caller. */
export interface ApiKeys {
  jwtSecret: string
  publishableKey: string
  secretKey: string
}

export interface RestRequest {
  method: string
  url: string
  headers: [name: string, value: string][]
  /** Transferred to the thread; the caller can no longer use it. */
  body: Uint8Array<ArrayBuffer> | null
}

export interface RestAnswer {
  status: number
  headers: [name: string, value: string][]
  body: Uint8Array<ArrayBuffer> | null
  /** The code of an error. */
  code: string | null
}

export interface ForeignKey {
  table: string
  column: string
  ref_table: string
  ref_column: string
  foreign_key_name: string
}

/** The sender of a large request of an agent, read without the database. */
export interface DeviceBody {
  isTooDeep: boolean
  /** Null when the body is not `{"payload": {…}}`. */
  sender: { device_id?: unknown; secret?: unknown } | null
  /** As it was sent, without what the database cannot keep. */
  body: Uint8Array<ArrayBuffer>
}

/** A request that a thread answers on both databases, so that the main thread never parses or writes large JSON. */
export type ApiRequest =
  | { kind: 'rest'; request: RestRequest }
  | { kind: 'foreignKeys' }
  | { kind: 'reload' }
  | { kind: 'readDevice'; body: Uint8Array<ArrayBuffer> }

export interface ApiAnswer {
  rest?: RestAnswer
  foreignKeys?: ForeignKey[]
  device?: DeviceBody
}

/** An error as it crosses threads. */
export type ThreadError = Partial<DatabaseError> & { message: string }

/** Request bodies that move to the thread rather than being copied. */
export function movedBodies(request: ApiRequest): ArrayBuffer[] {
  if (request.kind === 'rest') return request.request.body ? [request.request.body.buffer] : []
  return request.kind === 'readDevice' ? [request.body.buffer] : []
}

/** The answers of a thread, as the server asks for them. */
export interface Api {
  /**
   * Answers a request of `/rest/v1`. The caller holds the queue.
   * @throws a database error when the thread was ended.
   */
  rest: (request: RestRequest) => Promise<RestAnswer>
  foreignKeys: () => Promise<ForeignKey[]>
  /** Tables and functions have changed. */
  reload: () => Promise<void>
  readDevice: (body: Uint8Array<ArrayBuffer>) => Promise<DeviceBody>
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The API thread gave no answer.')
  return value
}

export function apiOf(send: (request: ApiRequest) => Promise<ApiAnswer>): Api {
  // Nearly every list asks for them.
  let keys: Promise<ForeignKey[]> | undefined
  const readKeys = async () => present((await send({ kind: 'foreignKeys' })).foreignKeys)
  return {
    rest: async (request) => present((await send({ kind: 'rest', request })).rest),
    foreignKeys: () => {
      keys ??= readKeys().catch((error: unknown) => {
        keys = undefined
        throw error
      })
      return keys
    },
    reload: async () => {
      keys = undefined
      await send({ kind: 'reload' })
    },
    readDevice: async (body) => present((await send({ kind: 'readDevice', body })).device),
  }
}
