/** Values of both drivers as PostgREST writes them in JSON: ISO 8601 times, numbers as numbers. */
export const isoTimestamp = (value: string): string => value.replace(' ', 'T')

/** PostgreSQL shortens whole-hour offsets to `+00`, which not every parser of ISO 8601 takes. */
export const isoTimestamptz = (value: string): string => isoTimestamp(value).replace(/([+-]\d\d)$/, '$1:00')

/** Beyond what a double holds exactly the text is kept, rather than a wrong number. */
export function numeric(value: string): number | string {
  const number = Number(value)
  return Number.isFinite(number) && value.replace(/^-|\./g, '').length <= 16 ? number : value
}
