import { ArgumentProblem, type FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'many-to-many'> = {
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
}
