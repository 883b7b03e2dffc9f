import type { RenameStmt } from 'libpg-query'
import { relationName, words } from './names'
import { type Model, tableOf } from './objects'
import type { SqlText, Statement } from './parse'

type Change = (text: string) => string

const OPAQUE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g

/** Changes the names of a statement; its comments, quoted texts and bodies stay. */
function inCode(text: string, change: Change): string {
  let [changed, at] = ['', 0]
  for (const found of text.matchAll(OPAQUE)) {
    changed += change(text.slice(at, found.index)) + found[0]
    at = found.index + found[0].length
  }
  return changed + change(text.slice(at))
}

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const whole = (from: string, to: string): Change => {
  const pattern = new RegExp(`(?<![\\w.])${escaped(from)}(?!\\w)`, 'g')
  return (text) => text.replace(pattern, to)
}

interface Step {
  /** The table, as the schemas call it; undefined for a rename that any statement can name. */
  table?: string
  change: Change
}

/** The changes that renames make to the text of a statement, in order. */
function stepsOf(nodes: readonly RenameStmt[]): Step[] {
  const first = new Map<string, string>()
  const original = (table: string) => first.get(table) ?? table
  return nodes.flatMap(({ renameType, relation, subname = '', newname = '', object }): Step[] => {
    const current = relationName(relation)
    const table = original(current)
    switch (renameType) {
      case 'OBJECT_TABLE': {
        const [schema = '', name = ''] = current.split('.')
        const next = `${schema}.${newname}`
        first.set(next, table)
        const kept = new RegExp(`(?<=\\bkeep_\\w+\\(')${escaped(current)}(?=')`, 'g')
        const qualified = new RegExp(`(?<![\\w.])${escaped(name)}\\.(?=\\w)`, 'g')
        return [
          { change: (text) => inCode(text, whole(current, next)).replace(kept, next) },
          { table, change: (text) => inCode(text, (code) => code.replace(qualified, `${newname}.`)) },
        ]
      }
      case 'OBJECT_COLUMN':
      case 'OBJECT_TABCONSTRAINT':
      case 'OBJECT_TRIGGER':
      case 'OBJECT_POLICY': {
        const bare = whole(subname, newname)
        // Behind a dot, it is the column of a table that the statement names: its own, as a rule.
        const own = new RegExp(
          `(?<=\\b${escaped(current.replace(/^\w+\./, ''))}\\.)${escaped(subname)}(?!\\w)`,
          'g',
        )
        return [{ table, change: (text) => inCode(text, (code) => bare(code).replace(own, newname)) }]
      }
      case 'OBJECT_INDEX':
        return [{ change: (text) => inCode(text, whole(relation?.relname ?? '', newname)) }]
      case 'OBJECT_FUNCTION': {
        const name =
          object && 'ObjectWithArgs' in object ? words(object.ObjectWithArgs.objname).join('.') : ''
        return [{ change: (text) => inCode(text, whole(name, name.replace(/\w+$/, newname))) }]
      }
      default:
        return []
    }
  })
}

/** The statements that belong to each table: its own, and those of its indexes, triggers, policies, grants and comments. */
function statementsOf({ sources, objects }: Model): Map<Statement, string> {
  const owners = new Map<Statement, string>()
  for (const [identity, statements] of sources) {
    const object = objects.get(identity)
    const named =
      /\b(?:table|column \S+ of|policy \S+ on|trigger \S+ on|row security of|keep_\w+ of) (\w+\.\w+)$/
    const table = named.exec(identity)?.[1] ?? (object ? tableOf(object) : '')
    if (table) for (const statement of statements) owners.set(statement, owners.get(statement) ?? table)
  }
  return owners
}

/** The schemas after renames: names follow, and nothing else of their text changes. */
export function renameTexts(
  files: readonly SqlText[],
  model: Model,
  nodes: readonly RenameStmt[],
  pathOf: (path: string, from: string, to: string) => string,
): SqlText[] {
  const steps = stepsOf(nodes)
  const owners = statementsOf(model)
  const all = new Set([...model.sources.values()].flat())
  const tables = nodes.filter(({ renameType }) => renameType === 'OBJECT_TABLE')
  return files.map(({ path, sql }) => {
    const own = [...all].filter(({ file }) => file === path).sort((a, b) => a.start - b.start)
    const bytes = Buffer.from(sql)
    let [text, at] = ['', 0]
    for (const statement of own) {
      const table = owners.get(statement)
      const before = bytes.subarray(statement.start, statement.end).toString()
      const after = steps
        .filter((step) => step.table === undefined || step.table === table)
        .reduce((result, { change }) => change(result), before)
      text += bytes.subarray(at, statement.start).toString() + after
      at = statement.end
    }
    const next = tables.reduce(
      (name, { relation, newname = '' }) => pathOf(name, relation?.relname ?? '', newname),
      path,
    )
    return { path: next, sql: text + bytes.subarray(at).toString() }
  })
}
