import type { FieldSql } from '@/resource/fields/field-sql'

export const sql: FieldSql<'relation'> = {
  column: () => ({ type: 'uuid' }),
  isIndexed: true,
  argument: 'Name the resource it points at instead, such as `device_id:devices`.',
  ofResource: { isMany: false, options: (to) => ({ to, filter: true }) },
}
