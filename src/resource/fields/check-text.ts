import type { FieldProblem } from '@/resource/fields/kind'

/** Length in characters as Postgres counts them, not in UTF-16 units. */
export function checkText(value: unknown, maxLength?: number, pattern?: string): FieldProblem | null {
  const text = String(value)
  if (maxLength !== undefined && [...text].length > maxLength)
    return { key: 'tooLong', values: { max: maxLength } }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return { key: 'pattern' }
  return null
}

interface Range {
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
