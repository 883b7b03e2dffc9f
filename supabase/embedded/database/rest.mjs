// @ts-check
// Plain JavaScript: the threads that answer the API load it without a TypeScript loader.
import { setTimeout as sleep } from 'node:timers/promises'
import { App } from '@supabase/lite'
import { budgetRequests, withOrigin } from './budget.mjs'
import { normalizeDatabaseError } from './errors.mjs'
import { holdsMoreThan, jsonRefusal } from './json-body.mjs'

/** @typedef {import('@supabase/lite').Connection} Connection */
/** @typedef {Awaited<ReturnType<Connection['introspect']>>} Catalog */
/** @typedef {import('./api-thread').RestRequest} RestRequest */
/** @typedef {import('./api-thread').RestAnswer} RestAnswer */
/** @typedef {import('./api-thread').ForeignKey} ForeignKey */

/** Settings shared by PostgREST and GoTrue: both are lite's App, in threads of their own. */
export const LITE_API = { schemas: ['public'], max_rows: 1000 }

/**
 * The values that a request may write. PGlite breaks at 32,768 parameters of a statement; a function's arguments are
 * one parameter each: an import of 10,000 rows is far below.
 */
const MAX_VALUES = { table: 32_000, function: 1_000_000 }

/** @param {string} url */
const maxValues = (url) =>
  new URL(url).pathname.startsWith('/rest/v1/rpc/') ? MAX_VALUES.function : MAX_VALUES.table

/**
 * @param {number} status
 * @param {string} code
 * @param {string} message
 * @param {string | null} details
 */
const refusal = (status, code, message, details = null) =>
  Response.json(
    { code, message, details, hint: null },
    { status, headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' } },
  )

/**
 * The code of an error that was answered.
 * @param {Uint8Array | null} body
 * @returns {{ code?: unknown, message?: unknown }}
 */
function errorOf(body) {
  try {
    return JSON.parse(new TextDecoder().decode(body ?? undefined)) ?? {}
  } catch {
    return {}
  }
}

/**
 * @param {Response} response
 * @returns {Promise<RestAnswer>}
 */
async function read(response) {
  // It repeats a query of up to 64 kB, which proxies refuse as a header.
  response.headers.delete('content-location')
  const body = response.body ? new Uint8Array(await response.arrayBuffer()) : null
  // A short answer is known by it not to be worth compressing.
  if (body) response.headers.set('content-length', String(body.length))
  const { code } = response.ok ? {} : errorOf(body)
  return {
    status: response.status,
    headers: [...response.headers],
    body,
    code: typeof code === 'string' ? code : null,
  }
}

const ATTEMPTS = 3
const WAIT_MS = 100

/**
 * A request whose transaction and another one waited for each other is asked again: the database has taken it back, live
 * messages included, and the other one went on.
 * @param {() => Promise<RestAnswer>} ask
 */
async function askAgain(ask) {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask()
    if (attempt === ATTEMPTS || (answer.code !== '40P01' && answer.code !== '40001')) return answer
    // A random wait lets one of two colliding requests go first, so that they do not collide again.
    await sleep(Math.random() * WAIT_MS * attempt)
  }
}

/** An aggregate has the form of an embed: `count()`, `amount.sum()`. */
const AGGREGATE = /^count$|\./

/**
 * The refusal of PostgREST for an embed in a function that returns no rows of a table, which lite would answer with every row of the
 * other table for each of the function.
 * @param {string} url
 * @param {Catalog} catalog
 */
