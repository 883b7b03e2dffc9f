import { kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import { sqlOf } from '@/resource/fields/scripts'
import { commentsOf } from '@/resource/language/comments'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { hiddenTable } from '@/resource/language/embed-keys'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { listOf, tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import { inspectAccess } from './check-access'
import { inspectAction } from './check-actions'
import { inspectColumn } from './check-columns'
import { inspectRelation, inspectViewRelation } from './check-keys'
import { inspectRules } from './check-rules'
import { inspectSettings } from './check-settings'
import { type DatabaseContext, DatabaseInspection } from './database-inspection'
import { hasOwnColumn } from './migration/columns'
import { hasIndex } from './migration/compare'
import { isSearchStale, missingHidden, staleHidden } from './migration/hidden'
import { planTable } from './migration/plan'
import { holdsRowRules } from './migration/row-rules'
import { indexedFields, linkOf } from './migration/rule-fields'
import { asksFor, hasTrash } from './migration/trash'

/** The column that a list is sorted by must be read in order, or every page sorts the whole table. */
function inspectSort(inspection: DatabaseInspection, table: CatalogTable, name: string, field: Field): void {
  // A hidden value is ordered by a function of the row, without an index.
  if (!field.sort || field.from || field.guard?.read || table.isView) return
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
  // The rules of a hidden value are those of the table that keeps it.
  if (!field.guard?.read) inspectColumn(inspection, table, column, field)
}

/** A row rule is asked of every row that somebody reads, so each field that it compares first needs an index. */
function inspectRowRules(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition, context, migrate } = inspection
  const isTenant = definition.tenant !== false
  for (const [name, filter] of Object.entries(definition.rules ?? {}))
    for (const field of new Set(indexedFields(filter) ?? [])) {
      if (linkOf(ownField(definition, field))) continue
      const wanted = isTenant ? ['company_id', field] : [field]
      if (!hasIndex(table, wanted) && !hasIndex(table, [field]))
        inspection.add(
          `/rules/${name}`,
          `no index of \`${table.name}\` begins with (${wanted.join(', ')}), so the rule \`${name}\` would read the whole table`,
          migrate,
        )
    }
  const asks = new RegExp(`${table.name}_covers\\(|(?:require_rows|sees_rows)\\('${table.name}'`)
  for (const [name, source] of definition.rules ? Object.entries(context.catalog.definers ?? {}) : [])
    if (new RegExp(`\\bpublic\\.${table.name}\\b`).test(source) && !asks.test(source))
      inspection.add(
        '/rules',
        `the function \`${name}\` reads \`${table.name}\` past row-level security and asks for no row rule`,
        `Make it \`security invoker\`, or ask \`app.${table.name}_covers(row, verb)\` or \`app.require_rows('${table.name}', verb, ids)\`, in a migration.`,
      )
  const plan = planTable(definition, context.find)
  if (!holdsRowRules({ ...plan, tables: context.catalog.tables, sources: context.catalog.triggerSources }))
    inspection.add(
      definition.rules ? '/rules' : '/name',
      definition.rules
        ? 'the row-level security of the database does not hold these rules'
        : `the row-level security of \`${table.name}\` holds rules that the definition does not name`,
      migrate,
    )
}

/** A hidden value that stayed in the table would reach everybody who may list its record. */
function inspectHidden(inspection: DatabaseInspection): void {
  const { definition, context, migrate } = inspection
  const plan = planTable(definition, context.find)
  const tables = context.catalog.tables.map(({ name }) => name)
  for (const { column } of missingHidden(plan, tables))
    inspection.add(
      `/fields/${column}/guard/read`,
      `the database gives \`${column}\` to everybody who may list the record`,
      migrate,
    )
  for (const { column, object, verb } of plan.hidden) {
    const side = context.catalog.tables.find(({ name }) => name === hiddenTable(plan.table, column))
    if (side && !side.policies.some(({ text }) => new RegExp(`'${object}'[^)]*'${verb}'`).test(text)))
      inspection.add(
        `/fields/${column}/guard/read`,
        `the policy of \`${side.name}\` asks for another permission than \`${object}\` \`${verb}\``,
        'Write `alter policy` in a migration of your own.',
      )
  }
  if (
    plan.isSearched &&
    missingHidden(plan, tables).length === 0 &&
    isSearchStale(plan, context.catalog.tables)
  )
    inspection.add('/fields', 'the search reads other hidden fields than the definition says', migrate)
  for (const column of staleHidden(plan, tables))
    if (column in definition.fields)
      inspection.add(
        `/fields/${column}`,
        `the database hides the values of \`${column}\` in \`${hiddenTable(plan.table, column)}\`, and no \`guard\` says for whom`,
        'Restore `guard.read`, or move the values back in a migration of your own.',
      )
}

/** A deleted record that anybody still saw would not be in a trash. */
function inspectTrash(inspection: DatabaseInspection, table: CatalogTable): void {
  const { definition, context, migrate } = inspection
  const { catalog } = context
  if (!definition.trash) {
    if (hasTrash(table))
      inspection.add(
        '/name',
        `the database keeps deleted rows of \`${table.name}\` in a trash, and the definition does not say so`,
        `Add \`"trash": true\`. ${migrate}`,
      )
  } else {
    if (!hasTrash(table))
      inspection.add('/trash', `the database deletes the rows of \`${table.name}\` at once`, migrate)
    for (const [name, source] of Object.entries(catalog.definers ?? {}))
      if (new RegExp(`\\bpublic\\.${table.name}\\b`).test(source) && !/\bdeleted_at\b/.test(source))
        inspection.add(
          '/trash',
          `the function \`${name}\` reads \`${table.name}\` past row-level security, rows in the trash too`,
          'Make it `security invoker`, or ask `deleted_at is null`, in a migration.',
        )
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    const target = 'to' in field && typeof field.to === 'string' ? context.find(field.to) : null
    const goesWith = 'on_delete' in field && field.on_delete === 'cascade'
    if (!target?.trash || !goesWith || definition.trash || asksFor(table, tableOf(target))) continue
    inspection.add(
      `/fields/${name}/on_delete`,
      `a record of \`${target.name}\` goes to the trash, and those of \`${definition.name}\` that belong to it would stay`,
      'Say `"trash": true` here too.',
    )
  }
}

/** Views of the console itself that ask for permission and company in their own condition: `tests/db/people/directory.test.ts`. */
const GUARDED_VIEWS: ReadonlySet<string> = new Set(['people'])

/** A view without `security_invoker` reads its tables as its owner, so their row-level security does not apply. */
export function openView({
  name,
  isView,
  isInvoker,
}: CatalogTable): { message: string; hint: string } | null {
  if (!isView || isInvoker || GUARDED_VIEWS.has(name)) return null
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
      !field.guard?.read &&
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
  if (!table.isView) {
    inspectRowRules(inspection, table)
    inspectHidden(inspection)
    inspectTrash(inspection, table)
  }
  inspectAccess(inspection, table)
  inspectSearch(inspection, table)
  const comments = commentsOf(definition)
  const thread = comments && inspection.table('/comments', comments.table)
  if (comments?.hasOrigin && thread && !thread.columns.some(({ name }) => name === 'origin'))
    inspection.problems.push({
      pointer: '/comments/origin',
      message: `\`${comments.table}\` has no column \`origin\``,
      hint: 'Write `alter table … add column origin text` in a migration, without a grant to clients.',
    })
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    inspectAction(inspection, name, action)
  return inspection.problems
}
