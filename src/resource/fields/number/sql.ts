import { type FieldSql, numberDefault, rangeOf } from '@/resource/fields/field-sql'
import type { FieldOf } from '@/resource/fields/kind'

const MAX_INTEGER = 2_147_483_647

function numberType({ decimals, min = 0, max = 0 }: FieldOf<'number'>): string {
  if (decimals) return `numeric(${16 + decimals}, ${decimals})`
  return [min, max].some((bound) => Math.abs(bound) > MAX_INTEGER) ? 'bigint' : 'integer'
}

export const sql: FieldSql<'number'> = {
  column: (field) => ({ type: numberType(field) }),
  search: 'digits',
  isIndexed: true,
  describes: {
    types: ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'],
    options: ({ rules: { min, max }, decimals }) => ({
      ...(decimals ? { decimals } : {}),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    }),
  },
  argument: (options, start) => ({ ...rangeOf(options), ...numberDefault(start) }),
}
