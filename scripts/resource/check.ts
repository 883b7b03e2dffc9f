import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/definition/definition.generated'
import { lineOf, parseJsonSource } from '@/resource/definition/json-source'
import { createPath, listOf, listPath, tableOf } from '@/resource/definition/naming'
import { type DefinitionProblem, inspectSource, type PointedProblem } from '@/resource/inspect/problems'
import type { Catalog } from '../../supabase/embedded/catalog'
import { checkPolicies, readPolicies as readPolicyLines } from '../policies/lines'
import { readMigrations, readVocabulary } from '../policies/vocabulary'
import { inspectCycles } from './check-cycles'
import { inspectDatabase, openView } from './check-database'
import { inspectNames } from './check-names'
import { inspectPages, inspectPlace, type PageContext, readIcons, readTitles } from './check-pages'
import { inspectPolicies, readPolicies } from './check-policies'
import { inspectWords, readWords } from './check-words'
import { readPages } from './pages'
import { isGenerated, type ResourceFile, readDefinitions } from './tree'

/** Two resources cannot share a name, or a page. */
function inspectNeighbors(
  definition: Definition,
  file: string,
  others: readonly ResourceFile[],
): PointedProblem[] {
  const problems: PointedProblem[] = []
  for (const other of others) {
    if (other.file === file || !other.definition) continue
    if (other.definition.name === definition.name)
      problems.push({ pointer: '/name', message: `${other.file} has the name \`${definition.name}\` too` })
    if (listOf(definition) && listOf(other.definition) && listPath(other.definition) === listPath(definition))
      problems.push({ pointer: '/route', message: `${other.file} has the path ${listPath(definition)} too` })
    else if (definition.form !== false && createPath(other.definition) === createPath(definition))
      problems.push({
        pointer: '/singular',
        message: `${other.file} creates at ${createPath(definition)} too`,
      })
  }
  return problems
}

function inspectComponents(root: string, definition: Definition): PointedProblem[] {
  const named: [string, string | undefined][] = [
    ...Object.entries(definition.fields).map(([name, field]): [string, string | undefined] => [
      `/fields/${name}/component`,
      field.component,
    ]),
    ...Object.entries(definition.actions ?? {}).map(([name, action]): [string, string | undefined] => [
      `/actions/${name}/component`,
      action.component,
    ]),
    ['/list/component', listOf(definition)?.component],
    ['/form/component', definition.form ? definition.form.component : undefined],
    ['/show/component', definition.show ? definition.show.component : undefined],
    ...Object.entries((definition.show ? definition.show.tabs : undefined) ?? {}).map(
      ([name, tab]): [string, string | undefined] => [`/show/tabs/${name}/component`, tab.component],
    ),
  ]
  return named.flatMap(([pointer, component]) =>
    component && !existsSync(join(root, 'src/pages', `${component}.tsx`))
      ? [{ pointer, message: `no file \`src/pages/${component}.tsx\`` }]
      : [],
  )
}

/** Lines that no screen and no table stand behind let nobody do anything. */
function inspectLines(root: string): DefinitionProblem[] {
  return checkPolicies(readPolicyLines(root), readVocabulary(root)).map(({ file, line, text }) => ({
    file: `policies/${file}`,
    line,
    message: text,
  }))
}

/** A definition that was deleted by hand leaves its table, whose rows the API still serves. */
function inspectOrphans(root: string, catalog: Catalog, tables: ReadonlySet<string>): DefinitionProblem[] {
  return catalog.tables
    .filter(({ name }) => !tables.has(name) && isGenerated(root, name))
    .map(({ name }) => ({
      file: `resources/${name}.json`,
      line: 1,
      message: `the file is gone, but the API still serves the table \`${name}\``,
      hint: `Restore the file, or write \`drop table public.${name};\` in a migration and remove its lines from policies/.`,
    }))
}

/** The API serves a view whether or not a definition describes it. */
function inspectOpenViews(root: string, catalog: Catalog, tables: ReadonlySet<string>): DefinitionProblem[] {
  const migrations = readMigrations(root)
  return catalog.tables
    .filter(({ name, canSelect }) => canSelect && !tables.has(name))
    .flatMap((table) => {
      const open = openView(table)
      if (!open) return []
      const named = new RegExp(
        `\\bview\\s+(?:if\\s+not\\s+exists\\s+)?(?:public\\.)?"?${table.name}"?\\s`,
        'i',
      )
      const found = migrations.findLast(({ sql }) => named.test(sql))
      const line = found ? found.sql.slice(0, found.sql.search(named)).split('\n').length : 1
      return [{ file: `supabase/migrations${found ? `/${found.file}` : ''}`, line, ...open }]
    })
}

/** Everything the linter finds in `resources/`, with file and line; `catalog` is of the migrated database. */
export function checkResources(root: string, catalog: Catalog): DefinitionProblem[] {
  const files = readDefinitions(root)
  const byName = new Map(
    files.flatMap(({ definition }) => (definition ? [[definition.name, definition]] : [])),
  )
  const context = {
    find: (name: string) => byName.get(name) ?? null,
    names: [...byName.keys()],
  }
  const policies = readPolicies(root)
  const pages: PageContext = {
    pages: readPages(root),
    definitions: [...byName.values()],
    objects: readVocabulary(root).objects,
    icons: readIcons(root),
    titles: readTitles(root),
  }
  const words = readWords(root)
  const found = files.flatMap(({ file, text, definition }) => {
    const own = inspectSource(file, text, context)
    // What is not well formed cannot be compared with anything.
    if (own.length > 0 || !definition) return own
    const source = parseJsonSource(text)
    const expected = `resources/${definition.name}.json`
    const found = [
      ...(file === expected
        ? []
        : [{ pointer: '/name', message: `the file of \`${definition.name}\` should be ${expected}` }]),
      ...inspectNeighbors(definition, file, files),
      ...inspectComponents(root, definition),
      ...inspectNames(definition, pages.pages),
      ...inspectCycles(definition, context.find),
      ...inspectDatabase(definition, { catalog, find: context.find }),
      ...inspectPlace(definition, pages),
      ...inspectPolicies(definition, policies),
      ...inspectWords(definition, words),
    ]
    return found
      .map(({ pointer, message, hint }) => ({ file, line: lineOf(source, pointer), message, hint }))
      .sort((a, b) => a.line - b.line)
  })
  // A file that cannot be read may be the one that describes a table.
  const isReadable = files.every(({ definition }) => definition !== null)
  const tables = new Set([...byName.values()].map(tableOf))
  return [
    ...found,
    ...(isReadable ? inspectOrphans(root, catalog, tables) : []),
    ...inspectOpenViews(root, catalog, tables),
    ...inspectPages(pages),
    ...inspectLines(root),
  ]
}
