import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  BusyError,
  ConflictError,
  DataError,
  DeniedError,
  DuplicateError,
  OfflineError,
  RateLimitError,
  SessionError,
  UnknownError,
} from '@/data/errors'
import { createAuditLogProvider } from '@/refine/audit-log-provider'
import { createDataProvider } from '@/refine/data-provider'

/** Each method of the providers, in each way that the console asks it. */
function methods(answer: () => Response) {
  const client = createClient('http://backend.test', 'key', {
    auth: { persistSession: false },
    realtime: { transport: WebSocket as never },
    global: { fetch: async () => answer() },
  })
  const data = createDataProvider(client, 'http://backend.test')
  const log = createAuditLogProvider(client)
  const resource = 'devices'
  const page = { currentPage: 1, pageSize: 50 }
  return {
    'a page': () => data.getList({ resource, pagination: page, meta: { count: 'none' } }),
    'a counted page': () => data.getList({ resource, pagination: page }),
    'a search': () => data.getList({ resource, pagination: page, meta: { search: 'x', count: 'none' } }),
    'a count': () => data.getList({ resource, meta: { count: 'only' } }),
    'a whole list': () => data.getList({ resource, pagination: { mode: 'off' } }),
    'a long list': () => data.getList({ resource, pagination: { currentPage: 1, pageSize: 10_000 } }),
    'a record': () => data.getOne({ resource, id: '1' }),
    'many records': () => data.getMany?.({ resource, ids: ['1', '2'] }),
    'a new record': () => data.create({ resource, variables: {} }),
    'a new record by a function': () =>
      data.create({ resource, variables: {}, meta: { createBy: 'create_it' } }),
    'a written-over record': () => data.create({ resource, variables: {}, meta: { onConflict: 'id' } }),
    'new records': () => data.createMany?.({ resource, variables: [{}] }),
    'missing records': () => data.createMany?.({ resource, variables: [{}], meta: { onConflict: 'id' } }),
    'a change': () => data.update({ resource, id: '1', variables: {} }),
    'a change of a version': () => data.update({ resource, id: '1', variables: {}, meta: { version: 1 } }),
    'many changes': () => data.updateMany?.({ resource, ids: ['1'], variables: {} }),
    'a batch': () =>
      data.updateMany?.({
        resource,
        ids: ['1'],
        variables: {},
        meta: { batch: { name: 'bulk_edit', args: {} } },
      }),
    'a deletion': () => data.deleteOne({ resource, id: '1' }),
    'many deletions': () => data.deleteMany?.({ resource, ids: ['1'] }),
    'a function': () => data.custom?.({ url: 'rpc/dashboard', method: 'post' }),
    'a function read by GET': () => data.custom?.({ url: 'rpc/dashboard', method: 'get' }),
    'the activity': () => log.get({ resource, meta: { id: '1' } }),
  }
}

const told =
  (status: number, code: string, message = 'no') =>
  () =>
    Response.json({ code, message, details: null, hint: null }, { status })

const FAILURES: [
  what: string,
  answer: () => Response,
  expected: new (...given: never[]) => DataError,
  status: number,
][] = [
  [
    'no connection',
    () => {
      throw new TypeError('Failed to fetch')
    },
    OfflineError,
    0,
  ],
  ['401', told(401, 'PGRST301'), SessionError, 401],
  ['401 of an anonymous role', told(401, '42501'), SessionError, 401],
  ['403', told(403, '42501'), DeniedError, 403],
  ['409 of the lock', told(409, 'PT409'), ConflictError, 409],
  ['409 of a unique value', told(409, '23505'), DuplicateError, 409],
  ['429', told(429, 'PT429', 'Too many requests'), RateLimitError, 429],
  ['500 of a statement that took too long', told(500, '57014'), BusyError, 500],
  ['500', told(500, 'SUP'), UnknownError, 500],
  ['500 of a proxy', () => new Response('<html>Internal error</html>', { status: 500 }), UnknownError, 500],
  ['502 of a proxy', () => new Response('<html>Bad gateway</html>', { status: 502 }), OfflineError, 502],
]

describe.each(FAILURES)('%s', (_what, answer, expected, status) => {
  // The client itself tries a lost connection again, after seconds.
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each(Object.entries(methods(answer)))(
    'reaches who asked for %s as one error with its class',
    async (_name, ask) => {
      const asked = ask()?.then(
        () => null,
        (error: unknown) => error,
      )
      await vi.runAllTimersAsync()
      const failure = await asked
      expect(failure).toBeInstanceOf(DataError)
      expect(failure).toBeInstanceOf(expected)
      expect((failure as DataError).statusCode).toBe(status)
    },
  )
})

/** Hooks that show a toast of Refine's own when they fail, unless they are told not to; of reads, only `useCustom`. */
const READS = /\buseCustom\b(?:<[^()]*>)?\(/g
const WRITES =
  /(?<!\.)\buse(?:Create|CreateMany|Update|UpdateMany|Delete|DeleteMany|CustomMutation|Form|ModalForm|DrawerForm)\b(?:<[^()]*>)?\(/

/** The screen tells a failure; beside it, Refine's toast would be the second. */
it('no hook of Refine shows a toast of its own', () => {
  const root = join(import.meta.dirname, '../../../src')
  const noisy = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      if (!/from '@refinedev\/(core|antd)'/.test(text)) return false
      const needed = (text.match(READS)?.length ?? 0) + (WRITES.test(text) ? 1 : 0)
      return (text.match(/errorNotification:/g)?.length ?? 0) < needed
    })
  expect(noisy).toEqual([])
})
