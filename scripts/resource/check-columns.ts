import type { Field } from '@/resource/definition/definition.generated'
import type { Rules } from '@/resource/fields/field-sql'
import { kindOf } from '@/resource/fields/kinds'
import type { CatalogColumn, CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './check-database'
import { differingRules } from './migration/compare'
import { rulesFromChecks, rulesOf } from './migration/rules'

const OPTION: Record<keyof Rules, string> = {
  minLength: 'required',
  maxLength: 'max_length',
  values: 'values',
  min: 'min',
  max: 'max',
  pattern: 'pattern',
}

/** What the column's own type holds a number to. */
const LARGEST: Record<string, number> = { int2: 32_767, int4: 2_147_483_647 }

/** Columns that have no operator for a part of their text. */
const NOT_SEARCHED = new Set(['uuid', 'inet', 'macaddr'])

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map((each) => `\`${String(each)}\``).join(', ') : `\`${String(value)}\``

function ruleMessage(name: string, key: keyof Rules, wanted: Rules, found: Rules): string {
  if (key === 'minLength') return `the database takes a blank \`${name}\`, which the form requires`
  if (found[key] === undefined)
    return `no constraint of the database holds \`${name}\` to its ${OPTION[key]}: ${shown(wanted[key])}`
  if (wanted[key] === undefined)
    return `the database holds \`${name}\` to ${OPTION[key]} ${shown(found[key])}, the definition to none`
  return `\`${name}\` has ${OPTION[key]} ${shown(wanted[key])} here and ${shown(found[key])} in the database`
}

/** Type, emptiness and rules of a field against its column. */
export function inspectColumn(
  inspection: DatabaseInspection,
  table: CatalogTable,
  column: CatalogColumn,
  field: Field,
): void {
  const { name } = column
  const pointer = `/fields/${name}`
  const { columns: allowed, filter } = kindOf(field.type)
  // A computed value may be of any type.
  if (allowed.length > 0 && !allowed.includes(column.type))
    inspection.add(
      `${pointer}/type`,
      `\`${name}\` is \`${field.type}\`, but its column is \`${column.sqlType}\``,
      `\`${field.type}\` needs a column of type ${allowed.map((type) => `\`${type}\``).join(', ')}.`,
    )
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
  const { definition } = inspection
  // What nobody writes here is held to rules where it is written.
  if (field.readonly || definition.form === false || table.isView || column.isGenerated) return
  if (field.required && !field.when && !column.isRequired)
    inspection.add(
      `${pointer}/required`,
      `\`${name}\` is required here, but its column takes null`,
      inspection.migrate,
    )
  if (!field.required && column.isRequired && column.expression === null && !field.when)
    inspection.add(
      pointer,
      `\`${name}\` may be left empty here, but its column takes no null`,
      'Give it `"required": true`.',
    )
  const checks = table.checks
    .filter(({ columns }) => columns.length === 1 && columns[0] === name)
    .map((check) => check.definition)
  const [wanted, found] = [rulesOf(field), rulesFromChecks(name, checks)]
  for (const key of differingRules(name, field, table)) {
    if (key === 'max' && wanted.max === LARGEST[column.type]) continue
    const place = Reflect.get(field, OPTION[key]) === undefined ? pointer : `${pointer}/${OPTION[key]}`
    const hint =
      wanted[key] === undefined
        ? `Say \`"${OPTION[key]}": ${JSON.stringify(found[key])}\`.`
        : inspection.migrate
    inspection.add(place, ruleMessage(name, key, wanted, found), hint)
  }
}
