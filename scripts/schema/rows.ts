import type { DeleteStmt, InsertStmt, Node, UpdateStmt } from 'libpg-query'
import { relationName, words } from './names'
import type { Model, SchemaObject } from './objects'
import { print, type Statement } from './parse'

type Row = Record<string, string>

/** A constant as `print` gives it; undefined for all else. */
function constant(node: Node | undefined): string | undefined {
  return node && 'A_Const' in node ? print(node.A_Const) : undefined
}

const identityOf = (table: string, row: Row) =>
  `row of ${table} ${JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))}`

const rowOf = ({ node }: SchemaObject) => node as Row

/** The rows of `insert … values`; undefined where only a database knows them. */
function valuesOf({ cols, selectStmt }: InsertStmt): Row[] | undefined {
  const names = (cols ?? []).flatMap((each) => ('ResTarget' in each ? [each.ResTarget.name ?? ''] : []))
  const lists = selectStmt && 'SelectStmt' in selectStmt ? selectStmt.SelectStmt.valuesLists : undefined
  const rows = (lists ?? []).map((list) => {
    const cells = ('List' in list ? (list.List.items ?? []) : []).map(constant)
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
  const isKnown = names.length > 0 && rows.length > 0
  return isKnown && rows.every((row) => Object.values(row).every(Boolean)) ? rows : undefined
}

/** @returns false for rows that only a database can tell */
export function insertRows(model: Model, node: InsertStmt, { text, file, line }: Statement): boolean {
  const table = relationName(node.relation)
  const rows = valuesOf(node)
  for (const row of rows ?? [])
    model.set({
      kind: 'row',
      identity: identityOf(table, row),
      owner: `table ${table}`,
      print: '',
      text,
      node: row,
      file,
      line,
    })
  return rows !== undefined
}

/** The test of `a = 1`, `a in (1, 2)`, `true`, and these with `and`; undefined for all else. */
function test(where: Node | undefined): ((row: Row) => boolean) | undefined {
  if (!where || constant(where) === print({ boolval: { boolval: true } })) return () => true
  if ('BoolExpr' in where && where.BoolExpr.boolop === 'AND_EXPR') {
    const tests = (where.BoolExpr.args ?? []).map(test)
    return tests.every((each) => each !== undefined) ? (row) => tests.every((each) => each(row)) : undefined
  }
  if (!('A_Expr' in where) || words(where.A_Expr.name)[0] !== '=') return undefined
  const { kind, lexpr, rexpr } = where.A_Expr
  const name = lexpr && 'ColumnRef' in lexpr ? words(lexpr.ColumnRef.fields).at(-1) : undefined
  const list = kind === 'AEXPR_IN' && rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : [rexpr]
  const values = list.map(constant)
  return name && values.every(Boolean) ? (row) => values.includes(row[name]) : undefined
}

const rowsOf = (model: Model, table: string) =>
  model.ownedBy(`table ${table}`).filter(({ kind }) => kind === 'row')

/** Follows what can be read off the statement; rows are data, so all else changes nothing here. */
export function deleteRows(model: Model, node: DeleteStmt): void {
  const isMeant = node.usingClause ? undefined : test(node.whereClause)
  if (!isMeant) return
  for (const object of rowsOf(model, relationName(node.relation)))
    if (isMeant(rowOf(object))) model.remove(object.identity)
}

export function updateRows(model: Model, node: UpdateStmt): void {
  const table = relationName(node.relation)
  const isMeant = node.fromClause ? undefined : test(node.whereClause)
  const cells = (node.targetList ?? []).map((each) => {
    const { name = '', val } = 'ResTarget' in each ? each.ResTarget : {}
    return [name, constant(val)] as const
  })
  if (!isMeant || cells.some(([, value]) => value === undefined)) return
  for (const object of rowsOf(model, table).filter((each) => isMeant(rowOf(each)))) {
    model.remove(object.identity)
    const row = { ...rowOf(object), ...Object.fromEntries(cells.map(([name, value = '']) => [name, value])) }
    model.set({ ...object, identity: identityOf(table, row), node: row })
  }
}
