import { kindOf } from '@/resource/fields/kinds'
import { sharesTarget, targetOf } from '@/resource/fields/related-field'
import { sqlOf } from '@/resource/fields/scripts'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { listOf, tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import { inspectAccess } from './check-access'
import { inspectAction } from './check-actions'
import { inspectColumn } from './check-columns'
import { inspectRules } from './check-rules'
import { inspectSettings } from './check-settings'
import { type DatabaseContext, DatabaseInspection } from './database-inspection'
import { hasOwnColumn } from './migration/columns'
import { deleteRuleOf, hasIndex } from './migration/compare'
import { givenRule } from './migration/plan'

/** The column that a list is sorted by must be read in order, or every page sorts the whole table. */
function inspectSort(inspection: DatabaseInspection, table: CatalogTable, name: string, field: Field): void {
  if (!field.sort || field.from || table.isView) return
  const pointer = `/fields/${name}/sort`
  const column = typeof field.sort === 'string' ? field.sort : name
  if (!inspection.column(pointer, table, column)) return
  const isTenant = inspection.definition.tenant !== false
  const wanted = isTenant ? ['company_id', column, 'id'] : [column, 'id']
  if (!hasIndex(table, wanted))
    inspection.add(
      pointer,
      `no index of \`${table.name}\` begins with (${wanted.join(', ')}), so sorting by \`${name}\` reads the whole table`,
      inspection.migrate,
    )
}

function inspectRelation(
  inspection: DatabaseInspection,
  table: CatalogTable,
  name: string,
  to: string,
): void {
  const pointer = `/fields/${name}/to`
  const target = inspection.context.find(to)
  const targetTable = target ? inspection.table(pointer, tableOf(target)) : null
  if (!targetTable || table.isView || targetTable.isView) return
  const keys = table.keys.filter(({ columns }) => columns.includes(name))
  const own = table.columns.find((column) => column.name === name)
  const id = targetTable.columns.find((column) => column.name === 'id')
  if (own && id && own.type !== id.type) {
    inspection.add(
      pointer,
      `\`${name}\` is \`${own.sqlType}\`, and the records of \`${to}\` have keys of type \`${id.sqlType}\``,
      'Choose another name for a new column, or another kind of field.',
    )
    return
  }
  const key = keys.find((each) => each.target === targetTable.name)
  if (!key) {
    const other = keys[0]
    inspection.add(
      pointer,
      other
        ? `\`${name}\` is a key to \`${other.target}\`, not to \`${targetTable.name}\``
        : `\`${name}\` has no foreign key to \`${targetTable.name}\``,
      inspection.migrate,
    )
    return
  }
  const isTenant = (each: CatalogTable) =>
    each.columns.some((column) => column.name === 'company_id' && column.isRequired)
  if (!table.columns.some((column) => column.name === 'company_id') && isTenant(targetTable))
    inspection.add(
      pointer,
      `rows of \`${table.name}\` belong to no company, and each of \`${targetTable.name}\` to one: other companies would see the reference`,
      'Remove the relation, or give the table a `company_id`.',
    )
  if (isTenant(table) && isTenant(targetTable) && !key.columns.includes('company_id'))
    inspection.add(
      pointer,
      `the foreign key of \`${name}\` is plain: it is checked past row-level security and may point into another company`,
      `Make it \`foreign key (company_id, ${name}) references public.${targetTable.name} (company_id, id)\`.`,
    )
  const keyName = `${table.name}_${name}_fkey`.slice(0, 63)
  const isComposite = key.columns.includes('company_id')
  const isNamed = keys.some((each) => each.name === keyName && each.columns[0] === name)
  if (isComposite && sharesTarget(inspection.definition, name, inspection.context.find) && !isNamed)
    inspection.add(
      pointer,
      `another field points to \`${to}\` too, so the key of \`${name}\` has to be named \`${keyName}\` and begin with \`${name}\``,
      inspection.migrate,
    )
  const given = givenRule(inspection.definition.fields[name])
  if (given && !keys.some((each) => deleteRuleOf(each) === given))
    inspection.add(
      `/fields/${name}/on_delete`,
      `in the database the key of \`${name}\` does something else when a record of \`${to}\` is deleted`,
      inspection.migrate,
    )
  const indexed = isComposite && key.columns[0] === name ? ['company_id', name] : key.columns
  if (!hasIndex(table, indexed) && !hasIndex(table, [name]))
    inspection.add(
      pointer,
      `no index of \`${table.name}\` begins with (${indexed.join(', ')})`,
      inspection.migrate,
    )
}

/** Neither PostgREST nor the embedded backend can be asked for a record through a view, unless a key behind it is named. */
function inspectViewRelation(
  inspection: DatabaseInspection,
  table: CatalogTable,
  name: string,
  field: Field,
): void {
  const { definition } = inspection
  if (!table.isView || field.from || targetOf(field) === null || ('constraint' in field && field.constraint))
    return
  if (!definition.view)
    inspection.add(
      `/fields/${name}`,
      `\`${table.name}\` is a view, which has no foreign key by which the record of \`${name}\` could be read`,
      'Write `"view": true` in the definition: such records are read by a request of their own.',
    )
}

function inspectMany(
  inspection: DatabaseInspection,
  name: string,
  field: Extract<Field, { type: 'many-to-many' }>,
): void {
  const pointer = `/fields/${name}`
  const between = inspection.table(`${pointer}/through`, field.through)
  if (!between) return
  const own = inspection.context.catalog.tables.find(({ name }) => name === tableOf(inspection.definition))
  if (own?.isView) {
    inspection.add(
      pointer,
      `\`${own.name}\` is a view, to which no key of \`${field.through}\` leads`,
      'Remove the field, and let the list open the record of the table: `"list": { "opens": "…" }`.',
    )
    return
  }
  inspection.column(`${pointer}/near`, between, field.near)
  inspection.column(`${pointer}/far`, between, field.far)
  inspectView(inspection, `${pointer}/through`, between)
  inspectRowSecurity(inspection, `${pointer}/through`, between)
  const target = inspection.context.find(field.to)
  const wanted = [
    ['near', tableOf(inspection.definition)],
    ['far', target && tableOf(target)],
  ] as const
  for (const [side, table] of wanted) {
    const targets = between.keys.filter(({ columns }) => columns.includes(field[side]))
    const isPlain = inspection.context.catalog.tables.some((each) => each.name === table && !each.isView)
    if (!isPlain || targets.length === 0 || targets.some((key) => key.target === table)) continue
    inspection.add(
      `${pointer}/${side}`,
      `the foreign key of \`${field[side]}\` leads to \`${targets[0]?.target}\`, and \`${side}\` has to lead to \`${table}\``,
      '`near` is the column that points to this resource, `far` the one that points to the other.',
    )
  }
}

function inspectField(inspection: DatabaseInspection, table: CatalogTable, name: string, field: Field): void {
  const pointer = `/fields/${name}`
  inspectSort(inspection, table, name, field)
  if (field.type === 'many-to-many') {
    inspectMany(inspection, name, field)
    return
  }
  if (field.from) {
    const source = inspection.table(`${pointer}/from/table`, field.from.table)
    if (source) {
      inspectView(inspection, `${pointer}/from/table`, source)
      inspection.column(`${pointer}/from/column`, source, field.from.column)
      const isTied = [...source.keys, ...table.keys].some(
        ({ target }) => target === table.name || target === source.name,
      )
      if (table.isView && !field.from.constraint)
        inspection.add(
          `${pointer}/from/table`,
          `\`${table.name}\` is a view, which no key ties to \`${source.name}\``,
          `Select \`${field.from.column}\` in the view, and remove \`from\`.`,
        )
      else if (!isTied && !table.isView && !source.isView)
        inspection.add(
          `${pointer}/from/table`,
          `no foreign key leads from \`${source.name}\` to \`${table.name}\`, so the API cannot read both together`,
          'Name a table that refers to this one, or add the foreign key in a migration.',
        )
    }
    return
  }
  const column = inspection.column(pointer, table, name)
  if (!column) return
  if (field.type === 'relation') inspectRelation(inspection, table, name, field.to)
  inspectViewRelation(inspection, table, name, field)
  inspectColumn(inspection, table, column, field)
}

/** A view without `security_invoker` reads its tables as its owner, so their row-level security does not apply. */
export function openView({
  name,
  isView,
  isInvoker,
}: CatalogTable): { message: string; hint: string } | null {
  if (!isView || isInvoker) return null
  return {
    message: `the view \`${name}\` reads its tables as its owner: everybody can read the rows of every company`,
    hint: `Write \`alter view public.${name} set (security_invoker = true);\` in a migration. Replace a materialized view with a view.`,
  }
}

function inspectView(inspection: DatabaseInspection, pointer: string, table: CatalogTable): void {
  const open = openView(table)
  if (open) inspection.add(pointer, open.message, open.hint)
}

function inspectRowSecurity(inspection: DatabaseInspection, pointer: string, table: CatalogTable): void {
  if (table.isView || table.hasRowSecurity) return
  inspection.add(
    pointer,
    `the table \`${table.name}\` has no row-level security: everybody reads every company's rows`,
    `Write \`alter table public.${table.name} enable row level security;\` and its policies in a migration.`,
  )
}

/** A search reads the table's generated column. */
function inspectSearch(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition } = inspection
  const searched = Object.entries(definition.fields).filter(([, { search }]) => search === true)
  if (listOf(definition)?.search ?? searched.length > 0)
    inspection.rpc('/list/search', `search_${table.name}`)
  const column = table.columns.find(({ name, isGenerated }) => name === 'search' && isGenerated)
  for (const [name, field] of searched) {
    // A search of one's own may hold the title of a related record.
    if (!sqlOf(field.type).search && (column || kindOf(field.type).filter !== 'record'))
      inspection.add(
        `/fields/${name}/search`,
        `the search reads text and whole numbers, and \`${name}\` is \`${field.type}\``,
        'Remove it, and give the field `"filter": true`.',
      )
    else if (
      sqlOf(field.type).search &&
      hasOwnColumn(field) &&
      column?.expression &&
      !new RegExp(`\\b${name}\\b`).test(column.expression)
    )
      inspection.add(
        `/fields/${name}/search`,
        `the column \`search\` of \`${table.name}\` does not hold \`${name}\`, so it is never found`,
        inspection.migrate,
      )
  }
}

