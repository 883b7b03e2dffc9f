import { ArgumentProblem, type FieldSql, numberDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'money'> = {
  column: () => ({ type: 'numeric(14, 2)' }),
  argument: (options, start) => {
    if (options && !/^[A-Z]{3}$/.test(options))
      throw new ArgumentProblem(`\`(${options})\` is no currency`, 'Write cost:money(TRY).')
    return { currency: options ?? 'TRY', min: 0, ...numberDefault(start) }
  },
}
