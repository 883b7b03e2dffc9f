import i18next, { type i18n as I18n } from 'i18next'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { asLanguage, FALLBACK_LANGUAGE, type Language } from '@/i18n/language'
import { inSentence } from '@/i18n/sentence-case'
import { useLanguage, useLoadedWords } from '@/i18n/use-language'
import type { Definition, Words } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { announceDefinitions, findDefinition, useDefinitionsVersion } from '@/resource/language/registry'

type Lookup = (path: readonly string[]) => string | undefined

function readPath(bundle: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    bundle,
  )
  return typeof found === 'string' ? found : undefined
}

/**
 * Words are looked up by path, not by i18next key: names and values come from definitions and may hold
 * any character, dots and colons too.
 */
function lookupIn(i18n: I18n, language: Language): Lookup {
  const own: unknown = i18n.getResourceBundle(language, 'resources')
  const fallback: unknown = i18n.getResourceBundle(FALLBACK_LANGUAGE, 'resources')
  return (path) => readPath(own, path) ?? readPath(fallback, path)
}

/** Better than a bare key for a missing text; the linter reports it. */
export function humanize(name: string): string {
  const text = name.replace(/_id$/, '').replaceAll('_', ' ')
  return text.charAt(0).toLocaleUpperCase('en') + text.slice(1)
}

export interface ResourceWords {
  one: string
  many: string
  /** Title of the list's page, and its name in menus. */
  page: string
  /** Title of a record's page. */
  details: string
  /** A number of records inside a sentence: `5 tickets`. */
  counted: (count: number) => string
  /** A column of an inner table goes by `<field>.<column>`. */
  field: (name: string) => string
  /** An explanation under the field; most have none. */
  help: (name: string) => string | undefined
  /** The word for no value, where the field has one: `Unassigned`. */
  none: (name: string) => string | undefined
  /** The definition's own words for a value that breaks a rule of the field. */
  message: (name: string) => string | undefined
  value: (field: string, value: string) => string
  section: (name: string) => string
  tab: (name: string) => string
  step: (name: string) => string
  view: (name: string) => string
  figure: (name: string) => string
  action: (name: string) => string
  /** The summary of an action on a number of records, where the resource has one: `3 tickets resolved`. */
  done: (action: string, count: number) => string | undefined
  /** In place of “No records yet”, where that reads wrong. */
  emptyTitle: string | undefined
  /** The text of an empty list, where the resource has one. */
  empty: string | undefined
  /** The question of a dangerous action, where the resource has its own words. */
  text: (...path: string[]) => string | undefined
}

function pick(words: Words | undefined, language: Language): string | undefined {
  return words?.[language] ?? words?.[FALLBACK_LANGUAGE]
}

function fieldPath(field: string): string[] {
  return field.includes('.') ? ['columns', ...field.split('.')] : ['fields', field]
}

function build(definition: Definition, lookup: Lookup, language: Language): ResourceWords {
  const { name, label, fields } = definition
  const own = (...path: string[]) => lookup([name, ...path])
  const shared = (...path: string[]) => lookup(['_shared', ...path])
  const nouns = label?.[language] ?? label?.[FALLBACK_LANGUAGE]
  const one = nouns?.[0] ?? own('one') ?? humanize(name.replace(/s$/, ''))
  const many = nouns?.[1] ?? own('many') ?? humanize(name)
  return {
    one,
    many,
    page: own('page') ?? many,
    details: own('details') ?? one,
    counted: (count) => {
      // A Turkish noun stays singular after a number.
      const noun = count === 1 || language === 'tr' ? one : many
      return `${formatNumber(count, language)} ${inSentence(noun, language)}`
    },
    field: (field) =>
      pick(fields[field]?.label, language) ??
      own(...fieldPath(field)) ??
      shared('fields', field) ??
      humanize(field.split('.').at(-1) ?? field),
    help: (field) => pick(fields[field]?.help, language) ?? own('help', ...field.split('.')),
    none: (field) => pick(fields[field]?.none, language) ?? own('none', field),
    message: (path) => {
      const [name = '', column] = path.split('.')
      const field = fields[name]
      const inner = column === undefined || field?.type !== 'rows' ? field : field.fields[column]
      return pick(inner?.message, language)
    },
    value: (field, value) =>
      own('values', ...field.split('.'), value) ?? shared('values', value) ?? humanize(value),
    section: (section) => own('sections', section) ?? shared('sections', section) ?? humanize(section),
    tab: (tab) => own('tabs', tab) ?? shared('tabs', tab) ?? humanize(tab),
    step: (step) => own('steps', step) ?? shared('steps', step) ?? humanize(step),
    view: (view) =>
      pick(listOf(definition)?.views?.[view]?.label, language) ?? own('views', view) ?? humanize(view),
    figure: (figure) =>
      pick(listOf(definition)?.dashboard?.[figure]?.label, language) ??
      own('dashboard', figure) ??
      humanize(figure),
    action: (action) =>
      pick(definition.actions?.[action]?.label, language) ?? own('actions', action) ?? humanize(action),
    done: (action, count) =>
      own('done', `${action}_${count === 1 ? 'one' : 'other'}`)?.replace(
        '{{count}}',
        formatNumber(count, language),
      ),
    emptyTitle: own('emptyTitle'),
    empty: pick(listOf(definition)?.empty, language) ?? own('empty'),
    text: own,
  }
}

