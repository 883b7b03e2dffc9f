import type { RenameStmt } from 'libpg-query'
import { grantsOf, nameIn } from './grants'
import { columnIdentity, constraintIdentity } from './items'
import { relationName } from './names'
import { type Model, type SchemaObject, tableOf } from './objects'
import { SchemaError, type Statement } from './parse'

type Change = (text: string) => string

const same: Change = (text) => text

/** Rewrites the parsed statement too: PostgreSQL refers to objects by their ids, so dependents follow a rename. */
function rewritten(object: SchemaObject, parsed: Change, identity: Change): SchemaObject {
  const { node, column, owner } = object
  const named = {
    ...object,
    identity: identity(object.identity),
    ...(owner === undefined ? {} : { owner: identity(owner) }),
  }
  if (parsed === same) return named
  const [before, print] = [JSON.stringify(node), parsed(object.print)]
  const after = before && parsed(before)
  return {
    ...named,
    print,
    // Most objects do not mention what is renamed, and there are thousands.
    ...(after === before ? {} : { node: JSON.parse(after) }),
    ...(column
      ? { column: { ...column, value: parsed(column.value), generated: parsed(column.generated) } }
      : {}),
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Replaces a whole name within an identity. */
const wholeName = (from: string, to: string): Change => {
  const pattern = new RegExp(`(?<![\\w.])${escaped(from)}(?![\\w.])`, 'g')
  return (text) => (text.includes(from) ? text.replace(pattern, to) : text)
}

const word = (name: string) => `{"String":{"sval":"${name}"}}`

/** Bodies of functions are text, which a rename leaves as it is. */
const follows = ({ kind }: SchemaObject) => kind !== 'function' && kind !== 'comment'

function renameTable(model: Model, from: string, to: string): void {
  const [schema = '', name = ''] = from.split('.')
  const parsed: Change = (json) =>
    json
      .replaceAll(
        `"schemaname":"${schema}","relname":"${name}"`,
        `"schemaname":"${schema}","relname":"${to}"`,
      )
      .replaceAll(`"fields":[${word(name)},`, `"fields":[${word(to)},`)
      .replaceAll(`"names":[${word(schema)},${word(name)}]`, `"names":[${word(schema)},${word(to)}]`)
  const identity = wholeName(from, `${schema}.${to}`)
  model.map((object) => rewritten(object, follows(object) ? parsed : same, identity))
}

function grantsRenamed(object: SchemaObject, from: string, to: string): SchemaObject {
  const renamed = [...(object.privileges ?? [])].map((pair) => pair.replace(`(${from})`, `(${to})`))
  return { ...object, ...grantsOf(new Set(renamed)) }
}

function renameColumn(model: Model, table: string, from: string, to: string): void {
  const own: Change = (json) =>
    json
      .replaceAll(word(from), word(to))
      .replaceAll(`"IndexElem":{"name":"${from}"`, `"IndexElem":{"name":"${to}"`)
  const [schema = '', name = ''] = table.split('.')
  const target = `"schemaname":"${schema}","relname":"${name}"`
  const pointing: Change = (json) =>
    json.includes(target)
      ? json.replace(/\["pk_attrs",\[[^\]]*\]|"pk_attrs":\[[^\]]*\]/g, (keys) =>
          keys.replaceAll(word(from), word(to)),
        )
      : json
  const [old, next] = [columnIdentity(table, from), columnIdentity(table, to)]
  const identity = wholeName(old, next)
  model.map((object) => {
    if (object.identity === `grants on table ${table}`) return grantsRenamed(object, from, to)
    const isOwn =
      follows(object) && (tableOf(object) === table || object.identity === old || object.owner === old)
    const isPointing = object.kind === 'constraint' && !isOwn
    return rewritten(object, isOwn ? own : isPointing ? pointing : same, identity)
  })
}

function renameFunction(model: Model, from: string, to: string): void {
  const bare = from.slice(0, from.indexOf('('))
  const [schema = '', name = ''] = bare.split('.')
  const parsed: Change = (json) =>
    json.replaceAll(`[${word(schema)},${word(name)}]`, `[${word(schema)},${word(to)}]`)
  const next = `function ${schema}.${to}${from.slice(from.indexOf('('))}`
  model.map((object) =>
    rewritten(object, follows(object) ? parsed : same, (each) => each.replace(`function ${from}`, next)),
  )
}

/** Returns false for what cannot be followed. */
function follow(model: Model, node: RenameStmt): boolean {
  const { renameType, subname = '', newname = '', object } = node
  const table = relationName(node.relation)
  const replace = (from: string, to: string) => {
    const identity = wholeName(from, to)
    model.map((each) => rewritten(each, same, identity))
  }
  if (renameType === 'OBJECT_COLUMN') renameColumn(model, table, subname, newname)
  else if (renameType === 'OBJECT_TABLE' || renameType === 'OBJECT_VIEW') renameTable(model, table, newname)
  else if (renameType === 'OBJECT_TABCONSTRAINT')
    replace(constraintIdentity(table, subname), constraintIdentity(table, newname))
  else if (renameType === 'OBJECT_TRIGGER' || renameType === 'OBJECT_POLICY') {
    const kind = renameType === 'OBJECT_TRIGGER' ? 'trigger' : 'policy'
    replace(`${kind} ${subname} on ${table}`, `${kind} ${newname} on ${table}`)
  } else if (renameType === 'OBJECT_INDEX') replace(`index ${node.relation?.relname}`, `index ${newname}`)
  else if (renameType === 'OBJECT_SEQUENCE')
    replace(`sequence ${table}`, `sequence ${relationName({ ...node.relation, relname: newname })}`)
  else if (renameType === 'OBJECT_FUNCTION' && object && 'ObjectWithArgs' in object)
    renameFunction(model, nameIn(model, object.ObjectWithArgs), newname)
  else return false
  return true
}

/** @throws SchemaError for what cannot be followed */
export function rename(model: Model, node: RenameStmt, { file, line }: Statement): void {
  if (follow(model, node)) return
  const text = `this rename cannot be followed (${node.renameType}). Take it out.`
  throw new SchemaError({ file, line, text })
}
