import { DOCUMENT_TYPES, TEXT_TYPES } from '@/resource/fields/script-interface'

export interface Cast {
  using: string
  /** The rows whose value does not survive it. */
  breaks?: string
}

const NUMBERS = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']
const WRITTEN = ['bool', 'date', 'timestamptz', 'uuid', 'inet', 'macaddr', ...DOCUMENT_TYPES, ...NUMBERS]

/** The pattern that a text must match to become a value of the type. */
const SHAPES: Record<string, string> = {
  integer: '^-?\\d{1,9}$',
  bigint: '^-?\\d{1,18}$',
  numeric: '^-?\\d{1,12}([.]\\d+)?$',
  date: '^\\d{4}-\\d{2}-\\d{2}$',
  timestamptz: '^\\d{4}-\\d{2}-\\d{2}([T ].*)?$',
  boolean: '^(true|false|yes|no|on|off|t|f|1|0)$',
  uuid: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
}

function numberBreaks(column: string, to: string): string | undefined {
  const decimals = /\(\d+, (\d+)\)/.exec(to)?.[1] ?? '0'
  const tooMany = `${column}::numeric <> round(${column}::numeric, ${decimals})`
  return to === 'integer' ? `(${tooMany} or abs(${column}) > 2147483647)` : tooMany
}

/**
 * How the values of a column become those of another type without a loss; null where no conversion is safe.
 * @param from as pg_type calls it
 * @param to as SQL writes it
 */
export function castOf(column: string, from: string, to: string): Cast | null {
  const bare = to.replace(/\(.*/, '')
  if (to === 'text' && (WRITTEN.includes(from) || TEXT_TYPES.includes(from)))
    return { using: `${column}::text` }
  if (NUMBERS.includes(from) && ['integer', 'bigint', 'numeric'].includes(bare)) {
    const breaks = numberBreaks(column, to)
    return { using: `${column}::${to}`, ...(breaks ? { breaks } : {}) }
  }
  if (from === 'date' && to === 'timestamptz') return { using: `${column}::timestamptz` }
  if (!TEXT_TYPES.includes(from)) return null
  if (to === 'text[]')
    return { using: `case when btrim(${column}) <> '' then array[${column}] else '{}' end` }
  const shape = SHAPES[bare]
  if (!shape) return null
  const tooMany = bare === 'numeric' ? ` or ${numberBreaks(column, to)}` : ''
  const misfit = `btrim(${column}) !~* '${shape}'`
  return {
    using: `nullif(btrim(${column}), '')::${to}`,
    breaks: `btrim(${column}) <> '' and case when ${misfit} then true else ${tooMany ? `false${tooMany}` : 'false'} end`,
  }
}
