import { kindOf } from '@/resource/fields/kinds'
import type { Field } from '@/resource/language/definition.generated'
import type { CatalogColumn, CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'
import { columnOf, hasOwnColumn } from './migration/columns'
import { columnDifferences, type Difference } from './migration/compare'

/** Columns that have no operator for a part of their text. */
export const NOT_SEARCHED = new Set(['uuid', 'inet', 'macaddr'])

function remedy(
  { definition, migrate }: DatabaseInspection,
  { part, option, isLooser }: Difference,
  field: Field,
  isGenerated: boolean,
): string {
  const types = kindOf(field.type).columns.map((type) => `\`${type}\``)
  if (part === 'type' && option === 'type')
    return `${migrate} \`${field.type}\` needs a column of type ${types.join(', ')}.`
  if (!isLooser || isGenerated) return migrate
  const keep = part === 'required' ? 'Give it `"required": true`' : `Say the same \`${option}\` here`
  return `${keep}, or \`npm run resource migrate ${definition.name} -- --drop\` takes it away.`
}

/** Type, emptiness, default and rules of a field against its column. */
export function inspectColumn(
  inspection: DatabaseInspection,
  table: CatalogTable,
  column: CatalogColumn,
  field: Field,
): void {
  const { name } = column
  const pointer = `/fields/${name}`
  const { filter } = kindOf(field.type)
  if (field.filter !== false && filter === 'contains' && NOT_SEARCHED.has(column.type))
    inspection.add(
      pointer,
      `a list cannot filter \`${name}\` by a part of its text: its column is \`${column.sqlType}\``,
      'Give it `"filter": false`.',
    )
  if (field.filter !== false && filter === 'words' && column.type === 'jsonb')
    inspection.add(
      pointer,
      `a list cannot filter \`${name}\` by its tags: its column is \`jsonb\``,
      'Make it `text[]`, or give it `"filter": false`.',
    )
  if (!hasOwnColumn(field)) return
  const isGenerated = inspection.context.isGenerated(table.name)
  const isWritten =
    !field.readonly && inspection.definition.form !== false && !table.isView && !column.isGenerated
  for (const difference of columnDifferences(
    columnOf(name, field),
    field,
    { table, column, isGenerated },
    isWritten,
  )) {
    const { option, message } = difference
    const place = option && Reflect.has(field, option) ? `${pointer}/${option}` : pointer
    // A table written by hand may take spaces; forms and imports refuse them.
    const isWarning = !isGenerated && difference.part === 'rules' && option === 'required'
    inspection.problems.push({
      pointer: place,
      message,
      hint: remedy(inspection, difference, field, isGenerated),
      ...(isWarning ? { isWarning } : {}),
    })
  }
}
