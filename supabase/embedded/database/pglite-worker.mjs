// @ts-check
// The thread that runs PGlite. Plain JavaScript: a thread starts in milliseconds without a TypeScript loader.
import { parentPort, workerData } from 'node:worker_threads'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto'
import { unpackInMemory, unpackTo, withoutSpareWal, zip } from './archive.mjs'
import { plainError } from './errors.mjs'
import { isoTimestamp, isoTimestamptz, numeric, sendTexts } from './parsers.mjs'
import { createThreadApi } from './thread-api.mjs'

/** @typedef {import('./engine').Request} Request */
/** @typedef {import('./engine').Message} Message */

if (!parentPort) throw new Error('This file runs as a worker thread only.')
const port = parentPort

/** @param {string} value */
const asWritten = (value) => value
/** @param {string} value */
const json = (value) => JSON.parse(value)
/** @param {string} value */
const bigint = (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value))

const PARSERS = {
  20: bigint,
  114: json,
  3802: json,
  1082: asWritten,
  1083: asWritten,
  1266: asWritten,
  1114: isoTimestamp,
  1184: isoTimestamptz,
  1700: numeric,
}

/** PGlite takes 128 MB, and never gives it back; the system caches the files behind it. */
const SHARED_BUFFERS = '32MB'

/** How PGlite leaves its loop after an ordinary database error. */
const LONG_JUMP = 100

/** @param {Message} message */
const tell = (message) => port.postMessage(message)

/**
 * PGlite swallows whatever its loop throws, a stack overflow or a memory fault included, and answers the statement
 * as if it had succeeded without rows. After such an error its memory cannot be trusted: the thread ends itself
 * before anything is answered.
 * @param {PGlite} pg
 */
function endOnCorruption(pg) {
  const module = pg.Module
  for (const name of /** @type {const} */ ([
    '_PostgresMainLoopOnce',
    '_PostgresMainLongJmp',
    '_PostgresSendReadyForQueryIfNecessary',
    '_pgl_pq_flush',
  ])) {
    const call = module[name]
    module[name] = () => {
      try {
        return call()
      } catch (error) {
        const { name: kind, status } = /** @type {{ name?: string, status?: number }} */ (error)
        if (kind === 'ExitStatus' && status === LONG_JUMP) throw error
        tell({ fatal: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
        process.exit(1)
      }
    }
  }
}

/** Where PGlite expects its data directory. */
const DATA = '/pglite/data'

/** A database in memory that begins as a snapshot. */
class SnapshotFS extends MemoryFS {
  /** @param {Uint8Array} packed */
  constructor(packed) {
    super()
    this.packed = packed
  }

  /** @override */
  async initialSyncFs() {
    if (this.pg) unpackInMemory(this.packed, DATA, this.pg.Module.FS)
    this.packed = new Uint8Array()
  }
}

/**
 * @param {string} dataDir
 * @param {Uint8Array | undefined} snapshot
 */
function placeOf(dataDir, snapshot) {
  if (!snapshot) return { dataDir }
  if (dataDir.startsWith('memory://')) return { fs: new SnapshotFS(snapshot) }
  unpackTo(snapshot, dataDir)
  return { dataDir }
}

/** @type {PGlite} */
let pg
try {
  const { dataDir, wasm, snapshot } = workerData
  pg = await PGlite.create({
    ...placeOf(dataDir, snapshot),
    pgliteWasmModule: wasm,
    extensions: { btree_gist, pg_trgm, pgcrypto },
    parsers: PARSERS,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  })
  sendTexts(pg.serializers)
  endOnCorruption(pg)
  tell({ ready: true })
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

/**
 * Several statements in one transaction, and as a role.
 * @param {string} sql
 * @param {string | null} role
 */
async function script(sql, role) {
  await pg.exec(`begin${role ? `; set local role ${role}` : ''}`)
  try {
    await pg.exec(sql)
    await pg.exec('commit')
  } catch (error) {
    await pg.exec('rollback')
    throw error
  }
}

/** The data directory after a checkpoint, packed. */
async function dump() {
  const { rows } = await pg.query(
    `select pg_walfile_name(redo_lsn) as first, pg_walfile_name(pg_current_wal_lsn()) as last from pg_control_checkpoint()`,
  )
  const [needed] = /** @type {{ first: string, last: string }[]} */ (rows)
  if (!needed) throw new Error('The database names no checkpoint.')
  const tar = new Uint8Array(await (await pg.dumpDataDir('none')).arrayBuffer())
  return zip(withoutSpareWal(tar, needed))
}

const answerApi = createThreadApi(
  async () => {
    const { connectHere } = await import('./pglite-connection.mjs')
    return connectHere(pg, (budget) => tell({ statement: budget }))
  },
  workerData.keys,
  false,
)

/**
 * @param {Request} request
 * @returns {Promise<import('./engine').Answer>}
 */
async function run(request) {
  switch (request.kind) {
    case 'query': {
      if (request.begins) await pg.exec('begin')
      const { rows, affectedRows } = await pg.query(request.sql, [...request.params])
      return { rows: /** @type {import('./database').Row[]} */ (rows), affectedRows }
    }
    case 'exec':
      return { rows: (await pg.exec(request.sql)).at(0)?.rows ?? [] }
    case 'script':
      await script(request.sql, request.role)
      return {}
    case 'listen':
      await pg.listen(request.channel, (payload) => tell({ channel: request.channel, payload }))
      return {}
    case 'dump':
      return { dump: await dump() }
    case 'close':
      await pg.close()
      return {}
    default:
      return answerApi(request)
  }
}

port.on('message', async (/** @type {Request} */ request) => {
  try {
    const answer = await run(request)
    const bodies = [answer.rest?.body?.buffer, answer.device?.body.buffer, answer.dump]
    port.postMessage(
      { answer },
      bodies.filter((body) => body !== undefined),
    )
  } catch (error) {
    tell({ error: plainError(error) })
  }
})
