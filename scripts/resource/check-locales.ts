import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES, type Language } from '@/i18n/language'
import type { Definition } from '@/resource/language/definition.generated'
import { didYouMean } from '@/resource/language/did-you-mean'
import type { DefinitionProblem } from '@/resource/language/entry'
import { repeatedProblems } from '@/resource/language/inspect/problems'
import { lineOf, parseJsonSource, SourceError } from '@/resource/language/json-source'
import { type Known, sharedWords, wordsOf } from './known-words'
import { readText } from './read-text'
import { suggestion } from './suggestion'
import { LANGUAGE_NAMES, SHARED, type WordSource, wordFile, wordFolder } from './word-files'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Place {
  pointer: string
  message: string
  hint?: string
}

/** Groups of texts whose names the definition gives. */
const GROUPS: ReadonlySet<string> = new Set([
  'sections',
  'steps',
  'views',
  'dashboard',
  'actions',
  'confirm',
  'notNow',
  'done',
  'above',
  'closed',
  'effects',
])

function strangeWords(words: unknown, known: Known, path: readonly string[] = []): Place[] {
  const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const isText = known !== null && Object.keys(known).length === 0
  if (typeof words === 'string')
    return words.trim() === '' ? [{ pointer, message: `the text of \`${path.join('.')}\` is empty` }] : []
  if (!isObject(words))
    return [{ pointer, message: `\`${path.join('.')}\` is not a text`, hint: 'Write it in quotes.' }]
  if (isText && path.length > 1)
    return [
      {
        pointer,
        message: `\`${path.join('.')}\` is not a text`,
        hint: 'Write the text in quotes, without braces.',
      },
    ]
  return Object.entries(words).flatMap(([name, value]) => {
    const below = known === null ? null : Object.hasOwn(known, name) ? known[name] : undefined
    // A group is named once where the resource has nothing of its kind.
    if (path.length === 0 && isObject(value) && below && GROUPS.has(name) && Object.keys(below).length === 0)
      return Object.keys(value).length === 0
        ? []
        : [
            {
              pointer: `/${name}`,
              message: `the resource has no ${name}, so no screen shows these texts`,
              hint: 'Remove them.',
            },
          ]
    if (below !== undefined && !(isText && path.length > 0))
      return strangeWords(value, below, [...path, name])
    const names = known === null || isText ? [] : Object.keys(known)
    return [
      {
        pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: `nothing is called \`${[...path, name].join('.')}\`, so no screen shows this text`,
        hint: suggestion(name, names).hint ?? 'Remove it.',
      },
    ]
  })
}

const PLURAL = /_(zero|one|two|few|many|other)$/
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}/g)].flatMap(([, name]) => name ?? [])

interface TextAt {
  path: string
  text: string
}

function textsIn(words: unknown, path: readonly string[] = []): TextAt[] {
  if (typeof words === 'string') return [{ path: path.join('/'), text: words }]
  return isObject(words)
    ? Object.entries(words).flatMap(([name, value]) => textsIn(value, [...path, name]))
    : []
}

/** The placeholders in the texts of a language, by the path of each text without its plural form. */
function placeholdersOf(all: readonly TextAt[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { path, text } of all) {
    const key = path.replace(PLURAL, '')
    found.set(key, new Set([...(found.get(key) ?? []), ...placeholders(text)]))
  }
  return found
}

/** A placeholder that nothing fills in is shown as it is written, and so is the key of a missing plural form. */
function wrongForms(own: readonly TextAt[], english: readonly TextAt[]): Place[] {
  const filled = placeholdersOf(english)
  const paths = new Set(own.map(({ path }) => path))
  return own.flatMap(({ path, text }): Place[] => {
    const known = filled.get(path.replace(PLURAL, ''))
    const strange = known && placeholders(text).find((name) => !known.has(name))
    const rest = path.replace(PLURAL, '_other')
    return [
      ...(strange
        ? [
            {
              pointer: `/${path}`,
              message: `the English text has no placeholder \`{{${strange}}}\``,
              hint: suggestion(strange, known).hint ?? 'Remove it, or add it there.',
            },
          ]
        : []),
      ...(path.startsWith('done/') && PLURAL.test(path) && !paths.has(rest)
        ? [
            {
              pointer: `/${path}`,
              message: `there is no text \`${rest.replaceAll('/', '.')}\` for the other numbers`,
              hint: `Add \`${rest.split('/').at(-1)}\` beside it.`,
            },
          ]
        : []),
    ]
  })
}

/** Texts of one language alone. What a definition needs in both is reported where it needs it. */
const OPTIONAL = [
  'page',
  'details',
  'empty',
  'emptyTitle',
  'deleteText',
  'locked',
  'help',
  'none',
  'confirm',
  'notNow',
  'done',
  'above',
  'closed',
  'effects',
]

function leaves(words: unknown, path: readonly string[] = []): string[] {
  if (!isObject(words)) return [path.join('/')]
  return Object.entries(words).flatMap(([name, value]) => leaves(value, [...path, name]))
}

function optionalTexts(words: unknown): Set<string> {
  return new Set(
    OPTIONAL.flatMap((key) => (isObject(words) && key in words ? leaves(words[key], [key]) : [])),
  )
}

