import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES, type Language } from '@/i18n/language'
import type { Definition } from '@/resource/language/definition.generated'
import type { DefinitionProblem } from '@/resource/language/entry'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { listOf, listPath } from '@/resource/language/naming'
import { PAGES_FILE, type PageEntry } from './pages'
import { readJson } from './read-text'
import { suggestion } from './suggestion'
import { LANGUAGE_NAMES } from './word-files'

/** A page needs each of these; `component` is TypeScript's to miss. */
const NEEDED = ['name', 'path', 'label', 'icon', 'object'] as const

interface Place {
  name: string
  /** The place that this one is a tab of. */
  parent: string | undefined
  hasList: boolean
}

export interface PageContext {
  pages: readonly PageEntry[]
  definitions: readonly Definition[]
  /** Resources whose file is not well formed. */
  broken: ReadonlySet<string>
  /** Permission objects: tables, resources and pages (`scripts/policies/vocabulary.ts`). */
  objects: ReadonlySet<string>
  /** Names of icons that the schema knows. */
  icons: readonly string[]
  /** The keys of `shell:titles` in each language; null where a file cannot be read. */
  titles: Readonly<Record<Language, readonly string[]>> | null
}

export function readTitles(root: string): PageContext['titles'] {
  const read = (language: string): string[] => {
    const words = readJson(root, `locales/${language}/shell.json`) as { titles?: object }
    return Object.keys(words.titles ?? {})
  }
  return { en: read('en'), tr: read('tr') }
}

export function readIcons(root: string): string[] {
  const text = readFileSync(join(root, 'src/resource/language/base.schema.json'), 'utf8')
  return (JSON.parse(text) as { $defs: { icon: { enum: string[] } } }).$defs.icon.enum
}

function placesOf({ pages, definitions }: PageContext): Place[] {
  return [
    ...pages.flatMap(({ values: { name, parent } }) => (name ? [{ name, parent, hasList: true }] : [])),
    ...definitions.map((definition) => ({
      name: definition.name,
      parent: definition.parent,
      hasList: listOf(definition) !== null,
    })),
  ]
}

/** A tab belongs to an entry of the menu, or to one of its tabs, which exists and has a list. */
function parentProblem(parent: string, context: PageContext): Omit<PointedProblem, 'pointer'> | null {
  if (context.broken.has(parent)) return null
  const places = placesOf(context)
  const found = places.find(({ name }) => name === parent)
  if (!found)
    return {
      message: `no page or resource \`${parent}\` to be a tab of`,
      ...suggestion(
        parent,
        places.map(({ name }) => name),
      ),
    }
  if (!found.hasList)
    return {
      message: `\`${parent}\` has no list to be a tab of`,
      hint: 'Name one with a list, or remove `parent`.',
    }
  if (found.parent === parent)
    return { message: `\`${parent}\` cannot be a tab of itself`, hint: 'Remove `parent`.' }
  const above = places.find(({ name }) => name === found.parent)
  if (above?.parent !== undefined)
    return {
      message: `\`${parent}\` is a tab of \`${found.parent}\`, which is a tab itself`,
      hint: `Name \`${found.parent}\`.`,
    }
  return null
}

/** Checks a definition's place in the menu. */
export function inspectPlace(definition: Definition, context: PageContext): PointedProblem[] {
  const { parent, page_object: object } = definition
  const problems: PointedProblem[] = []
  const wrongParent = parent === undefined ? null : parentProblem(parent, context)
  if (wrongParent) problems.push({ pointer: '/parent', ...wrongParent })
  if (object !== undefined && !context.objects.has(object))
    problems.push({
      pointer: '/page_object',
      message: `no permission object \`${object}\``,
      ...suggestion(object, context.objects),
    })
  return problems
}

function inspectPage(page: PageEntry, context: PageContext): DefinitionProblem[] {
  const { values, lines } = page
  const title = values.name ?? values.path ?? ''
  const at = (key: string, message: string, hint?: { hint?: string }): DefinitionProblem => ({
    file: PAGES_FILE,
    line: lines[key] ?? page.line,
    message,
    ...hint,
  })
  const problems = NEEDED.filter((key) => !(key in lines)).map((key) =>
    at(key, `the page \`${title}\` has no \`${key}\``),
  )
  const { name, path, label, icon, object, parent } = values
  for (const language of LANGUAGES) {
    const known = context.titles?.[language]
    if (label !== undefined && known && !known.includes(label))
      problems.push(
        at('label', `no ${LANGUAGE_NAMES[language]} word for the page \`${title}\``, {
          hint: `Add \`titles.${label}\` to locales/${language}/shell.json.`,
        }),
      )
  }
  if (icon !== undefined && !context.icons.includes(icon))
    problems.push(at('icon', `no icon \`${icon}\``, suggestion(icon, context.icons)))
  if (object !== undefined && !context.objects.has(object))
    problems.push(at('object', `no permission object \`${object}\``, suggestion(object, context.objects)))
  const wrongParent = parent === undefined ? null : parentProblem(parent, context)
  if (wrongParent) problems.push(at('parent', wrongParent.message, wrongParent))
  const others = context.pages.filter((other) => other !== page).map((other) => other.values)
  // A definition at a page's path replaces the page.
  const resources = context.definitions.filter((definition) => listPath(definition) !== path)
  if (name !== undefined && [...others, ...resources].some((other) => other.name === name))
    problems.push(at('name', `another page or resource has the name \`${name}\``))
  if (path !== undefined && others.some((other) => other.path === path))
    problems.push(at('path', `another page is at ${path}`))
  return problems
}

/** Lists the problems in `src/app/pages.tsx`, by line. */
export function inspectPages(context: PageContext): DefinitionProblem[] {
  return context.pages.flatMap((page) => inspectPage(page, context)).sort((a, b) => a.line - b.line)
}
