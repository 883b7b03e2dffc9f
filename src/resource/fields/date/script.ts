import {
  COLORS,
  colorWhen,
  pausedWhen,
  type ScriptFamily,
  textDefault,
} from '@/resource/fields/script-interface'

export const scripts: ScriptFamily<'date' | 'datetime'> = {
  date: {
    options: {
      description: 'A day.',
      properties: {
        default: { type: 'string' },
        warn_days: {
          type: 'integer',
          minimum: 1,
          description:
            'A past day is shown in red, and one within so many days in orange: for an end or a renewal.',
        },
        color_when: colorWhen('warn_days'),
      },
    },
    column: () => ({ type: 'date' }),
    now: 'current_date',
    isIndexed: true,
    describes: { types: ['date'], options: () => ({ filter: true }) },
    argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
  },
  datetime: {
    options: {
      description: "A moment, shown in the user's time zone.",
      properties: {
        relative: { type: 'boolean', description: 'Shown as time passed, with the moment on hover.' },
        local_when: {
          type: 'string',
          pattern: '^[a-z][a-z0-9_]*$',
          examples: ['device_time'],
          description:
            'The boolean field that says that the moment is one time of day by many clocks: shown as it is in `Etc/GMT-14`, where a day begins first.',
        },
        until: {
          enum: COLORS,
          description:
            "In a list and beside a title, shown as a tag of this color with the field's label, as long as the moment is still to come; nothing afterwards.",
        },
        countdown: {
          type: 'boolean',
          description:
            'Shown as the time that is left, which ticks, and as the time since when it has passed: for the end of a deadline. In orange within the last hour, in red afterwards.',
        },
        color_when: {
          $ref: '#/$defs/filter',
          description:
            'Counts down only while the record matches this, and shows the moment otherwise: the clock of a ticket that is closed stands still. It may not ask for `$user`.',
        },
        paused_when: pausedWhen(
          'a `countdown` is shown as paused, with the moment on hover in a list and beside it elsewhere',
        ),
        or_earlier: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          uniqueItems: true,
          examples: [['first_response_due_at']],
          description:
            'Other countdowns of the record. A list shows the earliest of those that count down, with its label where it is another one.',
        },
        default: { type: 'string' },
      },
    },
    column: () => ({ type: 'timestamptz' }),
    isIndexed: true,
    describes: { types: ['timestamptz'], options: () => ({ filter: true }) },
    argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
  },
}