function inspectSecurity(inspection: DatabaseInspection, table: CatalogTable): void {
  inspectView(inspection, inspection.definition.table ? '/table' : '/name', table)
  inspectRowSecurity(inspection, '/name', table)
  if (table.isView || !table.hasRowSecurity) return
  if (!table.policies.some(({ command }) => command === 'select' || command === 'all'))
    inspection.add(
      '/name',
      `no policy of \`${table.name}\` lets anybody read a row`,
      'Write `create policy … for select` in a migration.',
    )
}

/** Tables, columns, their types, rules and indexes, and functions that the definition counts on. */
export function inspectDatabase(definition: Definition, context: DatabaseContext): PointedProblem[] {
  const inspection = new DatabaseInspection(definition, context)
  const table = inspection.table(definition.table ? '/table' : '/name', tableOf(definition))
  if (!table) return inspection.problems
  if (definition.view && !table.isView)
    inspection.add('/view', `\`${table.name}\` is a table, and \`view\` says that it is a view`, 'Remove it.')
  inspectSecurity(inspection, table)
  for (const [name, field] of Object.entries(definition.fields)) inspectField(inspection, table, name, field)
  inspectSettings(inspection, table)
  inspectRules(inspection, table)
  inspectAccess(inspection, table)
  inspectSearch(inspection, table)
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    inspectAction(inspection, name, action)
  return inspection.problems
}
