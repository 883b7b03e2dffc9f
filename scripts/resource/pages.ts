import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as TypeScript from 'typescript'

type Compiler = typeof TypeScript

/** Most commands read no pages, and the compiler is large: it is loaded with the first that does. */
const loadCompiler = () => createRequire(import.meta.url)('typescript') as Compiler

export const PAGES_FILE = 'src/app/pages.tsx'

/** One entry of `PAGES`, as far as it consists of texts. */
export interface PageEntry {
  line: number
  values: Readonly<Record<string, string>>
  /** The line of each key that is there, whatever its value. */
  lines: Readonly<Record<string, number>>
}

function entryOf(
  ts: Compiler,
  source: TypeScript.SourceFile,
  literal: TypeScript.ObjectLiteralExpression,
): PageEntry {
  const lineOf = (node: TypeScript.Node) =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  const values: Record<string, string> = {}
  const lines: Record<string, number> = {}
  for (const property of literal.properties) {
    if (!property.name || !(ts.isIdentifier(property.name) || ts.isStringLiteral(property.name))) continue
    const key = property.name.text
    lines[key] = lineOf(property)
    if (ts.isPropertyAssignment(property) && ts.isStringLiteralLike(property.initializer))
      values[key] = property.initializer.text
  }
  return { line: lineOf(literal), values, lines }
}

/** The hand-written pages with their lines. The file is read, not run: it imports what only a browser has. */
export function parsePages(text: string): PageEntry[] {
  const ts = loadCompiler()
  const source = ts.createSourceFile(PAGES_FILE, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX)
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
  const pages = declarations.find(({ name }) => ts.isIdentifier(name) && name.text === 'PAGES')
  let list = pages?.initializer
  while (list && (ts.isAsExpression(list) || ts.isSatisfiesExpression(list))) list = list.expression
  if (!list || !ts.isArrayLiteralExpression(list)) return []
  return list.elements.filter(ts.isObjectLiteralExpression).map((literal) => entryOf(ts, source, literal))
}

export function readPages(root: string): PageEntry[] {
  const path = join(root, PAGES_FILE)
  return existsSync(path) ? parsePages(readFileSync(path, 'utf8')) : []
}