function functionEmbedRefusal(url, { functions = [] }) {
  const { pathname, searchParams } = new URL(url)
  const called = /^\/rest\/v1\/rpc\/(\w+)$/.exec(pathname)?.[1]
  const found = functions.filter(({ name }) => name === called)
  if (found.length === 0 || found.some((each) => each.return_typtype === 'c')) return undefined
  const embeds = [...(searchParams.get('select') ?? '').matchAll(/([^,()]*)\(/g)]
    .map(([, text = '']) => (text.split(':').at(-1)?.split('!')[0] ?? '').replace(/^\s*(\.\.\.)?/, '').trim())
    .filter((name) => name !== '' && !AGGREGATE.test(name))
  if (embeds.length === 0) return undefined
  return refusal(
    400,
    'PGRST200',
    `Could not find a relationship between '${called}' and '${embeds[0]}' in the schema cache`,
    `Searched for a foreign key relationship between '${called}' and '${embeds[0]}' in the schema 'public', but no matches were found.`,
  )
}

/**
 * The computed fields of a request by which it orders without reading them. PostgREST orders by them; lite knows those that it reads.
 * @param {URLSearchParams} params
 */
function unreadOrder(params) {
  const read = (params.get('select') ?? '*').replace(/\([^()]*\)/g, '').split(',')
  return (params.get('order') ?? '')
    .split(',')
    .map((part) => part.split('.')[0] ?? '')
    .filter((name, at, all) => /^hidden_\w+$/.test(name) && !read.includes(name) && all.indexOf(name) === at)
}

/**
 * An answer without fields that were read for the order alone.
 * @param {RestAnswer} answer
 * @param {readonly string[]} names
 * @returns {RestAnswer}
 */
function withoutFields(answer, names) {
  if (names.length === 0 || answer.body === null || answer.status >= 300) return answer
  const rows = JSON.parse(new TextDecoder().decode(answer.body))
  for (const row of [rows].flat()) for (const name of names) delete row[name]
  const body = new TextEncoder().encode(JSON.stringify(rows))
  const headers = answer.headers.filter(([name]) => name !== 'content-length')
  return { ...answer, headers: [...headers, ['content-length', String(body.length)]], body }
}

/**
 * lite answers 500 to some requests that it cannot parse. What the database or its engine failed at stays a 500.
 * @param {RestAnswer} answer
 */
function namedRefusal(answer) {
  if (answer.status !== 500 || answer.code !== 'SUP') return undefined
  const message = String(errorOf(answer.body).message).replace(/^Error: /, '')
  return /^(Invalid|Missing|Expected|Unexpected) /.test(message)
    ? refusal(400, 'PGRST100', message)
    : undefined
}

/**
 * lite takes a catalog that it could not read for an empty one: every table would be unknown, and every embed.
 * @param {Connection} connection
 */
function refuseEmptyCatalog(connection) {
  const introspect = connection.introspect.bind(connection)
  connection.introspect = async (options) => {
    const catalog = await introspect(options)
    if (catalog.tables.length > 0) return catalog
    throw Object.assign(new Error('The catalog of the database cannot be read'), { code: '08006' })
  }
}

/**
 * A view over one table, whose rows it names by the same id. PostgREST follows foreign keys through such a view;
 * lite reads keys of tables alone.
 */
const VIEW_OF = { view: 'people', table: 'profiles' }

/**
 * @template {{ ref_table: string }} K
 * @param {readonly K[]} keys
 * @returns {K[]} the keys that lead to the view as well
 */
export const keysThroughViews = (keys) =>
  keys.flatMap((key) => (key.ref_table === VIEW_OF.table ? [{ ...key, ref_table: VIEW_OF.view }] : []))

/** @param {Connection} connection */
function followKeysThroughViews(connection) {
  const introspect = connection.introspect.bind(connection)
  connection.introspect = async (options) => {
    const catalog = await introspect(options)
    const keys = catalog.foreign_keys
    // The catalog is kept and answered again.
    if (!keys.some(({ ref_table }) => ref_table === VIEW_OF.view)) keys.push(...keysThroughViews(keys))
    return catalog
  }
}

/**
 * PostgREST over a connection: lite's App without its other parts. Requests and answers are plain values whose bodies
 * move between threads without being copied.
 * @param {Connection} connection
 * @param {import('./api-thread').ApiKeys} keys
 * @param {boolean} inDatabase the database keeps the time of statements itself
 */
export async function createRest(connection, keys, inDatabase) {
  connection.normalizeDbError = normalizeDatabaseError
  budgetRequests(connection, inDatabase)
  refuseEmptyCatalog(connection)
  followKeysThroughViews(connection)
  const app = new App({
    connection,
    api: LITE_API,
    auth: {
      enabled: true,
      jwt_secret: keys.jwtSecret,
      publishable_key: keys.publishableKey,
      secret_key: keys.secretKey,
    },
    studio: { enabled: false },
    options: { server: { admin: false, disableStudio: true } },
  })
  await app.init()
  // lite would answer 500 in plain text; the server tells a database that is gone from a fault.
  app.server.onError((error) => {
    throw error
  })
  // Else lite's first request grants everything on every table to anon, undoing each REVOKE of the migrations.
  Reflect.set(connection, 'rlsState', 'active')
  return {
    /**
     * @param {RestRequest} request
     * @returns {Promise<RestAnswer>}
     */
    answer: async ({ method, url, headers, body }) => {
      if (body && holdsMoreThan(body, maxValues(url)))
        return read(refusal(413, 'PGRST102', 'The request holds too many values'))
      const damage = body && jsonRefusal(body)
      if (damage) return read(refusal(400, 'PGRST102', damage))
      // Kept until it changes. Here its failure says what it is; in lite it is any 500.
      const unrelated = functionEmbedRefusal(url, await connection.introspect({ useCache: true }))
      if (unrelated) return read(unrelated)
      // lite parses what HEAD asks of a function as a table's, and refuses its arguments. GET is as read-only.
      const isHeadOfFunction = method === 'HEAD' && new URL(url).pathname.startsWith('/rest/v1/rpc/')
      const asked = new URL(url)
      const ordering = /csv/i.test(new Headers(headers).get('accept') ?? '')
        ? []
        : unreadOrder(asked.searchParams)
      if (ordering.length > 0)
        asked.searchParams.set('select', [asked.searchParams.get('select') ?? '*', ...ordering].join(','))
      const answer = await withOrigin(headers, () =>
        askAgain(async () => {
          const request = new Request(asked, {
            method: isHeadOfFunction ? 'GET' : method,
            headers,
            body: /** @type {BodyInit | null} */ (body),
          })
          return read(await app.fetch(request, { peerAddress: null }))
        }),
      )
      const named = namedRefusal(answer)
      const told = named ? await read(named) : withoutFields(answer, ordering)
      return isHeadOfFunction ? { ...told, body: null } : told
    },
    /** @returns {Promise<ForeignKey[]>} */
    foreignKeys: async () => {
      const { foreign_keys: keys } = await connection.introspect({ useCache: true })
      return keys.map(({ table, column, ref_table, ref_column, foreign_key_name }) => ({
        table,
        column,
        ref_table,
        ref_column,
        foreign_key_name,
      }))
    },
    reload: () => connection.clearSchemaCache(),
  }
}
