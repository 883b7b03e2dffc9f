import type { Definition, Field } from '@/resource/definition/definition.generated'
import { formOf, listOf, showOf } from '@/resource/definition/naming'
import { kindOf } from '@/resource/fields/kinds'
import type { PointedProblem } from '@/resource/inspect/problems'
import { readJson } from './read-text'

const LANGUAGES = ['en', 'tr'] as const
type Language = (typeof LANGUAGES)[number]

export type ResourceWordFiles = Record<Language, unknown>

export function readWords(root: string): ResourceWordFiles {
  const read = (language: Language): unknown => readJson(root, `locales/${language}/resources.json`)
  return { en: read('en'), tr: read('tr') }
}

function has(words: unknown, path: readonly string[]): boolean {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    words,
  )
  return typeof found === 'string' && found !== ''
}

interface NeededWord {
  pointer: string
  what: string
  /** Any of these is enough; the first is what the problem proposes. */
  paths: string[][]
  /** The definition's own words, which are enough too. */
  own?: Partial<Record<Language, unknown>>
}

/** Values that only the definition gives, so that each needs its word. */
function closedValues(field: Field): readonly string[] {
  const choices = kindOf(field.type).choices?.(field)
  return choices?.isClosed ? choices.known : []
}

function fieldWords(
  name: string,
  field: Field,
  resource: string,
  pointer: string,
  prefix: string[] = [],
): NeededWord[] {
  const path = [...prefix, name]
  const isInner = prefix.length > 0
  const label: NeededWord = {
    pointer,
    what: `the field \`${path.join('.')}\``,
    paths: [
      [resource, ...(isInner ? ['columns', ...path] : ['fields', name])],
      ['_shared', 'fields', name],
    ],
    own: field.label,
  }
  const values = closedValues(field).map((value) => ({
    pointer: `${pointer}/${field.type === 'enum' ? `values/${value}` : 'suggestions'}`,
    what: `the value \`${value}\` of \`${path.join('.')}\``,
    paths: [
      [resource, 'values', ...path, value],
      ['_shared', 'values', value],
    ],
  }))
  const inner =
    field.type === 'rows'
      ? Object.entries(field.fields).flatMap(([column, columnField]) =>
          fieldWords(column, columnField, resource, `${pointer}/fields/${column}`, path),
        )
      : []
  return [label, ...values, ...inner]
}

function neededWords(definition: Definition): NeededWord[] {
  const { name, label } = definition
  const nouns: NeededWord[] = ['one', 'many'].map((which) => ({
    pointer: '/name',
    what: `\`${name}\` (${which})`,
    paths: [[name, which]],
    own: label,
  }))
  const simple = (kind: string, names: readonly string[], pointer: string): NeededWord[] =>
    names.map((each) => ({
      pointer: `${pointer}/${each}`,
      what: `the ${kind.replace(/s$/, '')} \`${each}\``,
      paths: [
        [name, kind, each],
        ['_shared', kind, each],
      ],
    }))
  const views = Object.entries(listOf(definition)?.views ?? {}).map(([view, { label: own }]) => ({
    pointer: `/list/views/${view}`,
    what: `the view \`${view}\``,
    paths: [[name, 'views', view]],
    own,
  }))
  const actions = Object.entries(definition.actions ?? {}).flatMap(([action, { label: own, params }]) => [
    {
      pointer: `/actions/${action}`,
      what: `the action \`${action}\``,
      paths: [[name, 'actions', action]],
      own,
    },
    ...Object.entries(params ?? {}).flatMap(([param, field]) =>
      fieldWords(param, field, name, `/actions/${action}/params/${param}`),
    ),
  ])
  const form = formOf(definition)
  const parts = Object.values({ ...form?.steps, ...form?.tabs })
  const formSections = Object.keys(form?.sections ?? {})
  return [
    ...nouns,
    ...Object.entries(definition.fields).flatMap(([field, value]) =>
      fieldWords(field, value, name, `/fields/${field}`),
    ),
    ...simple('sections', Object.keys(showOf(definition)?.sections ?? {}), '/show/sections'),
    // A form of one section shows no heading.
    ...(formSections.length > 1 ? simple('sections', formSections, '/form/sections') : []),
    ...simple('steps', Object.keys(form?.steps ?? {}), '/form/steps'),
    ...simple('tabs', Object.keys(form?.tabs ?? {}), '/form/tabs'),
    ...parts.flatMap(({ sections }) =>
      Object.keys(sections).length > 1 ? simple('sections', Object.keys(sections), '/form') : [],
    ),
    ...simple('tabs', Object.keys(showOf(definition)?.tabs ?? {}), '/show/tabs'),
    ...views,
    ...actions,
  ]
}

interface MissingWord {
  language: Language
  pointer: string
  what: string
  /** Where in `locales/<language>/resources.json` it belongs. */
  path: string[]
}

/** Words that neither the definition nor `locales/` has. */
export function missingWords(definition: Definition, words: ResourceWordFiles): MissingWord[] {
  return neededWords(definition).flatMap(({ pointer, what, paths, own }) =>
    LANGUAGES.filter(
      (language) => own?.[language] === undefined && !paths.some((path) => has(words[language], path)),
    ).map((language) => ({ language, pointer, what, path: paths[0] ?? [] })),
  )
}

/** A screen says everything in both languages, from the definition or from `locales/`. */
export function inspectWords(definition: Definition, words: ResourceWordFiles): PointedProblem[] {
  return missingWords(definition, words).map(({ language, pointer, what, path }) => ({
    pointer,
    message: `no ${language === 'en' ? 'English' : 'Turkish'} word for ${what}`,
    hint: `Add \`${path.join('.')}\` to locales/${language}/resources.json.`,
  }))
}
