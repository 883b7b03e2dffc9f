import type { Field } from '@/resource/language/definition.generated'
import type { CatalogColumn } from '../../../supabase/embedded/catalog'
import type { Compared } from './alter'
import { type Cast, castOf } from './casts'
import { type ColumnPlan, columnOf } from './columns'
import { columnDifferences, ownChecks } from './compare'
import { checkClause } from './create'
import { plain } from './expressions'
import { breaksRules, type Probe } from './probes'
import { rulesFromChecks } from './rules'
import { named } from './sql'

export interface Refusal {
  message: string
  hint: string
}

export interface Drop {
  column: string
  /** The column itself, with its values. */
  isColumn?: true
  what: string
  sql: string
}

export interface ColumnChanges {
  statements: string[]
  drops: Drop[]
  probes: Probe[]
  refusals: Refusal[]
  /** The column gets another type: whatever reads it is dropped before and written again. */
  isRetyped: boolean
}

function checkChanges({ plan, table, isGenerated }: Compared, column: ColumnPlan): string[] {
  const name = named(plan.table, column.name, 'check')
  const stale = ownChecks(table, column.name).filter(
    (check) =>
      (isGenerated &&
        (check.name === name || plain(check.definition) === plain(column.checks.join(' and ')))) ||
      Object.keys(rulesFromChecks(column.name, [check.definition])).length > 0,
  )
  const on = `alter table public.${plan.table}`
  return [
    ...stale.map((check) => `${on} drop constraint ${check.name};`),
    ...(column.checks.length > 0 ? [`${on} add constraint ${name}${checkClause(column)};`] : []),
  ]
}

/** The rules of the new type, asked of what the values become. */
function rulesOnceCast(table: string, column: string, field: Field, { using, breaks }: Cast): Probe[] {
  const rules = columnOf(`(${using})`, field).checks.join(' and ')
  if (rules === '') return []
  // Only a case keeps the conversion from the rows that do not survive it.
  return [breaksRules(table, column, breaks ? `case when ${breaks} then true else ${rules} end` : rules)]
}

function retype(
  { plan, table }: Compared,
  column: ColumnPlan,
  found: CatalogColumn,
  field: Field,
): Pick<ColumnChanges, 'statements' | 'probes' | 'refusals'> {
  const cast = castOf(column.name, found.type, column.type)
  if (!cast)
    return {
      statements: [],
      probes: [],
      refusals: [
        {
          message: `\`${column.name}\` is \`${found.sqlType}\` in the database and would become \`${column.type}\`: no conversion of its values is safe`,
          hint: 'Add a field of another name, fill it in a migration of your own, then remove this one with --drop.',
        },
      ],
    }
  const on = `alter table public.${plan.table}`
  const touching = table.checks.filter(({ columns }) => columns.includes(column.name))
  const keys = table.keys.filter(({ columns }) => columns.includes(column.name))
  return {
    statements: [
      ...[...touching, ...keys].map(({ name }) => `${on} drop constraint ${name};`),
      ...(found.expression === null ? [] : [`${on} alter column ${column.name} drop default;`]),
      `${on} alter column ${column.name} type ${column.type} using ${cast.using};`,
      ...(column.defaultTo === null
        ? []
        : [`${on} alter column ${column.name} set default ${column.defaultTo};`]),
      ...(column.checks.length === 0
        ? []
        : [`${on} add constraint ${named(plan.table, column.name, 'check')}${checkClause(column)};`]),
    ],
    probes: [
      ...(cast.breaks
        ? [
            {
              table: plan.table,
              where: cast.breaks,
              problem: `have a \`${column.name}\` that is no \`${column.type}\``,
              remedy: 'Correct them',
            },
          ]
        : []),
      ...rulesOnceCast(plan.table, column.name, field, cast),
    ],
    refusals: [],
  }
}

/** Plans the statements that turn an existing column into the column that the field asks for. */
export function columnChanges(
  compared: Compared,
  column: ColumnPlan,
  found: CatalogColumn,
  field: Field,
): ColumnChanges {
  const { definition, plan, table, isGenerated } = compared
  const on = `alter table public.${plan.table} alter column ${column.name}`
  const isWritten = !field.readonly && definition.form !== false
  const differences = columnDifferences(column, field, { table, column: found, isGenerated }, isWritten)
  const of = (part: string) => differences.filter((each) => each.part === part)
  const isRetyped = of('type').length > 0
  const changes: ColumnChanges = { statements: [], drops: [], probes: [], refusals: [], isRetyped }
  const { statements, drops, probes } = changes
  if (isRetyped) {
    const retyped = retype(compared, column, found, field)
    statements.push(...retyped.statements)
    probes.push(...retyped.probes)
    changes.refusals = retyped.refusals
  }
  // Dropping a rule that is no longer asked for loses no data in a table of ours; in another it may be on purpose.
  const loosen = (what: string, sql: string[]) => {
    if (isGenerated) statements.push(...sql)
    else drops.push({ column: column.name, what, sql: sql.join('\n') })
  }
  for (const { isLooser } of isRetyped ? [] : of('default'))
    if (isLooser) loosen(`the default of \`${column.name}\``, [`${on} drop default;`])
    else statements.push(`${on} set default ${column.defaultTo};`)
  for (const { isLooser } of of('required')) {
    if (isLooser) loosen(`that \`${column.name}\` is never empty`, [`${on} drop not null;`])
    else {
      if (column.defaultTo === null)
        probes.push({
          table: plan.table,
          where: `${column.name} is null`,
          problem: `have no \`${column.name}\`, which is required now`,
          remedy: `Fill them, or give the field a \`default\``,
        })
      else
        statements.push(
          `update public.${plan.table} set ${column.name} = ${column.defaultTo} where ${column.name} is null;`,
        )
      statements.push(`${on} set not null;`)
    }
  }
  const rules = isRetyped ? [] : of('rules')
  if (rules.length > 0) {
    const changed = checkChanges(compared, column)
    if (rules.every(({ isLooser }) => isLooser)) loosen(`the limits of \`${column.name}\``, changed)
    else statements.push(...changed)
    if (column.checks.length > 0)
      probes.push(breaksRules(plan.table, column.name, column.checks.join(' and ')))
  }
  return changes
}
