import { ArgumentProblem, type ScriptFamily, textDefault } from '@/resource/fields/script-interface'

export const scripts: ScriptFamily<'relation' | 'user' | 'many-to-many'> = {
  relation: {
    options: {
      description:
        'A record of another resource. A role that may not `list` that resource reads “Not visible to you”.',
      required: ['to'],
      properties: {
        to: { type: 'string', description: 'The resource it points at.' },
        where: { $ref: '#/$defs/filter', description: 'Which records may be chosen.' },
        color: {
          type: 'string',
          description:
            'Shows the record with the color that this field of kind color holds there: a status of a company.',
        },
        constraint: { type: 'string', description: 'The foreign key, when its name is not the usual one.' },
        on_delete: {
          enum: ['restrict', 'set_null', 'cascade'],
          description:
            'What happens to this record when the one it points at is deleted: the other cannot be deleted, the field is emptied, or this record is deleted with it. Default: `restrict` for a required field, otherwise `set_null`.',
        },
        default: { type: 'string' },
      },
    },
    column: () => ({ type: 'uuid' }),
    isIndexed: true,
    argument: 'Name the resource it points at instead, such as `device_id:devices`.',
    ofResource: { isMany: false, options: (to) => ({ to, filter: true }) },
  },
  user: {
    options: {
      description:
        'A person with an account. A role sees whom it names with the permission line `people, list`.',
      properties: { constraint: { type: 'string' }, default: { type: 'string' } },
    },
    column: () => ({ type: 'uuid' }),
    isIndexed: true,
    describes: { types: ['uuid'], target: 'profiles' },
    argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
  },
  'many-to-many': {
    options: {
      description: 'Records of another resource, joined through a table between the two.',
      required: ['to', 'through', 'near', 'far'],
      properties: {
        to: { type: 'string', description: 'The resource at the other end.' },
        through: { type: 'string', description: 'The table between.' },
        near: { type: 'string', description: 'Its column that points here.' },
        far: { type: 'string', description: 'Its column that points at the other end.' },
        where: { $ref: '#/$defs/filter', description: 'Which records may be chosen.' },
      },
    },
    argument: 'Name the resource it points at with brackets instead, such as `groups:groups[]`.',
    ofResource: {
      isMany: true,
      options: (to, { name, resource, singular }) => {
        if (to === resource)
          throw new ArgumentProblem(
            'a resource cannot be joined with itself by an argument',
            'Write its table in a migration of your own.',
          )
        return {
          to,
          through: `${singular}_${name}`,
          near: `${singular}_id`,
          far: `${to.replace(/ies$/, 'y').replace(/s$/, '')}_id`,
          filter: true,
        }
      },
    },
  },
}
