import type { Definition } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { tableOf } from '@/resource/language/naming'
import type { Catalog, CatalogTable } from '../../supabase/embedded/catalog'
import { suggestion } from './suggestion'

export interface DatabaseContext {
  catalog: Catalog
  find: (name: string) => Definition | null
  /** Whether `resource new` made the table. */
  isGenerated: (table: string) => boolean
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
    if (!column) {
      const names = table.columns.map((each) => each.name)
      const isWritten = table.name === tableOf(this.definition) && !table.isView
      const remedy = isWritten ? this.migrate : `Its columns: ${names.join(', ')}.`
      const meant = suggestion(name, names).hint
      const message = `the table \`${table.name}\` has no column \`${name}\``
      this.add(pointer, message, meant ? `${isWritten ? `${remedy} ` : ''}${meant}` : remedy)
    }
    return column ?? null
  }

  rpc(pointer: string, name: string): void {
    const { functions, signatures } = this.context.catalog
    if (functions.includes(name)) return
    const closed = signatures.find((each) => each.name === name)
    const types = closed?.parameters.map(({ type }) => type.replace(/^_(.*)/, '$1[]')).join(', ')
    this.problems.push({
      pointer,
      message: `the database has no function \`${name}\` that the API may call`,
      ...(closed
        ? {
            hint: `Write \`grant execute on function public.${name}(${types}) to authenticated;\` in a migration.`,
          }
        : suggestion(name, functions)),
    })
  }
}
