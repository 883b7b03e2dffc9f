import { ArgumentProblem, type FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'boolean'> = {
  column: () => ({ type: 'boolean', empty: 'false' }),
  describes: { types: ['bool'], options: () => ({ filter: true }) },
  argument: (_options, start) => {
    if (start !== undefined && start !== 'true' && start !== 'false')
      throw new ArgumentProblem(`the default \`${start}\` is neither true nor false`)
    return { filter: true, ...(start === undefined ? {} : { default: start === 'true' }) }
  },
}
