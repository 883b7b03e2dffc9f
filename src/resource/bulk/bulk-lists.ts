import type { Row } from '@/data/rows'
import type { Definition, Field } from '@/resource/definition/definition.generated'

export const LIST_WAYS = ['add', 'remove', 'replace'] as const
export type ListWay = (typeof LIST_WAYS)[number]

/** A change of a list as `bulk_edit` takes it: words in a column, or records through a table between. */
export type ListChange = { how: ListWay; items: string[] } & (
  | { field: string; ranked?: string[] }
  | { through: string; near: string; far: string }
)

/** A field that holds several things: many records need not be given the very same ones. */
export function isListField(
  field: Field | undefined,
): field is Extract<Field, { type: 'tags' | 'many-to-many' }> {
  return field?.type === 'tags' || field?.type === 'many-to-many'
}

export function asListWay(value: unknown): ListWay {
  return LIST_WAYS.find((way) => way === value) ?? 'add'
}

/** Of the chosen fields those that are lists, with what is added to each, taken from it, or put in its place. */
export function listChanges(
  definition: Definition,
  names: readonly string[],
  ways: Readonly<Record<string, unknown>>,
  values: Row,
): ListChange[] {
  return names.flatMap((name): ListChange[] => {
    const field = definition.fields[name]
    if (!isListField(field)) return []
    const value = values[name]
    const change = { how: asListWay(ways[name]), items: Array.isArray(value) ? value.map(String) : [] }
    if (field.type === 'many-to-many')
      return [{ ...change, through: field.through, near: field.near, far: field.far }]
    return [{ ...change, field: name, ...(field.closed ? { ranked: field.suggestions ?? [] } : {}) }]
  })
}
