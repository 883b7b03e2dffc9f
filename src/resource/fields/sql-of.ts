import type { FieldSql } from '@/resource/fields/field-sql'
import type { FieldType } from '@/resource/fields/kind'
import { FIELD_SQL } from '@/resource/fields/sql.generated'

const known = new Map(Object.entries(FIELD_SQL) as [FieldType, FieldSql][])

/** The column of a kind and its argument of `resource new`, for scripts. */
export function sqlOf(type: FieldType): FieldSql {
  const sql = known.get(type)
  if (!sql) throw new Error(`No field kind "${type}"`)
  return sql
}

export function sqlKinds(): readonly (readonly [FieldType, FieldSql])[] {
  return [...known]
}
