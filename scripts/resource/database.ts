import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export interface DatabaseCatalogue {
  /** Columns of each table and view, with their TypeScript type without `| null`. */
  tables: ReadonlyMap<string, ReadonlyMap<string, string>>
  functions: ReadonlySet<string>
}

function members(node: ts.TypeNode | undefined): Map<string, ts.TypeNode> {
  const found = new Map<string, ts.TypeNode>()
  if (!node || !ts.isTypeLiteralNode(node)) return found
  for (const member of node.members)
    if (ts.isPropertySignature(member) && member.type && member.name && ts.isIdentifier(member.name))
      found.set(member.name.text, member.type)
  return found
}

/** The migrated database as its generated types describe it: the linter needs no running database. */
export function readCatalogue(root: string): DatabaseCatalogue {
  const path = join(root, 'src/data/database.types.ts')
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022)
  const database = source.statements.find(
    (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === 'Database',
  )
  const schema = members(
    members(database && ts.isTypeAliasDeclaration(database) ? database.type : undefined).get('public'),
  )
  const tables = new Map<string, Map<string, string>>()
  for (const section of ['Tables', 'Views'])
    for (const [table, type] of members(schema.get(section))) {
      const columns = [...members(members(type).get('Row'))].map(
        ([column, columnType]) => [column, columnType.getText(source).replace(/\s*\|\s*null$/, '')] as const,
      )
      tables.set(table, new Map(columns))
    }
  return { tables, functions: new Set(members(schema.get('Functions')).keys()) }
}
