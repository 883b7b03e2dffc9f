import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { formOf, showOf } from '@/resource/language/naming'
import { editJson } from '../json-text'
import { type ResourceWordFiles, SHARED } from '../word-files'
import type { Labels } from '../words-of'
import type { Renames } from './renames'

type Words = Record<string, unknown>
type Rule = (path: string, text: string) => string | undefined

const OBJECT = /(^|\/)(?:(?:policy|read|write)|needs\/[^/]+)\/object$/
const TARGET = /(^|\/)(?:fields|params)\/[^/]+\/(?:to|counts\/resource)$/
const OWN_FILTER =
  /^(?:rules\/[^/]+|comments\/kinds\/[^/]+\/when|fields\/[^/]+\/(?:when|color_when|paused_when)|list\/(?:(?:default_)?filter|calendar\/done_when)|list\/views\/[^/]+\/filter|list\/dashboard\/[^/]+\/(?:filter|part)|actions\/[^/]+\/when|show\/related\/\d+\/when)((?:\/_(?:and|or)\/\d+)*)\/[^/]+$/
const TARGET_FILTER = /^(?:fields|actions\/([^/]+)\/params)\/([^/]+)\/where((?:\/_(?:and|or)\/\d+)*)\/[^/]+$/
const COUNTS_FILTER = /^fields\/([^/]+)\/counts\/filter((?:\/_(?:and|or)\/\d+)*)\/[^/]+$/
const SECTION_ROW = /^(?:show|form)\/(?:.+\/)?sections\/[^/]+\/\d+$/
const COLUMN = /^(?:list\/columns\/\d+(?:\/field|\/with\/\d+)?|actions\/[^/]+\/shows\/\d+)$/

/** Where a definition names another resource, a table or an address. */
function resourceRule(definition: Definition, { resource, route, tables, columns, objects }: Renames): Rule {
  const joined = (path: string) => {
    const field = definition.fields[path.split('/')[1] ?? '']
    return field?.type === 'many-to-many' ? columns.get(field.through) : undefined
  }
  return (path, text) => {
    const isResource = resource !== undefined && text === resource.from
    if (path === 'name') return isResource && definition.name === resource.from ? resource.to : undefined
    if (
      isResource &&
      (['parent', 'page_object'].includes(path) ||
        /^(?:show\/related|form\/children)\/\d+\/resource$/.test(path) ||
        TARGET.test(path))
    )
      return resource.to
    if (OBJECT.test(path)) return objects.get(text)
    if (path === 'table' || /^(?:live\/\d+|fields\/[^/]+\/(?:from\/table|through))$/.test(path))
      return tables.get(text)
    if (/^fields\/[^/]+\/(?:near|far)$/.test(path)) return joined(path)?.get(text)
    if (path === 'list/opens' && route && text === route.from.slice(1)) return route.to.slice(1)
    return undefined
  }
}

/** Whether text inside this field or dialog means fields of another row than the record's. */
function isOtherRow(definition: Definition, path: string, name: string): boolean {
  const [place, outer = '', inside] = path.split('/')
  if (place === 'actions') return Object.hasOwn(definition.actions?.[outer]?.params ?? {}, name)
  const field: Field | undefined = definition.fields[outer]
  return place === 'fields' && inside === 'fields' && field !== undefined && 'fields' in field
}

/** The resource whose records a number field counts. */
function countedBy(definition: Definition, name: string | undefined): string | undefined {
  const field = name === undefined ? undefined : definition.fields[name]
  return field?.type === 'number' ? field.counts?.resource : undefined
}

/** Where a definition names a field of its own, of a record it points at, or of records that point at it. */
function fieldRule(definition: Definition, { field, columns }: Renames): Rule {
  if (!field) return () => undefined
  const { from, to, table, resources } = field
  const isOwn = resources.includes(definition.name)
  const ours = (name: string) => (isOwn && name === from ? to : undefined)
  const isTarget = (name: string | undefined) => {
    const found = name === undefined ? undefined : definition.fields[name]
    return found !== undefined && 'to' in found && resources.includes(found.to)
  }
  const column = (text: string) => {
    const [first = '', second] = text.split('.')
    if (second === undefined) return ours(text)
    if (isTarget(first) && second === from) return `${ours(first) ?? first}.${to}`
    return ours(first) ? `${to}.${second}` : undefined
  }
  const tokens = (text: string, pattern: RegExp) =>
    isOwn ? text.replace(pattern, (token) => ours(token) ?? token) : undefined
  const referring = new Set(
    Object.entries(definition.fields).flatMap(([name, each]) =>
      (kindOf(each.type).references?.(each as never) ?? []).map(([option]) => `fields/${name}/${option}`),
    ),
  )
  const sorting = columns.get(table)
  const pointsHere = (list: string, place: number) => {
    const lists = list === 'show/related' ? showOf(definition)?.related : formOf(definition)?.children
    return resources.includes(lists?.[place]?.resource ?? '')
  }
  return (path, text) => {
    const [, related] = /^\$record\.(\w+\.\w+)$/.exec(text) ?? []
    if (related) {
      const next = column(related)
      return next && `$record.${next}`
    }
    if (
      isOwn &&
      !isOtherRow(definition, path, from) &&
      new RegExp(`^\\$record\\.${from}(?=\\.|$)`).test(text)
    )
      return `$record.${to}${text.slice(8 + from.length)}`
    if (path === 'title') return isOwn ? text.replaceAll(`{${from}}`, `{${to}}`) : undefined
    if (COLUMN.test(path)) return column(text)
    if (/^list\/(?:views\/[^/]+\/)?sort$/.test(path)) return tokens(text, /[^,-]+/g)
    if (SECTION_ROW.test(path)) return tokens(text, /\S+/g)
    if (/^comments\/(?:sets|people\/\d+)$/.test(path)) return ours(text)
    if (
      /^list\/(?:board\/(?:by|kinds\/field)|calendar\/(?:from|until|color)|dashboard\/[^/]+\/(?:of|by|across))$/.test(
        path,
      )
    )
      return ours(text)
    if (/^no_overlap\/(?:by(?:\/\d+)?|from|until)$/.test(path)) return ours(text)
    if (/^(?:show\/summary|unique)\/\d+(?:\/\d+)?$/.test(path) || referring.has(path)) return ours(text)
    if (/^fields\/[^/]+\/sort$/.test(path)) return isOwn ? sorting?.get(text) : undefined
    const [, source = ''] = /^fields\/([^/]+)\/from\/column$/.exec(path) ?? []
    if (source) return definition.fields[source]?.from?.table === table ? sorting?.get(text) : undefined
    const [, counting] = /^fields\/([^/]+)\/counts\/by$/.exec(path) ?? []
    if (counting && resources.includes(countedBy(definition, counting) ?? ''))
      return text === from ? to : undefined
    const [, list, place] = /^(show\/related|form\/children)\/(\d+)\/(?:by|fields\/\d+)$/.exec(path) ?? []
    if (list) return pointsHere(list, Number(place)) && text === from ? to : undefined
    return undefined
  }
}

