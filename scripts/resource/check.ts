import { existsSync, readdirSync } from 'node:fs'
import { basename, extname, join, sep } from 'node:path'
import { setAllRoles } from '@/access/roles'
import { LANGUAGES } from '@/i18n/language'
import type { Definition } from '@/resource/language/definition.generated'
import type { DefinitionProblem } from '@/resource/language/entry'
import { contextOf, inspectSource, type PointedProblem } from '@/resource/language/inspect/problems'
import { lineOf, parseJsonSource } from '@/resource/language/json-source'
import { componentExport, listOf, tableOf } from '@/resource/language/naming'
import type { Catalog } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { checkPolicies, type PolicyLine, readPolicies as readPolicyLines, rolesOf } from '../policies/lines'
import { planFill, rowOf } from '../policies/migration'
import { readMigrations, readVocabulary, type Vocabulary } from '../policies/vocabulary'
import { roleWordProblems } from '../policies/words'
import { inspectDatabase, openView } from './check-database'
import { inspectLocales, unreadableLocales } from './check-locales'
import { inspectNames } from './check-names'
import { inspectPages, inspectPlace, type PageContext, readIcons, readTitles } from './check-pages'
import { inspectPolicies, readPolicyContext } from './check-policies'
import { unreadRelations } from './check-relations'
import { inspectWords } from './check-words'
import { readPages } from './pages'
import { readText } from './read-text'
import { generatedTables, readDefinitions } from './tree'
import { readableWords, readWordSources, SHARED, wordFolder } from './word-files'

/** As `src/app/resource-screens.tsx` finds them. */
const COMPONENT = /-(tab|dialog|field|screen|panel)$/

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
    ...Object.entries((definition.show ? definition.show.side : undefined) ?? {}).map(
      ([name, part]): [string, string | undefined] => [`/show/side/${name}/component`, part.component],
    ),
  ]
  return named.flatMap(([pointer, component]) => {
    if (!component) return []
    const file = `src/pages/${component}.tsx`
    const name = componentExport(component)
    if (!COMPONENT.test(component))
      return [
        {
          pointer,
          message: `\`${component}\` is not loaded: the name of a component says what it is`,
          hint: 'Let it end in `-tab`, `-dialog`, `-field`, `-screen` or `-panel`, and rename the file.',
        },
      ]
    if (!existsSync(join(root, file)))
      return [{ pointer, message: `no file \`${file}\``, hint: `Add it, with an export \`${name}\`.` }]
    const isExported = new RegExp(`\\bexport\\b[^;]*?\\b${name}\\b`).test(readText(join(root, file)))
    return isExported
      ? []
      : [
          {
            pointer,
            message: `\`${file}\` has no export \`${name}\``,
            hint: `Rename what it exports to \`${name}\`.`,
          },
        ]
  })
}

/** Files that look like definitions, or like texts of resources, where nobody reads them. */
function inspectStrays(root: string, folder: string, what: [one: string, many: string]): DefinitionProblem[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep))
    .filter(([first, name]) => first !== 'removed' || name === undefined)
    .flatMap((path) => {
      const name = path.at(-1) ?? ''
      const isRead = path.length === 1 && name.endsWith('.json')
      if (isRead || !/\.(jsonc?|json5|ya?ml)$/i.test(name)) return []
      return [
        {
          file: `${folder}/${path.join('/')}`,
          line: 1,
          message:
            path.length === 1
              ? `only files that end in \`.json\` are ${what[1]}, and this one ends in \`${extname(name)}\``
              : `nobody reads ${what[0]} in the folder \`${path.slice(0, -1).join('/')}\``,
          hint: `Move it to ${folder}/${name.replace(/\.\w+$/, '.json')}, or delete it.`,
        },
      ]
    })
}

/** Lines that no screen and no table stand behind let nobody do anything. */
function inspectLines(lines: PolicyLine[], vocabulary: Vocabulary): DefinitionProblem[] {
  return checkPolicies(lines, vocabulary).map(({ file, line, text }) => ({
    file: `policies/${file}`,
    line,
    message: text,
  }))
}

