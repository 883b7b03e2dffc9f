import type { Definition, Filter, Scalar } from '@/resource/language/definition.generated'
import { type FilterNode, parseFilter } from '@/resource/request/filter/parse'
import type { FilterScope } from '@/resource/request/filter/scope'

/** A filter as `app.filter_condition()` takes it: no variables, and paths by the database's names. */
export type SqlFilter = { [field: string]: SqlFilter[] | Record<string, Scalar | Scalar[]> }

const MATCH = /_match$/
const NEVER: SqlFilter = { _or: [] }

/**
 * The path of a filter's field in the database's names: `table.near.far` for rows of a link table,
 * `reference.column` for a related record, the table's name or `table!constraint` for a joined table.
 */
export function sqlPath(definition: Definition, path: string): string {
  const [first = path, column] = path.split('.')
  if (column === undefined) return path
  const name = first.replace(MATCH, '')
  const field = definition.fields[name]
  if (field?.from && MATCH.test(first)) {
    const { table, constraint } = field.from
    return `${constraint ? `${table}!${constraint}` : table}.${column}`
  }
  return field?.type === 'many-to-many' ? `${field.through}.${field.near}.${column}` : `${name}.${column}`
}

function write(definition: Definition, node: FilterNode): SqlFilter {
  switch (node.kind) {
    case 'all':
      return { _and: node.nodes.map((inner) => write(definition, inner)) }
    case 'any':
      return { _or: node.nodes.map((inner) => write(definition, inner)) }
    case 'unknown':
      // The language has no "not", so unknown and false leave out the same rows.
      return NEVER
    case 'null':
      return { [sqlPath(definition, node.field)]: { _null: !node.negated } }
    case 'in':
      return { [sqlPath(definition, node.field)]: { [node.negated ? '_nin' : '_in']: node.values } }
    case 'has':
      return { [sqlPath(definition, node.field)]: { [node.isEach ? '_has_all' : '_has_any']: node.values } }
    case 'empty':
      return { [sqlPath(definition, node.field)]: { _empty: !node.negated } }
    case 'none':
      return { [sqlPath(definition, node.field)]: { _none: node.values } }
    case 'contains':
      return { [sqlPath(definition, node.field)]: { _contains: node.value } }
    case 'compare':
      return { [sqlPath(definition, node.field)]: { [`_${node.op}`]: node.value } }
  }
}

/** The list's filter for the database's functions, over the company in view. */
export function matchingFilter(
  definition: Definition,
  filter: Filter,
  companyId: string | null,
  scope: FilterScope,
): SqlFilter {
  const own = write(definition, parseFilter(filter, scope))
  if (definition.tenant === false || companyId === null) return own
  return { _and: [{ company_id: { _eq: companyId } }, own] }
}

/** Whether the database can decide which rows offer an action. It reads the table's own columns only. */
export function isOfColumns(definition: Definition, filter: Filter): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === '_and' || key === '_or')
      return (value as Filter[]).every((inner) => isOfColumns(definition, inner))
    const field = definition.fields[key]
    const isColumn = field && !field.from && field.type !== 'computed' && field.type !== 'many-to-many'
    return Boolean(isColumn) && !JSON.stringify(value).includes('$record.')
  })
}
