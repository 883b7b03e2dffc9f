import type { FieldOf } from '@/resource/fields/kind-interface'
import {
  colorWhen,
  type FieldScript,
  type JsonSchema,
  numberDefault,
  rangeOf,
  type ScriptFamily,
} from '@/resource/fields/script-interface'

const RANGE: Record<string, JsonSchema> = {
  min: { type: 'number', description: 'Smallest value.' },
  max: { type: 'number', description: 'Largest value.' },
  default: { type: 'number' },
}

const argument = ((options, start) => ({
  ...rangeOf(options),
  ...numberDefault(start),
})) satisfies FieldScript<'number'>['argument']

const MAX_INTEGER = 2_147_483_647

function numberType({ decimals, min = 0, max = 0 }: FieldOf<'number'>): string {
  if (decimals) return `numeric(${16 + decimals}, ${decimals})`
  return [min, max].some((bound) => Math.abs(bound) > MAX_INTEGER) ? 'bigint' : 'integer'
}

export const scripts: ScriptFamily<'number' | 'bytes' | 'percent' | 'duration'> = {
  number: {
    options: {
      description: 'A number.',
      properties: {
        ...RANGE,
        decimals: {
          type: 'integer',
          minimum: 0,
          maximum: 6,
          description: 'Digits after the point. Default 0.',
        },
        grouping: {
          type: 'boolean',
          default: true,
          description:
            'Whether thousands are set apart; false for a number that is a name, such as an event id.',
        },
        exit_code: {
          type: 'boolean',
          description:
            'Whether it is the exit code of a program: those of Windows crashes are shown as 0xC0000005.',
        },
        unit: { type: 'string', description: 'Written after it.' },
        over: {
          type: 'boolean',
          description:
            'Shows a negative value in red as the number above the limit. For fields that hold the remainder of a limit.',
        },
        color_when: colorWhen('over'),
        counts: {
          type: 'object',
          additionalProperties: false,
          required: ['resource', 'by'],
          properties: {
            resource: { type: 'string', description: 'The resource whose records are counted.' },
            by: { type: 'string', description: 'Its field that points to this record.' },
            filter: { $ref: '#/$defs/filter' },
          },
          description:
            'The records that the number counts: those of `resource` whose field `by` points to this record, as far as they match `filter`. For users who may list them, the number links to that list.',
        },
      },
    },
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
    argument,
  },
  bytes: {
    options: {
      description: 'An amount of data, stored in the given unit and shown in the one that fits.',
      properties: {
        ...RANGE,
        unit: { enum: ['B', 'kB', 'MB', 'GB'], description: 'What the column counts. Default B.' },
      },
    },
    column: () => ({ type: 'bigint', implied: { min: 0 } }),
    search: 'digits',
    isIndexed: true,
    argument,
  },
  percent: {
    options: {
      description: 'A share from 0 to 100.',
      properties: {
        ...RANGE,
        decimals: { type: 'integer', minimum: 0, maximum: 3 },
        thresholds: {
          type: 'object',
          additionalProperties: false,
          required: ['warning', 'critical'],
          properties: {
            warning: { type: 'number', description: 'From here on the bar is orange.' },
            critical: { type: 'number', description: 'From here on the bar is red.' },
          },
          description: 'Draws the share as a bar, colored by how high it is.',
        },
        used: {
          type: 'object',
          additionalProperties: false,
          required: ['free', 'total'],
          properties: { free: { type: 'string' }, total: { type: 'string' } },
          description:
            'In an inner table: computes the used share from two columns of the row, such as free and total space, where the row holds no share of its own.',
        },
        color_when: colorWhen('thresholds'),
      },
    },
    column: ({ decimals }) => ({
      type: decimals ? `numeric(${3 + decimals}, ${decimals})` : 'integer',
      implied: { min: 0, max: 100 },
    }),
    argument,
  },
  duration: {
    options: {
      description:
        'A span of time. People type `45 min`, `1:30`, `1h 30m` or `1.5 h`; a number alone counts in the unit of the column.',
      properties: {
        ...RANGE,
        unit: { enum: ['s', 'min'], description: 'What the column counts. Default s.' },
        in_hours: {
          type: 'boolean',
          description:
            'Whether it is written in hours and never in days, such as business time, whose days have fewer hours than 24.',
        },
        between: {
          type: 'array',
          minItems: 2,
          maxItems: 2,
          items: { type: 'string' },
          description:
            'Two `datetime` fields between which it is, such as `["started_at", "ended_at"]`, for a read-only field. A form that names it takes the span typed: a new record ends now and began that long ago, unless somebody has typed when it began; otherwise its end follows. Only the two moments are written.',
        },
      },
    },
    column: () => ({ type: 'integer', implied: { min: 0 } }),
    search: 'digits',
    isIndexed: true,
    argument,
  },
}
