import type { FieldOf } from '@/resource/fields/kind-interface'
import {
  ArgumentProblem,
  COLORS,
  pausedWhen,
  type ScriptFamily,
  TEXT_TYPES,
} from '@/resource/fields/script-interface'
import { didYouMean } from '@/resource/language/did-you-mean'

const GIVEN_COLORS = ['green', 'orange', 'gray', 'blue', 'red', 'purple', 'cyan', 'gold', 'magenta'] as const

/** Each value with a color; the definition's author chooses better ones. */
function colored(values: readonly string[]): FieldOf<'enum'>['values'] {
  return Object.fromEntries(
    values.map((value, index) => [value, GIVEN_COLORS[index % GIVEN_COLORS.length] ?? 'default']),
  )
}

export const scripts: ScriptFamily<'enum' | 'role'> = {
  enum: {
    options: {
      description: 'One of a fixed set of values.',
      required: ['values'],
      properties: {
        values: {
          type: 'object',
          minProperties: 1,
          additionalProperties: { enum: COLORS },
          description: 'The values with their color, in order.',
        },
        default: { type: 'string' },
        languages: {
          type: 'boolean',
          description:
            'Whether the values are languages, such as `en` and `tr`: the form of a new record begins with the one that its author uses the console in.',
        },
        state: {
          type: 'boolean',
          description: 'Whether it is a live state, such as online: a dot is shown before the word.',
        },
        paused_when: pausedWhen('the value is followed by the word paused'),
        needs: {
          type: 'object',
          additionalProperties: { $ref: '#/$defs/policy' },
          description:
            'Permissions that some values need: who lacks one is not offered the value. The database has to refuse it too.',
        },
        automatic: {
          type: 'array',
          minItems: 1,
          uniqueItems: true,
          items: { type: 'string' },
          description:
            'Values that only the database gives, such as `split_from`: they are shown and filtered by, and offered to nobody who chooses. The database has to refuse them too.',
        },
      },
    },
    column: () => ({ type: 'text' }),
    search: 'words',
    isIndexed: true,
    describes: {
      types: TEXT_TYPES,
      hasValues: true,
      options: ({ rules }) => ({ values: colored(rules.values ?? []), filter: true }),
    },
    argument: (options, start) => {
      const names = (options ?? '')
        .split(',')
        .map((value) => value.trim())
        .filter(Boolean)
      if (names.length === 0)
        throw new ArgumentProblem('an enum needs its values', 'Write status:enum(active,retired).')
      const repeated = names.find((value, index) => names.indexOf(value) !== index)
      if (repeated) throw new ArgumentProblem(`the value \`${repeated}\` is listed twice`)
      if (start !== undefined && !names.includes(start)) {
        const near = didYouMean(start, names)
        throw new ArgumentProblem(
          `the default \`${start}\` is not among the values`,
          near ? `Did you mean \`${near}\`?` : undefined,
        )
      }
      return { values: colored(names), ...(start === undefined ? {} : { default: start }), filter: true }
    },
  },
  role: {
    options: {
      description:
        'A role of `policies/`. Users choose only roles whose permissions their own role has all; the function or trigger that stores it has to refuse the others, as it does for `user_roles`.',
      properties: {
        default: { type: 'string' },
        grants: {
          type: 'boolean',
          default: true,
          description:
            'Whether somebody gets the permissions of the role by it. A field with `false` only names a role, such as who is asked: every role whose people belong to a company is offered.',
        },
        may: {
          $ref: '#/$defs/policy',
          description:
            'A permission that the role must have on every record: roles without it are not offered. The database has to refuse them too.',
        },
      },
    },
    isIndexed: true,
    argument:
      'a role is kept in step with policies/ by a foreign key to app.role: write the column in a migration, then add the field to the definition',
  },
}
