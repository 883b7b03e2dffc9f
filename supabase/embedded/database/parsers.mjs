// @ts-check
// Plain JavaScript: the worker thread of PGlite loads it without a TypeScript loader.

/**
 * Values of both drivers as PostgREST writes them in JSON: ISO 8601 times, numbers as numbers.
 * @param {string} value
 */
export const isoTimestamp = (value) => value.replace(' ', 'T')

/**
 * PostgreSQL shortens whole-hour offsets to `+00`, which not every parser of ISO 8601 takes.
 * @param {string} value
 */
export const isoTimestamptz = (value) => isoTimestamp(value).replace(/([+-]\d\d)$/, '$1:00')

/**
 * Beyond what a double holds exactly the text is kept, rather than a wrong number.
 * @param {string} value
 * @returns {number | string}
 */
export function numeric(value) {
  const number = Number(value)
  return Number.isFinite(number) && value.replace(/^-|\./g, '').length <= 16 ? number : value
}

/**
 * Both drivers pass a value that is no list through where the database expects a list. A number then breaks the message that
 * they write: PGlite takes no message after it, and postgres.js throws. A text is refused by the database with 22P02.
 * @param {Record<string, (value: any) => any>} serializers
 */
export function sendTexts(serializers) {
  for (const [type, serialize] of Object.entries(serializers))
    serializers[type] = (value) => {
      const sent = serialize(value)
      return typeof sent === 'string' || sent === null || sent instanceof Uint8Array ? sent : String(sent)
    }
}
