import type { CreateFunctionStmt, Node, RangeVar } from 'libpg-query'
import { relationName, words } from './names'
import type { Model, SchemaObject } from './objects'
import { find } from './parse'

/** The parts of an object that the catalog binds: a body that is text is not among them. */
function bound({ kind, node }: SchemaObject): unknown {
  if (kind !== 'function') return node
  const { parameters, returnType, sql_body } = node as CreateFunctionStmt
  return [parameters, returnType, sql_body]
}

/** The name of a function, without its arguments, or of a view. */
const nameOf = ({ identity }: SchemaObject) => identity.replace(/^\w+ /, '').replace(/\(.*$/, '')

/** Whether PostgreSQL refuses to drop one object while the other is there. */
function holdsOn(object: SchemaObject, dropped: SchemaObject): boolean {
  const piece = bound(object)
  const name = nameOf(dropped)
  if (dropped.kind === 'function')
    return find<Node[]>(piece, 'funcname').some((each) => words(each).join('.') === name)
  const isType = (each: Node[]) => words(each).join('.') === name
  return (
    find<RangeVar>(piece, 'RangeVar').some((each) => relationName(each) === name) ||
    find<Node[]>(piece, 'names').some(isType)
  )
}

/** The objects that name a function or a view. Functions are told apart by name only, not by their arguments. */
export function dependents(model: Model, dropped: SchemaObject): SchemaObject[] {
  return [...model.objects.values()].filter(
    (each) =>
      each.identity !== dropped.identity &&
      each.owner !== dropped.identity &&
      each.node !== undefined &&
      each.kind !== 'row' &&
      holdsOn(each, dropped),
  )
}

/** Whether `create or replace function` is enough: the same result and names, and no default less. */
export function isSameFrame({ frame: now }: SchemaObject, { frame: then }: SchemaObject): boolean {
  if (!now || !then) return true
  const isRenamed = then.names.some((name, index) => name !== '' && now.names[index] !== name)
  return now.result === then.result && !isRenamed && now.defaults >= then.defaults
}