/** A key of `fields` and of the filters over them. */
function fieldKeyRule(definition: Definition, { field }: Renames): Rule {
  if (!field) return () => undefined
  const isOwn = field.resources.includes(definition.name)
  return (path, key) => {
    if (key !== field.from) return undefined
    if (isOwn && (path === `fields/${key}` || OWN_FILTER.test(path))) return field.to
    const [, counting] = COUNTS_FILTER.exec(path) ?? []
    if (counting)
      return field.resources.includes(countedBy(definition, counting) ?? '') ? field.to : undefined
    const [, action, name] = TARGET_FILTER.exec(path) ?? []
    if (name === undefined) return undefined
    const chosen =
      action === undefined ? definition.fields[name] : definition.actions?.[action]?.params?.[name]
    return chosen && 'to' in chosen && field.resources.includes(chosen.to) ? field.to : undefined
  }
}

/** A definition with the new names; its formatting stays. */
export function renameInDefinition(text: string, definition: Definition, renames: Renames): string {
  const keys = fieldKeyRule(definition, renames)
  const strings = [resourceRule(definition, renames), fieldRule(definition, renames)]
  return editJson(text, ({ kind, path, text: found }) => {
    const at = path.join('/')
    if (kind === 'key') return keys(at, found)
    return strings.map((rule) => rule(at, found)).find((next) => next !== undefined)
  })
}

const isObject = (value: unknown): value is Words => typeof value === 'object' && value !== null

function rekey(words: Words, from: string, to: string): Words {
  const { [to]: _orphan, ...rest } = words
  return from in words
    ? Object.fromEntries(Object.entries(rest).map(([key, value]) => [key === from ? to : key, value]))
    : { ...words }
}

/** Sections of a resource's words that are keyed by its fields. */
const BY_FIELD = ['fields', 'help', 'values', 'columns']

function renameFieldWords(words: Words, resource: string, from: string, to: string): Words {
  const own = words[resource]
  if (!isObject(own)) return words
  const shared = isObject(words[SHARED]) ? words[SHARED] : {}
  const renamed = Object.entries(own).map(([section, value]): [string, unknown] => {
    if (!BY_FIELD.includes(section) || !isObject(value)) return [section, value]
    // The text that the old name had from all resources belongs to this one now.
    const common = isObject(shared[section]) ? shared[section] : {}
    const inherited = from in value || to in common ? {} : { [to]: common[from] }
    return [section, { ...rekey(value, from, to), ...(common[from] === undefined ? {} : inherited) }]
  })
  return { ...words, [resource]: Object.fromEntries(renamed) }
}

/** `labels` are new nouns of a renamed resource, whose old ones make room: an empty text counts as missing. */
export function renameInWords(
  words: ResourceWordFiles,
  { resource, field }: Renames,
  labels: Labels = {},
): ResourceWordFiles {
  const renamed = Object.entries(words).map(([language, all]): [string, Words] => {
    const byName = resource ? rekey(all, resource.from, resource.to) : all
    const own = resource && language in labels ? byName[resource.to] : undefined
    if (resource && isObject(own)) {
      byName[resource.to] = { ...own, one: '', many: '' }
    }
    return [
      language,
      field
        ? field.resources.reduce(
            (result, each) => renameFieldWords(result, each, field.from, field.to),
            byName,
          )
        : byName,
    ]
  })
  return Object.fromEntries(renamed) as ResourceWordFiles
}

/** The permission object in the lines of one file of `policies/`. */
export function renameInPolicies(csv: string, { objects }: Renames): string {
  return csv.replace(/^(\s*p\s*,[^,\n]*,\s*)([^,\n]*?)(?=\s*,)/gm, (line, start: string, object: string) =>
    objects.has(object) ? `${start}${objects.get(object)}` : line,
  )
}
