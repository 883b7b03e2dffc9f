import type { AlterPolicyStmt, CreatePolicyStmt, Node } from 'libpg-query'
import { alterTable, drop } from './alter'
import {
  createTable,
  functionObject,
  indexObject,
  keepObject,
  policyObject,
  triggerObject,
  viewObject,
} from './create'
import { readComment, readGrant } from './grants'
import { relationName, words } from './names'
import { Model, type SchemaObject } from './objects'
import { parse, print, SchemaError, type SqlText, type Statement } from './parse'
import { rename } from './rename'
import { deleteRows, insertRows, updateRows } from './rows'

/** `schemas` define each object once; `migrations` change what earlier ones made. */
export type Side = 'schemas' | 'migrations'

/** Statements that change a session or do upkeep, and make no object. */
const PASSING = ['VariableSetStmt', 'VacuumStmt', 'TransactionStmt', 'LockStmt', 'NotifyStmt']

function made(
  node: Node,
  text: string,
  model: Model,
): Omit<SchemaObject, 'file' | 'line' | 'text'> | undefined {
  if ('CreateFunctionStmt' in node) return functionObject(node.CreateFunctionStmt)
  if ('ViewStmt' in node) return viewObject(node.ViewStmt)
  if ('IndexStmt' in node) return indexObject(node.IndexStmt)
  if ('CreateTrigStmt' in node) return triggerObject(node.CreateTrigStmt, model)
  if ('CreatePolicyStmt' in node) return policyObject(node.CreatePolicyStmt)
  if ('SelectStmt' in node) return keepObject(node.SelectStmt, text)
  const container = containerName(node)
  return container ? { kind: 'container', identity: container, print: print(node) } : undefined
}

function containerName(node: Node): string | undefined {
  if ('CreateSchemaStmt' in node) return `schema ${node.CreateSchemaStmt.schemaname}`
  if ('CreateExtensionStmt' in node) return `extension ${node.CreateExtensionStmt.extname}`
  if ('CreateSeqStmt' in node) return `sequence ${relationName(node.CreateSeqStmt.sequence)}`
  if ('CreateEnumStmt' in node) return `type ${words(node.CreateEnumStmt.typeName).join('.')}`
  if ('CreateDomainStmt' in node) return `type ${words(node.CreateDomainStmt.domainname).join('.')}`
  return 'CompositeTypeStmt' in node ? `type ${relationName(node.CompositeTypeStmt.typevar)}` : undefined
}

function changePolicy(model: Model, change: AlterPolicyStmt, { file, line, text }: Statement): void {
  const { policy_name, roles, qual, with_check } = change
  const identity = `policy ${policy_name} on ${relationName(change.table)}`
  const old = model.get(identity)
  if (!old)
    throw new SchemaError({
      file,
      line,
      text: `no ${identity} was made before. Write its name as it is there.`,
    })
  const node = {
    ...(old.node as CreatePolicyStmt),
    ...(roles ? { roles } : {}),
    ...(qual ? { qual } : {}),
    ...(with_check ? { with_check } : {}),
  }
  // The parsed statement keeps the name from before a rename.
  model.set({ ...policyObject(node), identity, text, file, line })
}

/** @throws SchemaError for the second definition of an object in the schemas */
function define(model: Model, object: SchemaObject, side: Side): void {
  const old = model.get(object.identity)
  if (old && side === 'schemas')
    throw new SchemaError({
      file: object.file,
      line: object.line,
      text: `${object.identity} has another definition in ${old.file}:${old.line}. Keep one of the two.`,
    })
  // Each migration that needs an extension asks for it with `if not exists`.
  if (!old || object.kind !== 'container') model.set(object)
  moveRules(model, object)
}

/** `app.keep_hidden()` moves the rules of a column to a table of its own. */
function moveRules(model: Model, { kind, identity }: SchemaObject): void {
  const [, field, table] = /^keep_hidden_(\w+) of public\.(\w+)$/.exec(identity) ?? []
  if (kind !== 'keep' || !field || field === 'search') return
  const rule = new RegExp(`^constraint ${table}_${field}_check\\d* on public\\.${table}$`)
  for (const each of [...model.objects.keys()]) if (rule.test(each)) model.remove(each)
}

/** Whether `if not exists` finds the object. */
function isThere(model: Model, node: Node): boolean {
  if ('IndexStmt' in node && node.IndexStmt.if_not_exists)
    return model.get(indexObject(node.IndexStmt).identity) !== undefined
  return (
    'CreateStmt' in node &&
    node.CreateStmt.if_not_exists === true &&
    model.get(`table ${relationName(node.CreateStmt.relation)}`) !== undefined
  )
}