/** A definition that was deleted by hand leaves its table, whose rows the API still serves. */
function inspectOrphans(
  catalog: Catalog,
  tables: ReadonlySet<string>,
  isGenerated: (table: string) => boolean,
): DefinitionProblem[] {
  return catalog.tables
    .filter(({ name, canSelect }) => canSelect && !tables.has(name) && isGenerated(name))
    .map(({ name }) => ({
      file: `resources/${name}.json`,
      line: 1,
      message: `the file is gone, but the API still serves the table \`${name}\``,
      hint: `Restore the file, or take it out of the console: \`npm run resource remove ${name}\`.`,
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
  const isGenerated = generatedTables(root)
  const context = contextOf(files.map(({ text, ...file }) => ({ ...file, source: text })))
  const { broken } = context
  const definitions = context.names.flatMap((name) => context.find(name) ?? [])
  const vocabulary = readVocabulary(root)
  // The content of a broken file is unknown, so the policy lines of its resource are accepted as they are.
  for (const name of broken) vocabulary.objects.add(name)
  const lines = readPolicyLines(root)
  for (const { cells } of lines) if (broken.has(cells[2] ?? '')) vocabulary.verbs.add(cells[3] ?? '')
  const sources = readWordSources(root)
  const unreadable = unreadableLocales(root, sources)
  const policies = readPolicyContext(root, vocabulary)
  setAllRoles(rolesOf(lines).map((name) => ({ name, isGrantable: true, hasCompany: true })))
  const pages: PageContext = {
    pages: readPages(root),
    definitions,
    broken,
    objects: vocabulary.objects,
    icons: readIcons(root),
    titles: unreadable.some(({ file }) => file.endsWith('shell.json')) ? null : readTitles(root),
  }
  const words = readableWords(sources)
  const unread = new Set(sources.filter(({ problem }) => problem).map(({ resource }) => resource))
  const isShared = !unread.has(SHARED)
  const found = files.flatMap(({ file, text, definition }) => {
    const own = inspectSource(file, text, context)
    // A malformed definition cannot be compared with anything.
    if (own.length > 0 || !definition) return own
    const source = parseJsonSource(text)
    const expected = `resources/${definition.name}.json`
    // Everything else is looked up by either name.
    if (file !== expected)
      return [
        {
          file,
          line: lineOf(source, '/name'),
          message: `the file of \`${definition.name}\` should be ${expected}`,
          hint: `Rename the file, or write \`"name": "${basename(file, '.json')}"\`.`,
        },
      ]
    const found = [
      ...inspectComponents(root, definition),
      ...inspectNames(definition, pages.pages),
      ...inspectDatabase(definition, {
        catalog,
        find: context.find,
        isGenerated,
      }),
      ...inspectPlace(definition, pages),
      ...inspectPolicies(definition, policies),
      ...(isShared && !unread.has(definition.name) ? inspectWords(definition, words) : []),
    ]
    return found
      .map(({ pointer, ...problem }) => ({ file, line: lineOf(source, pointer), ...problem }))
      .sort((a, b) => a.line - b.line)
  })
  const tables = new Set(definitions.map(tableOf))
  return [
    ...found,
    // A file that cannot be read may be the one that describes a table.
    ...(broken.size === 0 ? inspectOrphans(catalog, tables, isGenerated) : []),
    ...inspectOpenViews(root, catalog, tables),
    ...inspectPages(pages),
    ...inspectLines(lines, vocabulary),
    ...inspectStrays(root, 'resources', ['a definition', 'definitions']),
    ...LANGUAGES.flatMap((language) =>
      existsSync(join(root, wordFolder(language)))
        ? inspectStrays(root, wordFolder(language), ['texts', 'texts of a resource'])
        : [],
    ),
    ...unreadable,
    ...(isShared ? roleWordProblems(root, lines) : []),
    ...inspectLocales(root, sources, definitions, broken),
  ]
}

/** Permission lines count when a migration carries them; until then the database does not know them. */
function inspectFill(root: string): DefinitionProblem[] {
  const lines = readPolicyLines(root)
  const fill = planFill(readMigrations(root), lines)
  if (!fill) return []
  const added = lines.filter((line) => fill.added.includes(rowOf(line)))
  const first = added[0] ?? lines[0]
  const removed = fill.removed === 'all' ? 0 : fill.removed.length
  return [
    {
      file: `policies/${first?.file ?? ''}`,
      line: first?.line ?? 1,
      message: `the database does not have these permission lines yet: ${added.length} added, ${removed} removed`,
      hint: '`npm run policies` writes them to a migration.',
    },
  ]
}

/** The problems of the tree. Unread relations and a missing fill are reported only once the policy lines are right. */
export function checkTree(root: string, catalog: Catalog): DefinitionProblem[] {
  const problems = checkResources(root, catalog)
  const hasWrongLines = problems.some(({ file, isWarning }) => file.startsWith('policies/') && !isWarning)
  return hasWrongLines ? problems : [...problems, ...unreadRelations(root), ...inspectFill(root)]
}

/**
 * Prints what `resource check` found.
 * @throws StartError when any of it is more than a warning, or a command was interrupted
 */
export function tellProblems(
  problems: readonly DefinitionProblem[],
  isInterrupted: boolean,
  { say, complain }: { say: (line: string) => void; complain: (line: string) => void },
): void {
  for (const { file, line, message, hint, isWarning } of problems)
    complain(`${file}:${line}  ${isWarning ? 'warning: ' : ''}${message}${hint ? `\n    ${hint}` : ''}`)
  const serious = problems.filter(({ isWarning }) => !isWarning).length
  if (isInterrupted)
    throw new StartError(
      'A command was interrupted, and its files are half changed. Run it again, or `npm run policies`: each settles them first.',
    )
  if (serious > 0) throw new StartError(`${serious} ${serious === 1 ? 'problem' : 'problems'} found.`)
  if (problems.length > 0) say(`${problems.length} ${problems.length === 1 ? 'warning' : 'warnings'}.`)
  say('No problems found.')
}
