import type { Field } from '@/resource/language/definition.generated'
import type { Inspection } from '@/resource/language/inspect/inspection'

/** The places of a filter that name `$record`. */
export function recordPlaces(pointer: string, value: unknown): [pointer: string, variable: string][] {
  if (typeof value === 'string') return value.startsWith('$record.') ? [[pointer, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => recordPlaces(`${pointer}/${key}`, inner))
}

/** Whether a layout can be made from the field: it has a column of this table, which requests compare with. */
export function layoutField(
  inspection: Inspection,
  pointer: string,
  name: string,
  { fits, needs }: { fits: (field: Field) => boolean; needs: string },
): void {
  inspection.field(pointer, name)
  const field = inspection.definition.fields[name]
  if (!field || (fits(field) && field.from === undefined)) return
  inspection.add(
    pointer,
    field.from === undefined
      ? `\`${name}\` is \`${field.type}\`, and this needs ${needs}`
      : `\`${name}\` is in another table`,
    `Name ${needs} of this table.`,
  )
}
