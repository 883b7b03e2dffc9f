import type {
  CreateFunctionStmt,
  CreatePolicyStmt,
  CreateStmt,
  CreateTrigStmt,
  IndexStmt,
  ResTarget,
  SelectStmt,
  ViewStmt,
} from 'libpg-query'
import { addColumn, addConstraint, tableItems } from './items'
import { isOutput, parameters, relationName, signature, typeName, words } from './names'
import type { Model, SchemaObject } from './objects'
import { find, print, type Statement } from './parse'

type Made = Omit<SchemaObject, 'file' | 'line' | 'text'>

/** Prints a statement without its name, which a rename changes, and without `or replace`. */
function printed(node: object, ...left: string[]): string {
  return print(
    Object.fromEntries(Object.entries(node).filter(([key]) => key !== 'replace' && !left.includes(key))),
  )
}

export function functionObject(node: CreateFunctionStmt): Made {
  const all = parameters(node.parameters)
  const taken = all.filter((each) => !isOutput(each))
  const given = all.filter((each) => isOutput(each) || each.mode === 'FUNC_PARAM_INOUT')
  return {
    kind: 'function',
    identity: `function ${signature(
      node.funcname,
      taken.map(({ argType }) => argType),
    )}`,
    print: printed(node, 'funcname'),
    node,
    frame: {
      result: print([node.returnType, given.map(({ name, argType }) => [name, typeName(argType)])]),
      names: taken.map(({ name = '' }) => name),
      defaults: taken.filter(({ defexpr }) => defexpr).length,
    },
  }
}

function viewColumns(node: ViewStmt): string[] | undefined {
  if (node.aliases) return words(node.aliases)
  const select = node.query && 'SelectStmt' in node.query ? node.query.SelectStmt : undefined
  const targets = (select?.targetList ?? []).map((each) => ('ResTarget' in each ? each.ResTarget : {}))
  const names = targets.map(targetName)
  return names.length > 0 && names.every(Boolean) ? names : undefined
}

function targetName({ name, val }: ResTarget): string {
  if (name) return name
  return val && 'ColumnRef' in val ? (words(val.ColumnRef.fields).at(-1) ?? '') : ''
}

export function viewObject(node: ViewStmt): Made {
  const columns = viewColumns(node)
  return {
    kind: 'view',
    identity: `view ${relationName(node.view)}`,
    print: printed(node),
    node,
    ...(columns ? { columns } : {}),
  }
}

const onTable = (kind: 'index' | 'trigger' | 'policy', name: string, table: string) => ({
  kind,
  identity: `${kind} ${name} on ${table}`,
})

export function indexObject(node: IndexStmt): Made {
  const table = relationName(node.relation)
  return {
    ...onTable('index', node.idxname ?? '', table),
    owner: `table ${table}`,
    print: printed(node, 'idxname', 'if_not_exists', 'concurrent'),
    node,
  }
}

export function triggerObject(node: CreateTrigStmt, model: Model): Made {
  const table = relationName(node.relation)
  const known = onTable('trigger', node.trigname ?? '', table)
  const old = model.get(known.identity)
  const isAgain = model.remove(`dropped ${known.identity}`)
  return {
    ...known,
    owner: `${model.get(`view ${table}`) ? 'view' : 'table'} ${table}`,
    print: printed(node, 'trigname'),
    node,
    isOverride: old ? (old.isOverride ?? false) : isAgain || (node.replace ?? false),
  }
}

export function policyObject(node: CreatePolicyStmt): Made {
  const table = relationName(node.table)
  return {
    ...onTable('policy', node.policy_name ?? '', table),
    owner: `table ${table}`,
    print: printed(node, 'policy_name'),
    node,
  }
}

const KEEP = /^(?:--[^\n]*\n)*select app\.(keep_\w+)\('([\w.]+)'(?:, '(\w+)')?/i

/** A call such as `select app.keep_tenant('public.printers')`. */
export function keepObject(node: SelectStmt, text: string): Made | undefined {
  const [, called, table, field] = KEEP.exec(text) ?? []
  if (!called || !table) return undefined
  // A table has a call for each of its hidden fields.
  const name = called === 'keep_hidden' ? `${called}_${field}` : called
  return { kind: 'keep', identity: `${name} of ${table}`, owner: `table ${table}`, print: print(node), node }
}

/** Adds a table, its columns and its constraints. */
export function createTable(model: Model, node: CreateStmt, statement: Statement): void {
  const table = relationName(node.relation)
  const { file, line, text } = statement
  const identity = `table ${table}`
  const rest = printed(node, 'tableElts', 'relation', 'if_not_exists')
  model.set({ kind: 'table', identity, print: rest, text, file, line })
  const items = tableItems(text)
  for (const [index, element] of (node.tableElts ?? []).entries()) {
    const [first] = find<number>(element, 'location').sort((a, b) => a - b)
    const place = { file, line: first === undefined ? line : statement.lineAt(first) }
    const item = { table, text: items[index] ?? '', place, isInside: true }
    if ('ColumnDef' in element) addColumn(model, element.ColumnDef, item, statement)
    else if ('Constraint' in element) addConstraint(model, element.Constraint, item)
  }
}