/** Words in a language that need not be the reader's; what is not loaded reads as in English. */
export function wordsIn(i18n: I18n, language: Language, definition: Definition): ResourceWords {
  return build(definition, lookupIn(i18n, language), language)
}

function useLookup(): { lookup: Lookup; language: Language } {
  const { i18n } = useTranslation('resources')
  const language = asLanguage(i18n.resolvedLanguage ?? i18n.language)
  const version = useDefinitionsVersion()
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts that were replaced are looked up again
  return useMemo(() => ({ lookup: lookupIn(i18n, language), language }), [i18n, language, version])
}

/** Shows other texts from now on; none of the earlier ones are left. */
export function replaceWords(language: string, words: object): void {
  i18next.addResourceBundle(language, 'resources', words, false, true)
  announceDefinitions()
}

/** Every word of one resource, in the reader's language. */
export function useWords(definition: Definition): ResourceWords {
  const { lookup, language } = useLookup()
  return useMemo(() => build(definition, lookup, language), [definition, lookup, language])
}

/** The word for a value of one field; `field` may be dotted, for a column of a `rows` field. */
export function useValueWord(resource: string, field: string): (value: string) => string {
  // Every cell of a state asks: without the hook that listens to all of i18next.
  const language = useLanguage()
  useDefinitionsVersion()
  useLoadedWords('resources')
  return (value) => valueWord(lookupIn(i18next, language), resource, field, value)
}

/** The word for a value in the language that is set now: for texts made outside of components, as a record's title. */
export function currentValueWord(resource: string, field: string, value: string): string {
  const language = asLanguage(i18next.resolvedLanguage ?? i18next.language)
  return valueWord(lookupIn(i18next, language), resource, field, value)
}

function valueWord(lookup: Lookup, resource: string, field: string, value: string): string {
  return (
    lookup([resource, 'values', ...field.split('.'), value]) ??
    lookup(['_shared', 'values', value]) ??
    humanize(value)
  )
}

/** Labels of a resource's fields, for a cell that knows only the resource's name. */
export function useFieldWord(resource: string): (field: string) => string {
  const { lookup } = useLookup()
  return (field) =>
    lookup([resource, ...fieldPath(field)]) ??
    lookup(['_shared', 'fields', field]) ??
    humanize(field.split('.').at(-1) ?? field)
}

/** Labels of fields of any resource, for what shows several resources at once. */
export function useFieldWords(): (definition: Definition, field: string) => string {
  const { lookup, language } = useLookup()
  return useCallback(
    (definition, field) => build(definition, lookup, language).field(field),
    [lookup, language],
  )
}

/** Words for values of fields of any resource, for what shows several resources at once. */
export function useValueWords(): (resource: string, field: string, value: string) => string {
  const { lookup } = useLookup()
  return (resource, field, value) => valueWord(lookup, resource, field, value)
}

/** The word for a role; the name of the role where nobody gave it one. */
export function useRoleWord(): (role: string) => string {
  const { lookup } = useLookup()
  return (role) => lookup(['_shared', 'values', role]) ?? role
}

/** Labels of declared views of any resource. */
export function useViewWords(): (definition: Definition, view: string) => string {
  const { lookup, language } = useLookup()
  return (definition, view) => build(definition, lookup, language).view(view)
}

/** The label of a menu group. */
export function useGroupWord(): (group: string) => string {
  const { lookup } = useLookup()
  return (group) => lookup(['_shared', 'groups', group]) ?? humanize(group)
}

export type ResourceLabels = Pick<ResourceWords, 'one' | 'many' | 'page' | 'details'>

/** For a resource whose file is no valid definition. */
export function labelsFromName(name: string): ResourceLabels {
  const label = humanize(name)
  return { one: label, many: label, page: label, details: label }
}

/** Label of a resource by name, for menus, titles and links; the name itself when nothing is known. */
export function useResourceLabels(): (name: string) => ResourceLabels {
  const { lookup, language } = useLookup()
  return useCallback(
    (name) => {
      const definition = findDefinition(name)
      return definition ? build(definition, lookup, language) : labelsFromName(name)
    },
    [lookup, language],
  )
}