/** A column that is searched is dropped and added to change it; the index on it is one that `keep_search` makes. */
function isOfSearch(model: Model, node: Node): boolean {
  if (!('IndexStmt' in node)) return false
  const table = relationName(node.IndexStmt.relation)
  const name = `${table.slice(table.indexOf('.') + 1)}_search_idx`
  return node.IndexStmt.idxname === name && model.get(`keep_search of ${table}`) !== undefined
}

function readStatement(model: Model, statement: Statement, side: Side): void {
  const { node, text, file, line } = statement
  if (side === 'migrations' && (isThere(model, node) || isOfSearch(model, node))) return
  const object = made(node, text, model)
  if (object) define(model, { ...object, text, file, line }, side)
  else if ('CreateStmt' in node) {
    const identity = `table ${relationName(node.CreateStmt.relation)}`
    define(model, { kind: 'table', identity, print: '', text, file, line }, side)
    createTable(model, node.CreateStmt, statement)
  } else if ('AlterTableStmt' in node) alterTable(model, node.AlterTableStmt, statement)
  else if ('InsertStmt' in node && insertRows(model, node.InsertStmt, statement)) return
  else if ('CommentStmt' in node) readAttached(model, statement, side, node.CommentStmt)
  else if ('GrantStmt' in node && readGrant(model, node.GrantStmt, statement)) return
  else if ('DropStmt' in node) readDrop(model, statement, side)
  else if (!PASSING.includes(Object.keys(node)[0] ?? '')) readOther(model, statement, side)
}

function readAttached(
  model: Model,
  statement: Statement,
  side: Side,
  node: Parameters<typeof readComment>[1],
): void {
  const { file, line } = statement
  const comment = readComment(model, node, statement)
  if (!comment) throw new SchemaError({ file, line, text: 'this comment cannot be compared. Take it out.' })
  const { identity, old } = comment
  if (old && side === 'schemas')
    throw new SchemaError({
      file,
      line,
      text: `${identity} is written in ${old.file}:${old.line}, too. Keep one of the two.`,
    })
}

/** In the schemas, only a trigger that a `keep_` function made can be dropped. */
function readDrop(model: Model, statement: Statement, side: Side): void {
  const { node, file, line } = statement
  if (!('DropStmt' in node)) return
  const before = model.objects.size
  const isTrigger = node.DropStmt.removeType === 'OBJECT_TRIGGER'
  drop(model, node.DropStmt, statement)
  if (side === 'schemas' && (!isTrigger || model.objects.size < before))
    throw new SchemaError({
      file,
      line,
      text: 'the schemas say what there is, so nothing is dropped in them. Delete the definition instead.',
    })
}

function readOther(model: Model, statement: Statement, side: Side): void {
  const { node, text, file, line } = statement
  if ('RenameStmt' in node && side === 'migrations') rename(model, node.RenameStmt, statement)
  else if ('AlterPolicyStmt' in node && side === 'migrations')
    changePolicy(model, node.AlterPolicyStmt, statement)
  else if ('DeleteStmt' in node) deleteRows(model, node.DeleteStmt)
  else if ('UpdateStmt' in node) updateRows(model, node.UpdateStmt)
  else if ('AlterDefaultPrivilegesStmt' in node)
    model.set({
      kind: 'default privileges',
      identity: `default privileges ${print(node)}`,
      print: '',
      text,
      file,
      line,
    })
  else if (['DoStmt', 'SelectStmt', 'InsertStmt'].some((tag) => tag in node))
    model.set({ kind: 'statement', identity: `statement ${print(node)}`, print: '', text, file, line })
  else {
    const [tag = ''] = Object.keys(node)
    throw new SchemaError({
      file,
      line,
      text: `this statement cannot be compared (${tag}). Write it as create and drop.`,
    })
  }
}

/** Permission lines are those of `npm run policies`. */
export const isLines = ({ path }: SqlText) =>
  path.endsWith('/lines.sql') || path.endsWith('_fill_policies.sql')

/**
 * The objects that these files make, in order. The parser must be loaded.
 * @throws SchemaError for the first file that cannot be read
 */
export function readObjects(files: readonly SqlText[], side: Side): Model {
  const model = new Model()
  for (const file of files.filter((each) => !isLines(each)))
    for (const statement of parse(file)) {
      if (side === 'schemas') model.reading = statement
      readStatement(model, statement, side)
    }
  model.reading = undefined
  return model
}

/**
 * Does to a model what the statements of a migration do to a database.
 * @throws SchemaError for one that cannot be followed
 */
export function runStatements(model: Model, statements: readonly Statement[]): void {
  for (const statement of statements) readStatement(model, statement, 'migrations')
}
