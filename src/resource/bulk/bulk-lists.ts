import type { Field } from '@/resource/definition/definition.generated'

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
