import { kindOf } from '@/resource/fields/kinds'
import { listOf, routeOf, tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'
import { suggestion } from './suggestion'

/** A foreign key that a field names, to say which of two is meant. */
function inspectConstraints(inspection: DatabaseInspection, table: CatalogTable): void {
  const keys = table.keys.map(({ name }) => name)
  for (const [name, field] of Object.entries(inspection.definition.fields)) {
    const constraint: unknown = Reflect.get(field, 'constraint')
    if (
      typeof constraint !== 'string' ||
      table.isView ||
      kindOf(field.type).detached ||
      keys.includes(constraint)
    )
      continue
    inspection.add(
      `/fields/${name}/constraint`,
      `the table \`${table.name}\` has no foreign key \`${constraint}\``,
      suggestion(constraint, keys).hint ?? 'Leave it out where the table has one key to the resource.',
    )
  }
}

/** The page that a view's rows open reads the record by the view's `id`. */
function inspectOpens(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition, context } = inspection
  const opens = listOf(definition)?.opens
  const opened = opens === undefined ? null : context.find(opens.replaceAll('-', '_'))
  if (!table.isView || !opened || routeOf(opened) !== opens) return
  if ([table.name, table.idOf].includes(tableOf(opened))) return
  const origin = table.idOf ? `that of \`${table.idOf}\`` : 'computed'
  inspection.add(
    '/list/opens',
    `the \`id\` of \`${table.name}\` is ${origin}, so the page of \`${opened.name}\` would not find the record`,
    `Select the \`id\` of \`${tableOf(opened)}\` as it is in the view.`,
  )
}

/** Checks the settings of a whole table: the tenant of its rows, concurrent edits, and announcements. */
export function inspectSettings(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition } = inspection
  const column = (name: string) => table.columns.find((each) => each.name === name)
  if (definition.tenant !== false && !column('company_id'))
    inspection.add(
      '/tenant',
      `the table \`${table.name}\` has no \`company_id\``,
      'Say `"tenant": false` for a table that belongs to the platform.',
    )
  if (definition.tenant === false && !table.isView && column('company_id')?.isRequired)
    inspection.add(
      '/tenant',
      `each row of \`${table.name}\` belongs to a company: without \`company_id\` nothing could be created`,
      'Remove `"tenant": false`.',
    )
  if (definition.lock !== false && definition.form !== false && !column('version'))
    inspection.add(
      '/lock',
      `the table \`${table.name}\` has no \`version\` to lock by`,
      'Say `"lock": false`, or give the table the column and `app.keep_tenant`.',
    )
  const lists = Array.isArray(definition.live) ? definition.live : []
  for (const [index, name] of lists.entries()) {
    const source = inspection.table(`/live/${index}`, name)
    // Their messages are taken to name rows of this table.
    if (source && !table.isView && name !== table.name)
      inspection.add(
        `/live/${index}`,
        `\`live\` names the tables that a view reads, and \`${table.name}\` is a table`,
        'Remove it: a table announces its own changes, and those of the tables its fields are `from` are followed.',
      )
    if (source?.isView)
      inspection.add(
        `/live/${index}`,
        `\`${name}\` is a view, which announces nothing`,
        'Name the tables that it reads.',
      )
  }
  inspectOpens(inspection, table)
  inspectConstraints(inspection, table)
}
