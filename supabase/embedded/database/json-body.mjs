// @ts-check
// Plain JavaScript: the threads that answer the API load it without a TypeScript loader.

/** The console's own JSON is nested by a dozen levels at most. */
const MAX_LEVELS = 64

/** @type {Readonly<Record<number, 1 | -1>>} */
const LEVELS = {
  40: 1, // (
  91: 1, // [
  123: 1, // {
  41: -1, // )
  93: -1, // ]
  125: -1, // }
}

/**
 * Whether brackets outside of quotes go deeper than anybody needs. Some recursions of PGlite end in the stack of
 * its thread, which is replaced then: bodies with thousands of levels are refused before.
 * @param {Uint8Array} text
 */
export function isTooDeep(text) {
  let levels = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === 0x22) isQuoted = !isQuoted
    else if (isQuoted) {
      if (byte === 0x5c) at++
    } else {
      levels += LEVELS[byte] ?? 0
      if (levels > MAX_LEVELS) return true
    }
  }
  return false
}

/**
 * Whether a JSON text holds more values than that; commas outside of quotes tell. Each value of a row becomes a
 * parameter of a statement, and millions of them the end of the thread's heap.
 * @param {Uint8Array} text
 * @param {number} max
 */
export function holdsMoreThan(text, max) {
  let values = 1
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === 0x22) isQuoted = !isQuoted
    else if (isQuoted) {
      if (byte === 0x5c) at++
    } else if (byte === 0x2c && ++values > max) return true
  }
  return false
}

/**
 * The second half of a character without its first, or the first alone: no text that PostgreSQL could keep.
 * @param {unknown} value
 * @returns {boolean}
 */
function hasLoneSurrogate(value) {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => hasLoneSurrogate(key) || hasLoneSurrogate(item))
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/**
 * Why the database could not keep this JSON as it was sent; null when it can, or when it is not JSON.
 * @param {Uint8Array} body
 * @returns {string | null}
 */
export function jsonRefusal(body) {
  if (isTooDeep(body)) return 'The request is nested too deep'
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return 'The request body is not valid UTF-8'
  }
  // Only an escape can write one, and hardly anybody uses them: large bodies are not parsed a second time.
  if (!SURROGATE_ESCAPE.test(text)) return null
  try {
    return hasLoneSurrogate(JSON.parse(text)) ? 'The request body holds half of a character' : null
  } catch {
    return null
  }
}

const UNSTORABLE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
// A backslash with what it escapes, so that an escaped backslash before "u0000" is no escape of NUL.
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\./gs

/**
 * A JSON text of a device without what jsonb refuses: NUL is left out, and half of a character becomes the replacement
 * character. One such text in a list would else keep the device from its jobs.
 * @param {string} text
 */
export function storableJson(text) {
  if (!UNSTORABLE_ESCAPE.test(text)) return text
  return text.replace(ESCAPES, (match) => {
    if (match.length !== 6) return match
    if (match === '\\u0000') return ''
    return /^\\u[dD][89a-fA-F]/.test(match) ? '\\ufffd' : match
  })
}

/**
 * The object that a JSON text holds; null when it is anything else.
 * @param {Uint8Array | null} body
 * @returns {Record<string, unknown> | null}
 */
export function parseJson(body) {
  try {
    const value = JSON.parse(new TextDecoder().decode(body ?? new Uint8Array()))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
