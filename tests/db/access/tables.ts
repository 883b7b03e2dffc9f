import type { Values } from '../support/as-user'
import type { Company, TableAccess, TableName } from './access'
import { desk } from './desk'
import { devices } from './devices'
import { monitoring } from './monitoring'
import { own } from './own'
import { packages } from './packages'
import { people } from './people'
import { scripts } from './scripts'

/** The product's tables, in an order in which each row can be made: each table follows those that it refers to. */
export const TABLES: Partial<Record<TableName, TableAccess>> = {
  ...people,
  ...devices,
  ...scripts,
  ...monitoring,
  ...packages,
  ...desk,
  ...own,
}

export const keyOf = (table: TableName, company: Company): Values => {
  const row = company.rows[table] ?? {}
  return TABLES[table]?.key?.(row) ?? { id: row.id }
}
