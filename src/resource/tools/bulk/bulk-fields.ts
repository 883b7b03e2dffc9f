import { editableFields, kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { titleFields } from '@/resource/request/query/title'

export const LIST_WAYS = ['add', 'remove', 'replace'] as const
export type ListWay = (typeof LIST_WAYS)[number]

/** A change of a list as `bulk_edit` takes it: words in a column, or records through a table between. */
export type ListChange = { how: ListWay; items: string[] } & (
  | { field: string; ranked?: string[] }
  | { through: string; near: string; far: string }
)

/** A field with several values, which a bulk edit can add to, remove from or replace. */
export function isListField(
  field: Field | undefined,
): field is Extract<Field, { type: 'tags' | 'many-to-many' }> {
  return field?.type === 'tags' || field?.type === 'many-to-many'
}

export function asListWay(value: unknown): ListWay {
  return LIST_WAYS.find((way) => way === value) ?? 'add'
}

/**
 * Whether the field describes this one record: a value that is unique by itself, a text that the record is named
 * by, or a whole document. The same value in many records would be a mistake.
 */
function isOwn(definition: Definition, name: string, field: Field): boolean {
  const { isTitle, isText, isLarge } = kindOf(field.type)
  const names = isTitle === true || isText === true
  return field.unique === true || isLarge === true || (names && titleFields(definition).includes(name))
}

/** The fields that a bulk edit can set: writable, with readable options, not fixed, and not a record's own. */
export function bulkFields(
  definition: Definition,
  refused: ReadonlySet<string>,
  mayChoose: (field: Field) => boolean,
): string[] {
  return editableFields(definition).filter((name) => {
    const field = definition.fields[name]
    if (!field || name === 'company_id' || refused.has(name) || field.once || !mayChoose(field)) return false
    if (isOwn(definition, name, field)) return false
    return isListField(field) || kindOf(field.type).detached !== true
  })
}
