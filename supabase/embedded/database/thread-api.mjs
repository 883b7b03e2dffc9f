// @ts-check
// Both threads of the API answer requests with this. Plain JavaScript: a thread starts without a TypeScript loader.
import { isTooDeep, parseJson, storableJson } from './json-body.mjs'

/** @typedef {import('@supabase/lite').Connection} Connection */
/** @typedef {import('./api-thread').ApiRequest} ApiRequest */
/** @typedef {import('./api-thread').ApiAnswer} ApiAnswer */
/** @typedef {import('./api-thread').ApiKeys} ApiKeys */
/** @typedef {import('./api-thread').DeviceBody} DeviceBody */

/**
 * Reads the sender of a large request of an agent: the megabytes themselves are left to the database.
 * @param {Uint8Array<ArrayBuffer>} body
 * @returns {DeviceBody}
 */
export function readDevice(body) {
  if (isTooDeep(body)) return { isTooDeep: true, sender: null, body }
  const payload = parseJson(body)?.payload
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return { isTooDeep: false, sender: null, body }
  const { device_id, secret } = /** @type {Record<string, unknown>} */ (payload)
  const text = new TextDecoder().decode(body)
  const storable = storableJson(text)
  return {
    isTooDeep: false,
    sender: { device_id, secret },
    body: storable === text ? body : new TextEncoder().encode(storable),
  }
}

/**
 * @param {() => Connection | Promise<Connection>} connect
 * @param {ApiKeys} keys
 * @param {boolean} inDatabase the database keeps the time of statements itself
 */
export function createThreadApi(connect, keys, inDatabase) {
  /** @type {Promise<Awaited<ReturnType<typeof import('./rest.mjs').createRest>>> | undefined} */
  let loading
  const load = async () => {
    const { createRest } = await import('./rest.mjs')
    return createRest(await connect(), keys, inDatabase)
  }
  const rest = () => {
    loading ??= load().catch((/** @type {unknown} */ error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  /**
   * @param {ApiRequest} request
   * @returns {Promise<ApiAnswer>}
   */
  return async (request) => {
    switch (request.kind) {
      case 'rest':
        return { rest: await (await rest()).answer(request.request) }
      case 'foreignKeys':
        return { foreignKeys: await (await rest()).foreignKeys() }
      case 'reload':
        // The start of the server asks for this last: lite takes a quarter of a second to load, and nobody waits for it.
        if (loading) await (await loading).reload()
        else rest().catch(() => undefined)
        return {}
      case 'readDevice':
        return { device: readDevice(request.body) }
    }
  }
}
