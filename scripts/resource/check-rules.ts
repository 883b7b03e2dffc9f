import { kindOf } from '@/resource/fields/kinds'
import { sqlKinds } from '@/resource/fields/scripts'
import type { Definition } from '@/resource/language/definition.generated'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'
import { constraintDifferences, openColumns } from './migration/alter-table'
import { boundDifferences } from './migration/bounds'
import { isCrossCheck } from './migration/compare'
import { overlapDifferences } from './migration/no-overlap'
import { planTable, type TablePlan } from './migration/plan'
import { uniqueDifferences } from './migration/unique'

/** A computed field that people write is not computed. */
function inspectComputed(inspection: DatabaseInspection, table: CatalogTable, definition: Definition): void {
  for (const [name, field] of Object.entries(definition.fields)) {
    const column = table.columns.find((each) => each.name === name)
    if (!kindOf(field.type).derived || field.from || !column || column.isGenerated) continue
    // A type that no field edits can only be shown.
    const isEdited = sqlKinds().some(([, { describes }]) => describes?.types.includes(column.type))
    if (isEdited && (column.canInsert || column.canUpdate))
      inspection.add(
        `/fields/${name}/type`,
        `\`${name}\` is \`${field.type}\`, but the API takes any value for it`,
        `Make the column \`generated always as (…) stored\`, or write \`revoke insert (${name}), update (${name}) on public.${table.name} from authenticated;\` and a trigger that fills it, in a migration.`,
      )
  }
}

/** Comparisons with fields of related records, which triggers hold. */
function inspectBounds(inspection: DatabaseInspection, table: CatalogTable, plan: TablePlan): void {
  const { catalog } = inspection.context
  for (const { column, operator, reference, other } of plan.bounds) {
    const target = catalog.tables.find(({ name }) => name === reference.table)
    const pointer = `/fields/${column}/check/${operator}`
    if (target?.isView)
      inspection.add(
        pointer,
        `\`${target.name}\` is a view: no trigger can hold a rule against its rows`,
        'Compare with a field of a record that has a table.',
      )
    else if (target && !target.columns.some(({ name }) => name === other))
      inspection.add(
        pointer,
        `the table \`${target.name}\` has no column \`${other}\``,
        `\`npm run resource migrate ${target.name}\` writes it.`,
      )
  }
  const { missing, stale } = boundDifferences(plan, catalog.triggerSources)
  const isThere = (name: string) => table.columns.some((each) => each.name === name)
  if (missing.length > 0)
    for (const column of new Set(plan.bounds.map((bound) => bound.column)))
      if (isThere(column))
        inspection.add(
          `/fields/${column}/check`,
          `no trigger of the database holds the check of \`${column}\` against the related record`,
          inspection.migrate,
        )
  for (const name of stale)
    inspection.add(
      '/fields',
      `the database holds rows to \`app.${name}\`, which no field asks for`,
      inspection.migrate,
    )
}

/** Checks the rules of a definition that concern several columns, or the roles that write them. */
export function inspectRules(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition, context, migrate } = inspection
  if (table.isView) return
  inspectComputed(inspection, table, definition)
  if (definition.form === false) return
  const isGenerated = context.isGenerated(table.name)
  const plan = planTable(definition, context.find)
  const { missing, stale } = constraintDifferences({ plan, table, isGenerated })
  for (const { name, column } of missing) {
    if (definition.fields[column]?.readonly || !table.columns.some((each) => each.name === column)) continue
    const isCheck = name.endsWith('_check01')
    inspection.add(
      `/fields/${column}/${isCheck ? 'check' : 'when'}`,
      isCheck
        ? `no constraint of the database holds the check of \`${column}\``
        : `no constraint of the database requires \`${column}\` when it is shown`,
      migrate,
    )
  }
  const planned = new Set(plan.constraints.map(({ name }) => name))
  for (const name of stale.filter((each) => isCrossCheck(each) && !planned.has(each)))
    inspection.add('/fields', `the database holds rows to \`${name}\`, which no field asks for`, migrate)
  inspectBounds(inspection, table, plan)
  const uniques = uniqueDifferences(plan.uniques, table, isGenerated)
  for (const { fields } of uniques.missing)
    inspection.add(
      fields.length === 1 ? `/fields/${fields[0]}/unique` : '/unique',
      `no unique index of the database keeps two records from having the same ${fields.map((each) => `\`${each}\``).join(' and ')}`,
      migrate,
    )
  for (const name of uniques.stale)
    inspection.add(
      '/fields',
      `the unique index \`${name}\` keeps values apart that the definition does not`,
      migrate,
    )
  const overlap = overlapDifferences(plan.overlap, table, isGenerated)
  if (overlap.missing)
    inspection.add(
      '/no_overlap',
      `no constraint of the database keeps records of the same ${plan.overlap?.by.map((each) => `\`${each}\``).join(' and ')} from overlapping`,
      `${migrate} It needs the extension \`btree_gist\`.`,
    )
  for (const name of overlap.stale)
    inspection.add(
      '/fields',
      `the constraint \`${name}\` keeps records apart that the definition does not`,
      migrate,
    )
  if (!isGenerated) return
  const open = openColumns(plan, table)
  for (const name of new Set([...open.insert, ...open.update]))
    inspection.add(
      `/fields/${name}`,
      open.insert.includes(name)
        ? `\`${name}\` is not written by the form, but the API takes it`
        : `\`${name}\` is set once here, but the API changes it`,
      migrate,
    )
}