/** Whether no definition has a place for the text, which is reported where it is. */
function isNowhere(path: string, known: Known): boolean {
  let place: Known | undefined = known
  for (const name of path.split('/')) {
    if (place === null) return false
    place = Object.hasOwn(place, name) ? place[name] : undefined
    if (place === undefined) return true
  }
  return false
}

/** Problems of files whose texts cannot be checked, because they are no JSON or are missing. */
export function unreadableLocales(root: string, sources: readonly WordSource[]): DefinitionProblem[] {
  return [
    ...sources.flatMap(({ problem }) => problem ?? []),
    ...LANGUAGES.flatMap((language) => {
      const file = `locales/${language}/shell.json`
      try {
        parseJsonSource(readText(join(root, file)))
        return []
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        return [{ file, line: error.line, message: error.message }]
      }
    }),
  ]
}

/** Texts that belong in the file of another resource. */
function misplacedWords(
  words: unknown,
  { language, resource }: WordSource,
  known: Known,
  names: ReadonlySet<string>,
): Place[] {
  if (!isObject(words) || known === null) return []
  return Object.keys(words)
    .filter((key) => names.has(key) && !Object.hasOwn(known, key))
    .map((key) => ({
      pointer: `/${key}`,
      message: `the texts of \`${key}\` are in the file of \`${resource}\`, so no screen shows them`,
      hint: `Move them to ${wordFile(language, key)}.`,
    }))
}

/** The problems of one file; `other` is the file of the other language. */
function inspectFile(
  each: WordSource,
  other: WordSource | undefined,
  known: Known,
  names: ReadonlySet<string>,
): DefinitionProblem[] {
  const { language, file, source } = each
  const words = source?.value ?? {}
  const isIn = (places: readonly Place[], pointer: string) =>
    places.some((place) => pointer === place.pointer || pointer.startsWith(`${place.pointer}/`))
  const misplaced = misplacedWords(words, each, known, names)
  const strange = [
    ...misplaced,
    ...strangeWords(words, known).filter(({ pointer }) => !isIn(misplaced, pointer)),
  ]
  const own = optionalTexts(words)
  // Reported where the text is to be written.
  const lacking = [...optionalTexts(other?.source?.value)]
    .filter((path) => !own.has(path) && !isNowhere(path, known))
    .map((path) => ({
      pointer: `/${path}`,
      message: `the text \`${path.replaceAll('/', '.')}\` is not in ${LANGUAGE_NAMES[language]}`,
      hint: `Add it ${source ? 'here' : 'in a new file of this name'}, or remove it from the other language.`,
      ...(language === 'en' ? {} : { isWarning: true }),
    }))
  const english = language === 'en' ? each : other
  const forms = wrongForms(textsIn(words), textsIn(english?.source?.value))
  return [
    ...strange,
    ...lacking,
    ...forms.filter(({ pointer }) => !isIn(strange, pointer)),
    ...(source ? repeatedProblems(source) : []),
  ]
    .map(({ pointer, ...problem }) => ({ file, line: source ? lineOf(source, pointer) : 1, ...problem }))
    .sort((a, b) => a.line - b.line)
}

/** The one file of all resources that earlier versions had. */
function inspectOldFile(root: string, language: Language): DefinitionProblem[] {
  const file = `locales/${language}/resources.json`
  if (!existsSync(join(root, file))) return []
  return [
    {
      file,
      line: 1,
      message: 'nobody reads this file: each resource has a file of its own',
      hint: `Move the texts of each resource to ${wordFolder(language)}/<resource>.json, without its name around them, and delete this file.`,
    },
  ]
}

/**
 * Texts in `locales/<language>/resources/` that no definition has a place for, and those in one language alone.
 * @param broken names of resources whose definition cannot be read: their texts are not judged.
 */
export function inspectLocales(
  root: string,
  sources: readonly WordSource[],
  definitions: readonly Definition[],
  broken: ReadonlySet<string>,
): DefinitionProblem[] {
  const known = new Map<string, Known>([
    ...definitions.map((definition): [string, Known] => [definition.name, wordsOf(definition)]),
    ...[...broken].map((name): [string, Known] => [name, null]),
    [SHARED, broken.size > 0 ? null : sharedWords(definitions)],
  ])
  const names = new Set(known.keys())
  const resources = [...new Set(sources.map(({ resource }) => resource))]
  return LANGUAGES.flatMap((language) => [
    ...inspectOldFile(root, language),
    ...resources.flatMap((resource) => {
      const pair = sources.filter((each) => each.resource === resource)
      // A file that cannot be read does not tell which texts the other language lacks.
      if (pair.some(({ problem }) => problem)) return []
      const found = pair.find((each) => each.language === language)
      const meant = didYouMean(resource, names)
      const own = known.get(resource)
      if (own !== undefined)
        return inspectFile(
          found ?? { language, resource, file: wordFile(language, resource), source: null, problem: null },
          pair.find((each) => each.language !== language),
          own,
          names,
        )
      return found
        ? [
            {
              file: found.file,
              line: 1,
              message: `no resource is called \`${resource}\`, so no screen shows these texts`,
              hint: meant
                ? `Did you mean \`${meant}\`? Move the texts to ${wordFile(language, meant)}.`
                : 'Delete the file.',
            },
          ]
        : []
    }),
  ])
}
