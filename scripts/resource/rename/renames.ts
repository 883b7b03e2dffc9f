import { commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { listPath, singularOf, tableOf } from '@/resource/language/naming'

interface Pair {
  from: string
  to: string
}

/** The names to change. The keys of every map are old names. */
export interface Renames {
  /** The resource that changes its name, which is also its permission object. */
  resource?: Pair
  /** Permission objects: the resource, and kinds of comment with lines of their own. */
  objects: ReadonlyMap<string, string>
  /** The table of comments of the resource. */
  comments?: string
  /** The resource's address, where it follows from the name. */
  route?: Pair
  /** A field that changes its name, in every resource over the same table that has it. */
  field?: Pair & { table: string; resources: readonly string[] }
  tables: ReadonlyMap<string, string>
  /** Columns by table. */
  columns: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The tables between that `resource new` named after the resource, with their column that points at it. */
function joinsNamedAfter(definition: Definition, renamed: Definition): Pick<Renames, 'tables' | 'columns'> {
  const tables = new Map<string, string>()
  const columns = new Map<string, ReadonlyMap<string, string>>()
  const [old, next] = [singularOf(definition), singularOf(renamed)]
  if (old !== next)
    for (const field of Object.values(definition.fields))
      if (
        field.type === 'many-to-many' &&
        field.through.startsWith(`${old}_`) &&
        field.near === `${old}_id`
      ) {
        tables.set(field.through, next + field.through.slice(old.length))
        columns.set(field.through, new Map([[field.near, `${next}_id`]]))
      }
  return { tables, columns }
}

/** The table of comments, its column that points at the record, and the objects of its kinds. */
function threadNamedAfter(
  definition: Definition,
  renamed: Definition,
): Pick<Renames, 'tables' | 'columns' | 'objects' | 'comments'> {
  const [thread, next] = [commentsOf(definition), commentsOf(renamed)]
  const none = { tables: new Map<string, string>(), columns: new Map<string, Map<string, string>>() }
  if (!thread || !next) return { ...none, objects: new Map<string, string>() }
  const objects = Object.entries(thread.kinds).flatMap(([kind, { object }]): [string, string][] => {
    const to = next.kinds[kind]?.object
    return object && to ? [[object, to]] : []
  })
  if (thread.table === next.table) return { ...none, objects: new Map(objects), comments: thread.table }
  return {
    tables: new Map([[thread.table, next.table]]),
    columns: new Map([[thread.table, new Map([[thread.column, next.column]])]]),
    objects: new Map(objects),
    comments: thread.table,
  }
}

export function resourceRenames(definition: Definition, to: string): Renames {
  const renamed = { ...definition, name: to }
  const joins = joinsNamedAfter(definition, renamed)
  const thread = threadNamedAfter(definition, renamed)
  const [from, path] = [listPath(definition), listPath(renamed)]
  const own: [string, string][] = definition.table === undefined ? [[definition.name, to]] : []
  return {
    resource: { from: definition.name, to },
    ...(from === path ? {} : { route: { from, to: path } }),
    objects: new Map([[definition.name, to], ...thread.objects]),
    ...(thread.comments ? { comments: thread.comments } : {}),
    tables: new Map([...own, ...joins.tables, ...thread.tables]),
    columns: new Map([...joins.columns, ...thread.columns]),
  }
}

/** `columns` are those of the table. A field from elsewhere has none there and changes its name in the console only. */
export function fieldRenames(
  definition: Definition,
  { from, to }: Pair,
  columns: readonly string[],
  definitions: readonly Definition[],
): Renames {
  const table = tableOf(definition)
  const resources = definitions
    .filter((each) => tableOf(each) === table && each.fields[from] && !each.fields[from].from)
    .map(({ name }) => name)
  const hasColumn = columns.includes(from) && !definition.fields[from]?.from
  const key = `${from}_key`
  const sorts = definition.fields[from]?.sort === key && columns.includes(key)
  const renamed = new Map([[from, to], ...(sorts ? ([[key, `${to}_key`]] as const) : [])])
  return {
    field: { from, to, table, resources: hasColumn ? resources : [definition.name] },
    objects: new Map(),
    ...(definition.comments ? { comments: commentsOf(definition)?.table ?? '' } : {}),
    tables: new Map(),
    columns: new Map(hasColumn ? [[table, renamed]] : []),
  }
}
