import { formatExitCode, formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { NUMBER_FILE } from '@/resource/fields/file-values'
import type { FieldOf, KindFamily } from '@/resource/fields/kind-interface'
import { checkRange, type Range } from '@/resource/fields/value-checks'

type NumberType = 'number' | 'bytes' | 'percent' | 'duration'

/** How many seconds the unit of a column has. */
export const UNIT_SECONDS = { s: 1, min: 60 } as const

export const isDurationUnit = (unit: unknown): unit is keyof typeof UNIT_SECONDS =>
  unit === 's' || unit === 'min'

/** The limits of a field's values: those of its kind where the definition gives none. */
export function limitsOf(field: FieldOf<NumberType>): Range {
  const { type, min, max } = field
  if (type === 'number') return { min, max, decimals: field.decimals ?? 0 }
  if (type === 'percent') return { min: min ?? 0, max: max ?? 100, decimals: field.decimals }
  return { min: min ?? 0, max, decimals: 0 }
}

/** A number as its field writes it. */
export function numberText(
  value: unknown,
  { exit_code, decimals = 0, grouping, unit }: FieldOf<'number'>,
  language: Language,
): string {
  if (exit_code) return formatExitCode(Number(value))
  const text = formatNumber(Number(value), language, {
    maximumFractionDigits: decimals,
    useGrouping: grouping !== false,
  })
  return unit ? `${text} ${unit}` : text
}

const NUMBER = {
  compare: 'number',
  filter: 'range',
  align: 'right',
  isSortable: true,
  input: 'number',
  validate: (value: unknown, field: FieldOf<NumberType>) => checkRange(value, limitsOf(field)),
} as const

export const kinds: KindFamily<NumberType> = {
  number: {
    ...NUMBER,
    type: 'number',
    columns: ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
    isKey: true,
    titleText: numberText,
    file: { ...NUMBER_FILE, unit: ({ unit }) => unit },
  },
  bytes: {
    ...NUMBER,
    type: 'bytes',
    columns: ['int4', 'int8', 'numeric', 'float8'],
    isBigNumber: true,
    file: { ...NUMBER_FILE, unit: ({ unit = 'B' }) => unit },
  },
  percent: {
    ...NUMBER,
    type: 'percent',
    columns: ['int2', 'int4', 'numeric', 'float4', 'float8'],
    file: { ...NUMBER_FILE, unit: () => '%' },
  },
  duration: {
    ...NUMBER,
    type: 'duration',
    columns: ['int4', 'int8', 'numeric'],
    validate: (value, field) => {
      const problem = checkRange(value, limitsOf(field))
      if (problem?.key === 'number') return { key: 'duration' }
      return problem && { ...problem, values: { ...problem.values, unit: field.unit ?? 's' } }
    },
    references: ({ between = [] }) => between.map((name, index) => [`between/${index}`, name]),
    file: {
      ...NUMBER_FILE,
      unit: ({ unit = 's' }, words) => words.unit(unit),
      figure: ({ unit = 's' }) => ({ unit: 'hours', size: 3600 / UNIT_SECONDS[unit] }),
    },
  },
}
