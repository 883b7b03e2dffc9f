import { literal } from '../migration/sql'
import type { NamedObjects } from './in-database'
import type { Renames } from './renames'

export interface DatabaseFunction {
  schema: string
  name: string
  arguments: string
  argumentNames: string[]
  source: string
  /** As `create or replace function` takes it. */
  definition: string
  comment: string | null
}

interface FunctionRename {
  statements: string[]
  isUnclear: boolean
}

const word = (name: string) => new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g')

/** Functions that the generator names after their table. */
function nextName({ schema, name }: DatabaseFunction, { tables }: Renames): string {
  for (const [from, to] of tables)
    for (const [place, start] of [
      ['public', 'search_'],
      ['app', 'guard_'],
      ['app', 'check_people_of_'],
    ])
      if (schema === place && name === `${start}${from}`) return `${start}${to}`
  return name
}

/** Tables of schema public that the text names, by their qualified name. */
const tablesIn = (text: string) =>
  new Set([...text.matchAll(/\bpublic\.(\w+)/g)].map(([, name = '']) => name))

function isDeclared({ argumentNames, source }: DatabaseFunction, column: string): boolean {
  const declared = /\bdeclare\b(.*?)\bbegin\b/is.exec(source)?.[1] ?? ''
  return argumentNames.includes(column) || new RegExp(`^\\s*${column}\\s`, 'm').test(declared)
}

/** The column's name may be replaced everywhere only if it cannot mean a parameter, a variable or another table's column. */
function isUnclear(objects: NamedObjects, found: DatabaseFunction, table: string, column: string): boolean {
  const named = tablesIn(found.source)
  const isElsewhere = objects.columns.some(
    (each) => each.column === column && each.table !== table && named.has(each.table),
  )
  return isElsewhere || isDeclared(found, column)
}

/** A trigger function names its table's columns as `new.<column>`, without the table. */
function isOf(objects: NamedObjects, { schema, name, definition }: DatabaseFunction, table: string): boolean {
  return (
    tablesIn(definition).has(table) ||
    objects.triggers.some(
      (trigger) =>
        trigger.table === table && trigger.definition.includes(` EXECUTE FUNCTION ${schema}.${name}(`),
    )
  )
}

/** Functions common to all tables have triggers of many; their text is about none of them. */
function isCommon(objects: NamedObjects, { schema, name }: DatabaseFunction): boolean {
  const call = ` EXECUTE FUNCTION ${schema}.${name}(`
  return (
    new Set(objects.triggers.filter(({ definition }) => definition.includes(call)).map(({ table }) => table))
      .size > 1
  )
}

export interface FunctionContext {
  objects: NamedObjects
  renames: Renames
  /** New names of constraints, which messages name. */
  constraints: ReadonlyMap<string, string>
  /** Trigger functions as the generator writes them for the new names, by their old name. */
  generated: ReadonlyMap<string, string>
}

/** PostgreSQL keeps the text of a function as it was written. Null for a function that names nothing of it. */
export function renameInFunction(
  { objects, renames, constraints, generated }: FunctionContext,
  found: DatabaseFunction,
): FunctionRename | null {
  const { tables, columns, resource } = renames
  const next = nextName(found, renames)
  const rename =
    next === found.name
      ? []
      : [`alter function ${found.schema}.${found.name}(${found.arguments}) rename to ${next};`]
  const again = generated.get(`${found.schema}.${found.name}`)
  if (again !== undefined) {
    const isSame = rename.length === 0 && again.includes(`$$${found.source}$$`)
    return isSame ? null : { isUnclear: false, statements: [...rename, again] }
  }
  let text = found.definition
  let unclear = false
  for (const [table, names] of columns)
    if (isOf(objects, found, table) && !isCommon(objects, found))
      for (const [from, to] of names) {
        if (!word(from).test(found.source)) continue
        unclear ||= isUnclear(objects, found, table, from)
        text = text.replace(word(from), to)
      }
  for (const [from, to] of tables) {
    if (!isOf(objects, found, from)) continue
    text = text.replace(new RegExp(`(?<=\\bpublic\\.(?:search_)?)${from}(?!\\w)`, 'g'), to)
    // A body that the generator wrote may name its table without the schema, and its constraints.
    if (next !== found.name || found.name.endsWith(`_${from}`))
      text = text
        .replace(new RegExp(`(?<=\\bfrom )${from}(?!\\w)`, 'gi'), to)
        .replace(new RegExp(`(?<=")${from}(?=")`, 'g'), to)
  }
  if (text !== found.definition) for (const [from, to] of constraints) text = text.replace(word(from), to)
  if (resource) text = text.replaceAll(`'${resource.from}'`, `'${resource.to}'`)
  if (text === found.definition && next === found.name) return null
  const signature = (name: string) => `${found.schema}.${name}(${found.arguments})`
  const comment = [...tables, ...[...columns.values()].flatMap((names) => [...names])].reduce(
    (result, [from, to]) => result?.replace(word(from), to) ?? null,
    found.comment,
  )
  return {
    isUnclear: unclear,
    statements: unclear
      ? []
      : [
          ...rename,
          ...(text === found.definition
            ? []
            : [
                `${text
                  .replace(
                    new RegExp(`(function )${found.schema}\\.${found.name}\\(`, 'i'),
                    (_all, lead: string) => `${lead}${found.schema}.${next}(`,
                  )
                  .trimEnd()};`,
              ]),
          ...(comment !== null && comment !== found.comment
            ? [`comment on function ${signature(next)} is ${literal(comment)};`]
            : []),
        ],
  }
}
