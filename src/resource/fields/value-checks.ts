import type { FieldProblem } from '@/resource/fields/kind-interface'

/** Length in characters as Postgres counts them, not in UTF-16 units. */
export function checkText(value: unknown, maxLength?: number, pattern?: string): FieldProblem | null {
  const text = String(value)
  if (maxLength !== undefined && [...text].length > maxLength)
    return { key: 'tooLong', values: { max: maxLength } }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return { key: 'pattern' }
  return null
}

export interface Range {
  min?: number
  max?: number
  /** Digits after the point; left out, any number of them. */
  decimals?: number
}

export function checkRange(value: unknown, { min, max, decimals }: Range): FieldProblem | null {
  const number = Number(value)
  if (!Number.isFinite(number)) return { key: 'number' }
  const digits = /\.(\d+)$/.exec(String(number))?.[1]?.length ?? 0
  if (decimals !== undefined && digits > decimals)
    return decimals === 0 ? { key: 'whole' } : { key: 'decimals', values: { max: decimals } }
  if (min !== undefined && number < min) return { key: 'min', values: { min } }
  if (max !== undefined && number > max) return { key: 'max', values: { max } }
  return null
}

export function checkPattern(
  value: unknown,
  pattern: RegExp,
  key: string,
  maxLength: number,
): FieldProblem | null {
  return checkText(value, maxLength) ?? (pattern.test(String(value).trim()) ? null : { key })
}

const STORED_DATE = /^\d{4}-\d\d-\d\d(?:[T ]|$)/

/** A day or an instant as the database writes it; forms also hold texts that were typed and are not dates. */
export function isStoredDate(value: string): boolean {
  if (!STORED_DATE.test(value) || Number.isNaN(Date.parse(value))) return false
  // Browsers take February 30th for March 2nd, which the database refuses.
  const day = value.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
