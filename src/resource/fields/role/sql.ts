import type { FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'role'> = {
  isIndexed: true,
  argument:
    'a role is kept in step with policies/ by a foreign key to app.role: write the column in a migration, then add the field to the definition',
}
