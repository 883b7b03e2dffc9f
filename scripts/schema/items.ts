import type { ColumnDef, Constraint, Node } from 'libpg-query'
import { constraintName, constraintPrint } from './names'
import type { ColumnFacts, Model, SchemaObject } from './objects'
import { type Place, print, type Statement } from './parse'

/** The length of a comment, a quoted text or a quoted name that begins here; 0 for all else. */
function opaqueLength(whole: string, at: number): number {
  if (!/['"$-]/.test(whole[at] ?? '')) return 0
  const text = whole.slice(at)
  const dollar = /^\$\w*\$/.exec(text)?.[0]
  if (dollar) return text.indexOf(dollar, dollar.length) + dollar.length
  return /^(?:--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*")/.exec(text)?.[0].length ?? 0
}

export interface Range {
  from: number
  to: number
}

/** The parts between the commas outside all brackets. A comment behind a comma is in none: it belongs to the part before. */
function listRanges(text: string): Range[] {
  const parts: Range[] = []
  let [depth, start, at] = [0, 0, 0]
  while (at < text.length) {
    const opaque = opaqueLength(text, at)
    if (opaque > 0) {
      at += opaque
      continue
    }
    const sign = text[at]
    if (sign === '(' || sign === '[') depth++
    if (sign === ')' || sign === ']') depth--
    if (sign === ',' && depth === 0) {
      parts.push({ from: start, to: at })
      at += /^,[ \t]*(?:--[^\n]*)?/.exec(text.slice(at))?.[0].length ?? 1
      start = at
    } else at++
  }
  return [...parts, { from: start, to: text.length }]
}

export const splitList = (text: string): string[] =>
  listRanges(text).map(({ from, to }) => text.slice(from, to))

/** Where the items between the outer brackets of `create table` are. */
export function itemRanges(text: string): Range[] {
  const open = /^(?:\s*--[^\n]*\n)*[^(]*\(/.exec(text)?.[0].length ?? 0
  const inside = text.slice(open, text.lastIndexOf(')'))
  return listRanges(inside).map(({ from, to }) => ({ from: open + from, to: open + to }))
}

export const tableItems = (text: string): string[] =>
  itemRanges(text).map(({ from, to }) => tidy(text.slice(from, to)))

/** Removes the indentation, and a comment at the end, which would swallow the semicolon. */
export function tidy(item: string): string {
  const lines = item
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n')
  const bare = lines
    .map((line) => line.replace(/^ {2}/, ''))
    .join('\n')
    .trim()
  const last = bare.split('\n').at(-1) ?? ''
  const comment = /\s--[^']*$/.exec(last)
  return comment ? bare.slice(0, bare.length - comment[0].length) : bare
}

const inside = (nodes: readonly Node[] | undefined): Constraint[] =>
  (nodes ?? []).flatMap((node) => ('Constraint' in node ? [node.Constraint] : []))

const KEPT_APART: readonly Constraint['contype'][] = [
  'CONSTR_CHECK',
  'CONSTR_FOREIGN',
  'CONSTR_PRIMARY',
  'CONSTR_UNIQUE',
  'CONSTR_EXCLUSION',
]

export const columnIdentity = (table: string, name: string): string => `column ${name} of ${table}`
export const constraintIdentity = (table: string, name: string): string => `constraint ${name} on ${table}`

interface Item {
  table: string
  text: string
  place: Place
  isInside: boolean
}

/** Adds a constraint of a table; `column` names the column beside which it is written. */
export function addConstraint(model: Model, written: Constraint, item: Item, column?: string): SchemaObject {
  const { table } = item
  const own = column === undefined ? {} : ownColumns(written, column)
  const constraint = { ...written, ...own }
  const name = constraintName(
    table,
    constraint,
    (each) => model.get(constraintIdentity(table, each)) !== undefined,
  )
  const named = /^constraint\s/i.test(item.text.replace(/^(?:--[^\n]*\n)*/, ''))
  const text = column === undefined || named ? item.text : `constraint ${name} ${item.text}`
  const object: SchemaObject = {
    kind: 'constraint',
    identity: constraintIdentity(table, name),
    owner: column === undefined ? `table ${table}` : columnIdentity(table, column),
    print: constraintPrint(constraint),
    text,
    node: constraint,
    isInside: item.isInside || column !== undefined,
    ...item.place,
  }
  model.set(object)
  return object
}

const asNames = (name: string): Node[] => [{ String: { sval: name } }]

/** The columns that a constraint beside a column leaves out. */
function ownColumns({ contype }: Constraint, column: string): Partial<Constraint> {
  if (contype === 'CONSTR_FOREIGN') return { fk_attrs: asNames(column) }
  return contype === 'CONSTR_CHECK' ? {} : { keys: asNames(column) }
}

/** `check (…)`, `unique (name)` and `foreign key (name) references …` as they are written below the columns. */
function belowColumns(contype: Constraint['contype'], text: string, column: string): string {
  if (contype === 'CONSTR_FOREIGN')
    return text.replace(/\breferences\b/i, `foreign key (${column}) references`)
  if (contype === 'CONSTR_PRIMARY') return text.replace(/\bprimary key\b/i, `primary key (${column})`)
  return contype === 'CONSTR_UNIQUE' ? text.replace(/\bunique\b/i, `unique (${column})`) : text
}

/** Adds a column of a table, and the constraints beside it. */
export function addColumn(model: Model, column: ColumnDef, item: Item, { slice, end }: Statement): void {
  const { table } = item
  const name = column.colname ?? ''
  const parts = inside(column.constraints)
  // The parser gives the beginning of each part alone.
  const textOf = (part: Constraint) => {
    const next = parts[parts.indexOf(part) + 1]?.location
    if (next !== undefined) return slice(part.location ?? 0, next).trim()
    const rest = slice(part.location ?? 0, end)
    return tidy(rest.slice(0, lengthWithin(rest)))
  }
  const isIdentity = (part: Constraint) =>
    part.contype === 'CONSTR_IDENTITY' || part.contype === 'CONSTR_GENERATED'
  const value = parts.find((part) => part.contype === 'CONSTR_DEFAULT')
  const typeAt = column.typeName?.location ?? 0
  const typeEnd = parts.flatMap(({ location }) => location ?? []).sort((a, b) => a - b)[0]
  const rest = slice(typeAt, typeEnd ?? end)
  const facts: ColumnFacts = {
    type: print([column.typeName, column.collClause?.collname]),
    typeText: tidy(typeEnd === undefined ? rest.slice(0, lengthWithin(rest)) : rest),
    value: print(value?.raw_expr) ?? '',
    valueText: value ? textOf(value).replace(/^default\s+/i, '') : '',
    isRequired: parts.some((part) =>
      ['CONSTR_NOTNULL', 'CONSTR_PRIMARY', 'CONSTR_IDENTITY'].includes(part.contype ?? ''),
    ),
    generated: print(parts.find(isIdentity)) ?? '',
  }
  const identity = columnIdentity(table, name)
  model.set({
    kind: 'column',
    identity,
    owner: `table ${table}`,
    print: '',
    text: item.text,
    node: [column.typeName, parts.filter((part) => !KEPT_APART.includes(part.contype))],
    isInside: item.isInside,
    column: facts,
    ...item.place,
  })
  for (const part of parts.filter((each) => KEPT_APART.includes(each.contype)))
    addConstraint(model, part, { ...item, text: belowColumns(part.contype, textOf(part), name) }, name)
}

/** How far the last part of a column reaches: to the comma, bracket or semicolon that ends the column. */
function lengthWithin(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const opaque = opaqueLength(text, at)
    if (opaque > 0) at += opaque - 1
    else if (text[at] === '(' || text[at] === '[') depth++
    else if (/[)\],;]/.test(text[at] ?? '')) {
      if (depth === 0) return at
      if (text[at] === ')' || text[at] === ']') depth--
    }
  }
  return text.length
}
