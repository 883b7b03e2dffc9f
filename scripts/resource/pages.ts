import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ESTree, parseSync } from 'vite'

export const PAGES_FILE = 'src/app/pages.tsx'

/** The literal texts of an entry of `PAGES`. */
export interface PageEntry {
  line: number
  values: Readonly<Record<string, string>>
  /** The line of each key that is there, whatever its value. */
  lines: Readonly<Record<string, number>>
}

function textOf(node: ESTree.Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  const isPlain = node.type === 'TemplateLiteral' && node.expressions.length === 0
  return isPlain ? (node.quasis[0]?.value.cooked ?? undefined) : undefined
}

function entryOf(literal: ESTree.ObjectExpression, lineOf: (node: { start: number }) => number): PageEntry {
  const values: Record<string, string> = {}
  const lines: Record<string, number> = {}
  for (const property of literal.properties) {
    if (property.type !== 'Property' || property.computed) continue
    const key = property.key.type === 'Identifier' ? property.key.name : textOf(property.key)
    if (key === undefined) continue
    lines[key] = lineOf(property)
    const value = textOf(property.value)
    if (value !== undefined) values[key] = value
  }
  return { line: lineOf(literal), values, lines }
}

/** The hand-written pages with their lines. The file is read, not run: it imports what only a browser has. */
export function parsePages(text: string): PageEntry[] {
  const lineOf = ({ start }: { start: number }) => text.slice(0, start).split('\n').length
  const { program } = parseSync(PAGES_FILE, text)
  const declarations = program.body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
  const pages = declarations.find(({ id }) => id.type === 'Identifier' && id.name === 'PAGES')
  let list = pages?.init
  while (list?.type === 'TSAsExpression' || list?.type === 'TSSatisfiesExpression') list = list.expression
  if (list?.type !== 'ArrayExpression') return []
  return list.elements.flatMap((element) =>
    element?.type === 'ObjectExpression' ? [entryOf(element, lineOf)] : [],
  )
}

/** Addresses that no definition may take; a planned page gives way to the resource that comes in its place. */
export function corePaths(pages: readonly PageEntry[]): string[] {
  return pages.flatMap(({ values: { path, alias }, lines }) =>
    'isPlanned' in lines ? [] : [path, alias].filter((each) => each !== undefined),
  )
}

let last: { text: string; pages: PageEntry[] } | undefined

/** Several checks ask for the pages of one file: it is parsed again when it has changed. */
export function readPages(root: string): readonly PageEntry[] {
  const path = join(root, PAGES_FILE)
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  if (last?.text !== text) last = { text, pages: parsePages(text) }
  return last.pages
}
