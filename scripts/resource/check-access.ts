import { kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { canCreate, canDelete, canEdit, formOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'

/** A field whose value the form sends to a column of the table. */
const isSent = ({ readonly, from, type }: Field): boolean =>
  !readonly && !from && !kindOf(type).derived && !kindOf(type).detached

/** A form of its own may call functions in place of writing the table. */
const hasOwnForm = (definition: Definition): boolean => formOf(definition)?.component !== undefined

function inspectWrites(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition } = inspection
  for (const column of table.columns) {
    const { name } = column
    const field = ownField(definition, name)
    if (!field || column.isGenerated || name === 'company_id' || !isSent(field)) continue
    const lacking = [
      ...(canCreate(definition) && !column.canInsert ? ['insert'] : []),
      ...(canEdit(definition) && !field.once && !column.canUpdate ? ['update'] : []),
    ]
    if (lacking.length > 0)
      inspection.add(
        `/fields/${name}`,
        `the form writes \`${name}\`, and users have no grant to ${lacking.join(' or ')} it`,
        `Write \`grant ${lacking.map((each) => `${each} (${name})`).join(', ')} on public.${table.name} to authenticated;\` in a migration, or give the field \`"readonly": true\`.`,
      )
  }
}

/** A required column without a value refuses every new row, unless a trigger fills it. */
function inspectFilled(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition, context } = inspection
  if (!canCreate(definition)) return
  const sources = Object.values(context.catalog.triggerSources).join('\n')
  for (const { name, isRequired, expression, isGenerated } of table.columns) {
    const field = ownField(definition, name)
    const isFilled =
      isGenerated || expression !== null || name === 'company_id' || (field !== undefined && isSent(field))
    if (!isRequired || isFilled || new RegExp(`\\bnew\\.${name}\\b`, 'i').test(sources)) continue
    inspection.add(
      field ? `/fields/${name}` : '/name',
      `the table \`${table.name}\` requires \`${name}\`, which no form fills in: nothing could be created`,
      'Add a field for it, or give the column a default in a migration.',
    )
  }
}

/** The form asks for a permission to change a field; the API asks for it only where the database does. */
function inspectGuards(inspection: DatabaseInspection, table: CatalogTable): void {
  const sources = [
    ...Object.values(inspection.context.catalog.triggerSources),
    ...table.policies
      .filter(({ command }) => command !== 'select' && command !== 'delete')
      .map(({ text }) => text),
  ].join('\n')
  for (const [name, { guard }] of Object.entries(inspection.definition.fields)) {
    const column = table.columns.find((each) => each.name === name)
    if (!guard?.write || !(column?.canInsert || column?.canUpdate)) continue
    const { object, verb } = guard.write
    // A guard of rows asks with the row rules of the verb.
    if (new RegExp(`'${object}'[^)]*'${verb}'|${object}_covers\\([^)]*'${verb}'`).test(sources)) continue
    inspection.add(
      `/fields/${name}/guard`,
      `no trigger of the database asks for \`${object}\` \`${verb}\`: the API takes \`${name}\` from everybody who may edit`,
      inspection.context.isGenerated(table.name)
        ? inspection.migrate
        : `Write a trigger that calls \`app.require('${object}', '${verb}')\` when \`${name}\` changes, in a migration.`,
    )
  }
}

/** Policies are added up: one of `true` opens every row, whatever the others ask. */
function inspectOpenPolicies(inspection: DatabaseInspection, table: CatalogTable): void {
  const isTenant = table.columns.some(({ name, isRequired }) => name === 'company_id' && isRequired)
  for (const { name, command, text } of isTenant ? table.policies : [])
    if (/^true( true)?$/.test(text))
      inspection.add(
        '/name',
        `the policy \`${name}\` lets everybody ${command === 'all' ? 'read and write' : command} the rows of every company`,
        `Write \`drop policy ${name} on public.${table.name};\` in a migration.`,
      )
}

/** Compares the grants of signed-in users on the table with the operations that the screens offer. */
export function inspectAccess(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition } = inspection
  const place = definition.table ? '/table' : '/name'
  if (!table.canSelect)
    inspection.add(
      place,
      `users have no grant to read \`${table.name}\``,
      `Write \`grant select on public.${table.name} to authenticated;\` in a migration.`,
    )
  inspectOpenPolicies(inspection, table)
  if (!table.isView) inspectGuards(inspection, table)
  if (table.isView && definition.form !== false && !hasOwnForm(definition)) {
    if (!table.columns.some(({ canInsert, canUpdate }) => canInsert || canUpdate))
      inspection.add(place, `\`${table.name}\` is a view, which no form can write`, 'Say `"form": false`.')
    return
  }
  if (canDelete(definition) && !table.canDelete)
    inspection.add(
      place,
      `records can be deleted, and users have no grant to delete rows of \`${table.name}\``,
      `Say \`"delete": false\`, or write \`grant delete on public.${table.name} to authenticated;\` in a migration.`,
    )
  if (table.isView || hasOwnForm(definition)) return
  inspectWrites(inspection, table)
  inspectFilled(inspection, table)
}
