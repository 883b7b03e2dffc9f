import type { FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'tags'> = {
  column: () => ({ type: 'text[]', checks: (column) => [`cardinality(${column}) <= 100`], empty: `'{}'` }),
  defaultText: (value) =>
    `{${[value]
      .flat()
      .map((item) => JSON.stringify(String(item)))
      .join(',')}}`,
  describes: { types: ['_text'] },
  argument: (_options, start) => (start === undefined ? {} : { default: start.split(',') }),
}
