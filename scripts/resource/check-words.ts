import { FALLBACK_LANGUAGE, LANGUAGES, type Language } from '@/i18n/language'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { formOf, listOf, showOf } from '@/resource/language/naming'
import { LANGUAGE_NAMES, type ResourceWordFiles, SHARED, wordAt, wordFile, wordPlace } from './word-files'

function has(words: unknown, path: readonly string[]): boolean {
  const found = wordAt(words, path)
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
  if (kindOf(field.type).hasSharedWords) return []
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
      [SHARED, 'fields', name],
    ],
    own: field.label,
  }
  const values = closedValues(field).map((value) => ({
    pointer: `${pointer}/${field.type === 'enum' ? `values/${value}` : 'suggestions'}`,
    what: `the value \`${value}\` of \`${path.join('.')}\``,
    paths: [
      [resource, 'values', ...path, value],
      [SHARED, 'values', value],
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
        [SHARED, kind, each],
      ],
    }))
  const views = Object.entries(listOf(definition)?.views ?? {}).map(([view, { label: own }]) => ({
    pointer: `/list/views/${view}`,
    what: `the view \`${view}\``,
    paths: [[name, 'views', view]],
    own,
  }))
  const figures = Object.entries(listOf(definition)?.dashboard ?? {}).map(([figure, { label: own }]) => ({
    pointer: `/list/dashboard/${figure}`,
    what: `the figure \`${figure}\``,
    paths: [[name, 'dashboard', figure]],
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
  const { group } = definition
  const groups =
    group === undefined
      ? []
      : [{ pointer: '/group', what: `the group \`${group}\``, paths: [[SHARED, 'groups', group]] }]
  return [
    ...nouns,
    ...groups,
    ...Object.entries(definition.fields).flatMap(([field, value]) =>
      fieldWords(field, value, name, `/fields/${field}`),
    ),
    ...simple('sections', Object.keys(showOf(definition)?.sections ?? {}), '/show/sections'),
    ...simple('sections', Object.keys(showOf(definition)?.side ?? {}), '/show/side'),
    // A form of one section shows no heading.
    ...(formSections.length > 1 ? simple('sections', formSections, '/form/sections') : []),
    ...simple('steps', Object.keys(form?.steps ?? {}), '/form/steps'),
    ...simple('tabs', Object.keys(form?.tabs ?? {}), '/form/tabs'),
    ...parts.flatMap(({ sections }) =>
      Object.keys(sections).length > 1 ? simple('sections', Object.keys(sections), '/form') : [],
    ),
    ...simple('tabs', Object.keys(showOf(definition)?.tabs ?? {}), '/show/tabs'),
    ...views,
    ...figures,
    ...actions,
  ]
}

interface MissingWord {
  language: Language
  pointer: string
  what: string
  /** The path begins with the resource or `_shared`, and goes on with the keys in the file of that name. */
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

/** Texts that a definition may leave out, but not in one language alone: the other would show them, too. */
function halfTranslated(definition: Definition): PointedProblem[] {
  const own: [pointer: string, text: Partial<Record<Language, unknown>> | undefined][] = [
    ...Object.entries(definition.fields).map(([name, { help }]): (typeof own)[number] => [
      `/fields/${name}/help`,
      help,
    ]),
    ['/list/empty', listOf(definition)?.empty],
  ]
  return own.flatMap(([pointer, text]) =>
    LANGUAGES.filter((language) => text !== undefined && text[language] === undefined).map((language) => ({
      pointer,
      message: `the text is not in ${LANGUAGE_NAMES[language]}`,
      hint: `Add \`"${language}"\`.`,
      ...(language === FALLBACK_LANGUAGE ? {} : { isWarning: true }),
    })),
  )
}

/** The definition's own label comes first. */
function labelsTwice(definition: Definition, words: ResourceWordFiles): PointedProblem[] {
  return Object.entries(definition.fields).flatMap(([name, { label }]) => {
    const path = [definition.name, 'fields', name]
    const twice = LANGUAGES.filter((language) => label?.[language] && has(words[language], path))
    return twice.length === 0
      ? []
      : [
          {
            pointer: `/fields/${name}/label`,
            message: `\`fields.${name}\` of ${twice.map((language) => wordFile(language, definition.name)).join(' and ')} has no effect beside this label`,
            hint: 'Remove one of the two.',
          },
        ]
  })
}

/** A screen says everything in both languages, from the definition or from `locales/`. */
export function inspectWords(definition: Definition, words: ResourceWordFiles): PointedProblem[] {
  const missing = missingWords(definition, words)
  const isWarning = (language: Language) => (language === FALLBACK_LANGUAGE ? {} : { isWarning: true })
  const without = LANGUAGES.filter(
    (language) =>
      wordAt(words[language], [definition.name]) === undefined &&
      missing.some((each) => each.language === language),
  )
  return [
    ...without.map((language) => ({
      pointer: '/name',
      message: `no ${LANGUAGE_NAMES[language]} texts for \`${definition.name}\``,
      hint: `Add ${wordFile(language, definition.name)}: \`npm run resource migrate ${definition.name}\` writes it.`,
      ...isWarning(language),
    })),
    ...missing
      .filter(({ language }) => !without.includes(language))
      .map(({ language, pointer, what, path }) => {
        const { file, key } = wordPlace(language, path)
        return {
          pointer,
          message: `no ${LANGUAGE_NAMES[language]} word for ${what}`,
          hint: `Add \`${key}\` to ${file}.`,
          ...isWarning(language),
        }
      }),
    ...halfTranslated(definition),
    ...labelsTwice(definition, words),
  ]
}
