import type { FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'computed'> = {
  argument:
    'The database computes it: write its generated column in a migration, then the field in the definition.',
}
