import { fold } from '@/i18n/fold'
import type { FieldOf } from '@/resource/fields/kind-interface'
import type { Field } from '@/resource/language/definition.generated'

type InnerRow = Readonly<Record<string, unknown>>

const MAX_LENGTH = 41

/** Lowercase letters, digits and underscores, beginning with a letter: `dis_hekimi`. */
function keyOf(text: unknown): string {
  const words = fold(String(text ?? ''))
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  // A text of another alphabet has no letter to begin with.
  return /^[a-z]/.test(words) ? words : `row_${words}`.replace(/_$/, '')
}

function freeKey(wanted: string, taken: ReadonlySet<unknown>): string {
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`
    const key = `${wanted.slice(0, MAX_LENGTH - end.length).replace(/_+$/, '')}${end}`
    if (!taken.has(key)) return key
  }
}

/** The rows with a key for each that has none yet. A stored key never changes: other records refer to it. */
export function withKeys(field: Pick<FieldOf<'rows'>, 'keys'>, rows: readonly unknown[]): unknown[] {
  return Object.entries(field.keys ?? {}).reduce<unknown[]>(
    (all, [column, source]) => {
      const taken = new Set(all.map((row) => (row as InnerRow)[column]))
      return all.map((row) => {
        const inner = row as InnerRow
        if (typeof inner[column] === 'string' && inner[column] !== '') return row
        const key = freeKey(keyOf(inner[source]), taken)
        taken.add(key)
        return { ...inner, [column]: key }
      })
    },
    [...rows],
  )
}

/** Whether its rows get keys when they are saved. */
export const hasKeys = (field: Field | undefined): field is FieldOf<'rows'> =>
  field !== undefined && 'keys' in field
