import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'code'> = {
  column: () => ({ type: 'text', implied: { maxLength: 200_000 } }),
  search: 'words',
  argument: (options, start) => ({ ...(options ? { language: options } : {}), ...textDefault(start) }),
}
