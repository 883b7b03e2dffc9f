import type { Action, Definition, Field } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import type { PointedProblem } from '@/resource/inspect/problems'
import type { Catalog, CatalogTable } from '../../supabase/embedded/catalog'
import { inspectColumn } from './check-columns'
import { hasIndex } from './migration/compare'
import { suggestion } from './suggestion'

export interface DatabaseContext {
  catalog: Catalog
  find: (name: string) => Definition | null
}

export class DatabaseInspection {
  readonly problems: PointedProblem[] = []
  private readonly tables: ReadonlyMap<string, CatalogTable>
  constructor(
    readonly definition: Definition,
    readonly context: DatabaseContext,
  ) {
    this.tables = new Map(context.catalog.tables.map((table) => [table.name, table]))
  }

  get migrate(): string {
    return `\`npm run resource migrate ${this.definition.name}\` writes it.`
  }

  add(pointer: string, message: string, hint?: string): void {
    this.problems.push({ pointer, message, ...(hint ? { hint } : {}) })
  }

  table(pointer: string, name: string): CatalogTable | null {
    const table = this.tables.get(name)
    if (!table)
      this.problems.push({
        pointer,
        message: `the database has no table or view \`${name}\``,
        hint:
          suggestion(name, this.tables.keys()).hint ??
          `\`npm run resource migrate ${this.definition.name}\` makes it.`,
      })
    return table ?? null
  }

  column(pointer: string, table: CatalogTable, name: string): CatalogTable['columns'][number] | null {
    const column = table.columns.find((each) => each.name === name)
    if (!column)
      this.problems.push({
        pointer,
        message: `the table \`${table.name}\` has no column \`${name}\``,
        hint:
          suggestion(
            name,
            table.columns.map((each) => each.name),
          ).hint ?? `${this.migrate}`,
      })
    return column ?? null
  }

  rpc(pointer: string, name: string): void {
    const { functions } = this.context.catalog
    if (functions.includes(name)) return
    this.problems.push({
      pointer,
      message: `the database has no function \`${name}\` that the API may call`,
      ...suggestion(name, functions),
    })
  }
}

/** What a list orders by must be read in order, or every page sorts the whole table. */
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
  if (isTenant(table) && isTenant(targetTable) && !key.columns.includes('company_id'))
    inspection.add(
      pointer,
      `the foreign key of \`${name}\` is plain: it is checked past row-level security and may point into another company`,
      `Make it \`foreign key (company_id, ${name}) references public.${targetTable.name} (company_id, id)\`.`,
    )
  if (!hasIndex(table, key.columns) && !hasIndex(table, [name]))
    inspection.add(
      pointer,
      `no index of \`${table.name}\` begins with (${key.columns.join(', ')})`,
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
  inspection.column(`${pointer}/near`, between, field.near)
  inspection.column(`${pointer}/far`, between, field.far)
  inspectView(inspection, `${pointer}/through`, between)
  if (!between.isView && !between.hasRowSecurity)
    inspection.add(
      `${pointer}/through`,
      `the table \`${field.through}\` has no row-level security: everybody reads every company's rows`,
    )
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
    }
    return
  }
  const column = inspection.column(pointer, table, name)
  if (!column) return
  if (field.type === 'relation') inspectRelation(inspection, table, name, field.to)
  inspectColumn(inspection, table, column, field)
}

function inspectAction(inspection: DatabaseInspection, name: string, action: Action): void {
  if (action.rpc) inspection.rpc(`/actions/${name}/rpc`, action.rpc)
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

function inspectSecurity(inspection: DatabaseInspection, table: CatalogTable): void {
  inspectView(inspection, inspection.definition.table ? '/table' : '/name', table)
  if (table.isView) return
  if (!table.hasRowSecurity)
    inspection.add(
      '/name',
      `the table \`${table.name}\` has no row-level security: everybody reads every company's rows`,
      'Write `alter table … enable row level security` and its policies in a migration.',
    )
  else if (!table.policies.some(({ command }) => command === 'select' || command === 'all'))
    inspection.add('/name', `no policy of \`${table.name}\` lets anybody read a row`)
}

/** Tables, columns, their types, rules and indexes, and functions that the definition counts on. */
export function inspectDatabase(definition: Definition, context: DatabaseContext): PointedProblem[] {
  const inspection = new DatabaseInspection(definition, context)
  const table = inspection.table(definition.table ? '/table' : '/name', tableOf(definition))
  if (!table) return inspection.problems
  const has = (name: string) => table.columns.some((column) => column.name === name)
  inspectSecurity(inspection, table)
  for (const [name, field] of Object.entries(definition.fields)) inspectField(inspection, table, name, field)
  if (definition.tenant !== false && !has('company_id'))
    inspection.add(
      '/tenant',
      `the table \`${table.name}\` has no \`company_id\``,
      'Say `"tenant": false` for a table that belongs to the platform.',
    )
  if (definition.lock !== false && definition.form !== false && !has('version'))
    inspection.add(
      '/lock',
      `the table \`${table.name}\` has no \`version\` to lock by`,
      'Say `"lock": false`, or give the table the column and `app.keep_tenant`.',
    )
  for (const [index, name] of (Array.isArray(definition.live) ? definition.live : []).entries())
    inspection.table(`/live/${index}`, name)
  const isSearched =
    listOf(definition)?.search ?? Object.values(definition.fields).some((field) => field.search === true)
  if (isSearched) inspection.rpc('/list/search', `search_${tableOf(definition)}`)
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    inspectAction(inspection, name, action)
  return inspection.problems
}
