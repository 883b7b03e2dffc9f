import type { Definition } from '@/resource/language/definition.generated'
import type { CatalogColumn, CatalogTable } from '../../../supabase/embedded/catalog'
import { isCrossCheck } from './compare'
import { plain } from './expressions'
import { type ConstraintPlan, GIVEN, type TablePlan } from './plan'
import { breaksRules, type Probe } from './probes'
import { TRASH_NAMES } from './trash'

interface Facts {
  plan: TablePlan
  table: CatalogTable
  isGenerated: boolean
}

/** Whether an expression of the database reads the column. */
export const reads = (expression: string | null, column: string): boolean =>
  new RegExp(`\\b${column}\\b`).test((expression ?? '').replace(/'(?:[^']|'')*'/g, ''))

/** Cross-field checks that the database lacks, and those of ours that no field asks for any more. */
export function constraintDifferences({ plan, table, isGenerated }: Facts): {
  missing: ConstraintPlan[]
  stale: string[]
} {
  const present = new Set(table.checks.map(({ definition }) => plain(definition)))
  // Columns that are about to be added count too: no check of the table can hold them yet.
  const names = [...new Set([...table.columns, ...plan.columns].map(({ name }) => name))]
  const mentioned = (expression: string) => names.filter((name) => reads(expression, name))
  const isOurs = (name: string) => name.startsWith(`${plan.table}_`) && isCrossCheck(name)
  const stale = table.checks.filter(
    ({ name, definition }) =>
      plan.constraints.some((each) => each.name === name && plain(each.expression) !== plain(definition)) ||
      (isOurs(name) &&
        !plan.constraints.some((each) => each.name === name || plain(each.expression) === plain(definition))),
  )
  // A table written by hand may hold the same columns to the same in words of its own.
  const isHeld = (expression: string) =>
    !isGenerated &&
    table.checks.some(
      ({ name, columns }) => !isOurs(name) && mentioned(expression).every((each) => columns.includes(each)),
    )
  return {
    missing: plan.constraints.filter(
      ({ expression }) => !present.has(plain(expression)) && !isHeld(expression),
    ),
    stale: stale.map(({ name }) => name),
  }
}

export function constraintChanges(
  compared: Facts,
  retyped: readonly string[],
): { statements: string[]; probes: Probe[] } {
  const { plan, table } = compared
  const on = `alter table public.${plan.table}`
  const { missing, stale } = constraintDifferences(compared)
  const touched = (name: string) =>
    table.checks.some((check) => check.name === name && check.columns.some((each) => retyped.includes(each)))
  const again = plan.constraints.filter(({ name }) => touched(name) && !stale.includes(name))
  const added = [...missing, ...again]
  return {
    statements: [
      ...stale.filter((name) => !touched(name)).map((name) => `${on} drop constraint ${name};`),
      ...added.map(({ name, expression }) => `${on} add constraint ${name} check (${expression});`),
    ],
    probes: added.map(({ column, expression }) => breaksRules(plan.table, column, expression)),
  }
}

/** Columns that the API takes although no form writes them. */
export function openColumns(plan: TablePlan, table: CatalogTable): { insert: string[]; update: string[] } {
  const open = (key: 'canInsert' | 'canUpdate', written: readonly string[]) =>
    plan.columns
      .map(({ name }) => name)
      .filter(
        (name) =>
          !written.includes(name) && table.columns.some((column) => column.name === name && column[key]),
      )
  return { insert: open('canInsert', plan.insertable), update: open('canUpdate', plan.updatable) }
}

/** Columns that the definition does not name. */
export function goneColumns({
  definition,
  plan,
  table,
}: {
  definition: Definition
  plan: Pick<TablePlan, 'derived' | 'trash'>
  table: Pick<CatalogTable, 'columns'>
}): CatalogColumn[] {
  const sorted = Object.values(definition.fields).flatMap(({ sort }) =>
    typeof sort === 'string' ? [sort] : [],
  )
  const kept = new Set([
    ...GIVEN,
    ...sorted,
    ...Object.keys(definition.fields),
    ...plan.derived.map(({ name }) => name),
    ...(plan.trash ? TRASH_NAMES : []),
    'search',
    'name_key',
  ])
  return table.columns.filter(({ name }) => !kept.has(name))
}
