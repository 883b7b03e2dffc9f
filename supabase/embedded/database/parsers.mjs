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

/** Types of arguments that the drivers write without a function: uuid, inet, interval, regclass, name. */
const PLAIN_TYPES = [2950, 869, 1186, 2205, 19]

/**
 * Both drivers pass a value that is no list through where the database expects a list. A number then breaks the message that
 * they write: PGlite takes no message after it, and postgres.js throws. They throw as well for a number that is no date, and
 * for an object from JSON whose property `toString` is no function. A text is refused by the database with 22P02.
 * @param {Record<string, (value: any) => any>} serializers
 */
export function sendTexts(serializers) {
  for (const type of PLAIN_TYPES) serializers[type] ??= (value) => value
  for (const [type, serialize] of Object.entries(serializers))
    serializers[type] = (value) => {
      try {
        const sent = serialize(value)
        return typeof sent === 'string' || sent === null || sent instanceof Uint8Array ? sent : String(sent)
      } catch {
        return JSON.stringify(value)
      }
    }
}
