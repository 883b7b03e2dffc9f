import type { Filter } from '@/resource/definition/definition.generated'

/** The fields that a filter reads. */
export function filterFields(filter: Filter | undefined): string[] {
  return Object.entries(filter ?? {}).flatMap(([key, value]) =>
    key === '_and' || key === '_or' ? (value as Filter[]).flatMap(filterFields) : [key],
  )
}

/** The other fields of the record that a value, a condition or a whole filter compares with, by `$record`. */
export function mentionedFields(value: unknown): string[] {
  const text = JSON.stringify(value ?? null)
  return [...text.matchAll(/\$record\.(\w+)/g)].flatMap(([, name]) => name ?? [])
}
