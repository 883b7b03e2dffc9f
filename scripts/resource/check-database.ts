import type { Action, Definition, Field } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import type { PointedProblem } from '@/resource/definition/problems'
import type { DatabaseCatalogue } from './database'
import { suggestion } from './suggestion'

type Find = (name: string) => Definition | null

/** What a field's column reads as in the generated types. */
const READS_AS: Record<Field['type'], readonly string[]> = {
  text: ['string'],
  textarea: ['string'],
  email: ['string'],
  url: ['string'],
  ip: ['string', 'unknown'],
  mac: ['string', 'unknown'],
  code: ['string'],
  markdown: ['string'],
  color: ['string'],
  timezone: ['string'],
  enum: ['string'],
  date: ['string'],
  datetime: ['string'],
  relation: ['string', 'number'],
  user: ['string'],
  number: ['number'],
  bytes: ['number'],
  percent: ['number'],
  money: ['number'],
  duration: ['number'],
  boolean: ['boolean'],
  json: ['Json'],
  diff: ['Json'],
  rows: ['Json'],
  tags: ['string[]', 'Json'],
  computed: ['string', 'number', 'boolean', 'Json'],
  'many-to-many': [],
}

class DatabaseInspection {
  readonly problems: PointedProblem[] = []
  constructor(private readonly catalogue: DatabaseCatalogue) {}

  add(problem: PointedProblem): void {
    this.problems.push(problem)
  }

  table(pointer: string, name: string): ReadonlyMap<string, string> | null {
    const columns = this.catalogue.tables.get(name)
    if (!columns)
      this.add({
        pointer,
        message: `the database has no table or view \`${name}\``,
        ...suggestion(name, this.catalogue.tables.keys()),
      })
    return columns ?? null
  }

  column(pointer: string, table: string, columns: ReadonlyMap<string, string>, name: string): string | null {
    const type = columns.get(name)
    if (type === undefined)
      this.add({
        pointer,
        message: `the table \`${table}\` has no column \`${name}\``,
        ...suggestion(name, columns.keys()),
      })
    return type ?? null
  }

  rpc(pointer: string, name: string): void {
    if (this.catalogue.functions.has(name)) return
    this.add({
      pointer,
      message: `the database has no function \`${name}\` that the API may call`,
      ...suggestion(name, this.catalogue.functions),
    })
  }
}

function inspectField(
  inspection: DatabaseInspection,
  table: string,
  columns: ReadonlyMap<string, string>,
  name: string,
  field: Field,
  find: Find,
): void {
  const pointer = `/fields/${name}`
  if (typeof field.sort === 'string') inspection.column(`${pointer}/sort`, table, columns, field.sort)
  if (field.type === 'relation') {
    const target = find(field.to)
    if (target) inspection.table(`${pointer}/to`, tableOf(target))
  }
  if (field.type === 'many-to-many') {
    const between = inspection.table(`${pointer}/through`, field.through)
    if (!between) return
    inspection.column(`${pointer}/near`, field.through, between, field.near)
    inspection.column(`${pointer}/far`, field.through, between, field.far)
    return
  }
  if (field.from) {
    const source = inspection.table(`${pointer}/from/table`, field.from.table)
    if (source) inspection.column(`${pointer}/from/column`, field.from.table, source, field.from.column)
    return
  }
  const type = inspection.column(pointer, table, columns, name)
  const expected = READS_AS[field.type]
  if (type !== null && !expected.includes(type))
    inspection.add({
      pointer: `${pointer}/type`,
      message: `\`${name}\` is \`${field.type}\`, but its column reads as \`${type}\``,
    })
}

function inspectAction(inspection: DatabaseInspection, name: string, action: Action): void {
  if (action.rpc) inspection.rpc(`/actions/${name}/rpc`, action.rpc)
}

/** Tables, columns, their types and functions that the definition counts on. */
export function inspectDatabase(
  definition: Definition,
  find: Find,
  catalogue: DatabaseCatalogue,
): PointedProblem[] {
  const inspection = new DatabaseInspection(catalogue)
  const table = tableOf(definition)
  const columns = inspection.table(definition.table ? '/table' : '/name', table)
  if (!columns) return inspection.problems
  for (const [name, field] of Object.entries(definition.fields))
    inspectField(inspection, table, columns, name, field, find)
  if (definition.tenant !== false && !columns.has('company_id'))
    inspection.add({
      pointer: '/tenant',
      message: `the table \`${table}\` has no \`company_id\``,
      hint: 'Say `"tenant": false` for a table that belongs to the platform.',
    })
  if (definition.lock !== false && definition.form !== false && !columns.has('version'))
    inspection.add({
      pointer: '/lock',
      message: `the table \`${table}\` has no \`version\` to lock by`,
      hint: 'Say `"lock": false`, or give the table the column and `app.keep_tenant`.',
    })
  const isSearched =
    listOf(definition)?.search ?? Object.values(definition.fields).some((field) => field.search === true)
  if (isSearched) inspection.rpc('/list/search', `search_${definition.name}`)
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    inspectAction(inspection, name, action)
  return inspection.problems
}
