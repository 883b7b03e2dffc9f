import i18next from 'i18next'
import { asLanguage } from '@/i18n/language'
import { findKind } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { embedKey, firstRow, sourceKey } from '@/resource/language/embed-keys'
import { currentPhrase, isPhrase } from '@/resource/language/phrases'
import { findDefinition } from '@/resource/language/registry'
import { currentValueWord } from '@/resource/language/words'

interface TitleReference {
  name: string
  resource: string
  id: string
}

const SLOT = /\{(\w+)\}/g
/** Between the parts of a title; a part whose fields are empty is left out. */
const SEPARATOR = ' · '

function template(definition: Definition): string {
  if (definition.title) return definition.title
  const first = Object.entries(definition.fields).find(([, field]) => findKind(field.type)?.isTitle)
  return `{${first?.[0] ?? 'id'}}`
}

/** The fields a record's title is made of. */
export function titleFields(definition: Definition): string[] {
  return [...template(definition).matchAll(SLOT)].flatMap(([, name]) => (name ? [name] : []))
}

/**
 * The text of one slot: a relation goes by the title of its record, a person by their name, a field from another table by that column, a choice
 * by its word, a date or a number as the reader's language writes it.
 */
function slotText(definition: Definition, row: Record<string, unknown>, name: string): string {
  const field = definition.fields[name]
  const to = targetOf(field)
  if (to !== null) {
    const related = firstRow(row[embedKey(name)])
    const target = findDefinition(to)
    if (!related) return ''
    return target ? filledTitle(target, related) : String(related.name ?? '')
  }
  const value = field?.from ? firstRow(row[sourceKey(field.from.table)])?.[field.from.column] : row[name]
  if (field?.type === 'enum' && typeof value === 'string')
    return currentValueWord(definition.name, name, value)
  if (value === null || value === undefined || value === '') return ''
  const write = field && findKind(field.type)?.titleText
  if (write) return write(value, field, asLanguage(i18next.resolvedLanguage ?? i18next.language))
  if (typeof value === 'string') return isPhrase(field) ? currentPhrase(value) : value
  return typeof value === 'number' ? String(value) : ''
}

function filledTitle(definition: Definition, row: Record<string, unknown>): string {
  return template(definition)
    .split(SEPARATOR)
    .map((part) => part.replace(SLOT, (_slot, name: string) => slotText(definition, row, name)).trim())
    .filter((part) => part !== '')
    .join(SEPARATOR)
    .replace(/^[\s·–-]+|[\s·–-]+$/g, '')
}

/** The title of a record; the beginning of its key when all fields of the title are empty. */
export function recordTitle(definition: Definition, row: Record<string, unknown>): string {
  return filledTitle(definition, row) || String(row.id ?? '').slice(0, 8)
}

/** The records that the title of this one is made of. Rows that a function of the database returns do not bring them along. */
export function titleReferences(definition: Definition, row: Record<string, unknown>): TitleReference[] {
  return titleFields(definition).flatMap((name) => {
    const resource = targetOf(definition.fields[name])
    const id = row[name]
    return resource !== null && typeof id === 'string' ? [{ name, resource, id }] : []
  })
}

/** The row with those records, as a request for it would bring them. */
export function withTitleRecords(
  definition: Definition,
  row: Record<string, unknown>,
  find: (reference: TitleReference) => Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const found = titleReferences(definition, row).map((reference) => [
    embedKey(reference.name),
    find(reference) ?? null,
  ])
  return found.length === 0 ? row : { ...row, ...Object.fromEntries(found) }
}
